"""The harness: run memories over conversations, grade, summarize."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd
from scipy.stats import binomtest
from tqdm import tqdm

from ctxgraph.conversation import AnswerKey, Conversation, ConversationError, Question, Turn
from ctxgraph.memories import UNKNOWN, Answer, MakeMemory, Memory, select
from ctxgraph.tokens import count_tokens

COLUMNS = {
    "conversation": "object",
    "memory": "object",
    "question": "object",
    "type": "object",
    "answer": "object",
    "correct": "bool",
    "tokens": "int64",
    "distance": "Int64",
    "recall": "float64",
    "sufficient": "boolean",
}


def run(
    conversations: Iterable[Conversation],
    memories: Mapping[str, MakeMemory] | None = None,
) -> pd.DataFrame:
    """Ask every memory every question of every conversation.

    Each memory is made anew for each conversation and takes in every turn in order; a
    question is taken in as a plain turn after it was answered.

    Parameters
    ----------
    conversations : iterable of Conversation
    memories : mapping of str to callable, optional
        Name to what makes the memory from a vocabulary: a class, or any callable. By
        default all that are registered.

    Returns
    -------
    DataFrame
        One row per memory and question: `conversation`, `memory`, `question`, `type`,
        `answer`, `correct`, `tokens` (of context and question), `distance` (turns since
        the latest needed fact), `recall` (share of the needed facts whose turn is in the
        sources), `sufficient` (all are). The last three are missing where a question needs
        no fact.

    Raises
    ------
    ValueError
        There is no memory to run, or two conversations have one name.
    TypeError
        A memory gives something else than an `Answer`.
    """
    memories = select() if memories is None else memories
    if not memories:
        raise ValueError("no memory to run")
    rows: list[dict[str, Any]] = []
    names: set[str] = set()
    for conversation in tqdm(conversations, desc="conversations", disable=None):
        if conversation.name in names:
            raise ValueError(f"two conversations are called {conversation.name!r}")
        names.add(conversation.name)
        for name, make in memories.items():
            rows += _rows(conversation, name, make(conversation.vocabulary))
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(COLUMNS)


def ask(conversation: Conversation, memory: Memory) -> Iterator[tuple[Turn, Answer]]:
    """Lead a new memory through a conversation; give each question's turn and its answer.

    The memory does not see the answer key, but for the question's type where it declares
    `reads_label`; once answered, the question is taken in as a plain turn.
    """
    reads_label = getattr(memory, "reads_label", False)
    for turn in conversation.turns:
        said = {"number": turn.number, "speaker": turn.speaker, "text": turn.text}
        if turn.question is None:
            memory.ingest(turn)
        else:
            label = turn.question.type if reads_label else None
            yield turn, memory.answer(Question(**said, label=label))
            memory.ingest(Turn(**said))


def _rows(conversation: Conversation, name: str, memory: Memory) -> Iterator[dict[str, Any]]:
    stated = {turn.fact.id: turn.number for turn in conversation.turns if turn.fact}
    for turn, answer in ask(conversation, memory):
        if not isinstance(answer, Answer):
            raise TypeError(f"{name} gives no Answer to {turn.text!r}, but {answer!r}")
        needed = {stated[fact] for fact in turn.question.needs}
        recall = len(needed & set(answer.sources)) / len(needed) if needed else None
        yield {
            "conversation": conversation.name,
            "memory": name,
            "question": turn.text,
            "type": turn.question.type,
            "answer": answer.text,
            "correct": grade(answer, turn.question),
            "tokens": price(answer, turn),
            "distance": turn.number - max(needed) if needed else None,
            "recall": recall,
            "sufficient": recall == 1 if needed else None,
        }


def price(answer: Answer, question: Turn) -> int:
    """Tokens of the context and the question: what asking a model would cost."""
    line = f"{question.speaker} (query): {question.text}"
    return count_tokens("\n".join([*answer.context, line]))


def grade(answer: Answer, key: AnswerKey) -> bool:
    """Whether the answer contains an accepted one, case and outer spaces aside.

    The article's grader: no model call, and it favours a memory that answers in the words
    of the stored facts. `UNKNOWN` is right where it is accepted itself. A question of type
    `list` wants all accepted answers, separated by ", " in any order, and nothing else.
    """
    text = answer.text.strip().lower()
    accepted = [item.strip().lower() for item in key.answers]
    if answer.text == UNKNOWN:  # else "no" would be found in it
        return text in accepted
    if key.type == "list":
        return sorted(text.split(", ")) == sorted(", ".join(accepted).split(", "))
    return any(item in text for item in accepted)


def summarize(rows: pd.DataFrame) -> pd.DataFrame:
    """Sum up rows of `run` with the article's columns.

    Parameters
    ----------
    rows : DataFrame

    Returns
    -------
    DataFrame
        One row per memory, in the order of the rows: `questions`, `correct`, `accuracy`
        (share), `low` and `high` (its 95 % Wilson interval), mean, median, least, most and
        total `tokens` per question, then `accuracy_TYPE` for each type of question.

    Raises
    ------
    ConversationError
        There is no row: no turn asked a question.
    """
    if rows.empty:
        raise ConversationError("no turn of these conversations asks a question")
    groups = rows.groupby("memory", sort=False)
    summary = groups.agg(
        questions=("correct", "size"),
        correct=("correct", "sum"),
        accuracy=("correct", "mean"),
    )
    intervals = [
        binomtest(correct, n).proportion_ci(method="wilson")
        for correct, n in zip(summary["correct"], summary["questions"], strict=True)
    ]
    summary["low"] = [interval.low for interval in intervals]
    summary["high"] = [interval.high for interval in intervals]
    tokens = groups["tokens"].agg(["mean", "median", "min", "max", "sum"])
    by_type = rows.pivot_table("correct", "memory", "type", sort=False)
    return summary.join(tokens.add_prefix("tokens_")).join(by_type.add_prefix("accuracy_"))


def places(rows: pd.DataFrame) -> pd.Series:
    """Number the questions of each conversation, from 0, as every memory was asked them.

    The text of a question does not tell it from another: it may be asked again.
    """
    return rows.groupby(["conversation", "memory"]).cumcount()


def answer_keys(rows: pd.DataFrame, conversations: Iterable[Conversation]) -> list[AnswerKey]:
    """The answer key of each row of `run` over these conversations."""
    keys = {
        (conversation.name, place): turn.question
        for conversation in conversations
        for place, turn in enumerate(turn for turn in conversation.turns if turn.question)
    }
    return [keys[key] for key in zip(rows["conversation"], places(rows), strict=True)]


def compare(rows: pd.DataFrame, memory: str) -> pd.DataFrame:
    """Compare a memory with each other one on the questions that both were asked.

    Parameters
    ----------
    rows : DataFrame
        As `run` returns it.
    memory : str
        The one to compare with all others.

    Returns
    -------
    DataFrame
        One row per other memory: questions that `only_this` and `only_other` answered
        correctly, and `p`, how likely so uneven a split is by chance (two-sided, McNemar's
        exact test).
    """
    correct = rows.assign(place=places(rows)).pivot_table(
        "correct", ["conversation", "place"], "memory", aggfunc="min", sort=False
    )
    table = pd.DataFrame(
        {
            other: {
                "only_this": (both[memory] & ~both[other]).sum(),
                "only_other": (~both[memory] & both[other]).sum(),
            }
            for other in correct.columns.drop(memory)
            for both in [correct[[memory, other]].dropna().astype(bool)]
        }
    ).T
    table["p"] = [
        binomtest(row.only_this, row.only_this + row.only_other).pvalue if row.sum() else 1.0
        for _, row in table.iterrows()
    ]
    return table.rename_axis("other")

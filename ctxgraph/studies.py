"""What the temporal graph's two settings cost: its threshold, and the bound on its size."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import pandas as pd
from tqdm import tqdm

from ctxgraph.benchmark import ask, grade, run
from ctxgraph.cases import Case, run_cases
from ctxgraph.conversation import Conversation, Turn, Vocabulary
from ctxgraph.memories import UNKNOWN, TemporalGraph
from ctxgraph.memories.temporal_graph import AMBIGUOUS


def thresholds(
    cases: Iterable[Case], conversations: Iterable[Conversation], at: Iterable[float]
) -> pd.DataFrame:
    """Ask all cases and all questions of conversations with each threshold.

    Parameters
    ----------
    cases : iterable of Case
    conversations : iterable of Conversation
        Questions of type `unanswerable` are those to refuse.
    at : iterable of float
        Thresholds, between 0 and 1.

    Returns
    -------
    DataFrame
        One row per threshold: `threshold`; of the questions that have no one answer, the share
        `refused` (not answered with any one); of the others, the shares `right`, `wrong` and
        `lost` (to UNKNOWN).
    """
    cases, conversations, rows = list(cases), list(conversations), []
    for threshold in tqdm(list(at), desc="thresholds", disable=None):
        asked = run(conversations, {"graph": partial(TemporalGraph, threshold=threshold)})
        asked = asked.assign(refused=asked["type"] == "unanswerable", right=asked["correct"])
        columns = ["answer", "refused", "right"]
        table = pd.concat([run_cases(cases, threshold)[columns], asked[columns]])
        said = table["answer"] != UNKNOWN
        open_, answerable = table["refused"], ~table["refused"]
        guessed = said & ~table["answer"].str.startswith(AMBIGUOUS)
        rows.append(
            {
                "threshold": threshold,
                "refused": 1 - guessed[open_].mean(),
                "right": table["right"][answerable].mean(),
                "wrong": (said & ~table["right"])[answerable].mean(),
                "lost": (~said)[answerable].mean(),
            }
        )
    return pd.DataFrame(rows)


def pruning(conversations: Iterable[Conversation], bounds: Iterable[int]) -> pd.DataFrame:
    """Prune a memory of all conversations to so many entities at each question.

    Parameters
    ----------
    conversations : iterable of Conversation
        Taken in one after the other, as one long conversation.
    bounds : iterable of int
        Entities to keep.

    Returns
    -------
    DataFrame
        One row per bound: `entities`, `facts` (the most held at a time), `lost` (facts that
        still held when they were pruned); of the questions the shares `correct` and `unknown`.
    """
    conversations = list(conversations)
    talk = _joined(conversations)
    rows = []
    for bound in tqdm(list(bounds), desc="bounds", disable=None):
        memory = TemporalGraph(talk.vocabulary)
        facts, lost, right, unknown = 0, 0, [], []
        for turn, answer in ask(talk, _Pruned(memory, bound, losses := [])):
            facts = max(facts, len(memory.facts.holding()))
            lost = sum(losses)
            right.append(grade(answer, turn.question))
            unknown.append(answer.text == UNKNOWN)
        rows.append(
            {
                "entities": bound,
                "facts": facts,
                "lost": lost,
                "correct": sum(right) / len(right),
                "unknown": sum(unknown) / len(unknown),
            }
        )
    return pd.DataFrame(rows)


class _Pruned:
    """A temporal graph that is pruned after each turn."""

    def __init__(self, memory: TemporalGraph, entities: int, losses: list[int]) -> None:
        self.memory, self.entities, self.losses = memory, entities, losses
        self.answer = memory.answer

    def ingest(self, turn: Turn) -> None:
        self.memory.ingest(turn)
        if turn.fact and len(self.memory.graph) > self.entities:
            self.losses.append(self.memory.prune(entities=self.entities).current)


def _joined(conversations: list[Conversation]) -> Conversation:
    turns: list[Turn] = []
    for conversation in conversations:
        first = len(turns)
        turns += [
            turn.model_copy(update={"number": first + turn.number}) for turn in conversation.turns
        ]
    vocabularies = [conversation.vocabulary for conversation in conversations]
    vocabulary = Vocabulary(
        aliases={k: v for one in vocabularies for k, v in one.aliases.items()},
        functional=tuple(dict.fromkeys(name for one in vocabularies for name in one.functional)),
    )
    return Conversation("all", tuple(turns), vocabulary)

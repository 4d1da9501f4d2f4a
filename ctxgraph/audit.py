"""The benchmark audited: what of a result is memory, what reader, grader or label."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import networkx as nx
import pandas as pd
from tqdm import tqdm

from ctxgraph.benchmark import answer_keys, ask, grade, run
from ctxgraph.conversation import Conversation
from ctxgraph.memories import Answer, ContextGraph, MakeMemory, VectorRAG

ROUTES = {"given": "labelled", "hidden": "direct", "always join": "join", "guessed": "guessed"}
OUTCOMES = (
    "right",
    "right, told the type",
    "right, evidence missing",
    "lost by the grader",
    "lost by the reader",
    "lost by the memory",
)


def regrade(rows: pd.DataFrame, conversations: Iterable[Conversation]) -> pd.DataFrame:
    """Grade rows again, accepting the same value in other words.

    Parameters
    ----------
    rows : DataFrame
        As `ctxgraph.benchmark.run` returns it for these conversations.
    conversations : iterable of Conversation
        Their answer keys say what else is accepted (`also`) and why.

    Returns
    -------
    DataFrame
        The rows with `fair` (correct under this grader) and `reason` (why, where only this
        grader accepts the answer; empty elsewhere).
    """
    reasons = []
    for row, key in zip(rows.itertuples(), answer_keys(rows, conversations), strict=True):
        said = (why for phrase, why in key.also.items() if phrase.lower() in row.answer.lower())
        reasons.append("" if row.correct else next(said, ""))
    regraded = rows.assign(reason=reasons)
    return regraded.assign(fair=rows["correct"] | (regraded["reason"] != ""))


def attribute(regraded: pd.DataFrame, unlabelled: pd.DataFrame) -> pd.Series:
    """Say of each answer what it is owed to, or what it was lost by.

    Parameters
    ----------
    regraded : DataFrame
        As `regrade` returns it.
    unlabelled : DataFrame
        The same questions asked of the same memories with no type told, row by row.

    Returns
    -------
    Series
        One of `OUTCOMES` for each row. *Lost by the memory*: the context lacks a needed
        fact. *Lost by the reader*: it holds all, and the answer is another. *Lost by the
        grader*: the answer is right in other words.
    """

    def outcome(row: pd.Series, without_label: bool) -> str:
        if row["correct"]:
            if not without_label:
                return OUTCOMES[1]
            return OUTCOMES[2] if row["sufficient"] is False else OUTCOMES[0]
        if row["fair"]:
            return OUTCOMES[3]
        return OUTCOMES[5] if row["sufficient"] is False else OUTCOMES[4]

    answers = regraded.astype({"sufficient": object}).iterrows()
    outcomes = [
        outcome(row, right) for (_, row), right in zip(answers, unlabelled["correct"], strict=True)
    ]
    kind = pd.CategoricalDtype(OUTCOMES, ordered=True)
    return pd.Series(outcomes, regraded.index, dtype=kind, name="outcome")


def at_k(conversations: Iterable[Conversation], ks: Iterable[int]) -> pd.DataFrame:
    """Ask vector search every question with the k most similar turns as context.

    Parameters
    ----------
    conversations : iterable of Conversation
    ks : iterable of int

    Returns
    -------
    DataFrame
        The rows of `ctxgraph.benchmark.run`, with `k` (turns).
    """
    conversations = list(conversations)
    return pd.concat(
        [
            run(conversations, {"vector_rag": partial(VectorRAG, top_k=k)}).assign(k=k)
            for k in tqdm(list(ks), desc="k", disable=None)
        ],
        ignore_index=True,
    )


def routes() -> dict[str, MakeMemory]:
    """The context graph with the question's type given, hidden, always join, and guessed."""
    return {name: partial(ContextGraph, route=route) for name, route in ROUTES.items()}


def hops(conversations: Iterable[Conversation]) -> pd.DataFrame:
    """Count the edges between what a question names and its accepted answer.

    Parameters
    ----------
    conversations : iterable of Conversation

    Returns
    -------
    DataFrame
        One row per question: `conversation`, `question`, `type`, `hops` (edges in either
        direction, at the time of the question; missing where it names no entity).
    """
    rows = []
    for conversation in conversations:
        memory = ContextGraph(conversation.vocabulary)
        for turn, _ in ask(conversation, memory):
            graph = memory.graph.to_undirected()
            named = memory.entities_named(turn.text)
            targets = [node for node in graph if grade(Answer(node), turn.question)]
            lengths = [
                nx.shortest_path_length(graph, entity, target)
                for entity in named
                for target in targets
                if nx.has_path(graph, entity, target)
            ]
            rows.append(
                {
                    "conversation": conversation.name,
                    "question": turn.text,
                    "type": turn.question.type,
                    "hops": min(lengths, default=None),
                }
            )
    return pd.DataFrame(rows).astype({"hops": "Int64"})

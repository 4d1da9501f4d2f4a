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
    """Prune a memory of all conversations to so many entities after each fact.

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
        right, unknown = [], []
        pruned = _Pruned(memory, bound)
        for turn, answer in ask(talk, pruned):
            right.append(grade(answer, turn.question))
            unknown.append(answer.text == UNKNOWN)
        rows.append(
            {
                "entities": bound,
                "facts": pruned.most,
                "lost": pruned.lost,
                "correct": sum(right) / len(right),
                "unknown": sum(unknown) / len(unknown),
            }
        )
    return pd.DataFrame(rows)


class _Pruned:
    """A temporal graph that is pruned after each fact; it counts what it held and lost."""

    def __init__(self, memory: TemporalGraph, entities: int) -> None:
        self.memory, self.entities = memory, entities
        self.most = self.lost = 0
        self.answer = memory.answer

    def ingest(self, turn: Turn) -> None:
        self.memory.ingest(turn)
        if turn.fact:
            self.lost += self.memory.prune(entities=self.entities).current
            self.most = max(self.most, len(self.memory.facts.holding()))


def _later(turn: Turn, by: int) -> Turn:
    fact = turn.fact
    if fact and fact.since is not None:
        fact = fact.model_copy(update={"since": fact.since + by})
    return turn.model_copy(update={"number": turn.number + by, "fact": fact})


def _joined(conversations: list[Conversation]) -> Conversation:
    turns: list[Turn] = []
    for conversation in conversations:
        first = len(turns)
        turns += [_later(turn, first) for turn in conversation.turns]
    vocabulary = Vocabulary()
    for conversation in conversations:
        vocabulary = vocabulary.extended(conversation.vocabulary)
    return Conversation("all", tuple(turns), vocabulary)

"""The price of one question as a conversation grows, its information held fixed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import cycle
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from ctxgraph.benchmark import run
from ctxgraph.conversation import Conversation, make_conversation
from ctxgraph.memories import MakeMemory

SIZES = (10, 50, 100, 200, 400, 800)

FACT = {
    "speaker": "Agent_A",
    "text": "Service_X deploys to the us-west-2 region for now.",
    "fact": {
        "id": "f_region",
        "subject": "Service_X",
        "predicate": "DEPLOYS_TO",
        "object": "us-west-2",
    },
}
FILLERS = (
    "The nightly build finished without a warning.",
    "Two pull requests still wait for a second look.",
    "Back at my desk after the weekly sync.",
    "Which of us takes notes next week?",
    "Backlog labels are tidied up for now.",
)
QUESTION = {
    "speaker": "Agent_C",
    "text": "Which cloud region does Service_X get deployed to?",
    "question": {"type": "distant", "needs": ["f_region"], "answers": ["us-west-2"]},
}


def grow(fillers: int, questions: int = 1) -> Conversation:
    """One fact, then filler turns that say nothing of it, and the question for it.

    Parameters
    ----------
    fillers : int
        Filler turns, out of a cycle of five.
    questions : int
        How often the question is asked: at even steps, the last time at the end.

    Returns
    -------
    Conversation
    """
    filler = cycle(FILLERS)
    lines: list[dict[str, Any]] = [FACT]
    done = 0
    for asked in range(1, questions + 1):
        upto = fillers * asked // questions
        lines += [{"speaker": "Agent_B", "text": next(filler)} for _ in range(upto - done)]
        lines.append(QUESTION)
        done = upto
    return make_conversation(f"{fillers} fillers", lines)


def measure(
    sizes: Iterable[int] = SIZES,
    memories: Mapping[str, MakeMemory] | None = None,
    questions: int = 1,
) -> pd.DataFrame:
    """Tokens of all questions at each size.

    Parameters
    ----------
    sizes : iterable of int
        Filler turns.
    memories : mapping of str to callable, optional
        As for `ctxgraph.benchmark.run`.
    questions : int
        Questions in each conversation.

    Returns
    -------
    DataFrame
        One row per size and memory: `fillers` (turns), `questions`, `memory`, `tokens`
        (summed over the questions), `correct` (share of the questions).

    Raises
    ------
    ValueError
        A size, or the number of questions, is less than 1.
    """
    sizes = list(sizes)
    if not sizes or min(sizes) < 1 or questions < 1:
        raise ValueError(f"sizes {sizes}, questions {questions}: all must be at least 1")
    tables = []
    for size in tqdm(sizes, desc="sizes", disable=None):
        rows = run([grow(size, questions)], memories)
        sums = rows.groupby("memory", sort=False).agg(
            tokens=("tokens", "sum"), correct=("correct", "mean")
        )
        tables.append(sums.reset_index().assign(fillers=size, questions=questions))
    columns = ["fillers", "questions", "memory", "tokens", "correct"]
    return pd.concat(tables, ignore_index=True)[columns]


def fit(table: pd.DataFrame) -> pd.DataFrame:
    """Fit a line through the tokens of each memory, and say how much they grew.

    Parameters
    ----------
    table : DataFrame
        As `measure` returns it, of at least two sizes.

    Returns
    -------
    DataFrame
        One row per memory: `tokens_per_filler` (slope), `fixed_tokens` (intercept),
        `growth` (tokens at the largest size over those at the smallest).

    Raises
    ------
    ValueError
        There are not two sizes.
    """
    if table["fillers"].nunique() < 2:
        raise ValueError("a line needs two sizes")
    sizes = table.pivot_table("tokens", "fillers", "memory", sort=False).sort_index()
    slope, intercept = np.polyfit(sizes.index, sizes.to_numpy(), 1)
    return pd.DataFrame(
        {
            "tokens_per_filler": slope.round(9) + 0.0,  # no -0.0
            "fixed_tokens": intercept,
            "growth": (sizes.iloc[-1] / sizes.iloc[0]).to_numpy(),
        },
        index=sizes.columns,
    )

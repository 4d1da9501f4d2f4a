"""Tables for people: the article's columns, its published figures beside the measured."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pandas as pd

from ctxgraph.conversation import DATA
from ctxgraph.memories import MEMORIES, Answer


def published() -> dict[str, Any]:
    """Load the figures that the article published, from data/article.json."""
    return json.loads((DATA / "article.json").read_text(encoding="utf-8"))


def title(memory: str) -> str:
    """The name of a memory for people; a memory that is not registered keeps its own."""
    return getattr(MEMORIES.get(memory), "title", memory)


def percentages(summary: pd.DataFrame) -> pd.DataFrame:
    """Cut a summary down to the article's columns, in its units.

    Parameters
    ----------
    summary : DataFrame
        As `ctxgraph.benchmark.summarize` returns it.

    Returns
    -------
    DataFrame
        One row per memory: `accuracy` (%), `tokens` (mean per question), then
        `accuracy_TYPE` (%) for each type of question.
    """
    table = summary.filter(regex="^accuracy") * 100
    table.insert(1, "tokens", summary["tokens_mean"])
    return table


def results_table(summary: pd.DataFrame, article: dict[str, Any] | None = None) -> pd.DataFrame:
    """Lay out a summary as the article's table, as text with one decimal.

    Parameters
    ----------
    summary : DataFrame
        As `ctxgraph.benchmark.summarize` returns it.
    article : dict, optional
        `published()["results"]`, to put the article's row under each measured one.

    Returns
    -------
    DataFrame
        One row per memory, or two with the article's.
    """
    measured = percentages(summary)
    rows = {"measured": measured}
    if article:
        known = [memory for memory in measured.index if memory in article]
        rows["article"] = pd.DataFrame(article).T.loc[known, measured.columns]
    table = pd.concat(rows).swaplevel()
    order = [(memory, kind) for memory in measured.index for kind in rows]
    table = table.loc[[key for key in order if key in table.index]]
    table = table.map(lambda value: "-" if pd.isna(value) else f"{value:.1f}")
    table.index = pd.MultiIndex.from_tuples(
        [(title(memory), kind) for memory, kind in table.index], names=["memory", ""]
    )
    names = {"accuracy": "accuracy %", "tokens": "tokens/question"}
    table.columns = [
        names.get(column, f"{column.removeprefix('accuracy_')} %") for column in table.columns
    ]
    return table if article else table.droplevel(1)


def contexts(answers: Mapping[str, Answer], most: int = 6) -> pd.DataFrame:
    """Put the contexts that memories would send for one question side by side.

    Parameters
    ----------
    answers : mapping of str to Answer
        By the memory's name.
    most : int
        Lines to show of each context; of a longer one the last.

    Returns
    -------
    DataFrame
        One column per memory, one row per line.
    """
    columns = {}
    for memory, answer in answers.items():
        left_out = len(answer.context) - most
        lines = list(answer.context[max(left_out, 0) :])
        columns[title(memory)] = [f"({left_out} lines before)", *lines] if left_out > 0 else lines
    return pd.DataFrame({name: pd.Series(lines) for name, lines in columns.items()}).fillna("")

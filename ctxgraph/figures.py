"""Figures: a DataFrame in, a matplotlib Figure out, one style for all."""

from __future__ import annotations

import functools
import io
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, ParamSpec

import matplotlib as mpl
import matplotlib.style
import numpy as np
import pandas as pd
from IPython.display import Image
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, LogLocator, MaxNLocator, NullLocator, StrMethodFormatter

from ctxgraph.facts import Held
from ctxgraph.memories import MEMORIES
from ctxgraph.tables import percentages, title

STYLE = Path(__file__).with_name("ctxgraph.mplstyle")
# Okabe and Ito's colours, told apart by colour-blind readers, with a marker each
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
MARKERS = ("o", "s", "D", "^", "v", "P", "X")
# Outcomes are no memories, so they take greys and hatches, none of the colours
OUTCOME_SHADES = (
    ("#5A5A5A", ""), ("#8C8C8C", "..."), ("#8C8C8C", "xxx"),
    ("#F2F2F2", "///"), ("#F2F2F2", "|||"), ("#FFFFFF", ""),
)  # fmt: skip
ARTICLE = {"marker": "D", "markersize": 7, "markerfacecolor": "white", "markeredgecolor": "black"}

Arguments = ParamSpec("Arguments")


def styled(draw: Callable[Arguments, Figure]) -> Callable[Arguments, Figure]:
    """Let a function draw in the project's style, without changing anybody else's."""

    @functools.wraps(draw)
    def in_style(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Figure:
        with mpl.style.context(STYLE, after_reset=True):
            return draw(*args, **kwargs)

    return in_style


def look(memory: str, memories: Iterable[str]) -> dict[str, Any]:
    """The colour and marker of a memory: fixed for registered ones, the next free for others."""
    others = [name for name in memories if name not in MEMORIES]
    place = [*MEMORIES, *others].index(memory)
    return {"color": COLOURS[place % len(COLOURS)], "marker": MARKERS[place % len(MARKERS)]}


def show(figure: Figure, name: str, folder: str | Path | None = None) -> Image:
    """Show a figure in a notebook, and write it as SVG and PNG where a folder is given.

    Parameters
    ----------
    figure : Figure
    name : str
        File name without ending.
    folder : str or Path, optional
        Made if it does not exist. The files are the same bytes at each run.

    Returns
    -------
    Image
    """
    picture = io.BytesIO()
    with mpl.style.context(STYLE, after_reset=True):
        FigureCanvasAgg(figure)
        figure.savefig(picture, format="png", metadata={"Software": None})
        if folder is not None:
            folder = Path(folder)
            folder.mkdir(parents=True, exist_ok=True)
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            (folder / f"{name}.png").write_bytes(picture.getvalue())
    return Image(picture.getvalue(), width=int(figure.get_figwidth() * 100))


@styled
def results(summary: pd.DataFrame, article: Mapping[str, Mapping[str, float]] | None) -> Figure:
    """Accuracy by type of question, and tokens per question, for each memory.

    Parameters
    ----------
    summary : DataFrame
        As `ctxgraph.benchmark.summarize` returns it.
    article : mapping or None
        `published()["results"]`, to mark the published value on each bar.
    """
    table = percentages(summary)
    groups = list(table.columns.drop("tokens"))
    wide = max(6.5, 1.6 * len(groups))
    figure = Figure(figsize=(wide + 3.5, 4))
    bars, costs = figure.subplots(1, 2, width_ratios=(wide, 2.8))
    width = 0.8 / len(table)
    for i, memory in enumerate(table.index):
        at = np.arange(len(groups)) + (i - (len(table) - 1) / 2) * width
        style = look(memory, table.index)
        values = table.loc[memory, groups].to_numpy(dtype=float)
        bars.bar(at, values, width * 0.92, color=style["color"], label=_plain(title(memory)))
        for x, value in zip(at, values, strict=True):
            inside = value > 8
            bars.annotate(
                "-" if np.isnan(value) else f"{value:.0f}", (x, 0), (0, 3),
                textcoords="offset points", ha="center", fontsize=min(9, 45 * width),
                weight="bold", color="white" if inside else style["color"],
            )  # fmt: skip
        costs.axhline(i, color=mpl.rcParams["grid.color"], linewidth=0.8, zorder=0)
        tokens = table.loc[memory, "tokens"]
        costs.plot(tokens, i, linestyle="none", markersize=13, **style)
        costs.annotate(
            f"{tokens:.1f}", (tokens, i), (0, 11), textcoords="offset points", ha="center"
        )
        if article and memory in article:
            known = [article[memory].get(group, np.nan) for group in groups]
            bars.plot(at, known, linestyle="none", **ARTICLE)
            costs.plot(article[memory]["tokens"], i, linestyle="none", **ARTICLE)
    kinds = [_plain(group.removeprefix("accuracy_").replace("_", " ")) for group in groups[1:]]
    labels = ["all questions", *(textwrap.fill(kind, 16) for kind in kinds)]
    bars.set_xticks(range(len(groups)), labels)
    bars.set(ylim=(0, 108), ylabel="answered correctly (%)", title="Accuracy")
    handles, labels = bars.get_legend_handles_labels()
    if article:
        handles.append(Line2D([], [], linestyle="none", **ARTICLE))
        labels.append("article")
    ncols = len(handles) if len(handles) <= 5 else 3
    figure.legend(handles, labels, loc="outside lower center", ncols=ncols)
    costs.set(xscale="log", ylim=(len(table) - 0.5, -0.6), yticks=[], title="Price of a question")
    costs.spines["left"].set_visible(False)  # rows, not values
    costs.set_xlabel("tokens per question (log scale)")
    costs.set_xlim(table["tokens"].min() / 2, table["tokens"].max() * 2)
    costs.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    _plain_log(costs, "x")
    return figure


@styled
def scaling(table: pd.DataFrame, article: Mapping[str, Any] | None) -> Figure:
    """Tokens of one question against the number of filler turns.

    Parameters
    ----------
    table : DataFrame
        As `ctxgraph.scaling.measure` returns it.
    article : mapping or None
        `published()["scaling"]`, to mark the published values.
    """
    figure = Figure(figsize=(8, 4.2))
    axes = figure.subplots()
    _lines(axes, table, "fillers")
    if article:
        known = [name for name in article["tokens"] if (table["memory"] == name).any()]
        for tokens in (article["tokens"][name] for name in known):
            axes.plot(article["fillers"], tokens, linestyle="none", **ARTICLE, zorder=3)
        axes.plot([], [], linestyle="none", **ARTICLE, label="article")
    figure.legend(loc="outside lower center", ncols=3)
    axes.set(xlabel="filler turns (log scale)", ylabel="tokens per question (log scale)")
    axes.set_title("What one question costs as the conversation grows")
    return figure


@styled
def total_cost(table: pd.DataFrame) -> Figure:
    """Tokens summed over a conversation's questions, against their number.

    Parameters
    ----------
    table : DataFrame
        As `ctxgraph.scaling.measure` returns it, of several numbers of questions.
    """
    figure = Figure(figsize=(8, 4.2))
    axes = figure.subplots()
    _lines(axes, table, "questions")
    figure.legend(loc="outside lower center", ncols=2)
    axes.set(xlabel="questions asked (log scale)", ylabel="tokens in all (log scale)")
    axes.set_title("What a whole conversation costs")
    return figure


@styled
def outcomes(counts: pd.DataFrame) -> Figure:
    """What the answers of each memory are owed to, or were lost by.

    Parameters
    ----------
    counts : DataFrame
        Answers: one row per memory, one column per outcome.
    """
    figure = Figure(figsize=(10, 0.8 + 0.75 * len(counts)))
    axes = figure.subplots()
    left = np.zeros(len(counts))
    for outcome, shade in zip(counts, OUTCOME_SHADES, strict=True):
        values = counts[outcome].to_numpy()
        if not values.any():
            continue
        bars = axes.barh(
            range(len(counts)), values, left=left, color=shade[0], edgecolor="black",
            linewidth=0.8, hatch=shade[1], label=outcome,
        )  # fmt: skip
        box = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none"}
        axes.bar_label(
            bars, [f"{value}" if value else "" for value in values], label_type="center",
            bbox=box, fontsize=10,
        )  # fmt: skip
        left += values
    axes.set_yticks(range(len(counts)), [_plain(title(memory)) for memory in counts.index])
    axes.invert_yaxis()
    axes.set(xlabel="questions", title="What the answers are owed to, or were lost by")
    figure.legend(loc="outside lower center", ncols=3)
    return figure


@styled
def evidence(by_k: pd.DataFrame, summary: pd.DataFrame) -> Figure:
    """Needed facts found against the turns sent, and the price of a sufficient context.

    Parameters
    ----------
    by_k : DataFrame
        As `ctxgraph.audit.at_k` returns it.
    summary : DataFrame
        Means of the other memories: one row each, with `sufficient` (share) and `tokens`.
    """
    figure = Figure(figsize=(10, 4))
    recall, price = figure.subplots(1, 2)
    colour = look("vector_rag", [])["color"]
    styles = zip(cycle(("-", "--", ":", "-.")), cycle(MARKERS))
    for kind, (line, marker) in zip(by_k["type"].unique(), styles, strict=False):
        means = by_k[by_k["type"] == kind].groupby("k")["recall"].mean() * 100
        recall.plot(means, line, marker=marker, markersize=5, color=colour, label=_plain(kind))
    recall.set(xlabel="turns sent, k", ylabel="needed facts among them (%)", ylim=(0, 105))
    recall.set_title("Evidence recall of vector search")
    recall.xaxis.set_major_locator(MaxNLocator(integer=True))
    recall.legend(title="question")
    curve = by_k.groupby("k")[["tokens", "sufficient"]].mean()
    vector = {"color": colour, "marker": "s", "markersize": 4, "label": title("vector_rag")}
    price.plot(curve["tokens"], curve["sufficient"] * 100, **vector)
    for k in (curve.index.min(), curve.index.max()):
        at = (curve.loc[k, "tokens"], curve.loc[k, "sufficient"] * 100)
        price.annotate(f"k = {k}", at, (6, -14), textcoords="offset points", color=colour)
    for memory, row in summary.iterrows():
        style = look(memory, summary.index)
        at = (row["tokens"], row["sufficient"] * 100)
        label = _plain(title(memory))
        price.plot(*at, linestyle="none", markersize=10, label=label, **style)
    price.set(xscale="log", xlabel="tokens per question (log scale)", ylim=(0, 105))
    price.set_ylabel("contexts drawn from all needed facts (%)")
    price.set_title("The price of a sufficient context")
    price.legend(loc="lower right")
    price.margins(x=0.25)
    price.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    _plain_log(price, "x")
    return figure


@styled
def latency(table: pd.DataFrame) -> Figure:
    """Ingest and question time against size: as in the article, and here.

    Parameters
    ----------
    table : DataFrame
        As `ctxgraph.latency.compare` returns it.
    """
    figure = Figure(figsize=(10, 4.6))
    for axes, what in zip(figure.subplots(1, 2, sharey=True), ("ingest", "question"), strict=True):
        for (memory, behaviour), line in table.groupby(["memory", "behaviour"], sort=False):
            style = look(memory, [])
            if behaviour == "article":
                style |= {"linestyle": "--", "markerfacecolor": "white"}
            label = f"{title(memory)}, {'as in the article' if behaviour == 'article' else 'here'}"
            axes.plot(line["size"], line[what] * 1e3, label=label, **style)
        axes.set(xscale="log", yscale="log", xlabel="facts stored (log scale)")
        axes.set_title({"ingest": "Taking in a fact", "question": "Answering a question"}[what])
        axes.grid(visible=True, axis="y")
        _plain_log(axes, "x")
    figure.axes[0].set_ylabel("milliseconds (log scale)")
    figure.axes[0].yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure


@styled
def timeline(history: Sequence[Held], last: int) -> Figure:
    """The facts of an entity as bars over the turns at which they held.

    Parameters
    ----------
    history : sequence of Held
        As `FactLog.history` lists them.
    last : int
        The turn at which the picture ends; facts that go on end in an arrow behind it.
    """
    figure = Figure(figsize=(9, 1.2 + 0.42 * len(history)))
    axes = figure.subplots()
    colour = look("temporal_graph", [])["color"]
    for row, held in enumerate(history):
        end = last + 0.5 if held.until is None else held.until
        axes.barh(row, end - held.since, left=held.since, height=0.55, color=colour)
        if held.until is None:
            axes.plot(end, row, ">", color=colour, markersize=11)
        axes.plot(held.entry.turn, row, "v", color="black", markersize=8, zorder=3)
        if held.ended is not None:
            axes.plot(held.ended, row, "x", color="black", markersize=8, zorder=3)
    labels = [f"{held.entry.predicate} {held.entry.object}" for held in history]
    axes.set_yticks(range(len(history)), [_plain(label) for label in labels])
    axes.invert_yaxis()
    axes.set(xlabel="turn", xlim=(0.5, last + 1))
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title("When each fact held, and when that was learned")
    marks = [
        Line2D([], [], color=colour, linewidth=8, label="held"),
        Line2D([], [], marker="v", linestyle="none", color="black", label="stated"),
        Line2D([], [], marker="x", linestyle="none", color="black", label="end learned"),
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=3)
    return figure


@styled
def thresholds(table: pd.DataFrame, chosen: float) -> Figure:
    """What is guessed, answered wrongly and lost, over the threshold.

    Parameters
    ----------
    table : DataFrame
        As `ctxgraph.studies.thresholds` returns it.
    chosen : float
        The threshold in use, to be marked.
    """
    figure = Figure(figsize=(8, 3.8))
    axes = figure.subplots()
    colour = look("temporal_graph", [])["color"]
    lines = {"to be refused, guessed": (1 - table["refused"], "-", colour),
             "to be answered, lost": (table["lost"], "--", "black"),
             "to be answered, wrong": (table["wrong"], ":", "black")}  # fmt: skip
    for label, (share, line, shade) in lines.items():
        axes.plot(table["threshold"], share * 100, line, color=shade, label=label, clip_on=False)
    axes.axvline(chosen, color="#777777", linestyle=":", linewidth=1.5)
    top = axes.get_ylim()[1]
    axes.annotate("in use", (chosen, top / 2), (6, 0), textcoords="offset points", color="#555555")
    axes.set(xlabel="threshold", ylabel="share of such questions (%)", ylim=(0, top))
    axes.set_title("What a low threshold guesses, and what a strict one loses")
    figure.legend(loc="outside lower center", ncols=3)
    return figure


@styled
def pruning(table: pd.DataFrame) -> Figure:
    """Accuracy against the number of entities kept.

    Parameters
    ----------
    table : DataFrame
        As `ctxgraph.studies.pruning` returns it.
    """
    figure = Figure(figsize=(8, 3.4))
    axes = figure.subplots()
    style = look("temporal_graph", [])
    axes.plot(table["entities"], table["correct"] * 100, **style)
    axes.set(xlabel="entities kept", ylabel="answered correctly (%)", ylim=(0, 105))
    axes.set_title("Accuracy against the size of the memory")
    return figure


@styled
def persistence(times: pd.DataFrame) -> Figure:
    """Time to write a fact and to ask for one, by where facts are kept.

    Parameters
    ----------
    times : DataFrame
        Indexed by where: `write` and `ask`, in seconds.
    """
    figure = Figure(figsize=(8, 1.4 + 0.55 * len(times)))
    axes = figure.subplots()
    looks = {"write": ("s", "black", "write a fact"), "ask": ("o", "white", "ask for one")}
    for column, (marker, face, label) in looks.items():
        axes.plot(
            times[column] * 1e3, range(len(times)), marker, color="black",
            markerfacecolor=face, markersize=10, label=label,
        )  # fmt: skip
    axes.set_yticks(range(len(times)), list(times.index))
    axes.set(xscale="log", ylim=(len(times) - 0.5, -0.5), xlabel="milliseconds (log scale)")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.grid(visible=True, axis="x")
    axes.set_title("What keeping facts costs")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def _lines(axes: Axes, table: pd.DataFrame, x: str) -> None:
    memories = list(table["memory"].unique())
    for memory in memories:
        line = table[table["memory"] == memory].sort_values(x)
        label = _plain(title(memory))
        axes.plot(line[x], line["tokens"], label=label, **look(memory, memories))
    axes.set(xscale="log", yscale="log")
    axes.grid(visible=True, axis="y")
    axes.xaxis.set_major_locator(FixedLocator(sorted(table[x].unique())))
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    _plain_log(axes, "x")
    _plain_log(axes, "y")


def _plain_log(axes: Axes, which: str) -> None:
    axis = getattr(axes, f"{which}axis")
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.set_minor_locator(NullLocator())


def _plain(text: str) -> str:
    return text.replace("$", r"\$")  # else matplotlib reads it as mathematics

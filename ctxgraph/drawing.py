"""The picture of a small graph of facts."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import networkx as nx
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from ctxgraph.facts import Held
from ctxgraph.figures import COLOURS, styled

BOX = {"boxstyle": "round,pad=0.3", "facecolor": "#D9F0E7", "edgecolor": COLOURS[2]}
CENTRED = {"ha": "center", "va": "center", "parse_math": False}
COLUMN, MARGIN = 4.2, 1.4  # inches
BEND = 0.3  # of an arrow that leads back to the left


@styled
def graph(facts: nx.MultiDiGraph) -> Figure:
    """The graph of facts, from left to right: subjects, then what they point at.

    Parameters
    ----------
    facts : MultiDiGraph
        Edges with a `predicate`, and the `turn` that stated it if it is to be shown; a few
        dozen at the most can be read. Nodes that no edge holds are left out.

    Returns
    -------
    Figure
    """
    facts = facts.edge_subgraph(facts.edges(keys=True))
    at = _places(facts)
    columns = 1 + max((x for x, _ in at.values()), default=0)
    rows = 1 + max((abs(y) for _, y in at.values()), default=0) * 2
    texts = {node: textwrap.fill(node, 30) for node in at}
    lines = max((text.count("\n") + 1 for text in texts.values()), default=1)
    height = rows * max(0.8, 0.2 * lines + 0.2)
    figure = Figure(figsize=(COLUMN * (columns - 1) + 2 * MARGIN, height + 0.3))
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set_axis_off()
    side = MARGIN / COLUMN
    axes.set(xlim=(-side, columns - 1 + side), ylim=(-rows / 2, rows / 2))
    nodes = {
        node: axes.text(*at[node], text, size=10.5, bbox=BOX, zorder=3, **CENTRED)
        for node, text in texts.items()
    }
    figure.draw_without_rendering()  # the boxes get the size at which the arrows end

    labels: dict[tuple[str, str], list[str]] = {}
    for subject, object_, edge in facts.edges(data=True):
        turn = f", turn {edge['turn']}" if "turn" in edge else ""
        labels.setdefault((subject, object_), []).append(f"{edge['predicate']}{turn}")
    placed = list(nodes.values())
    for (subject, object_), predicates in labels.items():
        (x0, _), (x1, _) = at[subject], at[object_]
        bend = 0.0 if x0 < x1 else BEND
        if subject != object_:
            _arrow(axes, nodes[subject], nodes[object_], bend)
        text = (
            "\n".join(predicates) if subject != object_ else "to itself: " + ", ".join(predicates)
        )
        placed.append(_label(axes, text, at[subject], at[object_], bend, placed))
    return figure


def path(facts: Iterable[Held]) -> Figure:
    """The facts on an answer's path, as `Traced.path` holds them."""
    walked = nx.MultiDiGraph()
    for held in facts:
        entry = held.entry
        said = {"predicate": entry.predicate, "turn": entry.turn}
        walked.add_edge(entry.subject, entry.object, entry.number, **said)
    return graph(walked)


def _places(facts: nx.MultiDiGraph) -> dict[str, tuple[float, float]]:
    forward = nx.DiGraph()
    forward.add_nodes_from(facts)
    for subject, object_ in facts.edges():
        if not nx.has_path(forward, object_, subject):  # else it leads back
            forward.add_edge(subject, object_)
    at: dict[str, tuple[float, float]] = {}
    for x, column in enumerate(nx.topological_generations(forward)):
        # beside what points at them, so that few arrows cross
        heights = [np.mean([at[node][1] for node in forward.pred[name]] or [0]) for name in column]
        order = np.argsort(-np.array(heights), kind="stable")
        for i, place in enumerate(order):
            at[column[place]] = (x, (len(column) - 1) / 2 - i)
    return at


def _arrow(axes: Axes, start: Text, end: Text, bend: float) -> None:
    style = {
        "arrowstyle": "-|>",
        "color": "#777777",
        "linewidth": 1.3,
        "connectionstyle": f"arc3,rad={bend}",
        "patchA": start.get_bbox_patch(),
        "patchB": end.get_bbox_patch(),
    }
    ends = end.get_position(), start.get_position()
    axes.annotate("", *ends, annotation_clip=False, arrowprops=style, zorder=1)


def _label(
    axes: Axes,
    text: str,
    start: tuple[float, float],
    end: tuple[float, float],
    bend: float,
    placed: list[Text],
) -> Text:
    box = {"pad": 1, "facecolor": "white", "edgecolor": "none"}
    label = axes.text(0, 0, text, size=8.5, bbox=box, zorder=2, **CENTRED)
    taken = [other.get_window_extent() for other in placed]
    (x0, y0), (x1, y1) = axes.transData.transform([start, end])
    control = (x0 + x1) / 2 + bend * (y1 - y0), (y0 + y1) / 2 - bend * (x1 - x0)
    for share in (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74):
        # the point of the arrow's curve, a parabola, at this share of its way
        weights = (1 - share) ** 2, 2 * share * (1 - share), share**2
        point = np.dot(weights, [(x0, y0), control, (x1, y1)])
        for shift in (0.0,) if start != end else (-24.0, 24.0, -40.0):
            label.set_position(axes.transData.inverted().transform(point + np.array([0, shift])))
            extent = label.get_window_extent()
            if not any(extent.overlaps(other) for other in taken):
                return label
    return label

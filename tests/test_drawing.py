from itertools import combinations

import networkx as nx
import pytest

from ctxgraph import figures
from ctxgraph.conversation import Question, read_conversations
from ctxgraph.drawing import graph, path
from ctxgraph.figures import show
from ctxgraph.memories import TemporalGraph

FANS = [("A", f"a{i}") for i in range(4)] + [("B", f"b{i}") for i in range(2)] + [("A", "b0")]


def facts(edges):
    graph = nx.MultiDiGraph()
    for subject, object_ in edges:
        graph.add_edge(subject, object_, predicate="HAS_$P")
    return graph


@pytest.mark.parametrize(
    "edges",
    [
        [],
        [("A", "A")],
        [("A", "B"), ("B", "A"), ("B", "C"), ("C", "A"), ("A", "C")],
        [("$x$", "b\nc"), ("$x$", "long " * 40)],
        FANS,
        [("Banquet", "Venison"), ("Halibut", "Nordfisk")],
    ],
)
def test_any_graph_is_drawn_with_all_its_labels_apart(edges):
    figure = graph(facts(edges))
    assert show(figure, "graph").data
    texts = [text for text in figure.axes[0].texts if text.get_text()]
    assert len(texts) == len({node for edge in edges for node in edge}) + len(edges)
    extents = [text.get_window_extent() for text in texts]
    assert not any(one.overlaps(other) for one, other in combinations(extents, 2))


def test_a_path_is_drawn_from_the_facts_of_an_answer():
    memory = TemporalGraph()
    talk = read_conversations()[0]
    memory.ingest_all(talk.turns)
    text = "Who owns the dataset that Pipeline_Daily depends on?"
    answer = memory.answer(Question(number=99, speaker="A", text=text))
    drawn = {text.get_text().partition(",")[0] for text in path(answer.path).axes[0].texts}
    assert {"Pipeline_Daily", "DEPENDS_ON", "Upstream_Orders", "OWNED_BY"} <= drawn


def test_the_style_does_not_leak():
    before = dict(figures.mpl.rcParams)
    graph(facts(FANS))
    assert dict(figures.mpl.rcParams) == before

"""Context graph: store decisions as a graph of entities, walk it at a question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import networkx as nx

from ctxgraph.conversation import Question, Turn, Vocabulary
from ctxgraph.memories.base import UNKNOWN, Answer
from ctxgraph.text import key_terms


class ContextGraph:
    """The article's architecture 3, with its two fixes and its faults.

    Only facts are stored. A question is matched to the entities whose name or alias it
    contains, and answered with the far end of the edge, or of the second edge of a join,
    whose predicate shares most key terms with it.

    Parameters
    ----------
    vocabulary : Vocabulary, optional
        Its `aliases` say which phrases stand for which entity.
    aliases : bool
        False is the article's bug 1: a phrase that is no entity's name finds nothing.
    supersede : bool
        True drops the older facts of the same subject and predicate, whatever the
        predicate; False is the article's bug 2: stale facts stay.
    route : {"labelled", "direct", "join"}
        Whether a question is answered by one edge or by two: told by its label, as in the
        article, or always the same.
    """

    title = "Context graph"

    def __init__(
        self,
        vocabulary: Vocabulary | None = None,
        *,
        aliases: bool = True,
        supersede: bool = True,
        route: Literal["labelled", "direct", "join"] = "labelled",
    ) -> None:
        self.graph = nx.MultiDiGraph()
        self.supersede = supersede
        self.route = route
        self.reads_label = route == "labelled"
        self._aliases = dict(vocabulary.aliases) if vocabulary and aliases else {}

    def ingest(self, turn: Turn) -> None:
        """Store the turn's fact; a turn without one is not stored."""
        fact = turn.fact
        if fact is None:
            return
        self.graph.add_nodes_from((fact.subject, fact.object))
        if self.supersede:
            # the article's scan over every edge
            stale = [
                (subject, object_, key)
                for subject, object_, key, predicate in self.graph.edges(
                    keys=True, data="predicate"
                )
                if subject == fact.subject and predicate == fact.predicate
            ]
            self.graph.remove_edges_from(stale)
        self.graph.add_edge(
            fact.subject,
            fact.object,
            predicate=fact.predicate,
            fact_id=fact.id,
            turn=turn.number,
        )

    def answer(self, question: Question) -> Answer:
        """Answer with an entity; `UNKNOWN` where no entity is named or no edge found."""
        asked = key_terms(question.text)
        is_join = self.route == "join" or question.label == "join"
        paths = self._two_hops if is_join else self._one_hop
        best_score, text, sources = -1, UNKNOWN, ()
        for entity in self.entities_named(question.text):
            for target, edges in paths(entity):
                score = len(asked & key_terms(edges[-1]["predicate"].replace("_", " ")))
                if score > best_score:
                    best_score, text = score, target
                    sources = tuple(edge["turn"] for edge in edges)
        return Answer(text, (f"Matched facts: {text}",), sources)

    def entities_named(self, text: str) -> list[str]:
        """Entities whose name, or an alias of theirs, is a substring of the text."""
        text = text.lower()
        named = [entity for entity in self.graph if entity.lower() in text]
        named += [
            entity
            for phrase, entity in self._aliases.items()
            if phrase.lower() in text and entity in self.graph
        ]
        return list(dict.fromkeys(named))

    def _one_hop(self, entity: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        for neighbour, edge in self._neighbours(entity):
            yield neighbour, [edge]

    def _two_hops(self, entity: str) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        for middle, first in self._neighbours(entity):
            for _, target, second in self.graph.out_edges(middle, data=True):
                if target != entity:
                    yield target, [first, second]

    def _neighbours(self, entity: str) -> Iterator[tuple[str, dict[str, Any]]]:
        for _, neighbour, edge in self.graph.out_edges(entity, data=True):
            yield neighbour, edge
        for neighbour, _, edge in self.graph.in_edges(entity, data=True):
            yield neighbour, edge

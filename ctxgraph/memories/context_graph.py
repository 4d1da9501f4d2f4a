"""Context graph: store decisions as a graph of entities, walk it at a question."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

import networkx as nx

from ctxgraph.conversation import Question, Turn, Vocabulary
from ctxgraph.memories.base import UNKNOWN, Answer
from ctxgraph.names import NameIndex
from ctxgraph.text import RELATIVE, key_terms


class ContextGraph:
    """The article's architecture 3, with its two fixes and its faults.

    Only facts are stored. A question is matched to the entities that it names, by name or
    alias, and answered with the far end of the edge, or of the second edge of a join, whose
    predicate shares most key terms with it. Writing a fact looks at the edges of its own
    subject; a question costs by its length and the degree of the entities that it names.

    Parameters
    ----------
    vocabulary : Vocabulary, optional
        Its `aliases` say which phrases stand for which entity.
    aliases : bool
        False is the article's bug 1: a phrase that is no entity's name finds nothing.
    supersede : bool
        True drops the older facts of the same subject and predicate, whatever the
        predicate; False is the article's bug 2: stale facts stay.
    route : {"labelled", "direct", "join", "guessed"}
        Whether a question is answered by one edge or by two: told by its label, as in the
        article; always the same; or two where the question holds a relative clause.
    scan : bool
        True scans every edge at a write and every name at a question, as the article's
        program does; names then match as substrings, not as whole words.
    """

    title = "Context graph"

    def __init__(
        self,
        vocabulary: Vocabulary | None = None,
        *,
        aliases: bool = True,
        supersede: bool = True,
        route: Literal["labelled", "direct", "join", "guessed"] = "labelled",
        scan: bool = False,
    ) -> None:
        self.graph = nx.MultiDiGraph()
        self.supersede = supersede
        self.route = route
        self.scan = scan
        self.reads_label = route == "labelled"
        self._aliases = dict(vocabulary.aliases) if vocabulary and aliases else {}
        self._names = NameIndex()
        for phrase, entity in self._aliases.items():
            self._names.add(phrase, entity)

    def ingest(self, turn: Turn) -> None:
        """Store the turn's fact; a turn without one is not stored."""
        fact = turn.fact
        if fact is None:
            return
        for entity in (fact.subject, fact.object):
            if entity not in self.graph:
                self.graph.add_node(entity)
                self._names.add(entity, entity)
        if self.supersede:
            self.graph.remove_edges_from(self._stale(fact.subject, fact.predicate))
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
        paths = self._two_hops if self._is_join(question) else self._one_hop
        best_score, text, sources = -1, UNKNOWN, ()
        for entity in self.entities_named(question.text):
            for target, edges in paths(entity):
                score = len(asked & _predicate_terms(edges[-1]["predicate"]))
                if score > best_score:
                    best_score, text = score, target
                    sources = tuple(edge["turn"] for edge in edges)
        return Answer(text, (f"Matched facts: {text}",), sources)

    def entities_named(self, text: str) -> list[str]:
        """Entities whose name or alias stands in the text, in the order in which they do."""
        if not self.scan:
            return [name for name in self._names.find(text) if name in self.graph]
        text = text.lower()
        named = [entity for entity in self.graph if entity.lower() in text]
        named += [
            entity
            for phrase, entity in self._aliases.items()
            if phrase.lower() in text and entity in self.graph
        ]
        return list(dict.fromkeys(named))

    def _stale(self, subject: str, predicate: str) -> list[tuple[str, str, int]]:
        edges = self.graph.edges(None if self.scan else subject, keys=True, data="predicate")
        return [(s, o, key) for s, o, key, stored in edges if s == subject and stored == predicate]

    def _is_join(self, question: Question) -> bool:
        if self.route == "guessed":
            return RELATIVE.search(question.text) is not None
        return self.route == "join" or question.label == "join"

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


@cache
def _predicate_terms(predicate: str) -> frozenset[str]:
    return frozenset(key_terms(predicate.replace("_", " ")))

"""Temporal graph: needs no label, knows time, and says when it does not know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import networkx as nx

from ctxgraph.conversation import Question, Turn, Vocabulary
from ctxgraph.facts import Entry, FactLog, Held, View
from ctxgraph.language import Reader, Reading, introductions
from ctxgraph.memories.base import UNKNOWN, Answer
from ctxgraph.names import NameIndex
from ctxgraph.predicates import Predicate, Predicates
from ctxgraph.store import FactStore
from ctxgraph.walk import Ambiguous, BudgetSpent, Found, Walk, is_type, roots_of
from ctxgraph.words import plural, root, spellings, words_of

AMBIGUOUS = "AMBIGUOUS"
THRESHOLD = 0.6  # least fit of the weakest step of a path; studied in notebook 09
BUDGET = 10_000  # facts looked at for one question


@dataclass(frozen=True)
class Traced(Answer):
    """An answer with the facts on its path, in order, and a note where something is to be said."""

    path: tuple[Held, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Pruned:
    """What pruning lost: log entries, facts among them that still held, and entities."""

    entries: int
    current: int
    entities: int


class TemporalGraph:
    """A context graph that is asked with speaker and text alone.

    A question is read as a chain of relations that starts at a name or a description
    (`ctxgraph.language`), and walked along facts whose predicates say these relations. What
    holds when is kept by a log of facts (`ctxgraph.facts`).

    Parameters
    ----------
    vocabulary : Vocabulary, optional
        `aliases`, and the predicates that are `functional`.
    threshold : float
        Between 0 and 1. An answer whose path explains less of the question is not given.
    budget : int
        Facts looked at for one question, at the most; an answer that ran into it says so.
    """

    title = "Temporal graph"

    def __init__(
        self,
        vocabulary: Vocabulary | None = None,
        *,
        threshold: float = THRESHOLD,
        budget: int = BUDGET,
    ) -> None:
        self.vocabulary = vocabulary or Vocabulary()
        self.threshold = threshold
        self.budget = budget
        self._introduced: list[tuple[list[str], str]] = []
        self._store: FactStore | None = None
        self._read = 0  # rows of the store, by number
        self._latest = 0  # turn
        self._next = 0  # number of the next entry; none is given twice, after pruning either
        self._forget()

    @classmethod
    def open(
        cls,
        path: str | Path,
        conversation: str = "main",
        vocabulary: Vocabulary | None = None,
        **options: Any,
    ) -> TemporalGraph:
        """Open a graph that is kept in a file, and shared with all that open it.

        What is ingested is on the disk when the call returns; a question sees what every
        process has committed before it, but for a vocabulary, which is that of the time of
        opening. Also a context manager, which closes the file.

        Parameters
        ----------
        path, conversation, vocabulary
            As for `ctxgraph.store.FactStore`, which says what is raised.
        **options
            As for the class.
        """
        store = FactStore(path, conversation, vocabulary)
        memory = cls(store.vocabulary, **options)
        memory._store = store
        memory.refresh()
        return memory

    def __enter__(self) -> TemporalGraph:
        """Give itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the file."""
        self.close()

    def close(self) -> None:
        """Close the file that it was opened from, if any."""
        if self._store:
            self._store.close()

    def refresh(self) -> None:
        """Take in what others have committed to the file since."""
        for row in self._store.rows(self._read) if self._store else ():
            if row.entry:
                self.record(row.entry)
            self._learn(row.text)
            self._read = row.number

    def _forget(self) -> None:
        self.facts = FactLog(self.vocabulary.functional)
        self._names = NameIndex()
        self._pending: dict[str, set[str]] = defaultdict(set)
        self._predicates = Predicates()
        self._used: dict[str, int] = {}
        self._reader = Reader(self._spans, self._predicates, partial(is_type, self.facts))
        for phrase, entity in self.vocabulary.aliases.items():
            self._names.add_words(words_of(phrase), entity)

    @property
    def graph(self) -> nx.MultiDiGraph:
        """All facts, ended ones too, as `FactLog.graph`."""
        return self.facts.graph

    @property
    def next_turn(self) -> int:
        """The number behind the last turn taken in here, and the last in the file, if any."""
        self.refresh()
        return self._latest + 1

    # ---- writing

    def ingest(self, turn: Turn) -> None:
        """Take in a turn: the fact it states or retracts, and the names it introduces."""
        self.ingest_all([turn])

    def ingest_all(self, turns: Iterable[Turn]) -> None:
        """Take in turns; into a file all or none of them, and quicker than one by one."""
        turns = list(turns)
        self._latest = max(self._latest, *(turn.number for turn in turns), 0)
        if self._store:
            self._store.append(turns)
            self.refresh()
            return
        for turn in turns:
            if turn.fact:
                self.record(Entry.of(turn, self._next))
            self._learn(turn.text)

    def _learn(self, text: str) -> None:
        for before, alias in introductions(text):
            self._introduced.append((before, alias))
            self._introduce(before, alias)

    def record(self, entry: Entry) -> None:
        """Add an entry to the log."""
        self._next = max(self._next, entry.number + 1)
        self._latest = max(self._latest, entry.turn)
        for entity in (entry.subject, entry.object):
            if entity not in self.graph:
                self._add_names(entity)
            self._used[entity] = entry.turn
        if Predicate.of(entry.predicate).shape == "type" and words_of(entry.object):
            *first, last = words_of(entry.object)
            self._names.add_words([*first, plural(last)], entry.object)
        self._predicates.add(entry.predicate)
        self.facts.append(entry)

    def _add_names(self, entity: str) -> None:
        alike = {name for way in spellings(entity) for name in self._names.get(way)} - {entity}
        for other in sorted(name for name in alike if name in self.graph):
            note = f"{entity!r} is written like {other!r}; they are kept apart"
            self.facts.notes.append(note)
        for spelling in spellings(entity):
            self._names.add_words(spelling, entity)
            for alias in self._pending.pop(" ".join(spelling), ()):
                self._names.add_words(words_of(alias), entity)

    def _introduce(self, before: list[str], alias: str) -> None:
        """Let an alias stand for the entity that the words before it end with, now or later."""
        ends = [before[-length:] for length in range(min(len(before), 8), 0, -1)]
        for words in ends:
            known = [entity for entity in self._names.get(words) if entity in self.graph]
            for entity in known:
                self._names.add_words(words_of(alias), entity)
            if known:
                return
        for words in ends:
            self._pending[" ".join(words)].add(alias)

    def prune(self, *, horizon: int | None = None, entities: int | None = None) -> Pruned:
        """Forget, to bound the memory: what is lost is counted. A file keeps all.

        Parameters
        ----------
        horizon : int, optional
            Forget facts that had ended by this turn.
        entities : int, optional
            Keep so many entities, those stated or used in an answer most recently, and the
            facts between them.

        Returns
        -------
        Pruned
        """
        log, before = len(self.facts.entries), self._holding()
        entities_before = len(self.graph)
        kept_entities = set(self.graph)
        if entities is not None:
            latest = sorted(self._used, key=self._used.__getitem__, reverse=True)
            kept_entities = set(latest[:entities])
        lost = {
            entry.number
            for entry in self.facts.entries
            if not {entry.subject, entry.object} <= kept_entities
        }
        while lost := lost | self._ended_by(horizon):
            self._keep(self.facts.without(lost))
            lost = set()
        return Pruned(
            entries=log - len(self.facts.entries),
            current=len(before - self._holding()),
            entities=entities_before - len(self.graph),
        )

    def _ended_by(self, horizon: int | None) -> set[int]:
        if horizon is None:
            return set()
        edges = self.graph.edges(keys=True, data="until")
        return {number for _, _, number, until in edges if until is not None and until <= horizon}

    def _keep(self, entries: list[Entry]) -> None:
        used = self._used
        self._forget()
        for entry in entries:
            self.record(entry)
        self._used = {entity: used[entity] for entity in self.graph}
        for before, alias in self._introduced:
            self._introduce(before, alias)

    def _holding(self) -> set[tuple[str, str, str]]:
        held = (item.entry for item in self.facts.holding())
        return {(entry.subject, entry.predicate, entry.object) for entry in held}

    # ---- reading

    def answer(
        self, question: Question, *, as_of: int | None = None, known_at: int | None = None
    ) -> Traced:
        """Answer a question.

        Parameters
        ----------
        question : Question
        as_of : int, optional
            The turn at which the answer was true; the question's own words may name one.
        known_at : int, optional
            The turn up to which facts were learned.

        Returns
        -------
        Traced
            `UNKNOWN` where no path explains the question; `AMBIGUOUS` with the candidates
            where a reference to one thing fits several.
        """
        self.refresh()
        reading = self._reader.read(question.text)
        present = max(question.number, self._latest)
        turns = (as_of, reading.as_of, present)
        view = View(
            next(turn for turn in turns if turn is not None),
            reading.known_at if known_at is None else known_at,
        )
        walk = Walk(self.facts, self._predicates, view, self.budget)
        best: list[Found] = []
        try:
            for phrase in reading.phrases:
                found = walk.find(phrase)
                if found and (not best or found[0].fit > best[0].fit):
                    best = found
        except Ambiguous as error:
            names = ", ".join(item.entity for item in error.found)
            return self._say(f"{AMBIGUOUS}: {names}", error.found, question.number)
        except BudgetSpent:
            note = f"stopped after {self.budget} facts"
            return Traced(UNKNOWN, (f"Matched facts: {UNKNOWN} ({note})",), note=note)
        if not best or best[0].fit < self.threshold or not _covers(best, reading):
            return Traced(UNKNOWN, (f"Matched facts: {UNKNOWN}",), note=reading.refused)
        return self._say(
            ", ".join(dict.fromkeys(item.entity for item in best)), best, question.number
        )

    def _say(self, text: str, found: list[Found], turn: int) -> Traced:
        path = {held.entry.number: replace(held) for item in found for held in item.path}
        for held in path.values():
            for entity in (held.entry.subject, held.entry.object):
                self._used[entity] = max(self._used[entity], turn)
        turns = tuple(dict.fromkeys(held.entry.turn for held in path.values()))
        context = tuple(held.line for held in path.values())
        return Traced(text, context, turns, tuple(path.values()))

    def explain(self, answer: Traced) -> str:
        """Say in a sentence which facts an answer rests on."""
        if not answer.path:
            return f"{answer.text}: {answer.note or 'no stored fact explains the question'}."
        facts = [
            f"{held.entry.subject} {held.entry.predicate} {held.entry.object}"
            f" (said in turn {held.entry.turn})"
            for held in answer.path
        ]
        because = ":" if answer.text.startswith(AMBIGUOUS) else ", because"
        return f"{answer.text}{because} {' and '.join(facts)}."

    def _spans(self, words: list[str]) -> list[tuple[int, int, tuple[str, ...]]]:
        spans = []
        for start, stop, entities in self._names.spans(words):
            known = tuple(entity for entity in entities if entity in self.graph)
            if known:
                spans.append((start, stop, known))
        return spans


def _covers(found: list[Found], reading: Reading) -> bool:
    """Whether the paths pass all that the question names, and lead to something else."""
    facts = [held.entry for item in found for held in item.path]
    passed = {entity for entry in facts for entity in (entry.subject, entry.object)}
    loops = {entry.subject for entry in facts if entry.subject == entry.object}
    anchors = {entity for phrase in reading.phrases for entity in phrase.anchors}
    for names in reading.names:
        if not (passed | anchors).intersection(names):
            return False
        if any(item.entity in set(names) - anchors - loops for item in found):
            return False
    known = {said for entity in passed for said in roots_of(entity)}
    strange = [word for text in reading.strangers for word in words_of(text)]
    return all(word.isalpha() and root(word) in known for word in strange)

"""Temporal graph: needs no label, knows time, and says when it does not know."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx

from ctxgraph.conversation import Question, Turn, Vocabulary
from ctxgraph.facts import Entry, FactLog, Held, View
from ctxgraph.language import Phrase, Predicate, Reader, Reading, Word, introductions
from ctxgraph.memories.base import UNKNOWN, Answer
from ctxgraph.names import NameIndex
from ctxgraph.store import FactStore
from ctxgraph.words import (
    CARRYING,
    DENYING,
    EITHER_WAY,
    GENERIC,
    OF,
    plural,
    root,
    spellings,
    words_of,
)

AMBIGUOUS = "AMBIGUOUS"
THRESHOLD = 0.6  # least fit of the weakest step of a path; studied in notebook 09
BUDGET = 10_000  # facts looked at for one question
KNOWN_WEIGHT = 3  # of a word that says a stored predicate, where any other weighs 1

predicate_of = cache(Predicate.of)


@dataclass(frozen=True)
class Traced(Answer):
    """An answer with the facts on its path, in order, and a note where something is to be said."""

    path: tuple[Held, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Found:
    """A thing that a phrase may stand for, how it was reached, and how well that fits."""

    entity: str
    path: tuple[Held, ...] = ()
    fit: float = 1.0


@dataclass(frozen=True)
class Pruned:
    """What pruning lost: log entries, facts among them that still held, and entities."""

    entries: int
    current: int
    entities: int


class Ambiguous(Exception):
    """A reference to one thing fits several."""

    def __init__(self, found: list[Found]) -> None:
        super().__init__(", ".join(item.entity for item in found))
        self.found = found


class BudgetSpent(Exception):
    """A question has looked at as many facts as it may."""


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
        process has committed before it. Also a context manager, which closes the file.

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
            self._learn(row.text)
            if row.entry:
                self.record(row.entry)
            self._read = row.number

    def _forget(self) -> None:
        self.facts = FactLog(self.vocabulary.functional)
        self._names = NameIndex()
        self._pending: dict[str, set[str]] = defaultdict(set)
        self._roots: dict[str, set[str]] = defaultdict(set)
        self._participles: set[str] = set()
        self._used: dict[str, int] = {}
        self._left = self.budget
        self._reader = Reader(self._spans, self._said_by, self._participles, self._is_type)
        for phrase, entity in self.vocabulary.aliases.items():
            self._names.add_words(words_of(phrase), entity)
        for before, alias in self._introduced:
            self._introduce(before, alias)

    @property
    def graph(self) -> nx.MultiDiGraph:
        """All facts, ended ones too, as `FactLog.graph`."""
        return self.facts.graph

    @property
    def next_turn(self) -> int:
        """The number behind the last turn that stated a fact, for whoever goes on from there."""
        self.refresh()
        return self._latest + 1

    # ---- writing

    def ingest(self, turn: Turn) -> None:
        """Take in a turn: the fact it states or retracts, and the names it introduces."""
        self.ingest_all([turn])

    def ingest_all(self, turns: Iterable[Turn]) -> None:
        """Take in turns; into a file all or none of them, and quicker than one by one."""
        if self._store:
            self._store.append(turns)
            self.refresh()
            return
        for turn in turns:
            self._learn(turn.text)
            if turn.fact:
                self.record(Entry.of(turn, self._next))

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
        predicate = predicate_of(entry.predicate)
        if predicate.shape == "type" and words_of(entry.object):
            *first, last = words_of(entry.object)
            self._names.add_words([*first, plural(last)], entry.object)
        for said in predicate.all_roots:
            self._roots[said].add(entry.predicate)
        if predicate.participle:
            self._participles.add(predicate.participle)
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
        entries = self.facts.entries
        lost = {
            number
            for _, _, number, until in self.graph.edges(keys=True, data="until")
            if horizon is not None and until is not None and until <= horizon
        }
        kept_entities = set(self.graph)
        if entities is not None:
            latest = sorted(self._used, key=self._used.__getitem__, reverse=True)
            kept_entities = set(latest[:entities])
        for entry in entries:
            if not {entry.subject, entry.object} <= kept_entities:
                lost.add(entry.number)
        kept = self.facts.without(lost)
        before = {held.entry.number for held in self.facts.holding()}
        used, entities_before = self._used, len(self.graph)
        self._forget()
        for entry in kept:
            self.record(entry)
        self._used = {entity: used[entity] for entity in self.graph}
        after = {held.entry.number for held in self.facts.holding()}
        return Pruned(
            entries=len(entries) - len(kept),
            current=len(before - after),
            entities=entities_before - len(self.graph),
        )

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
        self._left = self.budget
        best: list[Found] = []
        try:
            for phrase in reading.phrases:
                found = self._resolve(phrase, view)
                if found and (not best or found[0].fit > best[0].fit):
                    best = found
        except Ambiguous as error:
            names = ", ".join(item.entity for item in error.found)
            return self._say(f"{AMBIGUOUS}: {names}", error.found, question.number)
        except BudgetSpent:
            note = f"stopped after {self.budget} facts"
            return Traced(UNKNOWN, (f"Matched facts: {UNKNOWN} ({note})",), note=note)
        facts = [held.entry for item in best for held in item.path]
        known = {
            root for fact in facts for end in (fact.subject, fact.object) for root in _roots_of(end)
        }
        explained = all(
            root(word) in known and word.isalpha()
            for text in reading.strangers
            for word in words_of(text)
        )
        if not best or best[0].fit < self.threshold or not explained or not _covers(best, reading):
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

    # ---- resolving phrases

    def _resolve(self, phrase: Phrase, view: View) -> list[Found]:
        """What a phrase stands for, best fitting only, in the order of statement."""
        if phrase.entities:
            return [Found(entity) for entity in phrase.entities if entity in self.graph]
        if phrase.inner is None:
            return self._by_attribute(phrase, view)
        starts = self._resolve(phrase.inner, view)
        found = {start: self._step(start, phrase, view) for start in starts}
        if not any(found.values()) and not phrase.copula:
            instances = [one for start in starts for one in self._instances(start, view)]
            found = {one: self._step(one, phrase, view) for one in instances}
        reached = [start for start, ends in found.items() if ends]
        if reached and len(starts) > 1 and phrase.inner.words and not phrase.inner.plural:
            answers = {frozenset(end.entity for end in ends) for ends in found.values()}
            if len(answers) > 1:
                raise Ambiguous(list(starts))
        if len(reached) > 1 and not phrase.inner.words and len(phrase.inner.entities) > 1:
            raise Ambiguous(list(starts))
        ends = [end for start in reached for end in found[start]]
        return _best(self._of_kind(ends, phrase, view))

    def _step(self, start: Found, phrase: Phrase, view: View) -> list[Found]:
        ends: list[tuple[tuple[bool, float], list[Found]]] = []
        for name in self._predicates_said(phrase):
            predicate = predicate_of(name)
            if not predicate.follows(phrase.preposition):
                continue
            said = (phrase.preposition,) if phrase.preposition else ("", "by")
            exact = predicate.preposition in said
            for outward in _directions(predicate, phrase):
                reached = [
                    Found(
                        held.entry.object if outward else held.entry.subject,
                        (*start.path, held),
                        min(start.fit, self._fit(name, phrase, held)),
                    )
                    for held in self._selected(start.entity, name, outward, phrase, view)
                ]
                reached = [item for item in reached if _tells(item, outward, phrase)]
                if phrase.kind and phrase.preposition and predicate.preposition and not exact:
                    # "what temperature is it baked at" does not ask where it is baked in
                    reached = [i for i in reached if self._is_a(i.entity, phrase.kind, view)]
                if reached:
                    ends.append(((exact, max(item.fit for item in reached)), reached))
                    break
        if ends:  # a relation may be stated in several ways: OWNS and OWNED_BY
            best = max(score for score, _ in ends)
            return [item for score, reached in ends if score == best for item in reached]
        if phrase.copula:
            return self._by_type(start, phrase, view)
        if phrase.kind and not any(self._said_by(word.root) for word in phrase.words):
            return self._by_kind(start, phrase, view)
        return []

    def _by_type(self, start: Found, phrase: Phrase, view: View) -> list[Found]:
        """What a thing is stated to be; or, of a kind, what is stated to be that thing."""
        if phrase.words:
            near = list(self._instances(start, view))
            return [item for item in near if self._is_a(item.entity, phrase.words, view)]
        return [
            Found(held.entry.object, (*start.path, held), start.fit)
            for name in self.facts.predicates(start.entity, outward=True)
            if predicate_of(name).shape == "type"
            for held in self._facts(start.entity, name, True, view)
        ]

    def _by_kind(self, start: Found, phrase: Phrase, view: View) -> list[Found]:
        """Where no predicate is said: whatever neighbour is of the kind that is said."""
        fit = min(start.fit, _f1(1 / (1 + len(phrase.words)), 1))
        near = [
            Found(held.entry.object if outward else held.entry.subject, (*start.path, held), fit)
            for outward in (True, False)
            for name in self.facts.predicates(start.entity, outward)
            for held in self._facts(start.entity, name, outward, view)
        ]
        return [item for item in near if self._is_a(item.entity, phrase.kind, view)]

    def _by_attribute(self, phrase: Phrase, view: View) -> list[Found]:
        """Things that are described only: of all facts of a predicate, the ends that it says."""
        ends: dict[str, list[Found]] = {}
        values: set[str] = set()  # predicates of which the value is asked: "which budget"
        for name in self._predicates_said(phrase):
            predicate = predicate_of(name)
            if {word.root for word in phrase.kind} & predicate.roots:
                values.add(name)
            elif phrase.role == "asked" and not phrase.kind:
                if predicate.shape != "noun":
                    continue  # "who owns it?"
                values.add(name)
            elif phrase.role == "having" and predicate.shape != "noun":
                continue
            for held in self._within_budget(self.facts.facts_of(name, view)):
                if fit := self._fit(name, phrase, held):
                    entity = held.entry.object if name in values else held.entry.subject
                    ends.setdefault(name, []).append(Found(entity, (held,), fit))
        name = max(ends, key=lambda name: max(item.fit for item in ends[name]), default="")
        found = _best(self._of_kind(ends.get(name, []), phrase, view))
        if name in values and len(found) > 1:
            raise Ambiguous(found)  # of different things
        return found

    def _instances(self, start: Found, view: View) -> Iterator[Found]:
        """Things that are stated to be of a type."""
        for name in self.facts.predicates(start.entity, outward=False):
            if predicate_of(name).shape == "type":
                for held in self._facts(start.entity, name, False, view):
                    yield Found(held.entry.subject, (*start.path, held), start.fit)

    def _of_kind(self, found: list[Found], phrase: Phrase, view: View) -> list[Found]:
        """Keep the things of the kind that is said, where any is known to be of it."""
        named = any(word.entities for word in phrase.kind)
        if not phrase.kind or (len(found) < 2 and not named):
            return found
        if named:
            return [item for item in found if self._is_a(item.entity, phrase.kind, view)]
        return [item for item in found if self._is_a(item.entity, phrase.kind, view)] or found

    def _is_type(self, entity: str) -> bool:
        stated = self.facts.predicates(entity, outward=False)
        types = [name for name in stated if predicate_of(name).shape == "type"]
        return bool(types) and types == stated and not self.facts.predicates(entity, outward=True)

    def _is_a(self, entity: str, kind: Iterable[Word], view: View) -> bool:
        if any(entity in word.entities for word in kind):
            return True
        roots = {word.root for word in kind if not word.entities}
        types = [
            held.entry.object
            for name in self.facts.predicates(entity, outward=True)
            if predicate_of(name).shape == "type"
            for held in self._facts(entity, name, True, view)
        ]
        return any(roots & _roots_of(name) for name in (entity, *types))

    def _selected(
        self, entity: str, name: str, outward: bool, phrase: Phrase, view: View
    ) -> list[Held]:
        """The facts of a predicate at an entity: those that a selector picks, or the current."""
        if not phrase.select:
            return list(self._facts(entity, name, outward, view))
        held = [
            item
            for item in self._facts(entity, name, outward, view, past=True)
            if item.since <= view.as_of
        ]
        anchors = [
            item.since
            for item in held
            if (item.entry.object if outward else item.entry.subject) in phrase.anchor
        ]
        if phrase.anchor:
            if not anchors:
                return []
            if phrase.select == "after":
                held = [item for item in held if item.since > max(anchors)]
            else:
                held = [item for item in held if item.since < max(anchors)]
        elif phrase.select == "before":
            held = [item for item in held if item.until is not None and item.until <= view.as_of]
        choose = min if phrase.select in ("first", "after") else max
        turn = choose((item.since for item in held), default=0)
        return [item for item in held if item.since == turn]

    def _facts(
        self, entity: str, name: str, outward: bool, view: View, past: bool = False
    ) -> Iterator[Held]:
        return self._within_budget(self.facts.facts(entity, name, outward, view, past))

    def _within_budget(self, facts: Iterable[Held]) -> Iterator[Held]:
        for held in facts:
            self._left -= 1
            if self._left < 0:
                raise BudgetSpent
            yield held

    # ---- how well words and predicates fit

    def _predicates_said(self, phrase: Phrase) -> list[str]:
        said = {name for word in phrase.words + phrase.kind for name in self._said_by(word.root)}
        return sorted(said)

    def _said_by(self, said: str) -> set[str]:
        return self._roots.get(said, set())

    def _fit(self, name: str, phrase: Phrase, held: Held) -> float:
        """How much of the phrase the fact explains, and of its predicate the phrase: F1."""
        predicate = predicate_of(name)
        kind = [word for word in phrase.kind if word.root in predicate.roots]
        words = {
            word: KNOWN_WEIGHT if self._said_by(word.root) and not word.aside else 1
            for word in phrase.words
            if word.root not in GENERIC or self._said_by(word.root)
        }
        words |= dict.fromkeys(kind, KNOWN_WEIGHT)
        matched = [word for word in words if word.root in predicate.all_roots]
        rest = [word for word in words if word not in matched]
        supported = [word for word in rest if word.root in _roots_of(held.entry.said)]
        if phrase.inner is None and rest and not supported:
            return 0.0  # it speaks of something else
        for word in rest:
            if word in supported:
                continue
            verb = phrase.verb is not None and word.place == phrase.verb.place
            if word.root in DENYING or (verb and not kind and word.root not in CARRYING):
                return 0.0  # another relation
        explained = sum(words[word] for word in matched) + len(supported)
        covered = {word.root for word in matched} & predicate.roots
        if not predicate.roots or not words:
            return 0.0
        return _f1(explained / sum(words.values()), len(covered) / len(predicate.roots))

    def _spans(self, words: list[str]) -> list[tuple[int, int, tuple[str, ...]]]:
        spans = []
        for start, stop, entities in self._names.spans(words):
            known = tuple(entity for entity in entities if entity in self.graph)
            if known:
                spans.append((start, stop, known))
        return spans


def _tells(found: Found, outward: bool, phrase: Phrase) -> bool:
    """Whether what was found can be what the phrase asks for: a time, a place, an amount."""
    if phrase.asks == "where" and not outward and not phrase.passive:
        return False
    predicate = predicate_of(found.path[-1].entry.predicate)
    if phrase.preposition and phrase.preposition == predicate.preposition:
        return phrase.asks != "when" or predicate.answers("when", found.entity, outward)
    return predicate.answers(phrase.asks, found.entity, outward)


def _covers(found: list[Found], reading: Reading) -> bool:
    """Whether the paths pass all that the question names, and lead to something else."""
    facts = [held.entry for item in found for held in item.path]
    passed = {entity for entry in facts for entity in (entry.subject, entry.object)}
    anchors = {entity for phrase in reading.phrases for entity in phrase.anchors}
    named = {entity for entities in reading.names for entity in entities} - anchors
    loops = {entry.subject for entry in facts if entry.subject == entry.object}
    return all(
        passed.intersection(names) or anchors.intersection(names) for names in reading.names
    ) and not any(item.entity in named - loops for item in found)


def _directions(predicate: Predicate, phrase: Phrase) -> tuple[bool, ...]:
    """Whether to leave the inner thing outward (as the subject) or inward, in order of choice."""
    role, words = phrase.role, phrase.words
    if not any(word.root in predicate.all_roots for word in words):
        role, words = "possessor", phrase.kind  # said by what is asked for: "which owner"
    if predicate.roots & EITHER_WAY:
        return (False, True) if role in ("oblique", "value") else (True, False)
    if predicate.shape in ("noun", "type"):
        verb = {word.folded for word in words}.isdisjoint(words_of(predicate.name))
        return (role != "value" and (role != "next" or verb),)  # "who owns X": X HAS_OWNER
    if predicate.shape == "of":  # "the capital of X", "X's capital"; "what X is the capital of"
        return (role in ("agent", "patient", "value"),)
    if role == "possessor" and predicate.preposition in OF:
        return (False,)
    if role == "possessor":
        acts = any(word.folded.rstrip("s").endswith(("er", "or")) for word in words)
        return (not (acts and predicate.shape == "verb"),)
    if predicate.shape == "verb":
        # HOUSES: "X houses", "housed in X"; DEPLOYS_TO: "X deploys to", "X is deployed"
        return (role == "agent" or role == ("patient" if predicate.preposition else "oblique"),)
    if predicate.shape == "participle" and role == "next" and phrase.asks == "who":
        return ()  # SENT_TO does not tell who sends
    if predicate.shape == "participle" and role == "agent":
        # "where does X move", "what does X lose to": X is the subject; "what does X store" not
        if phrase.preposition:
            return (True,)
        return (True, False) if phrase.asks else (False,)
    return (role in ("patient", "next") or (role == "oblique" and predicate.shape == "by"),)


def _best(found: list[Found]) -> list[Found]:
    first: dict[str, Found] = {}
    for item in sorted(found, key=lambda item: [held.entry.number for held in item.path]):
        first.setdefault(item.entity, item)
    ordered = sorted(first.values(), key=lambda item: item.path[-1].entry.number)
    top = max((item.fit for item in ordered), default=0)
    return [replace(item, fit=top) for item in ordered]


@cache
def _roots_of(text: str) -> frozenset[str]:
    return frozenset(map(root, (word for way in spellings(text) for word in way)))


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

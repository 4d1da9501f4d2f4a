"""Temporal graph: needs no label, knows time, and says when it does not know."""

from __future__ import annotations

from bisect import insort
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import networkx as nx

from ctxgraph.conversation import Question, Turn, Vocabulary
from ctxgraph.language import (
    EITHER_WAY,
    GENERIC,
    Phrase,
    Predicate,
    Reader,
    Word,
    introductions,
    root,
    spellings,
    words_of,
)
from ctxgraph.memories.base import UNKNOWN, Answer
from ctxgraph.names import NameIndex

AMBIGUOUS = "AMBIGUOUS"
THRESHOLD = 0.6  # least fit of the weakest step of a path; studied in notebook 09
BUDGET = 10_000  # facts looked at for one question
KNOWN_WEIGHT = 3  # of a word that says a stored predicate, where any other weighs 1

predicate_of = cache(Predicate.of)


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log: a fact stated or retracted, as it was learned."""

    number: int
    fact_id: str
    subject: str
    predicate: str
    object: str
    since: int
    turn: int
    said: str
    retracts: bool = False

    def __lt__(self, other: Entry) -> bool:
        """Order by validity, then by arrival."""
        return (self.since, self.number) < (other.since, other.number)


@dataclass(slots=True, eq=False)
class Held:
    """A fact over the turns at which it holds: from `since` up to, not including, `until`.

    `ended` is the turn in which its end was learned.
    """

    entry: Entry
    since: int
    until: int | None = None
    ended: int | None = None

    def at(self, turn: int | None) -> bool:
        """Whether it holds at a turn; at the end of all turns where none is given."""
        if turn is None:
            return self.until is None
        return self.since <= turn and (self.until is None or turn < self.until)

    @property
    def line(self) -> str:
        """The fact as a context line."""
        entry = self.entry
        end = "" if self.until is None else f", until {self.until}"
        return f"{entry.subject} {entry.predicate} {entry.object} (turn {entry.turn}{end})"


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
class View:
    """The time that a question looks at: true at a turn, known at a turn."""

    as_of: int | None = None
    known_at: int | None = None


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
    (`ctxgraph.language`), and walked along facts whose predicates say these relations. A
    predicate declared functional holds one value at a time, every other adds up; nothing is
    deleted, facts hold over intervals of turns. The time model is bitemporal, as in Snodgrass
    (1999), "Developing Time-Oriented Database Applications in SQL".

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
        vocabulary = vocabulary or Vocabulary()
        self.graph = nx.MultiDiGraph()
        self.threshold = threshold
        self.budget = budget
        self.log: list[Entry] = []
        self.notes: list[str] = []
        self._functional = frozenset(vocabulary.functional)
        self._names = NameIndex()
        self._pending: dict[str, set[str]] = defaultdict(set)
        self._stated: dict[tuple[str, ...], list[Entry]] = {}
        self._held: dict[tuple[str, ...], list[Held]] = {}
        self._from: dict[str, dict[str, dict[tuple[str, ...], None]]] = {}
        self._to: dict[str, dict[str, dict[tuple[str, ...], None]]] = {}
        self._of: dict[str, dict[tuple[str, ...], None]] = {}
        self._roots: dict[str, set[str]] = defaultdict(set)
        self._participles: set[str] = set()
        self._reader = Reader(self._spans, self._said_by, self._participles, self._is_type)
        self._left = budget
        for phrase, entity in vocabulary.aliases.items():
            self._names.add_words(words_of(phrase), entity)

    # ---- writing

    def ingest(self, turn: Turn) -> None:
        """Take in a turn: the fact it states or retracts, and the names it introduces."""
        for before, alias in introductions(turn.text):
            self._introduce(before, alias)
        fact = turn.fact
        if fact is None:
            return
        since = turn.number if fact.since is None else fact.since
        entry = Entry(
            len(self.log),
            fact.id,
            fact.subject,
            fact.predicate,
            fact.object,
            since,
            turn.number,
            turn.line,
            fact.retracts,
        )
        self.record(entry)

    def record(self, entry: Entry) -> None:
        """Add an entry to the log, and bring what holds up to date in the same step."""
        self.log.append(entry)
        for entity in (entry.subject, entry.object):
            self._add_entity(entity)
        self._add_predicate(entry.predicate)
        key = self._key(entry)
        for index, end in ((self._from, entry.subject), (self._to, entry.object)):
            index.setdefault(end, {}).setdefault(entry.predicate, {})[key] = None
        self._of.setdefault(entry.predicate, {})[key] = None
        stated = self._stated.setdefault(key, [])
        insort(stated, entry)
        held = self._held.setdefault(key, [])
        if stated[-1] is entry:
            before = held[-1] if held else None
            _apply(held, entry)
            changed = {id(item): item for item in (before, *held[-1:]) if item}.values()
        else:
            self.graph.remove_edges_from(
                (item.entry.subject, item.entry.object, item.entry.number) for item in held
            )
            held[:] = _intervals(stated)
            changed = held
        for item in changed:
            self._draw(item, present=any(item is other for other in held[-2:]) or changed is held)
        self._note(entry, held)

    def _key(self, entry: Entry) -> tuple[str, ...]:
        if entry.predicate in self._functional:
            return entry.subject, entry.predicate
        return entry.subject, entry.predicate, entry.object

    def _draw(self, held: Held, present: bool) -> None:
        entry = held.entry
        if not present:
            self.graph.remove_edges_from([(entry.subject, entry.object, entry.number)])
            return
        self.graph.add_edge(
            entry.subject,
            entry.object,
            key=entry.number,
            predicate=entry.predicate,
            fact_id=entry.fact_id,
            turn=entry.turn,
            since=held.since,
            until=held.until,
            ended=held.ended,
        )

    def _note(self, entry: Entry, held: list[Held]) -> None:
        what = f"turn {entry.turn}: {entry.subject} {entry.predicate} {entry.object}"
        if entry.retracts:
            ended = any(item.ended == entry.turn for item in held)
            self.notes.append(f"{what} {'ended' if ended else 'retracted, but did not hold'}")
        elif entry.predicate not in self._functional:
            others = len(self._from[entry.subject][entry.predicate]) - 1
            if others:
                self.notes.append(
                    f"{what} kept beside {others} other: {entry.predicate} is not functional"
                )
        elif len(held) > 1:
            self.notes.append(f"{what} takes its place among {len(held)} values, one at a time")

    def _add_entity(self, entity: str) -> None:
        if entity in self.graph:
            return
        self.graph.add_node(entity)
        for spelling in spellings(entity):
            alike = [other for other in self._names.get(spelling) if other in self.graph]
            if alike and alike != [entity]:
                self.notes.append(f"{entity!r} is written like {alike[0]!r}; they stay apart")
            self._names.add_words(spelling, entity)
            for alias in self._pending.pop(" ".join(spelling), ()):
                self._names.add_words(words_of(alias), entity)

    def _introduce(self, before: list[str], alias: str) -> None:
        for length in range(min(len(before), 8), 0, -1):
            words = before[-length:]
            known = [entity for entity in self._names.get(words) if entity in self.graph]
            for entity in known:
                self._names.add_words(words_of(alias), entity)
            if known:
                return
        for length in range(1, min(len(before), 8) + 1):
            self._pending[" ".join(before[-length:])].add(alias)

    def _add_predicate(self, name: str) -> None:
        predicate = predicate_of(name)
        for said in predicate.all_roots:
            self._roots[said].add(name)
        if predicate.participle:
            self._participles.add(predicate.participle)

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
        reading = self._reader.read(question.text)
        view = View(
            reading.as_of if as_of is None else as_of,
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
            return self._say(f"{AMBIGUOUS}: {names}", error.found)
        except BudgetSpent:
            note = f"stopped after {self.budget} facts"
            return Traced(UNKNOWN, (f"Matched facts: {UNKNOWN} ({note})",), note=note)
        known = {word for item in best for held in item.path for word in _roots_of(held.entry.said)}
        explained = all(root(word) in known for text in reading.strangers for word in words_of(text))
        if not best or best[0].fit < self.threshold or not explained:
            return Traced(UNKNOWN, (f"Matched facts: {UNKNOWN}",))
        return self._say(", ".join(dict.fromkeys(item.entity for item in best)), best)

    def _say(self, text: str, found: list[Found]) -> Traced:
        path = {held.entry.number: held for item in found for held in item.path}
        turns = tuple(dict.fromkeys(held.entry.turn for held in path.values()))
        context = tuple(held.line for held in path.values())
        return Traced(text, context, turns, tuple(path.values()))

    def explain(self, answer: Traced) -> str:
        """Say in a sentence which facts an answer rests on."""
        if not answer.path:
            return f"{answer.text}: no stored fact explains the question."
        facts = [
            f"{held.entry.subject} {held.entry.predicate} {held.entry.object}"
            f" (said in turn {held.entry.turn})"
            for held in answer.path
        ]
        return f"{answer.text}, because {' and '.join(facts)}."

    def history(self, entity: str) -> list[Held]:
        """All that ever held of an entity, at either end, in the order in which it began."""
        keys = {
            key
            for index in (self._from, self._to)
            for of_predicate in index.get(entity, {}).values()
            for key in of_predicate
        }
        held = [item for key in keys for item in self._held[key]]
        about = [item for item in held if entity in (item.entry.subject, item.entry.object)]
        return sorted(about, key=lambda item: (item.since, item.entry.number))

    def holding(self, *, as_of: int | None = None, known_at: int | None = None) -> list[Held]:
        """All facts that hold at a turn (by default at the end), as known at a turn."""
        view = View(as_of, known_at)
        held = [item for key in self._held for item in self._of_key(key, view) if item.at(as_of)]
        return sorted(held, key=lambda item: item.entry.number)

    # ---- resolving phrases

    def _resolve(self, phrase: Phrase, view: View) -> list[Found]:
        """What a phrase stands for, best fitting only, in the order of statement."""
        if phrase.entities:
            return [Found(entity) for entity in phrase.entities if entity in self.graph]
        if phrase.inner is None:
            return self._by_attribute(phrase, view)
        starts = self._resolve(phrase.inner, view)
        found = {start: self._step(start, phrase, view) for start in starts}
        if not any(found.values()):
            instances = [one for start in starts for one in self._instances(start, view)]
            found = {one: self._step(one, phrase, view) for one in instances}
        reached = [start for start, ends in found.items() if ends]
        if len(reached) > 1 and phrase.inner.words and not phrase.inner.plural:
            answers = {frozenset(end.entity for end in found[start]) for start in reached}
            if len(answers) > 1:
                raise Ambiguous(list(starts))
        if len(reached) > 1 and not phrase.inner.words and len(phrase.inner.entities) > 1:
            raise Ambiguous(list(starts))
        ends = [end for start in reached for end in found[start]]
        return _best(self._of_kind(ends, phrase, view))

    def _step(self, start: Found, phrase: Phrase, view: View) -> list[Found]:
        ends: list[list[Found]] = []
        for name in self._predicates_said(phrase):
            for outward in _directions(predicate_of(name), phrase):
                reached = [
                    Found(
                        held.entry.object if outward else held.entry.subject,
                        (*start.path, held),
                        min(start.fit, self._fit(name, phrase, held)),
                    )
                    for held in self._selected(start.entity, name, outward, phrase, view)
                ]
                if reached:
                    ends.append(reached)
                    break
        if ends:
            return max(ends, key=lambda found: max(item.fit for item in found))
        if phrase.kind and not any(self._said_by(word.root) for word in phrase.words):
            return self._by_kind(start, phrase, view)
        return []

    def _by_kind(self, start: Found, phrase: Phrase, view: View) -> list[Found]:
        """Where no predicate is said: whatever neighbour is of the kind that is said."""
        fit = min(start.fit, _f1(1 / (1 + len(phrase.words)), 1))
        near = [
            Found(held.entry.object if outward else held.entry.subject, (*start.path, held), fit)
            for outward, index in ((True, self._from), (False, self._to))
            for name in index.get(start.entity, ())
            for held in self._facts(start.entity, name, outward, view)
        ]
        return [item for item in near if self._is_a(item.entity, phrase.kind, view)]

    def _by_attribute(self, phrase: Phrase, view: View) -> list[Found]:
        """Things that are described only: of all facts of a predicate, the ends that it says."""
        ends: dict[str, list[Found]] = {}
        for name in self._predicates_said(phrase):
            asked = {word.root for word in phrase.kind} & predicate_of(name).roots
            for key in self._of[name]:
                for held in self._of_key(key, view):
                    if held.at(view.as_of) and (fit := self._fit(name, phrase, held)):
                        entity = held.entry.object if asked else held.entry.subject
                        ends.setdefault(name, []).append(Found(entity, (held,), fit))
        found = max(ends.values(), key=lambda found: max(item.fit for item in found), default=[])
        return _best(self._of_kind(found, phrase, view))

    def _instances(self, start: Found, view: View) -> Iterator[Found]:
        """Things that are stated to be of a type."""
        for name in self._to.get(start.entity, ()):
            if predicate_of(name).shape == "type":
                for held in self._facts(start.entity, name, False, view):
                    yield Found(held.entry.subject, (*start.path, held), start.fit)

    def _of_kind(self, found: list[Found], phrase: Phrase, view: View) -> list[Found]:
        """Keep the things of the kind that is said, where any is known to be of it."""
        if len(found) < 2 or not phrase.kind:
            return found
        return [item for item in found if self._is_a(item.entity, phrase.kind, view)] or found

    def _is_type(self, entity: str) -> bool:
        stated = self._to.get(entity, ())
        return (
            bool(stated)
            and entity not in self._from
            and all(predicate_of(name).shape == "type" for name in stated)
        )

    def _is_a(self, entity: str, kind: Iterable[Word], view: View) -> bool:
        roots = {word.root for word in kind}
        types = [
            held.entry.object
            for name in self._from.get(entity, ())
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
            if view.as_of is None or item.since <= view.as_of
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
                later = [item for item in held if item.since > max(anchors)]
                return [item for item in later if item.since == min(i.since for i in later)]
            held = [item for item in held if item.since < max(anchors)]
        elif phrase.select == "before":
            held = [item for item in held if item.until is not None]
        if phrase.select == "first":
            return [item for item in held if item.since == min(i.since for i in held)]
        return [item for item in held if item.since == max(i.since for i in held)]

    def _facts(
        self, entity: str, name: str, outward: bool, view: View, past: bool = False
    ) -> Iterator[Held]:
        index = self._from if outward else self._to
        for key in index.get(entity, {}).get(name, ()):
            for held in self._of_key(key, view):
                end = held.entry.subject if outward else held.entry.object
                if end == entity and (past or held.at(view.as_of)):
                    yield held

    def _of_key(self, key: tuple[str, ...], view: View) -> list[Held]:
        self._left -= 1
        if self._left < 0:
            raise BudgetSpent
        if view.known_at is None:
            return self._held[key]
        return _intervals(entry for entry in self._stated[key] if entry.turn <= view.known_at)

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
            if word.root not in GENERIC
        }
        words |= dict.fromkeys(kind, KNOWN_WEIGHT)
        matched = [word for word in words if word.root in predicate.all_roots]
        rest = [word for word in words if word not in matched]
        supported = [word for word in rest if word.root in _roots_of(held.entry.said)]
        if phrase.inner is None and rest and not supported:
            return 0.0  # it speaks of something else
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


def _intervals(entries: Iterable[Entry]) -> list[Held]:
    held: list[Held] = []
    for entry in entries:
        _apply(held, entry)
    return held


def _apply(held: list[Held], entry: Entry) -> None:
    """Let the next entry, in the order of validity, open, close or replace what holds."""
    last = held[-1] if held and held[-1].until is None else None
    same = last is not None and last.entry.object == entry.object
    if entry.retracts:
        if same:  # else it did not hold
            _close(held, entry)
    elif not same:  # a value stated again goes on
        if last is not None:
            _close(held, entry)
        held.append(Held(entry, entry.since))


def _close(held: list[Held], entry: Entry) -> None:
    if held[-1].since == entry.since:
        held.pop()  # it held at no turn
    else:
        held[-1].until, held[-1].ended = entry.since, entry.turn


def _directions(predicate: Predicate, phrase: Phrase) -> tuple[bool, ...]:
    """Whether to leave the inner thing outward (it is the subject) or inward; first choice first."""
    role, words = phrase.role, phrase.words
    if not any(word.root in predicate.all_roots for word in words):
        role, words = "possessor", phrase.kind  # said by what is asked for: "which owner"
    if predicate.roots & EITHER_WAY:
        return (False, True) if role in ("oblique", "value") else (True, False)
    if predicate.shape in ("noun", "type"):
        return (role not in ("value", "next"),)
    if role == "possessor":
        acts = any(word.folded.rstrip("s").endswith(("er", "or")) for word in words)
        return (not (acts and predicate.shape == "verb"),)
    if predicate.shape == "verb":
        return (role == "agent",)
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

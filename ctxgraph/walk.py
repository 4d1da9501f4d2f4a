"""Walks along facts: what the phrases of a question stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from ctxgraph.facts import FactLog, Held, View
from ctxgraph.language import Phrase, Word
from ctxgraph.predicates import Predicate, Predicates
from ctxgraph.words import (
    CARRYING,
    DENYING,
    EITHER_WAY,
    GENERIC,
    LOCATING,
    OF,
    PLACING,
    root,
    spellings,
)

KNOWN_WEIGHT = 3  # of a word that says a stored predicate, where any other weighs 1


@dataclass(frozen=True)
class Found:
    """A thing that a phrase may stand for, how it was reached, and how well that fits."""

    entity: str
    path: tuple[Held, ...] = ()
    fit: float = 1.0

    def along(self, held: Held, outward: bool, fit: float = 1.0) -> Found:
        """What a further fact leads to."""
        return Found(held.end(outward), (*self.path, held), min(self.fit, fit))


class Ambiguous(Exception):
    """A reference to one thing fits several."""

    def __init__(self, found: list[Found]) -> None:
        super().__init__(", ".join(item.entity for item in found))
        self.found = found


class BudgetSpent(Exception):
    """A question has looked at as many facts as it may."""


class Walk:
    """The way of one question along facts, from a name or a description to what is asked for.

    A step goes along facts of one predicate, and is as good as the predicate's words fit the
    phrase's; a path is as good as its weakest step.

    Parameters
    ----------
    facts : FactLog
    predicates : Predicates
        Those of the facts.
    view : View
        The time that is looked at.
    budget : int
        Facts looked at, at the most.
    """

    def __init__(self, facts: FactLog, predicates: Predicates, view: View, budget: int) -> None:
        self.facts, self.predicates, self.view = facts, predicates, view
        self._left = budget

    def find(self, phrase: Phrase) -> list[Found]:
        """What a phrase stands for, best fitting only, in the order of statement.

        Raises
        ------
        Ambiguous
            A reference to one thing fits several.
        BudgetSpent
            More facts would have to be looked at.
        """
        if phrase.entities:
            return [Found(entity) for entity in phrase.entities if entity in self.facts.graph]
        if phrase.inner is None:
            return self._by_attribute(phrase)
        starts = self.find(phrase.inner)
        found = {start: self._step(start, phrase) for start in starts}
        if not any(found.values()) and not phrase.copula:
            instances = [one for start in starts for one in self._typed(start, outward=False)]
            found = {one: self._step(one, phrase) for one in instances}
            several = len(instances) > 1 and not phrase.inner.plural
            if several and len({tuple(e.entity for e in ends) for ends in found.values()}) > 1:
                raise _ambiguous(found)  # "the ward", of which there are two
        reached = [start for start, ends in found.items() if ends]
        if reached and len(starts) > 1 and phrase.inner.words and not phrase.inner.plural:
            answers = {frozenset(end.entity for end in ends) for ends in found.values()}
            if len(answers) > 1:
                raise _ambiguous(found)
        if len(reached) > 1 and not phrase.inner.words and len(phrase.inner.entities) > 1:
            raise _ambiguous(found)
        ends = [end for start in reached for end in found[start]]
        return _best(self._of_kind(ends, phrase))

    def _step(self, start: Found, phrase: Phrase) -> list[Found]:
        ends: list[tuple[tuple[bool, float], list[Found]]] = []
        for name in self._predicates_said(phrase):
            predicate = Predicate.of(name)
            if not predicate.follows(phrase.preposition):
                continue
            said = (phrase.preposition,) if phrase.preposition else ("", "by")
            exact = predicate.preposition in said
            for outward in _directions(predicate, phrase):
                reached = [
                    start.along(held, outward, self._fit(name, phrase, held))
                    for held in self._selected(start.entity, name, outward, phrase)
                ]
                reached = [item for item in reached if _tells(item, outward, phrase)]
                if phrase.kind and phrase.preposition and predicate.preposition and not exact:
                    # "what temperature is it baked at" does not ask where it is baked in
                    reached = [i for i in reached if self._is_a(i.entity, phrase.kind)]
                if reached:
                    ends.append(((exact, max(item.fit for item in reached)), reached))
                    break
        if ends:  # a relation may be stated in several ways: OWNS and OWNED_BY
            best = max(score for score, _ in ends)
            return [item for score, reached in ends if score == best for item in reached]
        if phrase.copula and (phrase.asks == "where" or phrase.preposition in PLACING):
            return self._by_place(start, phrase)
        if phrase.copula:
            return self._by_type(start, phrase)
        if phrase.kind and not any(self.predicates.said_by(word.root) for word in phrase.words):
            return self._by_kind(start, phrase)
        return []

    def _by_type(self, start: Found, phrase: Phrase) -> list[Found]:
        """What a thing is stated to be; or, of a kind, what is stated to be that thing."""
        if not phrase.words:
            return self._typed(start, outward=True)
        near = self._typed(start, outward=False)
        return [item for item in near if self._is_a(item.entity, phrase.words)]

    def _by_place(self, start: Found, phrase: Phrase) -> list[Found]:
        """Where a thing is, by what locates it; behind a preposition, what is there."""
        outward = phrase.role != "oblique"
        near = [
            start.along(held, outward)
            for name in self.facts.predicates(start.entity, outward)
            if Predicate.of(name).roots <= LOCATING and Predicate.of(name).preposition in PLACING
            for held in self._facts(start.entity, name, outward)
        ]
        return self._of_kind(near, phrase)

    def _by_kind(self, start: Found, phrase: Phrase) -> list[Found]:
        """Where no predicate is said: whatever neighbour is of the kind that is said."""
        fit = _f1(1 / (1 + len(phrase.words)), 1)
        near = [
            start.along(held, outward, fit)
            for outward in (True, False)
            for name in self.facts.predicates(start.entity, outward)
            for held in self._facts(start.entity, name, outward)
        ]
        return [item for item in near if self._is_a(item.entity, phrase.kind)]

    def _by_attribute(self, phrase: Phrase) -> list[Found]:
        """Things that are described only: of all facts of a predicate, the ends that it says."""
        ends: dict[str, list[Found]] = {}
        values: set[str] = set()  # predicates of which the value is asked: "which budget"
        for name in self._predicates_said(phrase):
            predicate = Predicate.of(name)
            if {word.root for word in phrase.kind} & predicate.roots:
                values.add(name)
            elif phrase.role == "asked" and not phrase.kind:
                if predicate.shape != "noun":
                    continue  # "who owns it?"
                values.add(name)
            elif phrase.role == "having" and predicate.shape != "noun":
                continue
            for held in self._within_budget(self.facts.facts_of(name, self.view)):
                if fit := self._fit(name, phrase, held):
                    item = Found(held.end(name in values), (held,), fit)
                    ends.setdefault(name, []).append(item)
        name = max(ends, key=lambda name: max(item.fit for item in ends[name]), default="")
        found = _best(self._of_kind(ends.get(name, []), phrase))
        if name in values and len(found) > 1:
            raise Ambiguous(found)  # of different things
        return found

    def _typed(self, start: Found, outward: bool) -> list[Found]:
        """The types that a thing is stated to be of; inward, the things of a type."""
        return [
            start.along(held, outward)
            for name in self.facts.predicates(start.entity, outward)
            if Predicate.of(name).shape == "type"
            for held in self._facts(start.entity, name, outward)
        ]

    def _of_kind(self, found: list[Found], phrase: Phrase) -> list[Found]:
        """Keep the things of the kind that is said, as far as it is known of them."""
        if any(word.entities for word in phrase.kind):
            return [item for item in found if self._is_a(item.entity, phrase.kind)]
        if any(word.typed for word in phrase.kind):
            found = [
                item
                for item in found
                if self._is_a(item.entity, phrase.kind) or not self._types(item.entity)
            ]
        if len(found) < 2 or not phrase.kind:
            return found
        return [item for item in found if self._is_a(item.entity, phrase.kind)] or found

    def _types(self, entity: str) -> list[str]:
        return [item.entity for item in self._typed(Found(entity), outward=True)]

    def _is_a(self, entity: str, kind: Iterable[Word]) -> bool:
        if any(entity in word.entities for word in kind):
            return True
        roots = {word.root for word in kind if not word.entities}
        return any(roots & roots_of(name) for name in (entity, *self._types(entity)))

    def _selected(self, entity: str, name: str, outward: bool, phrase: Phrase) -> list[Held]:
        """The facts of a predicate at an entity: those that a selector picks, or the current."""
        if not phrase.select:
            return list(self._facts(entity, name, outward))
        held = [
            item
            for item in self._facts(entity, name, outward, past=True)
            if item.since <= self.view.as_of
        ]
        anchors = [item.since for item in held if item.end(outward) in phrase.anchor]
        if phrase.anchor:
            if not anchors:
                return []
            if phrase.select == "after":
                held = [item for item in held if item.since > max(anchors)]
            else:
                held = [item for item in held if item.since < max(anchors)]
        elif phrase.select == "before":
            held = [
                item for item in held if item.until is not None and item.until <= self.view.as_of
            ]
        choose = min if phrase.select in ("first", "after") else max
        turn = choose((item.since for item in held), default=0)
        return [item for item in held if item.since == turn]

    def _facts(self, entity: str, name: str, outward: bool, past: bool = False) -> Iterator[Held]:
        ever = self.facts.facts(entity, name, outward, self.view, past=True)
        for held in self._within_budget(ever):
            if past or held.at(self.view.as_of):
                yield held

    def _within_budget(self, facts: Iterable[Held]) -> Iterator[Held]:
        for held in facts:
            self._left -= 1
            if self._left < 0:
                raise BudgetSpent
            yield held

    def _predicates_said(self, phrase: Phrase) -> list[str]:
        said = {
            name
            for word in phrase.words + phrase.kind
            for name in self.predicates.said_by(word.root)
        }
        return sorted(said)

    def _fit(self, name: str, phrase: Phrase, held: Held) -> float:
        """How much of the phrase the fact explains, and of its predicate the phrase: F1."""
        predicate = Predicate.of(name)
        kind = [word for word in phrase.kind if word.root in predicate.roots]
        words = {
            word: KNOWN_WEIGHT if self.predicates.said_by(word.root) and not word.aside else 1
            for word in phrase.words
            if word.root not in GENERIC or self.predicates.said_by(word.root)
        }
        words |= dict.fromkeys(kind, KNOWN_WEIGHT)
        matched = [word for word in words if word.root in predicate.all_roots]
        rest = [word for word in words if word not in matched]
        supported = [word for word in rest if word.root in roots_of(held.entry.said)]
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


def _ambiguous(found: dict[Found, list[Found]]) -> Ambiguous:
    """The things that a reference fits, each with the facts by which it matters which is meant."""
    candidates = []
    for start, ends in found.items():
        onward = [held for end in ends for held in end.path[len(start.path) :]]
        candidates.append(replace(start, path=(*start.path, *onward)))
    return Ambiguous(candidates)


def is_type(facts: FactLog, entity: str) -> bool:
    """Whether an entity is a type of others, and nothing else."""
    stated = facts.predicates(entity, outward=False)
    types = [name for name in stated if Predicate.of(name).shape == "type"]
    return bool(types) and types == stated and not facts.predicates(entity, outward=True)


@lru_cache(maxsize=10_000)
def roots_of(text: str) -> frozenset[str]:
    """The roots of all words of a text, however names in it are written."""
    return frozenset(map(root, (word for way in spellings(text) for word in way)))


def _tells(found: Found, outward: bool, phrase: Phrase) -> bool:
    """Whether what was found can be what the phrase asks for: a time, a place, an amount."""
    if phrase.asks == "where" and not outward and not phrase.passive:
        return False
    predicate = Predicate.of(found.path[-1].entry.predicate)
    if phrase.preposition and phrase.preposition == predicate.preposition:
        return phrase.asks != "when" or predicate.answers("when", found.entity, outward)
    return predicate.answers(phrase.asks, found.entity, outward)


def _directions(predicate: Predicate, phrase: Phrase) -> tuple[bool, ...]:
    """Whether to leave the inner thing outward (as the subject) or inward, in order of choice."""
    role, words = phrase.role, phrase.words
    if not any(word.root in predicate.all_roots for word in words):
        role, words = "possessor", phrase.kind  # said by what is asked for: "which owner"
    if predicate.roots & EITHER_WAY:
        return (False, True) if role in ("oblique", "value") else (True, False)
    if predicate.shape in ("noun", "type"):
        verb = predicate.words.isdisjoint(word.folded for word in words)
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
    if predicate.shape == "participle" and role == "oblique" and phrase.asks == "who":
        said = any(word.folded == predicate.participle for word in words)
        return (False,) if said or phrase.passive else ()  # nor WRITTEN_IN who writes
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


def _f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

"""Facts over time: a log that is only appended to, and what holds by it at any turn."""

from __future__ import annotations

from bisect import insort
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import takewhile

import networkx as nx

from ctxgraph.conversation import Turn

Key = tuple[str, ...]  # facts of which one holds at a time


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the log: a fact stated or retracted, as it was learned.

    `since` is the turn from which it counts, `turn` the one that said it, in the words `said`.
    """

    number: int
    fact_id: str
    subject: str
    predicate: str
    object: str
    since: int
    turn: int
    said: str
    retracts: bool = False

    @staticmethod
    def of(turn: Turn, number: int) -> Entry:
        """The entry that a turn with a fact makes."""
        fact = turn.fact
        return Entry(
            number,
            fact.id,
            fact.subject,
            fact.predicate,
            fact.object,
            turn.number if fact.since is None else fact.since,
            turn.number,
            turn.line,
            fact.retracts,
        )

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

    def end(self, outward: bool) -> str:
        """Its object if outward, else its subject."""
        return self.entry.object if outward else self.entry.subject

    @property
    def line(self) -> str:
        """The fact as a context line."""
        entry = self.entry
        end = "" if self.until is None else f", until {self.until}"
        return f"{entry.subject} {entry.predicate} {entry.object} (turn {entry.turn}{end})"


@dataclass(frozen=True)
class View:
    """The time that a question looks at: true at a turn, known at a turn."""

    as_of: int | None = None
    known_at: int | None = None


class FactLog:
    """Every fact stated or retracted, and the intervals over which they hold.

    A predicate that is functional holds one value at a time: what begins to hold ends what
    held before it, in the order of validity, whatever the order of arrival. The values of any
    other predicate add up. Nothing is deleted. Two times are kept apart, as in bitemporal
    databases (Snodgrass 1999, "Developing Time-Oriented Database Applications in SQL"): the
    turns at which a fact holds, and the turns in which that was learned.

    Parameters
    ----------
    functional : iterable of str
        Predicates.

    Attributes
    ----------
    graph : MultiDiGraph
        All facts that held at some turn, ended ones too: edges keyed by their entry's number,
        with `predicate`, `fact_id`, `turn`, `since`, `until` and `ended`.
    entries : list of Entry
        The log, in the order of arrival.
    notes : list of str
        What each further value of a predicate did: ended another, or was kept beside it.
    """

    def __init__(self, functional: Iterable[str] = ()) -> None:
        self.functional = frozenset(functional)
        self.graph = nx.MultiDiGraph()
        self.entries: list[Entry] = []
        self.notes: list[str] = []
        self._stated: dict[Key, list[Entry]] = {}
        self._held: dict[Key, list[Held]] = {}
        self._from: dict[str, dict[str, dict[Key, None]]] = {}
        self._to: dict[str, dict[str, dict[Key, None]]] = {}
        self._of: dict[str, dict[Key, None]] = {}

    def append(self, entry: Entry) -> None:
        """Add an entry, and bring what holds up to date in the same step."""
        self.entries.append(entry)
        subject, predicate, object_ = entry.subject, entry.predicate, entry.object
        key: Key = (subject, predicate) if predicate in self.functional else (
            subject, predicate, object_
        )  # fmt: skip
        self._from.setdefault(subject, {}).setdefault(predicate, {})[key] = None
        self._to.setdefault(object_, {}).setdefault(predicate, {})[key] = None
        self._of.setdefault(predicate, {})[key] = None
        stated, held = self._stated.setdefault(key, []), self._held.setdefault(key, [])
        insort(stated, entry)
        if stated[-1] is entry:
            old, before = held[-1:], _values(held[-1:])
            _apply(held, entry)
            new = held[-2:]
        else:  # it arrived late: what held before and after it may change
            old, before = held[:], _values(held)
            held[:] = intervals(stated)
            new = held
        kept = before & _values(new)
        self.graph.add_nodes_from((subject, object_))
        self.graph.remove_edges_from(_edge(item) for item in old if _value(item) not in kept)
        self.graph.add_edges_from(
            (*_edge(item), _attributes(item)) for item in new if _value(item) not in kept
        )
        self._note(entry, held)

    def facts(
        self, entity: str, predicate: str, outward: bool, view: View, past: bool = False
    ) -> Iterator[Held]:
        """Facts of a predicate at an entity: its subject if outward, else its object.

        Those that hold in the view, in the order in which their values were first stated; with
        `past` all that ever held.
        """
        index = self._from if outward else self._to
        for key in index.get(entity, {}).get(predicate, ()):
            for held in self._of_key(key, view):
                if held.end(not outward) == entity and (past or held.at(view.as_of)):
                    yield held

    def facts_of(self, predicate: str, view: View) -> Iterator[Held]:
        """Facts of a predicate that hold in the view."""
        for key in self._of.get(predicate, ()):
            yield from (held for held in self._of_key(key, view) if held.at(view.as_of))

    def predicates(self, entity: str, outward: bool) -> list[str]:
        """The predicates that an entity was stated to be subject of, or, inward, object of."""
        return list((self._from if outward else self._to).get(entity, ()))

    def holding(self, *, as_of: int | None = None, known_at: int | None = None) -> list[Held]:
        """All facts that hold at a turn (by default at the end), as known at a turn."""
        view = View(as_of, known_at)
        held = [item for predicate in self._of for item in self.facts_of(predicate, view)]
        return sorted(held, key=lambda item: item.entry.number)

    def all_held(self) -> list[Held]:
        """All that held at some turn, ended or not."""
        return [item for held in self._held.values() for item in held]

    def history(self, entity: str) -> list[Held]:
        """All that ever held of an entity, at either end, in the order in which it began."""
        held = {
            item
            for outward in (True, False)
            for predicate in self.predicates(entity, outward)
            for item in self.facts(entity, predicate, outward, View(), past=True)
        }
        return sorted(held, key=lambda item: (item.since, item.entry.number))

    def without(self, numbers: Collection[int]) -> list[Entry]:
        """The entries that are left when some are forgotten.

        With an entry that began or ended something go those of its key before it: it decided
        until when they held.
        """
        gone: set[int] = set()
        for stated in self._stated.values():
            held: list[Held] = []
            cut = 0
            for place, entry in enumerate(stated):
                before = len(held), _values(held[-1:])
                _apply(held, entry)
                changed = before != (len(held), _values(held[-1:]))
                if entry.number in numbers:
                    gone.add(entry.number)
                    cut = place + 1 if changed else cut
            while 0 < cut < len(stated) and stated[cut].retracts:  # of nothing any more
                cut += 1
            gone.update(entry.number for entry in stated[:cut])
        return [entry for entry in self.entries if entry.number not in gone]

    def _of_key(self, key: Key, view: View) -> list[Held]:
        if view.known_at is None:
            return self._held[key]
        return intervals(entry for entry in self._stated[key] if entry.turn <= view.known_at)

    def _note(self, entry: Entry, held: list[Held]) -> None:
        what = f"turn {entry.turn}: {entry.subject} {entry.predicate} {entry.object}"
        others = len(self._from[entry.subject][entry.predicate]) - 1
        if entry.retracts:
            ended = any(item.ended == entry.turn for item in held[-2:])
            self.notes.append(f"{what} {'ended' if ended else 'retracted, but did not hold'}")
        elif entry.predicate in self.functional and (other := self._replaced(entry)):
            self.notes.append(f"{what} took the place of {other}, stated for the same turn")
        elif entry.predicate in self.functional and len(held) > 1:
            if held[-1].entry is entry:
                if held[-2].until == entry.since and held[-2].ended == entry.turn:
                    self.notes.append(f"{what} superseded another value: one holds at a time")
            elif self._stated[entry.subject, entry.predicate][-1] is not entry:
                self.notes.append(f"{what} held in the past: a later value is known")
        elif entry.predicate not in self.functional and others:
            self.notes.append(f"{what} kept beside {others} more: predicate not functional")

    def _replaced(self, entry: Entry) -> str:
        """Another value that was stated for the same turn, and so held at none."""
        stated = reversed(self._stated[entry.subject, entry.predicate])
        same = takewhile(lambda other: other.since >= entry.since, stated)
        values = (other.object for other in same if other.since == entry.since)
        return next((value for value in values if value != entry.object), "")


def intervals(entries: Iterable[Entry]) -> list[Held]:
    """Replay entries of one key, in the order of validity, to what held when."""
    held: list[Held] = []
    for entry in entries:
        _apply(held, entry)
    return held


def _apply(held: list[Held], entry: Entry) -> None:
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


def _value(held: Held) -> tuple[int, int, int | None, int | None]:
    return held.entry.number, held.since, held.until, held.ended


def _values(held: Iterable[Held]) -> set[tuple[int, int, int | None, int | None]]:
    return set(map(_value, held))


def _edge(held: Held) -> tuple[str, str, int]:
    return held.entry.subject, held.entry.object, held.entry.number


def _attributes(held: Held) -> dict[str, str | int | None]:
    return {
        "predicate": held.entry.predicate,
        "fact_id": held.entry.fact_id,
        "turn": held.entry.turn,
        "since": held.since,
        "until": held.until,
        "ended": held.ended,
    }

"""Predicates as language: which words say them, and what they can answer."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Set
from dataclasses import dataclass
from functools import cache, cached_property

from ctxgraph.words import (
    APART,
    CALENDAR,
    CLASS_OF,
    IRREGULAR,
    LIGHT,
    MANNER,
    NUMBERS,
    OF,
    PLACING,
    PREPOSITIONS,
    REASONS,
    TIMES,
    root,
    words_of,
)

DATE = re.compile(r"\d{4}(?:-\d\d)*|\d{1,2}[:.]\d\d.*")


@dataclass(frozen=True)
class Predicate:
    """A predicate as language: which words say it, and which end of it is which.

    `shape` is "by" (OWNED_BY: the subject undergoes), "participle" (STORED_IN), "verb"
    (DEPENDS_ON: the subject acts), "type" (IS_A), "of" (CAPITAL_OF: what the subject is to the
    object) or "noun" (HAS_OWNER).
    """

    name: str
    roots: frozenset[str]
    shape: str
    participle: str
    preposition: str  # at its end, if any

    @staticmethod
    @cache
    def of(name: str) -> Predicate:
        """Read a predicate such as ASSIGNED_TO."""
        words = words_of(name)
        first, last = (words[0], words[-1]) if words else ("", "")
        content = [word for word in words if word not in LIGHT and CLASS_OF.get(word) is None]
        content = content or [word for word in words if CLASS_OF.get(word) in (None, "H")]
        shape = "noun"
        if first == "is" and len(words) > 1:
            shape = "type"
        elif last == "by":
            shape = "by"
        elif first in ("has", "have", "had"):
            shape = "noun"
        elif last in OF and not first.endswith(("s", "ed")) and first not in IRREGULAR:
            shape = "of"
        elif last in PREPOSITIONS and not first.endswith("s"):
            shape = "participle"
        elif first.endswith(("s", "ed")) and not first.endswith("ss"):
            shape = "verb"
        participle = first if shape in ("by", "participle") else ""
        preposition = last if last in PREPOSITIONS or last == "by" else ""
        return Predicate(name, frozenset(map(root, content)), shape, participle, preposition)

    def answers(self, asks: str, value: str, outward: bool) -> bool:
        """Whether a value can be what a question asks for: a reason, a time, a place, an amount.

        Parameters
        ----------
        asks : str
            "why", "when", "where", "how", "much" or "amount" (how many, how long, how often);
            for any other any will do.
        value : str
            The entity to be answered.
        outward : bool
            Whether it is the object.
        """
        if asks == "why":
            return bool(self.words & REASONS)
        if asks in ("much", "amount"):
            noun = asks == "much" and self.shape == "noun"
            return noun or bool(self.words & NUMBERS) or value[:1].isdigit()
        time = bool(CALENDAR.intersection(words_of(value)) or DATE.fullmatch(value))
        if asks == "when":
            return time or bool(self.words & TIMES) or value[:1].isdigit()
        if asks in ("where", "how"):
            means = PLACING if asks == "where" else PLACING | MANNER
            fits = self.shape == "noun" or not outward or bool(self.words & means)
            return fits and (asks == "how" or not time)
        return True

    def follows(self, preposition: str) -> bool:
        """Whether it may be meant where a question says this preposition."""
        ours, theirs = self.preposition, preposition
        if not ours or not theirs or "of" in (ours, theirs):
            return True
        return ours == theirs or not {ours, theirs} & APART

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of its name."""
        return frozenset(words_of(self.name))

    @cached_property
    def all_roots(self) -> frozenset[str]:
        """The roots of its light words too: "uses" in USES_STORAGE."""
        return self.roots | {root(word) for word in self.words & LIGHT}


class Predicates:
    """The predicates that a graph holds, by the words that say them.

    Attributes
    ----------
    participles : set of str
        First words of predicates such as MADE_BY.
    """

    def __init__(self) -> None:
        self.participles: set[str] = set()
        self._names: dict[str, set[str]] = defaultdict(set)

    def add(self, name: str) -> None:
        """Know a predicate."""
        predicate = Predicate.of(name)
        for said in predicate.all_roots:
            self._names[said].add(name)
        if predicate.participle:
            self.participles.add(predicate.participle)

    def said_by(self, root: str) -> Set[str]:
        """The names of the predicates that a root says."""
        return self._names.get(root, frozenset())

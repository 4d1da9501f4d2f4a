"""An index of names: which of many names stand in a text, at the price of the text."""

from __future__ import annotations

import re
from collections.abc import Sequence

WORDS = re.compile(r"\w+")


class NameIndex:
    """Finds whole names in a text, the longest at each place, in any case.

    A text of n words costs n look-ups, more only where a word of it begins a name of
    several words; the number of names does not matter.

    Examples
    --------
    >>> names = NameIndex()
    >>> for name in ("Entity_5", "Entity_500", "rate limiter", "rate limiter config"):
    ...     names.add(name, name.title())
    >>> names.find("Does entity_500 use the Rate Limiter config?")
    ['Entity_500', 'Rate Limiter Config']
    """

    def __init__(self) -> None:
        self._entities: dict[str, tuple[str, ...]] = {}
        # lengths, in words, of the longer names, by their first word
        self._lengths: dict[str, set[int]] = {}

    def add(self, name: str, entity: str) -> None:
        """Let a name stand for an entity; a name may stand for several."""
        self.add_words(WORDS.findall(name.lower()), entity)

    def add_words(self, words: Sequence[str], entity: str) -> None:
        """Let a name, given as its words, stand for an entity."""
        key = " ".join(words)
        known = self._entities.get(key, ())
        if words and entity not in known:
            self._entities[key] = (*known, entity)
            if len(words) > 1:
                self._lengths.setdefault(words[0], set()).add(len(words))

    def get(self, words: Sequence[str]) -> tuple[str, ...]:
        """The entities that exactly these words stand for."""
        return self._entities.get(" ".join(words), ())

    def find(self, text: str) -> list[str]:
        """The entities whose names stand in the text, in their order there, each once."""
        spans = self.spans(WORDS.findall(text.lower()))
        return list(dict.fromkeys(entity for _, _, entities in spans for entity in entities))

    def spans(self, words: Sequence[str]) -> list[tuple[int, int, tuple[str, ...]]]:
        """Where names stand among words: start, stop, and the entities that they name."""
        found: list[tuple[int, int, tuple[str, ...]]] = []
        place = 0
        while place < len(words):
            lengths = {1, *self._lengths.get(words[place], ())}
            for length in sorted(lengths, reverse=True):
                entities = self.get(words[place : place + length])
                if entities and place + length <= len(words):
                    found.append((place, place + length, entities))
                    place += length - 1
                    break
            place += 1
        return found

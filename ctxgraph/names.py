"""An index of names: which of many names stand in a text, at the price of the text."""

from __future__ import annotations

import re

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
        words = WORDS.findall(name.lower())
        key = " ".join(words)
        known = self._entities.get(key, ())
        if words and entity not in known:
            self._entities[key] = (*known, entity)
            if len(words) > 1:
                self._lengths.setdefault(words[0], set()).add(len(words))

    def find(self, text: str) -> list[str]:
        """The entities whose names stand in the text, in their order there, each once."""
        words = WORDS.findall(text.lower())
        found: dict[str, None] = {}
        place = 0
        while place < len(words):
            step = 1
            for length in sorted({1, *self._lengths.get(words[place], ())}, reverse=True):
                entities = self._entities.get(" ".join(words[place : place + length]))
                if entities and place + length <= len(words):
                    found.update(dict.fromkeys(entities))
                    step = length
                    break
            place += step
        return list(found)

"""What every memory keeps to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from ctxgraph.conversation import Question, Turn, Vocabulary

UNKNOWN = "UNKNOWN"


@dataclass(frozen=True)
class Answer:
    """What a memory says to a question.

    Parameters
    ----------
    text : str
        The answer; `UNKNOWN` where the memory has none.
    context : tuple of str
        The lines that a model would be sent, the question not among them.
    sources : tuple of int
        Numbers of the turns that the context comes from.
    """

    text: str
    context: tuple[str, ...] = ()
    sources: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse a context that is one string, of which each character would be a line."""
        if isinstance(self.context, str):
            raise TypeError(f"context is a tuple of lines, not {self.context!r}")


class Memory(Protocol):
    """One architecture. It is made anew for each conversation, from its `Vocabulary`.

    A memory that sets `reads_label = True` is told the type of each question; no other is.
    """

    def ingest(self, turn: Turn) -> None:
        """Take in the next turn; turns come in the order of their numbers."""

    def answer(self, question: Question) -> Answer:
        """Answer from the turns taken in so far, without changing them.

        Any text is a question, the empty one too, and may come before the first turn: where
        there is nothing to say the answer's text is `UNKNOWN`.
        """


MakeMemory = Callable[[Vocabulary], Memory]

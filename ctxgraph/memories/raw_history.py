"""Raw history dump: send the whole transcript with every question."""

from __future__ import annotations

from ctxgraph.conversation import Question, Turn, Vocabulary
from ctxgraph.memories.base import UNKNOWN, Answer
from ctxgraph.text import key_terms


class RawHistoryDump:
    """The article's architecture 1: every turn, verbatim, is the context.

    Its reader, standing in for a model, scans from the latest turn back for the line that
    shares most key terms with the question.
    """

    title = "Raw history dump"

    def __init__(self, vocabulary: Vocabulary | None = None) -> None:
        self._turns: list[Turn] = []

    def ingest(self, turn: Turn) -> None:
        """Append the turn to the transcript."""
        self._turns.append(turn)

    def answer(self, question: Question) -> Answer:
        """Answer with the best line; `UNKNOWN` where none shares a key term."""
        context = tuple(turn.line for turn in self._turns)
        asked = key_terms(question.text)
        score, line = 0, UNKNOWN
        for candidate in reversed(context):
            shared = len(asked & key_terms(candidate))
            if shared > score:
                score, line = shared, candidate
        return Answer(line, context, tuple(turn.number for turn in self._turns))

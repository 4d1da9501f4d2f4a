"""Vector-only RAG: send the turns most similar to the question."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from ctxgraph.conversation import Question, Turn, Vocabulary
from ctxgraph.memories.base import UNKNOWN, Answer

ANALYZE = TfidfVectorizer().build_analyzer()


class VectorRAG:
    """The article's architecture 2: TF-IDF over every turn, refitted at each question.

    Parameters
    ----------
    vocabulary : Vocabulary, optional
        Not used: similarity needs no names.
    top_k : int
        Turns sent with a question; fewer where fewer have any similarity.
    """

    title = "Vector-only RAG"

    def __init__(self, vocabulary: Vocabulary | None = None, top_k: int = 3) -> None:
        if top_k < 1:
            raise ValueError(f"top_k is {top_k}; it must be at least 1")
        self.top_k = top_k
        self._turns: list[Turn] = []

    def ingest(self, turn: Turn) -> None:
        """Keep the turn as one chunk."""
        self._turns.append(turn)

    def answer(self, question: Question) -> Answer:
        """Answer with the most similar turn; `UNKNOWN` where none has any similarity."""
        best = self._retrieve(question.text)
        lines = tuple(turn.line for turn in best)
        sources = tuple(turn.number for turn in best)
        return Answer(lines[0] if lines else UNKNOWN, lines, sources)

    def _retrieve(self, text: str) -> list[Turn]:
        if not self._turns or not ANALYZE(text):
            return []
        matrix = TfidfVectorizer().fit_transform([*(turn.line for turn in self._turns), text])
        # rows have length 1, so the dot product is the cosine
        similarity = (matrix[:-1] @ matrix[-1].T).toarray().ravel()
        return [self._turns[i] for i in rank(similarity, self.top_k)]


def rank(similarity: np.ndarray, top_k: int) -> np.ndarray:
    """Places of the most similar turns above 0, of equal ones the later first.

    Similarities count as equal where they agree to 12 decimals: sums of floats are no
    closer, and machines differ beyond.
    """
    similarity = similarity.round(12)
    top_k = min(top_k, len(similarity))
    least = max(np.partition(similarity, -top_k)[-top_k], np.nextafter(0, 1))
    best = np.flatnonzero(similarity >= least)
    return best[np.argsort(similarity[best], kind="stable")[::-1]][:top_k]

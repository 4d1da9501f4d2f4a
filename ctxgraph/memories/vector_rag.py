"""Vector-only RAG: send the turns most similar to the question."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from ctxgraph.conversation import Question, Turn, Vocabulary
from ctxgraph.memories.base import UNKNOWN, Answer


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
        vectorizer = TfidfVectorizer()
        if not self._turns or not vectorizer.build_analyzer()(text):
            return []
        matrix = vectorizer.fit_transform([*(turn.line for turn in self._turns), text])
        # rows have length 1, so the dot product is the cosine
        similarity = (matrix[:-1] @ matrix[-1].T).toarray().ravel()
        # of equal ones the later turn comes first
        ranking = np.argsort(similarity, kind="stable")[::-1][: self.top_k]
        return [self._turns[i] for i in ranking if similarity[i] > 0]

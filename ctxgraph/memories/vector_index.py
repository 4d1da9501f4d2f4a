"""Vector-only RAG on an index that grows with each turn."""

from __future__ import annotations

from array import array
from collections import Counter

import numpy as np
from scipy.sparse import csr_array

from ctxgraph.conversation import Turn, Vocabulary
from ctxgraph.memories.vector_rag import ANALYZE, VectorRAG, rank


class VectorIndex(VectorRAG):
    """The same retrieval as `VectorRAG` without fitting anything anew at a question.

    A turn's words are counted once, when it is taken in. At a question the weights of the
    words follow from the counts, and two products of a sparse matrix and a vector give all
    similarities: the work still grows with the number of turns, but no text is read again.

    The similarities are those of a refit over the same turns, summed in another order. Two
    turns can change places only where theirs differ by less than the twelfth decimal.

    Parameters
    ----------
    vocabulary : Vocabulary, optional
        Not used: similarity needs no names.
    top_k : int
        Turns sent with a question; fewer where fewer have any similarity.
    """

    title = "Vector-only RAG, growing index"

    def __init__(self, vocabulary: Vocabulary | None = None, top_k: int = 3) -> None:
        super().__init__(vocabulary, top_k)
        self._ids: dict[str, int] = {}
        self._frequency = array("d")  # by word: the turns that hold it
        # the counts of words in turns, and their squares, as sparse matrices in compressed rows
        self._counts, self._squares = array("d"), array("d")
        self._words, self._ends = array("i"), array("i", [0])

    def ingest(self, turn: Turn) -> None:
        """Count the turn's words."""
        super().ingest(turn)
        for word, count in sorted(Counter(ANALYZE(turn.line)).items()):
            place = self._ids.setdefault(word, len(self._ids))
            if place == len(self._frequency):
                self._frequency.append(0)
            self._frequency[place] += 1
            self._words.append(place)
            self._counts.append(count)
            self._squares.append(count * count)
        self._ends.append(len(self._words))

    def _retrieve(self, text: str) -> list[Turn]:
        asked = Counter(ANALYZE(text))
        known = [word for word in sorted(asked) if word in self._ids]
        if not known:
            return []
        # the question counts as one more text, as in a refit
        places = [self._ids[word] for word in known]
        frequency = np.array(self._frequency)
        frequency[places] += 1
        weights = np.log((len(self._turns) + 2) / (frequency + 1)) + 1
        unseen = np.log((len(self._turns) + 2) / 2) + 1

        vector = np.zeros(len(weights))
        vector[places] = weights[places] * [asked[word] for word in known]
        others = [count * unseen for word, count in asked.items() if word not in self._ids]
        vector /= np.sqrt((vector**2).sum() + sum(weight**2 for weight in others))

        products = self._matrix(self._counts) @ (weights * vector)
        squares = self._matrix(self._squares) @ weights**2
        # a turn with any word has squares of at least 1, one without has no product
        similarity = products / np.sqrt(np.maximum(squares, 1))
        return [self._turns[i] for i in rank(similarity, self.top_k)]

    def _matrix(self, values: array[float]) -> csr_array:
        parts = (np.frombuffer(values), np.frombuffer(self._words, "i"))
        ends = np.frombuffer(self._ends, "i")
        return csr_array((*parts, ends), shape=(len(self._turns), len(self._ids)))

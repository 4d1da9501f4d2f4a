"""The memories, one file each, and the one registry that names them."""

from collections.abc import Iterable
from functools import partial
from inspect import signature

from ctxgraph.memories.base import UNKNOWN, Answer, MakeMemory, Memory
from ctxgraph.memories.context_graph import ContextGraph
from ctxgraph.memories.raw_history import RawHistoryDump
from ctxgraph.memories.temporal_graph import TemporalGraph
from ctxgraph.memories.vector_rag import VectorRAG

MEMORIES: dict[str, MakeMemory] = {
    "raw_history": RawHistoryDump,
    "vector_rag": VectorRAG,
    "context_graph": ContextGraph,
    "temporal_graph": TemporalGraph,
}

__all__ = [
    "MEMORIES",
    "UNKNOWN",
    "Answer",
    "ContextGraph",
    "MakeMemory",
    "Memory",
    "RawHistoryDump",
    "TemporalGraph",
    "VectorRAG",
    "select",
]


def select(names: Iterable[str] | str | None = None, top_k: int = 3) -> dict[str, MakeMemory]:
    """Pick memories from the registry.

    Parameters
    ----------
    names : iterable of str, or str, optional
        Registered names, in a string with spaces between them; all of them by default.
    top_k : int
        Turns sent with a question, by the memories that take it.

    Returns
    -------
    dict
        Name to what makes the memory, as `ctxgraph.benchmark.run` takes it.

    Raises
    ------
    ValueError
        A name is not in the registry.
    """
    names = names.split() if isinstance(names, str) else names
    selected = {}
    for name in MEMORIES if names is None else names:
        if name not in MEMORIES:
            raise ValueError(f"no memory {name!r}; there are {', '.join(MEMORIES)}")
        make = MEMORIES[name]
        searches = "top_k" in signature(make).parameters
        selected[name] = partial(make, top_k=top_k) if searches else make
    return selected

"""Ingest and question time against size. Ratios within one run mean something, seconds little."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import count, islice
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from psutil import Process
from tqdm import tqdm

from ctxgraph.conversation import DATA, Fact, Question, Turn
from ctxgraph.memories import ContextGraph, Memory, RawHistoryDump, TemporalGraph, VectorRAG
from ctxgraph.memories.vector_index import VectorIndex

SIZES, GRAPH_SIZES = (1_000, 4_000, 16_000, 64_000), (1_000_000,)
RECORDED = DATA / "latency.csv"
RUNS = 3  # of which the medians are recorded: machines have bad moments
TEAMS = 97
CALLS, SECONDS = 200, 2.0  # timed at each size: so many calls, fewer where they take longer


def fact(number: int, teams: int = TEAMS) -> Turn:
    """The turn that states that an entity of its own is owned by one of the teams."""
    entity, team = f"Entity_{number}", f"Team_{number % teams}"
    return Turn(
        number=number,
        speaker="Agent_A",
        text=f"{entity} is owned by {team}.",
        fact=Fact(id=f"f{number}", subject=entity, predicate="OWNED_BY", object=team),
    )


def question(number: int) -> Question:
    """The question for an entity's owner."""
    return Question(number=number, speaker="Agent_B", text=f"Who is Entity_{number} owned by?")


def measure(
    memory: Memory, sizes: Iterable[int], timed: dict[str, Any] | None = None
) -> pd.DataFrame:
    """Time a memory at growing sizes.

    Parameters
    ----------
    memory : Memory
        An empty one.
    sizes : iterable of int
        Facts in the memory, one entity each.
    timed : dict, optional
        Attributes of the memory to set for the timed calls alone, so that a slow behaviour
        need not fill the memory too.

    Returns
    -------
    DataFrame
        One row per size: `size`, and the median `ingest` and `question` in seconds.
    """
    rows, stored = [], 0
    plain = {name: getattr(memory, name) for name in timed or {}}
    for size in tqdm(sorted(sizes), desc="sizes", disable=None):
        for number in range(stored, size):
            memory.ingest(fact(number))
        _set(memory, timed or {})
        numbers = count(size)
        ingest = _median(memory.ingest, map(fact, numbers))
        answer = _median(memory.answer, (question(number % size) for number in count(step=997)))
        _set(memory, plain)
        stored = next(numbers)
        rows.append({"size": size, "ingest": ingest, "question": answer})
    return pd.DataFrame(rows)


def compare(sizes: Iterable[int], graph_sizes: Iterable[int] = ()) -> pd.DataFrame:
    """Time every memory, as the article describes it and as it is here.

    Parameters
    ----------
    sizes : iterable of int
        Facts.
    graph_sizes : iterable of int
        Further sizes for the context graph as it is here.

    Returns
    -------
    DataFrame
        `memory` (registered name), `behaviour` ("article" or "fast"), then as `measure`.
    """
    contenders = [
        ("raw_history", "article", RawHistoryDump(), sizes, None),
        ("vector_rag", "article", VectorRAG(), sizes, None),
        ("vector_rag", "fast", VectorIndex(), sizes, None),
        ("context_graph", "article", ContextGraph(), sizes, {"scan": True}),
        ("context_graph", "fast", ContextGraph(), [*sizes, *graph_sizes], None),
        ("temporal_graph", "fast", TemporalGraph(), sizes, None),
    ]
    return pd.concat(
        [
            measure(memory, at, timed).assign(memory=name, behaviour=behaviour)
            for name, behaviour, memory, at, timed in contenders
        ],
        ignore_index=True,
    )[["memory", "behaviour", "size", "ingest", "question"]]


def medians(timed: Callable[[], pd.DataFrame], keys: list[str]) -> pd.DataFrame:
    """The medians of a few runs of a comparison, by its key columns."""
    runs = pd.concat([timed() for _ in range(RUNS)])
    return runs.groupby(keys, sort=False).median().reset_index()


def slopes(table: pd.DataFrame) -> pd.Series:
    """Slopes of log time over log size: 0 is O(1), 1 is O(N).

    Parameters
    ----------
    table : DataFrame
        As `measure` returns it, of at least two sizes.

    Returns
    -------
    Series
        The slope for `ingest` and for `question`.

    Raises
    ------
    ValueError
        There are not two sizes.
    """
    if table["size"].nunique() < 2:
        raise ValueError("a slope needs two sizes")
    logs = np.log(table[["size", "ingest", "question"]])
    return pd.Series(
        {name: np.polyfit(logs["size"], logs[name], 1)[0] for name in ("ingest", "question")}
    )


def bench(size: int = 16_000, large: int = 1_000_000, hub: int = 100_000) -> pd.DataFrame:
    """Compare the memories with the article's behaviours, and large with small.

    Returns
    -------
    DataFrame
        `what`, `size` (facts), `reference_seconds`, `seconds` and their `ratio`: above 1
        where the measured is faster than what it is compared with.
    """
    scanned = measure(ContextGraph(), [size], {"scan": True}).iloc[0]
    indexed = measure(ContextGraph(), [size]).iloc[0]
    refitted = measure(VectorRAG(), [size]).iloc[0]
    grown = measure(VectorIndex(), [size]).iloc[0]
    small, big = measure(ContextGraph(), [1_000, large]).to_dict("records")
    few, many = measure(TemporalGraph(), [1_000, hub]).to_dict("records")
    rows = [
        ("graph ingest", size, scanned["ingest"], indexed["ingest"]),
        ("graph question", size, scanned["question"], indexed["question"]),
        ("vector question", size, refitted["question"], grown["question"]),
        ("bare add_edge", size, bare_add_edge(size), indexed["ingest"]),
        ("graph ingest, against 1,000 facts", large, small["ingest"], big["ingest"]),
        ("graph question, against 1,000 facts", large, small["question"], big["question"]),
        ("graph question beside a hub", hub, *beside_hub(ContextGraph(), hub)),
        ("temporal ingest, against 1,000 facts", hub, few["ingest"], many["ingest"]),
        ("temporal question, against 1,000 facts", hub, few["question"], many["question"]),
        ("temporal question beside a hub", hub, *beside_hub(TemporalGraph(), hub)),
    ]
    table = pd.DataFrame(rows, columns=["what", "size", "reference_seconds", "seconds"])
    return table.assign(ratio=table["reference_seconds"] / table["seconds"])


def bare_add_edge(size: int) -> float:
    """Median seconds of adding an edge to a NetworkX graph of that many, and nothing else."""
    graph = nx.MultiDiGraph()
    graph.add_edges_from((f"Entity_{number}", f"Team_{number % TEAMS}") for number in range(size))
    added = ((f"Entity_{number}", f"Team_{number % TEAMS}") for number in count(size))
    return _median(lambda edge: graph.add_edge(*edge), added)


def beside_hub(memory: Memory, degree: int) -> tuple[float, float]:
    """Median seconds of a question, without and with an entity of that many edges beside."""
    for number in range(1_000):
        memory.ingest(fact(number))
    without = _median(memory.answer, (question(number) for number in range(CALLS)))
    for number in range(1_000, 1_000 + degree):
        memory.ingest(fact(number, teams=1))
    return without, _median(memory.answer, (question(number) for number in range(CALLS)))


def resident_gigabytes(size: int = 1_000_000) -> tuple[float, float]:
    """Resident memory of a process that holds so many facts in a bare graph; in a ContextGraph."""
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        return pool.submit(_hold_bare, size).result(), pool.submit(_hold, size).result()


def _hold_bare(size: int) -> float:
    graph = nx.MultiDiGraph()
    for number in range(size):
        stated = fact(number).fact
        graph.add_edge(stated.subject, stated.object)
    return Process().memory_info().rss / 1e9


def _hold(size: int) -> float:
    memory = ContextGraph()
    for number in range(size):
        memory.ingest(fact(number))
    return Process().memory_info().rss / 1e9


def _median(call: Callable[[Any], object], arguments: Iterable[Any]) -> float:
    seconds: list[float] = []
    for argument in islice(arguments, CALLS):
        start = perf_counter()
        call(argument)
        seconds.append(perf_counter() - start)
        if sum(seconds) > SECONDS and len(seconds) >= 5:
            break
    return median(seconds[len(seconds) // 5 :])  # the first ones warm up


def _set(memory: Memory, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(memory, name, value)


def main() -> None:
    """Print the comparison and write it to build/bench.csv; with --record, time all anew."""
    parser = argparse.ArgumentParser(prog="python -m ctxgraph.latency", description=__doc__)
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.name} anew instead")
    if parser.parse_args().record:
        keys = ["memory", "behaviour", "size"]
        table, path = medians(lambda: compare(SIZES, GRAPH_SIZES), keys), RECORDED
    else:
        table, path = bench(), Path("build") / "bench.csv"
    path.parent.mkdir(exist_ok=True)
    table.to_csv(path, index=False, float_format="%.3g")
    print(table.to_string(index=False, float_format="{:.3g}".format))
    if path != RECORDED:
        bare, held = resident_gigabytes()
        print(f"resident at 1,000,000 facts: {held:.2f} GB; bare NetworkX graph: {bare:.2f} GB")
    print(f"wrote {path}")


if __name__ == "__main__":
    main()

"""What keeping facts costs: in memory, in a SQLite file, on a graph server. Ratios, in one run."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import count, islice
from pathlib import Path
from statistics import median
from time import perf_counter

import pandas as pd

from ctxgraph import server
from ctxgraph.bolt import GraphServer
from ctxgraph.conversation import DATA, Fact, Turn, Vocabulary
from ctxgraph.facts import FactLog
from ctxgraph.latency import fact, medians, question
from ctxgraph.memories import TemporalGraph
from ctxgraph.store import FactStore

RECORDED = DATA / "persistence.csv"
SHARED = Vocabulary(functional=("OWNED_BY",))
EXPORTED, APPENDED = 10_000, 20_000  # facts


def bench(exported: int = EXPORTED, appended: int = APPENDED) -> pd.DataFrame:
    """Compare writing in batches with writing one by one.

    Returns
    -------
    DataFrame
        `what`, `size` (facts), `reference_seconds` (one by one), `seconds` (in batches) and
        their `ratio`. The export is left out where there is no server.
    """
    rows = [("append to SQLite", appended, *_appending(appended))]
    with server.running() if server.available() else nullcontext() as settings:
        if settings:
            with server.connect(settings) as graph:
                rows.append(("export to the graph server", exported, *_exporting(graph, exported)))
    table = pd.DataFrame(rows, columns=["what", "size", "reference_seconds", "seconds"])
    return table.assign(ratio=table["reference_seconds"] / table["seconds"])


def compare(size: int = 1_000) -> pd.DataFrame:
    """Time writing a fact and asking for one, kept in each way.

    Returns
    -------
    DataFrame
        `kept` ("memory", "SQLite", "graph server"), `write` and `ask`, medians in seconds; the
        question on the server is a walk in Cypher, from a name and a predicate, with no text
        to read.
    """
    rows = []
    memory = TemporalGraph()
    memory.ingest_all(fact(number) for number in range(size))
    rows.append(("memory", *_times(memory, size)))
    with tempfile.TemporaryDirectory() as folder, _kept(Path(folder), size) as memory:
        rows.append(("SQLite", *_times(memory, size)))
    with server.running() as settings, server.connect(settings) as graph:
        graph.write((fact(number) for number in range(size)), "times")
        write = _median(lambda i: graph.write([fact(size + i)], "times"))
        ask = _median(lambda i: graph.follow(f"Entity_{i}", [("OWNED_BY", True)], "times"))
        rows.append(("graph server", write, ask))
        graph.forget("times")
    return pd.DataFrame(rows, columns=["kept", "write", "ask"])


def kill(path: Path, facts: int) -> pd.Series:
    """Kill an agent, in a process of its own, that has written facts and goes on writing.

    Parameters
    ----------
    path : Path
        A new file.
    facts : int
        Writes to wait for.

    Returns
    -------
    Series
        `signal` that ended it, `returned` (writes that had returned), `missing` (those of them
        that are not in the file), `besides` (facts in the file beyond them), `gaps` (facts that
        are not in the file though a later one is).
    """
    TemporalGraph.open(path, vocabulary=SHARED).close()
    command = _agent(path, "Agent_1", 10**6)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        said = [writer.stdout.readline() for _ in range(facts)]
        writer.kill()
        said += writer.stdout.readlines()
    returned = {int(line) for line in said if line.endswith("\n")}
    with TemporalGraph.open(path) as memory:
        stored = {int(entry.fact_id.rpartition("_")[2]) for entry in memory.facts.entries}
    return pd.Series(
        {
            "signal": -writer.returncode,
            "returned": len(returned),
            "missing": len(returned - stored),
            "besides": len(stored - returned),
            "gaps": len(set(range(max(stored, default=-1) + 1)) - stored),
        }
    )


def share(path: Path, facts: int) -> pd.Series:
    """Let two agents, in a process each, set the same functional value as fast as they can.

    Parameters
    ----------
    path : Path
        A new file.
    facts : int
        Writes of each.

    Returns
    -------
    Series
        `failed` (agents), `by_Agent_1` and `by_Agent_2` (facts of each in the file), `current`
        (values that hold at the end).
    """
    TemporalGraph.open(path, vocabulary=SHARED).close()
    names = ("Agent_1", "Agent_2")
    agents = [
        subprocess.Popen(_agent(path, name, facts), stdout=subprocess.DEVNULL) for name in names
    ]
    failed = sum(process.wait() != 0 for process in agents)
    with TemporalGraph.open(path) as memory:
        ids = [entry.fact_id for entry in memory.facts.entries]
        current = len(memory.facts.holding())
    by = {f"by_{name}": sum(fact_id.startswith(name) for fact_id in ids) for name in names}
    return pd.Series({"failed": failed, **by, "current": current})


def _agent(path: Path, name: str, facts: int) -> list[str]:
    """The command of an agent that writes facts to a file, one by one.

    Every fact says who owns `Shared`: the agent itself, anew. It prints the number of each as
    soon as its write has returned.
    """
    return [sys.executable, "-m", "ctxgraph.persistence", "--agent", str(path), name, str(facts)]


def _act(path: str, name: str, facts: int) -> None:
    with TemporalGraph.open(path) as memory:
        for number in range(facts):
            value = f"{name}_{number}"
            stated = Fact(id=value, subject="Shared", predicate="OWNED_BY", object=value)
            turn = Turn(number=memory.next_turn, speaker=name, text="Mine now.", fact=stated)
            memory.ingest(turn)
            print(number, flush=True)


@contextmanager
def _kept(folder: Path, size: int) -> Iterator[TemporalGraph]:
    with TemporalGraph.open(folder / "facts.db") as memory:
        memory.ingest_all(fact(number) for number in range(size))
        yield memory


def _times(memory: TemporalGraph, size: int) -> tuple[float, float]:
    write = _median(lambda i: memory.ingest(fact(size + i)))
    return write, _median(lambda i: memory.answer(question(i)))


def _median(call: Callable[[int], object], calls: int = 100) -> float:
    seconds = []
    for i in islice(count(), calls):
        start = perf_counter()
        call(i)
        seconds.append(perf_counter() - start)
    return median(seconds[calls // 5 :])  # the first ones warm up


def _seconds(call: Callable[[], object]) -> float:
    start = perf_counter()
    call()
    return perf_counter() - start


def _appending(size: int) -> tuple[float, float]:
    turns = [fact(number) for number in range(size)]
    with tempfile.TemporaryDirectory() as folder:
        one = FactStore(Path(folder) / "one.db")
        all_ = FactStore(Path(folder) / "all.db")
        batch = _seconds(lambda: all_.append(turns))  # first: one by one keeps the disk busy
        single = _seconds(lambda: [one.append([turn]) for turn in turns])
        one.close()
        all_.close()
    return single, batch


def _exporting(graph: GraphServer, size: int) -> tuple[float, float]:
    memory = TemporalGraph()
    memory.ingest_all(fact(number) for number in range(size))
    graph.export(FactLog(), "one")  # makes the constraints, for both
    times = (
        _seconds(lambda: _one_by_one(graph, memory.facts, "one")),
        _seconds(lambda: graph.export(memory.facts, "all")),
    )
    graph.forget("one")
    graph.forget("all")
    return times


def _one_by_one(graph: GraphServer, log: FactLog, conversation: str) -> None:
    """A statement and a transaction for each fact, as the article does."""
    graph.export(log, conversation, batch=1)


def main() -> None:
    """Print the comparison and add it to build/bench.csv; with --record, time all anew."""
    parser = argparse.ArgumentParser(prog="python -m ctxgraph.persistence", description=__doc__)
    parser.add_argument("--record", action="store_true", help=f"write {RECORDED.name} instead")
    parser.add_argument("--agent", nargs=3, metavar=("PATH", "NAME", "FACTS"), help="write facts")
    options = parser.parse_args()
    if options.agent:
        path, name, facts = options.agent
        _act(path, name, int(facts))
        return
    if options.record:
        table, path = medians(compare, ["kept"]), RECORDED
        table.to_csv(path, index=False, float_format="%.3g")
    else:
        table, path = bench(), Path("build") / "bench.csv"
        path.parent.mkdir(exist_ok=True)
        table.to_csv(path, mode="a", header=not path.exists(), index=False, float_format="%.3g")
        if not server.available():
            print("no graph server: `make server` installs one")
    print(table.to_string(index=False, float_format="{:.3g}".format))
    print(f"wrote {path}")


if __name__ == "__main__":
    main()

"""That the measurements run and are laid out; no time is tested."""

import pandas as pd
import pytest

from ctxgraph import latency
from ctxgraph.memories import ContextGraph


def test_sizes_are_measured_in_order_with_the_slow_switch_for_timed_calls_only():
    memory = ContextGraph()
    table = latency.measure(memory, [30, 10], {"scan": True})
    assert table["size"].tolist() == [10, 30]
    assert (table > 0).all(axis=None)
    assert memory.scan is False
    assert memory.graph.number_of_edges() >= 30


def test_slopes_tell_growth_from_constancy():
    table = pd.DataFrame(
        {"size": [10, 100, 1000], "ingest": [2.0, 2, 2], "question": [1.0, 10, 100]}
    )
    assert latency.slopes(table).tolist() == pytest.approx([0, 1])


def test_the_recorded_run_holds_every_memory_and_size():
    table = pd.read_csv(latency.RECORDED)
    assert table.columns.tolist() == ["memory", "behaviour", "size", "ingest", "question"]
    assert set(table["size"]) == {*latency.SIZES, *latency.GRAPH_SIZES}
    assert len(table) == 6 * len(latency.SIZES) + len(latency.GRAPH_SIZES)


def test_the_bench_table_has_its_rows():
    table = latency.bench(size=20, large=30, hub=10)
    assert table.columns.tolist() == ["what", "size", "reference_seconds", "seconds", "ratio"]
    assert {"graph ingest", "graph question", "vector question", "bare add_edge"} <= set(
        table["what"]
    )
    assert (table["ratio"] == table["reference_seconds"] / table["seconds"]).all()

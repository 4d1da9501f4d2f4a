"""That the measurements run and are laid out; no time is tested."""

import subprocess

import pandas as pd

from ctxgraph import persistence
from ctxgraph.figures import persistence as draw
from ctxgraph.memories import TemporalGraph


def test_the_bench_table_has_its_rows(server, monkeypatch):
    for setting, value in server.items():
        monkeypatch.setenv(setting, value)
    table = persistence.bench(exported=20, appended=20)
    assert table["what"].tolist() == ["append to SQLite", "export to the graph server"]
    assert (table["ratio"] == table["reference_seconds"] / table["seconds"]).all()


def test_without_a_server_the_export_is_left_out(monkeypatch):
    monkeypatch.setattr(persistence.server, "available", lambda: False)
    assert persistence.bench(appended=20)["what"].tolist() == ["append to SQLite"]


def test_the_recorded_run_is_drawn():
    table = pd.read_csv(persistence.RECORDED).set_index("kept")
    assert table.index.tolist() == ["memory", "SQLite", "graph server"]
    lines = draw(table).axes[0].lines
    assert lines[0].get_xdata().tolist() == (table["write"] * 1e3).tolist()


def test_an_agent_says_what_it_has_written(tmp_path):
    path = tmp_path / "facts.db"
    done = subprocess.run(
        persistence.agent(path, "Ada", 3), capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["0", "1", "2"]
    with TemporalGraph.open(path) as memory:
        assert [entry.object for entry in memory.facts.entries] == ["Ada_0", "Ada_1", "Ada_2"]

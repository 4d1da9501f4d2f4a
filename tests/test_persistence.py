"""That the measurements run and are laid out; no time is tested."""

import pandas as pd

from ctxgraph import persistence
from ctxgraph.figures import persistence as draw


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


def test_a_killed_agent_loses_nothing_that_it_was_told_is_kept(tmp_path):
    killed = persistence.kill(tmp_path / "facts.db", 20)
    assert killed["signal"] == 9
    assert killed["returned"] >= 20
    assert (killed["missing"], killed["gaps"]) == (0, 0)
    assert killed["besides"] <= 1


def test_two_agents_leave_all_they_wrote_and_one_current(tmp_path):
    shared = persistence.share(tmp_path / "facts.db", 30)
    assert shared.to_dict() == {"failed": 0, "by_Agent_1": 30, "by_Agent_2": 30, "current": 1}

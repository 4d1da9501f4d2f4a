"""Two runs under different hash seeds give the same bytes."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import sys
from ctxgraph import drawing, figures, tables
from ctxgraph.benchmark import run, summarize
from ctxgraph.conversation import read_conversations
from ctxgraph.memories import ContextGraph
from ctxgraph.scaling import measure

rows, scaling = run(read_conversations()), measure((10, 50))
summary = summarize(rows)
print(rows.to_csv(), summary.to_csv(), tables.results_table(summary), scaling.to_csv())
figures.show(figures.results(summary, tables.published()["results"]), "results", sys.argv[1])
figures.show(figures.scaling(scaling, None), "scaling", sys.argv[1])
graph = ContextGraph()
for turn in read_conversations()[0].turns:
    graph.ingest(turn)
figures.show(drawing.graph(graph.graph), "graph", sys.argv[1])
"""


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    outputs = []
    for seed in ("0", "1", "12345"):
        folder = tmp_path_factory.mktemp(f"seed_{seed}")
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, str(folder)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        )
        files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
        outputs.append({"stdout": done.stdout, **files})
    return outputs


def test_rows_tables_and_figures_are_the_same_bytes(outputs):
    assert len(outputs[0]) == 7
    for other in outputs[1:]:
        assert other == outputs[0]

"""Committed notebooks hold outputs that nbval can compare, and nothing that changes by itself."""

import base64
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TIMED = "# 06"  # times this machine, too


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return json.loads(request.param.read_text("utf-8"))


def code(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_there_are_notebooks():
    assert NOTEBOOKS


def test_every_cell_was_executed_in_order(notebook):
    # nbval compares nothing in a cell without an execution count
    counts = [cell["execution_count"] for cell in code(notebook)]
    assert counts == list(range(1, len(counts) + 1))
    assert any(cell["outputs"] for cell in code(notebook))


def test_it_was_run_with_its_own_parameters(notebook):
    tags = [tag for cell in code(notebook) for tag in cell["metadata"].get("tags", [])]
    assert tags.count("parameters") == 1
    assert "injected-parameters" not in tags
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


def test_all_but_the_times_of_this_machine_is_compared(notebook):
    tags = {tag for cell in notebook["cells"] for tag in cell["metadata"].get("tags", [])}
    timed = notebook["cells"][0]["source"][0].startswith(TIMED)
    assert tags == {"parameters", *(["nbval-ignore-output"] if timed else [])}


def test_each_figure_is_shown_as_it_lies_in_the_folder(notebook):
    # nbval compares no pictures
    shown = [
        base64.b64decode(output["data"]["image/png"])
        for cell in code(notebook)
        for output in cell["outputs"]
        if "image/png" in output.get("data", {})
    ]
    number = notebook["cells"][0]["source"][0].split()[1]
    files = [path.read_bytes() for path in (ROOT / "figures").glob(f"{number}_*.png")]
    assert sorted(shown) == sorted(files)


def test_no_output_is_an_error_a_warning_or_a_figure_that_nothing_shows(notebook):
    for cell in code(notebook):
        for output in cell["outputs"]:
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr"
            assert "<Figure" not in str(output.get("data", {}).get("text/plain"))


def test_no_run_metadata_is_left(notebook):
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert "version" not in notebook["metadata"]["language_info"]
    for cell in notebook["cells"]:
        assert set(cell["metadata"]) <= {"tags"}


def test_it_says_its_question_and_its_limits(notebook):
    text = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert text[0].startswith("# ") and "**Question.**" in text[0]
    assert "## What this does not show" in text[-1]
    assert max(len("".join(cell["source"]).splitlines()) for cell in code(notebook)) <= 25

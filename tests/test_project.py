"""The project's files agree with each other."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import ctxgraph
from ctxgraph.benchmark import run, summarize
from ctxgraph.conversation import read_conversations
from ctxgraph.memories import MEMORIES
from ctxgraph.tables import percentages, title

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WANTED = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"][1:]]


def locked():
    lines = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    pins = {}
    for line in lines:
        requirement = Requirement(line)
        pins.setdefault(requirement.name, []).append(str(requirement.specifier))
    return pins


def test_conda_environment_is_in_step():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))
    names = [item for item in environment["dependencies"] if isinstance(item, str)]
    assert sorted(names) == sorted([*WANTED, f"python{PROJECT['requires-python']}", "pip"])
    # the driver is not on conda-forge under its own name; pip takes it from the extra
    assert PROJECT["optional-dependencies"]["test"][0] == "ctxgraph[neo4j]"
    assert environment["dependencies"][-1] == {"pip": ["-e .[test]"]}


def test_lock_pins_every_dependency_within_its_bounds():
    pins = locked()
    for requirement in map(Requirement, WANTED):
        for pin in pins[requirement.name]:
            assert requirement.specifier.contains(pin.removeprefix("=="))


def test_lock_holds_no_address():
    for name in ("requirements.lock", "requirements-server.lock"):
        assert not re.search(r"://|^-", (ROOT / name).read_text("utf-8"), re.M)


def test_citation_is_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == PROJECT["version"] == ctxgraph.__version__
    assert citation["license"] == PROJECT["license"]
    titles = " ".join(reference["title"] for reference in citation["references"])
    assert "Context Graph" in titles and "Lost in the Middle" in titles


def test_readme_names_every_memory_target_and_notebook():
    for name in MEMORIES:
        assert f"`{name}`" in README
    for target in re.findall(r"^([a-z]+):.*## ", (ROOT / "Makefile").read_text("utf-8"), re.M):
        assert f"make {target}" in README
    for notebook in (ROOT / "notebooks").glob("*.ipynb"):
        assert f"notebooks/{notebook.name}" in README


@pytest.mark.parametrize("code", re.findall(r"```python\n(.*?)```", README, re.S))
def test_the_code_of_the_readme_runs(code, capsys):
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    said = re.findall(r"print\(.*\)   # (.*)", code)
    assert all(line in printed for line in said)


def test_the_table_of_the_readme_is_the_measured_one():
    table = percentages(summarize(run(read_conversations())))
    lines = README.splitlines()
    for memory, row in table.iterrows():
        figures = " | ".join(f"{value:.1f}" for value in row)
        assert f"| {title(memory)} (`{memory}`) | {figures} |" in lines

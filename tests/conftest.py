"""Small conversations for the tests."""

import json
import os
from pathlib import Path

import pytest

from ctxgraph.conversation import make_conversation
from ctxgraph.server import available, running

FACTS = [
    {
        "speaker": "Planner",
        "text": "The checkout service depends on the ledger.",
        "fact": {"id": "f1", "subject": "Checkout", "predicate": "DEPENDS_ON", "object": "Ledger"},
    },
    {"speaker": "Tester", "text": "Nothing new from the smoke run."},
    {
        "speaker": "Planner",
        "text": "The ledger is owned by the treasury squad.",
        "fact": {"id": "f2", "subject": "Ledger", "predicate": "OWNED_BY", "object": "Treasury"},
    },
]
JOIN = {
    "speaker": "Tester",
    "text": "Who owns the thing that Checkout depends on?",
    "question": {"type": "join", "needs": ["f1", "f2"], "answers": ["Treasury"]},
}


@pytest.fixture
def lines():
    """Three turns with two facts, then a join over both."""
    return [*FACTS, JOIN]


@pytest.fixture
def conversation(lines):
    return make_conversation("small", lines)


@pytest.fixture
def write(tmp_path):
    """Write a conversation file, given as turns or as its exact bytes; give its path."""

    def write(content, name="talk.jsonl") -> Path:
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text("".join(json.dumps(line) + "\n" for line in content), "utf-8")
        return path

    return write


@pytest.fixture
def outside() -> Path:
    """The folder of outside data; the test is skipped where there is none."""
    folder = os.environ.get("CTXGRAPH_DATA")
    if not folder:
        pytest.skip("CTXGRAPH_DATA is not set")
    return Path(folder)


@pytest.fixture(scope="session")
def server():
    """The settings of a graph server: the one that NEO4J_URI names, else one started."""
    if not available():
        pytest.skip("no graph server; `make server` installs one")
    with running() as settings:
        yield settings

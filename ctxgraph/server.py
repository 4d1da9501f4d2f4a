"""A graph server on this machine, for tests and measurements: the one at hand, or one started.

The package arcadedb-embedded (extra `server`) carries a database that speaks Bolt and Cypher. It is
started in a process of its own, on free ports of the loopback address, with a password made for it.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from neo4j.exceptions import DriverError, Neo4jError

from ctxgraph.bolt import GraphServer

START_SECONDS = 90


def available() -> bool:
    """Whether NEO4J_URI names a server, or one can be started."""
    return bool(os.environ.get("NEO4J_URI")) or find_spec("arcadedb_embedded") is not None


@contextmanager
def running() -> Iterator[dict[str, str]]:
    """A server while it is needed: its settings, named as in the environment.

    Raises
    ------
    RuntimeError
        It did not start; the message holds what it printed.
    """
    if os.environ.get("NEO4J_URI"):
        yield {name: value for name, value in os.environ.items() if name.startswith("NEO4J_")}
        return
    bolt, http = _free_port(), _free_port()
    settings = {
        "NEO4J_URI": f"bolt://127.0.0.1:{bolt}",
        "NEO4J_USER": "root",
        "NEO4J_PASSWORD": secrets.token_urlsafe(18),
        "NEO4J_DATABASE": "memory",
    }
    with tempfile.TemporaryDirectory() as home, (Path(home) / "output").open("wb") as output:
        arguments = [str(Path(home) / "root"), str(bolt), str(http), settings["NEO4J_DATABASE"]]
        process = subprocess.Popen(
            [sys.executable, "-m", "ctxgraph.server", *arguments],
            stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT, cwd=home,
            start_new_session=True,
        )  # fmt: skip
        try:
            process.stdin.write(f"{settings['NEO4J_PASSWORD']}\n".encode())
            process.stdin.flush()
            _wait_for(settings, process, Path(home) / "output")
            yield settings
        finally:
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def connect(settings: dict[str, str]) -> GraphServer:
    """Connect to the server of these settings."""
    names = ("NEO4J_URI", "NEO4J_USER", "NEO4J_PASSWORD")
    return GraphServer(*(settings[name] for name in names), settings.get("NEO4J_DATABASE"))


def _free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


def _wait_for(settings: dict[str, str], process: subprocess.Popen, output: Path) -> None:
    port = int(settings["NEO4J_URI"].rpartition(":")[2])
    last = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < last:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            with connect(settings) as graph:
                graph.read("")
            return
        except (OSError, Neo4jError, DriverError):
            time.sleep(0.2)
    said = output.read_text("utf-8", errors="replace")
    raise RuntimeError(f"the server did not start: {said}")


def main() -> None:
    """Serve until standard input is closed; its first line is the password."""
    import arcadedb_embedded

    root, bolt, http, database = sys.argv[1:]
    server = arcadedb_embedded.create_server(
        root_path=root,
        root_password=sys.stdin.readline().rstrip("\n"),
        config={
            "host": "127.0.0.1",
            "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "bolt_port": int(bolt),
            "http_port": int(http),
        },
    )
    server.start()
    server.create_database(database)
    sys.stdin.read()
    server.stop()


if __name__ == "__main__":
    main()

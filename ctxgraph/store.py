"""A fact log in one SQLite file: it outlives the process, and several processes share it."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, NamedTuple

from ctxgraph.conversation import Turn, Vocabulary
from ctxgraph.facts import Entry
from ctxgraph.language import introductions

HEADER = b"SQLite format 3\0"  # at the start of any SQLite file
SCHEMA = 1
APPLICATION = 0x63747867  # "ctxg", by which the file is known
WAIT_SECONDS = 60.0  # for another process that is writing

TABLES = """
CREATE TABLE log (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('assert', 'supersede', 'retract', 'say')),
    turn INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    said TEXT NOT NULL,
    time TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
    fact_id TEXT, subject TEXT, predicate TEXT, object TEXT, since INTEGER
);
CREATE INDEX log_by_key ON log (conversation, subject, predicate);
CREATE TABLE vocabulary (conversation TEXT PRIMARY KEY, content TEXT NOT NULL);
"""
COLUMNS = "number, what, turn, speaker, said, fact_id, subject, predicate, object, since"


class Row(NamedTuple):
    """A row of the log: its text, and the fact that it states or retracts, if any."""

    number: int
    text: str
    entry: Entry | None = None


class StoreError(Exception):
    """A file that cannot serve as a fact log; the message names it and says why."""


class FactStore:
    """The log of one conversation in a SQLite file, in write-ahead mode.

    Rows are only appended: facts asserted (superseding, where the subject has had another value)
    or retracted, and turns that introduce a name. A row is on the disk when `append` returns, and
    is there for any process that reads after it. The row's number orders all rows of the file.
    Each thread opens the file for itself.

    Parameters
    ----------
    path : str or Path
        Made where it does not exist.
    conversation : str
        Which of the conversations in the file.
    vocabulary : Vocabulary, optional
        Added to the one that is stored with the conversation.

    Raises
    ------
    StoreError
        The file is no fact log, is of a later version, or cannot be written; or the vocabulary
        contradicts the stored one.
    """

    def __init__(
        self, path: str | Path, conversation: str = "main", vocabulary: Vocabulary | None = None
    ) -> None:
        self.path, self.conversation = Path(path), conversation
        with self._named_errors():
            if self.path.is_file() and _start(self.path) not in (b"", HEADER):
                raise StoreError(f"{self.path}: file is not a database")
            self._database = sqlite3.connect(
                self.path.absolute(), timeout=WAIT_SECONDS, isolation_level=None
            )
            try:
                self._open(vocabulary)
            except BaseException:
                self._database.close()
                raise

    def _open(self, vocabulary: Vocabulary | None) -> None:
        execute = self._database.execute
        execute("PRAGMA synchronous = FULL")
        with self._transaction():
            (application,) = execute("PRAGMA application_id").fetchone()
            (tables,) = execute("SELECT count(*) FROM sqlite_master").fetchone()
            if application != APPLICATION and (tables or application):
                raise StoreError(f"{self.path}: a database, but not a fact log")
            (version,) = execute("PRAGMA user_version").fetchone()
            if version > SCHEMA:
                raise StoreError(
                    f"{self.path}: version {version} of the fact log; this program knows {SCHEMA}"
                )
            if version == 0:
                for statement in TABLES.split(";"):
                    execute(statement)
                execute(f"PRAGMA application_id = {APPLICATION}")
                execute(f"PRAGMA user_version = {SCHEMA}")
            stored = execute(
                "SELECT content FROM vocabulary WHERE conversation = ?", (self.conversation,)
            ).fetchone()
            self.vocabulary = Vocabulary.model_validate_json(stored[0]) if stored else Vocabulary()
            if vocabulary is not None:
                self.vocabulary = self.vocabulary.extended(vocabulary)
                execute(
                    "INSERT OR REPLACE INTO vocabulary VALUES (?, ?)",
                    (self.conversation, self.vocabulary.model_dump_json()),
                )
        self._write_ahead()

    def _write_ahead(self) -> None:
        """Take the file to write-ahead mode, for which SQLite does not wait by itself."""
        last = monotonic() + WAIT_SECONDS
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > last:
                    raise
                sleep(random.uniform(0, 0.05))

    def append(self, turns: Iterable[Turn]) -> None:
        """Append what turns state and introduce, all of them or none.

        Parameters
        ----------
        turns : iterable of Turn
            One transaction: many at a time are many times quicker than one by one.
        """
        turns = list(turns)  # nobody waits while they are made
        with self._named_errors(), self._transaction():
            for turn in turns:
                self._append(turn)

    def _append(self, turn: Turn) -> None:
        fact = turn.fact
        if fact is None and not introductions(turn.text):
            return
        row: list[str | int | None] = [None] * 5
        what = "say"
        if fact:
            since = turn.number if fact.since is None else fact.since
            row = [fact.id, fact.subject, fact.predicate, fact.object, since]
            what = "retract" if fact.retracts else "assert"
            if what == "assert" and fact.predicate in self.vocabulary.functional:
                other = self._database.execute(
                    "SELECT 1 FROM log WHERE conversation = ? AND subject = ? AND predicate = ?"
                    " AND object <> ? LIMIT 1",
                    (self.conversation, fact.subject, fact.predicate, fact.object),
                ).fetchone()
                what = "supersede" if other else what
        self._database.execute(
            "INSERT INTO log (conversation, what, turn, speaker, said, fact_id, subject,"
            " predicate, object, since) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (self.conversation, what, turn.number, turn.speaker, turn.text, *row),
        )

    def rows(self, after: int = 0) -> list[Row]:
        """What was committed behind a row: facts, and texts that introduce names."""
        with self._named_errors():
            rows = self._database.execute(
                f"SELECT {COLUMNS} FROM log WHERE conversation = ? AND number > ? ORDER BY number",
                (self.conversation, after),
            ).fetchall()
        return [_row(*row) for row in rows]

    def close(self) -> None:
        """Close the file. What was appended is in it already."""
        self._database.close()

    @contextmanager
    def _transaction(self):
        # IMMEDIATE takes the turn to write at once, so that nobody waits in vain for another
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._database.execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                self._database.execute("ROLLBACK")
            raise

    @contextmanager
    def _named_errors(self):
        try:
            yield
        except (sqlite3.Error, OverflowError, ValueError) as error:
            raise StoreError(f"{self.path}: {error}") from error
        except OSError as error:
            raise StoreError(f"{self.path}: {error.strerror}") from error


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(HEADER))


def _row(number: int, what: str, turn: int, speaker: str, said: str, *fact: Any) -> Row:
    if what == "say":
        return Row(number, said)
    return Row(number, said, Entry(number, *fact, turn, f"{speaker}: {said}", what == "retract"))

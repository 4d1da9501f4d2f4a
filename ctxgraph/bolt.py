"""Facts on a graph server: Neo4j 5, or another that speaks Bolt and Cypher."""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from time import sleep
from typing import Any

from neo4j import GraphDatabase, ManagedTransaction, Session
from neo4j.exceptions import ConstraintError, Neo4jError

from ctxgraph.conversation import Turn, Vocabulary
from ctxgraph.cypher import quote_name
from ctxgraph.facts import Entry, FactLog, Held

BATCH = 5_000  # facts a transaction
ATTEMPTS = 50
Step = tuple[str, bool]  # a predicate, and whether it is walked from its subject

CONSTRAINTS = (
    "CREATE CONSTRAINT ctxgraph_entity IF NOT EXISTS"
    " FOR (e:Entity) REQUIRE (e.conversation, e.name) IS UNIQUE",
    "CREATE CONSTRAINT ctxgraph_conversation IF NOT EXISTS"
    " FOR (c:Conversation) REQUIRE c.name IS UNIQUE",
)
# Sets a property of the conversation first: the server then holds its lock, and lets one
# transaction at a time number and end facts.
TAKE = (
    "MERGE (c:Conversation {name: $conversation})"
    " SET c.next = CASE WHEN coalesce(c.next, 0) < $least THEN $least ELSE coalesce(c.next, 0) END"
    " + $count RETURN c.next - $count AS first, coalesce(c.exporting, false) AS exporting"
)
WRITE = (
    "UNWIND $rows AS row"
    " MERGE (s:Entity {{conversation: $conversation, name: row.subject}})"
    " MERGE (o:Entity {{conversation: $conversation, name: row.object}})"
    " MERGE (s)-[r:{predicate} {{conversation: $conversation, number: row.number}}]->(o)"
    " SET r += row.properties"
)
RETURN = (
    " RETURN s.name AS subject, type(r) AS predicate, o.name AS object, properties(r) AS properties"
)
READ = "MATCH (s:Entity {conversation: $conversation})-[r]->(o:Entity)" + RETURN
READ_TYPE = "MATCH (s:Entity {{conversation: $conversation}})-[r:{predicate}]->(o:Entity)" + RETURN
READ_OF = (
    "UNWIND $subjects AS subject"
    " MATCH (s:Entity {{conversation: $conversation, name: subject}})-[r:{predicate}]->(o:Entity)"
) + RETURN


class GraphServer:
    """Conversations side by side in one database.

    An entity is a node `Entity`, unique by `conversation` and `name`. Each entry of a fact log is
    a relationship of the type of its predicate, with `number`, `fact_id`, `since`, `turn`, `said`
    and `retracts`, and what follows from the log: whether it `held`, `until` when and in which
    turn that was learned (`ended`). A current fact is one that `held` and has no `until`.

    Values go to the server as parameters, never as text; only predicates stand in statements,
    quoted (one that holds a backslash and a u cannot, and is an error). Transactions are managed
    by the driver, which tries again where the server asks to.

    Parameters
    ----------
    uri, user, password : str
    database : str, optional
        By default the server's own.

    Raises
    ------
    ValueError
        The address itself holds a user or a password.
    neo4j.exceptions.ServiceUnavailable, neo4j.exceptions.AuthError
        The server cannot be reached, or lets nobody in by these.
    """

    def __init__(self, uri: str, user: str, password: str, database: str | None = None) -> None:
        if "@" in uri or "?" in uri:
            raise ValueError("a server's address is scheme://host:port, user and password apart")
        self.uri, self.database = uri, database
        # many short waits: writers of one conversation come one after the other
        self._driver = GraphDatabase.driver(
            uri,
            auth=(user, password),
            initial_retry_delay=0.05,
            retry_delay_multiplier=1.2,
            max_transaction_retry_time=120,
        )
        try:
            self._driver.verify_connectivity()  # else a read tries for minutes
        except BaseException:
            self._driver.close()
            raise
        self._prepared = False

    @classmethod
    def from_environment(cls) -> GraphServer:
        """Connect to NEO4J_URI as NEO4J_USER with NEO4J_PASSWORD, to NEO4J_DATABASE if set.

        Raises
        ------
        KeyError
            One of the first three is not set.
        """
        names = ("NEO4J_URI", "NEO4J_USER", "NEO4J_PASSWORD")
        return cls(*(os.environ[name] for name in names), os.environ.get("NEO4J_DATABASE"))

    def __repr__(self) -> str:
        """Name the server, and no password."""
        return f"GraphServer({self.uri!r}, database={self.database!r})"

    def __enter__(self) -> GraphServer:
        """Give itself."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the connections."""
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._driver.close()

    def export(self, log: FactLog, conversation: str, batch: int = BATCH) -> None:
        """Write a whole log; again, it changes nothing, and completes what was interrupted.

        Until it is complete nothing else is written to the conversation, nor is it read.

        Parameters
        ----------
        log : FactLog
        conversation : str
        batch : int
            Facts a transaction.

        Raises
        ------
        ValueError
            The conversation holds entries that the log does not, or a predicate cannot be a type.
        """
        self._prepare()
        groups = _by_predicate(log.entries)
        for predicate in groups:
            _type(predicate)
        with self.session() as session:
            functional = self._write(session, _begin_export, conversation, log).functional
            if log.functional != set(functional):  # more is declared there
                log = _replay(log.entries, functional)
            rows_of = _rows(log)
            for predicate, entries in groups.items():
                rows = [rows_of[entry.number] for entry in entries]
                for start in range(0, len(rows), batch):
                    some = rows[start : start + batch]
                    self._write(session, _write, conversation, predicate, some)
            self._write(session, _end_export, conversation)

    def read(self, conversation: str) -> FactLog:
        """Read a conversation's log back.

        Raises
        ------
        ValueError
            An export to it has not been completed.
        """
        with self.session() as session:
            vocabulary, entries = session.execute_read(_whole, conversation)
        return _replay(entries, vocabulary.functional)

    def write(
        self, turns: Iterable[Turn], conversation: str, vocabulary: Vocabulary | None = None
    ) -> None:
        """Write the facts that turns state or retract, in one transaction; a vocabulary first.

        They are numbered, and end what they supersede, under a lock on the conversation: of two
        agents that set the same value at once one comes after the other.

        Parameters
        ----------
        turns : iterable of Turn
        conversation : str
        vocabulary : Vocabulary, optional
            Added to the one that is stored with the conversation, for all that write to it.

        Raises
        ------
        ValueError
            The vocabulary contradicts the stored one, a predicate cannot be a type, or an export to
            the conversation has not been completed.
        """
        self._prepare()
        with self.session() as session:
            if vocabulary is not None:
                self._write(session, _extend_vocabulary, conversation, vocabulary)
            stated = [turn for turn in turns if turn.fact]
            if stated:
                self._write(session, _write_live, conversation, stated)

    def follow(self, start: str, steps: Iterable[Step], conversation: str) -> list[str]:
        """Walk current facts from an entity: a join as Cypher.

        Parameters
        ----------
        start : str
            The entity's name.
        steps : iterable of (str, bool)
            For each fact on the way its predicate, and whether it is walked from subject to
            object.
        conversation : str

        Returns
        -------
        list of str
            The names at the end, each once, in the order in which the last facts were stated.

        Raises
        ------
        ValueError
            An export to the conversation has not been completed.
        """
        statement = join_statement(steps)
        with self.session() as session:
            found = session.execute_read(_names, statement, conversation, start)
        return list(dict.fromkeys(found))

    def forget(self, conversation: str) -> None:
        """Delete a conversation."""
        with self.session() as session:
            self._write(session, _forget, conversation)

    def _prepare(self) -> None:
        if not self._prepared:
            with self.session() as session:
                # Another may be making the same constraint; the next attempt then finds it
                for statement in CONSTRAINTS:
                    _again(lambda text=statement: session.run(text).consume(), Neo4jError)
            self._prepared = True

    def _write(self, session: Session, work: Callable[..., Any], *arguments: Any) -> Any:
        try:
            # Another may have made the same node first. The driver does not take that for
            # passing, but the next attempt finds the node.
            return _again(lambda: session.execute_write(work, *arguments), ConstraintError)
        except ConstraintError as error:
            raise TimeoutError(
                f"{self!r}: {ATTEMPTS} attempts to write met another writer"
            ) from error

    def session(self) -> Session:
        """A session of the driver, for Cypher of one's own."""
        return self._driver.session(database=self.database)


def join_statement(steps: Iterable[Step]) -> str:
    """The Cypher of a walk along current facts; `$start` and `$conversation` are its parameters.

    Examples
    --------
    >>> print(join_statement([("DEPENDS_ON", True)]))
    MATCH (n0:Entity {conversation: $conversation, name: $start})
    MATCH (n0)-[r1:`DEPENDS_ON`]->(n1) WHERE r1.held AND r1.until IS NULL
    RETURN n1.name AS name ORDER BY r1.number
    """
    lines = ["MATCH (n0:Entity {conversation: $conversation, name: $start})"]
    steps = list(steps)
    for place, (predicate, outward) in enumerate(steps, 1):
        left, right = ("-", "->") if outward else ("<-", "-")
        edge = f"{left}[r{place}:{_type(predicate)}]{right}"
        current = f"r{place}.held AND r{place}.until IS NULL"
        lines.append(f"MATCH (n{place - 1}){edge}(n{place}) WHERE {current}")
    last = len(steps)
    order = f" ORDER BY r{last}.number" if steps else ""
    lines.append(f"RETURN n{last}.name AS name{order}")
    return "\n".join(lines)


def _again(call: Callable[[], Any], passing: type[Neo4jError]) -> Any:
    """Call until it does not meet an error that passes; after so many attempts let it through."""
    for _ in range(ATTEMPTS - 1):
        try:
            return call()
        except passing:
            sleep(random.uniform(0, 0.1))
    return call()


def _type(predicate: str) -> str:
    if "\\u" in predicate:  # a server may read it as the character that it escapes
        raise ValueError(f"{predicate!r} cannot be a relationship type: it holds a \\u")
    return quote_name(predicate)


def _by_predicate(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        groups[entry.predicate].append(entry)
    return groups


def _row(entry: Entry, held: Held | None) -> dict[str, Any]:
    return {
        "subject": entry.subject,
        "object": entry.object,
        "number": entry.number,
        "properties": {
            "fact_id": entry.fact_id,
            "since": entry.since,
            "turn": entry.turn,
            "said": entry.said,
            "retracts": entry.retracts,
            "held": held is not None,
            "until": held.until if held else None,
            "ended": held.ended if held else None,
        },
    }


def _write(tx: ManagedTransaction, conversation: str, predicate: str, rows: list[Any]) -> None:
    statement = WRITE.format(predicate=_type(predicate))
    tx.run(statement, conversation=conversation, rows=rows).consume()


def _take(tx: ManagedTransaction, conversation: str, count: int) -> int:
    found = tx.run(TAKE, conversation=conversation, count=count, least=0).single(strict=True)
    if found["exporting"]:
        raise _unfinished(conversation)
    return found["first"]


def _unfinished(conversation: str) -> ValueError:
    return ValueError(f"an export to {conversation!r} has not been completed; run it again")


def _begin_export(tx: ManagedTransaction, conversation: str, log: FactLog) -> Vocabulary:
    least = 1 + max((entry.number for entry in log.entries), default=-1)
    tx.run(TAKE, conversation=conversation, count=0, least=least).consume()
    known = set(log.entries)
    if any(entry not in known for entry in _entries(tx, READ, conversation)):
        raise ValueError(f"{conversation!r} holds facts that this log does not; read it first")
    vocabulary = Vocabulary(functional=tuple(sorted(log.functional)))
    stored, _ = _state(tx, conversation)
    extended = stored.extended(vocabulary)
    tx.run(
        "MATCH (c:Conversation {name: $name}) SET c.vocabulary = $content, c.exporting = true",
        name=conversation,
        content=extended.model_dump_json(),
    ).consume()
    return extended


def _end_export(tx: ManagedTransaction, conversation: str) -> None:
    tx.run(
        "MATCH (c:Conversation {name: $name}) SET c.exporting = false", name=conversation
    ).consume()


def _whole(tx: ManagedTransaction, conversation: str) -> tuple[Vocabulary, list[Entry]]:
    return _complete(tx, conversation), _entries(tx, READ, conversation)


def _complete(tx: ManagedTransaction, conversation: str) -> Vocabulary:
    vocabulary, exporting = _state(tx, conversation)
    if exporting:
        raise _unfinished(conversation)
    return vocabulary


def _write_live(tx: ManagedTransaction, conversation: str, turns: list[Turn]) -> None:
    first = _take(tx, conversation, len(turns))
    functional = _complete(tx, conversation).functional
    new = [Entry.of(turn, first + i) for i, turn in enumerate(turns)]
    for predicate, entries in _by_predicate(new).items():
        subjects = list(dict.fromkeys(entry.subject for entry in entries))
        statement = READ_OF.format(predicate=_type(predicate))
        old = _entries(tx, statement, conversation, subjects=subjects)
        before = _replay(old, functional)
        after = _replay([*old, *entries], functional)
        known = _rows(before)
        rows = [row for number, row in _rows(after).items() if row != known.get(number)]
        _write(tx, conversation, predicate, rows)


def _rows(log: FactLog) -> dict[int, dict[str, Any]]:
    held = {item.entry.number: item for item in log.all_held()}
    return {entry.number: _row(entry, held.get(entry.number)) for entry in log.entries}


def _entries(
    tx: ManagedTransaction, statement: str, conversation: str, **parameters: Any
) -> list[Entry]:
    return list(_read_entries(tx.run(statement, conversation=conversation, **parameters)))


def _read_entries(records: Iterable[Any]) -> Iterator[Entry]:
    for record in records:
        properties = record["properties"]
        yield Entry(
            properties["number"],
            properties["fact_id"],
            record["subject"],
            record["predicate"],
            record["object"],
            properties["since"],
            properties["turn"],
            properties["said"],
            properties["retracts"],
        )


def _replay(entries: Iterable[Entry], functional: Iterable[str]) -> FactLog:
    log = FactLog(functional)
    for entry in sorted(entries, key=lambda entry: entry.number):
        log.append(entry)
    return log


def _names(tx: ManagedTransaction, statement: str, conversation: str, start: str) -> list[str]:
    _complete(tx, conversation)
    return tx.run(statement, conversation=conversation, start=start).value("name")


def _state(tx: ManagedTransaction, conversation: str) -> tuple[Vocabulary, bool]:
    """The vocabulary of a conversation, and whether an export to it is under way."""
    found = tx.run(
        "MATCH (c:Conversation {name: $name})"
        " RETURN c.vocabulary AS content, coalesce(c.exporting, false) AS exporting",
        name=conversation,
    ).single()
    if not found:
        return Vocabulary(), False
    return Vocabulary.model_validate_json(found["content"] or "{}"), found["exporting"]


def _extend_vocabulary(tx: ManagedTransaction, conversation: str, vocabulary: Vocabulary) -> None:
    _take(tx, conversation, 0)  # the lock: nobody else extends it meanwhile
    stored = _complete(tx, conversation)
    extended = stored.extended(vocabulary)
    tx.run(
        "MATCH (c:Conversation {name: $name}) SET c.vocabulary = $content",
        name=conversation,
        content=extended.model_dump_json(),
    ).consume()
    for predicate in set(extended.functional) - set(stored.functional):
        statement = READ_TYPE.format(predicate=_type(predicate))
        log = _replay(_entries(tx, statement, conversation), extended.functional)
        _write(tx, conversation, predicate, list(_rows(log).values()))


def _forget(tx: ManagedTransaction, conversation: str) -> None:
    tx.run("MATCH (e:Entity {conversation: $name}) DETACH DELETE e", name=conversation).consume()
    tx.run("MATCH (c:Conversation {name: $name}) DELETE c", name=conversation).consume()

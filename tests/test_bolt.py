"""Facts on a real server that speaks Bolt."""

import threading
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neo4j.exceptions import AuthError, ConstraintError, ServiceUnavailable

from ctxgraph.bolt import GraphServer, join_statement
from ctxgraph.conversation import Fact, Turn, Vocabulary, read_conversations
from ctxgraph.facts import Entry, FactLog, View
from ctxgraph.memories import TemporalGraph
from ctxgraph.server import connect

names = (f"conversation {i}" for i in count())
NASTY = st.one_of(
    st.sampled_from(
        [
            *("'", '"', "`", "``", "\\", "\\u0041", "a\nb", "a b", "\U0001f680", "x" * 10_000),
            *("}) DETACH DELETE n //", "A`]->() DETACH DELETE n //", "$conversation", "{0}", "%s"),
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20),
).filter(str.strip)
# The server of the tests keeps each type in a file, and takes no long ones and none with , * or ~
PREDICATES = NASTY.filter(lambda text: not set(",*~") & set(text) and len(text.encode()) < 60)
PREDICATES = PREDICATES.filter(lambda text: "\\u" not in text)


@pytest.fixture(scope="module")
def graph(server):
    with connect(server) as graph:
        yield graph


@pytest.fixture
def name(graph):
    name = next(names)
    yield name
    graph.forget(name)


def fact(number, subject="Ledger", predicate="OWNED_BY", object_="Team"):
    stated = Fact(id=f"f{number}", subject=subject, predicate=predicate, object=object_)
    return Turn(number=number, speaker="A", text="so it is", fact=stated)


def log_of(items, functional=()):
    log = FactLog(functional)
    for i, (s, p, o, since, retracts) in enumerate(items):
        log.append(Entry(i, f"f{i}", s, p, o, since, i, "A: so", retracts))
    return log


def state(log):
    return sorted(
        (s, data["predicate"], o, data["fact_id"], data["since"], str(data["until"]))
        for s, o, data in log.graph.edges(data=True)
    )


def counts(graph):
    with graph.session() as session:
        nodes = session.run("MATCH (n) RETURN count(n) AS n").single()["n"]
        edges = session.run("MATCH ()-[r]->() RETURN count(r) AS n").single()["n"]
    return nodes, edges


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(NASTY, PREDICATES, NASTY, st.integers(1, 9), st.booleans()), max_size=5))
def test_any_graph_comes_back_as_it_was_and_leaves_nothing_besides(graph, items):
    name = next(names)
    before = counts(graph)
    log = log_of(items, {predicate for _, predicate, _, _, _ in items[::2]})
    graph.export(log, name)
    nodes, edges = counts(graph)
    assert nodes - before[0] == log.graph.number_of_nodes() + 1  # and the conversation's own
    assert edges - before[1] == len(log.entries)
    again = graph.read(name)
    assert again.entries == log.entries
    assert again.functional == log.functional
    assert state(again) == state(log)
    for subject, predicate, _, _, _ in items:
        held = log.facts(subject, predicate, True, View())
        found = graph.follow(subject, [(predicate, True)], name)
        assert sorted(found) == sorted({item.entry.object for item in held})
    graph.forget(name)
    assert counts(graph) == before


def test_exporting_twice_changes_nothing(graph, name):
    talk = read_conversations()[0]
    memory = TemporalGraph(talk.vocabulary)
    memory.ingest_all(talk.turns)
    graph.export(memory.facts, name)
    once = counts(graph)
    graph.export(memory.facts, name)
    assert counts(graph) == once


def test_an_interrupted_export_is_completed_by_the_next(graph, name, monkeypatch):
    log = log_of([(f"S{i}", "OWNED_BY", "Team", i + 1, False) for i in range(50)])
    write, written = GraphServer._write, []

    def stop_half_way(self, session, work, *arguments):
        if len(written) == 3:
            raise KeyboardInterrupt
        written.append(work)
        return write(self, session, work, *arguments)

    monkeypatch.setattr(GraphServer, "_write", stop_half_way)
    with pytest.raises(KeyboardInterrupt):
        graph.export(log, name, batch=10)
    monkeypatch.undo()
    attempts = (
        lambda: graph.read(name),
        lambda: graph.write([fact(99)], name),
        lambda: graph.follow("S1", [("OWNED_BY", True)], name),
    )
    for attempt in attempts:
        with pytest.raises(ValueError, match="has not been completed"):
            attempt()
    graph.export(log, name, batch=10)
    assert graph.read(name).entries == log.entries


def test_an_export_does_not_mix_with_other_facts(graph, name):
    graph.write([fact(1)], name)
    with pytest.raises(ValueError, match="holds facts that this log does not"):
        graph.export(log_of([("Mailer", "OWNED_BY", "Team", 1, False)]), name)
    assert [entry.fact_id for entry in graph.read(name).entries] == ["f1"]


def test_facts_written_after_an_export_come_after_it(graph, name):
    graph.export(log_of([("Ledger", "OWNED_BY", "A", 1, False)] * 3, {"OWNED_BY"}), name)
    graph.write([fact(9, object_="B")], name)
    log = graph.read(name)
    assert [entry.number for entry in log.entries] == [0, 1, 2, 3]
    assert graph.follow("Ledger", [("OWNED_BY", True)], name) == ["B"]


def test_a_predicate_that_is_declared_functional_later_keeps_its_last_value(graph, name):
    graph.write([fact(1, object_="A"), fact(2, object_="B")], name)
    assert graph.follow("Ledger", [("OWNED_BY", True)], name) == ["A", "B"]
    graph.write([], name, Vocabulary(functional=("OWNED_BY",), aliases={"the book": "Ledger"}))
    assert graph.follow("Ledger", [("OWNED_BY", True)], name) == ["B"]
    assert [held.entry.object for held in graph.read(name).holding()] == ["B"]
    with pytest.raises(ValueError, match="stands for 'Ledger', not for 'Mailer'"):
        graph.write([], name, Vocabulary(aliases={"the book": "Mailer"}))


def test_an_export_keeps_to_what_is_declared_functional_there(graph, name):
    both = [fact(1, object_="A"), fact(2, object_="B")]
    graph.write(both, name, Vocabulary(functional=("OWNED_BY",)))
    log = FactLog()
    for entry in graph.read(name).entries:
        log.append(entry)
    graph.export(log, name)
    assert graph.follow("Ledger", [("OWNED_BY", True)], name) == ["B"]


def test_a_walk_gives_each_end_once_in_the_order_of_statement(graph, name):
    needs = [("Cart", "NEEDS", end, 1, False) for end in ("Ledger", "Mailer", "Cache")]
    owned = [(end, "OWNED_BY", team, 1, False) for end, team in
             (("Mailer", "Post"), ("Cache", "Core"), ("Ledger", "Post"))]  # fmt: skip
    graph.export(log_of(needs + owned), name)
    assert graph.follow("Cart", [("NEEDS", True)], name) == ["Ledger", "Mailer", "Cache"]
    found = graph.follow("Cart", [("NEEDS", True), ("OWNED_BY", True)], name)
    assert found == ["Post", "Core"]
    assert graph.follow("Cart", [], name) == ["Cart"]


def test_an_entity_is_there_once(graph, name):
    graph.write([fact(1)], name)
    with graph.session() as session, pytest.raises(ConstraintError):
        session.run("CREATE (:Entity {conversation: $n, name: 'Ledger'})", n=name).consume()


def test_conversations_lie_side_by_side(graph, name):
    other = next(names)
    graph.write([fact(1, object_="Team_A")], name)
    graph.write([fact(1, object_="Team_B")], other)
    assert graph.follow("Ledger", [("OWNED_BY", True)], name) == ["Team_A"]
    assert graph.follow("Ledger", [("OWNED_BY", True)], other) == ["Team_B"]
    graph.forget(other)


def test_joins_in_cypher_are_those_of_the_memory(graph, name):
    for talk in read_conversations():
        memory = TemporalGraph(talk.vocabulary)
        memory.ingest_all(talk.turns)
        graph.export(memory.facts, name)
        for turn in talk.turns:
            if turn.question and turn.question.type == "join":
                answer = memory.answer(turn)
                start, steps = walked(answer)
                assert graph.follow(start, steps, name) == [answer.text]
        graph.forget(name)


def walked(answer):
    """Where the path of an answer starts, and its steps."""
    ends = [{held.entry.subject, held.entry.object} for held in answer.path]
    here = start = next(iter(ends[0] - ends[1]))
    steps = []
    for held in answer.path:
        outward = held.entry.subject == here
        steps.append((held.entry.predicate, outward))
        here = held.entry.object if outward else held.entry.subject
    return start, steps


def test_agents_that_set_the_same_value_at_once_leave_one_current_and_all_in_the_history(
    graph, name, server
):
    sessions, facts, keys = 8, 2_000, 200
    graph.write([], name, Vocabulary(functional=("OWNED_BY",)))
    failures = []

    def work(agent):
        numbers = range(agent, facts, sessions)
        turns = [fact(i, f"Key_{i // sessions % keys}", object_=f"Team_{i}") for i in numbers]
        try:
            with connect(server) as own:
                for start in range(0, len(turns), 125):
                    own.write(turns[start : start + 125], name)
        except Exception as error:
            failures.append(error)

    agents = [threading.Thread(target=work, args=(i,)) for i in range(sessions)]
    for agent in agents:
        agent.start()
    for agent in agents:
        agent.join()
    assert [str(error) for error in failures] == []
    log = graph.read(name)
    assert sorted(entry.fact_id for entry in log.entries) == sorted(f"f{i}" for i in range(facts))
    assert len({entry.number for entry in log.entries}) == facts
    assert len(log.holding()) == keys
    for key in range(0, keys, 40):
        assert len(graph.follow(f"Key_{key}", [("OWNED_BY", True)], name)) == 1


def test_a_late_fact_takes_its_place_in_the_order_of_validity(graph, name):
    graph.write([fact(1, object_="A")], name, Vocabulary(functional=("OWNED_BY",)))
    graph.write([fact(9, object_="C")], name)
    late = Fact(id="late", subject="Ledger", predicate="OWNED_BY", object="B", since=5)
    graph.write([Turn(number=12, speaker="A", text="", fact=late)], name)
    lines = [held.line for held in graph.read(name).history("Ledger")]
    assert lines == [
        "Ledger OWNED_BY A (turn 1, until 5)",
        "Ledger OWNED_BY B (turn 12, until 9)",
        "Ledger OWNED_BY C (turn 9)",
    ]
    assert graph.follow("Ledger", [("OWNED_BY", True)], name) == ["C"]


def test_no_password_is_shown(server, graph):
    assert server["NEO4J_PASSWORD"] not in repr(graph)
    with pytest.raises(AuthError) as error:
        GraphServer(server["NEO4J_URI"], "root", "a-wrong-secret", server["NEO4J_DATABASE"])
    assert "a-wrong-secret" not in repr(error.value) + str(error.value)
    for uri in ("bolt://root:a-secret@127.0.0.1:1", "bolt://127.0.0.1:1?password=a-secret"):
        with pytest.raises(ValueError, match="apart") as error:
            GraphServer(uri, "root", "a-secret")
        assert "a-secret" not in repr(error.value) + str(error.value)


def test_a_server_that_is_not_there_is_told_at_once():
    with pytest.raises(ServiceUnavailable):
        GraphServer("bolt://127.0.0.1:1", "root", "any")


def test_settings_come_from_the_environment(server, monkeypatch):
    for setting, value in server.items():
        monkeypatch.setenv(setting, value)
    with GraphServer.from_environment() as graph:
        assert graph.uri == server["NEO4J_URI"]
        assert graph.read("nobody's").entries == []
    monkeypatch.delenv("NEO4J_URI")
    with pytest.raises(KeyError, match="NEO4J_URI"):
        GraphServer.from_environment()


def test_predicates_are_quoted():
    statement = join_statement([("A`]->() DETACH DELETE n //", False)])
    assert "<-[r1:`A``]->() DETACH DELETE n //`]-" in statement
    with pytest.raises(ValueError, match="cannot be a relationship type"):
        join_statement([("A\\u0060B", True)])

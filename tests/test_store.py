"""A fact log that outlives its process and is shared by several."""

import contextlib
import multiprocessing
import random
import sqlite3
import threading
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxgraph.conversation import Fact, Question, Turn, Vocabulary
from ctxgraph.facts import FactLog
from ctxgraph.memories import TemporalGraph
from ctxgraph.store import APPLICATION, FactStore, StoreError

VOCABULARY = Vocabulary(aliases={"the book": "Ledger"}, functional=("OWNED_BY",))
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["tests.test_store"])
NASTY = st.one_of(
    st.sampled_from(["'", '"', "\\", "a\nb", "\U0001f680", "}) DETACH DELETE n //", "x" * 10_000]),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20),
).filter(str.strip)


def fact(number, subject="Ledger", predicate="OWNED_BY", object_="Team", text="so it is", **more):
    stated = Fact(id=f"f{number}", subject=subject, predicate=predicate, object=object_, **more)
    return Turn(number=number, speaker="A", text=text, fact=stated)


def ask(memory, text):
    return memory.answer(Question(number=99, speaker="B", text=text)).text


@pytest.fixture
def path(tmp_path):
    return tmp_path / "facts.db"


def test_what_was_ingested_is_there_when_it_is_opened_again(path):
    with TemporalGraph.open(path, vocabulary=VOCABULARY) as memory:
        memory.ingest(fact(1, object_="Team_A"))
        memory.ingest(Turn(number=2, speaker="A", text="The Ledger, L1 for short, is new."))
        memory.ingest(fact(3, object_="Team_B"))
    with TemporalGraph.open(path) as memory:
        assert ask(memory, "Who owns the book?") == ask(memory, "Who owns L1?") == "Team_B"
        assert ask(memory, "Who owned the Ledger originally?") == "Team_A"


def test_a_vocabulary_adds_to_the_stored_one_and_may_not_contradict_it(path):
    FactStore(path, vocabulary=VOCABULARY).close()
    added = Vocabulary(aliases={"the log": "Journal"}, functional=("STORED_IN",))
    FactStore(path, vocabulary=added).close()
    store = FactStore(path)
    assert store.vocabulary.aliases == {**VOCABULARY.aliases, "the log": "Journal"}
    assert store.vocabulary.functional == (*VOCABULARY.functional, "STORED_IN")
    other = Vocabulary(aliases={"the log": "Ledger"})
    with pytest.raises(StoreError, match="'the log' stands for 'Journal', not for 'Ledger'"):
        FactStore(path, vocabulary=other)


def test_one_that_has_it_open_sees_what_another_commits(path):
    with TemporalGraph.open(path) as one, TemporalGraph.open(path) as other:
        one.ingest(fact(1, object_="Team_A"))
        assert ask(other, "Who owns the Ledger?") == "Team_A"
        other.ingest(fact(2, subject="Mailer", object_="Team_B"))
        assert ask(one, "Who owns the Mailer?") == "Team_B"


def test_conversations_in_one_file_do_not_mix(path):
    opened = [TemporalGraph.open(path, name, VOCABULARY) for name in ("one", "two")]
    with opened[0] as one, opened[1] as two:
        one.ingest(fact(1, object_="Team_A"))
        assert ask(two, "Who owns the Ledger?") == "UNKNOWN"
        two.ingest(fact(1, object_="Team_B"))
    rows = sqlite3.connect(path).execute("SELECT what FROM log").fetchall()
    assert rows == [("assert",), ("assert",)]
    assert FactStore(path, "three").vocabulary == Vocabulary()


def test_whoever_goes_on_in_a_file_is_told_the_next_turn(path):
    with TemporalGraph.open(path, vocabulary=VOCABULARY) as one:
        assert one.next_turn == 1
        one.ingest(fact(7, object_="Team_A"))
    with TemporalGraph.open(path) as one, TemporalGraph.open(path) as other:
        other.ingest(fact(other.next_turn, object_="Team_B"))
        assert one.next_turn == 9
        assert ask(one, "Who owns the Ledger?") == "Team_B"


def test_a_name_may_be_introduced_in_the_turn_that_states_a_fact(path):
    turn = fact(1, object_="Team_A")
    said = turn.model_copy(update={"text": "The Ledger, L1 for short, is ours.", "speaker": "A: B"})
    memory = TemporalGraph()
    memory.ingest(said)
    with TemporalGraph.open(path) as kept:
        kept.ingest(said)
        assert ask(kept, "Who owns L1?") == ask(memory, "Who owns L1?") == "Team_A"


def test_a_file_of_any_name_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FactStore(":memory:").append([fact(1)])
    assert len(FactStore(":memory:").rows()) == 1


def test_it_is_on_the_disk_when_a_write_returns(path):
    store = FactStore(path)
    settings = [
        store._database.execute(f"PRAGMA {name}").fetchone()[0]
        for name in ("journal_mode", "synchronous")
    ]
    assert settings == ["wal", 2]  # 2: FULL


def test_a_write_that_fails_leaves_nothing_and_can_be_repeated(path):
    with TemporalGraph.open(path) as memory:
        for wrong in (fact(10**30), fact(2, subject="\ud800")):
            with pytest.raises(StoreError, match=r"facts\.db: "):
                memory.ingest_all([fact(1), wrong])
        assert memory.facts.entries == []
        memory.ingest(fact(1))
        assert len(memory.facts.entries) == 1


def test_a_thread_that_did_not_open_the_file_is_told_so(path):
    store, said = FactStore(path), []

    def write():
        try:
            store.append([fact(1)])
        except StoreError as error:
            said.append(str(error))

    thread = threading.Thread(target=write)
    thread.start()
    thread.join()
    assert "same thread" in said[0]


def _open(path, count):
    for i in range(count):
        FactStore(path.with_name(f"fresh_{i}.db")).close()


def test_processes_may_open_a_new_file_at_once(path):
    processes = [PROCESSES.Process(target=_open, args=(path, 40)) for _ in range(6)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0] * 6


def test_each_row_says_what_it_did(path):
    store = FactStore(path, vocabulary=VOCABULARY)
    store.append([fact(1), fact(2, object_="Other"), fact(3, object_="Other", retracts=True)])
    rows = sqlite3.connect(path).execute("SELECT what, turn, speaker, conversation, time FROM log")
    found = rows.fetchall()
    assert [row[:4] for row in found] == [
        ("assert", 1, "A", "main"),
        ("supersede", 2, "A", "main"),
        ("retract", 3, "A", "main"),
    ]
    assert all(row[4].endswith("Z") for row in found)


def test_of_a_batch_all_or_nothing_is_stored(path):
    store = FactStore(path)

    def turns():
        yield fact(1)
        raise KeyError("no more")

    with pytest.raises(KeyError):
        store.append(turns())
    assert store.rows() == []
    store.append([fact(2)])
    assert len(store.rows()) == 1


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(NASTY, NASTY, NASTY, st.integers(1, 9), st.booleans()), max_size=6))
def test_a_graph_comes_back_as_it_was(tmp_path_factory, items):
    path = tmp_path_factory.mktemp("round") / "facts.db"
    functional = tuple({predicate for _, predicate, _, _, _ in items[::2]})
    turns = [
        fact(i, s, p, o, text="", since=since, retracts=retracts)
        for i, (s, p, o, since, retracts) in enumerate(items, 1)
    ]
    plain = TemporalGraph(Vocabulary(functional=functional))
    plain.ingest_all(turns)
    with TemporalGraph.open(path, vocabulary=Vocabulary(functional=functional)) as memory:
        memory.ingest_all(turns)
    with TemporalGraph.open(path) as memory:
        assert state(memory.facts) == state(plain.facts)
        for subject, predicate, _, _, _ in items:
            text = f"What is the {predicate} of {subject}?"
            assert ask(memory, text) == ask(plain, text)


def state(log: FactLog):
    return sorted(
        (s, data["predicate"], o, data["fact_id"], data["since"], str(data["until"]))
        for s, o, data in log.graph.edges(data=True)
    )


# ---- files that cannot serve


def test_a_file_that_is_no_database_is_an_error(path):
    path.write_text("no database, but long enough to be looked at as one" * 20)
    with pytest.raises(StoreError, match=r"facts\.db: file is not a database"):
        FactStore(path)


def test_the_database_of_another_program_is_an_error_and_stays_as_it_is(path):
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
        other.commit()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="a database, but not a fact log"):
        FactStore(path)
    assert path.read_bytes() == before


def test_a_later_version_is_an_error(path):
    FactStore(path).close()
    with contextlib.closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        other.execute("PRAGMA user_version = 7")
    with pytest.raises(StoreError, match="version 7 of the fact log; this program knows 1"):
        FactStore(path)


def test_a_place_that_cannot_be_written_is_an_error(tmp_path):
    for place in (tmp_path / "no" / "facts.db", tmp_path):
        with pytest.raises(StoreError, match="unable to open"):
            FactStore(place)


def test_a_read_only_file_is_an_error(path, monkeypatch):
    FactStore(path).close()
    connect = sqlite3.connect
    read_only = f"file:{path}?mode=ro"  # as root, permissions of the file forbid nothing
    monkeypatch.setattr(sqlite3, "connect", lambda _, **more: connect(read_only, uri=True, **more))
    store_error = pytest.raises(StoreError, match="attempt to write a readonly database")
    with store_error:
        FactStore(path).append([fact(1)])


# ---- crashes and other processes


def _write_until_killed(path, pipe):
    store = FactStore(path)
    for number in range(1, 10_000):
        store.append([fact(number, subject=f"S{number}", text="x" * (number % 300))])
        pipe.send(number)  # the write has returned


def test_no_fact_whose_write_returned_is_lost_in_fifty_crashes(tmp_path):
    chance = random.Random(7)
    for i in range(50):
        path = tmp_path / f"{i}.db"
        reading, writing = PROCESSES.Pipe(duplex=False)
        writer = PROCESSES.Process(target=_write_until_killed, args=(path, writing))
        writer.start()
        writing.close()
        returned = reading.recv()
        time.sleep(chance.uniform(0, 0.03))
        writer.kill()  # SIGKILL
        writer.join()
        with contextlib.suppress(EOFError, OSError):  # the end, or half a number
            while True:
                returned = reading.recv()
        reading.close()
        with TemporalGraph.open(path) as memory:
            entries = memory.facts.entries
        assert returned >= 1
        assert len(entries) in (returned, returned + 1)  # the last may have been on its way back
        for number, entry in enumerate(entries, 1):
            assert (entry.fact_id, entry.subject) == (f"f{number}", f"S{number}")
            assert entry.said == "A: " + "x" * (number % 300)


def _write_many(path, process, count, keys):
    with TemporalGraph.open(path) as memory:
        for i in range(count):
            number = process * count + i
            subject = f"Key_{i // 2 % keys}" if i % 2 else f"Own_{number}"
            memory._store.append([fact(number, subject=subject, object_=f"Team_{number}")])


def test_eight_processes_write_at_once(path):
    processes, count, keys = 8, 1_000, 200
    FactStore(path, vocabulary=VOCABULARY).close()
    writers = [
        PROCESSES.Process(target=_write_many, args=(path, i, count, keys)) for i in range(processes)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * processes
    with TemporalGraph.open(path) as memory:
        entries = memory.facts.entries
        assert len(entries) == processes * count
        assert {entry.fact_id for entry in entries} == {f"f{i}" for i in range(processes * count)}
        held = [item.entry.subject for item in memory.facts.holding()]
        assert len(held) == len(set(held)) == len({entry.subject for entry in entries})
        contended = [s for s in held if s.startswith("Key_")]
        assert len(contended) == keys

import pytest

from ctxgraph.conversation import Question, Turn, Vocabulary
from ctxgraph.memories import MEMORIES, UNKNOWN, ContextGraph, RawHistoryDump, VectorRAG, select


def fill(memory, conversation):
    for turn in conversation.turns:
        if turn.question is None:
            memory.ingest(turn)
    return memory


def question(text, label=None):
    return Question(number=9, speaker="Tester", text=text, label=label)


def fact(number, subject, predicate, object_):
    return Turn(
        number=number,
        speaker="Planner",
        text="a decision",
        fact={"id": f"f{number}", "subject": subject, "predicate": predicate, "object": object_},
    )


@pytest.mark.parametrize("name", MEMORIES)
def test_an_empty_memory_does_not_know(name):
    assert MEMORIES[name](Vocabulary()).answer(question("Who owns the Ledger?")).text == UNKNOWN


@pytest.mark.parametrize("name", MEMORIES)
@pytest.mark.parametrize("text", ["", "?", "a", "\u202b\u0301", "x" * 100_000])
def test_a_question_without_words_has_a_defined_answer(name, text, conversation):
    memory = fill(MEMORIES[name](Vocabulary()), conversation)
    assert memory.answer(question(text)).text == UNKNOWN


def test_raw_history_sends_every_line_and_prefers_the_later_of_equals(conversation):
    memory = fill(RawHistoryDump(), conversation)
    answer = memory.answer(question("Where is the ledger?"))
    assert answer.text == "Planner: The ledger is owned by the treasury squad."
    assert answer.context == tuple(turn.line for turn in conversation.turns[:3])
    assert answer.sources == (1, 2, 3)


def test_vector_sends_the_most_similar_turns_first(conversation):
    answer = fill(VectorRAG(top_k=2), conversation).answer(question("ledger owned"))
    assert answer.sources == (3, 1)
    assert answer.text == answer.context[0] == "Planner: The ledger is owned by the treasury squad."


def test_vector_prefers_the_later_of_equals():
    memory = VectorRAG()
    for number in range(1, 41):
        memory.ingest(Turn(number=number, speaker="A", text="same words"))
    assert memory.answer(question("words")).sources == (40, 39, 38)


def test_vector_needs_a_positive_top_k():
    with pytest.raises(ValueError, match="top_k is 0"):
        VectorRAG(top_k=0)


def test_graph_answers_one_hop_in_both_directions(conversation):
    memory = fill(ContextGraph(), conversation)
    assert memory.answer(question("What does Checkout depend on?")).text == "Ledger"
    answer = memory.answer(question("What does Treasury own?"))
    assert (answer.text, answer.sources) == ("Ledger", (3,))
    assert answer.context == ("Matched facts: Ledger",)


def test_graph_joins_two_facts_when_told(conversation):
    memory = fill(ContextGraph(), conversation)
    text = "Who owns what Checkout depends on?"
    answer = memory.answer(question(text, label="join"))
    assert (answer.text, answer.sources) == ("Treasury", (1, 3))
    assert memory.answer(question(text)).text == "Ledger"
    assert fill(ContextGraph(route="join"), conversation).answer(question(text)).text == "Treasury"


def test_graph_supersedes_unless_told_not_to():
    text = question("What priority does Ticket have?")
    for supersede, expected in ((True, "critical"), (False, "high")):
        memory = ContextGraph(supersede=supersede)
        memory.ingest(fact(1, "Ticket", "HAS_PRIORITY", "high"))
        memory.ingest(fact(2, "Ticket", "HAS_PRIORITY", "critical"))
        assert memory.answer(text).text == expected


def test_graph_finds_aliases_unless_told_not_to(conversation):
    vocabulary = Vocabulary(aliases={"the book": "Ledger", "the moon": "Moon"})
    text = question("Who owned the book, or the moon?")
    assert fill(ContextGraph(vocabulary), conversation).answer(text).text == "Treasury"
    assert fill(ContextGraph(vocabulary, aliases=False), conversation).answer(text).text == UNKNOWN


def test_select_takes_names_and_rejects_unknown_ones():
    assert list(select()) == list(MEMORIES)
    assert list(select("vector_rag raw_history")) == ["vector_rag", "raw_history"]
    assert select(["vector_rag"], top_k=5)["vector_rag"](Vocabulary()).top_k == 5
    with pytest.raises(ValueError, match="no memory 'oracle'; there are raw_history"):
        select(["oracle"])

import copy

import pandas as pd
import pytest

from ctxgraph.benchmark import COLUMNS, answer_keys, ask, compare, grade, run, summarize
from ctxgraph.conversation import (
    AnswerKey,
    Conversation,
    ConversationError,
    make_conversation,
    read_conversations,
)
from ctxgraph.memories import MEMORIES, Answer, select
from ctxgraph.tables import published, results_table, title


class Recorder:
    """A memory that notes all it is given."""

    def __init__(self, vocabulary):
        self.vocabulary = vocabulary
        self.ingested, self.asked = [], []

    def ingest(self, turn):
        self.ingested.append(turn)

    def answer(self, question):
        self.asked.append(question)
        return Answer("the TREASURY squad", ("one line",), (3,))


def test_rows_say_what_was_answered_and_at_what_price(conversation):
    row = run([conversation], {"recorder": Recorder}).to_dict("records")
    assert row == [
        {
            "conversation": "small",
            "memory": "recorder",
            "question": "Who owns the thing that Checkout depends on?",
            "type": "join",
            "answer": "the TREASURY squad",
            "correct": True,
            "tokens": 17,
            "distance": 1,
            "recall": 0.5,
            "sufficient": False,
        }
    ]


def test_the_answer_key_is_hidden_and_the_question_is_taken_in(conversation):
    memory = Recorder(conversation.vocabulary)
    list(ask(conversation, memory))
    assert [turn.number for turn in memory.ingested] == [1, 2, 3, 4]
    assert memory.ingested[3].question is None
    assert memory.asked[0].label is None
    memory = Recorder(conversation.vocabulary)
    memory.reads_label = True
    list(ask(conversation, memory))
    assert memory.asked[0].label == "join"


def test_a_question_that_needs_no_fact_has_no_recall():
    key = {"type": "unanswerable", "needs": [], "answers": ["UNKNOWN"]}
    talk = make_conversation("t", [{"speaker": "A", "text": "Who?", "question": key}])
    rows = run(iter([talk]))
    assert rows["correct"].all()
    assert rows[["distance", "recall", "sufficient"]].isna().all(axis=None)
    assert dict(rows.dtypes.astype(str)) == COLUMNS


def test_grading_is_a_substring_in_any_case():
    key = AnswerKey(type="direct", needs=(), answers=("Finance_Eng ", "finance"))
    assert grade(Answer("owned by FINANCE_eng now"), key)
    assert not grade(Answer("Fin"), key)


def test_summary_has_an_interval_and_a_column_per_type(conversation):
    summary = summarize(run([conversation]))
    assert list(summary.index) == list(MEMORIES)
    graph = summary.loc["context_graph"]
    assert (graph["accuracy"], graph["accuracy_join"], graph["high"]) == (1, 1, 1)
    assert graph["low"] == pytest.approx(0.2065, abs=1e-4)


def test_pairs_are_compared_on_the_same_questions(conversation):
    table = compare(run([conversation]), "context_graph")
    assert table.loc["raw_history", ["only_this", "only_other", "p"]].tolist() == [1, 0, 1]


def test_questions_that_only_one_was_asked_are_not_compared(conversation):
    other = Conversation("other", conversation.turns, conversation.vocabulary)
    one, more = select(["context_graph"]), select(["raw_history", "context_graph"])
    table = compare(pd.concat([run([conversation], more), run([other], one)]), "context_graph")
    assert table.loc["raw_history", ["only_this", "only_other"]].tolist() == [1, 0]


def test_an_unknown_is_right_only_where_it_is_accepted():
    keys = [AnswerKey(type="direct", needs=(), answers=(text,)) for text in ("No", "unknown")]
    assert [grade(Answer("UNKNOWN"), key) for key in keys] == [False, True]


def test_what_is_no_answer_is_named(conversation):
    class Mute(Recorder):
        def answer(self, question):
            return "so"

    with pytest.raises(TypeError, match="mute gives no Answer to"):
        run([conversation], {"mute": Mute})
    with pytest.raises(TypeError, match="a tuple of lines"):
        Answer("so", "a line")
    with pytest.raises(ValueError, match="two conversations are called"):
        run([conversation, conversation])


def test_the_projects_conversations_give_the_published_table():
    table = results_table(summarize(run(read_conversations())), published()["results"])
    for memory in map(title, published()["results"]):
        assert table.loc[(memory, "measured")].equals(table.loc[(memory, "article")])


def test_a_question_asked_twice_is_two_questions(lines):
    talk = make_conversation("t", [*lines, lines[-1], {"speaker": "A", "text": "So."}, lines[-1]])
    rows = run([talk])
    table = compare(rows, "context_graph")
    assert table.loc["raw_history", "only_this"] == 3
    assert len(answer_keys(rows, [talk])) == len(rows)


@pytest.mark.parametrize("kind", ["accuracy", "correct", "tokens", "tokens_sum", "$q", "list"])
def test_any_word_is_a_type_of_question(kind, lines):
    lines = copy.deepcopy(lines)
    lines[-1]["question"]["type"] = kind
    table = results_table(summarize(run([make_conversation("t", lines)])))
    assert table.columns[-1] == f"{kind} %"


def test_nothing_to_run_or_to_sum_up_is_an_error(conversation, lines):
    with pytest.raises(ValueError, match="no memory"):
        run([conversation], {})
    with pytest.raises(ConversationError, match="asks a question"):
        summarize(run([make_conversation("t", lines[:1])]))

"""The project's conversations are what their data card says."""

import pytest

from ctxgraph.benchmark import run
from ctxgraph.conversation import read_conversations
from ctxgraph.memories import ContextGraph

OWN = read_conversations()


def questions(kind):
    return [t for item in OWN for t in item.turns if t.question and t.question.type == kind]


def test_five_conversations_with_the_articles_questions():
    assert [item.name for item in OWN] == [
        "data_pipeline",
        "incident_response",
        "research_pipeline",
        "software_planning",
        "support_escalation",
    ]
    assert [len(questions(kind)) for kind in ("direct", "distant", "join")] == [6, 7, 5]


@pytest.mark.parametrize("conversation", OWN, ids=lambda item: item.name)
def test_chatter_outnumbers_facts_and_repeats_nothing(conversation):
    facts = [turn for turn in conversation.turns if turn.fact]
    chatter = [turn for turn in conversation.turns if not turn.fact and not turn.question]
    assert len(chatter) > len(facts)
    texts = [turn.text for turn in conversation.turns]
    assert len(set(texts)) == len(texts)


def test_two_questions_name_no_entity():
    unnamed = []
    for conversation in OWN:
        graph = ContextGraph(conversation.vocabulary)
        for turn in conversation.turns:
            graph.ingest(turn)
            if turn.question and not graph.entities_named(turn.text):
                unnamed.append((conversation.name, turn.question.type))
    assert unnamed == [("data_pipeline", "distant"), ("data_pipeline", "join")]


@pytest.mark.parametrize(
    ("switches", "correct", "joins"),
    [
        ({}, 16, 4),
        ({"aliases": False}, 13, 4),
        ({"supersede": False}, 15, 4),
        ({"route": "direct"}, 12, 0),
        ({"route": "join"}, 4, 4),
    ],
)
def test_switches_cost_what_they_cost_on_the_articles_data(switches, correct, joins):
    rows = run(OWN, {"graph": lambda vocabulary: ContextGraph(vocabulary, **switches)})
    assert rows["correct"].sum() == correct
    assert rows[rows["type"] == "join"]["correct"].sum() == joins

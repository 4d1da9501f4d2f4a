"""The article's own conversations give the article's own results."""

import json

import pytest

from ctxgraph.benchmark import run, summarize
from ctxgraph.conversation import read_conversations
from ctxgraph.memories import select

NAMES = {
    "raw_history_dump": "raw_history",
    "vector_only_rag": "vector_rag",
    "context_graph": "context_graph",
}


@pytest.fixture
def article(outside):
    expected = json.loads((outside / "article" / "expected.json").read_text("utf-8"))
    memories = select(NAMES.values())
    return run(read_conversations(outside / "article"), memories), expected


def test_every_row_agrees(article):
    rows, expected = article
    compared = ["answer", "correct", "tokens", "distance", "type"]
    measured = rows.set_index(["conversation", "memory", "question"])[compared]
    assert len(measured) == len(expected["rows"]) == 54
    for row in expected["rows"]:
        key = (row["conversation"], NAMES[row["memory"]], row["question"])
        assert measured.loc[key].to_dict() == {name: row[name] for name in compared}


def test_the_summary_agrees(article):
    rows, expected = article
    summary = summarize(rows)
    for name, figures in expected["summary"].items():
        measured = summary.loc[NAMES[name]]
        assert measured["questions"] == figures["n_queries"]
        assert measured["correct"] == figures["correct"]
        assert round(measured["accuracy"], 4) == figures["accuracy"]
        assert round(measured["tokens_mean"], 1) == figures["avg_tokens_per_query"]
        assert measured["tokens_median"] == figures["median_tokens_per_query"]
        assert measured["tokens_max"] == figures["max_tokens_per_query"]
        assert measured["tokens_min"] == figures["min_tokens_per_query"]
        assert measured["tokens_sum"] == figures["total_tokens_all_queries"]
        for kind, of_kind in figures["accuracy_by_query_type"].items():
            assert round(measured[f"accuracy_{kind}"], 4) == of_kind["accuracy"]


def test_the_temporal_graph_needs_no_label(outside):
    rows = run(read_conversations(outside / "article"), select("temporal_graph"))
    assert rows["correct"].sum() == 18
    assert rows["tokens"].mean() < 60

from functools import partial

import pandas as pd
import pytest

from ctxgraph.audit import OUTCOMES, at_k, attribute, hops, regrade, routes
from ctxgraph.benchmark import run
from ctxgraph.conversation import make_conversation, read_conversations
from ctxgraph.memories import ContextGraph, select

OWN = read_conversations()


@pytest.fixture(scope="module")
def rows():
    return regrade(run(OWN), OWN)


def test_every_regraded_row_has_a_reason_and_was_wrong_before(rows):
    changed = rows[rows["reason"] != ""]
    assert not changed["correct"].any()
    assert changed["fair"].all()
    assert (rows["fair"] != rows["correct"]).sum() == len(changed) == 4
    assert set(changed["memory"]) == {"raw_history", "vector_rag"}


def test_no_phrase_that_also_counts_is_an_accepted_answer():
    for conversation in OWN:
        for turn in conversation.turns:
            for phrase in turn.question.also if turn.question else ():
                assert not any(answer.lower() in phrase.lower() for answer in turn.question.answers)


def test_every_answer_has_one_outcome(rows):
    hidden = run(OWN, {**select(), "context_graph": partial(ContextGraph, route="direct")})
    outcomes = attribute(rows, hidden)
    assert outcomes.notna().all()
    counts = pd.crosstab(rows["memory"], outcomes)
    assert (counts.sum(axis=1) == 18).all()
    assert counts.loc["context_graph", OUTCOMES[1]] == 4
    assert (outcomes.isin(OUTCOMES[:3]) == rows["correct"]).all()


def test_outcomes_by_hand():
    regraded = pd.DataFrame(
        {
            "correct": [True, True, True, False, False, False],
            "fair": [True, True, True, True, False, False],
            "sufficient": pd.array([True, True, False, True, True, False], dtype="boolean"),
        }
    )
    unlabelled = pd.DataFrame({"correct": [True, False, True, False, False, False]})
    assert attribute(regraded, unlabelled).tolist() == list(OUTCOMES)


def test_more_turns_never_lose_evidence():
    recall = at_k(OWN, [1, 3, 20]).pivot(
        index=["conversation", "question"], columns="k", values="recall"
    )
    assert (recall.diff(axis=1).iloc[:, 1:] >= 0).all(axis=None)


def test_the_label_is_worth_all_joins():
    told = run(OWN, routes()).groupby("memory")["correct"].sum()
    assert told[["given", "hidden", "always join"]].tolist() == [16, 12, 4]


def test_hops_are_edges_to_the_answer(lines):
    further = {
        "speaker": "A",
        "text": "Where is the moon?",
        "question": {"type": "direct", "needs": [], "answers": ["none"]},
    }
    table = hops([make_conversation("t", [*lines, further])])
    assert table["hops"].tolist() == [2, pd.NA]

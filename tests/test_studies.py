import pytest

from ctxgraph.cases import read_cases
from ctxgraph.conversation import read_conversations
from ctxgraph.studies import pruning, thresholds


def test_a_stricter_threshold_refuses_and_loses_more():
    table = thresholds(read_cases()[:40], read_conversations()[:2], [0, 0.6, 1])
    assert table["refused"].is_monotonic_increasing
    assert table["lost"].is_monotonic_increasing
    assert (table["right"] + table["wrong"] + table["lost"]).tolist() == pytest.approx([1, 1, 1])


def test_a_memory_with_room_for_all_loses_nothing():
    table = pruning(read_conversations()[:2], [4, 1_000])
    assert table["correct"].is_monotonic_increasing
    assert table["lost"].tolist()[1] == 0
    assert table["lost"].tolist()[0] > 0
    assert table["correct"].tolist()[1] == 1

import pytest

from ctxgraph.memories import select
from ctxgraph.scaling import FILLERS, fit, grow, measure
from ctxgraph.tables import published


def test_the_published_tokens_come_out():
    article = published()["scaling"]
    table = measure()
    for memory, tokens in article["tokens"].items():
        assert table[table["memory"] == memory]["tokens"].tolist() == tokens
    lines = fit(table)
    for memory, growth in article["growth"].items():
        assert round(lines.loc[memory, "growth"], 2) == growth
    assert lines.loc["raw_history", "tokens_per_filler"] == pytest.approx(12.55, abs=0.01)


def test_the_growing_conversation_has_its_questions_at_even_steps():
    turns = grow(10, questions=2).turns
    assert [turn.number for turn in turns if turn.question] == [7, 13]
    assert [turn.text for turn in turns[1:6]] == list(FILLERS)


def test_the_cost_of_all_questions_is_summed():
    table = measure([10], select(["context_graph"]), questions=3)
    assert table["tokens"].tolist() == [69]
    assert table["questions"].tolist() == [3]


def test_sizes_that_make_no_line_are_rejected():
    with pytest.raises(ValueError, match="at least 1"):
        measure([0, 10])
    with pytest.raises(ValueError, match="two sizes"):
        fit(measure([10], select("context_graph")))

import pandas as pd

from ctxgraph import figures
from ctxgraph.benchmark import run, summarize
from ctxgraph.conversation import make_conversation
from ctxgraph.memories import MEMORIES, select
from ctxgraph.scaling import measure
from ctxgraph.tables import published


def test_each_memory_has_its_own_look_everywhere():
    names = [*MEMORIES, "mine"]
    looks = [tuple(figures.look(name, names).values()) for name in names]
    assert len(set(looks)) == len(names)
    assert figures.look("context_graph", ["context_graph"]) == figures.look("context_graph", names)


def test_bars_stand_at_the_summary_and_marks_at_the_article(conversation):
    summary = summarize(run([conversation], select(["context_graph"])))
    article = {"context_graph": {"accuracy": 40.0, "tokens": 20.0, "accuracy_join": 60.0}}
    bars = figures.results(summary, article).axes[0]
    assert [bar.get_height() for bar in bars.patches] == [100, 100]
    assert bars.lines[0].get_ydata().tolist() == [40, 60]


def test_a_figure_without_published_values_marks_none(conversation):
    figure = figures.results(summarize(run([conversation])), None)
    assert not figure.axes[0].lines


def test_scaling_draws_a_line_per_memory_through_the_measured_tokens():
    table = measure([10, 50])
    lines = figures.scaling(table, published()["scaling"]).axes[0].lines
    assert lines[0].get_ydata().tolist() == [157, 659]


def test_any_type_of_question_has_its_label(conversation, lines):
    kinds = ["two_step_reasoning_question", "$q", "accuracy"]
    talks = [
        make_conversation(f"t{i}", [*lines[:3], {**lines[3], "question": {**key, "type": kind}}])
        for i, kind in enumerate(kinds)
        for key in [lines[3]["question"]]
    ]
    figure = figures.results(summarize(run(talks)), None)
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert labels == ["all questions", "two step\nreasoning\nquestion", r"\$q", "accuracy"]
    assert figures.show(figure, "results").data


def test_files_are_written_and_the_same_each_time(tmp_path, conversation):
    summary = summarize(run([conversation]))
    for folder in ("one", "two"):
        figures.show(figures.results(summary, None), "results", tmp_path / folder)
        figures.show(figures.total_cost(pd.concat([measure([10]), measure([10], questions=2)])),
                     "cost", tmp_path / folder)  # fmt: skip
    written = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert written == ["cost.png", "cost.svg", "results.png", "results.svg"]
    for name in written:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()

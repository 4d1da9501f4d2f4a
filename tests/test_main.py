import csv
import os
import subprocess
import sys

import pytest

from ctxgraph.__main__ import main
from ctxgraph.memories import MEMORIES


def test_run_prints_the_summary_and_writes_the_rows(write, lines, capsys):
    path = write(lines)
    out = path.with_name("rows.csv")
    assert main(["run", str(path), "--out", str(out)]) == 0
    assert "Context graph" in capsys.readouterr().out
    with out.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert ",".join(rows[0]) == (
        "conversation,memory,question,type,answer,correct,tokens,distance,recall,sufficient"
    )
    assert [row["memory"] for row in rows] == list(MEMORIES)


def test_run_takes_a_folder_and_names_of_memories(write, lines, capsys):
    folder = write(lines).parent
    assert main(["run", str(folder), "--memories", "vector_rag"]) == 0
    printed = capsys.readouterr().out
    assert "Vector-only RAG" in printed
    assert "Context graph" not in printed


def test_memories_lists_what_there_is(capsys):
    assert main(["memories"]) == 0
    assert capsys.readouterr().out.split() == list(MEMORIES)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{}\n", "line 1, speaker: Field required; text: Field required"),
        (b'{"speaker": "A", "text": "x"}\n', "no turn asks a question"),
    ],
)
def test_bad_data_is_one_line_on_stderr(write, content, message, capsys):
    path = write(content)
    assert main(["run", str(path)]) == 1
    captured = capsys.readouterr()
    assert captured.err == f"ctxgraph: {captured.err.removeprefix('ctxgraph: ').strip()}\n"
    assert message in captured.err
    assert str(path) in captured.err
    assert captured.out == ""


def test_a_missing_path_or_folder_is_one_line_on_stderr(write, lines, tmp_path, capsys):
    assert main(["run", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().err == f"ctxgraph: {tmp_path}/none: No such file or directory\n"
    assert main(["run", str(write(lines)), "--out", str(tmp_path)]) == 1
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", f"ctxgraph: {tmp_path}: Is a directory\n")


def test_rows_are_not_written_over_a_conversation(write, lines, capsys):
    path = write(lines)
    before = path.read_bytes()
    for out in (path, path.with_name("other.jsonl"), path.with_name("vocabulary.json")):
        assert main(["run", str(path), "--out", str(out)]) == 1
        assert "name another file" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_a_folder_for_the_rows_is_made(write, lines):
    path = write(lines)
    out = path.parent / "new" / "rows.csv"
    assert main(["run", str(path), "--out", str(out)]) == 0
    assert b"\r" not in out.read_bytes()


def test_what_cannot_be_printed_is_shown_as_it_is_written_in_code(write, capsys):
    path = write(b'{"speaker": "A", "text": "x", "a\\nb\\u001b": 1}\n')
    assert main(["run", str(path)]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert r"a\nb\x1b: unknown key" in error


@pytest.mark.parametrize("target", ["/dev/full", "closed"])
def test_an_output_that_takes_nothing_is_no_traceback(write, lines, target):
    command = [sys.executable, "-m", "ctxgraph", "run", str(write(lines))]
    if target == "closed":
        reading, writing = os.pipe()
        os.close(reading)
    else:
        writing = os.open(target, os.O_WRONLY)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr


def test_an_interruption_is_one_line(write, lines, monkeypatch, capsys):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("ctxgraph.__main__.run", interrupt)
    assert main(["run", str(write(lines))]) == 130
    assert capsys.readouterr().err == "ctxgraph: interrupted\n"


def test_bad_usage_exits_with_2(capsys):
    with pytest.raises(SystemExit) as error:
        main(["run", "x", "--memories", "oracle"])
    assert error.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_it_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "ctxgraph", "memories"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == list(MEMORIES)

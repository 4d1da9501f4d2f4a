import json

import pytest

from ctxgraph.conversation import (
    ConversationError,
    Vocabulary,
    make_conversation,
    read_conversation,
    read_conversations,
)

FACT = {"id": "f", "subject": "S", "predicate": "P", "object": "O"}
KEY = {"type": "direct", "needs": ["f"], "answers": ["O"]}


def turn(**more):
    return {"speaker": "A", "text": "hello", **more}


def test_reads_turns_in_order_and_numbers_them_by_line(write, lines):
    read = read_conversation(write(lines))
    assert read.name == "talk"
    assert [turn.number for turn in read.turns] == [1, 2, 3, 4]
    assert read.turns[0].fact.object == "Ledger"
    assert read.turns[3].question.needs == ("f1", "f2")
    assert read.turns == make_conversation("talk", lines).turns


def test_accepts_windows_lines_a_byte_order_mark_and_no_last_newline(write):
    content = (
        "\ufeff" + json.dumps(turn()) + "\r\n" + json.dumps(turn(text="na\u00efve \u2028 line"))
    )
    assert len(read_conversation(write(content.encode())).turns) == 2


BAD_LINES = [
    (turn(fct=FACT), "line 2, fct: unknown key; known are speaker, text, fact, question"),
    (turn(fact={**FACT, "note": 1}), "fact.note: unknown key; known are id, subject"),
    (turn(question={**KEY, "kind": 1}), "question.kind: unknown key; known are type, needs"),
    ({"speaker": "A"}, "line 2, text: Field required"),
    (turn(fact={"id": "g", "subject": "S", "predicate": "P"}), "fact.object: Field required"),
    ({"speaker": 7, "text": "hello"}, "line 2, speaker: Input should be a valid string"),
    (turn(question={**KEY, "needs": "f"}), "question.needs: Input should be a valid array"),
    (turn(question={**KEY, "answers": []}), "question.answers: has 0; at least 1 is wanted"),
    (turn(question={**KEY, "answers": [" "]}), "question.answers.0: is blank"),
    (turn(fact={**FACT, "id": ""}), "fact.id: is blank"),
    (turn(fact=FACT), "line 2, fact.id: 'f' is already the id of line 1"),
    (turn(question={**KEY, "needs": ["g"]}), "question.needs: no fact 'g' is stated before"),
    (turn(fact={**FACT, "id": "g"}, question=KEY), "a fact or asks a question, not both"),
    ([1], "line 2, Input should be an object"),
]


@pytest.mark.parametrize(("line", "message"), BAD_LINES)
def test_a_bad_line_is_one_error_with_file_line_and_field(write, line, message):
    path = write([turn(fact=FACT), line])
    with pytest.raises(ConversationError) as error:
        read_conversation(path)
    assert str(error.value).startswith(f"{path}, line 2")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


BAD_BYTES = [
    (b"", "empty"),
    (b'{"speaker": "A", "text": "x"}\n\n{"speaker": "A", "text": "y"}\n', "line 2: blank"),
    (b'{"speaker": "A", "text": "x"}\n{"speaker": "A", \n', "line 2, Invalid JSON"),
    (b'{"speaker": "A", "text": "x"}\n{"speaker": "\xff"}\n', "line 2: not UTF-8"),
    (b'{"speaker": "A", "speaker": "B", "text": "x"}\n', "line 1, speaker: the key is there twice"),
    (b'{"speaker": "A", "text": "\\ud800"}\n', "line 1, "),
    (b"[" * 100_000, "line 1, "),
    (b'{"speaker": "A", "text": ' + b"9" * 5_000 + b"}\n", "line 1, "),
]


@pytest.mark.parametrize(("content", "message"), BAD_BYTES)
def test_a_bad_file_is_one_error_with_file_and_line(write, content, message):
    path = write(content)
    with pytest.raises(ConversationError) as error:
        read_conversation(path)
    assert str(path) in str(error.value)
    assert message in str(error.value)


def test_the_vocabulary_beside_a_file_is_read_with_it(write, lines):
    path = write(lines)
    assert read_conversation(path).vocabulary == Vocabulary()
    write(b'{"aliases": {"the book": "Ledger"}, "functional": ["OWNED_BY"]}', "vocabulary.json")
    vocabulary = read_conversation(path).vocabulary
    assert vocabulary.aliases == {"the book": "Ledger"}
    assert vocabulary.functional == ("OWNED_BY",)
    assert read_conversations(path.parent)[0].vocabulary == vocabulary


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"alias": {}}', "alias: unknown key; known are aliases, functional"),
        (b'{"aliases": {"x": 1}}', "aliases.x: Input should be a valid string"),
        (b"{", "Invalid JSON"),
    ],
)
def test_a_bad_vocabulary_is_an_error(write, lines, content, message):
    path = write(lines)
    write(content, "vocabulary.json")
    with pytest.raises(ConversationError, match=r"vocabulary\.json") as error:
        read_conversation(path)
    assert message in str(error.value)


def test_a_folder_is_read_in_the_order_of_its_names(write, lines):
    for name in ("b.jsonl", "a.jsonl"):
        folder = write(lines, name).parent
    assert [item.name for item in read_conversations(folder)] == ["a", "b"]


def test_a_folder_without_conversations_is_an_error(tmp_path):
    with pytest.raises(ConversationError, match=r"no \.jsonl file"):
        read_conversations(tmp_path)


def test_a_missing_file_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_conversations(tmp_path / "none.jsonl")

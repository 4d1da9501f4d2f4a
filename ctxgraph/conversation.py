"""Conversations: turns, facts, questions and the JSON Lines files that hold them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

DATA = Path(__file__).resolve().parents[1] / "data"
CONVERSATIONS = DATA / "conversations"
VOCABULARY = "vocabulary.json"


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("is blank")
    return text


Parsed = TypeVar("Parsed", bound=BaseModel)
Name = Annotated[str, AfterValidator(_not_blank)]


class ConversationError(ValueError):
    """Data that cannot be used; the message names the file, the line and the field."""


class _DoubledKeyError(ValueError):
    """Two equal keys in one JSON object; the message is the key."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Fact(_Model):
    """A (subject, predicate, object) triple with an id, stated in a turn.

    `since` is the turn from which it holds, where that is not the turn that states it;
    `retracts` says that the triple holds no longer. The article's memories read neither.
    """

    id: Name
    subject: Name
    predicate: Name
    object: Name
    since: int | None = None
    retracts: bool = False


class AnswerKey(_Model):
    """What only the grader knows of a question: its type, the facts it needs, the answers.

    `also` holds further phrases that say the same as an answer, each with the reason why it
    does. Only the fair grading of `ctxgraph.audit` accepts them.
    """

    type: Name
    needs: tuple[Name, ...]
    answers: Annotated[tuple[Name, ...], Field(min_length=1)]
    also: dict[Name, Name] = {}


class TurnLine(_Model):
    """A turn as a line of a file holds it."""

    speaker: Name
    text: str
    fact: Fact | None = None
    question: AnswerKey | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> TurnLine:
        if self.fact and self.question:
            raise ValueError("a turn states a fact or asks a question, not both")
        return self


class Turn(TurnLine):
    """One message. Turns are numbered from 1, as the lines of their file are."""

    number: int

    @property
    def line(self) -> str:
        """The turn as a transcript shows it."""
        return f"{self.speaker}: {self.text}"


class Question(_Model):
    """What a memory is asked: a speaker's text, without the answer key.

    `label` is the question's type, given only to a memory that declares `reads_label`.
    """

    number: int
    speaker: str
    text: str
    label: str | None = None


class Vocabulary(_Model):
    """What a folder's conversations share.

    `aliases` maps phrases to the entity they stand for; `functional` lists the predicates
    that hold one value at a time.
    """

    aliases: dict[Name, Name] = {}
    functional: tuple[Name, ...] = ()

    def extended(self, other: Vocabulary) -> Vocabulary:
        """Both vocabularies in one.

        Raises
        ------
        ValueError
            A phrase stands for different entities in the two.
        """
        for phrase in sorted(self.aliases.keys() & other.aliases.keys()):
            if self.aliases[phrase] != other.aliases[phrase]:
                raise ValueError(
                    f"alias {phrase!r} stands for {self.aliases[phrase]!r},"
                    f" not for {other.aliases[phrase]!r}"
                )
        functional = dict.fromkeys((*self.functional, *other.functional))
        return Vocabulary(aliases={**self.aliases, **other.aliases}, functional=tuple(functional))


@dataclass(frozen=True)
class Conversation:
    """A named sequence of turns with the vocabulary that goes with it."""

    name: str
    turns: tuple[Turn, ...]
    vocabulary: Vocabulary


def make_conversation(
    name: str, lines: Iterable[dict[str, Any]], vocabulary: Vocabulary | None = None
) -> Conversation:
    """Build a conversation from turns written as dictionaries, numbering them from 1.

    Parameters
    ----------
    name : str
    lines : iterable of dict
        One turn each, with the keys that a line of a file has.
    vocabulary : Vocabulary, optional

    Returns
    -------
    Conversation

    Raises
    ------
    ConversationError
        As for `read_conversation`; the place named is `name` and the turn's number.
    """
    source = ((number, json.dumps(line)) for number, line in enumerate(lines, 1))
    return _build(name, name, source, vocabulary or Vocabulary())


def read_conversation(path: str | Path) -> Conversation:
    """Read one .jsonl file, and the vocabulary.json beside it where there is one.

    Parameters
    ----------
    path : str or Path
        One turn a line, each a JSON object with `speaker` and `text`, and either
        `fact` (`id`, `subject`, `predicate`, `object`) or `question` (`type`, `needs`,
        `answers`) or neither.

    Returns
    -------
    Conversation
        Named after the file.

    Raises
    ------
    ConversationError
        Naming file, line and field: bad UTF-8, bad JSON, an unknown, doubled or missing
        key, a wrong type, a blank line, a doubled fact id, a question that needs a fact not
        stated before it, an empty file.
    OSError
        The file cannot be read.
    """
    path = Path(path)
    lines = _text(path).split("\n")
    if lines[-1] == "":
        lines.pop()
    return _build(path.stem, path, enumerate(lines, 1), _read_vocabulary(path.parent))


def read_conversations(path: str | Path | None = None) -> list[Conversation]:
    """Read a .jsonl file, or all of those in a folder in the order of their names.

    Parameters
    ----------
    path : str or Path, optional
        By default the project's own five conversations.

    Returns
    -------
    list of Conversation

    Raises
    ------
    ConversationError
        As for `read_conversation`, or the folder holds no .jsonl file.
    OSError
        There is no such file or folder.
    """
    path = CONVERSATIONS if path is None else Path(path)
    if not path.is_dir():
        return [read_conversation(path)]
    files = sorted(file for file in path.iterdir() if file.suffix == ".jsonl")
    if not files:
        raise ConversationError(f"{path}: no .jsonl file in this folder")
    return [read_conversation(file) for file in files]


def _read_vocabulary(folder: Path) -> Vocabulary:
    path = folder / VOCABULARY
    if not path.exists() and not path.is_symlink():
        return Vocabulary()
    return _parse(Vocabulary, _text(path), str(path))


def _build(
    name: str, place: Path | str, lines: Iterable[tuple[int, str]], vocabulary: Vocabulary
) -> Conversation:
    turns: list[Turn] = []
    stated: dict[str, int] = {}
    for number, text in lines:
        here = f"{place}, line {number}"
        if not text.strip():
            raise ConversationError(f"{here}: blank; each line holds one turn")
        line = _parse(TurnLine, text, here)
        if line.fact:
            first = stated.setdefault(line.fact.id, number)
            if first != number:
                raise ConversationError(
                    f"{here}, fact.id: {line.fact.id!r} is already the id of line {first}"
                )
        for needed in line.question.needs if line.question else ():
            if needed not in stated:
                raise ConversationError(
                    f"{here}, question.needs: no fact {needed!r} is stated before this line"
                )
        turns.append(Turn(number=number, **dict(line)))
    if not turns:
        raise ConversationError(f"{place}: empty; a conversation has at least one turn")
    return Conversation(name, tuple(turns), vocabulary)


def _text(path: Path) -> str:
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConversationError(f"{path}, line {line}: not UTF-8 ({error.reason})") from None


def _parse(model: type[Parsed], text: str, here: str) -> Parsed:
    try:
        parsed = model.model_validate_json(text)
        # pydantic keeps the last of two equal keys
        json.loads(text, object_pairs_hook=_distinct_keys)
    except _DoubledKeyError as error:
        raise ConversationError(f"{here}, {error}: the key is there twice") from None
    except ValidationError as error:
        problems = "; ".join(_describe(model, problem) for problem in error.errors())
        raise ConversationError(f"{here}, {problems}") from None
    return parsed


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise _DoubledKeyError(key)
    return dict(pairs)


def _describe(model: type[BaseModel], problem: ErrorDetails) -> str:
    field = ".".join(map(str, problem["loc"]))
    message = (
        problem["msg"].removeprefix("Value error, ").replace(" at line 1 column", " at column")
    )
    if problem["type"] == "extra_forbidden":
        owner = {"fact": Fact, "question": AnswerKey}.get(str(problem["loc"][0]), model)
        owner = owner if len(problem["loc"]) > 1 else model
        message = f"unknown key; known are {', '.join(owner.model_fields)}"
    if problem["type"] == "too_short":
        message = f"has {problem['ctx']['actual_length']}; at least 1 is wanted"
    return f"{field}: {message}" if field else message

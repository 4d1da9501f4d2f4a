"""Small question cases: a few turns, one question, and what to answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from ctxgraph.conversation import DATA, Conversation, Question, Vocabulary, make_conversation
from ctxgraph.memories import UNKNOWN, Memory, TemporalGraph
from ctxgraph.memories.temporal_graph import AMBIGUOUS, Traced

CASES = DATA / "cases.yaml"
POINTS = {
    1: "walks",
    2: "one value or many",
    3: "time",
    4: "not known",
    5: "names",
    6: "descriptions",
    7: "provenance",
}


@dataclass(frozen=True)
class Case:
    """A question over a few turns; `sources` are the turns on its path, where that is checked."""

    name: str
    point: int
    talk: Conversation
    question: Question
    answer: str
    as_of: int | None = None
    known_at: int | None = None
    sources: tuple[int, ...] | None = None

    @property
    def refused(self) -> bool:
        """Whether the right answer is to give none."""
        return self.answer == UNKNOWN or self.answer.startswith(AMBIGUOUS)

    def ask(self, memory: TemporalGraph) -> Traced:
        """Lead a new memory through the turns and ask."""
        self.tell(memory)
        return memory.answer(self.question, as_of=self.as_of, known_at=self.known_at)

    def tell(self, memory: Memory) -> None:
        """Lead a new memory through the turns."""
        for turn in self.talk.turns:
            memory.ingest(turn)


def read_cases(path: Path = CASES) -> list[Case]:
    """Read cases from a YAML file, in the form that data/cases.yaml explains at its top."""
    return [_case(item) for item in yaml.safe_load(path.read_text("utf-8"))]


def ask_plainly(memory: Memory, case: Case) -> str:
    """The answer of any memory to a case that does not speak of time."""
    case.tell(memory)
    return memory.answer(case.question).text


def run_cases(cases: Iterable[Case], threshold: float | None = None) -> pd.DataFrame:
    """Ask a `TemporalGraph` every case.

    Parameters
    ----------
    cases : iterable of Case
    threshold : float, optional
        The graph's; its own by default.

    Returns
    -------
    DataFrame
        One row per case: `name`, `point`, `question`, `expected`, `answer`, `refused` (whether
        to refuse is right), `right` (answer, and sources where they are checked), `hops` (facts
        on the path).
    """
    options = {} if threshold is None else {"threshold": threshold}
    rows = []
    for case in cases:
        answer = case.ask(TemporalGraph(case.talk.vocabulary, **options))
        sources = case.sources is None or set(case.sources) == set(answer.sources)
        rows.append(
            {
                "name": case.name,
                "point": POINTS[case.point],
                "question": case.question.text,
                "expected": case.answer,
                "answer": answer.text,
                "refused": case.refused,
                "right": answer.text == case.answer and sources,
                "hops": len(answer.path),
            }
        )
    return pd.DataFrame(rows)


def _case(item: dict[str, Any]) -> Case:
    turns = [_turn(i, text) for i, text in enumerate(item["turns"], 1)]
    vocabulary = Vocabulary(
        aliases=item.get("aliases", {}), functional=tuple(item.get("functional", ()))
    )
    answer = item["answer"]
    if isinstance(answer, dict):
        answer = f"{AMBIGUOUS}: {', '.join(answer['ambiguous'])}"
    return Case(
        name=item["name"],
        point=item["point"],
        talk=make_conversation(item["name"], turns, vocabulary),
        question=Question(number=len(turns) + 1, speaker="Agent", text=item["ask"]),
        answer=answer,
        as_of=item.get("as_of"),
        known_at=item.get("known_at"),
        sources=tuple(item["sources"]) if "sources" in item else None,
    )


def _turn(number: int, text: str) -> dict[str, Any]:
    subject, *rest = text.split(" | ")
    if not rest:
        speaker, _, said = text.partition(": ")
        return {"speaker": speaker, "text": said}
    predicate, object_, *more = rest
    fact = {"id": f"f{number}", "subject": subject, "predicate": predicate, "object": object_}
    for option in more:
        name, _, value = option.partition(" ")
        if name != "since" and option != "retract":
            raise ValueError(f"{text!r}: {option!r} is neither 'since N' nor 'retract'")
        fact |= {"since": int(value)} if name == "since" else {"retracts": True}
    said = f"{subject} {predicate.lower().replace('_', ' ')} {object_}."
    return {"speaker": "Agent", "text": said, "fact": fact}

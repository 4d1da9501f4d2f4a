"""What a question asks, read from its words: a chain of relations that starts at a name.

No model and no tagger. Words are put into a few classes (function words by lists, the rest by
their endings and by the predicates that are stored), and phrases are reduced from the inside
out by patterns over those classes: "the owner of X", "X's owner", "the module assigned to X",
"the service that X depends on", "the barn that has an outbreak".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import regex

from ctxgraph.predicates import Predicates
from ctxgraph.words import (
    ASKING,
    CARRYING,
    CLASS_OF,
    GENERIC,
    IMPERATIVES,
    NOT_TOLD,
    NUMBERS,
    PRONOUNS,
    SELECTORS,
    TIMES,
    WORD,
    fold,
    root,
    words_of,
)

TURN = r"turn\s+(?P<turn>\d{1,18})"
AS_OF = re.compile(rf"\b(?:at|as of|as at|in|by|on|during)\s+(?:the\s+time\s+of\s+)?{TURN}\b", re.I)
BEFORE_TURN = re.compile(rf"\bbefore\s+{TURN}\b", re.I)
KNOWN_AT = re.compile(rf"\b(?:as\s+)?known\s+(?:at|in|by|as of)\s+{TURN}\b", re.I)

# What is asked in ways that a walk along facts does not answer
NOT_READ = re.compile(
    r"\b(?:not|never|no longer|without|nobody|none|nor|(?<!, )but|"
    r"hardly|rarely|seldom|barely|scarcely|nearly|almost|partly|supposedly|allegedly|reportedly|"
    r"possibly|probably|perhaps|maybe|should|might|"
    r"(?:ca|do|does|did|is|are|was|were|has|have|had|wo|would|should|could)n'?t|cannot|"
    r"other than|rather than|instead of|apart from|aside from|(?:which|what) turn|last \w+|"
    r"turn (?:one|two|three|four|five|six|seven|eight|nine|ten))\b|\?\s+\w.*\?",
    re.I | re.S,
)
POLITE = re.compile(r"^\W*(?:please\s+)?(?:can|could|would|will) you\s+(?:please\s+)?", re.I)
LEAD = re.compile(r"^\W*(?:i|we) (?:need|want|would like)(?: to know)?\s+", re.I)
NAME_OF = re.compile(r"\bthe names? of (?=the\b)", re.I)
NOWADAYS = re.compile(
    r"\b(?:these days|nowadays|right now|at present|at (?:the|this) (?:moment|point)|"
    r"this (?:week|month|quarter|season|year))\b",
    re.I,
)
USED_TO = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bbe )\bused to\b", re.I)
SHORT = re.compile(r"[\s,]for short\b", re.I)
AKA = re.compile(r"[\s(,](?:aka|a\.k\.a\.|also known as|also called|call it)\s", re.I)
ALIAS = re.compile(r"[^\s,();.]+(?:\s(?=[^\W\d_a-z])[^\s,();.]+){0,3}")
PIECE = regex.compile(rf"{WORD.pattern}|'s\b|'(?=\s)|,|[:;](?=\s)")
MOST_CHARACTERS = 10_000
MOST_WORDS = 200  # of a longer question the last ones are read


@dataclass(frozen=True)
class Word:
    """A word of a question, with its class; a name carries the entities that it names."""

    text: str
    folded: str
    kind: str
    place: int
    entities: tuple[str, ...] = ()
    aside: bool = False  # in a second clause: "... and owns the reply"
    typed: bool = False  # a stated type, said of something

    @property
    def root(self) -> str:
        """See `root`."""
        return root(self.folded)


@dataclass(frozen=True)
class Phrase:
    """A thing that a question speaks of.

    Either a name (`entities`), or what stands in the relation said by `words` to `inner`
    (to anything, where there is no `inner`), and is called a `kind`. `role` is what the
    inner thing is to the relation: its agent, patient, oblique (behind a preposition),
    possessor or value, or what stands next to its verb; without an inner thing it tells a
    description ("attribute") from what the question itself asks ("asked"; "having" where it
    asks for what has it).
    """

    entities: tuple[str, ...] = ()
    words: tuple[Word, ...] = ()
    kind: tuple[Word, ...] = ()
    inner: Phrase | None = None
    role: str = ""
    span: tuple[int, int] = (0, 0)
    select: str = ""
    anchor: tuple[str, ...] = ()  # the value before or after which another is asked for
    verb: Word | None = None  # the question's main verb
    copula: bool = False  # "what is X", "which beds are Y": its only verb
    asks: str = ""  # what a question asks for, as `Predicate.answers` takes it, or "who"
    passive: bool = False  # "where is it stored", not "where does it store"
    preposition: str = ""  # said with the relation: "sent to", "by whom"

    @property
    def anchors(self) -> tuple[str, ...]:
        """Its anchor, and those of the phrases within it."""
        return self.anchor + (self.inner.anchors if self.inner else ())

    @property
    def plural(self) -> bool:
        """Whether several things may be meant, as far as the noun tells; "what X needs" may."""
        said = self.kind or self.words
        if self.role in ("agent", "patient") and not self.kind:
            return True
        return bool(said) and bool(re.search(r"(?<![siu])s$", said[-1].folded))


Selector = tuple[str, Word | None, int]  # first, before or after; the anchor; its place


@dataclass
class Reading:
    """A question as read: the phrase it asks for, and the turns that it speaks of."""

    phrases: tuple[Phrase, ...] = ()  # one for each thing that it may start from
    as_of: int | None = None
    known_at: int | None = None
    strangers: tuple[str, ...] = ()  # words like names, which name nothing known
    names: tuple[tuple[str, ...], ...] = ()  # the entities of each name that it speaks of
    refused: str = ""  # why it is not read


def introductions(text: str) -> list[tuple[list[str], str]]:
    """The names that a text introduces: the words before, and what stands for them.

    Examples
    --------
    >>> introductions("The Deep Harbour works, DHW for short, have begun.")
    [(['the', 'deep', 'harbour', 'works'], 'DHW')]
    >>> introductions("Midnight Quay (aka MatQ) is cut.")
    [(['midnight', 'quay'], 'MatQ')]
    """
    found = []
    for match in SHORT.finditer(text):
        name, comma, alias = (
            text[max(0, match.start() - 120) : match.start()].rstrip(" ,").rpartition(",")
        )
        if comma:
            found.append((words_of(name), re.sub(r"^\s*or\s+", "", alias).strip()))
    for match in AKA.finditer(text):
        name = text[max(0, match.start() - 120) : match.start()]
        if alias := ALIAS.match(text, match.end(), match.end() + 80):
            found.append((words_of(name), alias[0]))
    return found


class Reader:
    """Reads questions against the names and predicates that a graph holds.

    Parameters
    ----------
    spans : callable
        Where names stand among folded words: start, stop and entities.
    predicates : Predicates
        Those that the graph holds.
    is_type : callable
        Whether an entity is a type of others, and nothing else.
    """

    def __init__(
        self,
        spans: Callable[[Sequence[str]], list[tuple[int, int, tuple[str, ...]]]],
        predicates: Predicates,
        is_type: Callable[[str], bool],
    ) -> None:
        self.spans = spans
        self.predicates = predicates
        self.is_type = is_type

    def read(self, text: str) -> Reading:
        """Read a question."""
        reading = Reading()
        text = text[-MOST_CHARACTERS:]
        text = USED_TO.sub("previously", text.replace("\u2019", "'"))
        text = NOWADAYS.sub("now", LEAD.sub("", POLITE.sub("", text)))
        if not self.predicates.said_by("name"):
            text = NAME_OF.sub("", text)
        match = NOT_READ.search(text)
        if match and not self._named(match[0], text):
            reading.refused = f"{match[0]!r} is not read"
            return reading
        for name, pattern, shift in (
            ("known_at", KNOWN_AT, 0),
            ("as_of", BEFORE_TURN, -1),
            ("as_of", AS_OF, 0),
        ):
            if match := pattern.search(text):
                setattr(reading, name, int(match["turn"]) + shift)
                text = text[: match.start()] + " " + text[match.end() :]
        words = self._words(text)
        reading.strangers = tuple(word.text for word in words if word.kind == "?")
        said, selectors = self._selectors([w for w in _spoken(words) if w.kind not in "A?"])
        kinds = "".join(word.kind for word in said)
        reading.names = tuple(word.entities for word in words if word.kind == "P")
        reading.refused = self._refused(said, kinds)
        if not reading.refused:
            phrases = self._main(self._reduce(said), selectors)
            asked = {"asks": _asks(words), "passive": "B" in kinds}
            reading.phrases = tuple(replace(phrase, **asked) for phrase in phrases)
        return reading

    def _refused(self, said: list[Word], kinds: str) -> str:
        for word in said:
            if (
                word.folded in NOT_TOLD
                and word.kind != "P"
                and not self.predicates.said_by(word.root)
            ):
                return f"{word.text!r} is not read"
        if re.match(r"[BDH](?!.*[RWZ])", kinds):
            return "a yes or no is not answered"
        if re.search(r"PCT?P|[MVP].*C[TObp]*[RWZ]", kinds):
            return "several things are asked at once"
        verb = said[1] if re.match(r"R[MV]", kinds) and said[0].folded in ("who", "whom") else None
        if verb and verb.root not in CARRYING and not self.predicates.said_by(verb.root):
            return f"no stored predicate says {verb.text!r}"
        return ""

    def _named(self, said: str, text: str) -> bool:
        """Whether words stand within names: Doctors Without Borders."""
        words = words_of(text)
        named = {word for start, stop, _ in self.spans(words) for word in words[start:stop]}
        return named.issuperset(words_of(said))

    def _words(self, text: str) -> list[Word]:
        text = unicodedata.normalize("NFKC", text)
        raw = PIECE.findall(text)[-MOST_WORDS:]
        raw = [{"'": "'s", ";": ":"}.get(piece, piece) for piece in raw]
        places = [i for i, piece in enumerate(raw) if piece not in ("'s", ",", ":")]
        folded = [fold(raw[i]) for i in places]
        names: dict[int, tuple[int, tuple[str, ...]]] = {}
        for start, stop, entities in self.spans(folded):
            first, last = places[start], places[stop - 1]
            written = [raw[i] for i in range(first, last + 1)]
            known = [e for e in entities if self._meant(e, written, first)]
            if len(known) > 1:
                known = [e for e in known if _stands_in(e, text)] or known
            if known and not {",", ":"} & set(written):
                names[first] = (last + 1, tuple(known))
        words: list[Word] = []
        place = 0
        while place < len(raw):
            stop, entities = names.get(place, (place + 1, ()))
            written = " ".join(raw[place:stop])
            kind = "P" if entities else self._kind(raw[place], place, words)
            words.append(Word(written, fold(written), kind, place, entities))
            place = stop
        return self._in_context(words)

    def _in_context(self, words: list[Word]) -> list[Word]:
        """Correct the classes of words by those of the words around them."""
        for i, word in enumerate(words[1:-1], 1):
            noun = words[i + 1].kind == "O" or words[i - 1].kind == "S"
            said = noun and " " not in word.text and self.predicates.said_by(word.root)
            asked = words[i - 1].folded == "which" and word.text.islower()
            type_ = asked and all(map(self.is_type, word.entities))
            other = (said or asked) and word.text not in word.entities
            if word.kind == "P" and (other or type_):
                # "the manager of", which is a name too; "which crew"
                words[i] = word = replace(word, kind="M", entities=(), typed=type_)
            if word.kind == "V" and words[i - 1].kind in "TR" and words[i + 1].kind not in "MPT":
                words[i] = replace(word, kind="M")  # a noun: "the building owned by X"
            # "the cache that X depends on": what is named tells which kind of thing is meant, or
            # which of those that the clause describes
            if word.kind != "P" or words[i - 1].kind != "T":
                continue
            follows = "".join(word.kind for word in words[i + 1 : i + 8])
            if CLAUSE.match(follows):
                types = all(map(self.is_type, word.entities))
                if types or i < 2 or words[i - 2].kind not in "BDH" or AFTER_BE.match(follows):
                    entities = () if types else word.entities
                    words[i] = replace(word, kind="M", entities=entities, typed=types)
        return words

    def _meant(self, entity: str, written: list[str], place: int) -> bool:
        """A name that is also a function word must be written as it is stored, and not first."""
        if len(written) > 1 or CLASS_OF.get(fold(written[0])) is None:
            return True
        return place > 0 and written[0] == entity

    def _kind(self, piece: str, place: int, before: list[Word]) -> str:
        folded = fold(piece)
        if folded in SELECTORS and not self.predicates.said_by(root(folded)):
            return "X"
        if piece in ",:":
            return piece
        if piece == "'s" and before and before[-1].kind in "RW":
            return "B"  # what's, who's
        kind = CLASS_OF.get(folded)
        if folded == "that":
            return "R" if before and before[-1].kind in "MVP" else "T"
        if kind and not (kind == "A" and self.predicates.said_by(root(folded))):
            return kind
        if folded in IMPERATIVES and all(word.kind == "A" for word in before):
            return "A"
        noun = bool(before) and (before[-1].kind == "T" or before[-1].folded in ("which", "what"))
        if root(folded) in GENERIC and not noun and not self.predicates.said_by(root(folded)):
            acts = bool(before) and before[-1].folded in ("who", "whom")
            return "V" if acts or folded.endswith(("ing", "n")) else "A"
        if self.predicates.said_by(root(folded)):
            ends = folded.endswith(("ed", "ing"))
            return "V" if ends or folded in self.predicates.participles else "M"
        if any(char.isdigit() for char in piece) or (place and piece[0].isupper()):
            return "?"
        if re.search(r"\w{4}ly$", folded) and not noun:
            return "A"  # usually
        return "V" if folded.endswith(("ed", "ing")) and len(folded) > 4 else "M"

    def _selectors(self, words: list[Word]) -> tuple[list[Word], list[Selector]]:
        said: list[Word] = []
        selectors: list[Selector] = []
        place = 0
        while place < len(words):
            word = words[place]
            if word.kind == "X":
                which = SELECTORS[word.folded]
                rest = words[place + 1 :]
                rest = rest[1:] if rest and rest[0].kind == "T" else rest
                anchor = rest[0] if rest and rest[0].kind == "P" else None
                if anchor and word.folded in ("before", "after") and len(words) > 2:
                    place = words.index(anchor)
                    selectors.append((which, anchor, word.place))
                elif which != "after":
                    selectors.append((which, None, word.place))
            else:
                said.append(word)
            place += 1
        return said, selectors

    def _reduce(self, words: list[Word]) -> list[Word | Phrase]:
        items: list[Word | Phrase] = [
            Phrase(entities=word.entities, kind=(word,), span=(word.place, word.place))
            if word.kind == "P"
            else word
            for word in words
        ]
        changed = True
        while changed:
            changed = False
            kinds = "".join("P" if isinstance(item, Phrase) else item.kind for item in items)
            for pattern, role in PATTERNS if "P" in kinds else ATTRIBUTES:
                match = pattern.search(kinds)
                if match and (made := self._phrase(items, match, role)):
                    start, stop = match.span()
                    items[start:stop] = made
                    changed = True
                    break
        return items

    def _phrase(
        self, items: list[Word | Phrase], match: re.Match[str], role: str
    ) -> list[Word | Phrase]:
        groups = match.groupdict()

        def part(name: str) -> list[Word]:
            found = items[slice(*match.span(name))] if groups.get(name) else []
            return [word for word in found if word.kind in "MV"]

        inner = next((i for i in items[match.start() : match.end()] if isinstance(i, Phrase)), None)
        words, kind, left = part("say"), part("kind"), part("left")
        passive = bool(groups.get("B")) and not words[-1].folded.endswith("ing")
        rest: list[Word] = []
        if match.re is POSSESSIVE or role == "attribute":
            words, rest = self._one_relation(words)
        if role == "clause":  # the inner thing stands before its verb
            role = "patient" if passive else "agent"
        elif role == "tail":  # or behind it
            prepositions = groups.get("p") or ""
            role = "agent" if "b" in prepositions else "oblique" if prepositions else "patient"
        first = items[match.start()]
        begin = first.place if isinstance(first, Word) else first.span[0]
        last = items[match.end() - 1 - len(rest)]
        end = last.place if isinstance(last, Word) else last.span[1]
        before = items[slice(*match.span("p"))] if groups.get("p") else []
        phrase = Phrase(
            words=tuple(words),
            kind=tuple(kind),
            inner=inner,
            role=role,
            span=(begin, end),
            preposition=before[-1].folded if before else "",
        )
        return [phrase, *left, *rest]

    def _one_relation(self, words: list[Word]) -> tuple[list[Word], list[Word]]:
        """Split a run of words where they begin to speak of another predicate."""
        shared: set[str] = set()
        for i, word in enumerate(words):
            said = set(self.predicates.said_by(word.root))
            if said and shared and not said & shared:
                return words[:i], words[i:]
            shared = said & shared if said and shared else said or shared
        return words, []

    def _main(self, items: list[Word | Phrase], selectors: list[Selector]) -> tuple[Phrase, ...]:
        kinds = "".join("P" if isinstance(item, Phrase) else item.kind for item in items)
        asked: list[Word] = []
        for match in re.finditer(r"[RW][OT]*(?P<kind>[MV]*M)", kinds):
            if items[match.start()].folded in ("which", "what"):
                asked = items[slice(*match.span("kind"))]
                alone = len(asked) == 1 and items[match.start()].folded == "which"
                if not alone and kinds[match.end() : match.end() + 1] in ("T", "P", "p"):
                    asked.pop()  # the verb: "which dishes contain the sauce", "what heats it"
        content = [item for item in items if isinstance(item, Word) and item.kind in "MV"]
        joined = kinds.find("C", kinds.find("P") + 1) if "P" in kinds else -1
        relation = [
            replace(word, aside=0 <= joined < items.index(word))
            for word in content
            if word not in asked
        ]
        verb = next((word for word in relation if not word.aside), None)
        if verb and re.search(r"[TO]$", kinds[: items.index(verb)]):
            verb = None  # a noun
        copula = "B" in kinds and not relation
        phrases = []
        for inner in [item for item in items if isinstance(item, Phrase)] or [None]:
            attribute = inner and inner.kind and asked  # "what colour is the hat that X wears"
            if inner and inner.words and not attribute and not (relation or set("HD") & set(kinds)):
                phrases.append(replace(inner, kind=inner.kind or tuple(asked)))
            elif content or (inner and copula):
                phrases.append(
                    Phrase(
                        words=tuple(relation or asked),
                        kind=tuple(asked if relation else ()),
                        inner=inner,
                        role=self._role(items, kinds, relation or asked, inner),
                        span=(0, 10**9),
                        verb=verb,
                        copula=copula,
                        preposition=_preposition(items, kinds),
                    )
                )
        for which, anchor, place in selectors:
            chosen = anchor.entities if anchor else ()
            phrases = [_attach(phrase, which, chosen, place) for phrase in phrases]
        return tuple(phrases)

    def _role(
        self, items: list[Word | Phrase], kinds: str, said: list[Word], inner: Phrase | None
    ) -> str:
        if inner is None:
            return "having" if re.match(r"R[MV]*H", kinds) else "asked"
        if not said:
            return "oblique" if re.search(r"[bpO]T?P$", kinds) else "patient"
        known = [word for word in said if self.predicates.said_by(word.root)] or said
        at, thing = (
            next(i for i, item in enumerate(items) if getattr(item, "place", -1) == known[0].place),
            items.index(inner),
        )
        if thing == at - 1 and not set("BDHRWZ") & set(kinds):
            return "possessor"  # "ledger owner"
        if thing < at:
            if thing == at - 1 and thing and kinds[thing - 1] in "HT" and kinds[:thing].count("H"):
                return "value"  # "has critical priority"
            acting = known[0].folded.endswith("ing") or "B" not in kinds[:at]
            return "agent" if acting else "patient"
        between = kinds[at + 1 : thing]
        if "b" in between:
            return "agent"
        if "p" in between:
            return "oblique"
        return "next" if not between.strip("T") else "patient"


def _stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text exactly as it is written."""
    return bool(re.search(rf"(?<!\S){re.escape(name)}(?![^\s?.,;:!')])", text))


def _spoken(words: list[Word]) -> list[Word]:
    """Leave out what leads up to a question, or is set apart in it without naming or asking.

    "I need to know ...", "Quick check: ...", "..., for the log".
    """
    for i in range(len(words) - 1, -1, -1):
        if words[i].kind == ":" and any(word.kind in "PRWZ" for word in words[i:]):
            words = _with_topic(words[:i], words[i + 1 :])
            break
    named = next((i for i, word in enumerate(words) if word.kind == "P"), len(words))
    asked = next((i for i, word in enumerate(words) if word.kind in "RWZ"), len(words))
    before = words[: min(named, asked)]
    leads = [i for i, word in enumerate(before) if word.root in ASKING and word.kind == "A"]
    if leads:
        words = words[leads[-1] + 1 :]
    for i, word in enumerate(words[1:-1], 1):
        if word.folded == "so" and words[i - 1].kind == "," and words[i + 1].kind in "RWZ":
            words = words[i + 1 :]  # "X is away, so who ..."
            break
    parts: list[list[Word]] = [[]]
    for word in words:
        if word.kind in ",:":
            parts.append([])
        else:
            parts[-1].append(word)
    told = [part for part in parts if any(word.kind in "PRWZ" for word in part)]
    return [word for part in told or parts for word in part]


def _with_topic(topic: list[Word], words: list[Word]) -> list[Word]:
    """Put the one name of "X: who owns it?" in the place of the pronoun."""
    names = [word for word in topic if word.kind == "P"]
    place = next((i for i, word in enumerate(words) if word.folded in PRONOUNS), None)
    if len(names) != 1 or place is None or any(word.kind == "P" for word in words):
        return words
    return [*words[:place], replace(names[0], place=words[place].place), *words[place + 1 :]]


def _asks(words: list[Word]) -> str:
    for word, after in zip_longest(words, words[1:]):
        if word.folded in ("why", "when", "where"):
            return word.folded
        if word.folded in ("who", "whom"):
            return "who"
        if word.folded in ("what", "which") and after and after.kind in "MVA":
            if after.folded in TIMES:
                return "when"
            return "amount" if after.folded in NUMBERS else ""
        if word.folded == "how" and after:
            if after.kind in "BDHPT":
                return "how"
            return "much" if after.folded == "much" else "amount"
        if word.folded == "many":
            return "amount"
    return ""


def _preposition(items: list[Word | Phrase], kinds: str) -> str:
    """The preposition before the question word, at the end, or between a verb and a name."""
    match = re.search(r"^([bpO])[RW]|[MVP]([bpO])$|[MVB]([bpO])T?P[^PbpO]*$", kinds)
    return items[match.start(match.lastindex)].folded if match else ""


def _attach(phrase: Phrase, which: str, anchor: tuple[str, ...], place: int) -> Phrase:
    """Let a selector ("first", "before X") choose within the phrase that it stands in."""
    inner = phrase.inner
    last = inner.span[1] + (not anchor) if inner else 0  # "the ship that carried it originally"
    if inner is not None and inner.words and inner.span[0] <= place <= last:
        return replace(phrase, inner=_attach(inner, which, anchor, place))
    return replace(phrase, select=which, anchor=anchor)


CLAUSE = re.compile(r"R.|Z|V[bp]*T?P|T?P[HDB]*[MV]")
AFTER_BE = re.compile(r"[RZ]|V[bp]*T?P[VM]|T?P")  # else the verb belongs to "is"
_KIND = r"T?(?P<kind>[MV]*M)"
_LEFT = r"(?P<left>V?)"
POSSESSIVE = re.compile(r"PS(?P<say>[MV]+)")
PATTERNS = (
    (POSSESSIVE, "possessor"),
    (re.compile(rf"{_KIND}R?HT?(?P<say>[MV]+)OT?P"), "value"),
    (re.compile(rf"{_KIND}RT?PB+T(?P<say>[MV]+)O"), "value"),
    (re.compile(rf"{_KIND}(?P<say>V)(?P<p>[bp]*)T?P"), "tail"),
    (re.compile(r"T?(?P<say>[MV]+)(?P<p>O)T?P"), "possessor"),
    (re.compile(rf"{_KIND}{_LEFT}R[HD]*(?P<B>B*)H*(?P<say>[MV]+)(?P<p>[bp]*)T?P"), "tail"),
    (re.compile(rf"{_KIND}{_LEFT}[bp]?RT?P[HD]*(?P<B>B*)(?P<say>[MV])(?P<p>[bpO]?)"), "clause"),
    (re.compile(rf"{_KIND}Z(?P<say>[MV]+)BT?P"), "value"),
    (re.compile(r"T(?P<kind>[MV]*M)P[HD]*(?P<B>B*)(?P<say>[MV])(?P<p>[bpO]?)"), "clause"),
    (re.compile(r"(?<=[MV])WT?P[HD]*(?P<B>B*)(?P<say>[MV])(?P<p>[bpO]?)"), "clause"),
)
ATTRIBUTES = (
    (re.compile(rf"{_KIND}{_LEFT}RB?[HD]?T?(?P<say>[MV]+)"), "attribute"),
    (re.compile(rf"{_KIND}(?:p|H)T(?P<say>[MV]+)$"), "attribute"),
    (re.compile(r"T(?P<kind>M+)(?P<say>VT?[MV]*M)"), "attribute"),
)

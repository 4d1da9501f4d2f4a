"""What a question asks, read from its words: a chain of relations that starts at a name.

No model and no tagger. Words are put into a few classes (function words by lists, the rest by
their endings and by the predicates that are stored), and phrases are reduced from the inside
out by patterns over those classes: "the owner of X", "X's owner", "the module assigned to X",
"the service that X depends on", "the barn that has an outbreak".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache

import snowballstemmer

STEMMER = snowballstemmer.stemmer("english")

_CLASSES = {
    "B": "is are was were be been being am",
    "D": "does do did can could must should would will may might shall",
    "H": "has have had having",
    "R": "who whom which where",
    "Z": "whose",
    "W": "what how when why much many",
    "b": "by",
    "O": "of for",
    "p": "to in on at from with into onto over under through within during about between "
    "against via per as upon toward towards across behind beside",
    "T": "the a an this these those each every any some its his her their our my your all",
    "C": "and or but nor",
    "S": "'s",
    # said beside the matter: adverbs, pronouns, words of time, the asking itself
    "A": "now currently presently today still also just right directly immediately already then "
    "yet please exactly actually there here it we us me you i they he she them so far moment "
    "current present ever turn time point let if new out up off down quick",
}
CLASS_OF = {word: kind for kind, words in _CLASSES.items() for word in words.split()}
SELECTORS = {
    **dict.fromkeys("first original originally initial initially earliest".split(), "first"),
    **dict.fromkeys("previous previously former formerly earlier prior before".split(), "before"),
    **dict.fromkeys("after afterwards since".split(), "after"),
}
IMPERATIVES = frozenset("name list give show tell identify state find".split())
# Pasts and participles that no ending gives away, with what they are forms of
IRREGULAR = dict(
    pair.split(":")
    for pair in "kept:keep bred:breed led:lead built:build held:hold taught:teach made:make "
    "sold:sell bought:buy won:win wrote:write written:write drove:drive driven:drive flew:fly "
    "flown:fly grew:grow grown:grow drew:draw drawn:draw chose:choose chosen:choose sent:send "
    "ran:run gave:give given:give took:take taken:take spoke:speak spoken:speak sang:sing "
    "sung:sing brought:bring caught:catch dealt:deal fed:feed fought:fight forgot:forget "
    "got:get hidden:hide left:leave lent:lend lost:lose meant:mean met:meet paid:pay "
    "rode:ride ridden:ride rang:ring risen:rise sought:seek shot:shoot shut:shut slept:sleep "
    "spent:spend spun:spin stolen:steal stood:stand struck:strike swore:swear sworn:swear "
    "swept:sweep thought:think thrown:throw told:tell understood:understand woven:weave "
    "worn:wear wound:wind bound:bind begun:begin began:begin broke:break broken:break "
    "came:come done:do fell:fall fallen:fall laid:lay shown:show".split()
)
LIGHT = frozenset("has have had is are uses use".split())
_REASONS = frozenset("because cause caused reason due motive purpose why".split())
_NUMBERS = frozenset("count number total quantity amount size capacity many".split())
_TIMES = frozenset("date time day month year deadline hour schedule when start end due eta".split())
PREPOSITIONS = frozenset(f"{_CLASSES['p']} {_CLASSES['O']}".split())

TURN = r"turn\s+(?P<turn>\d+)"
AS_OF = re.compile(rf"\b(?:at|as of|as at|in|by)\s+(?:the\s+time\s+of\s+)?{TURN}\b", re.I)
BEFORE_TURN = re.compile(rf"\bbefore\s+{TURN}\b", re.I)
KNOWN_AT = re.compile(rf"\b(?:as\s+)?known\s+(?:at|in|by|as of)\s+{TURN}\b", re.I)

# What is asked in ways that a walk along facts does not answer
NOT_READ = re.compile(r"\b(?:not|never|no longer|without|nobody|none)\b|n't\b", re.I)
POLITE = re.compile(r"^\W*(?:please\s+)?(?:can|could|would|will) you\s+(?:please\s+)?", re.I)
USED_TO = re.compile(r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bbe )\bused to\b", re.I)
SHORT = re.compile(r"[\s,]for short\b", re.I)
AKA = re.compile(r"[\s(,](?:aka|a\.k\.a\.|also known as|also called|call it)\s", re.I)
ALIAS = re.compile(r"[^\s,();.]+(?:\s(?=[^\W\d_a-z])[^\s,();.]+){0,3}")
MOST_WORDS = 200  # of a longer question the last ones are read


def fold(text: str) -> str:
    """A text in the form in which names are compared: composed, and without case."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def words_of(text: str) -> list[str]:
    """The words of a text, folded; an underscore separates words."""
    return re.findall(r"[^\W_]+", fold(text))


def spellings(name: str) -> list[list[str]]:
    """The ways in which a name may be written: as it is, in parts, in one word.

    Examples
    --------
    >>> spellings("RateLimiter")
    [['ratelimiter'], ['rate', 'limiter']]
    >>> spellings("rate_limiter")
    [['rate', 'limiter'], ['ratelimiter']]
    """
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", unicodedata.normalize("NFKC", name))
    digits = re.sub(r"(?<=[^\W\d_])(?=\d)", " ", parts)
    ways = [words_of(name), words_of(parts), words_of(digits)]
    ways.append(["".join(ways[0])])
    return [way for i, way in enumerate(ways) if way and way not in ways[:i]]


@cache
def root(word: str) -> str:
    """The part that a verb, its forms and the nouns made of it have in common.

    Examples
    --------
    >>> {root(word) for word in ("owner", "owned", "owns")}
    {'own'}
    >>> {root(word) for word in ("assignee", "assigned", "assignment")}
    {'assign'}
    """
    stem = STEMMER.stemWord(IRREGULAR.get(word, word))
    for ending in ("er", "or", "ur", "ship"):
        if stem.endswith(ending) and len(stem) - len(ending) > 2:
            stem = stem.removesuffix(ending)
            break
    stem = re.sub(r"([^aeiou])\1$", r"\1", stem)  # staffs, staffed
    return stem.rstrip("eiy") or stem


def _roots(words: str) -> frozenset[str]:
    return frozenset(map(root, words.split()))


# Verbs of asking and of showing, which relate nothing
ASKING = _roots("know tell remind ask find check wonder say see confirm")
GENERIC = ASKING | _roots("mention show said saw seen found")
# Participles that are said of either end: a task assigned to a person, a person to a task
EITHER_WAY = _roots("assign allocate attach relate link connect associate pair tie match")


@dataclass(frozen=True)
class Predicate:
    """A predicate as language: which words say it, and which end of it is which.

    `shape` is "by" (OWNED_BY: the subject undergoes), "participle" (STORED_IN), "verb"
    (DEPENDS_ON: the subject acts), "type" (IS_A) or "noun" (HAS_OWNER).
    """

    name: str
    roots: frozenset[str]
    shape: str
    participle: str
    bare: bool  # with no preposition at its end

    @staticmethod
    def of(name: str) -> Predicate:
        """Read a predicate such as ASSIGNED_TO."""
        words = words_of(name)
        first, last = (words[0], words[-1]) if words else ("", "")
        content = [word for word in words if word not in LIGHT and CLASS_OF.get(word) is None]
        content = content or [word for word in words if CLASS_OF.get(word) in (None, "H")]
        shape = "noun"
        if first == "is" and len(words) > 1:
            shape = "type"
        elif last == "by":
            shape = "by"
        elif first in ("has", "have", "had"):
            shape = "noun"
        elif last in PREPOSITIONS and not first.endswith("s"):
            shape = "participle"
        elif first.endswith(("s", "ed")) and not first.endswith("ss"):
            shape = "verb"
        participle = first if shape in ("by", "participle") else ""
        bare = last not in PREPOSITIONS
        return Predicate(name, frozenset(map(root, content)), shape, participle, bare)

    def answers(self, asks: str) -> bool:
        """Whether its object can be a reason (asked why), a time (when) or a number (how many)."""
        words = set(words_of(self.name))
        if asks == "why":
            return bool(words & _REASONS)
        if asks == "many":
            return bool(words & _NUMBERS)
        return asks != "when" or (self.shape != "by" and bool(words & (_TIMES | PREPOSITIONS)))

    @property
    def all_roots(self) -> frozenset[str]:
        """The roots of its light words too: "uses" in USES_STORAGE."""
        return self.roots | {root(word) for word in words_of(self.name) if word in LIGHT}


@dataclass(frozen=True)
class Word:
    """A word of a question, with its class; a name carries the entities that it names."""

    text: str
    folded: str
    kind: str
    place: int
    entities: tuple[str, ...] = ()

    aside: bool = False  # in a second clause: "... and owns the reply"

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
    possessor or value; without an inner thing it tells a description ("attribute") from what
    the question itself asks ("asked").
    """

    entities: tuple[str, ...] = ()
    words: tuple[Word, ...] = ()
    kind: tuple[Word, ...] = ()
    inner: Phrase | None = None
    role: str = ""
    span: tuple[int, int] = (0, 0)
    select: str = ""
    anchor: tuple[str, ...] = ()  # the value before or after which another is asked for

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
    asks: str = ""  # "why", "when" or "many", which few predicates answer


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
    predicates_of : callable
        The predicates that are said by a root.
    participles : collection of str
        First words of predicates such as MADE_BY.
    is_type : callable
        Whether an entity is a type of others, and nothing else.
    """

    def __init__(
        self,
        spans: Callable[[Sequence[str]], list[tuple[int, int, tuple[str, ...]]]],
        predicates_of: Callable[[str], Collection[str]],
        participles: Collection[str],
        is_type: Callable[[str], bool],
    ) -> None:
        self.spans = spans
        self.predicates_of = predicates_of
        self.participles = participles
        self.is_type = is_type

    def read(self, text: str) -> Reading:
        """Read a question."""
        reading = Reading()
        text = POLITE.sub("", USED_TO.sub("previously", text.replace("\u2019", "'")))
        if NOT_READ.search(text):
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
        for word in words:
            if word.folded in ("why", "when", "many") and not reading.asks:
                reading.asks = word.folded
        said, selectors = self._selectors([w for w in _spoken(words) if w.kind not in "A?"])
        kinds = "".join(word.kind for word in said)
        if re.match(r"[BDH](?!.*[RWZ])", kinds) or re.search(r"PCT?P", kinds):
            return reading  # a yes or no, or several things at once
        items = self._reduce(said)
        reading.phrases = self._main(items, selectors)
        return reading

    def _words(self, text: str) -> list[Word]:
        text = unicodedata.normalize("NFKC", text)
        raw = re.findall(r"[^\W_]+|'s\b|'(?=\s)|,|[:;](?=\s)", text)[-MOST_WORDS:]
        raw = [{"'": "'s", ";": ":"}.get(piece, piece) for piece in raw]
        places = [i for i, piece in enumerate(raw) if piece not in ("'s", ",", ":")]
        folded = [fold(raw[i]) for i in places]
        names: dict[int, tuple[int, tuple[str, ...]]] = {}
        for start, stop, entities in self.spans(folded):
            first, last = places[start], places[stop - 1]
            written = [raw[i] for i in range(first, last + 1)]
            known = [e for e in entities if self._meant(e, written, first)]
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
        for i, word in enumerate(words[1:-1], 1):
            if word.kind == "V" and words[i - 1].kind in "TR" and words[i + 1].kind not in "MPT":
                words[i] = replace(word, kind="M")  # a noun: "the building owned by X"
            # "the cache that X depends on": a type is named, to say of which kind a thing is
            kinds = words[i - 1].kind + word.kind + words[i + 1].kind
            if kinds in ("TPR", "TPZ", "TPV", "TPP") and all(map(self.is_type, word.entities)):
                words[i] = replace(word, kind="M", entities=())
        return words

    def _meant(self, entity: str, written: list[str], place: int) -> bool:
        """A name that is also a function word must be written as it is stored, and not first."""
        if len(written) > 1 or CLASS_OF.get(fold(written[0])) is None:
            return True
        return place > 0 and written[0] == entity

    def _kind(self, piece: str, place: int, before: list[Word]) -> str:
        folded = fold(piece)
        if folded in SELECTORS and not self.predicates_of(root(folded)):
            return "X"
        if piece in ",:":
            return piece
        if piece == "'s" and before and before[-1].kind in "RW":
            return "B"  # what's, who's
        kind = CLASS_OF.get(folded)
        if folded == "that":
            return "R" if before and before[-1].kind in "MVP" else "T"
        if kind and not (kind == "A" and self.predicates_of(root(folded))):
            return kind
        if folded in IMPERATIVES and all(word.kind == "A" for word in before):
            return "A"
        noun = bool(before) and (before[-1].kind == "T" or before[-1].folded in ("which", "what"))
        if root(folded) in GENERIC and not noun and not self.predicates_of(root(folded)):
            return "V" if folded.endswith(("ing", "n")) else "A"
        if self.predicates_of(root(folded)):
            ends = folded.endswith(("ed", "ing"))
            return "V" if ends or folded in self.participles else "M"
        if any(char.isdigit() for char in piece) or (place and piece[0].isupper()):
            return "?"
        return "V" if folded.endswith(("ed", "ing")) and len(folded) > 4 else "M"

    def _selectors(
        self, words: list[Word]
    ) -> tuple[list[Word], list[tuple[str, Word | None, int]]]:
        said: list[Word] = []
        selectors: list[tuple[str, Word | None, int]] = []
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
            Phrase(entities=word.entities, span=(word.place, word.place)) if word.entities else word
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
        words, kind, left, passive = part("say"), part("kind"), part("left"), bool(groups.get("B"))
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
        phrase = Phrase((), tuple(words), tuple(kind), inner, role, (begin, end))
        return [phrase, *left, *rest]

    def _one_relation(self, words: list[Word]) -> tuple[list[Word], list[Word]]:
        """Split a run of words where they begin to speak of another predicate."""
        shared: set[str] = set()
        for i, word in enumerate(words):
            said = set(self.predicates_of(word.root))
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
        phrases = []
        for inner in [item for item in items if isinstance(item, Phrase)] or [None]:
            if inner and inner.words and not relation and not set("HD") & set(kinds):
                phrases.append(replace(inner, kind=inner.kind or tuple(asked)))
            elif content:
                phrases.append(
                    Phrase(
                        words=tuple(relation or asked),
                        kind=tuple(asked if relation else ()),
                        inner=inner,
                        role=self._role(items, kinds, relation or asked, inner),
                        span=(0, 10**9),
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
            return "asked"
        known = [word for word in said if self.predicates_of(word.root)] or said
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


def _spoken(words: list[Word]) -> list[Word]:
    """Leave out what leads up to a question, or is set apart in it without naming or asking.

    "I need to know ...", "Quick check: ...", "..., for the log".
    """
    for i in range(len(words) - 1, -1, -1):
        if words[i].kind == ":" and any(word.kind in "PRWZ" for word in words[i:]):
            words = words[i + 1 :]
            break
    named = next((i for i, word in enumerate(words) if word.kind == "P"), len(words))
    asked = next((i for i, word in enumerate(words) if word.kind in "RWZ"), len(words))
    before = words[: min(named, asked)]
    leads = [i for i, word in enumerate(before) if word.root in ASKING and word.kind == "A"]
    if leads:
        words = words[leads[-1] + 1 :]
    parts: list[list[Word]] = [[]]
    for word in words:
        if word.kind in ",:":
            parts.append([])
        else:
            parts[-1].append(word)
    told = [part for part in parts if any(word.kind in "PRWZ" for word in part)]
    return [word for part in told or parts for word in part]


def _attach(phrase: Phrase, which: str, anchor: tuple[str, ...], place: int) -> Phrase:
    """Let a selector ("first", "before X") choose within the phrase that it stands in."""
    inner = phrase.inner
    if inner is not None and inner.words and inner.span[0] <= place <= inner.span[1]:
        return replace(phrase, inner=_attach(inner, which, anchor, place))
    return replace(phrase, select=which, anchor=anchor)


_KIND = r"T?(?P<kind>[MV]*M)"
_LEFT = r"(?P<left>V?)"
POSSESSIVE = re.compile(r"PS(?P<say>[MV]+)")
PATTERNS = (
    (POSSESSIVE, "possessor"),
    (re.compile(rf"{_KIND}(?P<say>V)(?P<p>[bp]*)T?P"), "tail"),
    (re.compile(r"T?(?P<say>[MV]+)OT?P"), "possessor"),
    (re.compile(rf"{_KIND}R[HD]*(?P<B>B*)H*(?P<say>[MV]+)(?P<p>[bp]*)T?P"), "tail"),
    (re.compile(rf"{_KIND}{_LEFT}[bp]?RT?P[HD]*(?P<B>B*)(?P<say>[MV])[bp]?"), "clause"),
    (re.compile(rf"{_KIND}Z(?P<say>[MV]+)BT?P"), "value"),
    (re.compile(r"T(?P<kind>[MV]*M)P[HD]*(?P<B>B*)(?P<say>[MV])[bp]?"), "clause"),
    (re.compile(r"(?<=[MV])WT?P[HD]*(?P<B>B*)(?P<say>[MV])[bp]?"), "clause"),
)
ATTRIBUTES = (
    (re.compile(rf"{_KIND}{_LEFT}RB?[HD]?T?(?P<say>[MV]+)"), "attribute"),
    (re.compile(rf"{_KIND}(?:p|H)T(?P<say>[MV]+)$"), "attribute"),
    (re.compile(r"T(?P<kind>M+)(?P<say>VT?[MV]*M)"), "attribute"),
)

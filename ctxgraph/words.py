"""English, as far as questions need it: closed classes of words, forms of a word, spellings."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

import regex
import snowballstemmer

WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+")
STEMMER = snowballstemmer.stemmer("english")

# The class of a word, a letter each; besides these, which are closed, the reader of questions
# knows M (a noun, or a verb as it is), V (a participle), P (a name), X (a selector: "first"),
# ? (what is written like a name and is none), a comma and a colon.
CLASSES = {
    # be; do and modals; have; question and relative words; whose; what and how
    "B": "is are was were be been am",
    "D": "does do did can could must should would will may might shall",
    "H": "has have had having",
    "R": "who whom which where",
    "Z": "whose",
    "W": "what how when why much many",
    # by; of and for; other prepositions; articles and the like; conjunctions; the genitive
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
    "current present ever being turn time point new out up off down quick",
}
CLASS_OF = {word: kind for kind, words in CLASSES.items() for word in words.split()}
SELECTORS = {
    **dict.fromkeys("first original originally initial initially earliest".split(), "first"),
    **dict.fromkeys(
        "previous previously former formerly earlier prior before ex".split(), "before"
    ),
    **dict.fromkeys("after afterwards since".split(), "after"),
}
PRONOUNS = frozenset("it he she they him her them".split())
IMPERATIVES = frozenset("name list give show tell identify state find".split())
# Forms that no ending gives away, with what they are forms of
IRREGULAR = {
    form: verb
    for verb, *forms in map(
        str.split,
        """
        arise arose arisen; awake awoke awoken; bear bore born borne; beat beaten; become became;
        begin began begun; bend bent; bind bound; bite bit bitten; bleed bled; blow blew blown;
        break broke broken; breed bred; bring brought; build built; burn burnt; buy bought;
        catch caught; choose chose chosen; cling clung; come came; creep crept; deal dealt;
        dig dug; do did done; draw drew drawn; dream dreamt; drink drank drunk;
        drive drove driven; dwell dwelt; eat ate eaten; fall fell fallen; feed fed; feel felt;
        fight fought; find found; flee fled; fling flung; fly flew flown;
        forbid forbade forbidden; forget forgot forgotten; forgive forgave forgiven;
        freeze froze frozen; get got gotten; give gave given; go went gone; grind ground;
        grow grew grown; hang hung; hear heard; hide hid hidden; hold held; keep kept;
        kneel knelt; know knew known; lay laid; lead led; lean leant; leap leapt; learn learnt;
        leave left; lend lent; lie lay lain; light lit; lose lost; make made; mean meant;
        meet met; pay paid; prove proven; ride rode ridden; ring rang rung; rise rose risen;
        run ran; saw sawn; say said; see saw seen; seek sought; sell sold; send sent; sew sewn;
        shake shook shaken; shear shorn; shine shone; shoe shod; shoot shot; show shown;
        shrink shrank shrunk; sing sang sung; sink sank sunk; sit sat; sleep slept; slide slid;
        sling slung; smell smelt; sow sown; speak spoke spoken; speed sped; spell spelt;
        spend spent; spill spilt; spin spun; spit spat; spoil spoilt; spring sprang sprung;
        stand stood; steal stole stolen; stick stuck; sting stung; strike struck stricken;
        string strung; strive strove striven; swear swore sworn; sweep swept; swell swollen;
        swim swam swum; swing swung; take took taken; teach taught; tear tore torn; tell told;
        think thought; throw threw thrown; tread trod trodden; understand understood;
        wake woke woken; wear wore worn; weave wove woven; weep wept; win won; wind wound;
        wring wrung; write wrote written; child children; person people; man men; woman women;
        foot feet; tooth teeth; goose geese; mouse mice; ox oxen; wife wives; knife knives;
        half halves; shelf shelves; wolf wolves; loaf loaves; thief thieves; calf calves
        """.split(";"),
    )
    for form in forms
}
LIGHT = frozenset("has have had is are uses use".split())
REASONS = frozenset("because cause caused reason due motive purpose why".split())
NUMBERS = frozenset("count number total quantity amount size capacity many price cost".split())
PLACING = frozenset(CLASSES["p"].split()) - set("from with about against per as".split())
MANNER = frozenset("by with via through as using".split())
TIMES = frozenset("date time day month year deadline hour schedule when start end due eta".split())
# What a value that tells a time holds
CALENDAR = frozenset(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday "
    "saturday sunday mon tue wed thu fri sat sun spring summer autumn fall winter today tomorrow "
    "yesterday tonight morning noon afternoon evening night midnight dawn dusk week weekend "
    "quarter sprint season daily weekly monthly yearly hourly".split()
)
OF = frozenset(CLASSES["O"].split())
# Prepositions that are not taken for each other; those of place and direction are
APART = frozenset("under over behind beside by for from with about against per as via".split())
PREPOSITIONS = frozenset(CLASSES["p"].split()) | OF

# Words that pick or leave out in ways that facts do not tell, unless a predicate says them
NOT_TOLD = frozenset(
    "whether yesterday ago once past beginning start neither number amount "
    "else besides except excluding other others another if second third fourth fifth sixth seventh "
    "eighth ninth tenth most least highest lowest largest smallest biggest longest shortest newest "
    "oldest youngest greatest fewest best worst average next upcoming future tomorrow".split()
)


def fold(text: str) -> str:
    """A text in the form in which names are compared: composed, and without case."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def words_of(text: str) -> list[str]:
    """The words of a text, folded; an underscore separates words."""
    return [fold(word) for word in WORD.findall(unicodedata.normalize("NFKC", text))]


def spellings(name: str) -> list[list[str]]:
    """The ways in which a name may be written: as it is, in parts, in one word.

    Examples
    --------
    >>> spellings("RateLimiter")
    [['ratelimiter'], ['rate', 'limiter']]
    >>> spellings("rate_limiter")
    [['rate', 'limiter'], ['ratelimiter']]
    """
    composed = unicodedata.normalize("NFKC", name)
    parts = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", composed)
    digits = re.sub(r"(?<=[^\W\d_])(?=\d)", " ", parts)
    plain = re.sub(r"['\u2019]s\b", "", composed)  # Macy's
    ways = [words_of(name), words_of(parts), words_of(digits), words_of(plain)]
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


def plural(noun: str) -> str:
    """A noun in the plural, by its ending.

    Examples
    --------
    >>> [plural(noun) for noun in ("orchid", "berry", "box")]
    ['orchids', 'berries', 'boxes']
    """
    noun = re.sub(r"(?<=[^aeiou])y$", "ie", noun)
    return f"{noun}{'es' if re.search('(?:[sxz]|ch|sh)$', noun) else 's'}"


def _roots(words: str) -> frozenset[str]:
    return frozenset(map(root, words.split()))


# Verbs of asking and of showing, which relate nothing
ASKING = _roots("let know tell remind ask find check wonder say see confirm")
GENERIC = ASKING | _roots("mention show said saw seen found")
# Verbs that leave the relation to their noun: "holds the lease on"
CARRYING = _roots("hold have carry take get do make give keep bear run play put set")
# Verbs by which something does not hold, or is only wished
DENYING = _roots(
    "refuse reject decline avoid lack miss lose drop abandon stop quit cease end cancel deny "
    "forbid fail want wish hope prefer"
)
# Verbs that "where is it" leaves out
LOCATING = _roots("locate situate place station base keep store house stand lie sit park")
# Participles that are said of either end: a task assigned to a person, a person to a task
EITHER_WAY = _roots("assign allocate attach relate link connect associate pair tie match")

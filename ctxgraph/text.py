"""Key terms: the keyword matching that the article's readers use."""

import re

STOP_WORDS = frozenset(
    "the a an is of for to what which did does do this that in on team decide and".split()
)
# A pronoun that opens a relative clause: not the question word at the start
RELATIVE = re.compile(r"(?<=\w)\W+(?:that|which|who|whom|whose)\b", re.IGNORECASE)
ENDINGS = ("encies", "ency", "ies", "es", "ing", "ed", "s")


def stem(word: str) -> str:
    """Cut the first of the article's endings that fits and leaves more than two letters.

    Examples
    --------
    >>> [stem(word) for word in ("dependencies", "owned", "status", "his")]
    ['depend', 'own', 'statu', 'his']
    """
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word[: -len(ending)]
    return word


def key_terms(text: str) -> set[str]:
    """Stems of the words of a text that are longer than two letters and no stop words.

    Words are of the letters a to z and digits, as in the article.

    Examples
    --------
    >>> sorted(key_terms("Which team owns the service?"))
    ['own', 'service']
    """
    words = re.findall(r"[a-z0-9]+", text.lower())
    return {stem(word) for word in words if len(word) > 2 and word not in STOP_WORDS}

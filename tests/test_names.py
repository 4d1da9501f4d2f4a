import re

from hypothesis import given
from hypothesis import strategies as st

from ctxgraph.names import NameIndex

WORDS = st.sampled_from(["ledger", "Ledger", "team_5", "team_50", "of", "x", "né", "§", "a"])
NAMES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


def words(text):
    return re.findall(r"\w+", text.lower())


def scan(names, text):
    """The longest whole names from left to right, by trying all names at each place."""
    found, left = [], words(text)
    while left:
        here = [name for name in names if words(name) and left[: len(words(name))] == words(name)]
        longest = max((len(words(name)) for name in here), default=1)
        found += [name for name in here if len(words(name)) == longest]
        left = left[longest:]
    return list(dict.fromkeys(found))


@given(st.lists(NAMES, max_size=8), st.lists(WORDS, max_size=12).map(" ".join))
def test_the_index_finds_what_a_scan_over_all_names_finds(names, text):
    index = NameIndex()
    for name in names:
        index.add(name, name)
    assert index.find(text) == scan(list(dict.fromkeys(names)), text)


def test_a_name_is_found_only_whole():
    index = NameIndex()
    index.add("Entity_5", "Entity_5")
    assert index.find("Is it Entity_50 or Entity_5x?") == []
    assert index.find("It is ENTITY_5's turn.") == ["Entity_5"]


def test_a_name_may_stand_for_several():
    index = NameIndex()
    index.add("the book", "Ledger")
    index.add("The Book", "Novel")
    assert index.find("who wrote the book?") == ["Ledger", "Novel"]

"""The indexed memories answer as the plain ones do."""

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxgraph.benchmark import run
from ctxgraph.conversation import Fact, Question, Turn, Vocabulary, read_conversations
from ctxgraph.memories import UNKNOWN, ContextGraph, VectorRAG
from ctxgraph.memories.vector_index import VectorIndex
from ctxgraph.text import key_terms

ENTITIES = ["Ledger", "Team_5", "Team_50", "Checkout", "audit log"]
PREDICATES = ["OWNED_BY", "DEPENDS_ON", "HAS_OWNER"]
WORDS = ["ledger", "owned", "owner", "depends", "team_5", "on"]
FACTS = st.lists(
    st.tuples(st.sampled_from(ENTITIES), st.sampled_from(PREDICATES), st.sampled_from(ENTITIES)),
    max_size=12,
)


def turn(number, text="", triple=None):
    keys = ("subject", "predicate", "object")
    fact = Fact(id=f"f{number}", **dict(zip(keys, triple, strict=True))) if triple else None
    return Turn(number=number, speaker="A", text=text, fact=fact)


def question(text, label=None):
    return Question(number=99, speaker="B", text=text, label=label)


def plain_answer(facts, named, text, label):
    """Answer from a list of the facts alone: current ones, best predicate, first kept."""
    current = {}
    for place, (subject, predicate, object_) in enumerate(facts):
        current[subject, predicate] = (place, object_)
    edges = sorted((place, s, p, o) for (s, p), (place, o) in current.items())
    scored = []
    for entity in named:
        near = [(o, p) for _, s, p, o in edges if s == entity]
        near += [(s, p) for _, s, p, o in edges if o == entity]
        if label == "join":
            near = [
                (o, p) for middle, _ in near for _, s, p, o in edges if s == middle and o != entity
            ]
        scored += [(len(key_terms(text) & key_terms(p.replace("_", " "))), end) for end, p in near]
    best = max((score for score, _ in scored), default=0)
    return {end for score, end in scored if score == best} or {UNKNOWN}


@given(FACTS, st.sampled_from(ENTITIES), st.sampled_from(WORDS), st.sampled_from(["join", None]))
def test_the_graph_answers_as_a_scan_over_the_facts_would(facts, entity, word, label):
    memory = ContextGraph()
    for number, triple in enumerate(facts, 1):
        memory.ingest(turn(number, triple=triple))
    text = f"Which {word} of {entity} is it?"
    named = memory.entities_named(text)
    assert memory.answer(question(text, label)).text in plain_answer(facts, named, text, label)


@given(FACTS)
def test_writing_by_index_and_by_scan_leaves_the_same_edges(facts):
    graphs = []
    for scan in (True, False):
        memory = ContextGraph(scan=scan)
        for number, triple in enumerate(facts, 1):
            memory.ingest(turn(number, triple=triple))
        graphs.append(list(memory.graph.edges(keys=True, data=True)))
    assert graphs[0] == graphs[1]


@settings(derandomize=True)
@given(
    st.lists(st.lists(st.sampled_from([*WORDS, "é", "I"]), max_size=6).map(" ".join), max_size=30),
    st.lists(st.sampled_from([*WORDS, "unseen"]), max_size=4).map(" ".join),
    st.integers(1, 5),
)
def test_the_growing_index_ranks_as_a_refit(texts, asked, top_k):
    memories = VectorRAG(top_k=top_k), VectorIndex(top_k=top_k)
    for memory in memories:
        for number, text in enumerate(texts, 1):
            memory.ingest(turn(number, text))
    refit, grown = (memory.answer(question(asked)) for memory in memories)
    assert grown == refit


def test_no_answer_of_the_benchmark_depends_on_the_fast_core():
    talks = read_conversations()
    for plain, fast in (
        (lambda vocabulary: ContextGraph(vocabulary, scan=True), ContextGraph),
        (VectorRAG, VectorIndex),
    ):
        assert run(talks, {"memory": plain}).equals(run(talks, {"memory": fast}))


def test_many_names_cost_no_more_lookups():
    memory = ContextGraph(Vocabulary(aliases={"the long name of it": "Ledger"}))
    for number in range(1, 300):
        memory.ingest(turn(number, triple=(f"Entity_{number}", "OWNED_BY", "Team")))
    assert memory.entities_named("Is Entity_5 or Entity_50 like entity_299?") == [
        "Entity_5",
        "Entity_50",
        "Entity_299",
    ]

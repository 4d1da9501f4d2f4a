import networkx as nx

from ctxgraph.cypher import quote_name, quote_value, to_cypher

NASTY = "x'}) DETACH DELETE n //\\"


def test_each_entity_and_fact_is_merged_once():
    graph = nx.MultiDiGraph()
    graph.add_edge("Checkout", "Ledger", predicate="DEPENDS_ON", fact_id="f1", turn=1)
    graph.add_edge("Checkout", "Ledger", predicate="DEPENDS_ON", fact_id="f2", turn=5)
    lines = to_cypher(graph).splitlines()
    assert lines[1:] == [
        "MERGE (:Entity {name: 'Checkout'});",
        "MERGE (:Entity {name: 'Ledger'});",
        *(
            "MATCH (s:Entity {name: 'Checkout'}), (o:Entity {name: 'Ledger'}) "
            f"MERGE (s)-[r:`DEPENDS_ON` {{fact_id: '{fact}'}}]->(o) SET r.turn = {turn};"
            for fact, turn in (("f1", 1), ("f2", 5))
        ),
    ]
    assert "IF NOT EXISTS" in lines[0]


def test_names_cannot_end_the_text_they_stand_in():
    assert quote_value(NASTY) == r"'x\'}) DETACH DELETE n //\\'"
    assert quote_value("two\nlines") == r"'two\nlines'"
    assert quote_name("A`]->() DETACH DELETE n //") == "`A``]->() DETACH DELETE n //`"
    assert quote_name(r"A\u0060B") == quote_name(r"A\uu0060B") == "`A``B`"

"""Write a context graph as Cypher text that a graph database can load."""

from __future__ import annotations

import re

import networkx as nx


def to_cypher(graph: nx.MultiDiGraph) -> str:
    """Write a graph of facts as Cypher statements; running them twice changes nothing.

    Parameters
    ----------
    graph : MultiDiGraph
        Edges with `predicate`, `fact_id` and `turn`, as `ContextGraph.graph` holds them.

    Returns
    -------
    str
        One statement a line: a uniqueness constraint, a MERGE for each entity, then one for
        each fact. Names are escaped, so that none can end the text it stands in.
    """
    statements = [
        "CREATE CONSTRAINT entity_name IF NOT EXISTS FOR (e:Entity) REQUIRE e.name IS UNIQUE;"
    ]
    statements += [f"MERGE (:Entity {{name: {quote_value(node)}}});" for node in graph]
    for subject, object_, edge in graph.edges(data=True):
        ends = f"(s:Entity {{name: {quote_value(subject)}}}), "
        ends += f"(o:Entity {{name: {quote_value(object_)}}})"
        fact = f"{quote_name(edge['predicate'])} {{fact_id: {quote_value(edge['fact_id'])}}}"
        statements.append(f"MATCH {ends} MERGE (s)-[r:{fact}]->(o) SET r.turn = {edge['turn']};")
    return "\n".join(statements) + "\n"


def quote_value(text: str) -> str:
    r"""Quote a string for Cypher: a backslash before backslashes and quotes, not doubling.

    Examples
    --------
    >>> print(quote_value("O'Neil\\"))
    'O\'Neil\\'
    """
    escapes = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r"}
    return "'" + "".join(escapes.get(char, char) for char in text) + "'"


def quote_name(name: str) -> str:
    r"""Quote a relationship type for Cypher: in backticks, its own backticks doubled.

    A server may read ``\u0060`` as a backtick even there, so that form is doubled too.

    Examples
    --------
    >>> quote_name("DEPENDS_ON")
    '`DEPENDS_ON`'
    >>> quote_name("A`B")
    '`A``B`'
    """
    return "`" + re.sub(r"\\u+0060", "`", name).replace("`", "``") + "`"

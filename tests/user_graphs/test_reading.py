"""A graph is the same graph in every form, and mistakes are told with a reason."""

import itertools
import random

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from orderspn.user_graphs import read_user_graph

NAMES = ["A", "B", "C", "heart rate"]
EDGES = {("A", "B"), ("heart rate", "B"), ("B", "C")}


def read(value, names=NAMES, missing="error"):
    return read_user_graph("graph", value, names, missing)


class ForeignModel:
    """What models of pgmpy have, without being a networkx graph."""

    def nodes(self):
        return NAMES

    def edges(self):
        return list(EDGES)


class ForeignPartial:
    """A partially directed graph of pgmpy."""

    directed_edges = (("A", "B"), ("heart rate", "B"))
    undirected_edges = (("B", "C"),)
    nodes = NAMES


def digraph():
    graph = nx.DiGraph()
    graph.add_nodes_from(NAMES)
    graph.add_edges_from(EDGES)
    return graph


FORMS = {
    "networkx": digraph(),
    "edges": 'A -> B, "heart rate" -> B -> C',
    "pairs": sorted(EDGES),
    "Edges": osp.Edges(EDGES),
    "our DOT": osp.export.to_dot(digraph()),
    "our GML": osp.export.to_gml(digraph()),
    "DOT": """
        // a comment { with -> braces
        strict digraph "my graph" {
            graph [rankdir=LR, label="A -> C"]; node [shape=box]
            # another one
            subgraph cluster_0 { label = "causes"; A; "heart rate" [pos="1,-2!"] }
            {A "heart rate"} -> B:port:n [weight=2, color="#ff0000"] /* and
            on */ B -> C
        }""",
    "DOT with ends": 'digraph { A -> B [dir=both, arrowtail=none]; B -> "heart " + "rate" [dir=back]; B -> C }',
    "DAGitty": 'dag { bb="0,0,1,1" A [exposure,pos="-1.5,0.2"] C [latent] A -> B <- "heart rate"  B -> C [beta=1] }',
    "old DAGitty": "dag {\nA\nB\nA -> B\nheart%20rate -> B\nB -> C\n}\n",
    "DAGitty with groups": 'dag{ {A "heart rate"} -> B -> C }',
    "model of pgmpy": ForeignModel(),
    "frame": pd.DataFrame([[(a, b) in EDGES for b in NAMES] for a in NAMES], NAMES, NAMES),
    "array": np.array([[int((a, b) in EDGES) for b in NAMES] for a in NAMES]),
    "rows": [[int((a, b) in EDGES) for b in NAMES] for a in NAMES],
    "numbered nodes": nx.DiGraph([(0, 1), (3, 1), (1, 2)]),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_graph(form):
    graph = read(FORMS[form])
    assert set(graph.directed) == EDGES
    assert graph.undirected == ()
    assert graph.variables == tuple(NAMES)


PARTIAL = {
    "edges": 'A -> B, "heart rate" -> B, C -- B',
    "both directions": nx.DiGraph([*EDGES, ("C", "B")]),
    "DOT": 'digraph { {A "heart rate"} -> B; B -> C [dir=none] }',
    "DOT with a default": 'digraph { {A "heart rate"} -> B; { edge [dir=none] B -> C } }',
    "DAGitty": 'pdag { A -> B  "heart rate" -> B  B -- C }',
    "frame": pd.DataFrame([[(a, b) in EDGES | {("C", "B")} for b in NAMES] for a in NAMES], NAMES, NAMES),
    "pdag of pgmpy": ForeignPartial(),
}


@pytest.mark.parametrize("form", PARTIAL)
def test_edges_without_a_direction(form):
    graph = read(PARTIAL[form])
    assert set(graph.directed) == EDGES - {("B", "C")}
    assert graph.undirected == (("B", "C"),)


def test_undirected_graphs():
    graph = read("graph { A -- B -- C; 'x' }".replace("'x'", '"heart rate"'))
    assert (graph.directed, graph.undirected) == ((), (("A", "B"), ("B", "C")))
    assert read(nx.path_graph(["A", "B"]), ["A", "B"]).undirected == (("A", "B"),)
    assert read('graph [ node [ id 1 label "A" ] node [ id 2 label "B" ] edge [ source 1 target 2 ] ]', "AB") == read(
        "A -- B", "AB"
    )


@pytest.mark.parametrize("ending", [".dot", ".gv", ".gml", ".dagitty", ".txt"])
def test_files(tmp_path, ending):
    form = {".gml": "our GML", ".dagitty": "DAGitty", ".txt": "edges"}.get(ending, "DOT")
    path = tmp_path / f"mine{ending}"
    path.write_text("\ufeff" + FORMS[form], encoding="utf-8")
    assert set(read(path).directed) == set(read(str(path)).directed) == EDGES


MISTAKES = {
    "dag { A <-> B }": "bidirected edge; got 'A' <-> 'B', which stands for a common cause",
    "digraph { A -> B [dir=both] }": "bidirected edge",
    "digraph { A -> B [dir=both, arrowtail=odot] }": "an end that is not known",
    "dag { A @-> B }": "an end that is not known",
    "pag { A @-> B }": "a partial ancestral graph",
    "A -> B -> C -> A": "cycle (A -> B -> C -> A|B -> C -> A -> B|C -> A -> B -> C)",
    "A -> B, B -> D": "unknown variable 'D'",
    "A -> b": "did you mean 'B'",
    "A -> B": "'C', 'heart rate' are missing. .*missing_variables='isolated'",
    "dag { A -> }": "expected a name, got '}' in line 1",
    "dag { A -> B": "the end of the text",
    "digraph { A -> B } }": "expected the end",
    "digraph { A -> <b>B</b> }": "HTML",
    "digraph { A <- B }": "'->' or '--'",
    "A -> B { ": "must begin as a graph in DOT",
    "graph [ node [ id 1 ]": "not a graph in GML",
    "digraph " + "{" * 40: "at most 30 groups",
    "A -> B, A !-> C": "edges that are there",
    "A -> B, A ~> C": "edges that are there",
    "A -> A": "two different variables",
    "digraph { A -> A }": "to itself",
    "A -> B, A -- B": "a direction or none; got both",
    "nowhere.dot": "cannot read 'nowhere.dot'",
}


@pytest.mark.parametrize("text", MISTAKES, ids=lambda text: text[:30])
def test_mistakes_are_told(text):
    with pytest.raises(osp.UserError, match=MISTAKES[text]):
        read(text)


@pytest.mark.parametrize("value", [5, None, object()])
def test_other_things_are_refused(value):
    with pytest.raises(TypeError, match="graph must be a networkx graph, text or a file"):
        read(value)


def test_sizes_are_bounded(tmp_path):
    path = tmp_path / "large.dot"
    path.write_bytes(b" " * (4 * 2**20 + 1))
    with pytest.raises(osp.UnreadableFile, match="too large"):
        read(path)
    with pytest.raises(ValueError, match="characters"):
        read(" " * (4 * 2**20 + 1))
    many = " ".join(f"x{k}" for k in range(1000))
    with pytest.raises(ValueError, match="at most 200,000 edges"):
        read(f"digraph {{ {{ {many} }} -> {{ {many} }} }}")
    with pytest.raises(ValueError, match="4 variables, as it names none; got 3"):
        read(np.zeros((3, 3)))


def test_other_files_are_recognised(tmp_path):
    path = tmp_path / "picture.dot"
    path.write_bytes(b"\x89PNG\r\n")
    with pytest.raises(osp.UnreadableFile, match="a PNG picture"):
        read(path)
    path.write_bytes("digraph { größe -> A }".encode("latin-1"))
    with pytest.raises(osp.UnreadableFile, match="UTF-8"):
        read(path)


def test_missing_variables_are_isolated_if_the_user_says_so():
    graph = read("A -> B", missing="isolated")
    assert graph.variables == tuple(NAMES)
    assert len(graph.edges.absent) == 4 * 3 - 1
    with pytest.raises(ValueError, match="missing_variables"):
        read("A -> B", missing="perhaps")


def test_our_own_text_of_any_names_is_read_again():
    """Names are any text; both writers are read back."""
    rng = random.Random(3)
    signs = 'ab "\\{}[];,=:<>-#/%&\nö'
    for _ in range(200):
        names = list(dict.fromkeys("n" + "".join(rng.choices(signs, k=5)) for _ in range(4)))
        graph = nx.DiGraph()
        graph.add_nodes_from(names)
        graph.add_edges_from(pair for pair in itertools.combinations(names, 2) if rng.random() < 0.5)
        for text in (osp.export.to_dot(graph), osp.export.to_gml(graph)):
            again = read(text, names)
            assert set(again.directed) == set(graph.edges), text


@pytest.mark.thorough
def test_any_text_is_an_answer_or_a_users_mistake():
    """Mutations of texts in all languages never end in another error."""
    rng = random.Random(5)
    texts = [FORMS[form] for form in FORMS if isinstance(FORMS[form], str)]
    read_at_all = 0
    for _ in range(1000):
        text = list(rng.choice(texts))
        for _ in range(rng.randint(1, 4)):
            place = rng.randrange(len(text))
            text[place : place + rng.randint(0, 2)] = rng.choice([*'{}[]"->;,=:', "<->", "\\", "/*", "digraph", ""])
        try:
            read("".join(text))
            read_at_all += 1
        except osp.UserError:
            continue
    assert read_at_all > 20

"""Edges: reading and writing them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import orderspn as osp
from orderspn.display.text import ROOM
from orderspn.queries.edges import as_edges


@pytest.mark.parametrize(
    ("text", "present", "absent"),
    [
        ("A -> B", [("A", "B")], []),
        ("A->B", [("A", "B")], []),
        ("A !-> B", [], [("A", "B")]),
        ("A!->B", [], [("A", "B")]),
        ("A -> B, C !-> D", [("A", "B")], [("C", "D")]),
        ("A -> B; C !-> D", [("A", "B")], [("C", "D")]),
        ("A -> B -> C", [("A", "B"), ("B", "C")], []),
        ("A -> B !-> C -> D", [("A", "B"), ("C", "D")], [("B", "C")]),
        ("A -> B, A -> B", [("A", "B")], []),
        ("A -> B,", [("A", "B")], []),
        ("  A -> B  ", [("A", "B")], []),
        ("\tA\n->\nB", [("A", "B")], []),
        ("'heart rate' -> \"blood, pressure\"", [("heart rate", "blood, pressure")], []),
        ("'x -> y' !-> z", [], [("x -> y", "z")]),
        (r'"say \"D\"" -> C', [('say "D"', "C")], []),
        (r"'it\'s' -> C", [("it's", "C")], []),
        (r'"back\\slash" -> C', [("back\\slash", "C")], []),
        ("Größe -> p.adj_1-2", [("Größe", "p.adj_1-2")], []),
        ("wow! -> B", [("wow!", "B")], []),
        ("X1 -> 5", [("X1", "5")], []),
    ],
)
def test_parsing(text, present, absent):
    edges = osp.Edges.parse(text)
    assert edges == osp.Edges(present, absent)
    assert (list(edges.present), list(edges.absent)) == (present, absent)


@pytest.mark.parametrize(
    ("text", "present", "absent", "before"),
    [
        ("A < B", [], [], [("A", "B")]),
        ("A < B < C", [], [], [("A", "B"), ("B", "C")]),
        ("A -> B < C", [("A", "B")], [], [("B", "C")]),
        ("A < B -> C !-> D", [("B", "C")], [("C", "D")], [("A", "B")]),
        ("A < B,C < D;E->F", [("E", "F")], [], [("A", "B"), ("C", "D")]),
        ("A < B, A < B", [], [], [("A", "B")]),
        ("\tA\n<\nB ", [], [], [("A", "B")]),
        ("x<3 -> B", [("x<3", "B")], [], []),
        ("x<3 < <y", [], [], [("x<3", "<y")]),
        ("A<B -> C", [("A<B", "C")], [], []),
        ("A< -> <=", [("A<", "<=")], [], []),
        ("'<' < B", [], [], [("<", "B")]),
        ('A -> "<"', [("A", "<")], [], []),
        ("'heart < rate' < C", [], [], [("heart < rate", "C")]),
    ],
)
def test_parsing_places_in_the_order(text, present, absent, before):
    edges = osp.Edges.parse(text)
    assert edges == osp.Edges(present, absent, before)
    assert (list(edges.present), list(edges.absent), list(edges.before)) == (present, absent, before)
    assert osp.Edges.parse(str(edges)) == edges


def test_writing_places_in_the_order():
    edges = osp.Edges([("A", "<")], [("x<3", "C")], [("<", "A"), ("a < b", "C")])
    assert str(edges) == 'A -> "<", x<3 !-> C, "<" < A, "a < b" < C'
    assert repr(osp.Edges(before=[("A", "B")])) == "Edges('A < B')"


@pytest.mark.parametrize(
    "text", ["A <", "< B", "A < < B", "A <B", "A< B", "A ->< B", "A -> <", "<", "A <, B", "'A'<'B'"]
)
def test_a_sign_that_does_not_stand_between_names_and_spaces(text):
    with pytest.raises(ValueError, match=r'cannot read .*"A < B", with spaces around the <') as caught:
        osp.Edges.parse(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "A",
        "A B",
        "A ->",
        "-> B",
        "A -> -> B",
        "A -> B C",
        "A -> B, , C -> D",
        "A -> 'B",
        'A" -> B',
        "A -> B -> ",
        "A, B",
        ", A -> B",
        "A -> B C -> D",
        "-> -> ->",
    ],
)
def test_what_cannot_be_read_says_how_to_write_it(text):
    with pytest.raises(ValueError, match=r'cannot read .*write edges as "A -> B, C !-> D".*in quotes') as caught:
        osp.Edges.parse(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("text", ["", "   ", "\n"])
def test_an_empty_string_is_no_edge(text):
    with pytest.raises(ValueError, match="no edge was given: write edges as"):
        osp.Edges.parse(text)


def test_self_loops():
    with pytest.raises(ValueError, match="must connect two different variables; got 'A' -> 'A'"):
        osp.Edges.parse("A -> A")
    with pytest.raises(ValueError, match="must connect two different variables; got 'B' -> 'B'"):
        osp.Edges(absent=[("B", "B")])


def test_nothing_comes_before_itself():
    with pytest.raises(ValueError, match="a variable cannot come before itself; got 'A' < 'A'"):
        osp.Edges.parse("A < A")
    with pytest.raises(ValueError, match="a variable cannot come before itself; got 'B' < 'B'"):
        osp.Edges(before=[("B", "B")])


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("A -- B", osp.Edges(adjacent=[("A", "B")])),
        ("B--A", osp.Edges(adjacent=[("A", "B")])),
        ("A -- B, B -- A", osp.Edges(adjacent=[("A", "B")])),
        ("A -- B -> C", osp.Edges([("B", "C")], adjacent=[("A", "B")])),
        ("A !-- B", osp.Edges(absent=[("A", "B"), ("B", "A")])),
        ("A!--B", osp.Edges(absent=[("A", "B"), ("B", "A")])),
        ("A-1 -- B-", osp.Edges(adjacent=[("A-1", "B-")])),
        ("'x--y' -> z", osp.Edges([("x--y", "z")])),
    ],
)
def test_neighbours(text, edges):
    assert osp.Edges.parse(text) == edges
    assert osp.Edges.parse(str(edges)) == edges


@pytest.mark.parametrize("text", ["A --> B", "A --- B", "A --", "-- B", "A !--> B", "A -- A"])
def test_neighbours_that_cannot_be_read(text):
    with pytest.raises(ValueError, match=r"cannot read|its own neighbour"):
        osp.Edges.parse(text)


@pytest.mark.parametrize("wrong", [["AB"], [("A",)], [("A", "B", "C")], [("A", 1)], [5], "A < B", None, 5])
def test_wrong_pairs_of_places(wrong):
    with pytest.raises(TypeError, match=r"before must (hold|be a list of) \(first, second\) pairs.*got"):
        osp.Edges(before=wrong)


@pytest.mark.parametrize("wrong", [["AB"], [("A",)], [("A", "B", "C")], [("A", 1)], [5], "A -> B"])
@pytest.mark.parametrize("name", ["present", "absent"])
def test_wrong_pairs(name, wrong):
    with pytest.raises(TypeError, match=f"{name} must (hold|be a list of) .*cause, effect.* pairs.*got"):
        osp.Edges(**{name: wrong})


@pytest.mark.parametrize("wrong", [None, 5])
def test_edges_that_are_no_list(wrong):
    with pytest.raises(TypeError, match="present must"):
        osp.Edges(present=wrong)


def test_as_an_argument():
    assert as_edges("given", None) == osp.Edges()
    assert as_edges("given", "A -> B") == osp.Edges([("A", "B")])
    assert as_edges("given", osp.Edges([("A", "B")])) == osp.Edges([("A", "B")])
    assert as_edges("given", [("A", "B")]) == osp.Edges([("A", "B")])
    with pytest.raises(TypeError, match=r"given must be a string such as .*or osp\.Edges\(.*got int"):
        as_edges("given", 5)


def test_together():
    both = osp.Edges([("A", "B")]) & osp.Edges([("A", "B"), ("B", "C")], [("C", "A")])
    assert both == osp.Edges([("A", "B"), ("B", "C")], [("C", "A")])
    assert both
    assert not osp.Edges()
    assert hash(both) == hash(osp.Edges([("A", "B"), ("B", "C")], [("C", "A")]))


def test_places_in_the_order_join_the_rest():
    both = osp.Edges(before=[("A", "B")]) & osp.Edges([("A", "B")], before=[("A", "B"), ("C", "A")])
    assert both == osp.Edges([("A", "B")], before=[("A", "B"), ("C", "A")])
    assert both != osp.Edges([("A", "B")])
    assert osp.Edges(before=[("A", "B")])
    assert hash(both) == hash(osp.Edges([("A", "B")], [], [("A", "B"), ("C", "A")]))


def test_pairs_may_be_lists_and_generators():
    assert osp.Edges(present=(["A", b] for b in "BC")) == osp.Edges([("A", "B"), ("A", "C")])


names = st.one_of(
    st.text(min_size=1, max_size=8),
    st.text(alphabet="ab <->!,;'\"\\\n\t\u00a0\u2028", min_size=1, max_size=8),
)
pairs = st.lists(st.tuples(names, names).filter(lambda edge: edge[0] != edge[1]), max_size=4)


@given(pairs, pairs, pairs, pairs)
def test_what_is_written_can_be_read(present, absent, before, adjacent):
    edges = osp.Edges(present, absent, before, adjacent)
    if edges:
        assert osp.Edges.parse(str(edges)) == edges
        assert len(str(edges)) > ROOM or eval(repr(edges), {"Edges": osp.Edges.parse}) == edges


@given(st.text(alphabet="AB <->!,;'\"\\", max_size=15))
def test_any_text_is_read_or_refused_as_a_value_error(text):
    try:
        edges = osp.Edges.parse(text)
    except ValueError as error:
        if not re.search("write edges as|two different variables|come before itself|own neighbour", str(error)):
            raise
    else:
        assert edges
        assert osp.Edges.parse(str(edges)) == edges

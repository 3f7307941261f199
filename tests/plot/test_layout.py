"""Layout and routes: causes above effects, labels apart, no arrow under a label."""

import itertools

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

from orderspn.plot.layers import _swept, acyclic_graph, arranged, crossings, levels
from orderspn.plot.layout import nondecreasing, place
from orderspn.plot.routes import CLEARANCE, _along_others, _ways, route

SIZE = (0.7, 0.35)


def random_edges(d, n, seed):
    rng = np.random.default_rng(seed)
    pairs = [tuple(f"v{k}" for k in sorted(rng.choice(d, 2, replace=False))) for _ in range(n)]
    back = [(effect, cause) for cause, effect in pairs if rng.random() < 0.3]
    return list(dict.fromkeys(pairs + back))


def test_an_edge_that_closes_a_cycle_is_left_out():
    graph = acyclic_graph("abc", [("a", "b"), ("b", "c"), ("c", "a"), ("b", "a")])
    assert list(graph.edges) == [("a", "b"), ("b", "c")]


def test_levels_go_down_along_edges_and_sources_stay_near():
    graph = nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c"), ("s", "c")])
    assert levels(graph) == {"a": 0, "b": 1, "c": 2, "s": 1}


@pytest.mark.parametrize("seed", range(6))
def test_edges_pass_nearly_as_few_lines_as_they_can(seed):
    """Against the linear program whose solution is the shortest sum of lengths."""
    names = [f"v{k}" for k in range(16)]
    graph = acyclic_graph(names, random_edges(16, 24, seed))
    level = levels(graph)
    assert all(level[cause] < level[effect] for cause, effect in graph.edges)
    steps = -nx.incidence_matrix(graph, oriented=True).toarray().T  # (edges, variables): -1 where an edge ends
    shortest = linprog(-steps.sum(axis=0), A_ub=steps, b_ub=-np.ones(len(steps)), bounds=(0, None)).fun
    length = sum(level[effect] - level[cause] for cause, effect in graph.edges)
    assert shortest - 1e-6 <= length <= 1.1 * shortest


def test_a_cause_of_one_effect_and_what_hangs_on_it_stand_near_that_effect():
    chain = [(f"c{k}", f"c{k + 1}") for k in range(6)]
    level = levels(nx.DiGraph([*chain, ("s", "c6"), ("s", "t")]))
    assert (level["s"], level["t"], level["c6"]) == (5, 6, 6)


def test_few_edges_cross_where_none_need_to():
    """A tree, its variables in an unlucky sequence."""
    edges = [(f"v{(k - 1) // 3}", f"v{k}") for k in range(1, 40)]
    names = [f"v{k}" for k in np.random.default_rng(1).permutation(40)]
    assert crossings(*arranged(names, levels(nx.DiGraph(edges)), edges)) == 0


def test_a_tangle_of_sixty_variables_is_combed():
    edges = random_edges(60, 90, 2)
    names = [f"v{k}" for k in range(60)]
    level = levels(acyclic_graph(names, edges))
    layers, neighbours = arranged(names, level, edges)
    swept = [sorted(layer, key=str) for layer in layers]
    for sweep in range(12):
        swept = _swept(swept, neighbours, downward=sweep % 2 == 0)
    assert crossings(layers, neighbours) < 0.8 * crossings(swept, neighbours)


def test_crossings_are_undone():
    level = {"a": 0, "b": 0, "c": 1, "d": 1}
    layers, neighbours = arranged(list("abcd"), level, [("a", "d"), ("b", "c")])
    assert crossings(layers, neighbours) == 0
    assert crossings([["a", "b"], ["c", "d"]], neighbours) == 1


def test_nondecreasing_is_the_nearest_sequence():
    assert nondecreasing(np.array([1.0, 3.0, 2.0, 4.0])).tolist() == [1.0, 2.5, 2.5, 4.0]
    assert nondecreasing(np.array([3.0, 2.0, 1.0])).tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("seed", range(4))
def test_labels_do_not_overlap_and_most_arrows_point_down(seed):
    edges = random_edges(25, 40, seed)
    boxes = place({f"v{k}": SIZE for k in range(25)}, edges).labels
    for one, other in itertools.combinations(boxes.values(), 2):
        apart = abs(one.x - other.x) > SIZE[0] or abs(one.y - other.y) > SIZE[1]
        assert apart
    graph = acyclic_graph(boxes, edges)
    assert graph.number_of_edges() > 0.6 * len(edges)
    assert all(boxes[cause].y > boxes[effect].y for cause, effect in graph.edges)


@pytest.mark.thorough
@pytest.mark.parametrize(("d", "n"), [(11, 16), (25, 30)])
def test_arrows_pass_under_no_label(d, n):
    hidden = 0
    for seed in range(5):
        edges = random_edges(d, n, seed)
        layout = place({f"v{k}": SIZE for k in range(d)}, edges)
        for edge, points in route(layout, edges).items():
            assert not any(layout.labels[name].contains(points).any() for name in edge)
            others = [box for name, box in layout.labels.items() if name not in edge]
            hidden += any(box.contains(points).any() for box in others)
    assert hidden == 0


def slowly_routed(layout, edges):
    """The same choice with every cost of every way counted, a label at a time."""
    routes = {}
    for edge in edges:
        ways = _ways(layout, edge, paired=edge[::-1] in edges)
        costs = []
        for cost, way in ways:
            hidden = [box.contains(way, CLEARANCE).mean() for name, box in layout.labels.items() if name not in edge]
            costs.append(cost + 10 * np.count_nonzero(hidden) + 20 * sum(hidden) + _along_others(way, routes))
        routes[edge] = ways[int(np.argmin(costs))][1]
    return routes


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(3))
def test_routes_are_the_cheapest_of_all_ways(seed):
    edges = random_edges(14, 25, seed)
    layout = place({f"v{k}": SIZE for k in range(14)}, edges)
    expected = slowly_routed(layout, edges)
    for edge, points in route(layout, edges).items():
        np.testing.assert_array_equal(points, expected[edge])


def test_the_two_directions_of_a_pair_are_drawn_apart():
    edges = [("a", "b"), ("b", "a")]
    routes = route(place({"a": SIZE, "b": SIZE}, edges), edges)
    forward, backward = routes["a", "b"], routes["b", "a"]
    distances = np.linalg.norm(forward[:, None] - backward[None], axis=2)
    assert distances.min() > CLEARANCE


def test_a_shape_is_aimed_at():
    sizes = {f"v{k}": SIZE for k in range(12)}

    def shape(wanted):
        boxes = place(sizes, [], wanted).labels.values()
        return (max(b.x for b in boxes) - min(b.x for b in boxes)) / (max(b.y for b in boxes) - min(b.y for b in boxes))

    assert shape(4.0) > shape(0.5)

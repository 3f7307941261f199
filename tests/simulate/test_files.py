"""Networks by name and from files."""

import json

import networkx as nx
import numpy as np
import pytest

import orderspn as osp

SMALL = {
    "nodes": ["A", "B"],
    "arcs": [["B", "A"]],
    "cpds": {
        "A": {"coefficients": {"(Intercept)": [1.5], "B": [-2]}, "variance": [0.5], "parents": ["B"]},
        "B": {"coefficients": {"(Intercept)": [0.0]}, "variance": [3], "parents": []},
    },
}


@pytest.mark.parametrize(("name", "d", "edges"), [("ecoli70", 46, 70), ("magic-niab", 44, 66)])
def test_bundled_networks(name, d, edges):
    network = osp.simulate.load_network(name)
    assert (len(network.variables), int(network.adjacency.sum())) == (d, edges)
    assert network.sample(3, rng=0).shape == (3, d)
    assert nx.is_directed_acyclic_graph(network.graph)


def test_every_name():
    assert set(osp.simulate.NETWORKS) == {"ecoli70", "magic-niab"}


def test_values():
    network = osp.simulate.load_network("ecoli70")
    place = network.variables.index
    assert network.weights[place("icdA"), place("aceB")] == 1.0464
    assert network.intercepts[place("aceB")] == 0.1324
    assert network.noise_variances[place("aceB")] == 0.0853


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_files(tmp_path, kind):
    path = tmp_path / "small.json"
    path.write_text(json.dumps(SMALL), encoding="utf-8")
    network = osp.simulate.load_network(kind(path))
    np.testing.assert_array_equal(network.weights, [[0.0, 0.0], [-2.0, 0.0]])
    assert network.intercepts.tolist() == [1.5, 0.0]
    assert network.noise_variances.tolist() == [0.5, 3.0]


def changed(**parts):
    return json.dumps(SMALL | parts)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "Expecting property name"),
        ("[]", ""),
        (json.dumps({"nodes": ["A", "B"]}), "'arcs' is missing"),
        (changed(cpds={}), "'A' is missing"),
        (changed(arcs=[]), "the coefficients of 'A' do not belong to its parents"),
        (changed(arcs=[["B", "Z"]]), "'Z' is missing"),
        (changed(arcs=[["B"]]), ""),
        (changed(cpds=SMALL["cpds"] | {"B": {"coefficients": {"(Intercept)": [0, 1]}, "variance": [1]}}), ""),
        (
            changed(cpds=SMALL["cpds"] | {"B": {"coefficients": {"(Intercept)": [0]}, "variance": [0]}}),
            "greater than 0",
        ),
        (changed(cpds=SMALL["cpds"] | {"B": {"coefficients": {"(Intercept)": 0, "A": 1}, "variance": 1}}), "belong"),
    ],
)
def test_damaged_files(tmp_path, text, problem):
    path = tmp_path / "damaged.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(osp.UnreadableFile, match=f"cannot read .*damaged.json' as a network: .*{problem}"):
        osp.simulate.load_network(path)


def test_what_is_not_there(tmp_path):
    with pytest.raises(ValueError, match=r"unknown network 'ecoli'.*did you mean 'ecoli70'"):
        osp.simulate.load_network("ecoli")
    with pytest.raises(ValueError, match=r"cannot read .*none\.json.*Networks by name are 'ecoli70', 'magic-niab'"):
        osp.simulate.load_network(tmp_path / "none.json")
    with pytest.raises(TypeError, match="source must be a name or a path; got 70"):
        osp.simulate.load_network(70)
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00\x80")
    with pytest.raises(osp.UnreadableFile, match="it is not text"):
        osp.simulate.load_network(tmp_path / "binary.json")

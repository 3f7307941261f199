"""What comes before what, on the command line."""

import pytest

import orderspn as osp

EVENT = 'A < "heart rate", größe !-> A'
GIVEN = '"dose, mg" < größe'


def test_query(run, run_json, posterior, posterior_file):
    answer = run_json("query", posterior_file, EVENT, "--given", GIVEN)
    assert answer["probability"] == posterior.probability(EVENT, GIVEN)
    assert 0.0 < answer["probability"] < 1.0
    assert answer["event"] == str(osp.Edges.parse(EVENT))
    assert answer["given"] == GIVEN
    assert GIVEN in run("query", posterior_file, EVENT, "--given", GIVEN).stdout


def test_an_impossible_order_is_an_answer(run_json, posterior_file):
    answer = run_json("query", posterior_file, "A < größe < A")
    assert (answer["probability"], answer["log_probability"]) == (0.0, None)


def test_conditions_of_other_commands(run_json, posterior, posterior_file):
    under = posterior.given(GIVEN).given("A < größe")
    options = ["--given", GIVEN, "--given", "A < größe"]
    edges = run_json("edges", posterior_file, "--matrix", *options)
    assert edges == under.edge_probabilities().T.to_dict()
    assert run_json("effects", posterior_file, "--matrix", *options) == under.causal_effects().T.to_dict()
    best = run_json("map", posterior_file, *options)
    assert best["order"] == under.most_probable_graph().order
    searched = run_json("map", posterior_file, "--search", *options)
    assert searched["log_score"] == best["log_score"]
    for order in (best["order"], searched["order"]):
        assert order.index("dose, mg") < order.index("größe")
        assert order.index("A") < order.index("größe")


def test_evidence_in_the_file(run, run_json, posterior, tmp_path):
    posterior.given(GIVEN).save(tmp_path / "under.npz")
    assert run_json("info", tmp_path / "under.npz")["evidence"] == GIVEN
    assert GIVEN in run("info", tmp_path / "under.npz").stdout
    answer = run_json("query", tmp_path / "under.npz", "A < größe")
    assert answer["probability"] == posterior.probability("A < größe", GIVEN)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["A <größe"], "with spaces around the <"),
        (["A < A"], "a variable cannot come before itself"),
        (["A < missing"], "unknown variable 'missing'"),
        (["A -> größe", "--given", "A < größe < A"], "the order constraints form a cycle, A < größe < A"),
    ],
)
def test_mistakes(error_of, posterior_file, arguments, message):
    assert message in error_of("query", posterior_file, *arguments)


def test_graphs_that_count_once_have_no_order(invoke, error_of, data_file, tmp_path):
    path = tmp_path / "dag.npz"
    assert invoke("learn", data_file, "-o", path, "--target", "dag").exit_code == 0
    for arguments in (["query", path, "A < größe"], ["edges", path, "--given", "A < größe"]):
        assert "is about orders" in error_of(*arguments)


@pytest.mark.parametrize("command", [["--help"], ["query", "--help"], ["edges", "--help"]])
def test_help_says_how_to_write_it(run, command):
    assert '"A < B"' in run(*command).stdout

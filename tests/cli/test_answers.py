"""Every command gives the library's numbers, as JSON, as CSV and in its table."""

import json
import math

import pytest

import orderspn as osp
from orderspn.storage import FORMAT_VERSION

GIVEN = '"heart rate" -> "dose, mg"'


def by_pair(rows, value):
    return {(row["cause"], row["effect"]): row[value] for row in rows}


@pytest.mark.parametrize("given", [None, GIVEN])
def test_edges_are_the_librarys(run_json, run_csv, posterior, posterior_file, given):
    options = ["--min-probability", 0] + (["--given", given] if given else [])
    expected = posterior.edge_probabilities(given)
    rows = run_json("edges", posterior_file, *options)
    assert by_pair(rows, "probability") == {
        (c, e): expected.loc[c, e] for c in posterior.variables for e in posterior.variables if c != e
    }
    probabilities = [row["probability"] for row in rows]
    assert probabilities == sorted(probabilities, reverse=True)
    assert run_csv("edges", posterior_file, *options).to_dict("records") == rows


def test_edges_below_the_threshold_are_left_out(run_json, posterior_file):
    everything = run_json("edges", posterior_file, "--min-probability", 0)
    some = run_json("edges", posterior_file, "--min-probability", 0.3)
    assert some == [row for row in everything if row["probability"] >= 0.3]
    assert 0 < len(some) < len(everything)
    assert run_json("edges", posterior_file, "--top", 2) == everything[:2]


@pytest.mark.parametrize(("command", "method"), [("edges", "edge_probabilities"), ("effects", "causal_effects")])
def test_matrices_are_the_librarys(run_json, run_csv, posterior, posterior_file, command, method):
    expected = getattr(posterior, method)()
    assert run_json(command, posterior_file, "--matrix") == expected.T.to_dict()
    frame = run_csv(command, posterior_file, "--matrix").set_index("cause")
    assert list(frame.columns) == posterior.variables
    assert (frame.to_numpy() == expected.to_numpy()).all()


def test_effects_come_strongest_first_without_the_diagonal(run_json, run_csv, posterior, posterior_file):
    expected = posterior.causal_effects(GIVEN)
    rows = run_json("effects", posterior_file, "--given", GIVEN)
    assert len(rows) == 5 * 4
    assert all(row["value"] == expected.loc[row["cause"], row["effect"]] for row in rows)
    in_deviations = posterior.causal_effects(GIVEN, units="sd").abs()
    sizes = [in_deviations.loc[row["cause"], row["effect"]] for row in rows]
    assert sizes == pytest.approx(sorted(sizes, reverse=True))
    by_deviation = run_json("effects", posterior_file, "--given", GIVEN, "--units", "sd")
    assert [abs(row["value"]) for row in by_deviation] == sorted(sizes, reverse=True)
    assert any(row["value"] < 0 for row in rows[:8])
    assert run_csv("effects", posterior_file, "--given", GIVEN, "--top", 3).to_dict("records") == rows[:3]


def test_query_gives_the_probability_and_its_log(run, run_json, run_csv, posterior, posterior_file):
    event = 'A -> "heart rate", A !-> "[red]x"'
    answer = run_json("query", posterior_file, event, "--given", GIVEN)
    assert answer["probability"] == posterior.probability(event, GIVEN)
    assert answer["log_probability"] == posterior.log_probability(event, GIVEN)
    assert answer["given"] == GIVEN
    assert run_csv("query", posterior_file, event, "--given", GIVEN).to_dict("records") == [answer]
    assert f"= {answer['probability']:.6g}\n" in run("query", posterior_file, event, "--given", GIVEN).stdout


def test_an_impossible_event_is_an_answer(run_json, run_csv, posterior_file):
    event = 'A -> "heart rate" -> A'
    assert run_json("query", posterior_file, event)["probability"] == 0.0
    assert run_json("query", posterior_file, event)["log_probability"] is None
    assert run_csv("query", posterior_file, event)["log_probability"][0] == -math.inf


def test_conditions_may_be_repeated(run_json, posterior, posterior_file):
    answer = run_json("query", posterior_file, "A -> größe", "--given", GIVEN, "--given", 'A !-> "[red]x"')
    assert answer["probability"] == posterior.probability("A -> größe", f'{GIVEN}, A !-> "[red]x"')


def test_map_is_the_most_probable_graph(run, run_json, run_csv, posterior, posterior_file):
    best = posterior.most_probable_graph(GIVEN)
    answer = run_json("map", posterior_file, "--given", GIVEN)
    assert [tuple(edge) for edge in answer["edges"]] == list(best.edges.present)
    assert ("heart rate", "dose, mg") in best.edges.present
    assert answer["order"] == best.order
    assert answer["log_score"] == best.log_score
    assert answer["log_probability_of_order_and_graph"] == best.log_probability
    assert answer["log_probability_of_graph"] == posterior.log_probability(best.edges, GIVEN)
    assert answer["log_probability_of_graph"] >= answer["log_probability_of_order_and_graph"]
    assert answer["probability_of_graph"] == math.exp(answer["log_probability_of_graph"])
    table = run_csv("map", posterior_file, "--given", GIVEN)
    assert list(table.itertuples(index=False, name=None)) == list(best.edges.present)
    assert ", ".join(best.order) in run("map", posterior_file, "--given", GIVEN).stdout


@pytest.mark.thorough
def test_map_can_search(run, run_json, run_csv, tmp_path, frame):
    """Also under evidence that no order of the file leaves room for."""
    circuit = osp.learn(
        frame,
        rng=3,
        method=osp.methods.Trust(oracle="random", expansion=[1, 1, 1], block_size=1, weights="elbo"),
        n_jobs=1,
    )
    circuit.save(tmp_path / "circuit.npz")
    first, *middle, last = circuit.most_probable_graph().order
    given, absent = str(osp.Edges([(last, first)])), str(osp.Edges((), [tuple(middle[:2])]))
    assert circuit.probability(given) == 0.0
    for options, condition in (
        ((), None),
        (("--given", given, "--given", absent), f"{given}, {absent}"),
    ):
        best = circuit.best_graph(condition)
        answer = run_json("map", tmp_path / "circuit.npz", "--search", *options)
        assert set(answer) == {"given", "edges", "order", "log_score"}
        assert [tuple(edge) for edge in answer["edges"]] == list(best.edges.present)
        assert (answer["order"], answer["log_score"]) == (best.order, best.log_score)
        assert answer["given"] == (condition and str(osp.Edges.parse(condition)))
        table = run_csv("map", tmp_path / "circuit.npz", "--search", *options)
        assert list(table.itertuples(index=False, name=None)) == list(best.edges.present)
    assert "Best graph found: " in run("map", tmp_path / "circuit.npz", "--search").stdout


def test_samples_are_those_of_the_seed(run, run_json, run_csv, posterior, posterior_file):
    samples = posterior.sample(20, GIVEN, rng=5)
    answer = run_json("sample", posterior_file, "-n", 20, "--given", GIVEN, "--rng", 5)
    assert [{tuple(edge) for edge in one["edges"]} for one in answer] == [set(graph.edges) for graph in samples]
    assert [one["order"] for one in answer] == [[samples.variables[v] for v in order] for order in samples.orders]
    table = run_csv("sample", posterior_file, "-n", 20, "--given", GIVEN, "--rng", 5)
    edges = [(s, *edge) for s, one in enumerate(answer, start=1) for edge in one["edges"]]
    assert list(table.itertuples(index=False, name=None)) == edges
    lines = run("sample", posterior_file, "-n", 3).stdout.splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["1", "2", "3"]


def test_parents_are_the_librarys(run, run_json, run_csv, posterior, posterior_file):
    expected = posterior.parent_sets("dose, mg", GIVEN, top=4)
    rows = run_json("parents", posterior_file, "dose, mg", "--given", GIVEN, "--top", 4)
    assert [tuple(row["parents"]) for row in rows] == list(expected["parents"])
    assert [row["probability"] for row in rows] == list(expected["probability"])
    assert all("heart rate" in row["parents"] for row in rows)
    table = run_csv("parents", posterior_file, "dose, mg", "--given", GIVEN, "--top", 4)
    assert [json.loads(cell) for cell in table["parents"]] == [row["parents"] for row in rows]
    assert list(table["probability"]) == list(expected["probability"])
    assert "(none)" in run("parents", posterior_file, "A").stdout


def test_info_tells_where_a_posterior_is_from(run, run_json, run_csv, posterior, posterior_file):
    answer = run_json("info", posterior_file)
    assert answer["settings"] == dict(posterior.settings)
    assert answer["variables"] == posterior.variables
    assert answer["log_evidence"] == posterior.log_evidence
    assert (answer["format"], answer["format_version"]) == ("orderspn-posterior", FORMAT_VERSION)
    text = run("info", posterior_file).stdout
    assert posterior.summary() in text
    assert posterior.settings["data_fingerprint"] in text
    table = run_csv("info", posterior_file).set_index("property")["value"]
    assert float(table["log_evidence"]) == posterior.log_evidence
    assert table["settings.seed"] == "3"


def test_tables_show_names_as_they_are(run, posterior_file):
    text = run("edges", posterior_file, "--min-probability", 0).stdout
    for name in ("heart rate", "dose, mg", "[red]x", "größe"):
        assert name in text
    assert "\x1b" not in text


@pytest.mark.parametrize("command", ["info", "edges", "map", "effects"])
def test_a_posterior_may_take_no_more_memory_than_allowed(invoke, posterior_file, command):
    result = invoke(command, posterior_file, "--memory-limit", "1kB")
    assert result.exit_code == 2
    assert "the limit is 1000 bytes. Raise --memory-limit" in result.stderr
    assert invoke(command, posterior_file, "--memory-limit", "99999TiB").exit_code == 0


def test_more_graphs_than_memory_are_refused(error_of, posterior_file):
    message = error_of("sample", posterior_file, "-n", 10**12)
    assert message.startswith("1,000,000,000,000 graphs of 5 variables need about ")
    assert message.endswith("Draw fewer.")
    assert "draws of all effects need about" in error_of("effects", posterior_file, "--samples", 10**12)

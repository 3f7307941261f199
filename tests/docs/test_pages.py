"""The code of every page runs, in order and without Sphinx, and finds what the page says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest

import orderspn as osp
from orderspn.scores.registry import SCORES

DOCS = Path(__file__).parents[2] / "docs"
CELL = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
OPTIONS = re.compile(r"\A(:[^\n]*\n)+\n*")
PAGES = sorted(
    path.relative_to(DOCS).as_posix()
    for path in DOCS.rglob("*.md")
    if "_build" not in path.parts and CELL.search(path.read_text(encoding="utf-8"))
)


def cells(page):
    """Code of a page, cell by cell, without the options of cells."""
    return [OPTIONS.sub("", code) for code in CELL.findall((DOCS / page).read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", PAGES)
def test_pictures_have_an_alternative_text(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert not re.findall(r"!\[\s*\]\(", text)
    for cell in CELL.findall(text):
        drawn = re.search(r"^osp\.plot\..*;$|^plt\.show\(\)", cell, re.MULTILINE)
        assert not drawn or re.match(r':mystnb: {image: {alt: ".{20,}"}}\n', cell), cell
        assert not re.search(r"^osp\.plot\..*\)(\.figure)?$", cell.rstrip().splitlines()[-1]), "end with a semicolon"


def in_a_shell(script):
    if os.name != "posix":
        pytest.skip("the page is about the shell of other systems")
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    subprocess.run(["bash", "-ec", script], check=True, env={**os.environ, "PATH": path})


def run(page):
    """Run the cells of a page; returns the names that they define."""
    names = {"__name__": "page"}
    for number, cell in enumerate(cells(page), 1):
        if cell.startswith("%%bash\n"):
            in_a_shell(cell.partition("\n")[2])
        else:
            code = re.sub(r"^%.*$", "", cell, flags=re.MULTILINE)  # of notebooks, such as %matplotlib
            exec(compile(code, f"{page}, cell {number}", "exec"), names)
    return names


WIDEST = 92
"""Characters of a line of code that a page 1280 pixels wide shows."""


@pytest.mark.parametrize("page", sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")))
def test_no_line_of_code_is_cut_off(page):
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(?:\{code-cell\} )?\w+\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    wide = [line for block in blocks for line in block.splitlines() if len(line) > WIDEST and line[0] != ":"]
    assert wide == []


def tutorial(names):
    posterior, informed = names["posterior"], names["informed"]
    assert posterior.warnings == informed.warnings == ()
    assert {found.severity for found in osp.check_data(names["penguins"], kinds=names["kinds"])} == {"note"}
    edges = posterior.edge_probabilities()
    measured = ["bill_length_mm", "bill_depth_mm", "body_mass_g"]
    assert edges.loc[["species", "sex"], measured].to_numpy().min() > 0.95
    assert edges.loc["species", "island"] + edges.loc["island", "species"] > 0.99
    assert edges.loc["species", "island"] < 0.9
    assert informed.probability("species -> body_mass_g, sex -> body_mass_g") > 0.99
    assert informed.probability("island -> body_mass_g") < 0.01
    assert informed.probability("bill_length_mm -- body_mass_g") > 0.9
    (bill, flipper, year), after = names["before"], names["after"]
    assert after[0] > bill + 0.2
    assert after[1] < flipper - 0.2
    assert abs(after[2] - year) < 0.01
    by_sex = informed.effect_curve("sex", "body_mass_g")["mean"]
    assert by_sex["male"] - by_sex["female"] == pytest.approx(670, abs=15)
    without = names["without"]
    assert without.probability("island -> body_mass_g") > 0.99
    by_island = without.effect_curve("island", "body_mass_g")["mean"]
    assert by_island["Biscoe"] - by_island["Dream"] == pytest.approx(1000, abs=50)
    slopes = [names["by_depth"](learned) for learned in (without, informed)]
    assert slopes[0].iloc[0] > slopes[0].iloc[-1] + 500
    assert slopes[1].iloc[0] < slopes[1].iloc[-1] - 200
    share = sum(names["male"]) / len(names["male"])
    assert share[9] > 0.9  # heavy for its species
    assert share[47] < 0.1
    assert ((share[[3, 271]] > 0.0) & (share[[3, 271]] < 1.0)).all()
    assert osp.metrics.edge_error(informed, names["complete"]).largest < 0.1


def proteins(names):
    posterior, pairs = names["posterior"], names["pairs"]
    assert (pairs[:6] > 0.99).all()
    assert pairs.iloc[6] < 0.1
    assert abs(posterior.probability("Raf -> Mek") - posterior.probability("Mek -> Raf")) < 0.01
    assert all(names["essential"].has_edge(b, a) for a, b in names["best"].graph.edges)
    assert names["after"][0] > names["before"][0] + 0.1  # Akt -> PKA
    assert abs(names["after"][2] - names["before"][2]) < 0.01  # PKC -> P38
    linear, tables = names["linear"].edge_probabilities().to_numpy(), names["tables"]
    assert (linear > 0.9).sum() > 0.75 * (linear > 0.5).sum() > 20
    judged = names["judged"](observed=posterior, linear=names["linear"], classes=tables, unaware=names["unaware"])
    assert judged.loc["linear", "AUROC"] < judged.loc["observed", "AUROC"]
    assert judged.loc["linear", "right"] > judged.loc["observed", "right"]
    assert judged.loc["classes", "recall"] > 0.7
    assert judged.loc["classes", "precision"] == pytest.approx(0.5, abs=0.05)
    assert judged.loc["classes", "AUROC"] > judged.loc["unaware", "AUROC"] + 0.05 > judged.loc["linear", "AUROC"] + 0.1
    assert ("Raf", "Erk") in set(zip(names["found"]["cause"], names["found"]["effect"], strict=True))
    verdict = names["verdict"]
    assert (verdict.edges["finding"] == "agrees").sum() == 13
    assert verdict.implausible


def explanation(names):
    assert names["learned"].settings["score"]["t"] > 0.5
    nothing = names["no_edges"]
    assert names["by_orders"].probability(nothing) > names["by_graphs"].probability(nothing)
    edges = [row["expected number of edges"] for row in names["expected"].values()]
    assert edges == sorted(edges, reverse=True)
    assert edges[0] > 5 * edges[2]
    warned = [row["warned"] for row in names["expected"].values()]
    assert (warned[0], warned[2], warned[-1]) == (True, False, True)
    errors = [row["mean edge error"] for row in names["rows"].values()]
    assert errors[-1] < errors[0] / 2
    stated = [row["largest standard error"] for row in names["rows"].values()]
    assert stated == sorted(stated, reverse=True)
    assert all(row["largest edge error"] < 4 * row["largest standard error"] for row in names["rows"].values())
    assert names["rows"][1024]["covered share"] < 0.3
    assert names["rows"][1024]["largest edge error"] < 0.1
    shares = [row["1000 graphs"] for row in names["shares"].values()]
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] < 0.5
    assert all(row["exact"] == 1.0 for row in names["shares"].values())
    complete, incomplete = names["complete"], names["incomplete"]
    assert (complete["predicted"] - complete["observed"]).abs().max() < 0.1
    assert incomplete["observed"].iloc[-1] < incomplete["predicted"].iloc[-1] - 0.15


def categories(names):
    posterior = names["posterior"]
    assert posterior.probability("lung -> smoke") > 0.1
    given = posterior.interventional("lung", {"smoke": "yes"}, "smoke -> lung", rng=0).loc["yes", "mean"]
    average = posterior.interventional("lung", {"smoke": "yes"}, rng=0).loc["yes", "mean"]
    assert average < given


def effects(names):
    posterior, effect = names["posterior"], names["effect"]
    assert effect.structural > 100 * effect.parametric  # nearly all doubts are about the graph
    known = posterior.effect("Erk", "Akt", given="Erk < Akt")
    assert known.variance < 0.05 * effect.variance
    assert known.no_path < 0.05
    assert round(effect.no_path, 2) == 0.75
    by_set = dict(zip(*(names["report"].parent_sets[name] for name in ("parents", "mean")), strict=True))
    assert by_set[()] < 0.0 < by_set["severity",]
    assert names["report"].parent_sets["flips"].any()


def design(names):
    predicted, realised = names["table"]["reduction"], names["conditions"]
    assert set(predicted.index[:3]) == {"do(Mek)", "do(Akt)", "do(PIP2)"}
    assert predicted.iloc[:3].min() > 1.5 * predicted["observe"]
    same = realised.loc["cd3cd28"]
    assert abs(same["mean"] - same["predicted"]) < 2 * same["standard error"]
    assert (realised.loc[["psitect", "u0126"], "mean"] > 2 * predicted["observe"]).all()
    better = realised.loc[["ly294002", "b2camp"]]
    assert (better["mean"] - better["predicted"] > 2 * better["standard error"]).all()
    assert set(realised.index[realised["mean"] < 0]) == {"pma", "cd3cd28_icam2"}
    assert names["chosen"]["cost"].iloc[-1] <= 4
    assert names["table"].attrs["method"] == "simulated"


def interventions(names):
    assert names["observed"].probability("pressure -> flow") == pytest.approx(0.5, abs=0.02)
    assert names["both"].probability("pressure -> flow") > 0.95
    assert names["again"].log_evidence == names["both"].log_evidence


def knowledge(names):
    assert names["tiered"].probability("PKA -> Erk") == 0.0
    assert names["paths"] > 0.0
    assert names["believed"].probability("Raf -> Mek") > names["plain"].probability("Raf -> Mek") + 0.2
    assert names["before"] == pytest.approx(names["after"], abs=1e-9)


def evidence(names):
    posterior = names["posterior"]
    assert posterior.probability("PKA -> Akt", given="Erk -> Akt") < posterior.probability("PKA -> Akt") - 0.1
    assert posterior.probability("Raf -> Mek", given="Raf < Mek") > 0.9
    apart = posterior.probability("Raf < Jnk", given="Raf !-> Jnk, Jnk !-> Raf")
    assert abs(posterior.probability("Raf < Jnk") - apart) < 0.1
    joined = names["joined"].edge_probabilities()
    assert joined.loc["PKA", "Akt"] + joined.loc["Akt", "PKA"] == pytest.approx(1.0)


def judge(names):
    judgement, better = names["judgement"], names["better"]
    assert judgement.verdict == "implausible"
    assert judgement.edges["finding"].value_counts().to_dict() == {"no edge": 11, "direction open": 6}
    assert set(judgement.gaps["finding"]) == {"agrees"}
    assert names["posterior"].judge(better.suggestion).verdict == "plausible"
    assert {("Raf", "Mek"), ("Erk", "Akt")} <= set(better.suggestion.graph.edges)
    assert names["partial"].probability > 0.5
    rows = osp.load_sachs(interventions=True, log=True)
    everything = osp.learn(rows.data, interventions="condition", targets=rows.targets, check=False)
    with_experiments = everything.judge(rows.consensus)
    assert with_experiments.edges["finding"].value_counts().to_dict() == {"agrees": 11, "reversed": 6}
    assert (with_experiments.gaps["finding"] == "edge").sum() == 29


def plots(names):
    curve = names["curves"]["the best graph"].iloc[-1]
    assert curve["predicted"] == 1.0
    assert curve["observed"] < 0.9


def ancestors(names):
    posterior, known = names["posterior"], names["known"]
    assert posterior.probability("PKC -> Akt") <= posterior.probability("PKC ~> Akt")
    assert known.probability("PKA ~> Akt") == 1.0
    assert posterior.standard_error("PKC ~> Akt") == 0.0


def identify(names):
    posterior = names["posterior"]
    assert names["neighbours"].loc["bronc", "smoke"] > 0.9 > posterior.probability("smoke -> bronc")
    assert names["colliders"]["probability"].iloc[0] > 0.5
    assert ("smoke", "bronc") in names["best"].undirected
    assert all(one.standard_error == 0.0 for one in names["classes"])
    assert names["one"].optimal
    assert names["class_of_all"].standard_error > 0.0
    assert len(names["careful"].graph.edges) < len(names["one"].graph.edges)


def compare(names):
    first = names["found"].edges.iloc[0]
    assert (first["cause"], first["effect"]) == ("PKA", "Akt")
    assert names["without"].only_in_first == ["Akt"]
    new = names["without"].adjacencies.iloc[0]
    assert {new["a"], new["b"]} == {"Erk", "PKA"}
    assert new["change"] > 0.5


def mixtures(names):
    mixture, runs = names["mixture"], names["runs"]
    assert abs(mixture.weights.sum() - 1.0) < 1e-12
    assert mixture.weights.argmax() == max(range(3), key=lambda m: runs[m].log_evidence)
    assert names["priors"].given("Akt -> Raf").weights[1] > 0.7
    assert names["priors"].components[1].probability("Akt -> Raf") > names["priors"].components[0].probability(
        "Akt -> Raf"
    )
    assert len(names["both"].components) == 4


def best_graph(names):
    best, sparse = names["best"], names["sparse"]
    assert best.agreement == 2
    distance = osp.metrics.structural_hamming_distance(best.cpdag, names["truth"])
    assert distance < 0.5 * names["truth"].number_of_edges()
    assert sparse.graph.number_of_edges() <= best.graph.number_of_edges()
    assert (best.to_frame()["gain"] > 0.0).all()


def many_variables(names):
    posterior = names["posterior"]
    assert posterior.settings["method"] == "trust"
    assert posterior.settings["diagnostics"]["rhat_edges"] < 1.1
    assert posterior.settings["lost_share"] < 0.05
    assert osp.metrics.edge_error(posterior, names["other"]).largest < 0.3
    assert names["best"].log_score >= posterior.most_probable_graph().log_score - 1e-6


def sampling(names):
    exact = names["by_graphs"]
    assert osp.metrics.edge_error(names["sampled"], exact).largest < 0.1
    assert osp.metrics.edge_error(names["weighted"], exact).largest < 0.1


def command_line(_):
    assert osp.load("posterior.npz").settings["standardized"]
    assert osp.load("informed.npz").probability("Mek -> PKA") == 0.0


def scikit_learn(names):
    assert names["search"].best_params_["max_parents"] > 0


def index(names):
    assert 0.0 < names["posterior"].probability("PKA -> Akt", given="Erk -> Akt") < 1.0


def own_score(names):
    assert names["again"].edge_probabilities().equals(names["posterior"].edge_probabilities())
    assert names["posterior"].probability("Erk -> Akt") > 0.0


def check_data(names):
    assert {found.severity for found in osp.check_data(names["proteins"])} == {"warning"}
    assert {found.severity for found in osp.check_data(np.log(names["proteins"]))} == {"note"}
    severities = [found.severity for found in names["report"]]
    assert (severities.count("error"), severities.count("warning")) == (1, 4)
    assert len(osp.check_data(names["repaired"])) == 0
    edges = {name: p.edge_probabilities().to_numpy().sum() for name, p in names["expected"].items()}
    assert edges["as they are"] > 3 > 2 * edges["differences"]
    assert len(names["posterior"].warnings) == 1


def data_as_it_comes(names):
    posterior, curved, gaps = names["posterior"], names["curved"], names["with_gaps"]
    assert posterior.settings["kinds"]["ward"] == "category"
    edges = posterior.edge_probabilities()
    assert edges.loc["age", "pressure"] + edges.loc["pressure", "age"] > 0.95
    assert names["line"].probability("dose -> response") + names["line"].probability("response -> dose") < 0.5
    assert curved.probability("dose -> response") + curved.probability("response -> dose") > 0.95
    assert names["chosen"].settings["score"]["degree"] in {2, 3}
    assert gaps.settings["missing"]["imputations"] == 20
    assert not names["completed"][0].isna().any().any()
    assert names["curve"].loc[0.0, "mean"] > names["curve"].loc[2.0, "mean"] + 2.0


def time_series(names):
    posterior, moving, economy = names["posterior"], names["moving"], names["economy"]
    edges = posterior.edge_probabilities()
    assert min(edges.loc["age", "pressure"], edges.loc["dose", "pressure"], edges.loc["age", "fatigue"]) > 0.99
    assert (names["probability"][names["is_true"]] > 0.985).all()
    assert names["probability"][~names["is_true"]].max() < 0.15
    assert moving.settings["method"] == economy.settings["method"] == "exact"
    unemployment = economy.edge_probabilities()["unemp[t]"]
    assert unemployment["unemp[t-1]"] > 0.99
    assert unemployment["realcons[t-1]"] > 0.6


def explore(names):
    posterior = names["posterior"]
    assert posterior.probability("Raf -- Mek") > 0.999
    assert abs(posterior.probability("Raf -> Mek") - 0.5) < 0.005
    assert round(posterior.probability("Erk -> Akt"), 2) == 0.25
    assert posterior.probability("Akt -> PKA", given="Erk -> Akt") > 0.95
    assert names["explorer"].given == "Erk -> Akt"
    assert Path("proteins.html").stat().st_size < 1_000_000


def clusters(names):
    for one, other in (("spread", "alone"), ("again", "first"), ("first", "alone")):
        assert names[one].edge_probabilities().equals(names[other].edge_probabilities())
    assert any(Path(names["folder"]).rglob("*.part"))


CLAIMS = {
    "howto/best-graph.md": best_graph,
    "explanation.md": explanation,
    "howto/ancestors.md": ancestors,
    "howto/categories.md": categories,
    "howto/check-data.md": check_data,
    "howto/data-as-it-comes.md": data_as_it_comes,
    "howto/clusters.md": clusters,
    "howto/command-line.md": command_line,
    "howto/design.md": design,
    "howto/effects.md": effects,
    "howto/evidence.md": evidence,
    "howto/explore.md": explore,
    "howto/interventions.md": interventions,
    "howto/judge.md": judge,
    "howto/knowledge.md": knowledge,
    "howto/many-variables.md": many_variables,
    "howto/identify.md": identify,
    "howto/compare.md": compare,
    "howto/mixtures.md": mixtures,
    "howto/own-score.md": own_score,
    "howto/plots.md": plots,
    "howto/sampling.md": sampling,
    "howto/scikit-learn.md": scikit_learn,
    "howto/time-series.md": time_series,
    "index.md": index,
    "proteins.md": proteins,
    "tutorial.md": tutorial,
}
"""What the words of a page say about its results."""


def test_every_page_with_code_is_here():
    assert sorted(CLAIMS) == PAGES


LONG = {
    "explanation.md",
    "howto/command-line.md",
    "howto/design.md",
    "howto/effects.md",
    "howto/judge.md",
    "howto/many-variables.md",
    "howto/plots.md",
    "howto/sampling.md",
    "proteins.md",
    "tutorial.md",
}
"""Pages that take long to run."""


@pytest.mark.thorough
@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.exhaustive if page in LONG else ()) for page in PAGES]
)
def test_page(page, monkeypatch, tmp_path):
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(SCORES, "_classes", dict(SCORES))  # what a page registers is forgotten
    CLAIMS[page](run(page))
    if "matplotlib.pyplot" in sys.modules:  # it keeps figures, and complains about many
        sys.modules["matplotlib.pyplot"].close("all")

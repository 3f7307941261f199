"""Whether the package works with the oldest versions that pyproject.toml allows; `make lowest` runs it.

With `pins` it prints these versions as requirements, otherwise it tries a bit of everything; with `tour` whatever the
versions are.
"""

import importlib.metadata
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

BESIDE = ["polars"]
"""Packages for developers that the tour uses."""


def lowest_versions() -> dict[str, str]:
    """The lower bound of each dependency, and of those of the extras that users install."""
    with Path(__file__).parents[1].joinpath("pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    extras = project["optional-dependencies"]
    tools = [bound for bound in extras["dev"] if bound.split(">=")[0] in BESIDE]
    bounds = [*project["dependencies"], *extras["explore"], *extras["jax"], *extras["plot"], *tools]
    return dict(bound.split(">=") for bound in bounds)


def check_versions() -> None:
    for name, lowest in lowest_versions().items():
        found = importlib.metadata.version(name)
        assert _three_parts(found) == _three_parts(lowest), f"{name} is {found}, not {lowest}"


def _three_parts(version: str) -> list[str]:
    return f"{version}.0.0".split(".")[:3]


def _answer_of_a_page(posterior) -> float:
    """The probability of "Raf -> Mek" as the server of the explorer answers a page."""
    import json
    import math
    from urllib.parse import parse_qs, urlsplit
    from urllib.request import Request, urlopen

    from orderspn.explorer.answering import Answering
    from orderspn.explorer.documents import Source
    from orderspn.explorer.running import ExplorerServer

    question = {"question": "edges", "given": [["Raf", "->", "Mek"]]}
    server = ExplorerServer.listening(Answering(posterior, Source("page", "posterior")), "page", stays=True)
    with server.in_background() as url:
        token = parse_qs(urlsplit(url).query)["token"][0]
        content = json.dumps(question).encode()
        asked = Request(url.split("?")[0] + "ask", content, {"x-orderspn-token": token})
        with urlopen(asked) as answer:
            return math.exp(json.load(answer)["log_probability"])


def tour(folder: Path) -> None:
    import polars as pl

    import orderspn as osp

    data = osp.load_sachs(log=True).data[["Raf", "Mek", "Erk", "Akt", "PKA"]]
    numbers = {"standardize": True, "rng": 0}
    posterior = osp.learn(data, **numbers)
    posterior.save(folder / "posterior.npz")
    assert osp.load(folder / "posterior.npz").log_evidence == posterior.log_evidence
    posterior.summary()
    posterior.to_html(folder / "report.html", n_samples=200)
    assert posterior.explore(browser=False).given == ""
    assert _answer_of_a_page(posterior) == posterior.probability("Raf -> Mek")
    posterior.causal_effects()
    posterior.effect_samples(50, rng=0, target="dag").interval()
    osp.metrics.expected_shd(posterior, posterior.most_probable_graph().graph)
    for settings in (
        {"method": osp.methods.Exact(target="dag")},
        {"method": osp.methods.Trust(block_size=3, n_orders=32)},
        {"method": osp.methods.Trust(block_size=3, oracle="dibs", expansion=[4])},
        {"method": osp.methods.Trust(block_size=3, oracle="random", weights="gradient")},
        {"method": osp.methods.Gadget(n_graphs=200)},
        {"method": osp.methods.DiBS(effort=0.1)},
    ):
        osp.learn(data, **numbers, **settings).edge_standard_errors()
    names = list(data.columns)
    osp.learn(pl.DataFrame({name: data[name].to_numpy() for name in names}), **numbers)
    osp.learn(pl.DataFrame({"a": ["x", "y"] * 20, "b": ["u", "u", "v", "v"] * 10}))
    osp.learn(osp.load_asia().data).interventional("dysp", {"bronc": "yes"}, n_graphs=20)
    sachs = osp.load_sachs(interventions=True, log=True)
    osp.learn(sachs.data, interventions="condition", targets=sachs.targets, standardize=True)
    osp.OrderSPN(standardize=True).fit(data)


def program(folder: Path) -> None:
    def run(*arguments: object) -> None:
        subprocess.run([sys.executable, "-m", "orderspn", *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)

    run("demo", "--output", folder)
    for command in ("edges", "map", "sample", "effects", "info"):
        for form in ([], ["--json"], ["--csv"]):
            run(command, folder / "posterior.npz", *form)
    for kind in ([], ["--edges"], ["--effects"]):
        run("plot", folder / "posterior.npz", "-o", folder / "picture.png", *kind)


if __name__ == "__main__":
    if sys.argv[1:] == ["pins"]:
        print(*(f"{name}=={version}" for name, version in lowest_versions().items()), sep="\n")
    else:
        if sys.argv[1:] != ["tour"]:
            check_versions()
        with tempfile.TemporaryDirectory() as temporary:
            tour(Path(temporary))
            program(Path(temporary))
        found = {name: importlib.metadata.version(name) for name in lowest_versions()}
        print("All is well with", ", ".join(f"{name} {version}" for name, version in found.items()))

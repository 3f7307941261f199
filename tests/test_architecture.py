"""Imports point downward only, the package is quick to import, and public names are documented."""

import ast
import inspect
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import orderspn as osp

SOURCE = Path(osp.__file__).parent

LAYERS = [
    {"_version", "kernels"},
    {"core"},
    {"checkpoints"},
    {"display"},
    {"data"},
    {"time_series", "missing"},
    {"simulate"},
    {"scores"},
    {"parents", "leaves", "checks", "climbing"},
    {"chains"},
    {"lattice", "search", "dags"},
    {"gadget", "dibs"},
    {"oracles"},
    {"circuit", "queries"},
    {"models", "knowledge"},
    {"posterior", "methods", "metrics", "user_graphs"},
    {"summary", "mixture", "solving", "comparison", "judging"},
    {"imputation", "updating", "prior_learning"},
    {"learning", "graph_search"},
    {"storage", "export", "estimator", "warming", "design"},
    {"plot"},
    {"explorer", "experiments"},
    {"cli"},
    {"__main__"},
]
"""From the bottom up; a part may import itself and parts below, never beside or above."""

DELEGATED = {
    ("posterior", "storage"),
    ("posterior", "summary"),
    ("posterior", "judging"),
    ("posterior", "explorer"),
    ("posterior", "updating"),
}
"""Methods of the face that hand over to a part above it, by an import inside the method."""


def level(part):
    return next(i for i, layer in enumerate(LAYERS) if part in layer)


@cache
def modules():
    return {
        ".".join(("orderspn", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in sorted(SOURCE.rglob("*.py"))
    }


@cache
def imported(path):
    """(module, inside a function) of every import that is executed, those for type checkers left out."""
    found = []

    def walk(node, inside):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.Import):
            found.extend((alias.name, inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                found.append((name if name in modules() else node.module, inside))
        inside = inside or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        for child in ast.iter_child_nodes(node):
            walk(child, inside)

    walk(ast.parse(path.read_text(encoding="utf-8")), False)
    return found


def part_of(module):
    return module.split(".")[1]


def edges():
    for module, path in modules().items():
        if module == "orderspn":
            continue
        for target, inside in imported(path):
            if target.startswith("orderspn.") and target in modules():
                yield module, target, inside


def test_every_part_has_a_layer():
    parts = {part_of(m) for m in modules() if m != "orderspn"}
    assert parts <= set().union(*LAYERS)


def test_imports_point_downward_only():
    upward = {
        (module, target)
        for module, target, inside in edges()
        if part_of(module) != part_of(target)
        and level(part_of(target)) >= level(part_of(module))
        and not (inside and (part_of(module), part_of(target)) in DELEGATED)
    }
    assert upward == set()


def test_delegations_are_still_needed():
    used = {
        (part_of(module), part_of(target))
        for module, target, _ in edges()
        if level(part_of(target)) >= level(part_of(module)) and part_of(module) != part_of(target)
    }
    assert used == DELEGATED


def test_the_package_itself_imports_nothing_of_its_own():
    executed = {target for target, inside in imported(SOURCE / "__init__.py") if not inside}
    assert {t for t in executed if t.startswith("orderspn")} == set()


def test_modules_do_not_import_in_circles():
    graph = {}
    for module, target, inside in edges():
        if not inside:
            graph.setdefault(module, set()).add(target)

    without_circles = set()

    def visit(module, path):
        assert module not in path, " -> ".join([*path, module])
        if module not in without_circles:
            for target in graph.get(module, ()):
                visit(target, [*path, module])
            without_circles.add(module)

    for module in graph:
        visit(module, [])


def test_nothing_imports_the_leaves_of_the_graph():
    for module, target, _ in edges():
        if part_of(target) in {"plot", "cli"}:
            drawers = {"experiments", "explorer"} if part_of(target) == "plot" else set()
            assert part_of(module) in {part_of(target), "cli", "__main__"} | drawers


def test_queries_are_written_once_for_every_model_of_orders():
    """What they ask of one is in `order_model`; how circuits and oracles do it is none of their business."""
    known = {part_of(target) for module, target, _ in edges() if part_of(module) == "queries"}
    assert known.isdisjoint({"circuit", "oracles"})


def test_scores_and_models_are_named_by_their_registries_alone():
    """Models declare their capabilities: no other module asks for their class."""
    registries = {"orderspn.scores", "orderspn.scores.registry", "orderspn.models.registry"}
    builds_on_samples = {"orderspn.models.ancestral_graphs"}
    builds_on_bge = {"orderspn.scores.bge", "orderspn.scores.group_bge", "orderspn.scores.degrees"}
    of_scores = {"orderspn.scores.bge", "orderspn.scores.group_bge", "orderspn.scores.bdeu"}
    of_models = {f"orderspn.models.{kind}_graphs" for kind in ("exact_order", "circuit", "dag", "sampled", "particle")}
    makers = {module for module in modules() if part_of(module + ".") == "methods"}
    # Experiments simulate rows by the parameters of a score, and build the same model again after them.
    simulate_rows = {module for module in modules() if part_of(module + ".") in ("design", "updating")}
    users = {module for module, target, _ in edges() if target in of_scores | of_models}
    assert users <= registries | makers | builds_on_bge | builds_on_samples | simulate_rows


def test_nobody_looks_inside_a_posterior():
    for module, path in modules().items():
        if part_of(module + ".") != "posterior":
            assert "._model" not in path.read_text(encoding="utf-8"), module


def test_oracles_do_not_know_each_other():
    """But for the registry, and the default, which is made of two of them."""
    oracles = {"enumeration", "random_partitions", "order_mcmc", "gadget", "dibs"}
    for module, target, _ in edges():
        if module in {f"orderspn.oracles.{name}" for name in oracles}:
            assert target not in {f"orderspn.oracles.{name}" for name in oracles}


@pytest.mark.parametrize(
    "below",
    [
        *("core", "data", "metrics", "simulate", "scores", "parents", "leaves", "chains", "lattice", "search"),
        *("dags", "gadget", "dibs", "oracles", "circuit"),
    ],
)
def test_optional_and_heavy_libraries_stay_above(below):
    for module, path in modules().items():
        if module != "orderspn" and part_of(module) == below:
            loaded = {target.split(".")[0] for target, inside in imported(path) if not inside}
            assert loaded.isdisjoint({"pandas", "matplotlib", "networkx", "jax", "click", "rich", "polars"})


def loaded_after(statement):
    code = f"import json, sys\n{statement}\nprint(json.dumps(sorted(m.split('.')[0] for m in sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout))


def test_import_loads_nothing_heavy():
    heavy = {"numba", "pandas", "matplotlib", "jax", "networkx", "polars", "scipy", "llvmlite", "numpy", "rich"}
    assert loaded_after("import orderspn; dir(orderspn)").isdisjoint(heavy)


@pytest.mark.thorough
def test_learning_loads_no_plots():
    statement = "import orderspn; orderspn.learn; orderspn.load"
    assert loaded_after(statement).isdisjoint({"matplotlib", "jax", "polars", "click", "rich"})


def test_names_of_the_package():
    assert sorted(set(osp.__all__)) == sorted(osp.__all__)
    assert set(dir(osp)) == set(osp.__all__)
    for name in osp.__all__:
        assert getattr(osp, name) is not None


@pytest.mark.parametrize("module", [name for name in osp.__all__ if inspect.ismodule(getattr(osp, name))])
def test_completion_offers_what_is_public(module):
    home = getattr(osp, module)
    assert dir(home) == sorted(home.__all__)
    assert f" {module}" in osp.__doc__  # and the map of the package names it


def test_the_map_of_the_package_names_what_there_is():
    questions = osp.__doc__.partition("What to call")[2]
    assert osp.__doc__.index(">>> ") < osp.__doc__.index("What to call")
    asked = set(re.findall(r"posterior\.(\w+)\(", questions))
    assert len(asked) > 10
    assert asked <= set(dir(osp.Posterior))
    called = set(re.findall(r"(?<![\w.])(\w+)\(", questions))
    assert {"learn", "load", "OrderSPN"} <= called <= set(osp.__all__)


def public_functions():
    """Functions of the package and public methods of its classes."""
    things = {name: getattr(osp, name) for name in osp.__all__}
    for module in (osp.experiments, osp.export, osp.metrics, osp.plot, osp.simulate):
        things |= {name: getattr(module, name) for name in module.__all__}
    for name, thing in things.items():
        if inspect.isclass(thing):
            for attribute, member in vars(thing).items():
                function = member.__func__ if isinstance(member, classmethod) else member
                if inspect.isfunction(function) and not attribute.startswith("_"):
                    yield f"{name}.{attribute}", function
        elif inspect.isfunction(thing):
            yield name, thing


def test_public_things_have_docstrings():
    for name in osp.__all__:
        thing = getattr(osp, name)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            assert inspect.getdoc(thing), name
            if inspect.isclass(thing):
                for attribute, member in vars(thing).items():
                    if isinstance(member, property) and not attribute.startswith("_"):
                        assert member.__doc__, f"{name}.{attribute}"


@pytest.mark.parametrize(("name", "function"), list(public_functions()), ids=lambda p: p if isinstance(p, str) else "")
def test_public_functions_show_an_example(name, function):
    assert ">>> " in (inspect.getdoc(function) or ""), name


@pytest.mark.parametrize("module", ["export", "metrics", "plot", "scores", "simulate"])
def test_names_of_the_modules_have_docstrings(module):
    home = getattr(osp, module)
    for name in home.__all__:
        assert inspect.getdoc(getattr(home, name)), name


PAGE = SOURCE.parents[1] / "ARCHITECTURE.md"
WITHOUT_A_ROW = {"_version", "__main__"}


def rows_of_modules():
    """The rows of the page's list of modules: part, and what it says about it."""
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("## Modules") : text.index("## A call, file by file")]
    return re.findall(r"^\| `(\w+)(?:/|\.py)` \| (.*) \|$", table, re.MULTILINE)


def test_the_list_of_modules_is_in_the_order_of_imports():
    parts = [part for part, _ in rows_of_modules()]
    levels = [level(part) for part in parts]
    assert levels == sorted(levels)
    assert sorted(parts) == sorted(set().union(*LAYERS) - WITHOUT_A_ROW)


def test_the_list_of_modules_names_every_module():
    for part, about in rows_of_modules():
        if (SOURCE / part).is_dir():
            modules_there = {path.stem for path in (SOURCE / part).glob("*.py")} - {"__init__"}
            assert modules_there - set(re.findall(r"`(\w+)`", about)) == set(), part


def test_the_walks_name_files_that_exist():
    text = PAGE.read_text(encoding="utf-8")
    walks = text[text.index("## A call, file by file") : text.index("## Notation")]
    named = re.findall(r"`([\w/]+\.py)`", walks)
    assert len(named) > 20
    assert [name for name in named if not (SOURCE / name).is_file()] == []

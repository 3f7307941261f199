"""Progress of calls: who is told, where bars are drawn, and that they leave nothing behind."""

import io
import os
import subprocess
import sys
import textwrap
import threading
import time
from types import ModuleType, SimpleNamespace

import pytest
from numba import njit

import orderspn as osp
from helpers.data import gaussian_data
from helpers.levels import parameters
from orderspn.core.workers import Workers, reporting_to
from orderspn.display import screen
from orderspn.display.bars import Bars
from orderspn.display.drawings import COMPILING, PAST_SHOWN, WORKING, BarDrawing, NamesOnly, NotebookDrawing, Work
from orderspn.display.progress import showing
from orderspn.kernels.compilation import compilation

DATA = gaussian_data(5, 20, seed=0)


QUERIES = {
    "edge_probabilities": lambda p, **k: p.edge_probabilities("X1 -> X2", **k),
    "most_probable_graph": lambda p, **k: p.most_probable_graph(**k),
    "best_graph": lambda p, **k: p.best_graph(effort=0.1, **k),
    "sample": lambda p, **k: p.sample(3, rng=0, **k),
    "causal_effects": lambda p, **k: p.causal_effects(**k),
    "estimate_effects": lambda p, **k: p.estimate_effects(5, **k),
    "effect_samples": lambda p, **k: p.effect_samples(5, rng=0, **k),
    "coverage": lambda p, **k: p.coverage(10, **k),
}


class TestWhoIsTold:
    @pytest.mark.parametrize("query", QUERIES)
    def test_a_callback_of_the_call_instead_of_the_one_of_learning(self, query):
        of_learning, of_query = [], []
        method = osp.methods.Trust(expansion=[2], block_size=3)
        posterior = osp.learn(DATA, method=method, progress=lambda *step: of_learning.append(step))
        assert of_learning
        of_learning.clear()
        QUERIES[query](posterior, progress=lambda *step: of_query.append(step))
        assert of_query
        assert not of_learning
        QUERIES[query](osp.learn(DATA, method=method, progress=lambda *step: of_learning.append(step)))
        assert of_learning  # remembered: "auto" means this callback

    @pytest.mark.parametrize("silence", [False, None])
    def test_nobody(self, silence):
        heard = []
        posterior = osp.learn(DATA, progress=lambda *step: heard.append(step))
        heard.clear()
        with reporting_to(lambda *step: heard.append(step)):
            posterior.causal_effects(progress=silence)
        assert heard == []

    def test_the_block_around_it(self):
        heard = []
        with showing(lambda *step: heard.append(step)), showing("auto"):
            osp.learn(DATA)
        assert ("scores", 5, 5) in heard

    def test_silent_workers_stay_silent(self):
        with reporting_to(lambda *step: pytest.fail("told")):
            workers = Workers()
            workers.run([lambda: None], workers.steps("rehearsal", 1))

    @pytest.mark.parametrize("wrong", ["yes", 1, [True]])
    def test_wrong_arguments(self, wrong):
        with pytest.raises(TypeError, match="progress must be True, False, 'auto' or a function"):
            osp.learn(DATA, progress=wrong)
        with pytest.raises(TypeError, match="progress must be"):
            osp.learn(DATA).sample(1, progress=wrong)


class TestWhereSomebodyIsWatching:
    @staticmethod
    def on_a_terminal(monkeypatch):
        """As outside of tests, on a terminal."""
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.delenv("PYTEST_CURRENT_TEST")
        monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)

    def test_on_a_terminal(self, monkeypatch):
        self.on_a_terminal(monkeypatch)
        assert screen.watched_screen() == "terminal"
        assert isinstance(showing("auto"), Bars)

    def test_not_in_tests(self, monkeypatch):
        self.on_a_terminal(monkeypatch)
        monkeypatch.setenv("PYTEST_CURRENT_TEST", "this one")
        assert screen.watched_screen() is None
        assert not isinstance(showing("auto"), Bars)

    def test_not_in_threads(self, monkeypatch):
        self.on_a_terminal(monkeypatch)
        found = []
        thread = threading.Thread(target=lambda: found.append(screen.watched_screen()))
        thread.start()
        thread.join()
        assert found == [None]

    @pytest.mark.parametrize("redirected", [io.StringIO(), None])
    def test_not_without_a_terminal(self, monkeypatch, redirected):
        self.on_a_terminal(monkeypatch)
        monkeypatch.setattr("sys.stderr", redirected)
        assert screen.watched_screen() is None

    def test_not_on_a_dumb_terminal(self, monkeypatch):
        self.on_a_terminal(monkeypatch)
        monkeypatch.setenv("TERM", "dumb")
        assert screen.watched_screen() is None


def drawn(drawing, works, compiling=False):
    """The visible bars: names and percentages, from above."""
    drawing.draw(works, compiling)
    visible = sorted((task for task in drawing.bars.tasks if task.visible), key=lambda task: task.fields["place"])
    return [(task.description, None if task.total is None else round(task.percentage)) for task in visible]


class TestBars:
    SCORES, ORDERS = Work("scores", 4, 4, 1.0), Work("orders", 2, 8, 2.0)

    def test_the_current_work_is_last(self):
        assert drawn(BarDrawing(), [self.SCORES, self.ORDERS]) == [("scores", 100), ("orders", 25)]

    def test_no_bar_stands_still_while_there_is_work(self):
        drawing = BarDrawing()
        assert drawn(drawing, []) == [(WORKING, None)]
        assert drawn(drawing, [self.SCORES]) == [("scores", 100), (WORKING, None)]
        assert drawn(drawing, [self.SCORES, self.ORDERS]) == [("scores", 100), ("orders", 25)]

    def test_compilation_is_named(self):
        assert drawn(BarDrawing(), [self.ORDERS], compiling=True) == [("orders", 25), (COMPILING, None)]

    def test_only_the_last_works_are_shown(self):
        works = [Work(f"round {number}", 1, 1, 0.0) for number in range(10)]
        names = [name for name, _ in drawn(BarDrawing(), [*works, self.ORDERS])]
        assert names == [*(work.name for work in works[-PAST_SHOWN:]), "orders"]

    def test_work_that_begins_again(self):
        bars = Bars(None)
        for done in (1, 2, 1):
            bars.update("scores", done, 2)
        drawing = BarDrawing()
        drawn(drawing, [Work("scores", 2, 2, 1.0)])
        assert drawn(drawing, [bars.works["scores"]]) == [("scores", 50)]
        assert not drawing.bars.tasks[1].finished

    def test_nothing_is_drawn_for_short_work(self, monkeypatch):
        monkeypatch.setattr("orderspn.display.bars.new_drawing", lambda _: pytest.fail("drawn"))
        before = threading.active_count()
        with Bars("terminal", 60.0):
            osp.learn(DATA)
        assert threading.active_count() == before

    @pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
    def test_errors_come_through_and_end_the_drawing(self, error, capsys):
        before = threading.active_count()
        with pytest.raises(error), showing(True):
            raise error
        assert threading.active_count() == before

    def test_names_where_there_is_no_screen(self, capsys):
        names = NamesOnly()
        for works in ([self.SCORES], [self.SCORES, self.ORDERS]):
            names.draw(works, compiling=False)
        assert capsys.readouterr().err == "orderspn: scores\norderspn: orders\n"

    def test_a_notebook_keeps_one_output_that_ends_empty(self, monkeypatch):
        outputs = []

        class Output:
            def update(self, content, **how):
                outputs.append((content, how))

        notebook = ModuleType("IPython.display")
        notebook.display = lambda content, display_id: outputs.append((content, {})) or Output()
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=notebook))
        monkeypatch.setitem(sys.modules, "IPython.display", notebook)
        with NotebookDrawing() as drawing:
            for _ in range(3):
                drawing.draw([self.ORDERS], compiling=False)
        assert [content for content, _ in outputs[:-1]] == [drawing.bars] * 3
        assert outputs[-1] == ({"text/plain": "", "text/html": ""}, {"raw": True})
        assert "orders" in drawing.bars._repr_mimebundle_((), ())["text/html"]


def test_compilation_is_noticed_and_cached_kernels_are_not():
    seen = []

    @njit
    def kernel(x):
        return x + 1

    thread = threading.Thread(target=kernel, args=(1,))
    thread.start()
    while thread.is_alive():
        seen.append(compilation.running)
        time.sleep(0.001)
    assert any(seen)
    assert not compilation.running
    count = compilation.count
    kernel(2)
    assert compilation.count == count


SCRIPT = """
import os, pty, sys
code = '''
import numpy as np, orderspn as osp
from orderspn.display import progress
progress.PATIENCE = {patience}
osp.learn(np.random.default_rng(0).normal(size=(50, 6)))
print("end")
'''
pty.spawn([sys.executable, "-c", code])
"""


@pytest.mark.skipif(os.name != "posix", reason="terminals are simulated otherwise there")
@pytest.mark.thorough
@pytest.mark.parametrize("patience", parameters([0.0, 60.0], test=[0.0]))
def test_nothing_is_left_on_a_terminal(patience):
    """Bars are erased, line by line; nothing at all is written for a short call."""
    env = {key: value for key, value in os.environ.items() if key != "PYTEST_CURRENT_TEST"} | {"TERM": "xterm"}
    script = textwrap.dedent(SCRIPT).format(patience=patience)
    done = subprocess.run(
        [sys.executable, "-c", script], env=env, capture_output=True, stdin=subprocess.DEVNULL, check=True
    )
    text = done.stdout.decode()
    if patience:
        assert text == "end\r\n"
    else:
        assert "\x1b[?25h" in text  # the cursor is back
        assert text.rpartition("\x1b[2K")[2] == "end\r\n"


@pytest.mark.thorough
def test_nothing_is_written_without_a_terminal():
    script = "import numpy as np, orderspn as osp\nfrom orderspn.display import progress\nprogress.PATIENCE = 0.0\n"
    script += "osp.learn(np.random.default_rng(0).normal(size=(50, 6)))"
    env = {key: value for key, value in os.environ.items() if key != "PYTEST_CURRENT_TEST"}
    done = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")

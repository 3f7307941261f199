"""The gate of benchmarks: what counts as slower, what is measured twice, and how it ends."""

import json
from types import SimpleNamespace

import pytest
from benchmarks import cases as module_of_cases
from benchmarks import check
from benchmarks.check import Verdict, exit_code, judge, ratio_of, table


def cases(*names):
    return [SimpleNamespace(name=name) for name in names]


class Meter:
    """Gives prepared ratios, and remembers who asked, with how many rounds."""

    def __init__(self, **ratios):
        self.ratios, self.asked = ratios, []

    def __call__(self, case, rounds):
        self.asked.append((case.name, rounds))
        found = self.ratios[case.name]
        return found.pop(0) if isinstance(found, list) else found


@pytest.mark.parametrize(
    ("ratio", "passes"), [(10.0, True), (20.0, True), (8.01, True), (8.0, True), (7.99, False), (1.0, False)]
)
def test_a_quarter_more_time_is_the_limit(ratio, passes):
    """Recorded as 10 times faster than NumPy: 8 times is the same work in 125% of the time."""
    verdict = Verdict("a", ratio, 10.0)
    assert verdict.passes == passes
    assert verdict.slower == (not passes)
    assert verdict.change == pytest.approx(10.0 / ratio - 1.0)


def test_every_case_is_measured_once_where_all_is_well():
    meter = Meter(a=10.0, b=5.0)
    verdicts = judge(cases("a", "b"), {"a": 10.0, "b": 4.0}, meter)
    assert meter.asked == [("a", check.ROUNDS), ("b", check.ROUNDS)]
    assert exit_code(verdicts) == 0


def test_noise_is_measured_again_before_it_fails():
    meter = Meter(a=[5.0, 9.5], b=4.0)
    verdicts = judge(cases("a", "b"), {"a": 10.0, "b": 4.0}, meter)
    assert meter.asked == [("a", check.ROUNDS), ("a", check.MORE_ROUNDS), ("b", check.ROUNDS)]
    assert verdicts[0].ratio == 9.5
    assert exit_code(verdicts) == 0


def test_what_is_slower_twice_fails():
    meter = Meter(a=[5.0, 5.1], b=4.0)
    verdicts = judge(cases("a", "b"), {"a": 10.0, "b": 4.0}, meter)
    assert len(meter.asked) == 3
    assert exit_code(verdicts) == 1
    assert "SLOWER" in table(verdicts).splitlines()[1]
    assert table(verdicts).splitlines()[2].endswith("ok")


def test_a_new_case_must_be_recorded():
    meter = Meter(a=10.0, new=3.0)
    verdicts = judge(cases("a", "new"), {"a": 10.0}, meter)
    assert [verdict.passes for verdict in verdicts] == [True, False]
    assert exit_code(verdicts) == 1
    assert "not recorded" in table(verdicts)
    assert meter.asked[-1] == ("new", check.ROUNDS)


def test_a_case_that_is_gone_is_told():
    verdicts = judge(cases("a"), {"a": 10.0, "gone": 3.0}, Meter(a=10.0))
    assert [verdict.name for verdict in verdicts] == ["a", "gone"]
    assert exit_code(verdicts) == 1
    assert "no longer a case" in table(verdicts)


@pytest.fixture
def small(monkeypatch, tmp_path):
    """The program with its own file of ratios, prepared ones instead of measured ones, and two cases."""
    monkeypatch.setattr(check, "RATIOS", tmp_path / "ratios.json")
    monkeypatch.setattr(module_of_cases, "CHECKED", cases("a", "b"))
    meter = Meter(a=10.0, b=5.0)
    monkeypatch.setattr(check, "told", meter)
    return meter


def test_the_program_records_and_then_compares(small, capsys):
    assert check.main(["--record"]) == 0
    assert json.loads(check.RATIOS.read_text(encoding="utf-8"))["ratios"] == {"a": 10.0, "b": 5.0}
    assert check.main([]) == 0
    small.ratios["b"] = 3.9
    capsys.readouterr()
    assert check.main([]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[1].split() == ["a", "10.0x", "10.0x", "+0%", "ok"]
    assert shown[2].split()[:4] == ["b", "5.0x", "3.9x", "+28%"]


def test_the_recorded_cases_are_those_that_are_checked():
    recorded = json.loads(check.RATIOS.read_text(encoding="utf-8"))["ratios"]
    assert list(recorded) == [case.name for case in module_of_cases.CHECKED]
    assert min(recorded.values()) > 1.0
    assert all(case.settings.get("n_jobs") == 1 for case in module_of_cases.CHECKED)


def test_a_ratio_is_that_of_times(monkeypatch):
    """With a clock that counts calls: the work takes 1 tick, its reference 3."""
    clock = SimpleNamespace(now=0.0)

    def taking(ticks):
        def run(*_):
            clock.now += ticks
            return module_of_cases.np.ones(1)

        return run

    monkeypatch.setattr("time.perf_counter", lambda: clock.now)
    problem = SimpleNamespace(lattice=lambda: None)
    monkeypatch.setattr(module_of_cases.Problem, "make", lambda *_: problem)
    case = module_of_cases.Case("a", 1.0, 3, {}, taking(1.0), taking(3.0))
    assert ratio_of(case, 2) == 3.0


def test_a_wrong_answer_has_no_ratio(monkeypatch):
    ones, zeros = module_of_cases.np.ones(1), module_of_cases.np.zeros(1)
    monkeypatch.setattr(module_of_cases.Problem, "make", lambda *_: SimpleNamespace(lattice=lambda: None))
    case = module_of_cases.Case("a", 1.0, 3, {}, lambda _: ones, lambda *_: zeros)
    with pytest.raises(SystemExit, match="differs from its reference by 1"):
        ratio_of(case, 2)

"""Finished parts in a folder: kept whole, found again, refused or computed again if they are not what they were."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from orderspn._version import __version__
from orderspn.checkpoints import checkpoint as module
from orderspn.checkpoints.checkpoint import NOT_KEPT, QUESTION, Checkpoint
from orderspn.checkpoints.part import Part, apart, in_a_row, read_part, write_part
from orderspn.core.errors import InvalidType, InvalidValue, UnreadableFile, UnwritableFile

MINE = {"data": "d" * 64, "method": {"name": "trust", "effort": 1.0}, "rng": [0]}


@pytest.fixture
def kept(tmp_path):
    return Checkpoint.in_folder(tmp_path / "parts").belonging_to(MINE)


def again(kept, question=MINE):
    return Checkpoint.in_folder(kept.folder).belonging_to(question)


def some_part():
    return Part({"draws": np.arange(6).reshape(2, 3), "scores": np.array([-1.5, -np.inf])}, {"rng": {"state": 2**127}})


def same(one, other):
    assert one.values == other.values
    assert set(one.arrays) == set(other.arrays)
    for name, array in one.arrays.items():
        assert array.dtype == other.arrays[name].dtype
        np.testing.assert_array_equal(array, other.arrays[name])


class TestParts:
    def test_what_is_kept_is_found_by_the_next_process(self, kept):
        kept.keep("round 1", some_part())
        same(again(kept).found("round 1"), some_part())
        assert again(kept).found("round 2") is None

    def test_it_is_computed_once(self, kept):
        computed = []
        for _ in range(3):
            same(kept.part("round 1", lambda: computed.append(1) or some_part()), some_part())
        assert len(computed) == 1

    def test_work_within_work(self, kept):
        inner = kept.within("chain 1").within("step 0")
        inner.keep("burn-in", some_part())
        same(again(kept).within("chain 1").within("step 0").found("burn-in"), some_part())
        assert again(kept).within("chain 2").found("burn-in") is None
        assert kept.found("burn-in") is None

    @given(arrays.arrays(st.sampled_from(["<f8", "<i8", "?"]), arrays.array_shapes(max_side=4)))
    def test_any_array(self, tmp_path_factory, array):
        path = tmp_path_factory.mktemp("parts") / "one.part"
        write_part(path, Part({"a": array}), {})
        assert read_part(path)[0].arrays["a"].tobytes() == array.tobytes()

    @given(st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=5))
    def test_lists_of_different_lengths(self, lists):
        assert [own.tolist() for own in apart(*in_a_row([np.array(own, dtype=np.int64) for own in lists]))] == lists

    def test_unfinished_work_is_kept_at_times(self, kept, monkeypatch):
        moment = [100.0]
        monkeypatch.setattr(module.time, "monotonic", lambda: moment[0])

        def keeps(finished=False):
            asked = []
            kept.keep_at_times("walk", lambda: asked.append(1) or some_part(), finished)
            return bool(asked)

        assert keeps()
        assert not keeps()
        moment[0] += module.SECONDS_APART + 0.1
        assert keeps()
        assert keeps(finished=True)

    def test_nothing_is_kept_without_a_folder(self):
        assert NOT_KEPT.part("round 1", some_part) is not None
        assert NOT_KEPT.within("chain 1").belonging_to(MINE).found("round 1") is None
        assert not NOT_KEPT.is_on


class TestDamage:
    @pytest.mark.parametrize("place", [0, 63, 64, 100, -1])
    @pytest.mark.parametrize("how", ["a bit", "cut"])
    def test_a_damaged_part_is_computed_again(self, kept, place, how):
        kept.keep("round 1", some_part())
        (path,) = kept.folder.glob("*.part")
        content = bytearray(path.read_bytes())
        content[place] ^= 1
        path.write_bytes(content if how == "a bit" else content[:place])
        with pytest.warns(UserWarning, match=r"part 'round 1' of the checkpoint is damaged .* computed again"):
            same(kept.part("round 1", some_part), some_part())
        same(kept.found("round 1"), some_part())

    def test_a_file_of_another_part_is_refused(self, kept):
        kept.keep("round 1", some_part())
        kept.folder.joinpath("round-1.part").rename(kept.folder / "round-2.part")
        with pytest.raises(InvalidValue, match="belongs to another checkpoint"):
            kept.found("round 2")

    def test_and_one_of_another_question(self, kept):
        kept.keep("round 1", some_part())
        kept.folder.joinpath(QUESTION).unlink()
        with pytest.raises(InvalidValue, match="belongs to another checkpoint"):
            again(kept, {**MINE, "rng": [1]}).found("round 1")

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"a": NaN}'])
    def test_a_folder_that_cannot_say_what_it_belongs_to(self, kept, text):
        kept.folder.joinpath(QUESTION).write_text(text, encoding="utf-8")
        with pytest.raises(UnreadableFile, match="Pass another folder"):
            again(kept)


class TestQuestions:
    @pytest.mark.parametrize(
        ("changed", "told"),
        [
            ({"rng": [1]}, "rng: [0] there, [1] here"),
            ({"method": {"name": "trust", "effort": 2.0}}, '"effort": 1.0} there'),
            ({"data": "e" * 64}, "data: "),
            ({"context": ["age"]}, 'context: null there, ["age"] here'),
        ],
    )
    def test_a_folder_of_another_one_is_refused(self, kept, changed, told):
        with pytest.raises(InvalidValue, match=re.escape(told)) as caught:
            again(kept, {**MINE, **changed})
        assert "another folder" in str(caught.value)
        assert str(kept.folder) in str(caught.value)

    def test_also_one_of_another_version(self, kept, monkeypatch):
        monkeypatch.setattr(module, "__version__", "99.0")
        with pytest.raises(InvalidValue, match=re.escape(f'version: "{__version__}" there, "99.0" here')):
            again(kept)

    def test_people_can_read_it(self, kept):
        assert json.loads(kept.folder.joinpath(QUESTION).read_text(encoding="utf-8"))["method"] == MINE["method"]

    def test_a_file_is_no_folder(self, tmp_path):
        (tmp_path / "file").write_text("", encoding="utf-8")
        with pytest.raises(UnwritableFile):
            Checkpoint.in_folder(tmp_path / "file").belonging_to(MINE)

    def test_a_number_is_no_path(self):
        with pytest.raises(InvalidType, match="path of a folder"):
            Checkpoint.in_folder(3)

"""The table of penguins: what is in it, and that it is read as it comes."""

import pytest

import orderspn as osp


@pytest.fixture(scope="module")
def penguins():
    return osp.load_penguins()


def test_as_it_is(penguins):
    assert penguins.data.shape == (344, 8)
    assert list(penguins.descriptions) == list(penguins.data.columns)
    assert penguins.data["species"].value_counts().to_dict() == {"Adelie": 152, "Gentoo": 124, "Chinstrap": 68}
    assert penguins.data["body_mass_g"].sum() == 1437000
    assert repr(penguins) == "<Penguins: .data of 344 rows and 8 columns, 19 values missing>"


def test_missing_values(penguins):
    missing = penguins.data.isna()
    assert missing.sum().loc[lambda count: count > 0].to_dict() == {
        "bill_length_mm": 2,
        "bill_depth_mm": 2,
        "flipper_length_mm": 2,
        "body_mass_g": 2,
        "sex": 11,
    }
    assert missing.any(axis=1).sum() == 11


def test_each_call_has_a_table_of_its_own(penguins):
    changed = osp.load_penguins()
    changed.data["year"] = 0
    changed.descriptions.clear()
    assert osp.load_penguins().data.equals(penguins.data)
    assert osp.load_penguins().descriptions == penguins.descriptions


def test_learned_as_it_comes(penguins):
    posterior = osp.learn(
        penguins.data,
        context=["species", "island", "sex", "year"],
        kinds={"year": "category"},
        imputations=4,
        n_jobs=1,
    )
    assert posterior.settings["missing"]["cells"] == 19
    edges = posterior.edge_probabilities()
    assert edges.loc[["species", "sex"], "body_mass_g"].min() > 0.99
    assert edges.loc["island", "body_mass_g"] < 0.05

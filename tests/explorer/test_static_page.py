"""The page as one file: nothing is fetched, names cannot become programs, and the same seed gives the same bytes."""

import base64
import hashlib
import html
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import orderspn as osp
from helpers.data import gaussian_data
from helpers.exploring import unpacked
from orderspn.data.dataset import read_table
from orderspn.explorer.page import page, policy
from reference.explorer_draws import graphs_of, places_of

HOSTILE = [
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!-- ' &amp; \\",
    "größe\nzwei 🦋\u2028",
]


class Elements(HTMLParser):
    """Elements of a page with their attributes and texts."""

    def __init__(self, text):
        super().__init__()
        self.found, self._open = [], False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found.append([tag, dict(attributes), ""])
        self._open = True

    def handle_endtag(self, _):
        self._open = False

    def handle_data(self, data):
        if self._open:
            self.found[-1][2] += data

    def named(self, tag):
        return [(attributes, text) for name, attributes, text in self.found if name == tag]


@pytest.fixture(scope="module")
def hostile():
    return osp.learn(read_table(gaussian_data(4, 60, seed=3), HOSTILE), rng=0)


@pytest.fixture(scope="module")
def text(posterior, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    posterior.to_html(path, n_samples=300)
    return path.read_text(encoding="utf-8")


def data_of(text):
    (block,) = [content for attributes, content in Elements(text).named("script") if attributes.get("id")]
    return json.loads(block)


class TestOneFile:
    def test_nothing_is_fetched(self, text):
        elements = Elements(text)
        assert {name for name, _, _ in elements.found} <= {
            *("html", "head", "meta", "link", "title", "body", "noscript", "script"),
        }
        for _, attributes, _ in elements.found:
            for name in ("src", "href"):
                assert (attributes.get(name) or "data:").startswith("data:")
        program = elements.named("script")[-1][1]
        assert not re.search(r"\bimport\s*[\(\"']|import\(|importScripts|new Worker", program)
        addresses = set(re.findall(r"https?://[^\s\"'`)]+", text))
        names_of_languages = {"http://www.w3.org"}
        assert {"/".join(address.split("/")[:3]) for address in addresses} <= names_of_languages

    def test_the_policy_allows_its_program_and_nothing_else(self, text):
        elements = Elements(text)
        (content,) = [
            a["content"] for a, _ in elements.named("meta") if a.get("http-equiv") == "Content-Security-Policy"
        ]
        (program,) = [body for attributes, body in elements.named("script") if attributes == {"type": "module"}]
        digest = base64.b64encode(hashlib.sha256(program.encode()).digest()).decode()
        parts = dict(part.split(" ", 1) for part in content.split("; "))
        assert parts["script-src"] == f"'sha256-{digest}'"
        assert parts["default-src"] == parts["connect-src"] == parts["style-src"] == "'none'"
        assert "unsafe" not in content
        assert "connect-src 'self'" in policy(served=True)

    def test_a_served_page_has_no_data(self):
        elements = Elements(page("title"))
        assert [attributes for attributes, _ in elements.named("script")] == [{"type": "module"}]


class TestData:
    def test_answers_before_evidence_are_exact(self, posterior, text):
        data = data_of(text)
        assert unpacked(data["start"]["edges"], 5).tobytes() == posterior.edge_probabilities().to_numpy().tobytes()
        ancestors = posterior.ancestor_probabilities().to_numpy()
        assert unpacked(data["ancestry"]["ancestors"], 5).tobytes() == ancestors.tobytes()
        assert {tuple(edge) for edge in data["best"]["edges"]} == set(posterior.most_probable_graph().edges.present)
        effects = posterior.effects_frame(n_samples=1000)
        assert [row["mean"] for row in data["effects"]] == effects["mean"].tolist()
        assert set(data["parents"]) == set("ABCDE")

    def test_draws_are_those_of_the_posterior(self, posterior, text):
        samples = posterior.sample(300, rng=0)
        draws = data_of(text)["draws"]
        np.testing.assert_array_equal(graphs_of(draws, 5), samples.adjacency)
        np.testing.assert_array_equal(np.argsort(places_of(draws, 5), axis=1), samples.orders)

    def test_effects_of_many_variables_are_left_out(self, hundred):
        from orderspn.explorer.static_page import _effects

        assert _effects(hundred) is None


class TestNames:
    def test_no_name_ends_its_element(self, hostile, tmp_path):
        hostile.to_html(tmp_path / "report.html", n_samples=100, title=HOSTILE[0])
        text = (tmp_path / "report.html").read_text(encoding="utf-8")
        elements = Elements(text)
        assert len(elements.named("script")) == 2
        assert elements.named("img") == []
        assert data_of(text)["start"]["names"] == HOSTILE
        assert elements.named("title")[0][1] == HOSTILE[0]
        assert text.count("<!--") == text.count("-->") == 0
        assert html.escape(HOSTILE[0]) in text

    def test_every_kind_of_letter_comes_back(self):
        everything = "".join(map(chr, range(1, 0x250))) + "\u2028\u2029\ufeff🦋"
        assert data_of(page("title", {"x": everything})) == {"x": everything}


class TestWriting:
    def test_the_same_seed_gives_the_same_bytes(self, posterior, tmp_path):
        for name, seed in (("a", 5), ("b", 5), ("c", 6)):
            posterior.to_html(tmp_path / name, n_samples=200, rng=seed, title="title")
        a, b, c = ((tmp_path / name).read_bytes() for name in "abc")
        assert a == b
        assert a != c

    def test_the_title_is_the_name_of_the_file(self, posterior, tmp_path):
        posterior.to_html(tmp_path / "my report.html", n_samples=100)
        assert "<title>my report</title>" in (tmp_path / "my report.html").read_text(encoding="utf-8")

    @pytest.mark.parametrize("n_samples", [99, 100_001, 0, -1, 2.5, "many", None, True])
    def test_wrong_numbers_of_draws(self, posterior, tmp_path, n_samples):
        with pytest.raises((ValueError, TypeError), match="n_samples must be"):
            posterior.to_html(tmp_path / "report.html", n_samples=n_samples)
        assert list(tmp_path.iterdir()) == []

    def test_an_old_file_is_replaced_whole_or_not_at_all(self, posterior, tmp_path, monkeypatch):
        path = tmp_path / "report.html"
        path.write_text("old")
        monkeypatch.setattr("pathlib.Path.write_text", _full_disk)
        with pytest.raises(OSError, match="No space"):
            posterior.to_html(path, n_samples=100)
        monkeypatch.undo()
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]
        posterior.to_html(path, n_samples=100)
        assert path.read_text(encoding="utf-8").startswith("<!doctype html>")

    def test_a_folder_that_is_not_there(self, posterior, tmp_path):
        with pytest.raises(OSError, match="nowhere"):
            posterior.to_html(tmp_path / "nowhere" / "report.html", n_samples=100)


def _full_disk(path, *_, **__):
    with open(path, "w") as file:
        file.write("half")
    raise OSError(28, "No space left on device")

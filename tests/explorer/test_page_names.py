"""Names that would be programs, quotes or arrows elsewhere are texts on the page, and evidence about them is right."""

import pytest

import orderspn as osp
from helpers.data import gaussian_data
from helpers.exploring import served
from helpers.pages import check_numbers
from orderspn.data.dataset import read_table

pytestmark = pytest.mark.thorough

NAMES = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    'it\'s "quoted" \\ back',
    "a, b; c -> d",
    "🦋 é",
    "<",
    "__proto__",
]


@pytest.fixture(scope="module")
def hostile():
    return osp.learn(read_table(gaussian_data(7, 80, seed=3), NAMES), rng=0)


@pytest.fixture(scope="module")
def pages(hostile, tmp_path_factory):
    """The addresses of a live page and of a report."""
    path = tmp_path_factory.mktemp("names") / "report.html"
    hostile.to_html(path, n_samples=1000, title=NAMES[0])
    with served(hostile, title=NAMES[0]) as server:
        yield {"live": server.url, "report": path.as_uri()}


@pytest.mark.parametrize("kind", ["live", "report"])
def test_names_are_texts(visit, pages, hostile, kind):
    page = visit(pages[kind])
    assert page.title() == NAMES[0]
    assert page.inner_text("h1") == NAMES[0]
    assert page.locator("script").count() == {"live": 1, "report": 2}[kind]  # also those within the shadow root
    assert page.locator("img, iframe").count() == 0
    for v in range(len(NAMES)):
        page.locator(f'[data-variable="{v}"]').dispatch_event("click")
        assert page.text_content(".panel h2") == NAMES[v]
    for cause, effect in ((0, 1), (2, 3), (4, 5), (6, 0)):
        page.locator(f'[data-row="{cause},{effect}"] td button').first.click()
        page.press_state(cause, effect, "absent")
        evidence = osp.Edges(absent=[(NAMES[cause], NAMES[effect])])
        assert osp.Edges.parse(page.given) == evidence
        if kind == "live":
            check_numbers(page, hostile)
        page.reload()
        page.wait_for_selector(".statements li")
        page.settle()
        assert osp.Edges.parse(page.given) == evidence
        assert page.evidence == [f"{NAMES[cause]} does not cause {NAMES[effect]}"]
        page.press_state(cause, effect, "free")
    for tab in ("whole", "best", "judge", "selected"):
        page.click(f"[data-tab={tab}]")
        page.wait_for_timeout(50)


def test_a_path_between_them(visit, pages, hostile):
    page = visit(pages["live"])
    matrix = hostile.edge_probabilities().to_numpy()
    a, b = divmod(int(matrix.argmax()), len(NAMES))
    page.locator(f'[data-row="{a},{b}"] td button').first.click()
    page.wait_for_selector("caption:has-text('Paths')")
    assert page.locator("table:has(caption:has-text('Paths')) tbody td").first.text_content() in {
        " → ".join(path) for path in hostile.paths(NAMES[a], NAMES[b], top=8, n_samples=1000)["path"]
    }

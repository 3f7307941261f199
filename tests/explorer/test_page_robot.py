"""Somebody who clicks anywhere: no error, and at the end the numbers are those of Python."""

import random

import pytest

from helpers.pages import check_numbers

pytestmark = pytest.mark.thorough

ACTIONS = {"quick": 150, "test": 150, "all": 1000}
KEYS = ["p", "a", "f", "Shift+P", "e", "m", "Enter", "Escape", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Tab"]
KEYS += ["Control+z", "Control+Shift+z", "?", "/"]
BUTTONS = "button:visible:not(:disabled), summary:visible"
LEFT_ALONE = ("Edges as", "View as", "Graph as", "Copy the")


class Robot:
    """Does something at random."""

    def __init__(self, page, rng):
        self.page, self.rng, self.done = page, rng, []

    def one_of(self, selector):
        found = self.page.locator(selector)
        count = found.count()
        return found.nth(self.rng.randrange(count)) if count else None

    def act(self):
        way = self.rng.choice([self.node, self.pair, self.button, self.table, self.key, self.slider, self.menu])
        self.done.append(way.__name__)
        way()

    def node(self):
        self.one_of(".node").dispatch_event("click")

    def menu(self):
        self.one_of(".node").dispatch_event("contextmenu")

    def pair(self):
        found = self.one_of(".pair")
        if found:
            found.dispatch_event("click")

    def button(self):
        found = self.one_of(BUTTONS)
        if found and not found.text_content().startswith(LEFT_ALONE):
            found.dispatch_event("click")

    def table(self):
        found = self.one_of("select:visible:not(:disabled)")
        if found:
            options = found.locator("option").count()
            found.select_option(index=self.rng.randrange(options))

    def key(self):
        self.page.keyboard.press(self.rng.choice(KEYS))

    def slider(self):
        self.page.locator("input[type=range]").fill(str(self.rng.randrange(101) / 100))


@pytest.mark.parametrize("seed", [0])
def test_whatever_is_clicked(visit, server, posterior, level, seed):
    page = visit(server.url)
    robot = Robot(page, random.Random(seed))
    for _ in range(ACTIONS[level]):
        robot.act()
        assert page.complaints == [], robot.done[-10:]
    if page.locator("dialog[open]").count():
        page.keyboard.press("Escape")
    page.click("[data-tab=table]")
    page.fill(".filter input", "")
    page.settle()
    page.wait_for_timeout(500)
    check_numbers(page, posterior)

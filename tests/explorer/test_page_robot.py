"""Somebody who clicks anywhere: no error, and at the end the numbers are those of Python."""

import os
import random

import pytest

from helpers.pages import check_numbers

pytestmark = pytest.mark.thorough

ACTIONS = {"quick": 150, "test": 150, "all": 1000}
KEYS = ["p", "a", "f", "Shift+P", "e", "m", "Enter", "Escape", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Tab"]
KEYS += ["Control+z", "Control+Shift+z", "?", "/"]

# In one go, because an answer that arrives meanwhile may take elements away.
CLICK = """([selector, share, kind]) => {
  const found = [...document.querySelector("#orderspn").shadowRoot.querySelectorAll(selector)]
    .filter((element) => !element.disabled && element.checkVisibility() && !/ as |Copy/.test(element.textContent));
  const element = found[Math.floor(share * found.length)];
  element?.dispatchEvent(new MouseEvent(kind, { bubbles: true, composed: true, cancelable: true }));
}"""
CHOOSE = """([selector, share, other]) => {
  const found = [...document.querySelector("#orderspn").shadowRoot.querySelectorAll(selector)]
    .filter((element) => !element.disabled && element.checkVisibility());
  const element = found[Math.floor(share * found.length)];
  if (!element) return;
  element.selectedIndex = Math.floor(other * element.options.length);
  element.dispatchEvent(new Event("change", { bubbles: true }));
}"""


class Robot:
    """Does something at random."""

    def __init__(self, page, rng):
        self.page, self.rng, self.done = page, rng, []

    def act(self):
        way = self.rng.choice([self.node, self.pair, self.button, self.select, self.key, self.slider, self.menu])
        self.done.append(way.__name__)
        way()

    def click(self, selector, kind="click"):
        self.page.evaluate(CLICK, [selector, self.rng.random(), kind])

    def node(self):
        self.click(".node")

    def menu(self):
        self.click(".node", "contextmenu")

    def pair(self):
        self.click(".pair")

    def button(self):
        self.click("button, summary")

    def select(self):
        self.page.evaluate(CHOOSE, ["select", self.rng.random(), self.rng.random()])

    def key(self):
        self.page.keyboard.press(self.rng.choice(KEYS))

    def slider(self):
        self.page.locator("input[type=range]").fill(str(self.rng.randrange(101) / 100))


def test_whatever_is_clicked(visit, server, posterior, level):
    page = visit(server.url)
    robot = Robot(page, random.Random(int(os.environ.get("ORDERSPN_ROBOT_SEED", "0"))))
    for _ in range(ACTIONS[level]):
        robot.act()
        assert page.complaints == [], robot.done[-10:]
    page.settle()
    if page.locator("dialog").count():  # it opens a moment after its key
        page.wait_for_selector("dialog[open]")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
    page.click("[data-tab=moved]")
    if page.locator(".drawn select").count():
        page.select_option(".drawn select", "start")  # the table leaves out what was improbable before
    page.click("[data-tab=table]")
    page.fill(".filter input", "")
    page.settle()
    page.wait_for_timeout(500)
    check_numbers(page, posterior)
    assert len(set(robot.done)) == 7

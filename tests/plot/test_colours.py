"""Colours differ for all eyes."""

import itertools

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from orderspn.experiments.methods import METHODS
from orderspn.plot.colours import FORBIDDEN, IN_REFERENCE, KNOWN, NOT_IN_REFERENCE, PLAIN, SERIES

# Machado, Oliveira and Fernandes (2009), complete dichromacy, on linear RGB.
EYES = {
    "trichromat": np.eye(3),
    "protanope": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranope": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}
TO_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
WHITE = np.array([0.95047, 1.0, 1.08883])


def lab(colour, eye):
    """A colour in CIELAB, as an eye sees it."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(TO_XYZ @ np.clip(eye @ linear, 0.0, 1.0) / WHITE)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eye", EYES)
@pytest.mark.parametrize("colours", [SERIES, (IN_REFERENCE, NOT_IN_REFERENCE), (PLAIN, FORBIDDEN), (FORBIDDEN, KNOWN)])
def test_colours_of_a_picture_are_far_apart(eye, colours):
    seen = [lab(colour, EYES[eye]) for colour in colours]
    assert min(np.linalg.norm(one - other) for one, other in itertools.combinations(seen, 2)) > 20


@pytest.mark.parametrize("colour", [*SERIES, *(method.colour for method in METHODS.values())])
def test_nothing_is_green(colour):
    red, green, blue = to_rgb(colour)
    assert green <= max(red, blue)

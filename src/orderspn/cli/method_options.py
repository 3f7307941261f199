"""Options of the methods of learning, and the method that they describe."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from orderspn.cli.options import POSITIVE, factors, number_or_auto
from orderspn.core.errors import UserError

if TYPE_CHECKING:
    from orderspn.methods import Auto, Method

Command = TypeVar("Command", bound=Callable[..., Any])

OPTIONS: dict[str, dict[str, Any]] = {
    "target": {
        "type": click.Choice(["order", "dag"]),
        "help": "For auto, exact: whether a graph counts once for each of its orders, or once [default: order].",
    },
    "n-orders": {"type": POSITIVE, "help": "For trust: orders to sample [default: up to 1024]."},
    "oracle": {
        "help": "For trust: grow with auto, enumeration, random, order-mcmc, gadget or dibs [default: sample orders]."
    },
    "expansion": {
        "type": factors,
        "metavar": "K1,K2,...",
        "help": "For trust with an oracle: partitions per sum node, layer by layer [default: 64,4,...].",
    },
    "block-size": {"type": POSITIVE, "help": "For trust: variables of an exact block [default: up to 11]."},
    "weights": {
        "help": "For trust: elbo, gradient, sampled or uniform [default: sampled]; for dibs: uniform or score."
    },
    "n-graphs": {"type": POSITIVE, "help": "For gadget: graphs to sample [default: up to 10000]."},
    "n-chains": {"type": POSITIVE, "help": "For gadget: chains of each run [default: 16]."},
    "n-particles": {"type": POSITIVE, "help": "For dibs: particles [default: 30]."},
    "outsiders": {
        "type": number_or_auto,
        "metavar": "0|1|2|auto",
        "help": "Parents at once from outside the candidates [default: 1 for trust and gadget, 0 for exact].",
    },
    "refine": {
        "type": click.IntRange(min=0),
        "help": "For all but exact: rounds of choosing candidates again [default: 4].",
    },
    "effort": {"type": float, "help": "For all but exact: length of the search, as a multiple of the usual."},
}

SETTINGS = {option: option.replace("-", "_") for option in OPTIONS}
"""Settings of methods by the options that stand for them."""


def method_options(command: Command) -> Command:
    """Add the name of a method, and the settings of all of them."""
    for option in reversed(OPTIONS):
        command = click.option(f"--{option}", SETTINGS[option], **OPTIONS[option])(command)
    return click.option(
        "--method",
        default="auto",
        show_default=True,
        help="auto, exact, trust (an OrderSPN), gadget (samples) or dibs (particles).",
    )(command)


def split_method(options: Mapping[str, Any]) -> tuple[Method | Auto, dict[str, Any]]:
    """The method that options describe, and all other options."""
    from orderspn.methods import METHODS, as_method

    rest = dict(options)
    name = rest.pop("method")
    given = {option: value for option in OPTIONS if (value := rest.pop(SETTINGS[option])) is not None}
    usual = as_method(name)
    for option in given:
        if SETTINGS[option] not in usual.get_params():
            owners = [known for known, kind in METHODS.items() if SETTINGS[option] in kind.__dataclass_fields__]
            named = " or ".join(f"--method {owner}" for owner in owners)
            raise UserError(f"--{option} belongs to {named}; got --method {name}.")
    return usual.with_settings(**{SETTINGS[option]: value for option, value in given.items()}), rest

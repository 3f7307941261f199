"""Draws of graphs for a page without a server: for each edge a set of draws as bits, and the orders of variables."""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

from orderspn.queries.sampling import GraphSamples, places_in


def draws_document(samples: GraphSamples, with_orders: bool) -> dict[str, Any]:
    """Return draws as a document.

    Parameters
    ----------
    samples : GraphSamples
        n draws of graphs of d variables.
    with_orders : bool
        Whether orders are part of the posterior, so that they can be asked about.

    Returns
    -------
    dict
        `n`; `pairs`, the numbers `cause * d + effect` of the e edges that occur; `bits`, (e, ceil(n / 8)) bytes in
        which the lowest bit of the first byte is the first draw; and `places`, (n, d) numbers of 16 bits or None.
        Arrays are base64 of zlib.
    """
    flat = samples.adjacency.reshape(len(samples.adjacency), -1)  # (n, d * d)
    pairs = np.flatnonzero(flat.any(axis=0))
    bits = np.packbits(flat[:, pairs].T, axis=1, bitorder="little")  # (e, ceil(n / 8))
    places = places_in(samples.orders).astype("<u2") if with_orders else None  # (n, d)
    return {
        "n": len(flat),
        "pairs": pairs.tolist(),
        "bits": _compressed(bits),
        "places": None if places is None else _compressed(places),
    }


def _compressed(array: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), level=9)).decode("ascii")

"""JSON from unknown sources: a value, or a ValueError with the reason."""

import sys

import pytest

from orderspn.core.checksum import sha256_of_bytes, sha256_of_json
from orderspn.core.json_text import DEEPEST, LONGEST_INTEGER, read_json

REFUSED = {
    "deep lists": ("[" * 100_000 + "]" * 100_000, "nested deeper than 100 levels"),
    "deep objects": ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested deeper than 100 levels"),
    "one level too many": ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), "nested deeper than 100 levels"),
    "not UTF-8": (b'{"a": "\xff"}', "not UTF-8 text: invalid start byte at byte 7"),
    "cut off": (b'{"a": ', "not JSON: .*char 6"),
    "empty": ("", "not JSON"),
    "two documents": ("{} {}", "not JSON: Extra data"),
    "NaN": ('{"a": NaN}', "NaN, which is no finite number"),
    "infinity": ("-Infinity", "-Infinity, which is no finite number"),
    "an overflow": ("[1e999]", "1e999, which is no finite number"),
    "a long integer": ("9" * (LONGEST_INTEGER + 1), "integer of 301 digits: 9999999999\\.\\.\\."),
    "a key twice": ('{"b": {"a": 1, "a": 1}}', "key 'a' occurs twice"),
}


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(text, reason):
    with pytest.raises(ValueError, match=reason):
        read_json(text)


def test_what_is_read():
    assert read_json(b'\xef\xbb\xbf{"\xc3\xbc": [true, null, -0.5, 12]}') == {"ü": [True, None, -0.5, 12]}
    assert read_json("[" * DEEPEST + "]" * DEEPEST)
    assert float(read_json("9" * LONGEST_INTEGER)) < sys.float_info.max


def test_checksums_tell_values_apart_and_nothing_else():
    value = {"b": [1, 0.1, None, "ü\ud800"], "a": {"d": True, "c": -0.0}}
    same = {"a": {"c": -0.0, "d": True}, "b": (1, 0.1, None, "ü\ud800")}
    assert sha256_of_json(value) == sha256_of_json(same)
    others = [value | {"b": [1, 0.1 + 2e-17]}, value | {"b": [1.0, 0.1, None, "ü\ud800"]}, value | {"a": {}}, [value]]
    assert len({sha256_of_json(other) for other in [value, *others]}) == 1 + len(others)
    assert sha256_of_json({9: 0, 10: 0}) == sha256_of_json({"10": 0, "9": 0})
    assert sha256_of_json([]) == sha256_of_bytes(b"[]")
    with pytest.raises(ValueError, match="not JSON compliant"):
        sha256_of_json(float("nan"))

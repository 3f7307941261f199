"""Ways to change a file: its bytes, its archive, its arrays and its manifest, with or without a checksum that fits."""

import copy
import io
import json
import warnings
import zipfile
from contextlib import suppress

import numpy as np

from helpers.files import as_bytes, read_members, write_members
from orderspn.core.checksum import sha256_of_json

ODD_VALUES = [
    *(None, True, False, 0, 1, -1, 2, 7, 63, 64, 96, 2**31, 2**63 - 1, 2**63, -(2**63), 10**30, 10**400),
    *(0.5, -0.0, 1e-300, 1e300, 1e308, -1e308, float("nan"), float("inf"), -float("inf")),
    *("", " ", "C", "x" * 10_000, "\ud800", "\x00", "nan", "order", "dag", "exact", "trust", "gadget", "dibs"),
    *([], [[]], {}, {"name": "bge"}, ["C", "C"], [["C", "D"], ["D", "C"]], [["C"]], list(range(100))),
]
DEEP = '{"a":' * 20_000 + "1" + "}" * 20_000
ODD_NUMBERS = [0.0, -0.0, 1.0, -1.0, 1e-300, 1e300, 1e308, -1e308, np.nan, np.inf, -np.inf]
ODD_INTEGERS = [0, 1, -1, 2, 4, 5, 63, 64, 2**31, 2**62, 2**63 - 1, -(2**63)]
ODD_TYPES = ["<f4", ">f8", "<i4", "<u8", "|b1", "<c16", "<M8[s]", "<U3", "|S4", "|u1", "<f8", "<i8"]


def flipped(content, rng):
    """Some bits."""
    changed = bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 8])):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def cut(content, rng):
    """Only a beginning, or only an end."""
    place = rng.randrange(len(content))
    return rng.choice([content[:place], content[place:]])


def spliced(content, rng):
    """A part taken out, doubled, exchanged, or put between."""
    first, second = sorted(rng.randrange(len(content)) for _ in range(2))
    parts = content[:first], content[first:second], content[second:]
    noise = rng.randbytes(rng.choice([1, 4, 100]))
    return b"".join(
        rng.choice([(parts[0], parts[2]), (*parts[:2], *parts[1:]), (parts[0], noise, parts[2]), (parts[1], parts[0])])
    )


BYTES = [flipped, cut, spliced]


def changed_bytes(path, rng):
    """Any file, as bytes."""
    path.write_bytes(rng.choice(BYTES)(path.read_bytes(), rng))


def changed_archive(path, rng):
    """Members in another way: compressed, doubled, renamed, left out, added, or with another header."""
    with zipfile.ZipFile(path) as archive:
        members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    place = rng.randrange(len(members))
    name, content = members[place]
    how = rng.randrange(7)
    compression = zipfile.ZIP_DEFLATED if how == 0 else zipfile.ZIP_STORED
    if how == 1:
        members.append((name, rng.choice(members)[1]))
    elif how == 2:
        members[place] = (
            rng.choice(["other.npy", "../../x.npy", name.upper(), name[:-4], ".npy", "manifest.npy"]),
            content,
        )
    elif how == 3:
        del members[place]
    elif how == 4:
        members.append((f"more{rng.randrange(9)}.npy", rng.choice([content, bytes(100), b""])))
    elif how == 5:
        members[place] = (name, content.replace(b"(", rng.choice([b"(9", b"(-1,", b"((" * 30, b"(9" * 9]), 1))
    elif how == 6:
        odd = rng.choice([b"'|O'", b"'<f4'", b"'>i8'", b"'<M8[s]'", b"[('a', '<f8')]", b"'\xff'"])
        members[place] = (name, content[:20] + content[20:60].replace(content[20:60].split(b": ")[1][:5], odd, 1))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for own, held in members:
            _write_member(archive, own, held)
    path.write_bytes(buffer.getvalue())


def _write_member(archive, name, content):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the same name twice
        archive.writestr(name, content)


def odd_array(array, rng):
    """An array with odd entries, of another shape or type."""
    how = rng.randrange(6)
    array = np.array(array)
    if how <= 2 and array.size:
        odd = ODD_NUMBERS if array.dtype.kind == "f" else ODD_INTEGERS if array.dtype.kind == "i" else range(256)
        for _ in range(rng.choice([1, 1, 3])):
            array.reshape(-1)[rng.randrange(array.size)] = rng.choice(odd)
        return array
    if how == 3:
        return rng.choice([array[:-1], array[:0], array[None], array.ravel(), array.T, np.concatenate([array, array])])
    if how == 4:
        return rng.choice([-array, array * 3, np.roll(array, 1), np.zeros_like(array), np.sort(array, axis=None)])
    with np.errstate(all="ignore"):
        return array.astype(rng.choice(ODD_TYPES))


def odd_value(value, rng):
    """A JSON value with one part exchanged, left out or added."""
    value = copy.deepcopy(value)
    place, parent = value, None
    while isinstance(place, dict | list) and place and rng.random() < 0.8:
        key = rng.choice(sorted(place)) if isinstance(place, dict) else rng.randrange(len(place))
        parent, place = (place, key), place[key]
    if parent is None:
        return rng.choice(ODD_VALUES)
    whole, key = parent
    how = rng.random()
    if how < 0.15:
        del whole[key]
    elif how < 0.25:
        extra = rng.choice(ODD_VALUES)
        whole.append(extra) if isinstance(whole, list) else whole.update({rng.choice(["more", "", "seed"]): extra})
    elif how < 0.5 and type(place) in (int, float) and abs(place) < 1e300:
        whole[key] = rng.choice([-place, place + 1, place * 1000, place * 1e300, float(place)])
    else:
        whole[key] = rng.choice(ODD_VALUES)
    return value


def odd_text(value, rng):
    """JSON text that says what no value can: deep, doubled, or with other constants."""
    text = json.dumps(value)
    return rng.choice(
        [
            text.replace(": ", ": " + DEEP + ", ", 1),
            DEEP,
            text.replace("{", '{"format": "orderspn-posterior", ', 1),
            text.replace("1", "1" * 5000, 1),
            text.replace("0", "1e999", 1),
            text.replace(":", ": NaN, ", 1),
            text + text,
            text.replace('"', '"\\ud800', 1),
        ]
    ).encode()


def changed_parts(path, rng, *, consistent):
    """Other arrays or another manifest; with `consistent` the checksum is computed anew."""
    arrays, manifest = read_members(path)
    with np.load(path) as file:
        checksum = file["checksum"]
    for _ in range(rng.choice([1, 1, 2])):
        how = rng.random()
        if how < 0.45:
            name = rng.choice(sorted(arrays))
            arrays[name] = odd_array(arrays[name], rng)
        elif how < 0.9 and isinstance(manifest, dict):
            manifest = odd_value(manifest, rng)
        else:
            manifest = odd_text(manifest, rng) if not isinstance(manifest, bytes) else manifest
    if consistent:
        write_members(path, arrays, manifest)
    else:
        np.savez(path, **arrays, manifest=as_bytes(manifest), checksum=checksum)


def edited(path, rng):
    """Parts changed by someone who does not know of the checksum."""
    changed_parts(path, rng, consistent=False)


def forged(path, rng):
    """Parts changed by someone who does."""
    changed_parts(path, rng, consistent=True)


def edited_cell(path, rng):
    """A cell with another value in it."""
    document = odd_value(json.loads(path.read_text()), rng)
    path.write_bytes(odd_text(document, rng) if rng.random() < 0.1 else json.dumps(document).encode())


def forged_cell(path, rng):
    """A cell with another value, and the checksum that fits."""
    document = odd_value(json.loads(path.read_text()), rng)
    if isinstance(document, dict):
        with suppress(ValueError, TypeError):  # there is no checksum of NaN
            document["checksum"] = sha256_of_json({k: v for k, v in document.items() if k != "checksum"})
    path.write_bytes(json.dumps(document).encode())


OF_POSTERIORS = {"bytes": changed_bytes, "archive": changed_archive, "edited": edited, "forged": forged}
OF_CELLS = {"bytes": changed_bytes, "edited": edited_cell, "forged": forged_cell}

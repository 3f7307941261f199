"""Tables from files: every kind is read as the same table, and files of other kinds are named for what they are."""

import gzip
import io
import re
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

import orderspn as osp
from orderspn.core.errors import MissingExtra
from orderspn.core.file_kinds import is_text, seems_to_be
from orderspn.data.files import read_file, read_stream
from orderspn.data.text_files import TextFormat


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(2)
    values = pd.DataFrame(rng.normal(size=(20, 3)).round(3), columns=["A", "heart rate", "größe"])
    return values.assign(group=np.where(values["A"] > 0, "yes", "no"))


WRITERS = {
    "csv": lambda frame, path: frame.to_csv(path, index=False),
    "tsv": lambda frame, path: frame.to_csv(path, index=False, sep="\t"),
    "xlsx": lambda frame, path: frame.to_excel(path, index=False),
    "parquet": lambda frame, path: frame.to_parquet(path),
    "csv.gz": lambda frame, path: frame.to_csv(path, index=False),
}


@pytest.mark.parametrize("ending", WRITERS)
def test_every_kind_is_the_same_table(frame, tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    WRITERS[ending](frame, path)
    pd.testing.assert_frame_equal(read_file(path), frame)
    if ending in ("csv", "xlsx", "parquet"):
        pd.testing.assert_frame_equal(read_stream(io.BytesIO(path.read_bytes()), "standard input"), frame)


def test_python_reads_files_as_the_command_line_does(frame, tmp_path):
    path = tmp_path / "data.csv"
    frame[["A", "größe"]].to_csv(path, index=False)
    for data in (path, str(path)):
        assert osp.learn(data).log_evidence == osp.learn(frame[["A", "größe"]]).log_evidence
        assert osp.read_table(data).fingerprint == osp.read_table(frame[["A", "größe"]]).fingerprint
    frame.to_csv(path, index=False)
    assert osp.learn(path, variables=["A", "größe"]).variables == ["A", "größe"]
    codes = frame.assign(group="A", other=["u", "v"] * 10)[["group", "other"]]
    codes.assign(third=codes["other"]).to_csv(path, index=False)
    assert osp.read_categories(path, ["other", "third"]).levels == (("u", "v"), ("u", "v"))
    with pytest.raises(osp.UnreadableFile, match=r"cannot read '.*missing.csv': No such file"):
        osp.learn(tmp_path / "missing.csv")


@pytest.mark.parametrize(
    ("text", "form", "advice"),
    [
        ("A;B\n1.5;2\n", {"sep": ";"}, "separated by semicolons. Read it with pandas.read_csv(..., sep=';') and pass"),
        ("A;B\n1,5;2\n", {"sep": ";", "decimal": ","}, "(..., sep=';', decimal=',')"),
        ("A\tB\n1.5\t2\n", {"sep": "\t"}, r"separated by tabs. Read it with pandas.read_csv(..., sep='\t')"),
        ('A,B\n"1,5",2\n', {"decimal": ","}, "column 'A' seems to hold numbers with decimal commas (1,5)"),
    ],
)
def test_other_formats_are_recognised(tmp_path, text, form, advice):
    path = tmp_path / "data.csv"
    path.write_text(text)
    with pytest.raises(osp.UnreadableFile, match=re.escape(advice)):
        read_file(path)
    assert read_file(path, TextFormat(**form)).to_dict("list") == {"A": [1.5], "B": [2]}


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_other_encodings_are_recognised(tmp_path, encoding):
    path = tmp_path / "data.csv"
    path.write_bytes("größe,B\n1.5,2\n".encode(encoding))
    with pytest.raises(osp.UnreadableFile, match=f"it is not UTF-8 text. .*encoding='{encoding}'"):
        read_file(path)
    assert list(read_file(path, TextFormat(encoding=encoding))) == ["größe", "B"]


def packed(name):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr(name, b"something")
    return content.getvalue()


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "a PNG picture"),
        (b"%PDF-1.7\n" + bytes(50), "a PDF document"),
        (b"<!DOCTYPE html>\n<html></html>", "a web page (HTML)"),
        (b'{"A": [1, 2]}', "a JSON file"),
        (packed("notes.txt"), "a zip archive"),
        (packed("arr_0.npy"), "a NumPy archive (.npz)"),
        (packed("manifest.npy"), "a posterior saved by orderspn"),
        (gzip.compress(b"A,B\n1,2\n", mtime=0), "a file compressed by gzip"),
        (packed("xl/workbook.xml"), "an Excel workbook"),
        (b"PAR1" + bytes(50), "a Parquet file"),
    ],
)
def test_a_file_of_another_kind_is_named(tmp_path, content, kind):
    assert seems_to_be(content) == kind
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    with pytest.raises(osp.UnreadableFile, match=re.escape(kind)):
        osp.learn(path)
    with pytest.raises(osp.UnreadableFile, match=r"not a posterior|no posterior|damaged"):
        osp.load(path)


def test_what_is_no_posterior_is_named(tmp_path):
    path = tmp_path / "posterior.npz"
    path.write_text("A,B\n1,2\n")
    with pytest.raises(osp.UnreadableFile, match=r"a text file, perhaps a table. Learn a posterior from it first"):
        osp.load(path)
    path.write_bytes(packed("xl/workbook.xml"))
    with pytest.raises(osp.UnreadableFile, match=r"it is an Excel workbook. Learn a posterior from it first"):
        osp.load(path)
    assert is_text("ö\n".encode() * 3000)


@pytest.mark.parametrize("ending", ["xlsx", "parquet"])
def test_a_name_that_promises_too_much(tmp_path, ending):
    path = tmp_path / f"data.{ending}"
    path.write_text("A,B\n1,2\n")
    with pytest.raises(osp.UnreadableFile, match=r"it is not .*, in spite of its name"):
        read_file(path)


@pytest.mark.parametrize(("ending", "package"), [("xlsx", "openpyxl"), ("parquet", "pyarrow")])
def test_a_missing_package_is_named(frame, tmp_path, monkeypatch, ending, package):
    path = tmp_path / f"data.{ending}"
    WRITERS[ending](frame, path)
    for name in [package, "fastparquet"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=re.escape('pip install "orderspn[files]"')):
        read_file(path)


def test_only_the_first_sheet_is_read(frame, tmp_path):
    with pd.ExcelWriter(tmp_path / "data.xlsx") as writer:
        frame.to_excel(writer, sheet_name="main", index=False)
        frame.to_excel(writer, sheet_name="notes", index=False)
    with pytest.warns(UserWarning, match="2 sheets, and only the first, 'main', is read"):
        pd.testing.assert_frame_equal(read_file(tmp_path / "data.xlsx"), frame)


@pytest.mark.parametrize("form", [{"sep": ""}, {"sep": ";;"}, {"decimal": ""}, {"encoding": "nonsense"}])
def test_wrong_formats(form):
    with pytest.raises(ValueError, match=f"^{next(iter(form))} must be one"):
        TextFormat(**form)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (None, "got None. Pass the table"),
        ({"A": [1.0, 2.0]}, r"got a dict. Pass pandas\.DataFrame\(data\)"),
        ([{"A": 1.0}, {"A": 2.0}], r"got a list of records. Pass pandas\.DataFrame\(data\)"),
        (pd.Series([1.0, 2.0]), "got a Series, which is one column. Pass a DataFrame"),
        (5, r"got int. Try pandas\.DataFrame\(data\)"),
    ],
)
def test_what_is_no_table_is_told_what_to_do(data, told):
    with pytest.raises(TypeError, match=told):
        osp.learn(data)

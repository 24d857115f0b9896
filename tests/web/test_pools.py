"""Pools: views, features and keys of examples from all kinds of sources."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import dump_svmlight_file, load_digits

from hinge import IncrementalSVC, OnlineSVC, save
from hinge.cli import main
from hinge.exceptions import DataError
from hinge.web.pools import Pool, open_pool
from hinge.web.pools._pixels import grey_png

Image = pytest.importorskip("PIL.Image")

PIXELS, DIGITS = load_digits(return_X_y=True)
FRUIT = "colour,weight,fruit\ngreen,150,pear\nyellow,120,banana\ngreen,160,\nyellow,110,-\n"
COMMENTS = [
    "We liked it very much indeed",
    "It broke on the second day",
    "Not worth half of the price",
    "Good, good, good",
]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_digits(kind, n=60):
    """Write the first digits to a file of the given kind and return its name; the label column is digit."""
    X, y = PIXELS[:n], DIGITS[:n]
    names = [f"pixel{place}" for place in range(64)]
    if kind == "svm":
        dump_svmlight_file(X, y, "digits.svm", zero_based=False)
    elif kind == "npz":
        np.savez("digits.npz", X=X, y=y)
    elif kind == "csv":
        rows = [",".join([*(f"{value:g}" for value in row), str(label)]) for row, label in zip(X, y, strict=True)]
        Path("digits.csv").write_text("\n".join([",".join([*names, "digit"]), *rows]))
    else:
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        columns = {name: X[:, place] for place, name in enumerate(names)}
        parquet.write_table(arrow.table(columns | {"digit": y}), "digits.parquet")
    return f"digits.{kind}"


def opened(data):
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


# All pools


def pools():
    np.savez("rows.npz", X=PIXELS[:9, :40])
    for name in ("texts", "images"):
        Path(name).mkdir()
    for place, comment in enumerate(COMMENTS):
        Path(f"texts/{place}.txt").write_text(comment)
        Path(f"images/{place}.png").write_bytes(grey_png(np.full((9, 9), place, dtype=np.uint8)))
    return [open_pool(name) for name in ("digits", "rows.npz", "texts", "images")]


def test_all_pools_have_keys_digests_and_json_views():
    for pool in pools():
        n = len(pool)
        assert pool.X.shape[0] == n
        assert pool.known == {}
        keys = [pool.key(row) for row in range(n)]
        assert [pool.row_of(key) for key in keys] == list(range(n))
        digests = {pool.digest(row) for row in range(n)}
        assert all(re.fullmatch("[0-9a-f]{16}", digest) for digest in digests)
        assert len(digests) > 0.99 * n
        view = json.loads(json.dumps(pool.view(n - 1)))
        assert view["kind"] == pool.kind
        for row in (-1, n, 10**30):
            for ask in (pool.key, pool.digest, pool.view, pool.image):
                with pytest.raises(DataError):
                    ask(row)


def test_unknown_keys_have_no_row():
    for pool in pools():
        for key in (
            "",
            "-1",
            "+1",
            "01",
            " 1",
            "1.0",
            "1_0",
            "²",
            "\uff11",
            "9" * 5000,
            "../0.png",
            "/etc/passwd",
            "\0",
        ):
            assert pool.row_of(key) is None


def test_only_images_have_images():
    with pytest.raises(DataError, match="is not an image"):
        open_pool("waveform").image(3)


def test_pools_implement_the_protocol():
    def checked(pool: Pool) -> str:
        return pool.name

    assert [checked(pool) for pool in pools()] == ["digits", "rows", "texts", "images"]


# Rows of files


@pytest.mark.parametrize("kind", ["svm", "npz", "csv", "parquet"])
def test_pixels_of_any_file_are_images(kind):
    source = write_digits(kind)
    known = "digit" if kind in ("csv", "parquet") else "label"
    pool = open_pool(source, known=known)
    assert (pool.kind, pool.name, len(pool)) == ("image", "digits", 60)
    assert pool.view(3) == {"kind": "image", "width": 8, "height": 8}
    assert pool.known == {row: str(label) for row, label in enumerate(DIGITS[:60])}
    image = np.asarray(opened(pool.image(7)))
    assert np.array_equal(image, np.rint(PIXELS[7].reshape(8, 8) / 16 * 255))
    assert 0 <= pool.X.min() <= pool.X.max() == 1
    assert open_pool(source, show="table", known=known).kind == "table"


def test_png_without_pillow():
    pixels = np.random.default_rng(0).integers(0, 256, (13, 40), dtype=np.uint8)
    image = opened(grey_png(pixels))
    assert image.mode == "L"
    assert np.array_equal(np.asarray(image), pixels)


@pytest.mark.parametrize(("first", "second"), [("svm", "npz"), ("csv", "parquet")])
def test_digests_do_not_depend_on_the_file_or_on_how_rows_are_shown(first, second):
    known = {"csv": "digit", "parquet": "digit"}
    sources = [(write_digits(kind), known.get(kind), show) for kind in (first, second) for show in ("auto", "table")]
    digests = [
        [pool.digest(row) for row in range(60)]
        for pool in (open_pool(source, known=known, show=show) for source, known, show in sources)
    ]
    assert digests[1:] == digests[:-1]


def test_digests_do_not_depend_on_the_label(folder):
    (folder / "fruit.csv").write_text(FRUIT)
    (folder / "more.csv").write_text(FRUIT.replace("160,", "160,pear"))
    before, after = (open_pool(name, known="fruit") for name in ("fruit.csv", "more.csv"))
    assert [before.digest(row) for row in range(4)] == [after.digest(row) for row in range(4)]
    (folder / "other.csv").write_text(FRUIT.replace("160", "161"))
    other = open_pool("other.csv", known="fruit")
    assert [before.digest(row) == other.digest(row) for row in range(4)] == [True, True, False, True]


def test_a_table_is_shown_without_its_label(folder):
    (folder / "fruit.csv").write_text(FRUIT)
    pool = open_pool("fruit.csv", known="fruit")
    assert pool.view(0) == {"kind": "table", "cells": [["colour", "green"], ["weight", "150"]]}
    assert pool.known == {0: "pear", 1: "banana"}
    assert pool.X.shape == (4, 3)
    unlabelled = open_pool("fruit.csv")  # a label column with an uncommon name is an ordinary column
    assert unlabelled.known == {}
    assert ["fruit", "banana"] in unlabelled.view(1)["cells"]
    (folder / "usual.csv").write_text(FRUIT.replace("fruit", "label"))
    assert open_pool("usual.csv").view(1)["cells"] == [["colour", "yellow"], ["weight", "120"]]


def test_labels_of_svmlight_files_are_not_learned(folder):
    dump_svmlight_file(PIXELS[:20, :5], DIGITS[:20], "rows.svm", zero_based=False)
    pool = open_pool("rows.svm")
    assert (pool.known, pool.X.shape) == ({}, (20, 5))
    assert pool.view(0)["cells"] == [
        [str(place + 1), f"{value:g}"] for place, value in enumerate(PIXELS[0, :5]) if value
    ]


def test_missing_values_are_filled_and_names_are_not_learned(folder):
    rows = [f"Ann {place},{'' if place == 3 else place},{'xyz'[place % 3]}" for place in range(50)]
    (folder / "people.csv").write_text("\n".join(["name,age,town", *rows]))
    pool = open_pool("people.csv")
    assert pool.X.shape == (50, 4)
    assert np.isfinite(pool.X).all()
    assert pool.view(3)["cells"] == [["name", "Ann 3"], ["age", ""], ["town", "x"]]


def test_wide_rows_are_truncated():
    np.savez("wide.npz", X=np.random.default_rng(0).normal(size=(4, 1000)))
    cells = open_pool("wide.npz").view(1)["cells"]
    assert (len(cells), cells[-1]) == (201, ["...", "800 more"])


def test_svmlight_files_may_end_before_the_last_pixel(folder):
    X = PIXELS[:60].copy()
    X[:, 60:] = 0
    dump_svmlight_file(X, DIGITS[:60], "digits.svm", zero_based=False)
    pool = open_pool("digits.svm")
    assert (pool.X.shape, pool.view(0)["width"]) == ((60, 60), 8)
    assert np.array_equal(np.asarray(opened(pool.image(7))), np.rint(X[7].reshape(8, 8) / 16 * 255))
    assert open_pool("digits.svm", shape=(5, 13)).view(0) == {"kind": "image", "width": 13, "height": 5}


def test_numbers_whose_neighbours_differ_are_not_images():
    random = np.random.default_rng(0)
    np.savez("noise.npz", X=random.uniform(size=(100, 64)))
    np.savez("bits.npz", X=random.integers(0, 2, size=(100, 64)))
    np.savez("mixed.npz", X=PIXELS[:, random.permutation(64)])
    assert [open_pool(name).kind for name in ("noise.npz", "bits.npz", "mixed.npz")] == ["table"] * 3
    assert open_pool("noise.npz", show="image").kind == open_pool("noise.npz", shape=(16, 4)).kind == "image"


@pytest.mark.parametrize("kind", ["svm", "npz", "csv", "parquet"])
@pytest.mark.parametrize("show", ["image", "table"])
def test_a_saved_model_predicts_files_like_the_pool(kind, show, capsys):
    source = write_digits(kind)
    pool = open_pool(source, show=show, known="digit" if kind in ("csv", "parquet") else "label")
    model = IncrementalSVC(C=10, gamma="scale").fit(pool.X, [pool.known[row] for row in range(60)])
    save(pool.wrap_model(model), "model.hinge")
    with pytest.raises(SystemExit) as ended:
        main(["predict", "model.hinge", source])
    assert ended.value.code == 0
    assert capsys.readouterr().out.split() == model.predict(pool.X).tolist()
    with pytest.raises(SystemExit):
        main(["evaluate", "model.hinge", source, "--json"])
    assert json.loads(capsys.readouterr().out)["accuracy"] == 1


def test_a_saved_model_predicts_tables_with_categories_names_and_missing_values(folder, capsys):
    rows = [f"Ann {place},{'' if place == 3 else place},{'xyz'[place % 3]},{'-' if place > 30 else 'ab'[place > 15]}"
            for place in range(50)]  # fmt: skip
    (folder / "people.csv").write_text("\n".join(["name,age,town,kind", *rows]))
    pool = open_pool("people.csv", known="kind")
    assert sorted(pool.known) == list(range(31))
    model = OnlineSVC(C=10).fit(pool.X[:31], [pool.known[row] for row in range(31)])
    save(pool.wrap_model(model), "model.hinge")
    with pytest.raises(SystemExit):
        main(["predict", "model.hinge", "people.csv"])
    assert capsys.readouterr().out.split() == model.predict(pool.X).tolist()


def test_sparse_rows_stay_sparse_and_large_ones_become_single_precision(monkeypatch):
    random = np.random.default_rng(0)
    X = csr_matrix((random.uniform(size=90), (np.arange(90) // 3, random.permutation(90))), shape=(30, 6000))
    dump_svmlight_file(X, np.zeros(30), "words.svm", zero_based=False)
    pool = open_pool("words.svm")
    assert pool.X.format == "csr"
    assert pool.wrap_model("model") == "model"
    write_digits("npz")
    assert open_pool("digits.npz").X.dtype == np.float64
    monkeypatch.setattr("hinge.web.pools._tables._MAX_DOUBLE_BYTES", 1000)
    assert open_pool("digits.npz").X.dtype == np.float32


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n", "side"), [("usps", 7291, 16), ("mnist", 60_000, 28)])
def test_files_of_real_images(data_folder, name, n, side):
    pool = open_pool(str(data_folder / f"{name}.bz2"), known="label")
    assert (len(pool), pool.view(0)) == (n, {"kind": "image", "width": side, "height": side})
    assert len(pool.known) == n
    assert len(set(pool.known.values())) == 10


@pytest.mark.slow
@pytest.mark.parametrize("name", ["a9a", "reuters-moneyfx", "banana", "ijcnn1"])
def test_files_that_are_not_images(data_folder, name):
    assert open_pool(str(data_folder / f"{name}.bz2")).kind == "table"


# Texts


def test_lines_of_a_file_are_texts(folder):
    (folder / "notes.txt").write_text("﻿  Grüße aus Köln\r\n\r\n\n\tzweite Zeile  \nline\u2028three\n", encoding="utf-8")
    pool = open_pool("notes.txt")
    assert [pool.view(row)["text"] for row in range(len(pool))] == ["Grüße aus Köln", "zweite Zeile", "line\u2028three"]
    assert pool.X.shape == (3, 2**18)
    assert np.allclose(pool.X.power(2).sum(axis=1), 1)
    assert pool.wrap_model("model") == "model"


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_of_sentences_is_shown_as_text(folder, kind):
    labels = ["good", "", None, "bad"]
    if kind == "csv":
        lines = [
            f'{place},"{text}",{label or ""}' for place, (text, label) in enumerate(zip(COMMENTS, labels, strict=True))
        ]
        (folder / "said.csv").write_text("\n".join(["id,said,verdict", *lines]))
    else:
        arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(arrow.table({"id": [1, 2, 3, 4], "said": COMMENTS, "verdict": labels}), "said.parquet")
    pool = open_pool(f"said.{kind}", known="verdict")
    assert (pool.kind, pool.known) == ("text", {0: "good", 3: "bad"})
    assert [pool.view(row)["text"] for row in range(4)] == COMMENTS
    assert open_pool(f"said.{kind}", text="verdict").view(0)["text"] == "good"
    assert open_pool(f"said.{kind}", show="table", known="verdict").kind == "table"


def test_files_of_a_folder_are_texts(folder):
    for key, content in {"b/2.txt": b"second text", "a/1.TXT": b"first text", "c.txt": b"\xff\xfe", "d.txt": b"\0\0",
                         ".e.txt": b"hidden", "f.md": b"other"}.items():  # fmt: skip
        path = folder / "mail" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    pool = open_pool("mail", known="folder")
    assert [pool.key(row) for row in range(len(pool))] == ["a/1.TXT", "b/2.txt"]
    assert pool.known == {0: "a", 1: "b"}
    assert pool.notes == ("2 files were left out because each is not UTF-8 text: c.txt, d.txt.",)
    assert open_pool("mail").known == {}


def test_long_texts_are_truncated(folder):
    (folder / "long.txt").write_text("one\n" + "word " * 100_000)
    assert len(open_pool("long.txt").view(1)["text"]) < 11_000


def test_reading_reports_progress(folder):
    shares = []
    write_digits("csv", n=600)
    open_pool("digits.csv", watch=shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1

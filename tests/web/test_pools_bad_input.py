"""Invalid sources and options of pools: every error is one sentence."""

import numpy as np
import pytest

from hinge.web.pools import open_pool

pytest.importorskip("PIL.Image")

FRUIT = "colour,weight,fruit\ngreen,150,pear\nyellow,120,banana\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize(
    ("source", "options", "sentence"),
    [
        ("nothing.csv", {}, "There is no file nothing.csv, and no data set of that name"),
        ("a\0b", {}, "There is no file"),
        ("x" * 5000, {}, "There is no file"),
        ("-", {}, "must be in a file or a folder"),
        ("empty", {}, r"The folder empty contains no images \(.*\) or text files \(.txt\)"),
        (
            "broken",
            {},
            "broken contains no images to label. 1 file was left out because it cannot be read as an image: a.png",
        ),
        ("garbage", {}, "garbage contains no text files to label. 1 file was left out"),
        ("empty", {"show": "text"}, r"contains no text files \(.txt\)"),
        ("one.csv", {}, "at least two examples to label, but one has 1"),
        ("one.txt", {}, "at least two examples to label, but one has 1"),
        ("empty.csv", {}, "empty.csv"),
        ("empty.txt", {}, "empty.txt is empty"),
        ("blank.txt", {}, "blank.txt is empty"),
        ("signs.txt", {}, "no words of at least two letters"),
        ("garbage.txt", {}, r"garbage.txt, line 2 is not UTF-8 text \(byte 0xff\)"),
        ("zeros.txt", {}, "zeros.txt is not a text file because it contains null bytes"),
        ("garbage.csv", {}, "is not UTF-8 text"),
        ("photo.png", {}, "photo.png is a single image; give the folder"),
        ("nan.npz", {}, "Every number must be finite"),
        ("nan.svm", {}, "must hold finite numbers"),
        ("infinite.csv", {}, "must hold finite numbers, got infinity in line 3"),
        ("fruit.csv", {"show": "image"}, "Column 'colour' must contain a number"),
        ("rows.csv", {"show": "image"}, "must have a square number of features to be shown as images, got 3"),
        ("rows.csv", {"shape": (2, 2)}, "The shape 2x2 has 4 pixels, but the rows have 3 numbers"),
        ("rows.csv", {"shape": (0, 3)}, "must be 1 to 1024 pixels high and wide, got 0x3"),
        ("rows.csv", {"text": "said"}, "There is no text column 'said'; the columns are 'a', 'b', 'c'"),
        ("rows.csv", {"text": "a"}, "Column 'a' must contain texts to be shown as text, got only numbers"),
        ("rows.csv", {"show": "text"}, "must have a text column"),
        ("rows.csv", {"known": "d"}, "The label must be one of the columns a, b, c"),
        ("rows.csv", {"show": "picture"}, "show must be one of 'auto', 'image', 'text', 'table', got 'picture'"),
        ("rows.csv", {"show": "table", "text": "a"}, "show must be 'text' if a text column is given"),
        ("rows.csv", {"show": "table", "shape": (1, 3)}, "shape must be omitted"),
        ("digits", {"show": "text"}, "digits can only be shown as images or tables"),
        ("digits", {"known": "digit"}, "known must be 'label' for digits"),
        ("waveform", {"show": "image"}, "square number of features to be shown as images, got 21"),
        ("unlabelled.npz", {"known": "label"}, "unlabelled contains no labels"),
        ("many.csv", {"known": "b"}, "at most 1000 classes, got more in 'b'"),
        ("notes.txt", {"known": "label"}, "known must be omitted for notes.txt"),
        ("notes.txt", {"show": "image"}, "notes.txt can only be shown as text, got show='image'"),
        ("mail", {"known": "class"}, "known must be 'folder' for mail"),
        ("mail", {"text": "a"}, "text must be omitted for mail"),
    ],
)
def test_bad_input_is_one_sentence(folder, source, options, sentence):
    (folder / "empty").mkdir()
    rows = "a,b,c\n1,2,3\n4,5,7\n"
    write(folder, {"broken/a.png": b"no", "garbage/a.txt": b"\xff", "one.csv": "a,b\n1,2\n", "one.txt": "alone\n"})
    write(folder, {"empty.csv": "", "empty.txt": "", "blank.txt": " \n\n", "signs.txt": "!\n?\n", "rows.csv": rows})
    write(
        folder,
        {"garbage.txt": b"fine\n\xff\xfe\n", "zeros.txt": b"a\0b\n\0\n", "garbage.csv": b"a,b\n\xc3\xa9\xff,1\n"},
    )
    write(folder, {"photo.png": b"", "nan.svm": "1 1:nan\n1 1:2\n", "infinite.csv": "a,b\n1,2\n1,inf\n"})
    write(folder, {"fruit.csv": FRUIT, "notes.txt": "one two\nthree four\n", "mail/a.txt": "one two"})
    write(folder, {"many.csv": "a,b\n" + "".join(f"1,{number}\n" for number in range(1500))})
    np.savez("nan.npz", X=np.array([[1.0], [np.nan]]))
    np.savez("unlabelled.npz", X=np.eye(3))
    with pytest.raises((ValueError, OSError), match=sentence) as refused:
        open_pool(source, **options)
    assert "\n" not in str(refused.value)
    assert str(refused.value).endswith(".")

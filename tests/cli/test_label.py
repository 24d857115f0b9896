"""`hinge label`: the arguments that it passes to the page, and its errors."""

import subprocess
import sys
import types

import pytest

from hinge.web._settings import SessionSettings


@pytest.fixture
def page(monkeypatch):
    """Replace the page by a list of the calls to it."""
    import hinge
    from hinge.web import pools

    calls = []
    fake = types.ModuleType("hinge.web")
    fake.__path__ = pools.__path__
    fake.SessionSettings = SessionSettings
    fake.serve = lambda *places, **more: calls.append(("serve", places, more))
    fake.export = lambda *places: calls.append(("export", places, {})) or 1234

    def import_labels(*places):
        calls.append(("import", places, {}))
        return 3, 0, 1

    fake.import_labels = import_labels
    monkeypatch.setitem(sys.modules, "hinge.web", fake)
    monkeypatch.setattr(hinge, "web", fake, raising=False)
    return calls


def test_the_default_is_digits(run, page):
    done = run("label")
    assert (done.code, done.out) == (0, "")
    assert "digits: 1,797 images." in done.err
    ((verb, (pool, database, project), more),) = page
    assert (verb, pool.name, database, project) == ("serve", "digits", "digits.labels.sqlite", "digits")
    assert more == {
        "classes": tuple("0123456789"),
        "host": "127.0.0.1",
        "port": 8517,
        "token": None,
        "open_browser": True,
        "settings": SessionSettings(),
    }


def test_options_reach_the_page(run, page, folder):
    (folder / "rows.csv").write_text("a,b,kind\n1,2,cat\n3,5,\n4,4,-\n")
    options = ["--classes", "cat, dog", "--known", "kind", "--database", "postgresql://db/labels", "--project", "pets"]
    options += ["--host", "0.0.0.0", "--port", 80, "--token", "secret", "--no-browser"]  # noqa: S104
    options += [
        "--strategy",
        "positive",
        "--target",
        "dog",
        "--check-every",
        7,
        "--sample",
        50,
        "--C",
        3,
        "--gamma",
        0.5,
    ]
    done = run("label", "rows.csv", *options, "--kernel", "laplacian")
    assert "rows: 3 rows, 1 of them with a label." in done.err
    ((_, (pool, database, project), more),) = page
    assert (pool.known, database, project) == ({0: "cat"}, "postgresql://db/labels", "pets")
    settings = SessionSettings("positive", sample=50, check_every=7, C=3.0, gamma=0.5, kernel="laplacian", target="dog")
    assert more.pop("settings") == settings
    assert list(more.values()) == [("cat", "dog"), "0.0.0.0", 80, "secret", False]  # noqa: S104


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ((), "text"),
        (("--text", "said"), "text"),
        (("--show", "table"), "table"),
        (("--shape", "1x1", "--known", "said"), "image"),
    ],
)
def test_how_rows_are_shown(run, page, folder, options, kind):
    (folder / "rows.csv").write_text("a,said\n1,one two three four five\n2,six seven eight nine ten\n")
    assert run("label", "rows.csv", *options).code == 0
    assert page[0][1][0].kind == kind


def test_skipped_files_are_reported(run, page, folder):
    (folder / "mail").mkdir()
    for name, content in {"a.txt": b"one text", "b.txt": b"another text", "c.txt": b"\xff[bold]"}.items():
        (folder / "mail" / name).write_bytes(content)
    assert "1 file was left out because it is not UTF-8 text: c.txt.\n" in run("label", "mail").err


@pytest.mark.parametrize("file", ["labels.csv", "labels.parquet", "labels.svm", "model.hinge"])
def test_export_shows_no_page(run, page, file):
    done = run("label", "--export", file)
    assert (done.code, done.out) == (0, f"{file}: 1,234 labels.\n")
    ((verb, (pool, database, project, path, settings), _),) = page
    assert (verb, pool.name, database, project) == ("export", "digits", "digits.labels.sqlite", "digits")
    assert (str(path), settings) == (file, SessionSettings())


def test_labels_are_imported_before_the_page_is_shown(run, page, folder):
    (folder / "labels.csv").write_text("key,label\n1,cat\n")
    done = run("label", "--import", "labels.csv")
    assert "labels.csv: 3 new labels, 0 changed, 1 unchanged." in done.err
    assert [verb for verb, _, _ in page] == ["import", "serve"]
    assert str(page[0][1][3]) == "labels.csv"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("nothing.csv",), "There is no file nothing.csv, and no data set of that name"),
        (("--strategy", "best"), "strategy must be one of 'boundary', 'positive', 'autoactive', 'random', got 'best'"),
        (("--C", "0"), "C must be a finite number above 0"),
        (("--C", "nan"), "C must be a finite number above 0"),
        (("--gamma", "wide"), "gamma must be a finite number above 0"),
        (("--kernel", "precomputed"), "kernel must be one of 'linear', 'rbf'"),
        (("--sample", "0"), "sample must be a whole number of at least 1"),
        (("--check-every", "0"), "check_every must be a whole number of at least 1"),
        (("--port", "70000"), "--port must be from 0 (any free port) to 65535"),
        (("--shape", "28"), "--shape must be the height and width of the images"),
        (("--shape", "9x9"), "The shape 9x9 has 81 pixels, but the rows have 64 numbers"),
        (("--show", "film"), "show must be one of"),
        (("--export", "labels.txt"), "--export must name a file that ends in .csv, .parquet, .svm (labels) or .hinge"),
        (("--export", "nowhere/labels.csv"), "There is no folder nowhere"),
        (("--import", "nowhere.csv"), "There is no file nowhere.csv to import labels from"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, page, options, sentence):
    done = run("label", *options)
    assert (done.code, done.out, page) == (2, "", [])
    assert done.err.startswith(f"hinge: {sentence}")
    assert done.err.count("\n") == 1


def test_a_missing_library_is_reported_before_data_are_read(run, page, monkeypatch):
    def lost(name):
        raise ModuleNotFoundError("The labelling page needs fastapi; install it.", name="fastapi")

    del sys.modules["hinge.web"].serve
    sys.modules["hinge.web"].__getattr__ = lost
    done = run("label", "nothing.csv")
    assert (done.code, done.err) == (2, "hinge: The labelling page needs fastapi; install it.\n")


def test_help_is_readable(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    lines = run("label", "--help").out.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80


@pytest.mark.slow
def test_other_commands_do_not_load_the_page(run):
    code = "import importlib, sys; from hinge.cli._app import COMMANDS; "
    code += "[importlib.import_module(f'hinge.cli.{name}') for name in COMMANDS]; "
    code += "sys.exit(any(name.startswith('hinge.web') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

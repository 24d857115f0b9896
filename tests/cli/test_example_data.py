"""The tables of examples/data: `hinge train` reads them as they are."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

import hinge

DATA = Path(__file__).parents[2] / "examples" / "data"


def test_the_files_are_those_of_the_script(folder):
    spec = importlib.util.spec_from_file_location("make", DATA / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    make.main(folder)
    assert len(make.FILES) == 6
    for name in make.FILES:
        assert (folder / name).read_bytes() == (DATA / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "options", "n_features", "said"),
    [
        ("customers.csv", (), 12, ["'Kundennummer', 'Name'; --kind", "Umsatz (numbers like 1.234,5 €)", "München"]),
        (
            "tickets.csv",
            ("--merge-labels",),
            60,
            ["3 classes (billing, delivery, technical)", "message (text, 53 words)"],
        ),
        ("machines.txt", ("--missing", "fill"), 13, ["time (dates, month-day-year)", "Class failure has only 4 %"]),
        ("loans.csv", ("--label", "repaid"), 13, ["amount (numbers like 1,234.5 $)", "issued (dates, name-day-year)"]),
    ],
)
def test_they_are_learned(run, name, options, n_features, said):
    done = run("train", DATA / name, *options, "--epochs", "3")
    assert done.code == 0, done.err
    text = " ".join(done.err.split())
    model = hinge.load("model.hinge")
    assert model.transform(np.empty((0, model.n_features_in_), dtype=object)).shape == (0, n_features)
    for words in said:
        assert words in text or words in str(model.preparation.columns)
    result = json.loads(run("evaluate", "model.hinge", DATA / name, "--json").out)
    frequent = max(values["rows"] for values in result["classes"].values()) / result["rows"]
    assert result["accuracy"] > max(frequent, 0.85)


def test_amounts_are_what_they_say(run):
    run("train", DATA / "customers.csv")
    model = hinge.load("model.hinge")
    (revenue,) = [column for column in model.preparation.columns if column.name == "Umsatz"]
    cells = [line.split(";")[4] for line in (DATA / "customers.csv").read_text("cp1252").splitlines()[1:]]
    truth = [float(cell.removesuffix(" €").replace(".", "").replace(",", ".")) for cell in cells]
    assert revenue.mean == pytest.approx(np.mean(truth))


def test_all_problems_of_a_file_are_found_in_one_run(run, folder):
    done = run("train", DATA / "broken.csv")
    assert (done.code, done.out) == (2, "")
    assert "The rows have 5 problems:" in done.err
    for words in ("line 21 has 4 fields", "line 31 has 2 fields", "line 11 has none", "'age' has no value in line 6"):
        assert words in done.err
    assert "column 'city' has no value in line 9" in done.err
    assert "got 'forty' in line 14" in done.err
    assert not (folder / "model.hinge").exists()


def test_quantities_are_no_classes(run):
    done = run("train", DATA / "houses.csv", "--json", "--test", DATA / "houses.csv")
    result = json.loads(done.out)
    assert (done.code, result["estimator"]) == (0, "ApproximateSVR")
    assert result["online"]["test_values"]["r2"] > 0.9

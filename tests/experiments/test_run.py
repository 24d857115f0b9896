"""Runs of experiments: measured once, kept, continued, judged."""

from __future__ import annotations

import json

import pytest

import experiments
from experiments._ledger import Ledger
from experiments._records import read_records
from hinge import HingeError
from hinge.cli import main


def reproduce(*arguments):
    """Run the command; return its exit code."""
    with pytest.raises(SystemExit) as end:
        main(["reproduce", *map(str, arguments)])
    return end.value.code or 0


def test_every_experiment_leaves_a_table_a_picture_and_a_page(toys, tmp_path):
    toys()
    assert reproduce("toy", "--output", tmp_path) == 0
    for name in ("fig1", "fig2"):
        assert len(read_records(tmp_path / "toy" / f"{name}.csv")) == 9
        assert (tmp_path / "toy" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 2
    assert "Toys &amp; &lt;games&gt;" in page
    assert "<games>" not in page
    assert "http" not in page  # readable offline


def test_a_shared_cell_is_measured_once(toys, tmp_path):
    counted = toys()
    reproduce("toy", "--output", tmp_path)
    assert counted == [1, 2, 3]


def test_an_interrupted_run_goes_on_where_it_was(toys, tmp_path, capsys):
    counted = toys(numbers=(1, 2, 5))
    assert reproduce("toy", "fig1", "--output", tmp_path) == 130
    assert "is kept" in capsys.readouterr().err
    assert len(read_records(tmp_path / "toy" / "fig1.csv")) == 6
    toys(numbers=(1, 2, 3))
    counted.clear()
    assert reproduce("toy", "fig1", "--output", tmp_path) == 0
    assert counted == [3]


def test_records_are_in_the_order_of_the_cells_whatever_was_measured_first(toys, tmp_path):
    toys(numbers=(2,))
    reproduce("toy", "fig1", "--output", tmp_path)
    toys(numbers=(1, 2))
    reproduce("toy", "fig1", "--output", tmp_path)
    assert read_records(tmp_path / "toy" / "fig1.csv").unique("number") == [1, 2]


def test_cells_that_are_no_more_are_put_aside(toys, tmp_path):
    toys(numbers=(1, 2))
    reproduce("toy", "fig1", "--output", tmp_path)
    toys(numbers=(2,))
    reproduce("toy", "fig1", "--output", tmp_path)
    assert read_records(tmp_path / "toy" / "fig1.csv").unique("number") == [2]
    assert read_records(tmp_path / "toy" / "fig1.old.csv").unique("number") == [1, 2]


def test_tables_of_an_unknown_run_are_not_touched(toys, tmp_path, capsys):
    toys()
    reproduce("toy", "fig1", "--output", tmp_path)
    (tmp_path / "about.json").unlink()
    assert reproduce("toy", "fig1", "--quick", "--output", tmp_path) == 2
    assert "holds tables but no about.json" in capsys.readouterr().err
    assert len(read_records(tmp_path / "toy" / "fig1.csv")) == 9


def test_the_page_says_why_something_is_missing(toys, tmp_path):
    toys(numbers=(4,))
    reproduce("toy", "fig1", "--output", tmp_path, "--document", tmp_path / "a.md")
    for name in ("index.html", "a.md"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "incomplete" in text
        assert "toys.bz2" in text


def test_markup_in_titles_is_shown_as_it_is(toys, tmp_path, capsys):
    toys(title="[/red] wins")
    assert reproduce("toy", "fig1", "--output", tmp_path) == 0
    assert "[/red]" in capsys.readouterr().out


def test_a_wrong_data_folder_is_refused_at_once(toys, tmp_path, capsys, monkeypatch):
    counted = toys()
    monkeypatch.setenv("HINGE_DATA", str(tmp_path / "nowhere"))
    assert reproduce("toy", "--output", tmp_path) == 2
    assert "HINGE_DATA must name a folder" in capsys.readouterr().err
    assert counted == []


def test_a_missing_set_is_skipped_and_said(toys, tmp_path, capsys):
    toys(numbers=(1, 4))
    assert reproduce("toy", "fig1", "--output", tmp_path, "--json") == 0
    (outcome,) = json.loads(capsys.readouterr().out)["experiments"]
    assert outcome["verdict"] == "incomplete"
    assert "toys.bz2" in outcome["reason"]
    assert len(read_records(tmp_path / "toy" / "fig1.csv")) == 3


def test_a_cell_that_fails_costs_only_itself(toys, tmp_path, capsys):
    counted = toys(numbers=(1, 6, 2))
    assert reproduce("toy", "--output", tmp_path, "--json") == 1
    assert counted == [1, 2]
    first, second = json.loads(capsys.readouterr().out)["experiments"]
    assert first["verdict"] == second["verdict"] == "incomplete"
    assert "ZeroDivisionError: no toys to share" in first["reason"]


def test_two_runs_in_one_folder_keep_each_other_s_cells(toys, tmp_path):
    toys(numbers=(1, 2, 3))
    (entry,) = experiments.find("toy", ["fig1"])
    one, other = (Ledger(tmp_path, entry, quick=False) for _ in range(2))
    one.add(one.cells[0], {"place": 0, "error": 1.0})
    other.add(other.cells[2], {"place": 0, "error": 3.0})
    one.add(one.cells[1], {"place": 0, "error": 2.0})
    assert read_records(tmp_path / "toy" / "fig1.csv").unique("number") == [1, 2, 3]


def test_a_document_without_a_folder_is_refused_before_anything_is_measured(toys, tmp_path, capsys):
    counted = toys()
    assert reproduce("toy", "--output", tmp_path / "o", "--document", tmp_path / "no" / "a.md") == 2
    assert "There is no folder" in capsys.readouterr().err
    assert counted == []


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "reproduced"),
        ({"check": lambda _: [experiments.Check("pigs fly", False, "none did")]}, "differs"),
        ({"check": lambda _: []}, "differs"),
        ({"incomparable": "The paper had other toys."}, "not comparable"),
    ],
)
def test_verdicts(toys, tmp_path, capsys, changes, verdict):
    toys(**changes)
    reproduce("toy", "fig1", "--output", tmp_path, "--json")
    (outcome,) = json.loads(capsys.readouterr().out)["experiments"]
    assert outcome["verdict"] == verdict


def test_quick_and_full_results_do_not_mix(toys, tmp_path, capsys):
    toys()
    reproduce("toy", "--quick", "--output", tmp_path)
    assert reproduce("toy", "--output", tmp_path) == 2
    assert "quick run" in capsys.readouterr().err


def test_a_quick_run_says_so(toys, tmp_path, capsys):
    counted = toys()
    reproduce("toy", "--quick", "--output", tmp_path)
    assert counted == [1]
    assert "quick run" in capsys.readouterr().err
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "One toy only." in page


def test_the_document_has_verdicts_claims_and_tables(toys, tmp_path):
    toys(explanation="We tried harder toys.")
    reproduce("toy", "--output", tmp_path, "--document", tmp_path / "reproduction.md")
    text = (tmp_path / "reproduction.md").read_text(encoding="utf-8")
    assert "| [toy fig1](#toy-fig1) | Toys & <games> | reproduced |" in text
    assert "1 < 2 \\| 3" in text
    assert "We tried harder toys." in text


def test_a_document_can_be_written_again_from_the_tables(toys, tmp_path):
    counted = toys()
    reproduce("toy", "--output", tmp_path, "--document", tmp_path / "a.md")
    counted.clear()
    experiments.write_document(tmp_path / "b.md", experiments.known_outcomes(tmp_path), experiments.about(tmp_path))
    assert counted == []
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == (tmp_path / "b.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [b"", b"a,b\n1\n", b"\xff\xfe,b\n1,2\n"])
def test_damaged_tables_are_refused_in_one_sentence(toys, tmp_path, capsys, content):
    toys()
    reproduce("toy", "fig1", "--output", tmp_path)
    (tmp_path / "toy" / "fig1.csv").write_bytes(content)
    capsys.readouterr()
    assert reproduce("toy", "fig1", "--output", tmp_path) == 2
    assert "is not a table of results" in capsys.readouterr().err


def test_a_damaged_note_is_refused(toys, tmp_path, capsys):
    toys()
    (tmp_path / "about.json").write_text("[1", encoding="utf-8")
    assert reproduce("toy", "--output", tmp_path) == 2
    assert "is damaged" in capsys.readouterr().err


def test_unknown_names_are_answered_with_known_ones(capsys):
    for arguments, words in (
        (("bible",), "lasvm"),
        (("tracking", "fig99"), "fig6"),
        (("all", "fig1"), "one paper"),
    ):
        assert reproduce(*arguments) == 2
        assert words in capsys.readouterr().err


def test_without_a_paper_all_are_listed(capsys):
    assert reproduce() == 0
    assert "nonconvex" in capsys.readouterr().out


def test_find_refuses_before_anything_is_made():
    with pytest.raises(HingeError, match="no paper"):
        experiments.find("bible")

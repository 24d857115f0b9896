"""The command `python -m experiments`: cells are measured once, stored, resumed and judged."""

from __future__ import annotations

import json

import pytest

from experiments.__main__ import main
from experiments.experiment import Check
from experiments.markdown_report import write_report
from experiments.records import read_records
from experiments.registry import find_experiments
from experiments.result_store import ResultStore, read_metadata
from experiments.runner import stored_outcomes
from hinge import HingeError


def run(*arguments):
    """Run the command; return its exit code."""
    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in arguments])
    return end.value.code


def test_every_experiment_writes_a_table_a_picture_and_the_page(toys, tmp_path):
    toys()
    assert run("toy", "--output", tmp_path) == 0
    for name in ("fig1", "fig2"):
        assert len(read_records(tmp_path / "toy" / f"{name}.csv")) == 9
        assert (tmp_path / "toy" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert page.count("data:image/png;base64,") == 2
    assert "Toys &amp; &lt;games&gt;" in page
    assert "<games>" not in page
    assert "http" not in page  # readable offline


def test_shared_cell_is_measured_once(toys, tmp_path):
    measured = toys()
    run("toy", "--output", tmp_path)
    assert measured == [1, 2, 3]


def test_interrupted_run_is_resumed(toys, tmp_path, capsys):
    measured = toys(numbers=(1, 2, 5))
    assert run("toy", "fig1", "--output", tmp_path) == 130
    assert "are stored" in capsys.readouterr().err
    assert len(read_records(tmp_path / "toy" / "fig1.csv")) == 6
    toys(numbers=(1, 2, 3))
    measured.clear()
    assert run("toy", "fig1", "--output", tmp_path) == 0
    assert measured == [3]


def test_records_are_in_the_order_of_the_cells(toys, tmp_path):
    toys(numbers=(2,))
    run("toy", "fig1", "--output", tmp_path)
    toys(numbers=(1, 2))
    run("toy", "fig1", "--output", tmp_path)
    assert read_records(tmp_path / "toy" / "fig1.csv").unique("number") == [1, 2]


def test_records_of_removed_cells_are_backed_up(toys, tmp_path):
    toys(numbers=(1, 2))
    run("toy", "fig1", "--output", tmp_path)
    toys(numbers=(2,))
    run("toy", "fig1", "--output", tmp_path)
    assert read_records(tmp_path / "toy" / "fig1.csv").unique("number") == [2]
    assert read_records(tmp_path / "toy" / "fig1.old.csv").unique("number") == [1, 2]


def test_tables_without_metadata_are_not_changed(toys, tmp_path, capsys):
    toys()
    run("toy", "fig1", "--output", tmp_path)
    (tmp_path / "metadata.json").unlink()
    assert run("toy", "fig1", "--quick", "--output", tmp_path) == 2
    assert "holds tables but no metadata.json" in capsys.readouterr().err
    assert len(read_records(tmp_path / "toy" / "fig1.csv")) == 9


def test_page_says_why_results_are_missing(toys, tmp_path):
    toys(numbers=(4,))
    run("toy", "fig1", "--output", tmp_path, "--document", tmp_path / "a.md")
    for name in ("index.html", "a.md"):
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert "incomplete" in text
        assert "toys.bz2" in text


def test_markup_in_titles_is_escaped(toys, tmp_path, capsys):
    toys(title="[/red] wins")
    assert run("toy", "fig1", "--output", tmp_path) == 0
    assert "[/red]" in capsys.readouterr().out


def test_wrong_data_folder_is_refused_before_measuring(toys, tmp_path, capsys, monkeypatch):
    measured = toys()
    monkeypatch.setenv("HINGE_DATA", str(tmp_path / "nowhere"))
    assert run("toy", "--output", tmp_path) == 2
    assert "HINGE_DATA must name a folder" in capsys.readouterr().err
    assert measured == []


def test_missing_data_set_is_skipped_and_reported(toys, tmp_path, capsys):
    toys(numbers=(1, 4))
    assert run("toy", "fig1", "--output", tmp_path, "--json") == 0
    (outcome,) = json.loads(capsys.readouterr().out)["experiments"]
    assert outcome["verdict"] == "incomplete"
    assert "toys.bz2" in outcome["reason"]
    assert len(read_records(tmp_path / "toy" / "fig1.csv")) == 3
    files = [tmp_path / "toy" / "fig1.csv", tmp_path / "metadata.json"]
    before = [file.read_bytes() for file in files]
    run("toy", "fig1", "--output", tmp_path)
    assert [file.read_bytes() for file in files] == before


def test_failing_cell_does_not_end_the_run(toys, tmp_path, capsys):
    measured = toys(numbers=(1, 6, 2))
    assert run("toy", "--output", tmp_path, "--json") == 1
    assert measured == [1, 2]
    first, second = json.loads(capsys.readouterr().out)["experiments"]
    assert first["verdict"] == second["verdict"] == "incomplete"
    assert "ZeroDivisionError: no toys to share" in first["reason"]


def test_two_processes_in_one_folder_keep_each_other_s_cells(toys, tmp_path):
    toys(numbers=(1, 2, 3))
    (entry,) = find_experiments("toy", ["fig1"])
    one, other = (ResultStore(tmp_path, entry, quick=False) for _ in range(2))
    one.add(one.cells[0], {"place": 0, "error": 1.0})
    other.add(other.cells[2], {"place": 0, "error": 3.0})
    one.add(one.cells[1], {"place": 0, "error": 2.0})
    assert read_records(tmp_path / "toy" / "fig1.csv").unique("number") == [1, 2, 3]


def test_document_in_missing_folder_is_refused_before_measuring(toys, tmp_path, capsys):
    measured = toys()
    assert run("toy", "--output", tmp_path / "o", "--document", tmp_path / "no" / "a.md") == 2
    assert "There is no folder" in capsys.readouterr().err
    assert measured == []


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "reproduced"),
        ({"changes": "Two toys instead of three."}, "reproduced with changes"),
        ({"changes": "Two toys.", "check": lambda _: [Check("pigs fly", False, "none did")]}, "differs"),
        ({"check": lambda _: [Check("pigs fly", False, "none did")]}, "differs"),
        ({"check": lambda _: []}, "differs"),
        ({"incomparable": "The paper had other toys."}, "not comparable"),
    ],
)
def test_verdicts(toys, tmp_path, capsys, changes, verdict):
    toys(**changes)
    run("toy", "fig1", "--output", tmp_path, "--json")
    (outcome,) = json.loads(capsys.readouterr().out)["experiments"]
    assert outcome["verdict"] == verdict


def test_quick_and_full_results_are_not_mixed(toys, tmp_path, capsys):
    toys()
    run("toy", "--quick", "--output", tmp_path)
    assert run("toy", "--output", tmp_path) == 2
    assert "quick run" in capsys.readouterr().err


def test_quick_run_is_announced(toys, tmp_path, capsys):
    measured = toys()
    run("toy", "--quick", "--output", tmp_path)
    assert measured == [1]
    assert "quick run" in capsys.readouterr().err
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "One toy only." in page


def test_report_has_verdicts_claims_and_tables(toys, tmp_path):
    toys(explanation="We tried harder toys.")
    run("toy", "--output", tmp_path, "--document", tmp_path / "report.md")
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "| [toy fig1](#toy-fig1) | Toys & <games> | reproduced |" in text
    assert "1 < 2 \\| 3" in text
    assert "We tried harder toys." in text


def test_reports_say_what_was_changed(toys, tmp_path, capsys):
    toys(changes="Two toys instead of three.")
    run("toy", "fig1", "--output", tmp_path, "--document", tmp_path / "report.md", "--json")
    assert json.loads(capsys.readouterr().out)["experiments"][0]["reason"] == "Two toys instead of three."
    text, page = ((tmp_path / name).read_text(encoding="utf-8") for name in ("report.md", "index.html"))
    assert "| Toys & <games> | reproduced with changes |" in text
    assert "Changed: Two toys instead of three." in text
    assert "Changed: Two toys instead of three." in page
    assert 'class="verdict reproduced-with-changes"' in page


def test_report_can_be_generated_from_the_tables(toys, tmp_path):
    measured = toys()
    run("toy", "--output", tmp_path, "--document", tmp_path / "a.md")
    measured.clear()
    write_report(tmp_path / "b.md", stored_outcomes(tmp_path), read_metadata(tmp_path))
    assert measured == []
    assert (tmp_path / "a.md").read_text(encoding="utf-8") == (tmp_path / "b.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [b"", b"a,b\n1\n", b"\xff\xfe,b\n1,2\n"])
def test_damaged_tables_are_refused(toys, tmp_path, capsys, content):
    toys()
    run("toy", "fig1", "--output", tmp_path)
    (tmp_path / "toy" / "fig1.csv").write_bytes(content)
    capsys.readouterr()
    assert run("toy", "fig1", "--output", tmp_path) == 2
    assert "is not a table of results" in capsys.readouterr().err


def test_damaged_metadata_is_refused(toys, tmp_path, capsys):
    toys()
    (tmp_path / "metadata.json").write_text("[1", encoding="utf-8")
    assert run("toy", "--output", tmp_path) == 2
    assert "is damaged" in capsys.readouterr().err


def test_unknown_names_are_refused_with_the_known_ones(capsys):
    for arguments, words in (
        (("bible",), "lasvm"),
        (("tracking", "fig99"), "fig6"),
        (("all", "fig1"), "one paper"),
    ):
        assert run(*arguments) == 2
        assert words in capsys.readouterr().err


def test_papers_are_listed_without_arguments(capsys):
    assert run() == 0
    assert "nonconvex" in capsys.readouterr().out


def test_find_experiments_refuses_unknown_papers():
    with pytest.raises(HingeError, match="no paper"):
        find_experiments("bible")


def test_bad_options_are_refused_in_one_sentence(capsys):
    assert run("lasvm", "--fast") == 2
    error = capsys.readouterr().err
    assert "--fast" in error
    assert error.count("\n") == 1


def test_options_may_stand_between_names(toys, tmp_path):
    measured = toys()
    assert run("toy", "--output", tmp_path, "fig1") == 0
    assert measured == [1, 2, 3]
    assert not (tmp_path / "toy" / "fig2.csv").exists()


def test_long_lines_of_the_report_are_wrapped(toys, tmp_path):
    toys(explanation="Toys - and games - are fun. " * 30)
    run("toy", "--output", tmp_path, "--document", tmp_path / "report.md")
    lines = (tmp_path / "report.md").read_text(encoding="utf-8").splitlines()
    assert max(len(line) for line in lines) < 120
    assert not any(line.startswith(("- and", "- are")) for line in lines)

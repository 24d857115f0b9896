"""Every experiment of the papers: its cells, and its tables, checks and pictures of the committed results."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from experiments.markdown_report import write_report
from experiments.outcome import CHANGED, REPRODUCED
from experiments.records import Records, write_records
from experiments.registry import PAPERS, find_experiments
from experiments.result_store import ResultStore, read_metadata, table_path
from experiments.runner import draw_picture, stored_outcomes

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "experiments" / "results"
NAMES = [(paper.name, name) for paper in PAPERS.values() for name in paper.experiments]
ALL_CLAIMS_HOLD = {  # as the paper has them, or with changes that the experiment names
    "lasvm": "fig1 fig2 fig3 fig4 fig5 fig6 fig11 fig12 fig13 fig14",
    "nonconvex": "table1 fig1 fig2 fig4 fig5 fig7",
    "tracking": "fig1 fig2 fig3 fig4 fig5",
    "incremental": "fig1 fig6",
    "asset": "fig1 table2",
}


@pytest.fixture(scope="module")
def outcomes():
    """The outcomes of the committed results, by paper and name."""
    return {(outcome.entry.paper, outcome.entry.name): outcome for outcome in stored_outcomes(RESULTS)}


@pytest.fixture
def experiment(request):
    """One experiment, by paper and name."""
    (entry,) = find_experiments(request.param[0], [request.param[1]])
    return entry.experiment


@pytest.mark.parametrize("experiment", NAMES, indirect=True, ids=" ".join)
@pytest.mark.parametrize("quick", [True, False])
def test_keys_of_cells_are_unique_and_have_the_same_columns(experiment, quick):
    cells = list(experiment.measurement.cells(quick))
    assert cells
    assert len({tuple(cell.key.items()) for cell in cells}) == len(cells)
    assert len({tuple(cell.key) for cell in cells}) == 1


@pytest.mark.parametrize("experiment", NAMES, indirect=True, ids=" ".join)
def test_texts_are_sentences(experiment):
    for text in (experiment.claim, experiment.setting, experiment.quick):
        assert text.rstrip("'").endswith(".")
    for text in (experiment.incomparable, experiment.changes, experiment.explanation):
        assert text == "" or text.endswith(".")
    assert not experiment.title.endswith(".")


@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_committed_results_are_complete(outcomes, name):
    assert not outcomes[name].missing
    for table in outcomes[name].tables:
        assert {len(row) for row in table.rows} == {len(table.columns)}


@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_another_run_leaves_the_committed_table_as_it_is(name, tmp_path):
    (entry,) = find_experiments(name[0], [name[1]])
    write_records(tmp_path / "again.csv", ResultStore(RESULTS, entry, quick=False).records)
    assert (tmp_path / "again.csv").read_bytes() == table_path(RESULTS, *name).read_bytes()


@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_differences_are_explained(outcomes, name):
    experiment, verdict = outcomes[name].entry.experiment, outcomes[name].verdict
    assert verdict in (REPRODUCED, CHANGED) or experiment.explanation or experiment.incomparable


@pytest.mark.parametrize(
    "name", [(paper, name) for paper, names in ALL_CLAIMS_HOLD.items() for name in names.split()], ids=" ".join
)
def test_claims_still_hold(outcomes, name):
    assert outcomes[name].verdict in (REPRODUCED, CHANGED), outcomes[name].reason


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_incomplete_results_raise_no_errors(outcomes, name):
    experiment, records = outcomes[name].entry.experiment, list(outcomes[name].records)
    for part in (Records(records[: len(records) // 2]), Records(records[len(records) // 2 :]), Records()):
        assert all(check.holds in (True, False) for check in experiment.check(part))
        for table in experiment.tabulate(part):
            assert all(len(row) == len(table.columns) for row in table.rows)
        if len(part):
            experiment.draw(part, Figure(figsize=experiment.size, layout="constrained"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_pictures_can_be_drawn(outcomes, name, tmp_path):
    draw_picture(outcomes[name], tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5_000


def test_report_is_generated_from_the_committed_results(outcomes, tmp_path):
    write_report(tmp_path / "again.md", list(outcomes.values()), read_metadata(RESULTS))
    written = (ROOT / "experiments" / "report.md").read_text(encoding="utf-8")
    assert (tmp_path / "again.md").read_text(encoding="utf-8") == written


def test_history_of_verdicts_ends_with_the_present_ones(outcomes):
    lines = (ROOT / "experiments" / "verdicts.md").read_text(encoding="utf-8").splitlines()
    rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")][1:]
    assert len(rows) > 25
    for experiments, _, verdict, _ in rows:
        paper, names = experiments.split(" ", 1)
        for name in names.split(", "):
            assert outcomes[paper, name].verdict == {"with changes": CHANGED}.get(verdict, verdict), (paper, name)


def test_report_has_short_lines():
    lines = (ROOT / "experiments" / "report.md").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) >= 120 and not line.startswith("|")] == []

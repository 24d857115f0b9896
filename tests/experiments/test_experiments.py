"""Every experiment of the papers: its cells, and what it makes of the results that are kept in the repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure

import experiments
from experiments import PAPERS
from experiments._records import Records
from experiments._verdict import REPRODUCED

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "experiments" / "results"
NAMES = [(paper.name, name) for paper in PAPERS.values() for name in paper.experiments]
MUST_BE_REPRODUCED = {
    "lasvm": "fig4 fig8 fig9 fig10 fig11 fig12 fig14 fig15 fig16",
    "nonconvex": "table1 table3 table4 fig2 fig5",
    "tracking": "fig2 fig3 fig4",
    "incremental": "fig4 fig5 fig8 fig9 fig10",
    "asset": "fig1 table2",
}


@pytest.fixture(scope="module")
def kept():
    """What the results in the repository show, by paper and name."""
    return {(outcome.entry.paper, outcome.entry.name): outcome for outcome in experiments.known_outcomes(KEPT)}


@pytest.fixture
def experiment(request):
    """One experiment, by its names."""
    (entry,) = experiments.find(request.param[0], [request.param[1]])
    return entry.experiment


@pytest.mark.parametrize("experiment", NAMES, indirect=True, ids=" ".join)
@pytest.mark.parametrize("quick", [True, False])
def test_cells_have_keys_of_their_own_and_the_same_columns(experiment, quick):
    cells = list(experiment.measurement.cells(quick))
    assert cells
    assert len({tuple(cell.key.items()) for cell in cells}) == len(cells)
    assert len({tuple(cell.key) for cell in cells}) == 1


@pytest.mark.parametrize("experiment", NAMES, indirect=True, ids=" ".join)
def test_texts_are_sentences(experiment):
    for text in (experiment.claim, experiment.setting, experiment.quick):
        assert text.rstrip("'").endswith(".")
    for text in (experiment.incomparable, experiment.explanation):
        assert text == "" or text.endswith(".")
    assert not experiment.title.endswith(".")


@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_results_of_a_full_run_are_kept_whole(kept, name):
    assert not kept[name].missing
    for table in kept[name].tables:
        assert {len(row) for row in table.rows} == {len(table.columns)}


@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_what_differs_is_explained(kept, name):
    experiment, verdict = kept[name].entry.experiment, kept[name].verdict
    assert verdict == REPRODUCED or experiment.explanation or experiment.incomparable


@pytest.mark.parametrize(
    "name", [(paper, name) for paper, names in MUST_BE_REPRODUCED.items() for name in names.split()], ids=" ".join
)
def test_what_the_library_rests_on_is_reproduced(kept, name):
    assert kept[name].verdict == REPRODUCED, kept[name].reason


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_half_of_the_results_is_no_trouble(kept, name):
    experiment, records = kept[name].entry.experiment, list(kept[name].records)
    for part in (Records(records[: len(records) // 2]), Records(records[len(records) // 2 :]), Records()):
        assert all(check.holds in (True, False) for check in experiment.check(part))
        for table in experiment.tabulate(part):
            assert all(len(row) == len(table.columns) for row in table.rows)
        if len(part):
            experiment.draw(part, Figure(figsize=experiment.size, layout="constrained"))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES, ids=" ".join)
def test_pictures_can_be_drawn(kept, name, tmp_path):
    experiments.draw(kept[name], tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5_000


def test_the_document_is_that_of_the_kept_results(kept, tmp_path):
    experiments.write_document(tmp_path / "again.md", list(kept.values()), experiments.about(KEPT))
    written = (ROOT / "docs" / "reproduction.md").read_text(encoding="utf-8")
    assert (tmp_path / "again.md").read_text(encoding="utf-8") == written

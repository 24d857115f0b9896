"""Export labels and the model, and import labels, without the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hinge.exceptions import ParameterError
from hinge.persistence import save
from hinge.web._label_cache import LabelCache
from hinge.web._label_files import FORMATS, read_labels, write_labels
from hinge.web._session import Session
from hinge.web._store import Store

if TYPE_CHECKING:
    import os

    from hinge.web._settings import SessionSettings
    from hinge.web.pools import Pool


def export(
    pool: Pool,
    store_url: str | os.PathLike[str],
    project: str,
    path: str | os.PathLike[str],
    settings: SessionSettings,
) -> int:
    """Write the labels of a project, or the model trained on them, to a file; return the number of labels.

    Parameters
    ----------
    pool : Pool
        The examples.
    store_url : str or path
        The label database.
    project : str
        The name of the project in the database.
    path : str or path
        The output file: .csv, .parquet or .svm for labels, .hinge for the model.
    settings : SessionSettings
        The model that learns the labels.
    """
    format = Path(path).suffix.lower().removeprefix(".")  # noqa: A001  the usual name
    if format not in {*FORMATS, "hinge"}:
        raise ParameterError(
            f"An export file must end in .csv, .parquet, .svm or .hinge, got {str(path)!r}; rename it."
        )
    with Store(store_url, project) as store:
        if format == "hinge":
            return _export_model(Session(pool, store, settings), path)
        cache = LabelCache(pool, store)
        cache.import_known()
        records = cache.export_records(format)
        write_labels(format, records, pool, path)
        return len(records)


def _export_model(session: Session, path: str | os.PathLike[str]) -> int:
    try:
        save(session.learning.model(timeout=None), path)
        return len(session.cache.records)
    finally:
        session.close()


def import_labels(
    pool: Pool, store_url: str | os.PathLike[str], project: str, path: str | os.PathLike[str]
) -> tuple[int, int, int]:
    """Import labels from a CSV file; they replace existing ones. Return how many are new, changed and unchanged.

    Parameters
    ----------
    pool : Pool
        The examples.
    store_url : str or path
        The label database.
    project : str
        The name of the project in the database.
    path : str or path
        A CSV file with the columns `key` (or `row`) and `label`.
    """
    with Store(store_url, project) as store:
        return store.import_records(read_labels(path, pool), replace=True)

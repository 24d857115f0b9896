"""Labels in and out, and the model, as files: without the page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from hinge.exceptions import ParameterError
from hinge.persistence import save
from hinge.web._book import Book
from hinge.web._session import Session
from hinge.web._store import Store
from hinge.web._transfer import FORMATS, read_labels, write_labels

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
    """Write the labels of a project to a file, or the model that they make; return the number of labels.

    Parameters
    ----------
    pool : Pool
        The examples.
    store_url : str or path
        The database of labels.
    project : str
        Their name in the database.
    path : str or path
        Ends in .csv, .parquet or .svm for labels, in .hinge for the model.
    settings : SessionSettings
        Which model learns the labels.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in {*FORMATS, "hinge"}:
        raise ParameterError(f"An export must end in .csv, .parquet, .svm or .hinge, got {str(path)!r}; rename it.")
    with Store(store_url, project) as store:
        if ending == "hinge":
            return _export_model(Session(pool, store, settings), path)
        book = Book(pool, store)
        book.bring_known()
        answers = book.exported(ending)
        write_labels(ending, answers, pool, path)
        return len(answers)


def _export_model(session: Session, path: str | os.PathLike[str]) -> int:
    try:
        save(session.model(patience=None), path)
        return len(session.book.answers)
    finally:
        session.close()


def import_labels(
    pool: Pool, store_url: str | os.PathLike[str], project: str, path: str | os.PathLike[str]
) -> tuple[int, int, int]:
    """Take labels from a CSV file; they replace others. Return how many are new, changed and as before.

    Parameters
    ----------
    pool : Pool
        The examples.
    store_url : str or path
        The database of labels.
    project : str
        Their name in the database.
    path : str or path
        A CSV file with columns `key` (or `row`) and `label`.
    """
    with Store(store_url, project) as store:
        return store.bring(read_labels(path, pool), replace=True)

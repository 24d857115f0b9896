"""Fuzz everything that reads a file: model files, LIBSVM models, svmlight, CSV, npz and Parquet.

    pip install atheris
    python -m fuzz model --seconds 600      # guided by the coverage of the Python code
    python -m fuzz model --blind --runs 4000    # random changes; needs no atheris
    python -m fuzz seeds                        # writes the valid files of the corpus again

An input may be read, or refused by one of the library's errors in one sentence. Everything else is a finding: other
exceptions and warnings, non-finite decisions, too much memory or time, rows that depend on the size of chunks, and
crashes. `corpus/TARGET` holds valid files and, as `found-*`, earlier findings; `tests/fuzz` replays all of them.
"""

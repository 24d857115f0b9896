"""Fuzzing of everything that reads a file: model files, LIBSVM models, svmlight, CSV, npz and Parquet.

    pip install atheris
    python -m fuzz model --seconds 600      # guided by the coverage of the Python code
    python -m fuzz model --blind --runs 4000    # the same changes at random; needs no atheris
    python -m fuzz seeds                        # writes the valid files of the corpus anew

An input may be read, or refused by one of the library's errors in one sentence. Everything else is a finding: other
exceptions and warnings, decisions that are not finite, too much memory or time, rows that depend on the size of chunks,
and the end of the process. `corpus/TARGET` holds valid files and, as `found-*`, what was found before; `tests/fuzz`
replays all of them.
"""

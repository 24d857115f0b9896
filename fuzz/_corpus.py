"""The corpus: valid files, written by `write_seeds`, and inputs that once broke something."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load, save
from scipy.sparse import csr_matrix

import hinge
from fuzz._model_damage import split
from fuzz._targets import TARGETS
from hinge import (
    ApproximateSVC,
    ApproximateSVR,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    OnlineSVC,
    RobustOnlineSVC,
    TrackingSVC,
)
from hinge.export import to_libsvm
from hinge.io import arrow, open_source
from hinge.tables import OneClassPreparation, PreparedClassifier, PreparedDetector, Survey

CORPUS = Path(__file__).parent / "corpus"
_N_EXAMPLES = 24  # of a model

_SVMLIGHT = b"1 1:0.5 3:2\n-1 2:1 # why\n\n1 qid:3 1:4\n-1 3:-1e-3\n"
_CSV = b'colour,weight,"fruit, if known"\ngreen,150,pear\n"pale\nyellow",120,banana\nred,1e2,apple\n'


def inputs(target: str) -> dict[str, bytes]:
    """Return the stored inputs of a target by name."""
    return {file.name: file.read_bytes() for file in sorted((CORPUS / target).iterdir())}


def write_seeds() -> None:
    """Write the valid files of the corpus."""
    for target, seeds in {
        "model": _with_older(_files(models(), hinge.save)),
        "libsvm": _files(_for_libsvm(), to_libsvm),
        "svmlight": _texts(_SVMLIGHT),
        "csv": _texts(_CSV) | {"numbers": b"1;2;0\n3;4;1\n"},
        "npz": _archives(),
        "parquet": _tables(),
    }.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in seeds.items():
            (folder / f"valid-{name}{TARGETS[target].suffix}").write_bytes(content)


def models() -> dict[str, Any]:
    """Return one model of every kind that is stored differently."""
    source = np.random.default_rng(0)
    X = source.normal(size=(_N_EXAMPLES, 3))
    y = np.arange(_N_EXAMPLES) % 2
    many = np.array(["ash", "beech", "cedar", "oak"])[np.arange(_N_EXAMPLES) % 4]
    positive = csr_matrix(X * (X > 0))
    ids = [f"row {place}" for place in range(_N_EXAMPLES)]
    settings: dict[str, Any] = {"random_state": 0, "n_jobs": 1}
    exact = IncrementalSVC(**settings).fit(X, y, ids=ids).forget("row 3")
    return {
        "online": OnlineSVC(**settings).fit(X, y),
        "float32": OnlineSVC(**settings).fit(X.astype(np.float32) + 1e4, many),
        "poly": OnlineSVC(kernel="poly", class_weight={0: 2.0, 1: 1.0}, **settings).fit(positive, y),
        "laplacian": OnlineSVC(kernel="laplacian", max_support=8, **settings).fit(positive.astype(np.float32), many),
        "begun": OnlineSVC(kernel="linear", selection="active", **settings).partial_fit(X[:9], np.zeros(9)),
        "precomputed": OnlineSVC(kernel="precomputed", **settings).partial_fit((X @ X.T)[:16], y[:16] == 1),
        "late": OnlineSVC(gamma=0.5, **settings).partial_fit(X, many, classes=["ash", "beech", "cedar", "elm", "oak"]),
        "robust": RobustOnlineSVC(C=10.0, warmup=5, max_idle=5, clean_every=5, **settings).fit(
            X, source.permutation(y)
        ),
        "tracking": TrackingSVC(**settings).fit(X.astype(np.float32), many),
        "tracking-support": TrackingSVC(keep="support", **settings).fit(positive, y),
        "perceptron": KernelPerceptron(max_support=9, margin=0.5, **settings).fit(X, many),
        "exact": exact,
        "window": IncrementalSVC(kernel="linear", max_examples=20, **settings).partial_fit(
            X, many, classes=["ash", "yew"]
        ),
        "sphere": IncrementalOneClassSVM(nu=0.3, shape="sphere", **settings).fit(positive),
        "nystroem": ApproximateSVC(n_components=9, **settings).fit(X, many),
        "gathering": ApproximateSVC(n_components=12, loss="log_loss", **settings).partial_fit(X, y),
        "asset": ApproximateSVC(n_components=12, steps="asset", **settings).partial_fit(positive, y),
        "fourier": ApproximateSVC(approximation="fourier", n_components=9, **settings).fit(X.astype(np.float32), many),
        "regression": ApproximateSVR(n_components=9, **settings).partial_fit(X, X[:, 0]),
        **_prepared(settings),
    }


def _prepared(settings: dict[str, Any]) -> dict[str, Any]:
    """Return models that include the preparation of a table."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "fruit.csv"
        file.write_bytes(b"colour,weight,fruit\n" + b"green,150,pear\nyellow,120,banana\nred,99,apple\n" * 4)
        survey = Survey()
        chunks = list(survey.scan(open_source(file).chunks()))
    preparation = survey.preparation()
    X, y = preparation.examples(chunks[0])
    detector = IncrementalOneClassSVM(nu=0.5, **settings).fit(X)
    return {
        "prepared": PreparedClassifier(OnlineSVC(**settings).fit(X, y), preparation),
        "detector": PreparedDetector(detector, OneClassPreparation.of(preparation, None)),
    }


def _with_older(files: dict[str, bytes]) -> dict[str, bytes]:
    """Add a file of the version before bounds and averages had arrays of their own."""
    arrays = load(files["late"])
    machines = len(arrays["member_counts"])
    for name in ("member_lows", "lag", "terms"):
        del arrays[name]
    counted = arrays["counters"][3:].reshape(machines, -1)[:, :4]
    arrays["counters"] = np.concatenate([arrays["counters"][:3], counted.ravel()])
    return files | {"older": save(arrays, split(files["late"])[0]["__metadata__"])}


def _for_libsvm() -> dict[str, Any]:
    names = ("online", "poly", "robust")
    known = {name: model for name, model in models().items() if name in names}
    numbered = OnlineSVC(kernel="sigmoid", coef0=0.1, random_state=0)
    X = np.random.default_rng(1).normal(size=(_N_EXAMPLES, 3))
    return known | {"three": numbered.fit(X, np.arange(_N_EXAMPLES) % 3)}


def _files(made: dict[str, Any], save: Any) -> dict[str, bytes]:
    contents = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, model in made.items():
            file = Path(folder) / "model"
            save(model, file)
            contents[name] = file.read_bytes()
    return contents


def _texts(text: bytes) -> dict[str, bytes]:
    return {"plain": text, "gzip": gzip.compress(text, mtime=0), "bzip2": bz2.compress(text), "xz": lzma.compress(text)}


def _archives() -> dict[str, bytes]:
    X, y = np.arange(12.0).reshape(6, 2), np.arange(6) % 2
    rows = csr_matrix(X * (X > 2))
    parts: dict[str, Any] = {"data": rows.data, "indices": rows.indices, "indptr": rows.indptr, "shape": rows.shape}
    contents = {
        "dense": {"X": X, "y": y},
        "columns": {"X": np.asfortranarray(X.astype(np.float32)), "y": np.array(list("ababab"))},
        "sparse": parts | {"format": b"csr", "y": y},
    }
    return {name: _archive(arrays) for name, arrays in contents.items()}


def _tables() -> dict[str, bytes]:
    columns = {"colour": ["red", "blue", "red", "red"], "weight": [1.5, 2.0, 3.0, 4.0], "label": [1, 2, 1, 2]}
    return {"plain": _table(columns, compression="none", use_dictionary=False), "packed": _table(columns)}


def _table(columns: dict[str, Any], **options: Any) -> bytes:
    target = io.BytesIO()
    arrow("pyarrow.parquet").write_table(arrow("pyarrow").table(columns), target, **options)
    return target.getvalue()


def _archive(arrays: dict[str, Any]) -> bytes:
    target = io.BytesIO()
    np.savez_compressed(target, **arrays)
    return target.getvalue()

"""Damaged files: each either loads as a model that works or is refused by ModelFileError; nothing crashes or hangs.

`python test_fuzz.py COUNT SEED` tries many more in a process of their own, where a crash shows as an exit code.
"""

from __future__ import annotations

import faulthandler
import json
import random
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import load, save
from scipy.sparse import csr_matrix

import hinge
from hinge import (
    ApproximateSVC,
    ApproximateSVR,
    HingeError,
    IncrementalOneClassSVM,
    IncrementalSVC,
    KernelPerceptron,
    ModelFileError,
    OnlineSVC,
    RobustOnlineSVC,
    TrackingSVC,
)

PATIENCE = 60  # seconds, after which a mutation counts as one that hangs

WORDS = [
    "",
    "scale",
    "rbF",
    "poly",
    "linear",
    "precomputed",
    "callable",
    "balanced",
    "NaN",
    "<U9",
    "|O",
    "float32",
    "x" * 999,
]
NUMBERS = [
    0,
    -1,
    1,
    2,
    3,
    50,
    10**9,
    2**31 - 1,
    2**31,
    2**53,
    2**62,
    2**63,
    2**64,
    10**400,
    0.5,
    -0.0,
    1e-320,
    1e308,
    1e999,
]
JSON_VALUES = [None, True, False, [], {}, [[]], [1, 1], ["a", 1], {"pairs": [[0, 1], [0, 2]]}, *WORDS, *NUMBERS]
ENTRIES = [
    0,
    1,
    -1,
    5,
    2**31 - 1,
    -(2**31),
    2**62,
    2**63 - 1,
    -(2**63),
    np.nan,
    np.inf,
    -np.inf,
    1e308,
    -1e308,
    1e-320,
    1e150,
    0.5,
]


def models():
    """Return a model of every kind that is stored differently."""
    source = np.random.default_rng(0)
    X = source.normal(size=(60, 3))
    y = np.arange(60) % 2
    many = np.array(["ash", "beech", "cedar", "oak"])[np.arange(60) % 4]
    settings = {"random_state": 0, "n_jobs": 1}
    late = OnlineSVC(gamma=0.5, **settings).partial_fit(X, many, classes=["ash", "beech", "cedar", "elm", "oak", "yew"])
    return [
        OnlineSVC(**settings).fit(X, y),
        OnlineSVC(**settings).fit(X.astype(np.float32) + 1e4, many),
        OnlineSVC(kernel="poly", class_weight={0: 2.0, 1: 1.0}, **settings).fit(csr_matrix(X * (X > 0)), y),
        OnlineSVC(kernel="laplacian", max_support=8, **settings).fit(csr_matrix(X * (X > 1), dtype=np.float32), many),
        OnlineSVC(kernel="linear", selection="active", **settings).partial_fit(X[:9], np.zeros(9)),
        OnlineSVC(kernel="precomputed", **settings).partial_fit((X @ X.T)[:40], y[:40] == 1),
        late,
        RobustOnlineSVC(C=10.0, warmup=5, max_idle=5, clean_every=5, **settings).fit(X, source.permutation(y)),
        TrackingSVC(**settings).fit(X.astype(np.float32), many),
        TrackingSVC(keep="support", **settings).fit(csr_matrix(X * (X > 0)), y),
        KernelPerceptron(budget=9, margin=0.5, **settings).fit(X, many),
        IncrementalSVC(**settings).fit(X, y, ids=[f"row {place}" for place in range(60)]).forget("row 3"),
        IncrementalSVC(kernel="linear", max_examples=20, **settings).partial_fit(X, many, classes=["ash", "yew"]),
        IncrementalOneClassSVM(nu=0.3, shape="sphere", **settings).fit(csr_matrix(X * (X > 0))),
        ApproximateSVC(n_components=9, **settings).fit(X, many),
        ApproximateSVC(n_components=12, loss="log_loss", **settings).partial_fit(X[:40], y[:40]),
        ApproximateSVC(n_components=12, steps="asset", **settings).partial_fit(
            csr_matrix(X[:40] * (X[:40] > 0)), y[:40]
        ),
        ApproximateSVC(approximation="fourier", n_components=9, **settings).fit(X.astype(np.float32), many),
        ApproximateSVR(n_components=9, **settings).partial_fit(X[:30], X[:30, 0]),
    ]


def contents():
    """Return the bytes of a file of each of them."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{place}.hinge" for place in range(len(models()))]
        for model, file in zip(models(), files, strict=True):
            hinge.save(model, file)
        return [file.read_bytes() for file in files]


def parts_of(content):
    length = int.from_bytes(content[:8], "little")
    metadata = json.loads(content[8 : 8 + length])["__metadata__"]
    return load(content), json.loads(metadata["hinge"])


def joined(arrays, header):
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    return save(arrays, {"hinge": json.dumps(header)})


def damage_bytes(content, source):
    content = bytearray(content)
    length = int.from_bytes(content[:8], "little")
    end = source.choice([8, 8 + length, len(content)])
    for _ in range(source.choice([1, 1, 2, 8])):
        place = source.randrange(end)
        content[place] = source.choice([content[place] ^ (1 << source.randrange(8)), source.randrange(256), 0, 255])
    if source.random() < 0.1:
        del content[source.randrange(len(content)) :]
    if source.random() < 0.1:
        place = source.randrange(len(content) + 1)
        content[place:place] = source.randbytes(source.choice([1, 8, 100]))
    return bytes(content)


def damage_array(content, source):
    arrays, header = parts_of(content)
    name = source.choice(sorted(arrays))
    array = arrays[name].copy()
    way = source.random()
    if way < 0.7 and array.size:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(source.choice([1, 1, 2, 5])):
                value = source.choice([*ENTRIES, array.flat[source.randrange(array.size)]])
                array.flat[source.randrange(array.size)] = np.array(value).astype(array.dtype)
    elif way < 0.8:
        array = source.choice([array[:-1], array[1:], array[:0], np.concatenate([array, array])])
    elif way < 0.9:
        with np.errstate(all="ignore"):
            array = array.astype(source.choice(["f8", "f4", "i8", "i4", "u1", "?", "f2"]), casting="unsafe")
    else:
        array = source.choice([array.reshape(-1), array[None], array.reshape(-1, 1), array[::-1]])
    return joined(arrays | {name: array}, header)


def places(value, path=()):
    """Yield the way to every value in JSON."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in inside:
        yield from places(entry, (*path, key))


def damage_header(content, source):
    arrays, header = parts_of(content)
    for _ in range(source.choice([1, 1, 1, 2])):
        path = source.choice([way for way in places(header) if way])
        inner = header
        for key in path[:-1]:
            inner = inner[key]
        way = source.random()
        if way < 0.1:
            del inner[path[-1]]
        elif way < 0.2 and isinstance(inner, dict):
            inner[source.choice(["finish", "extra", "pairs", "name"])] = source.choice(JSON_VALUES)
        else:
            near = [other for other in (inner[path[-1]],) if isinstance(other, int | float) and type(other) is not bool]
            options = JSON_VALUES + [
                change(other) for other in near for change in (lambda n: n + 1, lambda n: n - 1, float)
            ]
            inner[path[-1]] = source.choice(options)
    return joined(arrays, header)


WAYS = {"bytes": damage_bytes, "array": damage_array, "header": damage_header}


def shown(model):
    """Return what a model shows of itself; Fourier features have no support vectors."""
    names = ("coef_",) if model.get_params().get("approximation") == "fourier" else ("support_vectors_", "dual_coef_")
    return [getattr(model, name) for name in (*names, "intercept_")]


def try_all(model, again):
    """Use what was loaded as its owner would; a refusal in words is fine."""
    n, features = 8, model.n_features_in_
    labels = np.resize(getattr(model, "classes_", np.zeros(1)), n)
    sparse = features > 10_000 or model._state.storage.sparse
    X = csr_matrix((np.ones(n), (np.arange(n), np.arange(n) % features)), shape=(n, features)) if sparse else None
    X = np.eye(n, features) if X is None else X
    if model._state.kernel.name == "precomputed":
        X = np.ones((n, features))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for use in (
            lambda: model.decision_function(X) if hasattr(model, "decision_function") else None,
            lambda: shown(model),
            lambda: model.partial_fit(X, labels),
            getattr(model, "finish", lambda: None),
            getattr(model, "duality_gap", float),
            lambda: model.predict(X),
            lambda: model.forget(model.ids_[::5]) if hasattr(model, "ids_") else None,
            lambda: hinge.save(model, again) or hinge.load(again),
        ):
            try:
                use()
            except HingeError:
                return "works, but refuses to go on"
    return "works"


def verdict(content, folder):
    """Say what becomes of a damaged file; anything but ModelFileError goes through."""
    file = Path(folder) / "damaged.hinge"
    file.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = hinge.load(file)
    except ModelFileError as error:
        text = str(error)
        assert "\n" not in text
        assert len(text) < 1000
        assert text.endswith(".")
        return "refused"
    return try_all(model, Path(folder) / "again.hinge")


@pytest.fixture(scope="module")
def files():
    return contents()


N_MODELS = 19


def test_all_of_them_are_tried(files):
    assert len(files) == N_MODELS


@given(which=st.integers(0, N_MODELS - 1), way=st.sampled_from(sorted(WAYS)), seed=st.integers(0, 2**32))
@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_damaged_files_work_or_are_refused(files, tmp_path_factory, which, way, seed):
    folder = tmp_path_factory.getbasetemp()
    assert verdict(WAYS[way](files[which], random.Random(seed)), folder) in {
        "refused",
        "works",
        "works, but refuses to go on",
    }


@pytest.mark.slow
def test_many_damaged_files_in_a_process_of_their_own():
    run = subprocess.run([sys.executable, __file__, "4000", "1"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def main(count, seed):
    """Try many; a failure names the case, and a crash leaves the number of the last one."""
    outcomes, originals = Counter(), contents()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            source = random.Random(f"{seed} {number}")
            way = source.choice(sorted(WAYS))
            content = WAYS[way](source.choice(originals), source)
            (Path(folder) / "last").write_text(f"{seed} {number}")
            faulthandler.dump_traceback_later(PATIENCE, exit=True)
            try:
                outcomes[f"{way}: {verdict(content, folder)}"] += 1
            except BaseException:
                sys.stderr.write(f"case {seed} {number} ({way})\n")
                raise
            finally:
                faulthandler.cancel_dump_traceback_later()
    sys.stdout.write(json.dumps(outcomes, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    faulthandler.enable()
    main(int(sys.argv[1]), int(sys.argv[2]))

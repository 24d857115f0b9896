"""`hinge train --model approximate`, and the other commands with such models."""

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

import hinge
from hinge import ApproximateSVC, ApproximateSVR

TRAIN = ("train", "census.csv", "--model", "approximate", "--label", "income", "--C", "3")


def result_of(done):
    assert done.code == 0, done.err
    return json.loads(done.out)


@pytest.fixture
def small(monkeypatch):
    """Treat all files as larger than memory."""
    monkeypatch.setattr("hinge.cli.train._sources.MAX_BYTES_IN_MEMORY", 0)
    monkeypatch.setattr("hinge.cli.train._sources.ROWS_PER_CHUNK", 50)


@pytest.mark.parametrize("approximation", ["nystroem", "fourier"])
def test_all_commands(run, census, approximation):
    pytest.importorskip("onnx")
    arguments = ("--components", "100", "--approximation", approximation, "--test", "test.csv", "--plot", "curve.png")
    result = result_of(run(*TRAIN, *arguments, "--json"))
    assert (result["estimator"], result["approximation"], result["loss"]) == ("ApproximateSVC", approximation, "hinge")
    assert (result["examples_seen"], result["online"]["components"] <= 100) == (600, True)
    assert "support_vectors" not in result["online"]
    assert result["online"]["test_error"] < 12
    assert (census / "curve.png").exists()
    facts = result_of(run("info", "model.hinge", "--json"))
    assert facts["components"] == result["online"]["components"]
    assert ("landmarks" in facts) == (approximation == "nystroem")
    assert "support_vectors" not in facts
    assert "components" in run("info", "model.hinge").out
    error = result_of(run("evaluate", "model.hinge", "test.csv", "--json"))["error"]
    assert error == pytest.approx(result["online"]["test_error"])
    model = hinge.load("model.hinge")
    rows = [row[:3] for row in csv.reader((census / "test.csv").read_text().splitlines()[1:])]
    assert run("predict", "model.hinge", "test.csv").out.split() == model.predict(rows).tolist()
    assert model.model._state.storage.dtype == np.float32
    done = run("export", "model.hinge", "-o", "census.onnx")
    assert (done.code, "outputs label and scores" in done.out) == (0, True)
    assert "hold numbers only" in run("export", "model.hinge", "-o", "census.libsvm").err


def test_text_output(run, census):
    done = run(*TRAIN, "--components", "50", "--compare", "--test", "test.csv", "--plot", "curve.svg")
    assert "hinge ApproximateSVC, one pass" in done.out
    assert "census.csv, C=3, nystroem, hinge, rbf, gamma=" in done.out
    assert "50 features" in " ".join(done.err.split())
    assert "SVs" not in done.err
    assert "┃ features ┃ support vectors ┃" in done.out
    assert "Features" in (census / "curve.svg").read_text()
    alone = run(*TRAIN, "--components", "50", "--test", "test.csv")
    assert "support" not in alone.out


def test_a_large_file_is_streamed(run, census, small, monkeypatch):
    """Rows of a file larger than memory are learned in small batches, and the model keeps only landmarks."""
    pieces = []

    def recorded(self, X, y, classes=None, sample_weight=None):
        pieces.append(len(y))
        return learn(self, X, y, classes, sample_weight)

    learn = ApproximateSVC.partial_fit
    monkeypatch.setattr(ApproximateSVC, "partial_fit", recorded)
    result = result_of(run(*TRAIN, "--components", "20", "--json"))
    assert (result["examples_seen"], sum(pieces), max(pieces)) == (600, 600, 50)
    assert hinge.load("model.hinge").model._state.reservoir is None
    assert len(hinge.load("model.hinge").support_) == 20


@pytest.mark.parametrize("streamed", [False, True])
def test_later_passes_do_not_count_examples_again(run, census, streamed, request):
    if streamed:
        request.getfixturevalue("small")
    result = result_of(run(*TRAIN, "--components", "100", "--epochs", "3", "--test", "test.csv", "--json"))
    assert (result["rows"], result["examples_seen"], result["epochs"]) == (600, 600, 3)
    model = hinge.load("model.hinge")
    assert (model.n_seen_, model.n_iter_ >= 1800) == (600, True)
    assert model.model._state.to_arrays()[0]["n_examples"].tolist() == [600]
    assert result["online"]["test_error"] < 12
    assert hinge.load("model.hinge").partial_fit([[30, "Rome", 40.0]], [">50K"]).n_seen_ == 601


def test_standard_input(run, census):
    text = (census / "census.csv").read_text()
    result = result_of(run("train", "-", "--model", "approximate", "--components", "50", "--json", stdin=text))
    assert result["examples_seen"] == 600
    done = run("train", "-", "--model", "approximate", "--epochs", "2", stdin=text)
    assert (done.code, "can be read only once" in done.err) == (2, True)


def test_resume(run, census):
    assert run(*TRAIN, "--components", "50").code == 0
    before = hinge.load("model.hinge")
    assert run("train", "test.csv", "--resume", "model.hinge", "--in-place", "--epochs", "2").code == 0
    after = hinge.load("model.hinge")
    assert (before.n_seen_, after.n_seen_) == (600, 800)
    np.testing.assert_array_equal(before.support_, after.support_)
    for arguments, sentence in (
        (("--components", "60"), "n_components must stay what it was"),
        (("--loss", "log_loss"), "loss must stay what it was"),
        (("--approximation", "fourier"), "approximation must stay what it was"),
        (("--model", "approximate"), "--model and --task must be left out with --resume"),
    ):
        done = run("train", "test.csv", "--resume", "model.hinge", "--in-place", *arguments)
        assert (done.code, sentence in done.err) == (2, True)
    assert hinge.load("model.hinge").n_seen_ == 800


def test_landmarks_of_a_short_file_are_final_and_training_can_resume(run, census):
    arguments = ("train", "test.csv", "--model", "approximate", "--label", "income", "--components", "100")
    assert run(*arguments).code == 0
    first = hinge.load("model.hinge")
    assert (first.model._state.reservoir, len(first.support_)) == (None, 100)
    assert run("train", "census.csv", "--resume", "model.hinge", "--in-place").code == 0
    model = hinge.load("model.hinge")
    assert (model.n_seen_, model.model._state.reservoir, len(model.support_)) == (800, None, 100)


def test_later_passes_over_a_short_file_are_kept(run, census):
    steps = []
    for epochs in ("1", "3"):
        assert run(*TRAIN, "--components", "300", "--epochs", epochs).code == 0
        steps.append(hinge.load("model.hinge").n_iter_)
    assert steps[1] > steps[0]


def test_probabilities(run, census):
    pytest.importorskip("onnx")
    assert run(*TRAIN, "--loss", "log_loss", "--components", "50").code == 0
    model = hinge.load("model.hinge")
    rows = [row[:3] for row in csv.reader((census / "test.csv").read_text().splitlines()[1:])]
    expected = model.model.predict_proba(model.transform(rows))
    head, *lines = run("predict", "model.hinge", "test.csv", "--probabilities").out.splitlines()
    assert head == "label,<=50K,>50K"
    found = np.array([[float(value) for value in line.split(",")[1:]] for line in lines])
    np.testing.assert_allclose(found, expected, atol=1e-12)
    result = result_of(run("predict", "model.hinge", "test.csv", "--probabilities", "--json"))
    np.testing.assert_allclose(result["probabilities"], expected, atol=1e-12)
    assert "outputs label, scores and probabilities" in run("export", "model.hinge", "-o", "census.onnx").out
    done = run("predict", "model.hinge", "test.csv", "--probabilities", "--scores")
    assert (done.code, "--scores must be left out with --probabilities" in done.err) == (2, True)
    assert run(*TRAIN).code == 0
    done = run("predict", "model.hinge", "test.csv", "--probabilities")
    assert (done.code, "--probabilities needs a model trained with" in done.err) == (2, True)


def test_export_to_libsvm(run, folder):
    assert run("train", "digits", "--model", "approximate", "--components", "60", "--no-compare").code == 0
    assert run("export", "model.hinge", "-o", "digits.libsvm").code == 0
    assert (folder / "digits.libsvm").read_text().startswith("svm_type c_svc\n")
    assert run("train", "digits", "--model", "approximate", "--approximation", "fourier", "--no-compare").code == 0
    done = run("export", "model.hinge", "-o", "fourier.libsvm")
    assert (done.code, done.err.count(".") <= 2, "which Fourier features are not" in done.err) == (2, True, True)
    assert not (folder / "fourier.libsvm").exists()


def test_interrupt_saves_the_model(run, census, monkeypatch):
    calls = []

    def interrupted(self, *arguments, **keywords):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return learn(self, *arguments, **keywords)

    learn = ApproximateSVC.partial_fit
    monkeypatch.setattr(ApproximateSVC, "partial_fit", interrupted)
    done = run(*TRAIN)
    assert (done.code, "Stopped after 96 examples" in done.err) == (130, True)
    assert hinge.load("model.hinge").n_seen_ == 96


@pytest.fixture
def regression(folder):
    """Save a regressor, and rows to predict."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = ApproximateSVR(n_components=50, random_state=0).fit(X, X[:, 0])
    hinge.save(model, folder / "model.hinge")
    np.savetxt(folder / "rows.csv", X[:20], delimiter=",")
    return model, X[:20]


def test_regressors(run, folder, regression):
    pytest.importorskip("onnx")
    model, X = regression
    found = [float(line) for line in run("predict", "model.hinge", "rows.csv", "--no-header").out.split()]
    np.testing.assert_allclose(found, model.predict(X))
    values = result_of(run("predict", "model.hinge", "rows.csv", "--no-header", "--json"))["values"]
    np.testing.assert_allclose(values, model.predict(X))
    facts = result_of(run("info", "model.hinge", "--json"))
    assert (facts["estimator"], facts["classes"]) == ("ApproximateSVR", [])
    assert "output value" in run("export", "model.hinge", "-o", "model.onnx").out
    assert run("export", "model.hinge", "-o", "model.libsvm").code == 0
    for arguments, sentence in (
        (("predict", "model.hinge", "rows.csv", "--scores"), "--scores must be left out"),
        (("export", "model.hinge", "-o", "other.libsvm", "--number-classes"), "labels must be None"),
    ):
        done = run(*arguments)
        assert (done.code, sentence in done.err) == (2, True), done.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--components", "50"), "--components must be left out: OnlineSVC has no such parameter"),
        (("--loss", "hinge"), "--loss must be left out: OnlineSVC has no such parameter"),
        (("--approximation", "fourier"), "--approximation must be left out: OnlineSVC has no such parameter"),
        (("--model", "approximate", "--components", "0"), "n_components must be"),
        (("--model", "approximate", "--loss", "ramp"), "loss must be one of"),
        (("--model", "approximate", "--approximation", "exact"), "approximation must be one of"),
        (("--model", "approximate", "--approximation", "fourier", "--kernel", "poly"), "kernel must be 'rbf' or"),
        (("--model", "approximate", "--max-support", "9"), "--max-support must be left out: ApproximateSVC has no"),
        (("--model", "approximate", "--max-examples", "9"), "--max-examples must be left out"),
        (("--model", "approximate", "--nu", "0.1"), "--nu must be left out"),
        (("--model", "approximate", "--normal", "<=50K"), "--normal must be left out"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, census, arguments, sentence):
    done = run("train", "census.csv", *arguments)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert not (census / "model.hinge").exists()


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(folder):
    """A file with almost four times the rows, both too large for memory, takes the same memory."""
    random = np.random.default_rng(0)
    block = random.normal(size=(5000, 60)).astype(np.float32)
    lines = "".join(
        f"{int(row[0] > 0)} " + " ".join(f"{place + 1}:{value:.4f}" for place, value in enumerate(row)) + "\n"
        for row in block
    )
    peaks = []
    for blocks in (8, 30):
        with (folder / "big.svm").open("w") as file:
            file.writelines([lines] * blocks)
        command = [
            sys.executable,
            "-m",
            "hinge",
            "train",
            "big.svm",
            "--no-tune",
            "--model",
            "approximate",
            "--components",
            "100",
        ]
        program = f"""
import resource, subprocess
subprocess.run({[*command, "--json"]!r}, check=True, capture_output=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        peaks.append(int(run.stdout) * (1024 if sys.platform == "linux" else 1))
        assert hinge.load("model.hinge").n_seen_ == 5000 * blocks
    assert peaks[1] - peaks[0] < 15_000_000

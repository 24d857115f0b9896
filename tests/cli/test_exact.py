"""`hinge train --model incremental` and `--model one-class`, and the other commands with such models."""

import json

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.metrics import roc_auc_score
from sklearn.svm import SVC, OneClassSVM

import hinge
from hinge.tables import PreparedDetector


def write_table(path, rows, header):
    path.write_text("\n".join(",".join(map(str, row)) for row in [header, *rows]) + "\n")


def machines(n, seed=0):
    """Return rows of a made-up workshop: heat, speed, kind, state; every eighth machine is broken."""
    random = np.random.default_rng(seed)
    rows = []
    for place in range(n):
        broken = place % 8 == 7
        heat, speed = random.normal(90 if broken else 60, 4), random.normal(900, 50)
        rows.append([round(heat, 2), round(speed, 1), random.choice(["saw", "drill"]), "broken" if broken else "ok"])
    return rows


@pytest.fixture
def workshop(folder):
    """Write machines.csv and new.csv, and bare.csv without the states."""
    heads = ("heat", "speed", "kind", "state")
    write_table(folder / "machines.csv", machines(240), heads)
    write_table(folder / "new.csv", machines(80, seed=1), heads)
    write_table(folder / "bare.csv", [row[:3] for row in machines(240) if row[3] == "ok"], heads[:3])
    return folder


def result_of(done):
    assert done.code == 0, done.err
    return json.loads(done.out)


class TestIncremental:
    def test_is_exact(self, run, census):
        """The model of a file is the solution of SVC for the same prepared rows."""
        arguments = ("train", "census.csv", "--model", "incremental", "--label", "income", "--C", "3")
        result = result_of(run(*arguments, "--test", "test.csv", "--compare", "--json"))
        assert (result["estimator"], result["svc"]["estimator"]) == ("IncrementalSVC", "SVC")
        assert result["online"]["test_error"] == pytest.approx(result["svc"]["test_error"], abs=1.0)
        model = hinge.load("model.hinge")
        assert model.model.kkt_violation() < 1e-6
        rows = [line.split(",") for line in (census / "census.csv").read_text().splitlines()[1:]]
        X, y = model.transform([row[:3] for row in rows]), [row[3] for row in rows]
        peer = SVC(C=3, gamma=model.model._state.kernel.gamma, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(model.model.decision_function(X), peer.decision_function(X), atol=1e-4)

    def test_window(self, run, census):
        result = result_of(run("train", "census.csv", "--model", "incremental", "--max-examples", "100", "--json"))
        assert result["online"]["test_error"] is None
        facts = result_of(run("info", "model.hinge", "--json"))
        assert (facts["examples_seen"], facts["examples_held"]) == (600, 100)
        assert facts["parameters"]["max_examples"] == 100

    def test_the_other_commands(self, run, census):
        pytest.importorskip("onnx")
        arguments = ("train", "census.csv", "--model", "incremental", "--label", "income", "--plot", "curve.png")
        assert "hinge IncrementalSVC, one pass" in run(*arguments).out
        assert (census / "curve.png").exists()
        assert set(run("predict", "model.hinge", "test.csv").out.split()) == {"<=50K", ">50K"}
        assert result_of(run("evaluate", "model.hinge", "test.csv", "--json"))["error"] < 15
        assert run("train", "test.csv", "--resume", "model.hinge", "--in-place").code == 0
        assert hinge.load("model.hinge").n_seen_ == 800
        assert run("export", "model.hinge", "-o", "census.onnx").code == 0
        assert "hold no preparation" in run("export", "model.hinge", "-o", "census.libsvm").err

    def test_checkpoints(self, run, census, monkeypatch):
        monkeypatch.setattr("hinge.cli.train._checkpoint.INTERVAL_S", 0.0)
        monkeypatch.setattr("hinge.cli.train._checkpoint.MAX_TIME_FRACTION", 1e9)
        saved = []
        hinge_save = hinge.save
        monkeypatch.setattr(
            "hinge.cli.train._checkpoint.save", lambda model, path: saved.append(hinge_save(model, path))
        )
        assert run("train", "census.csv", "--model", "incremental").code == 0
        assert len(saved) > 3


class TestOneClass:
    def test_only_normal_rows_are_learned(self, run, workshop):
        arguments = ("train", "machines.csv", "--model", "one-class", "--normal", "ok", "--test", "new.csv")
        done = run(*arguments, "--nu", "0.05", "--compare", "--json")
        result = result_of(done)
        assert (result["rows"], result["examples_seen"], result["classes"]) == (240, 210, [])
        assert (result["nu"], result["C"], result["shape"], result["normal"]) == (0.05, None, "plane", "ok")
        found = result["online"]["outliers"]
        assert (found["rows"], found["others"], found["new"]) == (70, 10, True)
        assert found["roc_area"] > 0.98
        assert result["svc"]["estimator"] == "OneClassSVM"
        assert result["svc"]["outliers"]["roc_area"] == pytest.approx(found["roc_area"], abs=1e-3)
        model = hinge.load("model.hinge")
        assert isinstance(model, PreparedDetector)
        assert model.preparation.label == "state"
        X = model.transform([row[:3] for row in machines(240) if row[3] == "ok"])
        peer = OneClassSVM(nu=0.05, gamma=model.model._state.kernel.gamma, tol=1e-8).fit(X)
        np.testing.assert_allclose(model.model.decision_function(X), peer.decision_function(X), atol=1e-4)

    def test_text_output(self, run, workshop):
        done = run("train", "machines.csv", "--model", "one-class", "--normal", "ok", "--compare")
        said = " ".join(done.err.split())
        assert "label: column 'state', a guess; --label names another" in said
        assert "one class: learns rows with the label ok; the others are outliers to find" in said
        assert "machines.csv, nu=0.1, plane, rbf, gamma=" in done.out
        for words in ("false alarms", "found", "ROC area", "scikit-learn OneClassSVM", "Misjudged before learning"):
            assert words in done.out
        assert "--test names rows that were not learned" in done.out

    def test_the_report_fits_a_narrow_terminal(self, run, workshop, monkeypatch):
        monkeypatch.setenv("COLUMNS", "80")
        done = run("train", "machines.csv", "--model", "one-class", "--normal", "ok", "--compare")
        assert max(map(len, done.out.splitlines())) <= 80
        assert "…" not in done.out

    def test_evaluate_with_the_normal_label(self, run, workshop):
        run("train", "machines.csv", "--model", "one-class", "--normal", "ok")
        result = result_of(run("evaluate", "model.hinge", "new.csv", "--json"))
        model = hinge.load("model.hinge")
        rows = [row[:3] for row in machines(80, seed=1)]
        truth = np.array([row[3] == "ok" for row in machines(80, seed=1)])
        assert result["roc_area"] == pytest.approx(roc_auc_score(truth, model.decision_function(rows)))
        outside = model.predict(rows) < 0
        assert result["classes"]["outlier"]["recall"] == pytest.approx(np.mean(outside[~truth]))
        assert result["classes"]["normal"]["recall"] == pytest.approx(np.mean(~outside[truth]))
        other = result_of(run("evaluate", "model.hinge", "new.csv", "--normal", "broken", "--json"))
        assert other["roc_area"] == pytest.approx(1 - result["roc_area"])
        assert "predicted as outlier" in run("evaluate", "model.hinge", "new.csv").out

    def test_files_without_labels(self, run, workshop):
        done = run("train", "bare.csv", "--model", "one-class")
        said = " ".join(done.err.split())
        assert "210 rows, 4 features" in said
        assert "label:" not in said
        assert "one class: learns all rows; --normal names" in said
        assert "called outliers" in done.out
        assert hinge.load("model.hinge").preparation.label is None
        assert "--normal names the label of normal rows" in run("evaluate", "model.hinge", "bare.csv").out
        assert result_of(run("evaluate", "model.hinge", "bare.csv", "--json"))["called"] <= 10
        assert result_of(run("evaluate", "model.hinge", "new.csv", "--normal", "ok", "--json"))["roc_area"] > 0.98
        done = run("evaluate", "model.hinge", "bare.csv", "--normal", "ok")
        assert (done.code, "There must be a label column" in done.err) == (2, True)

    def test_files_without_names(self, run, workshop):
        for name in ("bare", "new"):
            lines = (workshop / f"{name}.csv").read_text().splitlines()
            (workshop / f"{name}-rows.csv").write_text("\n".join(lines[1:]) + "\n")
        assert run("train", "bare-rows.csv", "--model", "one-class").code == 0
        assert len(run("predict", "model.hinge", "bare-rows.csv").out.split()) == 210
        assert result_of(run("evaluate", "model.hinge", "new-rows.csv", "--normal", "ok", "--json"))["roc_area"] > 0.98

    def test_unused_labels_may_be_missing(self, run, workshop):
        lines = [f"{row[0]},{row[1]},{'' if place % 2 else 'a'}" for place, row in enumerate(machines(80))]
        (workshop / "some.csv").write_text("\n".join(["heat,speed,label", *lines, ",1,a"]) + "\n")
        done = run("train", "some.csv", "--model", "one-class", "--missing", "drop", "--json")
        assert (result_of(done)["rows"], result_of(done)["label"]) == (80, "label")

    def test_rows_of_numbers(self, run, folder):
        data = hinge.datasets.load("digits")
        np.savez("bare.npz", X=data.X_train[data.y_train == 3])
        assert result_of(run("train", "bare.npz", "--model", "one-class", "--json"))["rows"] == 130
        dump_svmlight_file(data.X_test, data.y_test, "test.svm", zero_based=False)
        assert result_of(run("evaluate", "model.hinge", "test.svm", "--normal", "3", "--json"))["roc_area"] > 0.95
        done = run("train", "test.svm", "--model", "one-class", "--normal", "3", "--json")
        assert result_of(done)["examples_seen"] == np.sum(data.y_test == 3)

    def test_data_sets_by_name(self, run, folder):
        result = result_of(run("train", "digits", "--model", "one-class", "--normal", "3", "--json"))
        assert result["online"]["outliers"]["roc_area"] > 0.95
        assert result["picture"] == "train.png"
        assert result_of(run("info", "model.hinge", "--json"))["normal"] == "3"
        more = result_of(
            run("train", "digits", "--resume", "model.hinge", "--in-place", "--seed", "5", "--no-compare", "--json")
        )
        assert (more["normal"], more["svc"]) == ("3", None)
        assert more["examples_seen"] > result["examples_seen"]

    def test_predict(self, run, workshop):
        run("train", "machines.csv", "--model", "one-class", "--normal", "ok")
        words = run("predict", "model.hinge", "new.csv").out.split()
        assert set(words) == {"normal", "outlier"}
        head, *rows = run("predict", "model.hinge", "new.csv", "--scores").out.splitlines()
        assert head == "label,score"
        assert all((label == "normal") == (float(score) >= 0) for label, score in (row.split(",") for row in rows))
        assert result_of(run("predict", "model.hinge", "new.csv", "--json"))["labels"] == words

    def test_resume_and_windows(self, run, workshop):
        arguments = ("train", "machines.csv", "--model", "one-class", "--normal", "ok", "--max-examples", "50")
        assert run(*arguments).code == 0
        inner = hinge.load("model.hinge").model
        assert inner.ids_ == list(range(160, 210))  # the last rows of the file, in its order
        assert run("train", "new.csv", "--resume", "model.hinge", "--in-place").code == 0
        model = hinge.load("model.hinge")
        assert (model.n_seen_, len(model.ids_), model.preparation.normal) == (280, 50, "ok")
        done = run("train", "new.csv", "--resume", "model.hinge", "--in-place", "--normal", "broken")
        assert (done.code, "--normal must be left out" in done.err) == (2, True)
        done = run("train", "new.csv", "--resume", "model.hinge", "--in-place", "--nu", "0.3")
        assert (done.code, "must stay what they were" in done.err) == (2, True)

    def test_standard_input_and_large_files(self, run, workshop, monkeypatch):
        text = (workshop / "machines.csv").read_text()
        result = result_of(run("train", "-", "--model", "one-class", "--normal", "ok", "--json", stdin=text))
        assert result["examples_seen"] == 210
        assert "outliers" not in result["online"]  # the rows have gone by
        monkeypatch.setattr("hinge.cli.train._sources.MAX_BYTES_IN_MEMORY", 0)
        monkeypatch.setattr("hinge.cli.train._sources.ROWS_PER_CHUNK", 50)
        result = result_of(run("train", "machines.csv", "--model", "one-class", "--normal", "ok", "--json"))
        assert result["examples_seen"] == 210
        assert result["online"]["outliers"]["roc_area"] > 0.98

    def test_interrupt_saves_the_model(self, run, workshop, monkeypatch):
        learn, calls = hinge.IncrementalOneClassSVM.partial_fit, []

        def interrupted(self, X):
            calls.append(X)
            if len(calls) == 4:
                raise KeyboardInterrupt
            return learn(self, X)

        monkeypatch.setattr(hinge.IncrementalOneClassSVM, "partial_fit", interrupted)
        done = run("train", "machines.csv", "--model", "one-class", "--normal", "ok")
        assert (done.code, "Stopped after 84 examples" in done.err) == (130, True)
        assert hinge.load("model.hinge").n_seen_ == 84

    def test_plot_of_two_features(self, run, folder):
        random = np.random.default_rng(0)
        rows = np.vstack([random.normal(size=(90, 2)), random.normal(4, 1, size=(10, 2))])
        write_table(folder / "plane.csv", [[*row, int(place >= 90)] for place, row in enumerate(rows)], "abc")
        arguments = ("train", "plane.csv", "--model", "one-class", "--normal", "0", "--shape", "sphere")
        assert result_of(run(*arguments, "--plot", "plane.svg", "--json"))["shape"] == "sphere"
        assert "Normal region" in (folder / "plane.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--max-examples", "50"), "--max-examples must be left out: OnlineSVC has no such parameter"),
        (("--nu", "0.1"), "--nu must be left out: OnlineSVC has no such parameter"),
        (("--normal", "ok"), "--normal must be left out: OnlineSVC learns all classes"),
        (("--model", "incremental", "--shape", "sphere"), "--shape must be left out: IncrementalSVC has no such"),
        (("--model", "incremental", "--max-support", "9"), "--max-support must be left out"),
        (("--model", "incremental", "--max-examples", "1"), "max_examples must be"),
        (("--model", "incremental", "--eviction", "luck"), "eviction must be one of 'balanced', 'relevance'"),
        (("--eviction", "age"), "--eviction must be left out: OnlineSVC has no such parameter"),
        (("--model", "incremental", "--epochs", "2"), "--epochs must be 1: IncrementalSVC has the exact solution"),
        (("--model", "one-class", "--normal", "fine"), "Some rows must have the label 'fine' of normal rows, got"),
        (("--model", "one-class", "--nu", "2"), "nu must be at most 1"),
        (("--model", "one-class", "--nu", "0.1", "--C", "1"), "--nu must be left out with --C"),
        (("--model", "one-class", "--shape", "cube"), "shape must be"),
        (
            ("--model", "one-class", "--shape", "sphere", "--kernel", "linear", "--compare"),
            "--compare needs --shape plane",
        ),
    ],
)
def test_bad_options_are_one_sentence(run, workshop, arguments, sentence):
    done = run("train", "machines.csv", *arguments)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert not (workshop / "model.hinge").exists()


def test_commands_that_need_other_models(run, workshop):
    run("train", "machines.csv", "--model", "one-class")
    done = run("export", "model.hinge", "-o", "machines.onnx")
    assert (done.code, "Only classifiers and regressors can be exported" in done.err) == (2, True)
    run("train", "machines.csv", "-o", "classes.hinge")
    done = run("evaluate", "classes.hinge", "new.csv", "--normal", "ok")
    assert (done.code, "--normal must be left out: the model knows more than one class" in done.err) == (2, True)
    done = run("train", "digits", "--model", "one-class", "--normal", "x")
    assert (done.code, "--normal must be one of 0, 1, 2" in done.err) == (2, True)


def test_models_from_python(run, workshop):
    """A detector that was saved without a preparation takes rows of numbers."""
    X = np.random.default_rng(0).normal(size=(100, 3))
    hinge.save(hinge.IncrementalOneClassSVM(nu=0.1).fit(X), "plain.hinge")
    np.savez("rows.npz", X=X)
    words = run("predict", "plain.hinge", "rows.npz").out.split()
    assert (np.array(words) == "outlier").tolist() == (hinge.load("plain.hinge").predict(X) < 0).tolist()
    assert run("train", "rows.npz", "--resume", "plain.hinge", "--in-place").code == 0
    assert hinge.load("plain.hinge").n_seen_ == 200

"""`hinge train`, `predict`, `evaluate` and `info` with files of the user."""

import fcntl
import json
import os
import signal
import struct
import subprocess
import sys
import termios
import time

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.datasets import dump_svmlight_file

import hinge


def trained(run, *more):
    done = run("train", "census.csv", "--label", "income", "-o", "census.hinge", *more)
    assert done.code == 0, done.err
    return done


def test_a_table_just_works(run, census):
    done = trained(run, "--test", "test.csv", "--plot", "curve.svg")
    said = " ".join(done.err.split())
    assert "600 rows, 5 features, 2 classes (<=50K, >50K)" in said
    assert "label: column 'income' 2 columns of numbers, 1 of categories: city (3)" in said
    assert "2 standardised (mean 0, deviation 1), 3 of 0 and 1 left as they are" in said
    assert (census / "curve.svg").exists()
    model = hinge.load("census.hinge")
    assert isinstance(model, hinge.PreparedClassifier)
    _, y = hinge.datasets.read("test.csv", label="income")
    assert model.classes_.tolist() == ["<=50K", ">50K"]
    result = json.loads(run("evaluate", "census.hinge", "test.csv", "--json").out)
    assert result["error"] < 15
    assert result["rows"] == len(y)
    assert result["roc_area"] > 0.95
    assert f"{result['error']:.2f} %" in done.out


def test_ctrl_c_skips_the_comparison(run, census, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("hinge.cli.train._compare.run_in_background", interrupted)
    done = run("train", "census.csv", "--label", "income", "--compare", "--json")
    assert done.code == 130
    result = json.loads(done.out)
    assert (result["interrupted"], result["svc"], result["examples_seen"]) == (True, None, 600)
    assert hinge.load("model.hinge").n_seen_ == 600


def test_header_on_request(run, census):
    lines = (census / "census.csv").read_text().splitlines()
    (census / "years.csv").write_text("\n".join(["2019,2020,2021,2022", *lines[1:]]))
    assert json.loads(run("train", "years.csv", "--json").out)["rows"] == 601
    result = json.loads(run("train", "years.csv", "--header", "--label", "2022", "--json").out)
    assert (result["rows"], result["label"]) == (600, "2022")


def test_an_index_without_a_name(run, census):
    lines = (census / "census.csv").read_text().splitlines()
    numbered = ["," + lines[0], *(f"{place},{line}" for place, line in enumerate(lines[1:]))]
    (census / "frame.csv").write_text("\n".join(numbered))
    done = run("train", "frame.csv", "--label", "income", "--drop", "column 0", "--json")
    assert json.loads(done.out)["features"] == 5


def test_test_rows_are_checked_before_training(run, census):
    (census / "bad.csv").write_text("age,city,hours\n30,Rome,40\n")
    done = run("train", "census.csv", "--label", "income", "--test", "bad.csv")
    assert (done.code, "There must be a column 'income'" in done.err) == (2, True)
    assert not (census / "model.hinge").exists()


def test_features_of_different_size_are_scaled_one_by_one(run, folder):
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 2)) * [1, 1e5]
    dump_svmlight_file(X, (X.prod(axis=1) > 0).astype(int), "rng.svm", zero_based=False)
    result = json.loads(run("train", "rng.svm", "--C", "10", "--json").out)
    assert "standardised" in result["scaling"]
    assert result["online"]["progressive_error"] < 20


def test_many_classes_fit_a_narrow_terminal(run, folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    run("train", "digits", "--no-compare")
    data = hinge.datasets.load("digits")
    np.savez("test.npz", X=data.X_test, y=data.y_test)
    done = run("evaluate", "model.hinge", "test.npz")
    assert "precision" in done.out
    assert "Most frequent mistakes: " in done.out
    assert "…" not in done.out


def test_columns_with_too_many_categories_are_reported(run, census):
    lines = (census / "census.csv").read_text().splitlines()
    dated = [f"day,{lines[0]}", *(f"day {place // 3},{line}" for place, line in enumerate(lines[1:]))]
    (census / "dated.csv").write_text("\n".join(dated))
    said = " ".join(run("train", "dated.csv").err.split())
    assert "Column 'day' has 200 different values in 600 rows" in said
    assert "a guess; --label names another" in said


def test_compares_if_asked(run, census):
    assert "scikit-learn SVC" not in trained(run).out
    assert "scikit-learn SVC" in trained(run, "--compare", "--test", "test.csv").out


def test_predict(run, census):
    trained(run)
    labels = run("predict", "census.hinge", "test.csv").out.splitlines()
    assert len(labels) == 200
    assert set(labels) == {"<=50K", ">50K"}
    result = json.loads(run("predict", "census.hinge", "test.csv", "--scores", "--json").out)
    assert result["labels"] == labels
    assert run("predict", "census.hinge", "test.csv", "--scores", "-o", "answers.csv").out == ""
    head, *rows = (census / "answers.csv").read_text().splitlines()
    assert head == "label,score"
    assert [row.split(",")[0] for row in rows] == labels
    assert [float(row.split(",")[1]) for row in rows] == [score for (score,) in result["scores"]]
    assert all((score > 0) == (label == ">50K") for (score,), label in zip(result["scores"], labels, strict=True))


def test_predict_needs_no_labels(run, census):
    trained(run)
    expected = run("predict", "census.hinge", "test.csv").out
    lines = (census / "test.csv").read_text().splitlines()
    (census / "bare.csv").write_text("\n".join(line.rsplit(",", 1)[0] for line in lines))
    assert run("predict", "census.hinge", "bare.csv").out == expected


def test_predict_many_classes(run):
    run("train", "digits", "--no-compare")
    X = hinge.datasets.load("digits").X_test
    np.savez("test.npz", X=X)
    done = run("predict", "model.hinge", "test.npz", "--scores")
    head, *rows = done.out.splitlines()
    assert head == "label,0,1,2,3,4,5,6,7,8,9"
    assert [int(row.split(",")[0]) for row in rows] == hinge.load("model.hinge").predict(X).tolist()


def test_evaluate_shows_confusions(run, census):
    trained(run)
    done = run("evaluate", "census.hinge", "test.csv")
    assert "predicted as >50K" in done.out
    result = json.loads(run("evaluate", "census.hinge", "test.csv", "--json").out)
    assert sum(number for *_, number in result["confusion"]) == 200
    labels = np.array(run("predict", "census.hinge", "test.csv").out.split())
    truth = hinge.datasets.read("test.csv", label="income")[1]
    assert result["accuracy"] == pytest.approx(np.mean(labels == truth))
    for label in ("<=50K", ">50K"):
        assert result["classes"][label]["recall"] == pytest.approx(np.mean(labels[truth == label] == label))
        assert result["classes"][label]["precision"] == pytest.approx(np.mean(truth[labels == label] == label))


def test_info(run, census):
    trained(run, "--C", "3")
    facts = json.loads(run("info", "census.hinge", "--json").out)
    assert facts["estimator"] == "OnlineSVC"
    assert facts["columns"] == ["age", "city (3 categories)", "hours"]
    assert facts["label"] == "income"
    assert facts["examples_seen"] == 600
    assert facts["parameters"]["C"] == 3.0
    assert "city (3 categories)" in run("info", "census.hinge").out


def test_resume(run, census):
    trained(run)
    once = hinge.load("census.hinge")
    done = run("train", "census.csv", "--resume", "census.hinge", "--in-place", "--json")
    assert done.code == 0, done.err
    twice = hinge.load("census.hinge")
    assert twice.n_seen_ == 1200
    assert json.loads(done.out)["online"]["progressive_error"] < 15
    assert twice.preparation.columns == once.preparation.columns
    assert run("train", "test.csv", "--resume", "census.hinge", "-o", "third.hinge").code == 0
    assert hinge.load("census.hinge").n_seen_ == 1200
    assert hinge.load("third.hinge").n_seen_ == 1400
    done = run("train", "test.csv", "--resume", "census.hinge", "--in-place", "--scale", "none")
    assert (done.code, "--scale must be left out" in done.err) == (2, True)
    done = run("train", "digits", "--resume", "census.hinge", "--in-place")
    assert (done.code, "resume with such a file" in done.err) == (2, True)
    done = run("train", "test.csv", "--resume", "census.hinge", "--in-place", "--gamma", "7")
    assert (done.code, "must stay what they were" in done.err) == (2, True)


def test_resume_of_bundled_data(run):
    run("train", "digits", "--no-compare")
    assert run("train", "digits", "--resume", "model.hinge", "--in-place", "--no-compare", "--seed", "5").code == 0
    assert hinge.load("model.hinge").n_seen_ == 2400


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (",Rome,40,>50K", "column 'age' has no value in line 602"),
        ("30,?,40,>50K", "column 'city' has no value in line 602"),
        ("thirty,Rome,40,>50K", "Column 'age' must hold either numbers or categories, got 'thirty' in line 602"),
        ("30,Rome,40,", "Every row must have a label, but line 602 has none"),
        ("30,Rome,40", "line 602"),
    ],
)
def test_invalid_rows_are_reported_before_training(run, census, line, sentence):
    with (census / "census.csv").open("a") as file:
        file.write(line + "\n")
    done = run("train", "census.csv", "--label", "income")
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert not (census / "model.hinge").exists()


def test_one_class_is_too_few(run, folder):
    (folder / "one.csv").write_text("x,y\n1,a\n2,a\n")
    done = run("train", "one.csv")
    assert (done.code, done.out) == (2, "")
    sentence = "There must be rows of at least two classes, got only a in column 'y'; --label names another."
    assert done.err == f"hinge: {sentence}\n"


def test_rows_sorted_by_class_are_reported(run, folder, monkeypatch):
    monkeypatch.setattr("hinge.cli.train._sources.MAX_BYTES_IN_MEMORY", 0)
    (folder / "sorted.csv").write_text("x,y\n" + "1,a\n" * 1000 + "2,b\n" * 1000)
    assert "sorted by class" in run("train", "sorted.csv").err
    (folder / "mixed.csv").write_text("x,y\n" + "1,a\n2,b\n" * 1000)
    assert "sorted by class" not in run("train", "mixed.csv").err


def test_svmlight_that_counts_from_zero(run, folder):
    lines = [f"{y} 0:{y} 3:0.5 5:{1 - y}" for y in (0, 1)] * 30
    (folder / "zero.svm").write_text("\n".join(lines))
    assert run("train", "zero.svm").code == 0
    assert json.loads(run("evaluate", "model.hinge", "zero.svm", "--json").out)["error"] == 0


def test_plain_sparse_models_and_their_files(run, folder):
    random = np.random.default_rng(0)
    X = random.random((200, 6)) * (random.random((200, 6)) < 0.3)
    X[:, 0] = 0.0  # an empty first column is still a column
    y = (X[:, 1] > X[:, 2]).astype(int)
    model = hinge.OnlineSVC(C=10).fit(csr_matrix(X), y)
    hinge.save(model, "plain.hinge")
    sparse = csr_matrix(X)
    np.savez("x.npz", data=sparse.data, indices=sparse.indices, indptr=sparse.indptr, shape=sparse.shape, y=y)
    answers = [int(label) for label in run("predict", "plain.hinge", "x.npz").out.split()]
    assert answers == model.predict(sparse).tolist()
    assert hinge.datasets.read("x.npz")[0].shape == (200, 6)


def test_an_invalid_line_late_in_a_stream_saves_the_model(run, census):
    lines = (census / "census.csv").read_text().splitlines()
    text = "\n".join([*lines, *lines[1:] * 9, "old,Rome,40,>50K"])
    done = run("train", "-", stdin=text + "\n")
    assert done.code == 2
    assert "got 'old' in line 6002" in done.err
    assert "The model trained on the rows before it is in model.hinge" in done.err
    assert hinge.load("model.hinge").n_seen_ >= 1000


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("train", "test.csv", "--resume", "census.hinge", "--in-place", "--model", "online"),
            "--model and --task must be left out",
        ),
        (("export", "census.hinge", "-o", "x.onnx", "--number-classes"), "--number-classes is for LIBSVM"),
        (("predict", "census.hinge", "test.csv", "--missing", "drop"), "--missing must be 'error' or 'fill'"),
        (("train", "census.csv", "--compare", "--kernel", "laplacian"), "--compare needs a kernel that SVC knows"),
    ],
)
def test_options_without_effect_are_errors(run, census, arguments, sentence):
    trained(run)
    done = run(*arguments)
    assert (done.code, sentence in done.err) == (2, True), done.err


def test_missing_values_on_request(run, census):
    with (census / "census.csv").open("a") as file:
        file.write(",?,,>50K\n")
    assert json.loads(run("train", "census.csv", "--missing", "drop", "--json").out)["rows"] == 600
    result = json.loads(run("train", "census.csv", "--missing", "fill", "--json").out)
    assert (result["rows"], result["features"]) == (601, 6)
    (census / "new.csv").write_text("age,city,hours\n,Rome,\n30,,40\n")
    assert len(run("predict", "model.hinge", "new.csv").out.split()) == 2


def test_unknown_categories(run, census):
    trained(run)
    (census / "new.csv").write_text("age,city,hours\n30,Rome,40\n30,Mars,40\n")
    done = run("predict", "census.hinge", "new.csv", "--unknown", "error", "-o", "answers.txt")
    assert (done.code, "'Mars' in line 3" in done.err) == (2, True)
    assert not (census / "answers.txt").exists()
    done = run("predict", "census.hinge", "new.csv")
    assert (done.code, len(done.out.split())) == (0, 2)
    assert done.err == (
        "Values that did not occur in training were ignored: 1 in column 'city' (first 'Mars' in line 3).\n"
    )
    (census / "more.csv").write_text("age,city,hours,income\n30,Mars,40,>50K\n")
    assert "1 in column 'city' (first 'Mars' in line 2)" in run("evaluate", "census.hinge", "more.csv").err
    done = run("train", "census.csv", "--label", "income", "--test", "more.csv")
    assert "1 in column 'city' (first 'Mars' in line 2)" in done.err
    assert run("train", "more.csv", "--resume", "census.hinge", "--in-place", "--unknown", "error").code == 2
    done = run("train", "more.csv", "--resume", "census.hinge", "--in-place")
    assert (done.code, "1 in column 'city'" in done.err) == (0, True)


def test_new_classes_may_come_later(run, census):
    trained(run)
    (census / "more.csv").write_text("age,city,hours,income\n" + "30,Rome,40,none\n" * 5)
    (census / "other.csv").write_text("age,city,hours,income\n" + "30,Rome,40,other\n" * 5)
    assert run("train", "more.csv", "--resume", "census.hinge", "--in-place").code == 0
    assert hinge.load("census.hinge").classes_.tolist() == ["<=50K", ">50K", "none"]
    assert "New classes: other" in run("train", "other.csv", "--resume", "census.hinge", "--in-place").err


def test_svmlight(run, folder):
    data = hinge.datasets.load("digits")
    dump_svmlight_file(data.X_train * 16, data.y_train, "train.svm", zero_based=False)
    dump_svmlight_file(data.X_test * 16, data.y_test, "test.svm", zero_based=False)
    done = run("train", "train.svm", "--test", "test.svm", "--C", "10", "--json")
    result = json.loads(done.out)
    assert result["scaling"] == "divided by 16"
    assert result["online"]["test_error"] < 5


def test_large_files_are_streamed(run, census, monkeypatch):
    """A streamed file is read again for each pass, and gives about the same model."""
    trained(run, "--epochs", "2")
    in_memory = hinge.load("census.hinge")
    monkeypatch.setattr("hinge.cli.train._sources.MAX_BYTES_IN_MEMORY", 0)
    monkeypatch.setattr("hinge.cli.train._sources.ROWS_PER_CHUNK", 100)
    trained(run, "--epochs", "2")
    streamed = hinge.load("census.hinge")
    assert streamed.n_seen_ == in_memory.n_seen_ == 1200
    assert len(streamed.support_) == pytest.approx(len(in_memory.support_), rel=0.2)
    done = run("train", "census.csv", "--compare")
    assert (done.code, "--compare needs all rows in memory" in done.err) == (2, True)


class TestStandardInput:
    def test_train_and_predict(self, run, census):
        text = (census / "census.csv").read_text()
        done = run("train", "-", "--label", "income", stdin=text)
        assert done.code == 0, done.err
        assert hinge.load("model.hinge").n_seen_ == 600
        answers = run("predict", "model.hinge", "-", stdin=text).out.split()
        assert len(answers) == 600
        assert run("evaluate", "model.hinge", "-", stdin=text).code == 0

    def test_svmlight(self, run):
        done = run("train", "-", stdin="1 1:0.5\n-1 2:0.5\n" * 20)
        assert done.code == 0, done.err
        assert run("predict", "model.hinge", "-", stdin="0 1:0.5\n0 2:0.4\n").out.split() == ["1", "-1"]

    def test_can_be_read_only_once(self, run, census):
        done = run("train", "-", "--epochs", "2", stdin=(census / "census.csv").read_text())
        assert (done.code, "--epochs must be 1 for standard input" in done.err) == (2, True)

    def test_empty(self, run):
        done = run("train", "-", stdin="")
        assert done.code == 2
        assert "standard input" in done.err


def start(*arguments):
    return subprocess.Popen(
        [sys.executable, "-m", "hinge", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.slow
def test_predictions_are_printed_line_by_line(run, census):
    trained(run)
    process = start("predict", "census.hinge", "-")
    process.stdin.write(b"age,city,hours\n")
    for line in (b"30,Rome,40\n", b"75,Oslo,60\n"):
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.readline().strip() in (b"<=50K", b">50K")  # before the next line is written
    process.stdin.close()
    assert process.wait() == 0
    process.stdout.close()
    process.stderr.close()


def wait_until_read(pipe):
    """Wait until the reader of a pipe has emptied it and had time to process the rows."""
    unread = struct.pack("i", 0)
    deadline = time.monotonic() + 60
    while struct.unpack("i", fcntl.ioctl(pipe.fileno(), termios.FIONREAD, unread))[0]:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    time.sleep(0.5)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_saves_the_model_of_a_pipe(census, number):
    process = start("train", "-", "--label", "income", "-o", "piped.hinge", "--no-tune")
    process.stdin.write((census / "census.csv").read_bytes())
    process.stdin.flush()
    wait_until_read(process.stdin)
    os.kill(process.pid, number)
    _, seen = process.communicate()
    assert process.returncode == 130, seen
    assert b"Stopped after 600 examples" in seen
    assert hinge.load("piped.hinge").n_seen_ == 600


@pytest.mark.slow
def test_nohup_ignores_hangups(census):
    script = f"trap '' HUP; exec {sys.executable} -m hinge train - --label income -o kept.hinge"
    process = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S607
    process.stdin.write((census / "census.csv").read_bytes())
    process.stdin.flush()
    wait_until_read(process.stdin)
    os.kill(process.pid, signal.SIGHUP)
    process.communicate()
    assert process.returncode == 0
    assert hinge.load("kept.hinge").n_seen_ == 600


@pytest.mark.slow
def test_the_reader_of_a_pipe_ends(run, census):
    trained(run)
    process = start("predict", "census.hinge", "-")
    process.stdout.close()
    process.stdin.write((census / "test.csv").read_bytes())
    process.stdin.close()
    assert process.wait() == 141
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()


def test_words_for_missing_values(run, tmp_path):
    rows = [
        f"{i},{'ERR' if i % 5 == 2 else i / 7},{'OFFLINE' if i % 9 == 4 else i % 3},{'no' if i < 30 else 'yes'}"
        for i in range(60)
    ]
    (tmp_path / "log.csv").write_text("\n".join(["time,temp,load,on", *rows]))
    words = ("--missing-values", "ERR,OFFLINE", "--no-tune")
    done = run("train", tmp_path / "log.csv", *words, "-o", "log.hinge")
    assert done.code == 2
    assert "no value in line 4" in done.err
    assert run("train", tmp_path / "log.csv", *words, "--missing", "fill", "-o", "log.hinge").code == 0
    assert json.loads(run("info", "log.hinge", "--json").out)["missing_values"] == ["ERR", "OFFLINE"]
    assert run("evaluate", "log.hinge", tmp_path / "log.csv").code == 0
    done = run("train", tmp_path / "log.csv", "--resume", "log.hinge", "--in-place", *words[:2])
    assert "--missing-values must be left out with --resume" in done.err


def test_bad_rows_are_left_out_and_counted(run, census):
    text = (census / "test.csv").read_text()
    lines = text.splitlines()
    bad = "\n".join([*lines[:3], "40,Rome", *lines[3:6], "50,Os\0lo,40,>50K", *lines[6:], "1,2,3,4,5"])
    (census / "bad.csv").write_text(bad + "\n")
    trained(run)
    said = "3 rows were left out, the first because bad.csv, line 4 has 2 fields; 4 expected, as in the first row.\n"
    for command in (("evaluate",), ("predict",), ("compare", "census.hinge")):
        whole, skipping = (
            run(*command, "census.hinge", name, "--bad-rows", "skip") for name in ("test.csv", "bad.csv")
        )
        assert (whole.err, skipping.err) == ("", said)
        assert skipping.out.replace("bad.csv", "test.csv") == whole.out
        assert "--bad-rows skip leaves such rows out." in run(*command, "census.hinge", "bad.csv").err
    for data in ("bad.csv", "-"):
        done = run("train", data, "--label", "income", "--bad-rows", "skip", "-o", "bad.hinge", stdin=bad)
        assert "3 rows were left out" in done.err
        assert hinge.load("bad.hinge").n_seen_ == 200
    with pytest.warns(UserWarning, match="3 rows were left out"):
        assert len(hinge.datasets.read("bad.csv", bad_rows="skip")[1]) == 200


def test_two_numbers_with_fractions_are_classes(run, tmp_path):
    rows = [f"{i % 7},{i % 5},{i % 2}.5" for i in range(60)]
    (tmp_path / "halves.csv").write_text("\n".join(["a,b,y", *rows]))
    done = run("train", "halves.csv", "-o", "halves.hinge")
    assert "2 classes (0.5, 1.5)" in done.err
    assert "each is a class; --task regression learns values" in " ".join(done.err.split())
    assert "values to predict" in run("train", "halves.csv", "--task", "regression", "-o", "values.hinge").err
    assert set(run("predict", "halves.hinge", "halves.csv").out.split()) <= {"0.5", "1.5"}

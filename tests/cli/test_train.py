"""`hinge train` with bundled data."""

import json

import pytest

import hinge
from hinge.cli.train import _figure


def test_saves_model_and_plot(run, folder):
    done = run("train", "digits")
    assert done.code == 0
    assert "hinge OnlineSVC, one pass" in done.out
    assert "scikit-learn SVC" in done.out
    assert (folder / "train.png").read_bytes().startswith(b"\x89PNG")
    model = hinge.load(folder / "model.hinge")
    assert type(model) is hinge.OnlineSVC
    assert model.n_seen_ == 1200


def test_json_is_one_object(run):
    done = run("train", "digits", "--epochs", "2", "--C", "5", "--gamma", "0.05", "-o", "m.hinge", "--json")
    result = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert (result["C"], result["gamma"], result["epochs"], result["model"]) == (5, 0.05, 2, "m.hinge")
    assert result["online"]["test_error"] < 5
    assert result["svc"]["test_error"] < 5
    assert result["examples_seen"] == 2 * result["rows"]


def test_runs_are_reproducible(run):
    results = [json.loads(run("train", "digits", "--no-compare", "--json").out) for _ in range(2)]
    for result in results:
        assert result["svc"] is None
        del result["online"]["seconds"]
    assert results[0] == results[1]


@pytest.mark.slow
def test_two_features_have_a_plot_of_the_boundary(run, folder, monkeypatch):
    drawn = []

    def record(axes, result):
        draw_plane(axes, result)
        drawn.append(sum(len(y) for _, y in result.recent))

    draw_plane = _figure._draw_plane
    monkeypatch.setattr(_figure, "_draw_plane", record)
    done = run("train", "--no-compare", "--plot", "plane.png")
    assert done.code == 0
    assert len(drawn) == 1
    assert 2500 <= drawn[0] < 5000
    assert (folder / "plane.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("kernel", ["linear", "laplacian"])
def test_other_kernels(run, kernel):
    result = json.loads(run("train", "digits", "--kernel", kernel, "--no-compare", "--json").out)
    assert result["kernel"] == kernel
    assert result["online"]["test_error"] < 10


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("nothing",), "There is no file nothing, and no data set of that name"),
        (("digits", "--C", "-1"), "C must be"),
        (("digits", "--gamma", "wide"), "gamma must be"),
        (("digits", "--kernel", "rbF"), "kernel must be"),
        (("digits", "--model", "offline"), "The model must be one of online"),
        (("digits", "--label", "x"), "--label must be left out with the data set digits"),
        (("digits", "--scale", "big"), "scale must be one of"),
        (("digits", "-o", "nowhere/model.hinge"), "There is no folder nowhere"),
        (("digits", "-o", "."), "is a folder"),
        (("digits", "--plot", "nowhere/train.png"), "There is no folder nowhere"),
        (("digits", "--plot", "train.xyz"), "--plot must name a file that ends in .png"),
        (("digits", "--test", "nothing.csv"), "There is no file nothing.csv"),
        (("digits", "--resume", "nothing.hinge", "--in-place"), "There is no file nothing.hinge"),
        (("--epochs", "0"), "epochs"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(run, folder, arguments, sentence):
    done = run("train", *arguments)
    assert (done.code, done.out) == (2, "")
    assert sentence in done.err
    assert "Traceback" not in done.err
    assert "learning" not in done.err
    assert list(folder.iterdir()) == []


def test_plots_need_matplotlib(run, monkeypatch, folder):
    monkeypatch.setattr("hinge.cli.train._plot.importlib.util.find_spec", lambda _: None)
    done = run("train", "digits", "--plot", "picture.png")
    assert done.code == 2
    assert "pip install 'hinge-svm[plot]'" in done.err
    done = run("train", "digits", "--no-compare")
    assert done.code == 0
    assert "pip install 'hinge-svm[plot]'" in done.out
    assert not (folder / "train.png").exists()


def interrupt_at(monkeypatch, call):
    """Raise KeyboardInterrupt at the n-th call of partial_fit."""
    calls = []

    def interrupted(self, *arguments, **keywords):
        calls.append(1)
        if len(calls) == call:
            raise KeyboardInterrupt
        return learn(self, *arguments, **keywords)

    learn = hinge.OnlineSVC.partial_fit
    monkeypatch.setattr(hinge.OnlineSVC, "partial_fit", interrupted)


def test_interrupt_saves_the_model(run, monkeypatch):
    interrupt_at(monkeypatch, 5)
    done = run("train", "digits")
    assert done.code == 130
    assert "Stopped after 128 examples" in done.err
    assert hinge.load("model.hinge").n_seen_ == 128


def test_interrupt_before_the_first_batch(run, monkeypatch, folder):
    interrupt_at(monkeypatch, 1)
    assert run("train", "digits").code == 130
    assert not (folder / "model.hinge").exists()


def test_a_model_that_cannot_be_saved_goes_to_a_temporary_file(run, monkeypatch, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(elsewhere))
    monkeypatch.setattr("hinge.cli.train._checkpoint.save", full_disk(hinge.save, "model.hinge"))
    done = run("train", "digits", "--no-compare")
    assert done.code == 2
    assert "No space left" in done.err
    (rescued,) = elsewhere.iterdir()
    assert str(rescued) in done.err
    assert hinge.load(rescued).n_seen_ == 1200


def full_disk(save, name):
    def fails(model, path):
        if str(path) == name:
            raise OSError("No space left on device.")
        save(model, path)

    return fails


def test_checkpoints(run, monkeypatch):
    monkeypatch.setattr("hinge.cli.train._checkpoint.INTERVAL_S", 0.0)
    monkeypatch.setattr("hinge.cli.train._checkpoint.MAX_TIME_FRACTION", 1e9)
    saved = []

    def recorded(model, path):
        hinge_save(model, path)
        saved.append(hinge.load(path).n_seen_)

    hinge_save = hinge.save
    monkeypatch.setattr("hinge.cli.train._checkpoint.save", recorded)
    assert run("train", "digits", "--no-compare").code == 0
    assert saved == sorted(saved)
    assert saved[0] < 100 < saved[-1] == 1200


@pytest.mark.parametrize("name", ["online", "robust", "tracking", "perceptron"])
def test_every_model(run, folder, name):
    done = run(
        "train", "waveform", "--model", name, "--no-compare", "--max-support", "300", "--plot", "plot.png", "--json"
    )
    if name == "tracking":
        assert (done.code, done.err) == (
            2,
            "hinge: --max-support must be left out: TrackingSVC has no such parameter.\n",
        )
        done = run("train", "waveform", "--model", name, "--no-compare", "--json")
    result = json.loads(done.out)
    assert done.code == 0
    assert result["online"]["test_error"] < 40
    assert type(hinge.load(folder / "model.hinge")).__name__ == result["estimator"]
    assert run("info", "model.hinge").code == 0
    more = run("train", "waveform", "--resume", "model.hinge", "--in-place", "--no-compare")
    assert more.code == 0
    assert f"hinge {result['estimator']}, one pass" in more.out


def test_the_perceptron_has_no_cost_parameter(run):
    done = run("train", "--model", "perceptron", "--C", "3")
    assert (done.code, done.err) == (2, "hinge: --C must be left out: KernelPerceptron has no such parameter.\n")

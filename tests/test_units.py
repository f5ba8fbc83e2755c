"""Units: who belongs together and in which order; subclasses end in classes at one end and in records at the other."""

import random

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from threadpoolctl import threadpool_info, threadpool_limits

from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.units import UNITS, Units, clusters_of, divided, subclass_labels, units_from
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, drain

labels_lists = some.lists(some.integers(-3, 6), min_size=1, max_size=30)
SIZES = (4, 7, 2, 1, 12)  # records of each class


def mixed_set(sizes=SIZES, seed=0):
    """Random pictures whose classes come in no order."""
    random_numbers = numpy_generator(seed, "mixed set")
    y = random_numbers.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return random_numbers.normal(size=(len(y), 1, 3, 2)).astype(np.float32), y


def units_of(unit, x, y, subclasses=1, seed=0) -> Units:
    return drain(divided(unit, x, y, subclasses, seed))


def same(one: Units, other: Units) -> bool:
    return np.array_equal(one.members, other.members) and np.array_equal(one.starts, other.starts)


def as_lists(units: Units) -> list[list[int]]:
    return [part.tolist() for part in np.split(units.members, units.starts[1:-1])]


# ---- units from labels


def test_units_come_in_the_order_of_their_first_records():
    units = units_from(np.array([7, 3, 7, -9, 3]))
    assert as_lists(units) == [[0, 2], [1, 4], [3]]
    assert units.starts.tolist() == [0, 2, 4, 5]
    assert units.count == 3 and units.sizes.tolist() == [2, 2, 1]
    assert units.of_records().tolist() == [0, 1, 0, 2, 1]


@given(labels_lists)
def test_units_are_a_partition_by_label_in_canonical_order(labels):
    units = units_from(np.array(labels))
    lists = as_lists(units)
    assert sorted(sum(lists, [])) == list(range(len(labels)))
    assert all(own == [i for i, label in enumerate(labels) if label == labels[own[0]]] for own in lists)
    assert [own[0] for own in lists] == sorted(own[0] for own in lists)
    assert units.sizes.tolist() == [len(own) for own in lists]
    assert all(units.of_records()[own].tolist() == [u] * len(own) for u, own in enumerate(lists))


@given(labels_lists, some.permutations(range(10)))
def test_the_names_of_labels_do_not_matter(labels, names):
    renamed = np.array([names[label + 3] for label in labels])
    assert same(units_from(np.array(labels)), units_from(renamed))


# ---- records and classes, and subclasses that end in them


def test_record_and_class_units_by_hand():
    y = np.array([1, 0, 1, 2])
    x = np.zeros((4, 1, 2, 2))
    assert as_lists(units_of("record", x, y)) == [[0], [1], [2], [3]]
    assert as_lists(units_of("class", x, y)) == [[0, 2], [1], [3]]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sizes", [(5, 5, 5), SIZES])
def test_one_subclass_a_class_gives_exactly_the_class_units(sizes, seed):
    x, y = mixed_set(sizes, seed)
    assert same(units_of("subclass", x, y, 1, seed), units_of("class", x, y))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("sizes", [(5, 5, 5), SIZES])
def test_as_many_subclasses_as_records_gives_exactly_the_record_units(sizes, seed):
    """With unequal classes the largest decides; the smaller ones have fewer records than subclasses."""
    x, y = mixed_set(sizes, seed)
    for subclasses in (max(sizes), max(sizes) + 1, len(y)):
        assert same(units_of("subclass", x, y, subclasses, seed), units_of("record", x, y))


@pytest.mark.parametrize("subclasses", range(1, 13))
def test_no_unit_spans_two_classes_and_each_class_has_its_number(subclasses):
    x, y = mixed_set()
    units = units_of("subclass", x, y, subclasses)
    classes = [set(y[own]) for own in as_lists(units)]
    assert all(len(of) == 1 for of in classes)
    for label, size in enumerate(SIZES):
        assert classes.count({label}) == min(subclasses, size)


# ---- the clustering


def blobs(seed, classes=3, centres=4):
    """Blobs of width 1, 100 apart, at the same places in every class: only the class tells their records apart."""
    random_numbers = numpy_generator(seed, "blobs")
    sizes = random_numbers.integers(2, 9, size=(classes, centres))
    y = np.repeat(np.arange(classes), sizes.sum(1))
    blob = np.concatenate([np.repeat(np.arange(centres), own) for own in sizes])
    order = random_numbers.permutation(len(y))
    y, blob = y[order], blob[order]
    x = 100 * np.eye(centres)[blob] + random_numbers.normal(size=(len(y), centres))
    return x.reshape(-1, 1, 2, centres // 2), y, blob


@pytest.mark.parametrize("seed", range(5))
def test_blobs_far_apart_are_found_within_each_class(seed):
    x, y, blob = blobs(seed)
    assert same(units_of("subclass", x, y, 4, seed), units_from(10 * y + blob))


def test_fewer_subclasses_than_blobs_join_whole_blobs():
    x, y, blob = blobs(0)
    of_blob = {}
    for unit, key in zip(units_of("subclass", x, y, 2).of_records(), zip(y, blob, strict=True), strict=True):
        of_blob.setdefault(key, set()).add(unit)
    assert all(len(units) == 1 for units in of_blob.values())


def test_equal_records_share_a_subclass_though_fewer_remain():
    """Two distinct pictures, six records, three subclasses: k-means has nothing to tell a third apart by."""
    x = np.repeat(np.eye(2, dtype=np.float32), 3, axis=0)
    assert as_lists(units_of("subclass", x, np.zeros(6, dtype=int), 3)) == [[0, 1, 2], [3, 4, 5]]


def test_equal_records_are_apart_once_there_is_a_subclass_for_each():
    x, y = np.zeros((4, 3)), np.zeros(4, dtype=int)
    assert same(units_of("subclass", x, y, 4), units_of("record", x, y))


def test_the_same_seed_gives_the_same_units_and_another_seed_may_not():
    x, y = mixed_set((40, 40))
    one, again = (units_of("subclass", x, y, 7, seed=3) for _ in range(2))
    assert same(one, again)
    assert not all(same(one, units_of("subclass", x, y, 7, seed=seed)) for seed in range(4, 8))


def test_seeds_of_63_bits_are_taken():
    x = mixed_set()[0].reshape(-1, 6)
    assert len(set(clusters_of(x, 3, seed=2**63 - 1))) == 3


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int32, np.int64])
def test_labels_may_be_whole_numbers_of_any_width(kind):
    x, y = mixed_set((100, 100))
    assert same(units_of("subclass", x, (y + 100).astype(kind), 5), units_of("subclass", x, y, 5))


# ---- manners


@pytest.mark.parametrize("subclasses", [0, -1, 27, 2.0, True, "3", None])
def test_an_impossible_number_of_subclasses_is_refused_in_one_sentence(subclasses):
    x, y = mixed_set()
    with pytest.raises(Mistake) as refusal:
        units_of("subclass", x, y, subclasses)
    assert str(refusal.value) == f"k_sub must be a whole number from 1 to 26; it is {subclasses!r}."


def test_an_unknown_unit_is_refused_in_one_sentence():
    with pytest.raises(Mistake) as refusal:
        units_of("person", *mixed_set())
    assert str(refusal.value) == f"unit must be one of {', '.join(UNITS)}; it is 'person'."


def test_there_is_an_event_a_class():
    x, y = mixed_set()
    events = []
    drain(subclass_labels(x, y, 2, 0), events.append)
    assert events == [Progress(done, len(SIZES), "clustering") for done in range(len(SIZES))]


@pytest.fixture
def two_threads():
    """Two threads of every library, so that a limit of one left behind would show."""
    clusters_of(np.eye(6), 2, 0)  # loads the libraries,
    torch.get_num_threads()  # and torch settles its threads when it is first asked
    with threadpool_limits(2):
        yield


def surroundings():
    """What the clustering must leave alone: threads of every library, and the global generators."""
    threads = [(pool["filepath"], pool["num_threads"]) for pool in threadpool_info()]
    _, key, place, *_ = np.random.get_state()
    return threads, torch.get_num_threads(), random.getstate(), key.tobytes(), place, torch.get_rng_state().tolist()


def test_threads_and_global_random_numbers_are_left_alone_at_every_event_and_afterwards(two_threads):
    x, y = mixed_set()
    before, seen = surroundings(), []
    drain(divided("subclass", x, y, 2, 0), lambda event: seen.append(surroundings()))
    assert len(seen) == len(SIZES)
    assert all(after == before for after in [*seen, surroundings()])


def test_threads_are_given_back_when_the_clustering_fails(two_threads):
    before = surroundings()
    with pytest.raises(ValueError):
        clusters_of(np.full((6, 2), np.nan), 2, 0)
    assert surroundings() == before


@settings(max_examples=20, deadline=None)
@given(some.integers(1, 15), some.integers(0, 2**32), some.lists(some.integers(1, 9), min_size=1, max_size=3))
def test_more_subclasses_never_make_fewer_units(subclasses, seed, sizes):
    x, y = mixed_set(sizes)
    counts = [units_of("subclass", x, y, min(k, len(y)), seed).count for k in (subclasses, subclasses + 1)]
    assert counts[0] <= counts[1]

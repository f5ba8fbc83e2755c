"""Records of bits: drawn as their papers say, or read from the user's files with one sentence for what is wrong."""

import os
from pathlib import Path

import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.data.bit_files import bits_from_arrays, read_purchases, read_texas
from dpmia_lab.data.blocks import BLOCK, zipf_shares
from dpmia_lab.data.hospital import CODES, GROUPS, hospital_like
from dpmia_lab.data.population import load_population
from dpmia_lab.data.purchases import DEPARTMENTS, purchases_like, skewed_purchases

LIFELIKE = {purchases_like: (600, 0.7), hospital_like: (1000, 1.0)}  # features, exponent of the class sizes


def z_scores(ones, trials, chance):
    """How many standard deviations binomial counts lie from what is expected."""
    return (ones - trials * chance) / np.sqrt(trials * chance * (1 - chance))


def entropy(p):
    return -p * np.log2(p) - (1 - p) * np.log2(1 - p)


@pytest.mark.parametrize("classes", [10, 20, 50, 100])
def test_every_bit_of_skewed_purchases_has_the_papers_chance(classes):
    """Of C x 600 counts none may be 6 standard deviations off: for 60,000 normal ones, a false alarm in 8,000 draws."""
    data = load_population("skewed_purchases", classes=classes, records=20_000, seed=3)
    own = np.repeat(np.eye(classes, dtype=bool), 600 // classes, axis=1)  # (classes, 600)
    assert own.sum(1).tolist() == [600 // classes] * classes and own.sum(0).tolist() == [1] * 600
    for x, y, noise in ((data.x, data.y, 0.2), (data.test_x, data.test_y, 0.5)):
        assert x.shape == (20_000, 600) and x.dtype == np.uint8 and y.dtype == np.int64 and x.max() == 1
        counts = np.bincount(y, minlength=classes)
        assert np.abs(z_scores(counts, len(y), 1 / classes)).max() < 5
        ones = np.stack([x[y == c].sum(0) for c in range(classes)])
        assert np.abs(z_scores(ones, counts[:, None], np.where(own, 0.8, noise))).max() < 6
        assert abs(z_scores(ones[own].sum(), own[0].sum() * len(y), 0.8)) < 5
        assert abs(z_scores(ones[~own].sum(), (~own)[0].sum() * len(y), noise)) < 5


def test_bits_of_a_record_are_independent_given_the_class():
    """Else the number of ones would vary more than the sum of single variances; 6 % is 5 standard deviations."""
    x, y = skewed_purchases(10, 20_000, 0.2, seed=0, half="train")
    variance = np.mean([x[y == c].sum(1).var() for c in range(10)])
    assert variance == pytest.approx(600 * 0.2 * 0.8, rel=0.06)  # .8 and .2 have the same variance


def test_the_skew_is_the_papers_difference_in_entropy():
    skewed = load_population("skewed_purchases", classes=100, records=20_000)
    plain = load_population("purchases_without_skew", classes=100, records=20_000)
    noise = np.s_[6:]  # of class 1's records
    train, test = (x[y == 0][:, noise].mean() for x, y in ((skewed.x, skewed.y), (skewed.test_x, skewed.test_y)))
    assert entropy(test) - entropy(train) == pytest.approx(0.278, abs=0.01)  # the paper: about .3
    assert plain.test_x is None and np.array_equal(plain.x, skewed.x)


@pytest.mark.parametrize("classes", [0, 30, 10.5, "10"])
def test_skewed_purchases_has_four_versions(classes):
    with pytest.raises(Mistake, match=f"classes must be one of 10, 20, 50, 100; it is {classes!r}"):
        skewed_purchases(classes, 10, 0.2, 0, "train")


def skewed(classes, records, seed):
    return skewed_purchases(classes, records, 0.2, seed, "train")


@pytest.mark.parametrize("make", [skewed, purchases_like, hospital_like])
def test_records_are_fixed_by_their_seed_whatever_their_number(make):
    x, y = make(10, BLOCK + 500, 1)
    for count in (1, 300, BLOCK, BLOCK + 1):
        few_x, few_y = make(10, count, 1)
        assert few_x.shape[0] == count and np.array_equal(few_x, x[:count]) and np.array_equal(few_y, y[:count])
    other, _ = make(10, 500, 2)
    assert not np.array_equal(other, x[:500]) and not np.array_equal(x[:500], x[BLOCK:])
    with pytest.raises(Mistake, match="records must be a whole number from 1 to"):
        make(10, 0, 1)


def test_the_two_distributions_share_no_draw():
    train, _ = skewed_purchases(10, 100, 0.2, 0, "train")
    test, _ = skewed_purchases(10, 100, 0.2, 0, "test")
    assert not (train == test).all(1).any()
    data = load_population("skewed_purchases", records=2_000)
    alike = (data.y == data.test_y).mean()  # by chance one in ten, with a standard deviation of .0067
    assert abs(alike - 0.1) < 0.035


@pytest.mark.parametrize("make", LIFELIKE)
@pytest.mark.parametrize("classes", [10, 50])
def test_lifelike_records_are_sparse_correlated_and_unbalanced(make, classes):
    features, exponent = LIFELIKE[make]
    x, y = make(classes, 10_000, 0)
    assert x.shape == (10_000, features) and x.dtype == np.uint8 and x.max() == 1
    assert 0.005 < x.mean() < 0.12
    shares = 1 / np.arange(1, classes + 1) ** exponent
    assert np.abs(z_scores(np.bincount(y), len(y), shares / shares.sum())).max() < 5
    largest = x[y == 0].astype(float)
    independent = (largest.mean(0) * (1 - largest.mean(0))).sum()
    assert largest.sum(1).var() > 1.5 * independent  # bits of a record go together beyond the class


@pytest.mark.parametrize("make", LIFELIKE)
def test_lifelike_records_are_learnable_but_not_perfectly(make):
    """Shown by a classifier without settings: naive Bayes on 2,000 records, asked about 2,000 others."""
    from sklearn.naive_bayes import BernoulliNB

    x, y = make(20, 4_000, 0)
    model = BernoulliNB().fit(x[:2000], y[:2000])
    seen, unseen = model.score(x[:2000], y[:2000]), model.score(x[2000:], y[2000:])
    assert np.bincount(y).max() / len(y) + 0.1 < unseen < min(0.85, seen - 0.05)


def test_products_of_a_department_go_together():
    x, y = purchases_like(10, 10_000, 0)
    common = np.corrcoef(x[y == 0].reshape(-1, DEPARTMENTS, 20).sum(2), x[y == 0][:, :20], rowvar=False)
    same, others = common[0, DEPARTMENTS:], common[1:DEPARTMENTS, DEPARTMENTS:]
    assert np.nanmean(same) > 0.15 > 0.05 > np.nanmean(others)


def test_a_groups_bit_is_set_exactly_where_a_code_of_it_is():
    x, y = hospital_like(300, 5_000, 0)
    groups = x.reshape(-1, GROUPS, 1 + CODES)
    assert np.array_equal(groups[..., 0], groups[..., 1:].max(2))
    largest = groups[y == 0][..., 0]
    off_diagonal = np.corrcoef(largest, rowvar=False)[~np.eye(GROUPS, dtype=bool)]
    assert off_diagonal.max() > 0.2  # comorbid groups, within one procedure


@pytest.mark.parametrize(("make", "most"), [(purchases_like, 100), (hospital_like, 300)])
def test_lifelike_classes_have_a_range(make, most):
    for classes in (1, most + 1):
        with pytest.raises(Mistake, match=f"classes must be a whole number from 2 to {most}; it is {classes}"):
            make(classes, 10, 0)


def test_zipf_shares():
    assert np.allclose(zipf_shares(3, 1.0), np.array([6, 3, 2]) / 11)


def purchases_file(path: Path, labels: list[int], bits: np.ndarray) -> str:
    lines = [",".join(map(str, [label, *row])) for label, row in zip(labels, bits.tolist(), strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


BITS = np.random.default_rng(0).integers(0, 2, (9, 600), dtype=np.uint8)
LABELS = [7, 7, 7, 2, 2, 12, 12, 12, 30]


def test_purchases_file_keeps_the_most_common_labels(tmp_path):
    path = purchases_file(tmp_path / "dataset_purchase", LABELS, BITS)
    x, y, names = read_purchases(path, 2)
    kept = [0, 1, 2, 5, 6, 7]
    assert names == ("7", "12") and y.tolist() == [0, 0, 0, 1, 1, 1] and np.array_equal(x, BITS[kept])
    x, y, names = read_purchases(path, 4)
    assert names == ("2", "7", "12", "30") and x.dtype == np.uint8 and np.array_equal(x, BITS)
    assert load_population(f"purchases:{path}", classes=2).shape == (600,)
    with pytest.raises(Mistake, match="classes must be at most the 4 labels of dataset_purchase; it is 10"):
        load_population(f"purchases:{path}")


def test_bits_written_as_fractions_are_the_same(tmp_path):
    path = purchases_file(tmp_path / "file", LABELS, BITS.astype(float))
    assert np.array_equal(read_purchases(path, 4)[0], BITS)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("1," + "0," * 598 + "0", "file, line 3: a record must have 600 bits; it has 599"),
        ("1," + "0," * 600 + "1", "file, line 3: a record must have 600 bits; it has 601"),
        ("1," + "0," * 599 + "2", "file, line 3: every bit must be 0 or 1; one is '2'"),
        ("1," + "0," * 599 + "nan", "file, line 3: every bit must be 0 or 1; one is 'nan'"),
        ("1," + "0;" * 599 + "0", "file, line 3: a record must have 600 bits; it has 1"),
        ("one," + "0," * 599 + "0", "file, line 3: the label must be a whole number; it is 'one'"),
        ("1.5," + "0," * 599 + "0", "file, line 3: the label must be a whole number; it is '1.5'"),
        ("inf," + "0," * 599 + "0", "file, line 3: the label must be a whole number; it is 'inf'"),
        ("\xff\x00", "file, line 3: the label must be a whole number"),
    ],
)
def test_wrong_lines_are_named(tmp_path, line, sentence):
    path = Path(purchases_file(tmp_path / "file", LABELS[:2], BITS[:2]))
    path.write_bytes(path.read_bytes() + line.encode("latin-1") + b"\n")
    with pytest.raises(Mistake, match=sentence):
        read_purchases(str(path), 2)


def test_empty_and_missing_files(tmp_path):
    (tmp_path / "empty").write_text(" \n\n")
    with pytest.raises(Mistake, match="empty must hold a record in every line; it is empty"):
        read_purchases(str(tmp_path / "empty"), 2)
    with pytest.raises(Mistake, match="data must be purchases:FILE on disk; there is no file .*nowhere"):
        load_population(f"purchases:{tmp_path / 'nowhere'}")
    with pytest.raises(Mistake, match="texas:FOLDER with feats and labels on disk; there is no file .*feats"):
        load_population(f"texas:{tmp_path}")


def test_texas_folder(tmp_path):
    (tmp_path / "feats").write_text("0,1,0\n1,1,0\n0,0,1\n")
    (tmp_path / "labels").write_text("5\n9\n5\n")
    x, y, names = read_texas(str(tmp_path), 2)
    assert x.tolist() == [[0, 1, 0], [1, 1, 0], [0, 0, 1]] and y.tolist() == [0, 1, 0] and names == ("5", "9")
    assert load_population(f"texas:{tmp_path}", classes=2).name == "texas"
    (tmp_path / "labels").write_text("5\n9\n")
    with pytest.raises(Mistake, match="feats and labels must have a line for every record; they have 3 and 2"):
        read_texas(str(tmp_path), 2)
    (tmp_path / "feats").write_text("0,1,0\n1,1\n")
    with pytest.raises(Mistake, match="feats, line 2: a record must have 3 bits; it has 2"):
        read_texas(str(tmp_path), 2)


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float32])
def test_own_bits_may_be_of_any_type_of_number(tmp_path, kind):
    np.savez(tmp_path / "mine.npz", X=BITS.astype(kind), y=np.array(list("aabbccaab")))
    data = load_population(str(tmp_path / "mine.npz"))
    assert data.kind == "bits" and data.class_names == ("a", "b", "c") and data.test_x is None
    assert data.x.dtype == np.uint8 and np.array_equal(data.x, BITS) and data.y.tolist() == [0, 0, 1, 1, 2, 2, 0, 0, 1]


@pytest.mark.parametrize(
    ("x", "y", "sentence"),
    [
        (BITS * 2, LABELS, r"X must hold bits .* it is \(9, 600\) uint8 and not all of it is 0 or 1"),
        (BITS * np.nan, LABELS, "not all of it is 0 or 1"),
        (BITS.astype(str), LABELS, "not all of it is 0 or 1"),
        (BITS[:, :0], LABELS, "X must hold at least one record of at least one bit"),
        (BITS, LABELS[:-1], r"y must hold one label per record; X is \(9, 600\) and y is \(8,\)"),
        (BITS, [0.0, np.nan] + [1.0] * 7, "some are NaN or infinite"),
        (BITS, [1] * 9, "there must be at least 2 classes; there is 1"),
    ],
)
def test_what_is_not_bits_is_refused(x, y, sentence):
    with pytest.raises(Mistake, match=f"mine.npz: .*{sentence}"):
        bits_from_arrays(x, np.array(y), "mine.npz")


def test_location30_of_the_real_data():
    if not os.environ.get("DPMIA_DATA"):
        pytest.skip("DPMIA_DATA is not set: no copy of the real data to compare with")
    stored = np.load(Path(os.environ["DPMIA_DATA"]) / "location30.npz")
    data = load_population(str(Path(os.environ["DPMIA_DATA"]) / "location30.npz"))
    assert data.kind == "bits" and data.x.shape == (5010, 446) and data.classes == 30
    assert np.array_equal(data.x, stored["X"])
    assert np.array_equal(np.array(data.class_names)[data.y], stored["y"].astype(str))

"""The experiment of lesson 5: its points, φ and means are those of the single runs."""

from dataclasses import fields, replace

import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import mechanisms, membership
from dpmia_lab.experiments.mechanisms import (
    COLUMNS,
    GRID,
    PLAYED,
    Config,
    column,
    numbers_of,
    over_seeds,
    phi_or_nan,
    spread,
)
from dpmia_lab.stages import Snapshot, drain

TINY = Config(
    data="skewed_purchases", classes=10, records=120, epochs=8, central_epochs=4, batch=30, width=16, shadows=1,
    inside=0, zs="0.5,8", epsilons="3", repeats=2,
)  # fmt: skip


@pytest.fixture(scope="module")
def swept():
    events = []
    return drain(mechanisms.run(TINY), events.append), events


def test_points_come_in_order_and_stream(swept):
    result, events = swept
    assert result.arrays["mechanism"].tolist() == [0, 1, 1, 2]
    assert result.arrays["parameter"][1:].tolist() == [0.5, 8, 3]
    tables = [event.array for event in events if isinstance(event, Snapshot) and event.name == "rows"]
    assert [table.shape for table in tables] == [(i, len(COLUMNS)) for i in range(1, 9)]


def test_a_point_is_the_single_run(swept):
    result, _ = swept
    shared = {f.name: getattr(TINY, f.name) for f in fields(membership.Config)}
    base = membership.Config(**shared)
    runs = [drain(membership.run(replace(base, defence="local", epsilon_i=3.0, seed=seed))) for seed in (0, 1)]
    for name in ("test_accuracy", "auc_black_box", "auc_white_box"):
        values = [run.numbers[name] for run in runs]
        assert result.arrays[name][3] == pytest.approx(np.mean(values))
        assert result.arrays[f"{name}_sd"][3] == pytest.approx(np.std(values, ddof=1))
    assert result.arrays["epsilon"][3] == pytest.approx(600 * 3)
    assert result.arrays["roc_white_box"].shape == (4, len(GRID))
    assert (np.diff(result.arrays["roc_white_box"], axis=1) >= -1e-12).all()
    assert result.arrays["roc_white_box"][:, -1] == pytest.approx(1)


def test_every_strength_is_among_the_numbers(swept):
    """By plain names: without a defence as ever, the others with mechanism and strength in the name."""
    result, _ = swept
    numbers, arrays = result.numbers, result.arrays
    for place, strength in enumerate(("", "_central_0.5", "_central_8", "_local_3")):
        assert numbers[f"test_accuracy{strength}"] == arrays["test_accuracy"][place]
        assert numbers[f"test_accuracy{strength}_sd"] == arrays["test_accuracy_sd"][place]
        assert numbers[f"auc{strength}_white_box"] == arrays["auc_white_box"][place]
        assert numbers[f"auc{strength}_black_box_shifted"] == arrays["auc_black_box_shifted"][place]
    assert numbers["epsilon_local_3"] == pytest.approx(1800) and "epsilon" not in numbers
    assert numbers["epsilon_central_0.5"] > numbers["epsilon_central_8"]
    ends = sum(row.spread is not None for row in result.rows)
    assert len(numbers) == 1 + len(result.rows) + ends  # no two rows share a name


def test_more_noise_costs_accuracy_and_buys_epsilon(swept):
    arrays = swept[0].arrays
    assert arrays["test_accuracy"][1] > arrays["test_accuracy"][2]
    assert arrays["epsilon"][1] > 10 * arrays["epsilon"][2] > 0
    assert np.isnan(arrays["epsilon"][0]) and arrays["delta"][1] == pytest.approx(1 / 120, rel=0.2)


# ---- what φ may be divided by
def swept_points(plain: float, spread: float | None, records: int = 2000):
    """A sweep of two points, of which the white box's AUC without a defence is ``plain``."""
    arrays = {
        "mechanism": [0, 1],
        "parameter": [np.nan, 1],
        "classes": [10, 10],
        "test_accuracy": [0.9, 0.5],
        "auc_white_box": [plain, 0.5],
        "phi_white_box": [np.nan, 1.5],
        "auc_lira_offline": [0.9, 0.6],
    }
    arrays |= {} if spread is None else {"auc_white_box_sd": [spread, spread]}
    config = replace(TINY, records=records, repeats=1 if spread is None else 4)
    return mechanisms.sound_rows({name: np.array(values, dtype=float) for name, values in arrays.items()}, config)


@pytest.mark.parametrize(
    ("plain", "spread", "shown"),
    [
        (0.60, 0.02, True),  # .60 − 2·.02/√4 = .58
        (0.545, 0.02, False),  # .525, below .53
        (0.549, 0.018, True),  # .531
        (0.60, 0.2, False),  # far from .5, but nobody knows how far
        (0.60, None, True),  # one seed: ± .0249, by Hanley and McNeil with 1,000 of each kind
        (0.55, None, False),
    ],
)  # fmt: skip
def test_phi_is_given_only_where_it_is_not_divided_by_chance(plain, spread, shown):
    rows = swept_points(plain, spread)
    assert rows.has("phi", defence="central 1", attack="white_box") == shown
    assert rows.has("auc", attack="white_box", defence="none")  # the AUC itself always


def test_of_few_records_a_single_seed_tells_less():
    assert swept_points(0.6, None, records=2000).has("phi", attack="white_box")
    assert not swept_points(0.6, None, records=120).has("phi", attack="white_box")


def test_what_was_shipped_without_a_phi_has_that_of_its_means():
    rows = swept_points(0.6, 0.02)
    by_hand = ((0.9 - 0.6) / (0.9 - 0.5)) / ((0.9 - 0.5) / (0.9 - 0.1))
    assert rows.value("phi", defence="central 1", attack="lira_offline") == pytest.approx(by_hand)


def test_phi_by_hand():
    plain = {"test_accuracy": 0.9, "auc_black_box": 0.7}
    row = {"test_accuracy": 0.8, "auc_black_box": 0.6, "classes": 10.0}
    auc = "auc_black_box"
    assert phi_or_nan(plain, row, auc) == 2  # (.1/.2) / (.1/.8) = 4, which is capped
    assert phi_or_nan(plain, {**row, "test_accuracy": 0.5}, auc) == pytest.approx((0.1 / 0.2) / (0.4 / 0.8))
    assert phi_or_nan(plain, {**row, "test_accuracy": 0.95}, auc) == 2
    assert np.isnan(phi_or_nan({**plain, auc: 0.49}, row, auc))


def test_means_leave_out_what_is_undefined():
    values = np.array([[1.0, np.nan], [3.0, np.nan]])
    assert over_seeds(values, np.mean)[0] == 2 and np.isnan(over_seeds(values, np.mean)[1])
    assert np.isnan(spread(np.array([1.0])))


def test_both_protocols_where_there_are_two(swept):
    result, _ = swept
    names = [column("auc", *played) for played in PLAYED]
    boxes = ["auc_black_box", "auc_white_box"]
    assert names == [*boxes, *(f"{name}_shifted" for name in boxes), "auc_lira_offline"]
    assert all(np.isfinite(result.arrays[name]).all() for name in names[:-1])
    assert np.isnan(result.arrays["auc_lira_offline"]).all()  # it needs two shadow models
    assert result.numbers["auc_white_box_shifted"] > 0.9 > result.numbers["auc_white_box"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"zs": "1,much"}, "zs must be numbers with commas between them; it is '1,much'"),
        ({"zs": "1,-2"}, "z must be from 0.01 to 1000; it is -2.0"),
        ({"epsilons": "0"}, "epsilon_i must be from"),
        ({"shadows": 0}, "shadows must be at least 1"),
        ({"repeats": 0}, "repeats must be a whole number"),
    ],
)
def test_nonsense_is_refused_in_one_sentence(changes, words):
    with pytest.raises(Mistake, match=words):
        replace(TINY, **changes)


def test_numbers_of_text():
    assert numbers_of(zs="0.5, 2,4") == [0.5, 2, 4] and numbers_of(zs="") == []

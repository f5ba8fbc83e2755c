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


def test_more_noise_costs_accuracy_and_buys_epsilon(swept):
    arrays = swept[0].arrays
    assert arrays["test_accuracy"][1] > arrays["test_accuracy"][2]
    assert arrays["epsilon"][1] > 10 * arrays["epsilon"][2] > 0
    assert np.isnan(arrays["epsilon"][0]) and arrays["delta"][1] == pytest.approx(1 / 120, rel=0.2)


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
    assert names == ["auc_black_box", "auc_white_box", "auc_black_box_shifted", "auc_white_box_shifted"]
    assert all(np.isfinite(result.arrays[name]).all() for name in names)
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

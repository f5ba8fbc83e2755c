"""What a grid says as a whole, from grids made by hand: the front, falls, disagreements, and the two controls."""

import numpy as np
import pytest

from dpmia_lab.experiments.comparing_columns import Column
from dpmia_lab.experiments.comparing_findings import (
    CAUGHT,
    CONTESTS,
    against_controls,
    agreement,
    control_curve,
    disagreements,
    fallen,
    falls,
    on_the_front,
    rank_correlation,
)
from dpmia_lab.experiments.comparing_grid import grid_of
from dpmia_lab.rows import Row

SEEDS = range(5)
JITTER = np.array([-0.002, 0.001, 0.0, 0.002, -0.001])


def made(columns: dict[str, tuple[str, dict, float, dict[str, float]]], promises=None):
    """name → (family, changes, accuracy, {"measure attack": value}); a little unrest from seed to seed."""
    cells = []
    for name, (_, _, accuracy, found) in columns.items():
        for seed in SEEDS:
            rows = [Row("accuracy", accuracy, protocol="test")]
            for of, value in found.items():
                measure, attack = of.split()
                rows.append(Row(measure, value + JITTER[(seed + len(attack)) % 5], "", attack, "turns"))
            cells.append((name, seed, rows))
    known = {name: Column(family, name, changes) for name, (family, changes, *_) in columns.items()}
    return grid_of("carts", known, cells, promises)


def test_the_front_has_those_whom_nobody_beats():
    grid = made({
        "none": ("none", {}, 0.9, {"tpr1 loss": 0.5}),
        "good": ("mid", {}, 0.8, {"tpr1 loss": 0.1}),
        "worse": ("dap", {}, 0.7, {"tpr1 loss": 0.3}),
    })  # fmt: skip
    assert [one.column for one in on_the_front(grid)] == ["none", "good"]
    assert on_the_front(grid)[1].seeds == 1


def test_a_defence_falls_where_an_adapted_attack_finds_clearly_more():
    grid = made({
        "none": ("none", {}, 0.9, {"tpr1 lira_unadapted": 0.5, "tpr1 lira_fixed": 0.5}),
        "mask": ("masking", {}, 0.9, {"tpr1 lira_unadapted": 0.05, "tpr1 lira_fixed": 0.1, "tpr1 lira_labels": 0.4}),
        "firm": ("central", {}, 0.5, {"tpr1 lira_unadapted": 0.02, "tpr1 lira_fixed": 0.02}),
    })  # fmt: skip
    found = falls(grid, CONTESTS["membership"])
    assert [fall.column for fall in found] == ["mask", "firm"]
    assert [fall.column for fall in fallen(found)] == ["mask"]
    assert found[0].aware.attack == "lira_labels"
    assert found[0].gain.mean == pytest.approx(0.35, abs=0.005)
    assert found[0].gain.low < found[0].gain.mean < found[0].gain.high
    assert found[0].left == pytest.approx(0.1, abs=0.01)
    assert falls(grid, CONTESTS["pictures"]) == []


def test_one_number_may_prefer_what_the_tail_condemns():
    """A lower AUC at the same accuracy, and yet six times as many caught; what is less accurate is no reproach."""
    grid = made({
        "none": ("none", {}, 0.9, {"auc loss": 0.9, "tpr1 loss": 0.5}),
        "tail": ("dap", {}, 0.5, {"auc loss": 0.6, "tpr1 loss": 0.3}),
        "even": ("mid", {}, 0.5, {"auc loss": 0.7, "tpr1 loss": 0.05}),
        "less": ("hamp", {}, 0.4, {"auc loss": 0.7, "tpr1 loss": 0.05}),
    })  # fmt: skip
    for score in ("phi", "aop_2"):
        (pair,) = disagreements(grid, score, classes=10)
        assert (pair.preferred, pair.other) == ("tail", "even")
        assert pair.tail_gap.mean == pytest.approx(0.25, abs=0.005)
    assert agreement(grid, "phi", 10).mean < 0
    assert rank_correlation(np.array([1.0, 2, 3]), np.array([3.0, 5, 9])) == pytest.approx(1)
    assert rank_correlation(np.array([1.0, 2, 3]), np.array([9.0, 5, 3])) == pytest.approx(-1)


def test_every_defence_without_a_promise_is_held_against_both_controls():
    grid = made({
        "none": ("none", {}, 0.9, {"tpr1 loss": 0.5}),
        "stop_1": ("stopping", {"stop_after": 1}, 0.5, {"tpr1 loss": 0.02}),
        "stop_5": ("stopping", {"stop_after": 5}, 0.7, {"tpr1 loss": 0.1}),
        "little_4": ("little", {"z": 0.4}, 0.6, {"tpr1 loss": 0.02}),
        "little_1": ("little", {"z": 0.1}, 0.85, {"tpr1 loss": 0.3}),
        "mid": ("mid", {}, 0.8, {"tpr1 loss": 0.3}),
        "smooth": ("smoothing", {}, 0.95, {"tpr1 loss": 0.6}),
        "central": ("central", {"epsilon": 1.0}, 0.4, {"tpr1 loss": 0.01}),
    }, {"central": {"epsilon": 1.0}, "little_1": {"epsilon": 1e4}})  # fmt: skip
    found = {(one.column, one.control): one for one in against_controls(grid)}
    assert {column for column, _ in found} == {"mid", "smooth"}
    assert found["mid", "stopping"].controlled.mean == pytest.approx(0.3, abs=0.005)  # half-way from .1 to .5
    assert found["mid", "stopping"].gain.mean == pytest.approx(0.0, abs=0.005)
    assert found["mid", "little"].gain.mean == pytest.approx(0.02 + 0.8 * 0.28 - 0.3, abs=0.005)
    assert found["smooth", "stopping"].gain is None
    assert found["smooth", "stopping"].reason == "early stopping never is as accurate"
    accuracy, _ = control_curve(grid, "little", CAUGHT)
    assert accuracy[:, 0].tolist() == [0.4, 0.6, 0.85]  # the most noise first

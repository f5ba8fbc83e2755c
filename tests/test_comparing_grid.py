"""Grids of defences and attacks: values by what they are, over seeds, to files and back, the reader's own on top."""

import json

import numpy as np
import pytest

from dpmia_lab.experiments.comparing_columns import CONTROLS, DATA
from dpmia_lab.experiments.comparing_fits import attack_words, fits
from dpmia_lab.experiments.comparing_grid import (
    Column,
    columns_for,
    from_json,
    grid_of,
    grid_text,
    shipped_grid,
    to_json,
)
from dpmia_lab.rows import Row

CLASSES = {"carts": 10, "faces": 20, "patients": 4}


def made_grid():
    columns = {
        "none": Column("none", "no defence", {}),
        "central_2": Column("central", "DP-SGD, ε = 2", {"epsilon": 2}),
        "unused": Column("dap", "DAP", {}),
    }
    cells = []
    for name, accuracy in (("none", 0.8), ("central_2", 0.6)):
        for seed in (0, 1, 2):
            caught = Row("tpr1", 0.1 + 0.1 * seed, attack="rmia", protocol="turns")
            cells.append((name, seed, [Row("accuracy", accuracy, protocol="test"), caught]))
    cells[-1][2].pop()  # the last seed of one column has no such attack
    promises = {"central_2": {"epsilon": 2.0, "unit": "record"}, "unused": {"epsilon": 1.0}}
    return grid_of("carts", columns, cells, promises)


def test_values_are_found_by_what_they_are():
    grid = made_grid()
    assert grid.seeds == (0, 1, 2)
    assert list(grid.columns) == ["none", "central_2"]
    assert list(grid.promises) == ["central_2"]
    found = grid.measured("none", "tpr1", "rmia", "turns")
    assert found.mean == pytest.approx(0.2)
    assert found.spread == pytest.approx(0.1)
    assert found.high - found.mean == pytest.approx(4.3027 * 0.1 / 3**0.5, rel=1e-4)  # Student's t
    fewer = grid.measured("central_2", "tpr1", "rmia", "turns")
    assert np.isnan(fewer.values[2])
    assert fewer.mean == pytest.approx(0.15)
    assert np.isnan(grid.measured("none", "tpr1", "nobody's").mean)
    assert grid.attacks("tpr1") == [("rmia", "turns")]
    assert grid.families() == {"none": ["none"], "central": ["central_2"]}


def test_a_grid_survives_its_file():
    grid = made_grid()
    back = from_json(json.loads(grid_text(grid)))
    assert json.loads(grid_text(grid)) == to_json(grid) == to_json(back)
    assert back.columns == grid.columns
    for key, values in grid.values.items():
        np.testing.assert_allclose(back.values[key], values, rtol=1e-3)


def test_the_readers_own_cell_lands_on_top():
    grid = made_grid()
    own = grid.with_column("mine", Column("dap", "mine", {}), [Row("accuracy", 0.5, protocol="test")], seed=1)
    np.testing.assert_array_equal(own.accuracy("mine"), [np.nan, 0.5, np.nan])
    assert own.measured("mine", "accuracy", protocol="test").spread is None
    assert "mine" not in grid.columns


@pytest.mark.parametrize("data", DATA)
def test_every_set_has_its_columns_with_both_controls(data):
    columns = columns_for(data)
    assert next(iter(columns)) == "none"
    families = [column.family for column in columns.values()]
    assert all(families.count(control) >= 3 for control in CONTROLS)
    assert 30 <= len(columns) <= 60
    assert len({column.words for column in columns.values()}) == len(columns)


@pytest.mark.parametrize("data", DATA)
def test_the_reference_has_every_column_every_seed_and_every_attack_that_fits(data):
    grid = shipped_grid(data)
    assert grid.columns == columns_for(data)
    assert len(grid.seeds) >= 5
    made: dict[str, set[str]] = {name: set() for name in grid.columns}
    for (column, _, attack, _), values in grid.values.items():
        assert np.isfinite(values).all()
        made[column].add(attack)
    for name, column in grid.columns.items():
        fitting = {attack for attack in attack_words() if not fits(column, attack, data)}
        assert made[name] - {"", "nothing"} == fitting
    assert all("words" in promise for promise in grid.promises.values())
    assert grid.measured("none", "accuracy", protocol="test").low > 1.5 / CLASSES[data]

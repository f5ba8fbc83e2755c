"""Grids made by hand, for tests of what a comparison answers and says."""

import numpy as np

from dpmia_lab.experiments.comparing_grid import Column, Grid

SEEDS = 5


def around(value: float, apart: float = 0.01) -> np.ndarray:
    """Five seeds with that mean."""
    return value + apart * np.array([-1, -0.5, 0, 0.5, 1])


def grid_with(columns: dict[str, dict], apart: float = 0.01, promises=None) -> Grid:
    """``columns``: by name, the family and what was measured: accuracy, or (measure, attack, protocol) → a mean."""
    made, values = {}, {}
    for name, told in columns.items():
        made[name] = Column(told.get("family", name), f"defence {name}", {"strength": told["accuracy"]})
        values[name, "accuracy", "", "test"] = around(told["accuracy"], apart)
        for key, value in told.items():
            if isinstance(key, tuple):
                values[name, *key] = around(value, apart)
    return Grid("carts", tuple(range(SEEDS)), made, values, promises or {})


CAUGHT, CANARY = ("tpr1", "lira_fixed", "turns"), ("tpr1", "lira_fixed", "mislabelled")
AUC, THRESHOLD = ("auc", "lira_fixed", "turns"), ("tpr1", "loss", "alike")
GRID = grid_with({
    "none": {"accuracy": 0.7, CAUGHT: 0.4, CANARY: 0.9, AUC: 0.9, THRESHOLD: 0.1},
    "weak": {"family": "noise", "accuracy": 0.6, CAUGHT: 0.2, CANARY: 0.8, AUC: 0.7, THRESHOLD: 0.05},
    "strong": {"family": "noise", "accuracy": 0.4, CAUGHT: 0.05, CANARY: 0.1, AUC: 0.6, THRESHOLD: 0.02},
    "mask": {"accuracy": 0.55, CAUGHT: 0.3, CANARY: 0.85, AUC: 0.8, THRESHOLD: 0.35},
})  # fmt: skip

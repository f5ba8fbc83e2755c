"""A comparison made by hand: a few defences, a few attacks, numbers that are known."""

import numpy as np

from dpmia_lab.experiments.comparing_columns import Column
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.widgets.report.about import About, AtRisk

COLUMNS = {
    "none": Column("none", "no defence", {"defence": "none"}),
    "stopping_2": Column("stopping", "early stopping after 2 epochs", {"defence": "stopping", "stop_after": 2}),
    "stopping_8": Column("stopping", "early stopping after 8 epochs", {"defence": "stopping", "stop_after": 8}),
    "little_0.1": Column("little", "DP-SGD with little noise, z = 0.1", {"defence": "central", "z": 0.1}),
    "central_2": Column("central", "DP-SGD, ε = 2", {"defence": "central", "epsilon": 2.0}),
    "masking_label": Column("masking", "the label alone", {"defence": "masking", "mask": "label"}),
    "dap_2": Column("dap", "DAP_t, r = 2", {"defence": "dap", "r": 2.0}),
}
#                accuracy, loss, LiRA unadapted, LiRA, worst
MEANS = {
    "none": (0.80, 0.10, 0.25, 0.25, 0.70),
    "stopping_2": (0.60, 0.015, 0.02, 0.02, 0.05),
    "stopping_8": (0.78, 0.06, 0.15, 0.15, 0.45),
    "little_0.1": (0.76, 0.04, 0.08, 0.09, 0.30),
    "central_2": (0.70, 0.01, 0.01, 0.012, 0.02),
    "masking_label": (0.80, 0.02, 0.02, 0.18, 0.50),
    "dap_2": (0.74, 0.01, 0.01, 0.011, 0.08),
}
PROMISES = {
    "central_2": {
        "epsilon": 2.0, "delta": 0.0025, "unit": "record", "neighbours": "add-remove", "accountant": "tight", "mu": 0.9,
        "words": "ε = 2 for a record (add or remove one; δ = 0.0025; tight accountant, PLD)",
    },
    "little_0.1": {
        "epsilon": 4000.0, "delta": 0.0025, "unit": "record", "neighbours": "add-remove", "accountant": "tight",
    },
}  # fmt: skip
HOSTILE = '<script>alert(1)</script>"><img src=http://example.com/x onerror=alert(2)>'


def hand_grid(seeds: int = 3, data: str = "my.npz") -> Grid:
    """Seeds differ by a hundredth of the value either way."""
    values = {}
    for name, (right, loss, plain, adapted, worst) in MEANS.items():
        over = (1 + 0.01 * np.linspace(-1, 1, seeds)) if seeds > 1 else np.ones(1)
        values[name, "accuracy", "", "test"] = right * over
        values[name, "train_accuracy", "", ""] = np.minimum(1, 1.1 * right * over)
        for attack, caught in (("loss", loss), ("lira_unadapted", plain), ("lira_fixed", adapted)):
            values[name, "tpr1", attack, "turns"] = caught * over
            values[name, "auc", attack, "turns"] = np.minimum(1, 0.5 + caught) * over
        values[name, "tpr1", "lira_fixed", "worst"] = worst * over
        values[name, "tpr1", "lira_fixed", "mislabelled"] = worst * over
        if name != "masking_label":
            values[name, "tpr1", "white_box", "alike"] = 0.9 * adapted * over
    return Grid(data, tuple(range(seeds)), COLUMNS, values, PROMISES)


def hand_about(**changes) -> About:
    at_risk = (
        AtRisk((17,), "3", {"none": (23, 24, 0, 24), "central_2": (1, 24, 0, 24)}),
        AtRisk((4, 90), "7", {"none": (20, 24, 1, 24), "central_2": (0, 24, 0, 24)}),
    )
    usual = {
        "source": "my.npz", "kind": "pictures", "records": 1797, "trained_on": 400, "models": 16,
        "class_names": tuple("0123456789"), "model": "a network with one hidden layer",
        "settings": {"records": 400, "epochs": 30}, "command": "dpmia-lab report --data my.npz --out report.html",
        "versions": {"dpmia_lab": "1.0", "python": "3.11"}, "device": "processor, 2 cores", "date": "18 November 2026",
        "seconds": 1234.0, "refused": {"DP-SGD for a person": "the data have no people."},
        "reasons": {"masking_label|white_box": "a label has no gradient."}, "at_risk": at_risk, "judged": 800,
    }  # fmt: skip
    return About(**{**usual, **changes})

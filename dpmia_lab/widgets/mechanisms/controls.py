"""The controls of lesson 5's sweep, and presets small enough to watch."""

from dataclasses import replace
from types import SimpleNamespace

import ipywidgets as widgets

from dpmia_lab.experiments import mechanisms
from dpmia_lab.experiments.mechanisms import PRESETS, Config
from dpmia_lab.widgets.kit.controls import scale
from dpmia_lab.widgets.mechanisms.data import references

QUICK = {"epochs": 20, "central_epochs": 10, "shadows": 2, "repeats": 1, "zs": "0.5,2,8", "epsilons": "0.5,1,3"}
BITS_QUICK = QUICK | {"records": 600, "batch": 50, "rate": 0.002, "patience": 0}
QUICK_BY_DATA = {
    "faces": QUICK | {"records": 100, "pictures": 40, "people": 10, "batch": 20, "epsilons": "5,50,500"},
    "collaboration": QUICK | {"records": 100, "epochs": 10, "batch": 20, "central_epochs": 5, "zs": "0.5,2"},
}


def quick_presets() -> dict[str, Config]:
    """Each preset made quick; those with a reference first."""
    order = sorted(PRESETS, key=lambda name: name not in references())
    return {name: replace(PRESETS[name], **QUICK_BY_DATA.get(PRESETS[name].data, BITS_QUICK)) for name in order}


def quick_experiment() -> SimpleNamespace:
    """The sweep as the page offers it: small by default."""
    return SimpleNamespace(Config=Config, PRESETS=quick_presets(), run=mechanisms.run)


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    numbers = {"continuous_update": False}
    return {
        "zs": widgets.Text(description="central: noise multipliers z", **numbers),
        "epsilons": widgets.Text(description="local: ε_i of one bit, edge or pixel", **numbers),
        "records": scale("n, records trained on, about", (60, 100, 200, 400, 600, 1000, 2000)),
        "epochs": scale("epochs, but for central noise", (2, 5, 10, 20, 40, 60)),
        "shadows": scale("shadow models of the black box", (1, 2, 4, 8)),
        "repeats": scale("seeds, for the spread", (1, 2, 3, 5)),
        "seed": widgets.IntText(description="first seed"),
    }

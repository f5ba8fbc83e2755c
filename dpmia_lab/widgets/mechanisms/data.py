"""What lesson 5 draws and ranks: the shipped reference and the reader's sweeps."""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np

from dpmia_lab.experiments import mechanisms
from dpmia_lab.experiments.mechanism_sweep import Sweep, sweep_of
from dpmia_lab.experiments.mechanisms import PRESETS, Config
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.widgets.kit.runs import Run

BITS = ("skewed_purchases", "purchases_without_skew", "purchases_like", "hospital_like")
# What makes a sweep small enough to watch. So few records want little noise, or nothing is learned at all.
QUICK = {"epochs": 20, "central_epochs": 10, "shadows": 2, "repeats": 1, "zs": "0.5,2,8", "epsilons": "0.5,1,3"}
BITS_QUICK = QUICK | {
    "records": 600, "batch": 50, "rate": 0.002, "patience": 0, "zs": "0.1,0.3,1", "epsilons": "0.5,1,2",
}  # fmt: skip
QUICK_BY_DATA = {
    "faces": QUICK | {"records": 100, "pictures": 40, "people": 10, "batch": 20, "epsilons": "5,50,500"},
    "collaboration": QUICK | {"records": 100, "epochs": 10, "batch": 20, "central_epochs": 5, "zs": "0.5,2"},
}


@cache
def references() -> dict[str, Sweep]:
    """What ships with the lab, by preset; those that have been computed."""
    records = shipped_or_nothing("mechanisms")
    return {name: shipped_sweep(records[name]) for name in PRESETS if name in records}


def shipped_sweep(record: dict) -> Sweep:
    arrays = {name: np.array(points, dtype=float) for name, points in record["points"].items()}  # null becomes NaN
    return sweep_of(arrays, Config(**record["config"]), "reference")


def quick_presets() -> dict[str, Config]:
    """Each preset made quick; those with a reference first."""
    order = sorted(PRESETS, key=lambda name: name not in references())
    return {name: replace(PRESETS[name], **QUICK_BY_DATA.get(PRESETS[name].data, BITS_QUICK)) for name in order}


def quick_experiment() -> SimpleNamespace:
    """The sweep as the page offers it: small by default."""
    return SimpleNamespace(Config=Config, PRESETS=quick_presets(), run=mechanisms.run)


def own_sweep(run: Run) -> Sweep:
    return sweep_of(run.result.arrays, run.config, f"your run {run.number}")


def preset_of(config: Config) -> str:
    """The preset whose data these are, "" if none's: also of a smaller or otherwise trained sweep."""
    return next((name for name, preset in PRESETS.items() if same_data(config, preset)), "")


def same_data(one: Config, other: Config) -> bool:
    return one.data == other.data and (one.data not in BITS or one.classes == other.classes)

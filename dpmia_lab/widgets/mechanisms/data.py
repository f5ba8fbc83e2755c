"""What lesson 5 draws and ranks: the shipped reference and the reader's sweeps, as arrays, and who is better where."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np

from dpmia_lab.experiments import mechanisms
from dpmia_lab.experiments.mechanisms import COLUMNS, FIXED, MECHANISMS, PRESETS, Config, over_seeds, spread
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.store import Result

BITS = ("skewed_purchases", "purchases_without_skew", "purchases_like", "hospital_like")
# what makes a sweep small enough to watch
QUICK = {"epochs": 20, "central_epochs": 10, "shadows": 2, "repeats": 1, "zs": "0.5,2,8", "epsilons": "0.5,1,3"}
BITS_QUICK = QUICK | {"records": 600, "batch": 50, "rate": 0.002, "patience": 0}
QUICK_BY_DATA = {
    "faces": QUICK | {"records": 100, "pictures": 40, "people": 10, "batch": 20, "epsilons": "5,50,500"},
    "collaboration": QUICK | {"records": 100, "epochs": 10, "batch": 20, "central_epochs": 5, "zs": "0.5,2"},
}


@dataclass(frozen=True)
class Sweep:
    """Values by name, one a point, as the experiment returns them; NaN where there is none."""

    values: dict[str, np.ndarray]
    config: Config
    words: str

    def at(self, name: str, mechanism: str) -> np.ndarray:
        """The mechanism's values."""
        places = self.values["mechanism"] == MECHANISMS.index(mechanism)
        return self.values[name][places] if name in self.values else np.full(int(places.sum()), np.nan)

    def has(self, attack: str) -> bool:
        return bool(np.isfinite(self.values.get(f"auc_{attack}", np.nan)).any())

    def undefended(self, name: str) -> float:
        found = self.at(name, "none")
        return float(found[0]) if len(found) else np.nan


# ---- the reference
def reference_sweep(preset: str) -> Sweep | None:
    """What ships with the lab; None while it has not been computed."""
    record = shipped_or_nothing("mechanisms").get(preset)
    if record is None:
        return None
    values = {name: np.array(points, dtype=float) for name, points in record["points"].items()}  # null becomes NaN
    return Sweep(values, Config(**record["config"]), "reference")


def quick_presets() -> dict[str, Config]:
    """Each preset made quick; those with a reference first."""
    kept = shipped_or_nothing("mechanisms")
    order = sorted(PRESETS, key=lambda name: name not in kept)
    return {name: replace(PRESETS[name], **QUICK_BY_DATA.get(PRESETS[name].data, BITS_QUICK)) for name in order}


def quick_experiment() -> SimpleNamespace:
    """The sweep as the page offers it: small by default."""
    return SimpleNamespace(Config=Config, PRESETS=quick_presets(), run=mechanisms.run)


def preset_of(config: Config) -> str:
    """The preset whose data these are, "" if none's: also of a smaller or otherwise trained sweep."""
    return next((name for name, preset in PRESETS.items() if same_data(config, preset)), "")


def same_data(one: Config, other: Config) -> bool:
    return one.data == other.data and (one.data not in BITS or one.classes == other.classes)


# ---- the reader's
def own_sweep(config: Config, result: Result, words: str) -> Sweep:
    return Sweep(result.arrays, config, words)


def sweep_so_far(config: Config, table: np.ndarray, words: str) -> Sweep:
    """While it runs; table (rows, COLUMNS), seed after seed. Means over the seeds there are."""
    points = len(config.settings())
    seeds = -(-len(table) // points)
    padded = np.full((seeds * points, len(COLUMNS)), np.nan)
    padded[: len(table)] = table
    shaped = padded.reshape(seeds, points, -1)[:, : min(points, len(table))]
    values = {name: over_seeds(shaped[..., place], np.mean) for place, name in enumerate(COLUMNS)}
    if seeds > 1:
        measured = [(place, name) for place, name in enumerate(COLUMNS) if name not in FIXED]
        values |= {f"{name}_sd": over_seeds(shaped[..., place], spread) for place, name in measured}
    return Sweep(values, config, words)


# ---- who keeps more accuracy at equal AUC?
CLEAR = 0.05  # a smaller mean difference of accuracies counts as alike
HARDLY = 0.005  # so much worse is not worse
NARROW = 0.01  # a range of AUC in which chance decides


@dataclass(frozen=True)
class Contest:
    """At AUC values within reach of both mechanisms: the accuracy of each, between its strengths by a straight line."""

    levels: np.ndarray
    central: np.ndarray
    local: np.ndarray

    @property
    def mean(self) -> float:
        """Local minus central."""
        return float((self.local - self.central).mean()) if len(self.levels) else np.nan

    @property
    def verdict(self) -> str:
        """local, central, alike; or neither, where hardly any AUC is reached by both."""
        if not len(self.levels):
            return "neither"
        return "alike" if abs(self.mean) < CLEAR else "local" if self.mean > 0 else "central"

    @property
    def strict(self) -> bool:
        """Whether the better one is nowhere worse."""
        ahead = (self.local - self.central) * np.sign(self.mean)
        return self.verdict in ("local", "central") and bool((ahead >= -HARDLY).all())


def contest(sweep: Sweep, attack: str) -> Contest:
    curves = [frontier(sweep.at(f"auc_{attack}", m), sweep.at("test_accuracy", m)) for m in ("central", "local")]
    if not all(len(auc) for auc, _ in curves):
        return Contest(*(np.array([]),) * 3)
    low, high = max(auc[0] for auc, _ in curves), min(auc[-1] for auc, _ in curves)
    levels = np.unique(np.concatenate([[low, high], *(auc for auc, _ in curves)]))
    levels = levels[(levels >= low) & (levels <= high) & (high - low >= NARROW)]
    return Contest(levels, *(np.interp(levels, *curve) for curve in curves))


def frontier(auc: np.ndarray, accuracy: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By rising AUC, the best accuracy so far: nobody need take a strength that leaks more and knows less."""
    there = np.isfinite(auc) & np.isfinite(accuracy)
    order = np.argsort(auc[there], kind="stable")
    return auc[there][order], np.maximum.accumulate(accuracy[there][order])

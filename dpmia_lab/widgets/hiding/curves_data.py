"""What the curves of lesson 3 are made of: the shipped reference, the paper's points, the reader's runs and sweeps."""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.experiments import hiding, privacy_sweep
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.rows import Row, Rows
from dpmia_lab.widgets.hiding.words import PAIR, promise, published
from dpmia_lab.widgets.kit.runs import Run

# data: model or "k_sub" → its setting among the presets of the sweep
SWEEPS = {
    "faces": {"record": "hiding-faces-record", "unit": "hiding-faces-class"},
    "digits": {
        "record": "hiding-digits-record",
        "unit": "hiding-digits-subclass",
        "k_sub": "hiding-digits-k_sub",
    },
}
# data: model → what it hides
UNITS = {
    "faces": {"record": "record", "unit": "class"},
    "digits": {"record": "record", "unit": "subclass"},
}
# measure: (words, pictures whose value is drawn as a line)
MEASURES = {
    "distance": ("Euclidean distance\nlower: closer to a training picture", ("blank", "other_class")),
    "ssim_distance": ("1 − SSIM\nlower: closer to a training picture", ("blank", "other_class")),
    "similarity": ("correlation\nhigher: closer to a training picture", ("noise", "other_class")),
}


@dataclass(frozen=True)
class Points:
    """A sweep: its points as rows; ``ranks``: rank correlation of ε with a measure, over all seeds."""

    rows: Rows
    ranks: Rows
    config: dict

    def along(self, measure: str, attacker: str = "") -> list[Row]:
        """One a point."""
        return list(self.rows.where(measure=measure, attack=attacker))

    def epsilon(self) -> list[Row]:
        return self.along("epsilon_tight") or self.along("epsilon")

    def rank(self, measure: str, attacker: str = "") -> float:
        """NaN where no ε could be given."""
        name = privacy_sweep.rank_of(measure)
        return self.ranks.value(name, attack=attacker) if self.ranks.has(name, attack=attacker) else np.nan

    @property
    def count(self) -> int:
        """How many models were trained."""
        return len(self.along("sigma")) * self.config["repeats"]

    @property
    def chance(self) -> float:
        """Ranks nearer to 0 may be chance."""
        return 1.96 / np.sqrt(self.count - 1)


def reference_points(data: str) -> dict[str, Points]:
    """By model (or k_sub), what ships with the lab."""
    kept = shipped_or_nothing("privacy_sweep")
    found = {model: kept[name] for model, name in SWEEPS[data].items() if name in kept}
    return {
        model: Points(
            privacy_sweep.point_rows(record["points"]), privacy_sweep.rows_of(record["results"]), record["config"]
        )
        for model, record in found.items()
    }


def baseline_values(data: str, measure: str) -> dict[str, float]:
    """Of pictures that owe nothing to any attack."""
    rows = hiding.rows_of(shipped_or_nothing("hiding").get(data, {}).get("results", {}))
    means = rows.where(measure=hiding.mean_of(measure), defence="")
    return {BASELINES[name]: row.value for name in MEASURES[measure][1] for row in means.where(attack=name)}


def published_points(data: str) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """By model: the ε the paper prints, and the accuracy that goes with it."""
    paper = published(data)
    return {model: (np.array(paper[model]["epsilon"]), np.array(paper[model]["accuracy"])) for model in PAIR}


def own_points(runs: list[Run], data: str, measure: str, attacker: str) -> dict[str, np.ndarray]:
    """By model: (runs, 3) of ε, the measure and the run's number, from the main panel's runs on the curves' own data.

    ``measure``: accuracy (of no attacker), or one of what an attacker drew; the curves' own attackers have no public
    pictures, so runs in which the stronger one has them are left out.
    """
    runs = [run for run in runs if not (attacker == "stronger" and run.config.knows_public)]
    name = hiding.mean_of(measure) if attacker else measure
    found: dict[str, list] = {model: [] for model in PAIR}
    for run in runs:
        for model, points in found.items():
            same = run.config.data == hiding.PRESETS[data].data and UNITS[data][model] in ("record", run.config.unit)
            made = promise(run.result.rows, run.config, model) if same else None
            if made and made.epsilon:
                value = run.result.rows.value(name, defence=model, attack=attacker)
                points.append((made.epsilon, value, run.number))
    return {model: np.array(points) for model, points in found.items() if points}

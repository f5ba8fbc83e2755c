"""The curves behind the playground's trade-off chart: every played defence over its strengths, several seeds each.

``make reference`` computes them and ships them as ``reference/playground.json``; ``curves_from`` reads them back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpmia_lab.experiments import playground
from dpmia_lab.experiments.playground_sliders import PLAYED
from dpmia_lab.rows import Rows
from dpmia_lab.stages import Progress, Snapshot, Stage, mapped, part
from dpmia_lab.store import Result

SEEDS = 5
PRESETS = {"faces": playground.Config(), "purchases_like": playground.Config(data="purchases_like")}


@dataclass(frozen=True)
class Line:
    """What one curve runs over: a field of the configuration, and what else it changes."""

    words: str
    changes: Mapping
    field: str
    settings: tuple


def line(defence: str, words: str = "", **changes) -> Line:
    """Of a played defence over its first slider."""
    first = PLAYED[defence].sliders[0]
    return Line(words or PLAYED[defence].title, {"defence": defence, **changes}, first.field, first.values)


LINES: dict[str, Line] = {
    "none": Line(PLAYED["none"].title, {"defence": "none"}, "shadows", (playground.Config().shadows,)),
    "central": line("central"),
    "subclass": line("units", "DP-SGD for a subclass", unit="subclass"),
    "class": line("units", "DP-SGD for a class", unit="class"),
    **{name: line(name) for name in ("local", "mid", "dap", "dropout", "stopping", "smoothing")},
}
MEASURES = {  # what a point has: measure and protocol of its row, where a position has one
    "accuracy": ("accuracy", ""),
    "auc": ("auc", "turns"),
    "tpr1": ("tpr1", "turns"),
    "recognised": ("recognised", "filter"),
    "recognised_plain": ("recognised", "plain"),
    "recognised_blur": ("recognised", "blur"),
}


@dataclass(frozen=True)
class Curve:
    """One defence's points, (settings,) each; mean and standard deviation over seeds by measure."""

    words: str
    field: str
    settings: tuple
    mean: Mapping[str, np.ndarray]
    spread: Mapping[str, np.ndarray]


def run(config: playground.Config) -> Stage[Result]:
    """Arrays ``LINE_MEASURE`` and ``LINE_MEASURE_sd``, (settings,) each."""
    arrays = {}
    total = sum(len(one.settings) for one in LINES.values())
    done = 0
    for name, one in LINES.items():
        found = []
        for setting in one.settings:
            changed = replace(config, **one.changes, **{one.field: setting})
            stage = part(over_seeds(changed), done / total, (done + 1) / total, f"playing {one.words}")
            found.append((yield from stage))
            done += 1
        arrays |= listed(name, found)
    yield Progress(1, 1, "playing")
    return Result({}, arrays)


def over_seeds(config: playground.Config) -> Stage[list[Rows]]:
    found = []
    for seed in range(config.seed, config.seed + SEEDS):
        stage = mapped(playground.run(replace(config, seed=seed)), unseen)
        result = yield from part(stage, (seed - config.seed) / SEEDS, (seed - config.seed + 1) / SEEDS)
        found.append(result.rows)
    return found


def unseen(event: Progress | Snapshot) -> Progress | None:
    return event if isinstance(event, Progress) else None


def listed(name: str, found: Sequence[Sequence[Rows]]) -> dict[str, np.ndarray]:
    """found: rows of each setting and seed."""
    arrays = {}
    for measure, (own, protocol) in MEASURES.items():
        if found[0][0].has(own, protocol=protocol):
            values = np.array([[rows.value(own, protocol=protocol) for rows in seeds] for seeds in found])
            arrays[f"{name}_{measure}"], arrays[f"{name}_{measure}_sd"] = values.mean(1), values.std(1, ddof=1)
    return arrays


def curves_from(points: Mapping[str, Sequence[float]]) -> dict[str, Curve]:
    """The shipped points as curves, by the names of ``LINES``."""
    curves = {}
    for name, one in LINES.items():
        there = [measure for measure in MEASURES if f"{name}_{measure}" in points]
        mean, spread = ({m: np.array(points[f"{name}_{m}{end}"]) for m in there} for end in ("", "_sd"))
        curves[name] = Curve(one.words, one.field, one.settings, mean, spread)
    return curves

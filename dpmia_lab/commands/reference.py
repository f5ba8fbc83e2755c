"""``make reference``: computes the results that ship with the lab again.

Each is an ordinary experiment over several seeds, or many models; running it again gives the same numbers.
"""

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dpmia_lab.commands.progress_line import ProgressLine
from dpmia_lab.experiments import (
    EXPERIMENTS,
    evaluation,
    hiding,
    inversion_comparison,
    mechanisms,
    membership,
    privacy_sweep,
)
from dpmia_lab.experiments.repeats import averaged
from dpmia_lab.files import circumstances, write_whole
from dpmia_lab.options import as_dict
from dpmia_lab.reference import FOLDER
from dpmia_lab.stages import Stage, drain, part
from dpmia_lab.store import Result
from dpmia_lab.sweeps import evaluation_grid

# experiment → its settings by name, each over several seeds or many models
SETTINGS: dict[str, dict[str, Any]] = {
    "inversion_comparison": inversion_comparison.PRESETS,
    "privacy_sweep": privacy_sweep.PRESETS,
    "membership": {"purchases": membership.PRESETS["purchases"]},
    "hiding": {name: replace(preset, repeats=5) for name, preset in hiding.PRESETS.items()},
    "mechanisms": {name: replace(preset, repeats=5) for name, preset in mechanisms.PRESETS.items()},
    "evaluation": evaluation.PRESETS,  # of each the whole grid, a hundred models a cell
}
SEEDS = 5


def membership_over_seeds(config: membership.Config) -> Stage[Result]:
    """Its rows as means over seeds; who was a member differs from seed to seed, so no arrays."""
    results = []
    for repeat in range(SEEDS):
        one = membership.run(replace(config, seed=config.seed + repeat))
        result = yield from part(one, repeat / SEEDS, (repeat + 1) / SEEDS)
        results.append(replace(result, arrays={}))
    return averaged(results)


RUNS = {name: experiment.run for name, experiment in EXPERIMENTS.items()}
RUNS |= {"evaluation": evaluation_grid.run, "membership": membership_over_seeds}
SHOWN = {("evaluation", "faces")}  # also shipped as pictures: nobody in them exists
PER_CLASS = ("distance", "ssim_distance", "similarity")  # what paper A shows class by class, and a scale-free one


def record(experiment: str, name: str, config: Any) -> dict:
    start = time.monotonic()
    result = drain(RUNS[experiment](config), ProgressLine().show)
    if (experiment, name) in SHOWN:
        evaluation_grid.write_pictures(result, Path(str(FOLDER / f"{experiment}_{name}.npz")))
    return {
        "config": as_dict(config),
        "results": {name: rounded(value) for name, value in result.numbers.items()},
        **listed(experiment, result),
        **circumstances(),
        "seconds": round(time.monotonic() - start),
    }


def listed(experiment: str, result: Result) -> dict:
    """The arrays worth shipping: a sweep's points, or values class by class."""
    if experiment in ("privacy_sweep", "mechanisms", "evaluation"):
        points = {name: values for name, values in result.arrays.items() if not is_picture(name)}
        return {"points": {name: listed_values(values) for name, values in points.items()}}
    chosen = [name for name in result.arrays if name.startswith(tuple(f"{measure}_" for measure in PER_CLASS))]
    return {"per_class": {name: [rounded(v) for v in result.arrays[name]] for name in chosen}}


def is_picture(name: str) -> bool:
    return name.startswith("picture_")


def listed_values(values: np.ndarray) -> list:
    """Nested lists of rounded numbers; None for NaN, which JSON does not know."""
    if values.ndim > 1:
        return [listed_values(row) for row in values]
    return [rounded(value) if np.isfinite(value) else None for value in values.tolist()]


def rounded(value: float) -> float:
    """To five significant digits."""
    return float(f"{value:.5g}")


def main() -> None:
    """All, or those named as arguments (``hiding`` or ``hiding/faces``); the others stay as they are."""
    for experiment, settings in SETTINGS.items():
        place = Path(str(FOLDER / f"{experiment}.json"))
        for name, config in settings.items():
            if sys.argv[1:] and not {experiment, f"{experiment}/{name}"} & set(sys.argv[1:]):
                continue
            print(f"{experiment}/{name}")
            made = record(experiment, name, config)
            records = json.loads(place.read_text()) if place.exists() else {}  # now: others may have run meanwhile
            text = json.dumps({**records, name: made}, indent=1)
            write_whole(place, lambda file, text=text: file.write(text.encode()))


if __name__ == "__main__":
    main()

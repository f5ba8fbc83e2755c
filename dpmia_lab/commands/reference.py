"""``make reference``: computes the results that ship with the lab again.

Each is an ordinary experiment over several seeds, or many models; running it again gives the same numbers. One needs
all MNIST digits, which do not ship: ``dpmia-lab data download mnist`` fetches them, ``--mnist PLACE`` says where they
are (a folder of the original files, or an npz); without them it is left as it is.
"""

import argparse
import json
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpmia_lab.commands.progress_line import ProgressLine
from dpmia_lab.data.download import downloaded_folder
from dpmia_lab.experiments import (
    EXPERIMENTS,
    as_published,
    attribute_curves,
    confidence_curves,
    evaluation,
    fooling_table,
    hiding,
    inversion_comparison,
    mechanisms,
    membership,
    playground_curves,
    privacy_sweep,
)
from dpmia_lab.experiments.comparing_columns import DATA as COMPARED
from dpmia_lab.experiments.comparing_columns import columns_for
from dpmia_lab.experiments.comparing_grid import grid_text
from dpmia_lab.experiments.repeats import averaged
from dpmia_lab.files import circumstances, write_whole
from dpmia_lab.options import as_dict
from dpmia_lab.reference import FOLDER
from dpmia_lab.stages import Stage, drain, part
from dpmia_lab.store import Result
from dpmia_lab.sweeps import comparison, evaluation_grid, over_seeds
from dpmia_lab.widgets.membership.hook import eight_asked

# experiment → its settings by name, each over several seeds or many models
SETTINGS: dict[str, dict[str, Any]] = {
    "inversion_comparison": inversion_comparison.PRESETS,
    "privacy_sweep": privacy_sweep.PRESETS,
    "membership": {name: membership.PRESETS[name] for name in ("digits", "purchases")},
    "hiding": {name: replace(preset, repeats=5) for name, preset in hiding.PRESETS.items()},
    "as_published": {name: replace(preset, repeats=3) for name, preset in as_published.PRESETS.items()},
    "mechanisms": {name: replace(preset, repeats=5) for name, preset in mechanisms.PRESETS.items()},
    "attribute_curves": attribute_curves.PRESETS,  # of each a hundred splits
    "confidence_curves": confidence_curves.PRESETS,  # of each three seeds
    "fooling_table": {name: replace(preset, repeats=5) for name, preset in fooling_table.PRESETS.items()},
    "playground": playground_curves.PRESETS,  # of each five seeds
    "evaluation": evaluation.PRESETS,  # of each the whole grid, a hundred models a cell
}
SEEDS = 5
POINTS = ("privacy_sweep", "mechanisms", "evaluation", "attribute_curves", "confidence_curves", "fooling_table")
POINTS += ("playground",)


def membership_over_seeds(config: membership.Config) -> Stage[Result]:
    """Its rows as means over seeds; who was a member differs from seed to seed, so no arrays."""
    results = []
    for repeat in range(SEEDS):
        one = membership.run(replace(config, seed=config.seed + repeat))
        result = yield from part(one, repeat / SEEDS, (repeat + 1) / SEEDS)
        results.append(replace(result, arrays={}))
    return averaged(results)


def curves_as_points(config: attribute_curves.Config) -> Stage[Result]:
    """Its points alone, of which the rows would say the same once more."""
    result = yield from attribute_curves.run(config)
    return Result({}, attribute_curves.averaged_points(result.arrays))


def curves_by_seed(config: confidence_curves.Config) -> Stage[Result]:
    """Likewise; of few seeds each has its own value."""
    return Result({}, (yield from confidence_curves.run(config)).arrays)


RUNS = {name: experiment.run for name, experiment in EXPERIMENTS.items()}
RUNS |= {"evaluation": evaluation_grid.run, "membership": membership_over_seeds}
RUNS |= {"attribute_curves": curves_as_points, "confidence_curves": curves_by_seed}
RUNS |= {"playground": playground_curves.run}
RUNS |= {"as_published": partial(over_seeds.run, "as_published")}
# Also shipped as pictures: people who do not exist, and drawings of digits (of real ones only their means).
SHOWN = {("evaluation", "faces"), *(("as_published", name) for name in as_published.PRESETS)}
PER_CLASS = ("distance", "ssim_distance", "similarity")  # what paper A shows class by class, and a scale-free one


def record(experiment: str, name: str, config: Any, data: str = "") -> dict:
    """``data``: where those of the configuration are on this machine, which is not written down."""
    start = time.monotonic()
    made_with = replace(config, data=data) if data else config
    result = drain(RUNS[experiment](made_with), ProgressLine().show)
    if (experiment, name) in SHOWN:
        shown = result if experiment == "evaluation" else with_few_greys(result)
        evaluation_grid.write_pictures(shown, Path(str(FOLDER / f"{experiment}_{name}.npz")))
    return {
        "config": as_dict(config),
        "results": {name: rounded(value) for name, value in result.numbers.items()},
        **listed(experiment, result),
        **circumstances(),
        "seconds": round(time.monotonic() - start),
    }


def with_few_greys(result: Result) -> Result:
    """Its pictures as a grid's are."""
    fewer = {name: evaluation_grid.fewer_greys(array) for name, array in result.arrays.items() if is_picture(name)}
    return replace(result, arrays={**result.arrays, **fewer})


def listed(experiment: str, result: Result) -> dict:
    """The arrays worth shipping: a sweep's points, or values class by class."""
    if experiment in POINTS:
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


def write_hook() -> None:
    """What lesson 4 opens with until the page has computed it."""
    arrays = vars(drain(eight_asked()))
    write_whole(Path(str(FOLDER / "membership_hook.npz")), lambda file: np.savez_compressed(file, **arrays))


def write_comparison(data: str) -> None:
    """Every defence against every attack, cell by cell: what was computed before is taken from the sweep's folder."""
    stage = comparison.compared(data, comparison.base_of(data)[1], columns_for(data), SEEDS, workers=1)
    grid, failed = drain(stage, ProgressLine().show)
    for cell in failed:
        print(f"  {cell.config.defence}, seed {cell.config.seed}: {cell.problem}")
    write_whole(Path(str(FOLDER / f"comparing_{data}.json")), lambda file: file.write(grid_text(grid).encode()))


def main() -> None:
    """All, or those named as arguments (``hiding`` or ``hiding/faces``); the others stay as they are."""
    parser = argparse.ArgumentParser(description="Computes the results that ship with the lab again.")
    parser.add_argument("names", nargs="*", help="such as hiding or hiding/faces; all, if none is given")
    parser.add_argument("--mnist", default="", help="all MNIST digits: a folder of the original files, or an npz")
    given = parser.parse_args()
    if not given.names or "membership_hook" in given.names:
        write_hook()
    for data in COMPARED:
        if not given.names or {"comparing", f"comparing/{data}"} & set(given.names):
            print(f"comparing/{data}")
            write_comparison(data)
    for experiment, settings in SETTINGS.items():
        place = Path(str(FOLDER / f"{experiment}.json"))
        for name, config in settings.items():
            if given.names and not {experiment, f"{experiment}/{name}"} & set(given.names):
                continue
            print(f"{experiment}/{name}")
            if experiment == "as_published" and not (given.mnist or downloaded_folder("mnist").is_dir()):
                print("  left as it is: it needs all MNIST digits (--mnist PLACE, or dpmia-lab data download mnist)")
                continue
            data = f"mnist:{given.mnist}" if experiment == "as_published" and given.mnist else ""
            made = record(experiment, name, config, data)
            records = json.loads(place.read_text()) if place.exists() else {}  # now: others may have run meanwhile
            text = json.dumps({**records, name: made}, indent=1)
            write_whole(place, lambda file, text=text: file.write(text.encode()))


if __name__ == "__main__":
    main()

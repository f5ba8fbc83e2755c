"""Reference results that ship with the lab: made by ``make reference``, read by the pages.

Each is an ordinary experiment over several seeds; running it again gives the same numbers.
"""

import json
import sys
import time
from importlib.resources import files
from pathlib import Path

from dpmia_lab.experiments import inversion_comparison
from dpmia_lab.experiments.configs import as_dict
from dpmia_lab.experiments.progress_line import ProgressLine
from dpmia_lab.experiments.records import circumstances, write_whole
from dpmia_lab.stages import drain

FOLDER = files("dpmia_lab") / "reference"
PER_CLASS = ("distance", "ssim_distance")  # what Tables I and II of paper A list class by class


def shipped(name: str) -> dict:
    """``published`` (the papers' figures) or ``inversion_comparison`` (this lab's)."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def comparison_record(config: inversion_comparison.Config) -> dict:
    start = time.monotonic()
    result = drain(inversion_comparison.run(config), ProgressLine().show)
    subjects = (*inversion_comparison.CONTENDERS, "noise", "blank", "class_mean", "other_class")
    return {
        "config": as_dict(config),
        "results": {name: round(value, 5) for name, value in result.numbers.items()},
        "per_class": {
            f"{measure}_{who}": [round(float(v), 4) for v in result.arrays[f"{measure}_{who}"]]
            for measure in PER_CLASS
            for who in subjects
        },
        **circumstances(),
        "seconds": round(time.monotonic() - start),
    }


def main() -> None:
    """All presets of the comparison, or those named as arguments; the others stay as they are."""
    place = Path(str(FOLDER / "inversion_comparison.json"))
    records = json.loads(place.read_text()) if place.exists() else {}
    for name in sys.argv[1:] or inversion_comparison.PRESETS:
        print(name)
        records[name] = comparison_record(inversion_comparison.PRESETS[name])
        write_whole(place, lambda file: file.write(json.dumps(records, indent=1).encode()))


if __name__ == "__main__":
    main()

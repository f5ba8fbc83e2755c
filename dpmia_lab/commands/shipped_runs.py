"""``python -m dpmia_lab.commands.shipped_runs``: computes the runs that pages open with, one for each preset.

Best on a machine that does nothing else: how long each takes is written down too. Names of experiments (``hiding``) or
of single presets (``hiding/faces``), ``inversion_hook``, ``grown_face``, ``picture_vaes`` or ``fooling_hook`` as
arguments compute those only.
"""

import json
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from dpmia_lab.commands.progress_line import ProgressLine
from dpmia_lab.experiments import (
    confidences,
    evaluation,
    grown_face,
    hiding,
    inversion,
    membership,
    one_step,
    playground,
    private_training,
    public_vaes,
    spending,
)
from dpmia_lab.files import circumstances, write_whole
from dpmia_lab.machine import measured
from dpmia_lab.reference import FOLDER
from dpmia_lab.reference.shipped_runs import RUNS, as_record, packed, shipped_run
from dpmia_lab.stages import drain
from dpmia_lab.store import Result, record_of
from dpmia_lab.sweeps import evaluation_grid
from dpmia_lab.widgets.attributes.panel import quick_experiment as quick_attributes
from dpmia_lab.widgets.choosing.panel import quick_experiment as quick_evaluation
from dpmia_lab.widgets.choosing.view import MOST_PEOPLE
from dpmia_lab.widgets.comparing.panel import quick_experiment as quick_comparing
from dpmia_lab.widgets.confidences.data import quick_experiment as quick_confidences
from dpmia_lab.widgets.fooling import hook as fooling_hook
from dpmia_lab.widgets.fooling.data import quick_experiment as quick_fooling
from dpmia_lab.widgets.inversion import hook as inversion_hook
from dpmia_lab.widgets.mechanisms.data import quick_experiment as quick_mechanisms

MOST_CLASSES = 40
SHOWN_ROWS, MOST_FACES = ("truth", "alignment", "gmi", "update"), 40
MOMENTS, LAPSE = 8, 120_000  # of a time-lapse at most so many, and so many bytes: of 40 faces only the last


def pages() -> dict[str, ModuleType | SimpleNamespace]:
    """What each panel runs, with its presets."""
    own = {"inversion": inversion, "private_training": private_training, "hiding": hiding, "membership": membership}
    quick = {"mechanisms": quick_mechanisms(), "evaluation": quick_evaluation(), "attributes": quick_attributes()}
    quick |= {"confidences": quick_confidences(), "fooling": quick_fooling(), "comparing": quick_comparing()}
    return own | quick | {"playground": playground}


def write(experiment: str, name: str, config: Any, result: Result, seconds: float, speed: float) -> None:
    about = {"seconds": round(seconds, 2), "yardstick": speed, **circumstances()}
    record = json.dumps(record_of(experiment, as_record(config), result, about), indent=1)
    arrays = {array: packed(values) for array, values in THIN.get(experiment, thinned)(result.arrays).items()}
    if config.data in REAL_PEOPLE:
        arrays = {array: values for array, values in arrays.items() if values.ndim < 3}
    folder = Path(str(RUNS))
    folder.mkdir(exist_ok=True)
    write_whole(folder / f"{experiment}-{name}.npz", lambda file: np.savez_compressed(file, **arrays))
    write_whole(folder / f"{experiment}-{name}.json", lambda file: file.write(record.encode()))


def thinned(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of a time-lapse a few moments, the last among them; of shadow models what they say of records that are shown."""
    lapse = [name for name in ("frames", "frame_steps") if name in arrays]
    fewer = {name: moments(arrays[name], arrays["frames"][0].size) for name in lapse}
    for name in ("shadow_logits", "shadow_inside"):  # (models, records)
        if name in arrays:
            of_shown = np.isin(np.arange(arrays[name].shape[1]), arrays["shown"])
            fewer[name] = np.where(of_shown, arrays[name], np.zeros(1, arrays[name].dtype))
    return arrays | fewer


def moments(lapse: np.ndarray, size: int) -> np.ndarray:
    """Of frames of that size, or of their steps, as many as may ship, the last among them."""
    most = max(1, min(MOMENTS, LAPSE // size))
    return lapse[-1:] if most == 1 else lapse[:: -max(1, len(lapse) // most)][::-1]


def write_hook() -> None:
    """The face that lesson 1 opens with, and the people it may be."""
    data, _, x, _ = drain(inversion.drawn(inversion_hook.HOOK))
    arrays = inversion_hook.hook_arrays(data, x, inversion_hook.HOOK.seed)
    write_whole(Path(str(inversion_hook.STORED)), lambda file: np.savez_compressed(file, **arrays))


def write_six() -> None:
    """The six people that lesson 9 opens with, from the run that ships for them."""
    config = quick_fooling().PRESETS[fooling_hook.PRESET]
    result, _ = shipped_run("fooling", config)
    arrays = fooling_hook.write_six(fooling_hook.six_asked(config, result))
    write_whole(Path(str(fooling_hook.STORED)), lambda file: np.savez_compressed(file, **arrays))


def write_vaes() -> None:
    """The autoencoders of public pictures that lesson 8's GMI may draw with."""
    for preset in public_vaes.SHIPPED:
        config = confidences.PRESETS[preset]
        roles = drain(confidences.Prepared(config).roles.result())
        public_vaes.write_vae(preset, drain(public_vaes.newly_trained(roles.public, config.seed)))


def first_people(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of a cell of lesson 6 what its page shows: the drawings of the private models' first people; every verdict."""
    of_others = tuple(f"{group}_reconstruction" for group in evaluation.GROUPS if group != "private")
    kept = {name: array for name, array in arrays.items() if not name.startswith(of_others)}
    return {name: array[:MOST_PEOPLE] if array.ndim >= 3 else array for name, array in kept.items()}


def first_classes(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of a run of lesson 3 the drawings of the first classes, in few shades; every number of every class."""
    pictures = {name: array[:MOST_CLASSES] for name, array in arrays.items() if array.ndim >= 3}
    return arrays | {name: evaluation_grid.fewer_greys(array) for name, array in pictures.items()}


def no_splits(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of a run of lesson 7 what is drawn; what was measured in each split is in the rows, as mean and spread."""
    return {name: array for name, array in arrays.items() if name.startswith(("shown", "tree", "secret"))}


def first_rows(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of a run of lesson 8 the rows that its page shows, of the first people, in few shades."""
    kept = {name: array for name, array in arrays.items() if name.startswith(SHOWN_ROWS) or array.ndim < 3}
    kept.pop("confidences")
    pictures = {name: array[:MOST_FACES] for name, array in kept.items() if array.ndim >= 3}
    return kept | {name: evaluation_grid.fewer_greys(array) for name, array in pictures.items()}


def no_turns(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of a run of lesson 9 epochs, looks and the target's scores; what every model said in its turn is in the rows."""
    return {name: array for name, array in arrays.items() if not name.startswith(("turns", "undefended"))}


def risks_alone(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of a cell of lesson 10 what one array tells of every record; the rest is in the rows."""
    return {name: array for name, array in arrays.items() if array.ndim == 1}


THIN = {
    "comparing": risks_alone,
    "evaluation": first_people,
    "hiding": first_classes,
    "attributes": no_splits,
    "confidences": first_rows,
    "fooling": no_turns,
}
REAL_PEOPLE = ("att_faces",)  # whose pictures do not ship


def main() -> None:
    if not sys.argv[1:] or "inversion_hook" in sys.argv[1:]:
        write_hook()
    if not sys.argv[1:] or "one_step" in sys.argv[1:]:
        one_step.write_step(drain(one_step.one_step()))
    if not sys.argv[1:] or "grown_face" in sys.argv[1:]:
        grown_face.write_faces(drain(grown_face.grown_faces()))
    if not sys.argv[1:] or "picture_vaes" in sys.argv[1:]:
        write_vaes()
    if not sys.argv[1:] or "spending" in sys.argv[1:]:
        stored = json.dumps(drain(spending.opening_again()), indent=1)
        write_whole(Path(str(FOLDER)) / "spending.json", lambda file: file.write(stored.encode()))
    for experiment, page in pages().items():
        for name, config in page.PRESETS.items():
            if sys.argv[1:] and not {experiment, f"{experiment}/{name}"} & set(sys.argv[1:]):
                continue
            print(f"{experiment}/{name}")
            # Processor time, and the machine's speed before and after: others may be at work meanwhile.
            before, start = measured(), time.process_time()
            result = drain(page.run(config), ProgressLine().show)
            seconds = time.process_time() - start
            write(experiment, name, config, result, seconds, (before + measured()) / 2)
    if not sys.argv[1:] or "fooling_hook" in sys.argv[1:]:
        write_six()


if __name__ == "__main__":
    main()

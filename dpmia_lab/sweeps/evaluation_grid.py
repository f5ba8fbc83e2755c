"""Paper E's grid: the experiment ``evaluation`` at every ε and σ, as one result with a value a cell.

It is a sweep, so it may be stopped and taken up again; the reference that lesson 6 shows is made by it.
"""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments.evaluation import ATTACKERS, GROUPS, IN_FULL, Config, array_name
from dpmia_lab.files import write_whole
from dpmia_lab.metrics.recognition import called_shares
from dpmia_lab.options import as_dict
from dpmia_lab.stages import Stage
from dpmia_lab.store import Result, Store
from dpmia_lab.sweeps import sweep

EPSILONS, SIGMAS = (2.0, 4.0, 6.0, 8.0), (2.0, 4.0, 6.0)
PEOPLE = 6  # whose pictures are kept: the first, whatever became of them
GREYS = 32  # as many shades are kept, which nobody sees in noise and which take a third less room
EVERYWHERE = ("private", "control")  # whose pictures are kept in every cell; of the others one cell's are enough


def run(base: Config, folder: Path | None = None, workers: int | None = None) -> Stage[Result]:
    """Arrays: ``epsilons`` (E,), ``sigmas`` (S,), each number of a cell as (E, S), and pictures as ``picture_…``."""
    folder = folder or sweep.default_folder("evaluation")
    grid = {"epsilon": EPSILONS, "sigma": SIGMAS}
    cells = yield from sweep.run("evaluation", base, grid, folder=folder, workers=workers)
    failed = next((cell for cell in cells if cell.problem), None)
    if failed is not None:
        raise Mistake(f"the cell ε = {failed.config.epsilon:g}, σ = {failed.config.sigma:g} failed: {failed.problem}")
    store = Store(folder, most=None)
    return gathered([store.get("evaluation", as_dict(cell.config))[0] for cell in cells])


def gathered(cells: Sequence[Result]) -> Result:
    """The cells, row by row, as one result."""
    shape = len(EPSILONS), len(SIGMAS)
    points = {name: np.array([cell.numbers[name] for cell in cells]).reshape(shape) for name in cells[0].numbers}
    pictures = {f"picture_{name}": array for name, array in kept_pictures(cells).items()}
    return Result({}, {"epsilons": np.array(EPSILONS), "sigmas": np.array(SIGMAS), **points, **pictures})


def kept_pictures(cells: Sequence[Result]) -> dict[str, np.ndarray]:
    """Of the first people: the truth, their shapes, what the attackers drew (as bytes), and who knew them there."""
    shape, first, last = (len(EPSILONS), len(SIGMAS)), slice(0, PEOPLE), cells[-1].arrays
    kept = {"names": last["names"][first]} | {what: fewer_greys(last[what][first]) for what in ("truth", "shapes")}
    for attack, group in product(ATTACKERS, GROUPS):
        name = array_name("reconstruction", group, attack)
        if group in EVERYWHERE:
            drawn = np.stack([fewer_greys(cell.arrays[name][first]) for cell in cells])
            kept[name] = drawn.reshape(*shape, *drawn.shape[1:])
        else:
            kept[name] = fewer_greys(last[name][first])
    for attack, judge in product(ATTACKERS, IN_FULL):
        named = np.stack([cell.arrays[array_name("named", "private", attack, judge)][:, first] for cell in cells])
        right = named == np.arange(PEOPLE)[: named.shape[2]]  # (cells, models, people)
        recognised, first_right, called = (
            array_name(what, group, attack, judge)
            for what, group in (("recognised", "private"), ("first_right", "private"), ("called", "noise"))
        )
        kept[recognised] = right.mean(1).astype(np.float32).reshape(*shape, -1)
        kept[first_right] = right[:, 0].reshape(*shape, -1)  # of the model whose pictures these are
        kept[called] = called_shares(last[array_name("named", "noise", attack, judge)])[first]
    return kept


def write_pictures(result: Result, path: Path) -> None:
    """What the page reads: the grid's pictures without their prefix, compressed."""
    kept = {name.removeprefix("picture_"): a for name, a in result.arrays.items() if name.startswith("picture_")}
    write_whole(path, lambda file: np.savez_compressed(file, allow_pickle=False, **kept))


def fewer_greys(pictures: np.ndarray) -> np.ndarray:
    """Floats in [0, 1] or bytes, as bytes of ``GREYS`` shades."""
    values = pictures / 255 if pictures.dtype == np.uint8 else np.clip(pictures, 0, 1)
    return (np.rint(values * (GREYS - 1)) * (255 / (GREYS - 1))).round().astype(np.uint8)

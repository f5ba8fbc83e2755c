"""An experiment over its seeds, each seed stored as soon as it is done: what was stopped goes on where it was."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments.repeats import averaged
from dpmia_lab.options import as_dict
from dpmia_lab.stages import Stage
from dpmia_lab.store import Result, Store
from dpmia_lab.sweeps import sweep


def run(name: str, config: Any, folder: Path | None = None, workers: int | None = None) -> Stage[Result]:
    """As the experiment's own ``run`` with its ``repeats``, bit for bit."""
    folder = folder or sweep.default_folder(name)
    cells = yield from sweep.run(
        name, replace(config, repeats=1), {}, config.repeats, folder=folder, workers=workers
    )
    failed = next((cell for cell in cells if cell.problem), None)
    if failed is not None:
        raise Mistake(f"seed {failed.config.seed} failed: {failed.problem}")
    store = Store(folder, most=None)
    return averaged([store.get(name, as_dict(cell.config))[0] for cell in cells])

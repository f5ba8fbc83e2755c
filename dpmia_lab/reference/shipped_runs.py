"""Whole runs that ship with the lab, one for each preset of a page, so that no panel opens empty.

``make reference`` computes them again (``runs``). They are the ordinary result of the ordinary experiment; of arrays
only what a page needs is kept, pictures as bytes.
"""

import json
from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np

from dpmia_lab.reference import FOLDER
from dpmia_lab.store import Result, read_result

RUNS = FOLDER / "runs"


def shipped_run(experiment: str, config: Any) -> tuple[Result, dict] | None:
    """The run of exactly this configuration, and its record; None where none ships."""
    found = shipped_record(experiment, config)
    if found is None:
        return None
    result, record = read_result(RUNS / f"{found['name']}.json", RUNS / f"{found['name']}.npz")
    return replace(result, arrays={name: unpacked(array) for name, array in result.arrays.items()}), record


def shipped_record(experiment: str, config: Any) -> dict | None:
    """What is written of that run: among others ``seconds``, and the ``yardstick`` of the machine it ran on.

    A run from before there was an option has its usual value, with which all is as it was.
    """
    settings, usual = as_record(config), as_record(type(config)())
    return next((record for record in records_of(experiment) if usual | record["config"] == settings), None)


@cache
def records_of(experiment: str) -> list[dict]:
    files = sorted(file for file in RUNS.iterdir() if file.name.startswith(f"{experiment}-") and file.suffix == ".json")
    return [{**json.loads(file.read_text()), "name": file.stem} for file in files]


def as_record(config: Any) -> dict:
    """The configuration as JSON gives it back."""
    return json.loads(json.dumps({option.name: getattr(config, option.name) for option in fields(config)}))


def packed(array: np.ndarray) -> np.ndarray:
    """Pictures (three axes or more, between black and white) as bytes, other fractions with half the digits.

    A list keeps all of them where half would make some equal: scores tell records apart by their order.
    """
    if array.dtype.kind != "f":
        return array
    if array.ndim >= 3 and array.min() >= 0 and array.max() <= 1:
        return (255 * array).round().astype(np.uint8)
    with np.errstate(over="ignore"):
        half = array.astype(np.float16)
    same_order = array.ndim != 1 or len(np.unique(half)) == len(np.unique(array))
    close = same_order and np.allclose(half, array, rtol=1e-3, atol=1e-6, equal_nan=True)
    return half if close else array.astype(np.float32)


def unpacked(array: np.ndarray) -> np.ndarray:
    if array.dtype == np.uint8 and array.ndim >= 3:
        return array.astype(np.float32) / 255
    return array.astype(np.float64) if array.dtype == np.float16 else array


"""A student's code run apart from the grader: in a process of its own, for a limited time, in a temporary folder."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from dpmia_lab.worksheets.questions import Draws, Trial

CHILD = Path(__file__).with_name("run_answer.py")
SECONDS = 10
MEGABYTES = 1500
ONE_THREAD = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}


class Failed(Exception):
    """There is no output at all; the text says why."""


def outputs_of(source: str, function: str, trials: list[Trial], seconds: int = SECONDS) -> list[Any]:
    """What the function returned in each trial, or an exception in its place."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "answer.py").write_text(source, encoding="utf-8")
        np.savez(Path(folder) / "trials.npz", allow_pickle=False, **stored(trials))
        run_child(folder, function, seconds)
        return read_outputs(Path(folder), len(trials))


def stored(trials: list[Trial]) -> dict[str, np.ndarray]:
    """Every argument under the numbers of its trial and place; a generator's name ends in rng and it has its seed."""
    return {
        f"{number}_{place}_rng" if isinstance(one, Draws) else f"{number}_{place}": np.asarray(
            one.seed if isinstance(one, Draws) else one
        )
        for number, trial in enumerate(trials)
        for place, one in enumerate(trial.args)
    }


def run_child(folder: str, function: str, seconds: int) -> None:
    quiet = {"HOME": folder, "TMPDIR": folder, "PYTHONDONTWRITEBYTECODE": "1", **ONE_THREAD}
    command = [sys.executable, "-I", str(CHILD), folder, function, str(seconds), str(MEGABYTES)]
    nowhere = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    child = subprocess.Popen(command, cwd=folder, env=quiet, start_new_session=True, **nowhere)
    try:
        child.wait(2 * seconds)  # its own limit counts computing; this one also counts sleeping
    except subprocess.TimeoutExpired:
        raise Failed(f"it did not end within {2 * seconds} seconds") from None
    finally:
        with contextlib.suppress(OSError):
            os.killpg(child.pid, signal.SIGKILL)  # and whatever it may have started
        child.wait()
    if child.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise Failed(f"it did not end within {seconds} seconds of computing")


def read_outputs(folder: Path, trials: int) -> list[Any]:
    try:
        errors = json.loads((folder / "errors.json").read_text(encoding="utf-8"))
        with np.load(folder / "outputs.npz", allow_pickle=False) as found:
            outputs = {name: value for name, value in found.items()}
    except (OSError, ValueError, EOFError):
        raise Failed("its process ended without an answer") from None
    ended = [outputs.get(str(number), Exception(errors.get(str(number), ""))) for number in range(trials)]
    return [value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value for value in ended]

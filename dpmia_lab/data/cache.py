"""The cache folder: arrays kept as npz once they were slow to make, and explicit downloads.

A cache only saves time: where it cannot be written, things are made afresh and nobody is told.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

ROOM = 10**6  # bytes, of a few results


def cache_folder() -> Path:
    """``DPMIA_CACHE`` if it is set, else a folder of our own where the platform keeps caches."""
    if os.environ.get("DPMIA_CACHE"):
        return Path(os.environ["DPMIA_CACHE"]).expanduser()
    home = Path(os.path.expanduser("~"))
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")
    return base / "dpmia-lab"


def cached_arrays(name: str, make: Callable[[], dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """The arrays that ``make()`` returns, read from ``name``.npz if an earlier call left them there."""
    path = cache_folder() / f"{name}.npz"
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
            return {key: stored[key] for key in stored.files}
    except Exception:  # absent or damaged, which can fail in a dozen ways: make it (again)
        pass
    arrays = make()
    _keep(path, arrays)
    return arrays


def _keep(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write beside the target first, then put it in place in one step, so that no half file is ever read."""
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            temporary = file.name
            np.savez(file, **arrays)
        if path.is_dir():  # nothing of ours
            shutil.rmtree(path)
        os.replace(temporary, path)
    except OSError:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def cannot_keep() -> str:
    """A sentence where results will not be kept, for whoever starts a server; else ""."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as trial:
            trial.write(bytes(ROOM))
    except OSError as error:
        return f"Results will not be kept between visits: {folder} cannot be written ({error.strerror})."
    return ""

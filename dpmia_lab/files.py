"""What is written down beside a result, and files that are there whole or not at all."""

import contextlib
import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from dpmia_lab import __version__
from dpmia_lab.checks import Mistake


def circumstances() -> dict:
    """What a result depends on besides its settings."""
    import torch

    from dpmia_lab.devices import best_device, described

    versions = {"dpmia_lab": __version__, "python": platform.python_version()}
    versions |= {"torch": torch.__version__, "numpy": np.__version__}
    return {"versions": versions, "device": described(best_device())}


def check_writable(path: Path | None) -> None:
    """Before the work, not after it."""
    if path is not None and path.is_dir():
        raise Mistake(f"the name of a file must not be that of a folder; it is {str(path)!r}.")
    if path is not None and not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
        raise Mistake(f"the folder of {path} must exist and be writable; it is {str(path.parent)!r}.")


def write_whole(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """The file is there whole or not at all."""
    scratch = path.with_name(f".new-{os.getpid()}-{path.name}")
    try:
        with open(scratch, "wb") as file:
            write(file)
        os.replace(scratch, path)
    except OSError as error:
        raise Mistake(f"{path} could not be written: {error.strerror}.") from None
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink(missing_ok=True)

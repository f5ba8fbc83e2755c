"""Where temporary files of a server and its pages lie: one folder, which goes with the server.

A server that is killed cannot clear up. So the folder is marked by a file that its server holds locked for as long as
it lives, and the next server that starts removes folders whose mark nobody holds.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

from dpmia_lab.turns import lock

PREFIX, MARK = "dpmia_", "in_use"
# Where others keep what the lab needs nothing of; Jupyter opens no page where its folder cannot be made.
HOMES = ("JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_CONFIG_DIR", "IPYTHONDIR", "MPLCONFIGDIR")
LONGEST = 27  # characters of a folder below which sockets of kernels lie: a socket's path may have 107


@contextlib.contextmanager
def own_scratch() -> Iterator[None]:
    """Meanwhile temporary files of this process, and of those that it starts, are in a folder of our own."""
    root = tempfile.gettempdir() if len(tempfile.gettempdir()) <= LONGEST else "/tmp"
    for left in Path(root).glob(f"{PREFIX}*"):
        if is_abandoned(left):
            shutil.rmtree(left, ignore_errors=True)
    folder, before = tempfile.mkdtemp(prefix=PREFIX, dir=root), os.environ.get("TMPDIR")
    with (Path(folder) / MARK).open("wb") as mark:
        lock(mark)
        tempfile.tempdir = os.environ["TMPDIR"] = folder
        if not can_be_made(jupyter_data_dir()):
            os.environ |= dict.fromkeys(HOMES, folder)
        try:
            yield
        finally:
            tempfile.tempdir = None
            os.environ.pop("TMPDIR")
            os.environ |= {"TMPDIR": before} if before is not None else {}
            shutil.rmtree(folder, ignore_errors=True)


def can_be_made(folder: str) -> bool:
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)


def is_abandoned(folder: Path) -> bool:
    """One without a mark may just be being made, and one that we may not read is another user's."""
    with contextlib.suppress(OSError), (folder / MARK).open("rb") as mark:
        return lock(mark)
    return False

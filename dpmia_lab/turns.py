"""Runs of many pages on one machine, a few at a time, first come, first served.

A run that waits or goes on holds a ticket: a file in a folder that all pages share, locked by its process for as long
as it lives. So nobody has to be asked, and a page that was killed is forgotten at once. The server says in the
environment where the folder is and how many may run; without that, every run goes at once.
"""

import contextlib
import itertools
import os
import time
from pathlib import Path
from typing import TypeVar

from dpmia_lab.stages import Progress, Stage

FOLDER, AT_ONCE = "DPMIA_TURNS", "DPMIA_TURNS_AT_ONCE"  # in the environment
PAUSE = 0.1  # seconds between two looks, so that stopping is quick
NUMBERS = itertools.count()  # two runs of a process may come in the same instant
T = TypeVar("T")


def in_turn(stage: Stage[T]) -> Stage[T]:
    """The stage, once it is its turn; until then events whose values tell how many runs are ``waiting`` before it."""
    try:
        drawn = Ticket(Path(os.environ[FOLDER]))
    except (KeyError, OSError):  # nobody shares out turns, or a full disk takes no ticket: better now than never
        return (yield from stage)
    with contextlib.closing(drawn) as ticket:
        while (ahead := ticket.before() + 1 - int(os.environ[AT_ONCE])) > 0:
            runs = "1 run" if ahead == 1 else f"{ahead} runs"
            yield Progress(0, 1, f"waiting for {runs} of other readers", {"waiting": ahead})
            time.sleep(PAUSE)
        return (yield from stage)


class Ticket:
    """Its name tells when it was drawn; it is given back by ``close``, or by the end of the process."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{time.time_ns():020}-{os.getpid()}-{next(NUMBERS)}"
        scratch = folder / f".{self.path.name}"  # locked before anybody sees it
        self.file = scratch.open("wb")
        lock(self.file)
        scratch.rename(self.path)

    def before(self) -> int:
        """How many tickets were drawn earlier and are still held."""
        earlier = [path for path in self.path.parent.glob("[0-9]*") if path.name < self.path.name]
        return sum(held(path) for path in earlier)

    def close(self) -> None:
        self.path.unlink(missing_ok=True)
        self.file.close()


def held(path: Path) -> bool:
    """Whether its process still lives; the ticket of one that does not is thrown away."""
    with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
        if not lock(file):
            return True
        path.unlink(missing_ok=True)
    return False


def lock(file) -> bool:
    """Whether nobody else has it locked: then we have, until the file is closed."""
    import fcntl  # not on Windows, where no server shares out turns

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

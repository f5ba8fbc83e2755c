"""A sweep's workers on this machine: processes of their own, each looked after by a thread.

A process is fed through its standard input and answers through its standard output. So it needs no port and
no guarded main module, Ctrl-C reaches only the one who started it, and it ends when that one is gone.
"""

import contextlib
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

from dpmia_lab.memory import MEMORY, limit_memory
from dpmia_lab.stages import Event, Progress, Stopped
from dpmia_lab.sweeps.cell import Outcome, outcome_of

TRIES = 3  # a cell whose process dies is run again, but not for ever
PAUSE = 0.2  # seconds between a process's reports on the way


class LocalWorkers:
    """``room`` processes at most, started as they are needed.

    ``longest``: seconds that a cell may take; ``memory``: bytes of its own that a process may have. None: as it comes.
    """

    def __init__(self, room: int, longest: float | None = None, memory: int | None = None) -> None:
        self.room, self.longest, self.memory = room, longest, memory
        self.threads = ThreadPoolExecutor(room)
        self.lock, self.closed = threading.Lock(), False
        self.all: list[Child] = []
        self.idle: list[Child] = []

    def submit(self, name: str, config: dict) -> "Future[Outcome]":
        return self.threads.submit(self._outcome, name, config)

    def under_way(self) -> float:
        """How many cells' worth of work the unfinished ones have seen."""
        return sum(child.share for child in list(self.all))

    def close(self) -> None:
        """All processes end now; they write nothing, so nothing is left half-written."""
        with self.lock:
            self.closed = True
        for child in list(self.all):
            child.process.kill()
        self.threads.shutdown(cancel_futures=True)
        for child in self.all:
            child.end()

    def _outcome(self, name: str, config: dict) -> Outcome:
        for _ in range(TRIES):
            child, start = self._free_child(), time.monotonic()
            try:
                with child.ended_after(self.longest):
                    outcome = child.outcome_of(name, config)
            except (EOFError, OSError, pickle.UnpicklingError):  # the process has died
                self.all.remove(child)
                child.end()
                if self.longest is not None and time.monotonic() - start >= self.longest:
                    return Outcome(problem=f"it took longer than {self.longest:g} s.")
                continue
            self.idle.append(child)
            return outcome
        return Outcome(problem=f"its worker process died {TRIES} times (the last time with {child.ending()}).")

    def _free_child(self) -> "Child":
        with self.lock:
            if self.closed:
                raise Stopped
            if not self.idle:
                self.all.append(Child(self.memory))
                return self.all[-1]
            return self.idle.pop()


class Child:
    """A worker process, seen from the one who started it."""

    def __init__(self, memory: int | None = None) -> None:
        here = str(Path(__file__).parents[2])  # the child shall run this very code
        path = os.pathsep.join(filter(None, (here, os.environ.get("PYTHONPATH"))))
        self.share = 0.0
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "dpmia_lab.sweeps.local"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
            env={**os.environ, "PYTHONPATH": path} | ({MEMORY: str(memory)} if memory else {}),
        )

    @contextlib.contextmanager
    def ended_after(self, seconds: float | None) -> Iterator[None]:
        """Whatever it is doing then."""
        if seconds is None:
            yield
            return
        clock = threading.Timer(seconds, self.process.kill)
        clock.daemon = True
        clock.start()
        try:
            yield
        finally:
            clock.cancel()

    def outcome_of(self, name: str, config: dict) -> Outcome:
        try:
            pickle.dump((name, config), self.process.stdin)
            self.process.stdin.flush()
            while not isinstance(answer := pickle.load(self.process.stdout), Outcome):
                self.share = answer
            return answer
        finally:
            self.share = 0.0

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):  # what it never read
            self.process.stdin.close()
        self.process.stdout.close()

    def ending(self) -> str:
        code = self.process.returncode
        return f"signal {-code}; signal 9 is often a lack of memory" if code < 0 else f"exit code {code}"


def serve() -> None:
    """In the worker process: cells in, shares and outcomes out, until the other side is gone."""
    if MEMORY in os.environ:
        import_module("torch")  # not what a run takes; and its own loading may crash where memory is short
        limit_memory(int(os.environ[MEMORY]))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print must not get among the answers
    last = 0.0

    def answer(thing: float | Outcome) -> None:
        try:
            pickle.dump(thing, answers)
            answers.flush()
        except BrokenPipeError:
            os._exit(1)

    def report(event: Event) -> None:
        nonlocal last
        if isinstance(event, Progress) and time.monotonic() - last > PAUSE:
            last = time.monotonic()
            answer(event.done / event.total)

    with contextlib.suppress(EOFError):
        while True:
            name, config = pickle.load(sys.stdin.buffer)
            answer(outcome_of(name, config, report))


if __name__ == "__main__":
    serve()

"""Runs a stage in a thread and reports to the page's loop, at most ten times a second.

Knows nothing of widgets: ``post`` is how a function reaches the page's loop.
"""

import threading
import time
from collections.abc import Callable
from typing import Any

from dpmia_lab.checks import Mistake
from dpmia_lab.memory import is_want_of_memory, want_of_memory
from dpmia_lab.stages import Event, Progress, Snapshot, Stage, Stopped, drain
from dpmia_lab.words.said import said

PAUSE = 0.1  # seconds between reports


class Runner:
    """At most one stage at a time; ``start`` and ``stop`` return at once."""

    def __init__(self, post: Callable[[Callable[[], None]], None]) -> None:
        self.post = post
        self._current: _Run | None = None

    @property
    def running(self) -> bool:
        return self._current is not None

    def start(
        self,
        stage: Callable[[], Stage],
        on_events: Callable[[list[Event]], None],
        on_end: Callable[[Any, str | None], None],
    ) -> None:
        """Run ``stage()``; ``on_end(result, problem)`` gets the result, or None and a sentence.

        A stop on request ends with ``on_end(None, None)``.
        """
        if not self.running:
            self._current = _Run(self, stage, on_events, on_end)
            self._current.thread.start()

    def stop(self) -> None:
        """The page is told now; the thread obeys at its next event and is no longer listened to."""
        run = self.drop()
        if run is not None:
            run.on_end(None, None)

    def drop(self) -> "_Run | None":
        """Stop without telling: another run takes its place."""
        run, self._current = self._current, None
        if run is not None:
            run.stop.set()
        return run

    def deliver(self, run: "_Run", call: Callable[[], None], last: bool = False) -> None:
        """Let the page's loop make this call, unless the run has been stopped meanwhile."""

        def if_current() -> None:
            if self._current is run:
                if last:
                    self._current = None
                call()

        self.post(if_current)


class _Run:
    """One stage in its own daemon thread."""

    def __init__(self, runner: Runner, stage, on_events, on_end) -> None:
        self.runner, self.stage, self.on_events, self.on_end = runner, stage, on_events, on_end
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.work, daemon=True)

    def work(self) -> None:
        reporter = Reporter(lambda events: self.runner.deliver(self, lambda: self.on_events(events)))
        result, problem = None, None
        try:
            result = drain(self.stage(), reporter.take, self.stop.is_set)
            reporter.flush()
        except Stopped:
            return
        except Mistake as mistake:
            problem = str(mistake)
        except Exception as error:  # what nobody foresaw must still reach the page, in one line
            problem = said(
                "Something went wrong inside the lab ({name}: {error}).", name=type(error).__name__, error=str(error)
            )
            if is_want_of_memory(error):
                problem = want_of_memory()
        self.runner.deliver(self, lambda: self.on_end(result, problem), last=True)


class Reporter:
    """Collects events and hands on, ten times a second, only the newest of each kind."""

    def __init__(self, report: Callable[[list[Event]], None], clock=time.monotonic) -> None:
        self.report, self.clock = report, clock
        self.waiting: dict[str, Event] = {}
        self.last = -PAUSE

    def take(self, event: Event) -> None:
        self.waiting[event.name if isinstance(event, Snapshot) else Progress.__name__] = event
        if self.clock() - self.last >= PAUSE:
            self.flush()

    def flush(self) -> None:
        if self.waiting:
            self.report(list(self.waiting.values()))
            self.waiting = {}
        self.last = self.clock()

"""A stage that a page runs: Run and Stop, how far it is, what came out of it, or one sentence why nothing did."""

import time
from collections.abc import Callable
from typing import Any

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.stages import Event, Progress, Snapshot, Stage
from dpmia_lab.turns import in_turn
from dpmia_lab.widgets.kit.parts import RunBar, error_html, page_poster, text
from dpmia_lab.widgets.kit.runner import Runner
from dpmia_lab.words.said import marked, said


def ignored(*_: Any) -> None:
    """For what a page need not hear of."""


class StageRun:
    """``bar`` (None without a ``button``) and ``problem`` are for the page; ``seconds`` is how long the last run took.

    ``make()`` is called when it is to start: the stage, or None if there is nothing to run; it may raise Mistake.
    Where a machine is shared, what a button starts waits for its turn; what follows a slider is short, and does not.
    ``on_result(result)`` hears what came out, ``on_events`` what happens meanwhile, ``on_nothing()`` that the run was
    stopped or failed. ``loading`` is said while the stage's libraries are loaded, ``problem`` may be a given place.
    """

    def __init__(
        self,
        make: Callable[[], Stage | None],
        on_result: Callable[[Any], None],
        on_events: Callable[[list[Event]], None] = ignored,
        on_nothing: Callable[[], None] = ignored,
        button: str = "",
        loading: str = "loading PyTorch",
        stopped: str = marked("stopped"),
        problem: widgets.HTML | None = None,
    ) -> None:
        self.make, self.on_result, self.on_events, self.on_nothing = make, on_result, on_events, on_nothing
        self.loading, self.stopped = loading, stopped
        self.runner = Runner(page_poster())
        self.began, self.seconds = 0.0, 0.0
        self.seen, self.again = False, False  # something of this run is on the page; another is wanted
        self.problem = text("") if problem is None else problem
        self.bar = RunBar(button, self.press, self.stop) if button else None

    @property
    def running(self) -> bool:
        return self.runner.running

    def press(self) -> None:
        """As the Run button does."""
        self.problem.value = ""
        self.start()

    def start(self, waits: bool = True) -> None:
        if self.running:
            return
        try:
            stage = self.make()
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        if stage is None:
            return
        if self.bar is not None:
            self.bar.started()
        self.seen = self.again = False
        self.began = time.monotonic()
        own = announced(stage, self.loading)
        turn = in_turn(own) if waits and self.bar is not None else own
        self.runner.start(lambda: turn, self._happened, self._ended)

    def stop(self) -> None:
        self.again = False
        self.runner.stop()

    def restart(self) -> None:
        """The newest wish wins: a run under way is dropped for it, but not before something of it was seen.

        Else a slider that moves on and on would never show anything. So the page is at most one run behind.
        """
        if self.running and not self.seen:
            self.again = True
            return
        if self.runner.drop() is not None and self.bar is not None:
            self.bar.idle("")
        self.start(waits=False)

    def _happened(self, events: list[Event]) -> None:
        for event in events:
            if self.bar is not None and isinstance(event, Progress):
                self.bar.show(event)
                if event.values.get("waiting"):
                    self.began = time.monotonic()  # waiting is not counted
        self.on_events(events)
        self.seen = self.seen or any(isinstance(event, Snapshot) and event.name != "truth" for event in events)
        if self.seen and self.again:
            self.restart()

    def _ended(self, result: Any, problem: str | None) -> None:
        self.seconds = time.monotonic() - self.began
        if self.bar is not None:
            self.bar.idle(said(self.stopped) if result is None and problem is None else "")
        if result is not None:
            self.on_result(result)
        else:
            self.on_nothing()
            if problem is not None:
                self.problem.value = error_html(problem)
        if self.again:
            self.start(waits=False)


def announced(stage: Stage, words: str) -> Stage:
    """The stage, after an event that says what is loaded for it; it is the stage's first step that loads it."""
    if words:
        yield Progress(0, 1, words)
    return (yield from stage)

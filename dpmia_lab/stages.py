"""Stages: long work as generators that yield small events and return their result.

An experiment nests stages with ``yield from``, so its body reads like pseudo-code although a
page, a test or the command line can watch it and stop it at every step.
"""

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np


@dataclass(frozen=True)
class Progress:
    """``done`` of ``total`` steps of the work called ``label``; ``values`` are plain numbers to show."""

    done: float
    total: float
    label: str
    values: dict = field(default_factory=dict)


@dataclass(frozen=True)
class Snapshot:
    """An intermediate array worth looking at: the ``name``d thing as it was at ``step``."""

    name: str
    step: int
    array: np.ndarray


Event = Progress | Snapshot
T = TypeVar("T")
Stage = Generator[Event, None, T]


class Stopped(Exception):
    """The work was stopped on request: not an error, and there is no result."""


def drain(
    stage: Stage[T],
    on_event: Callable[[Event], None] | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> T:
    """Run a stage to its end and return its result, handing each event to ``on_event``.

    The stage is closed by this very thread whatever happens, so its ``finally`` blocks run.
    """
    try:
        while True:
            if should_stop is not None and should_stop():
                raise Stopped
            try:
                event = next(stage)
            except StopIteration as end:
                return end.value
            if on_event is not None:
                on_event(event)
    finally:
        stage.close()


def mapped(stage: Stage[T], change: Callable[[Event], Event]) -> Stage[T]:
    """The same stage, each of its events as ``change`` makes it."""
    try:
        while True:
            try:
                event = next(stage)
            except StopIteration as end:
                return end.value
            yield change(event)
    finally:
        stage.close()


def part(stage: Stage[T], start: float, end: float, label: str = "") -> Stage[T]:
    """Let a stage count as the stretch from ``start`` to ``end`` (of 1) of a larger one."""

    def placed(event: Event) -> Event:
        if not isinstance(event, Progress):
            return event
        done = start + (end - start) * event.done / event.total
        return replace(event, done=done, total=1.0, label=label or event.label)

    return mapped(stage, placed)


class TimeLeft:
    """Seconds left, from the share done so far; None until there is enough to go by."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.start = clock()

    def after(self, progress: Progress) -> float | None:
        share = progress.done / progress.total
        spent = self.clock() - self.start
        return spent * (1 - share) / share if share > 0.02 and spent > 0.3 else None

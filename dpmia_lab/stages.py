"""Stages: long work as generators that yield small events and return their result.

An experiment nests stages with ``yield from``, so its body reads like pseudo-code although a
page, a test or the command line can watch it and stop it at every step.
"""

import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

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


def mapped(stage: Stage[T], change: Callable[[Event], Event | None]) -> Stage[T]:
    """The same stage, each of its events as ``change`` makes it; None leaves one out."""
    try:
        while True:
            try:
                event = next(stage)
            except StopIteration as end:
                return end.value
            if (changed := change(event)) is not None:
                yield changed
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


def stretches(*costs: float) -> list[tuple[float, float]]:
    """Where each of several parts begins and ends (of 1), if they take about so long."""
    ends = np.cumsum([0.0, *costs]) / max(sum(costs), 1e-9)
    return list(zip(ends.tolist(), ends[1:].tolist(), strict=False))


class Once(Generic[T]):
    """What a stage comes to, computed once, whoever asks for it.

    Who is stopped in the middle leaves the work where it is, and the next goes on from there. Several threads may ask:
    each step is taken by one of them. After a failure the next one who asks begins anew.
    """

    def __init__(self, make: Callable[[], Stage[T]]) -> None:
        self.make, self.lock = make, threading.Lock()
        self.stage: Stage[T] | None = None
        self.found: list[T] = []  # the result, once it is there

    def result(self) -> Stage[T]:
        while not self.found:
            if (event := self._step()) is not None:
                yield event
        return self.found[0]

    def _step(self) -> Event | None:
        with self.lock:
            if self.found:
                return None
            self.stage = self.stage or self.make()
            try:
                return next(self.stage)
            except StopIteration as end:
                self.found, self.stage = [end.value], None
            except BaseException:
                self.stage = None
                raise
        return None


class TimeLeft:
    """Seconds left, from the share done since the work began; None where that would be a guess.

    Shares are planned before the work, and a stretch may turn out slower than planned. The expected end then moves
    away with every event, and a time told meanwhile would grow for minutes. So none is told until what is expected
    has not grown since half of the time. Waiting before any work is done (libraries load, stored cells are looked
    for) does not count: it will not come again.
    """

    GROWTH = 1.25  # of the expected length since half of the time: more is a slower stretch, not mere unrest

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.start = clock()
        self.expected: list[tuple[float, float]] = []  # (seconds spent, length of the whole as expected then)

    def after(self, progress: Progress) -> float | None:
        share, now = progress.done / progress.total, self.clock()
        if share <= 0:
            self.start = now
        spent = now - self.start
        if share >= 1 or share <= 0.02 or spent <= 0.3:
            return 0.0 if share >= 1 else None
        whole = spent / share
        before = next((length for then, length in reversed(self.expected) if then <= spent / 2), None)
        if not self.expected or spent > 1.02 * self.expected[-1][0]:  # so that a run of hours keeps a few hundred
            self.expected.append((spent, whole))
        return whole - spent if before is not None and whole <= self.GROWTH * before else None

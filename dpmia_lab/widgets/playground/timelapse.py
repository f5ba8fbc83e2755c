"""The last minute once more: every position that was shown, in quick succession."""

import asyncio
import time
from collections import deque
from collections.abc import Callable

from dpmia_lab.widgets.kit.loop import page_loop
from dpmia_lab.widgets.kit.parts import guarded
from dpmia_lab.widgets.playground.position import Position

MINUTE = 60.0  # seconds that are remembered
MOST = 240  # positions
STEP = 0.15  # seconds that each is shown


class TimeLapse:
    """``show(position, place, count)`` is called for each; ``ended()`` when all were shown, or somebody interferes."""

    def __init__(self, show: Callable[[Position, int, int], None], ended: Callable[[], None]) -> None:
        self.show, self.ended = show, ended
        self.frames: deque[Position] = deque(maxlen=MOST)
        self.timer: asyncio.TimerHandle | None = None

    @property
    def playing(self) -> bool:
        return self.timer is not None

    def add(self, position: Position) -> None:
        """The whole of a position takes the place of its beginning."""
        if self.frames and self.frames[-1].config == position.config:
            self.frames.pop()
        self.frames.append(position)
        while self.frames and self.frames[0].at < time.monotonic() - MINUTE:
            self.frames.popleft()

    def play(self) -> None:
        if not self.playing and self.frames:
            self._step(list(self.frames), 0)

    def stop(self) -> None:
        if self.playing:
            self.timer.cancel()
            self.timer = None
            self.ended()

    def _step(self, frames: list[Position], place: int) -> None:
        if place == len(frames):
            self.stop()
            return
        self.show(frames[place], place, len(frames))
        self.timer = page_loop().call_later(STEP, guarded(self._step), frames, place + 1)

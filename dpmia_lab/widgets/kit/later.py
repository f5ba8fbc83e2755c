"""Calls that may wait: a chart need not be drawn for every place a slider passes through."""

import asyncio
from collections.abc import Callable

from dpmia_lab.widgets.kit.loop import page_loop
from dpmia_lab.widgets.kit.parts import guarded


class Soon:
    """Makes the call at once, but then rests: however often it is asked meanwhile, one call follows."""

    def __init__(self, call: Callable[[], None], rest: float) -> None:
        self.call, self.rest = guarded(call), rest
        self.free_at, self.waiting = 0.0, False

    def ask(self) -> None:
        if self.waiting:
            return
        loop = page_loop()
        self.waiting = True
        loop.call_later(max(0.0, self.free_at - loop.time()), self._now)

    def _now(self) -> None:
        self.waiting = False
        self.call()
        self.free_at = page_loop().time() + self.rest


class Settled:
    """Makes the call once nobody has asked for so many seconds."""

    def __init__(self, call: Callable[[], None], quiet: float) -> None:
        self.call, self.quiet = guarded(call), quiet
        self.timer: asyncio.TimerHandle | None = None

    def ask(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        self.timer = page_loop().call_later(self.quiet, self.call)

"""Progress on a terminal."""

import sys
import time

from dpmia_lab.stages import Event, Progress, TimeLeft


class ProgressLine:
    """One line on stderr that says what is being done, how far it is and how long it may take."""

    def __init__(self) -> None:
        self.time_left = TimeLeft()
        self.last_shown = 0.0
        self.on_screen = sys.stderr.isatty()
        self.pause = 0.1 if self.on_screen else 2.0  # a log file wants fewer lines

    def show(self, event: Event) -> None:
        if not isinstance(event, Progress):
            return
        now = time.monotonic()
        finished = event.done >= event.total
        if now - self.last_shown < self.pause and not finished:
            return
        self.last_shown = now
        left = self.time_left.after(event)
        words = "" if left is None else f", {left:.0f} s left"
        line = f"{100 * event.done / event.total:3.0f} % {event.label}{words}"
        if self.on_screen:
            line = f"\r{line:<70}"
        print(line, end="\n" if finished or not self.on_screen else "", file=sys.stderr, flush=True)

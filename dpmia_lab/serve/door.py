"""Who is let in: a page is a process, and a machine bears only so many.

A visitor is a browser, known by a cookie that says nothing else. Whoever finds the lab full waits at the door, in the
order of coming, for as long as their page keeps asking; when one is let in, it opens by itself.
"""

import contextlib
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

import psutil

PAGE_BYTES = 250_000_000  # of a page that has trained, beside what it shares with the others
LEFT_FREE = 0.2  # of the memory that is free when the lab opens
PATIENCE = 15.0  # seconds after which one who no longer asks has gone
REMEMBERED = 20  # departures, from which a time to wait is told


@dataclass(frozen=True)
class Room:
    pages: int  # open at once
    each: int  # of one visitor
    waiting: int = 100  # visitors at the door


@dataclass(frozen=True)
class Answer:
    """``place``: in the queue, from 1 on; 0 where it is not the queue that one waits for."""

    open: bool
    sentence: str = ""
    place: int = 0


def room_of_this_machine() -> Room:
    pages = max(4, int((1 - LEFT_FREE) * psutil.virtual_memory().available / PAGE_BYTES))
    return Room(pages, max(4, pages // 4))


class Door:
    """``opened()``: the pages that are open now, by the names of their kernels."""

    def __init__(
        self, room: Room, opened: Callable[[], Collection[str]], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.room, self.opened, self.clock = room, opened, clock
        self.opening: Counter[str] = Counter()  # pages on their way to a kernel, by visitor
        self.readers: dict[str, str] = {}  # of connected pages the visitor
        self.queue: dict[str, float] = {}  # visitor → when last heard of, in the order of coming
        self.since: dict[str, float] = {}  # open page → when it was first seen
        self.departures: deque[float] = deque(maxlen=REMEMBERED)

    def asked(self, visitor: str) -> Answer:
        """Whether that visitor may open a page now; who may not is in the queue from now on.

        A browser that keeps no cookie ("") cannot be told from others: it gets in when nobody waits.
        """
        free, now = self.free(), self.clock()
        if self.pages_of(visitor) >= self.room.each:
            self.queue.pop(visitor, None)
            return Answer(False, f"You have {self.room.each} pages of the lab open, as many as one reader may have. "
                                 "Close one of them, and this page opens by itself.")  # fmt: skip
        self.queue = {who: last for who, last in self.queue.items() if now - last < PATIENCE or who == visitor}
        if visitor not in self.queue and len(self.queue) >= self.room.waiting:
            return Answer(False, "The lab is full, and so is the queue at its door. Please come back later.")
        if visitor:
            self.queue[visitor] = now
        place = list(self.queue).index(visitor) + 1 if visitor else len(self.queue) + 1
        if free >= place:
            return Answer(True)
        return Answer(False, f"The lab is full: {self.room.pages} pages are open, as many as this machine bears. "
                             f"{self.waiting_words(place)} This page opens by itself.", place)  # fmt: skip

    def waiting_words(self, place: int) -> str:
        """How long, by how often pages were closed lately."""
        number = f"You are number {place} in the queue."
        if len(self.departures) < 3:
            return f"{number} How long that takes is not known yet."
        apart = (self.clock() - self.departures[0]) / len(self.departures)
        minutes = round(place * apart / 60)
        return f"{number} It may take about {f'{minutes} minutes' if minutes > 1 else 'a minute'}."

    def free(self) -> int:
        """Places; what has been closed since the last look is remembered."""
        now, now_open = self.clock(), set(self.opened())
        self.departures.extend([now] * len(self.since.keys() - now_open))
        self.since = {kernel: self.since.get(kernel, now) for kernel in now_open}
        self.readers = {kernel: visitor for kernel, visitor in self.readers.items() if kernel in now_open}
        return self.room.pages - len(now_open) - self.opening.total()

    def pages_of(self, visitor: str) -> int:
        return list(self.readers.values()).count(visitor) + self.opening[visitor]

    @contextlib.contextmanager
    def entering(self, visitor: str) -> Iterator[None]:
        """A page is being opened: until it has its kernel it counts here."""
        self.queue.pop(visitor, None)
        self.opening[visitor] += 1
        try:
            yield
        finally:
            self.opening -= Counter([visitor])  # at 0 it is forgotten

    def unread(self, seconds: float) -> list[str]:
        """Pages that have been open for so long without ever having been connected: nobody reads those."""
        self.free()
        now = self.clock()
        return [kernel for kernel, since in self.since.items() if kernel not in self.readers and now - since >= seconds]

    def reads(self, kernel: str, visitor: str) -> None:
        """A page of that visitor is connected to its kernel."""
        self.readers[kernel] = visitor

"""What a run would cost, told before it starts: about how long, and how much memory; and what a page may spend.

Roughly: within a factor of three. A cost is a sum of plain terms (models × steps × parameters, say), each with the
seconds or bytes that one unit of it took where it was measured.
"""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from dpmia_lab.machine import free_memory, yardstick
from dpmia_lab.memory import MEMORY
from dpmia_lab.words.said import numeral, said

SECONDS = "DPMIA_SECONDS"  # in the environment: how long a run of a page may take
USUAL_SECONDS = 30 * 60
LONG = 3600  # seconds of which the command line warns
MEASURED_AT = 0.00195  # the yardstick of the machine where all constants were measured

Terms = Mapping[str, float]


@dataclass(frozen=True)
class Cost:
    """``seconds`` where constants were measured; ``bytes`` at most at a time, beside what a process has at rest."""

    seconds: float = 0.0
    bytes: float = 0.0

    def __add__(self, other: "Cost") -> "Cost":
        """One after the other."""
        return Cost(self.seconds + other.seconds, max(self.bytes, other.bytes))

    def __mul__(self, times: float) -> "Cost":
        return Cost(times * self.seconds, self.bytes)

    @property
    def seconds_here(self) -> float:
        return self.seconds * yardstick() / MEASURED_AT

    def words(self) -> str:
        """Such as "about 9 hours and 40 GB"."""
        time, memory = duration_words(self.seconds_here), bytes_words(self.bytes)
        return said("about {time} and {memory}", time=time, memory=memory)


def summed(terms: Terms, each: Terms) -> float:
    """So many units of each term, and what one of them costs."""
    return sum(count * each[name] for name, count in terms.items())


def together(*parts: Terms) -> Terms:
    """All their terms, each as often as in all of them."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return total


@dataclass(frozen=True)
class Budget:
    seconds: float
    bytes: float

    def allows(self, cost: Cost) -> bool:
        return cost.seconds_here <= self.seconds and cost.bytes <= self.bytes

    def words(self) -> str:
        return f"{duration_words(self.seconds)} and {bytes_words(self.bytes)}"


def page_budget() -> Budget:
    """What a run of this page may take: as the server says, or as much memory as is free."""
    return Budget(float(os.environ.get(SECONDS, USUAL_SECONDS)), float(os.environ.get(MEMORY, free_memory())))


def warning(cost: Cost) -> str:
    """"" or the sentence for whoever may spend as much as they like."""
    if Budget(LONG, free_memory()).allows(cost):
        return ""
    return f"This will take {cost.words()}; {bytes_words(free_memory())} of memory are free here."


def duration_words(seconds: float) -> str:
    """Rounded as one would say it."""
    if seconds < 100:
        return numeral("{:.1f} s", max(seconds, 0.1)) if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 7200:
        return said("{minutes:.0f} minutes", minutes=seconds / 60)
    if seconds < 72 * 3600:
        return said("{hours:.0f} hours", hours=seconds / 3600)
    if seconds < 700 * 86400:
        return said("{days:.0f} days", days=seconds / 86400)
    return said("{years:,.0f} years", years=seconds / 86400 / 365)


def bytes_words(count: float) -> str:
    return f"{count / 1e6:,.0f} MB" if count < 1e10 else f"{count / 1e9:,.0f} GB"

"""Lines of the benchmark's report, and how their times are taken."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

ROUNDS = 7
WIDTH = 67  # of the table's first column


@dataclass(frozen=True)
class Row:
    """One line of the report: a value a round, or why there is none."""

    what: str
    values: list[float]
    unit: str = "×"
    target: float | None = None
    sign: str = "≥"  # what the median must be to the target, this or "≤"
    problem: str = ""

    def __str__(self) -> str:
        if self.problem:
            return f"{self.what:<{WIDTH}}  not timed: {self.problem}"
        digits = 2 if np.median(self.values) < 3 else 1
        low, middle, high = (f"{value:.{digits}f}" for value in np.quantile(self.values, (0.1, 0.5, 0.9)))
        return f"{self.what:<{WIDTH}} {middle:>6} {self.unit:<2} {low + '–' + high:>12}   {self.verdict()}"

    def verdict(self) -> str:
        if self.target is None:
            return f"{'–':<8} –"
        middle = np.median(self.values)
        met = middle >= self.target if self.sign == "≥" else middle <= self.target
        return f"{f'{self.sign} {self.target:g} {self.unit}':<8} {'met' if met else 'NOT met'}"


HEADER = f"{'what':<{WIDTH}} {'median':>6}    {'10–90 %':>12}   {'target':<8} met?"


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.process_time) -> float:
    start = clock()
    work()
    return clock() - start


def milliseconds(what: str, work: Callable[[], object], target: float | None = None) -> Row:
    work()
    return Row(what, [1000 * seconds(work) for _ in range(ROUNDS)], unit="ms", target=target, sign="≤")

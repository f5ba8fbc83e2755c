"""A position of the sliders, and as much as is known of it by now: pictures come first, numbers a moment later."""

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpmia_lab.plots.playground import Caught, Dot
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result

# what a number is called here → its row: measure, attack, protocol
NUMBERS = {
    "accuracy": ("accuracy", "", ""),
    "auc": ("auc", "lira", "turns"),
    "tpr1": ("tpr1", "lira", "turns"),
    "recognised": ("recognised", "original", "filter"),
    "recognised_plain": ("recognised", "original", "plain"),
    "recognised_blur": ("recognised", "original", "blur"),
    "phi": ("phi", "lira", ""),
}
LEAKS = tuple(name for name in NUMBERS if name not in ("accuracy", "phi"))


def by_judge(judge: str) -> str:
    """What the number of those is called whom this judge recognises."""
    return "recognised" if judge == "filter" else f"recognised_{judge}"


@dataclass(frozen=True)
class Position:
    """``numbers`` is empty while the shadow models still train."""

    config: Any
    words: str  # the defence and its settings
    truth: np.ndarray  # (people, height, width), or (classes, bits)
    pictures: np.ndarray  # as the truth
    numbers: dict[str, Row] = field(default_factory=dict)
    caught: Caught | None = None
    rows: Rows = field(default_factory=Rows)  # the same, and all others
    promised: bool = False
    at: float = field(default_factory=time.monotonic)

    @property
    def whole(self) -> bool:
        return bool(self.numbers)

    @property
    def people(self) -> int:
        return len(self.pictures)

    def dot(self, key: str) -> Dot:
        accuracy, leaks = self.numbers["accuracy"], {name: self.numbers[name] for name in LEAKS if name in self.numbers}
        return Dot(
            {name: row.value for name, row in leaks.items()},
            accuracy.value,
            self.words,
            key,
            self.promised,
            {name: (row.low, row.high) for name, row in leaks.items()},
            (accuracy.low, accuracy.high),
        )


def numbers_of(rows: Rows) -> dict[str, Row]:
    by_key = {(row.measure, row.attack, row.protocol): row for row in rows}
    return {name: by_key[key] for name, key in NUMBERS.items() if key in by_key}


def caught_in(result: Result) -> Caught:
    tpr1 = numbers_of(result.rows)["tpr1"]
    return Caught(result.arrays["fpr"], result.arrays["tpr"], tpr1.value, (tpr1.low, tpr1.high))


def position_of(config: Any, result: Result, words: str, promised: bool) -> Position:
    arrays, numbers = result.arrays, numbers_of(result.rows)
    pictures = arrays["truth"], arrays["pictures"]
    return Position(config, words, *pictures, numbers, caught_in(result), result.rows, promised)

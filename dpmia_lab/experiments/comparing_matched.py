"""Defences at one accuracy: each at the strength that is right as often as the others, so that only leaks differ."""

import re
from dataclasses import dataclass
from os.path import commonprefix

import numpy as np

from dpmia_lab.experiments.comparing_grid import Column, Grid, Measured, measured_over

NEAR = 0.02  # so near counts as that accuracy
DANGLING = re.compile(r"(,? [^\s,]+ =| after| up to| at depth|,)?[\s\-.\d]*$")  # of words whose number was cut off


@dataclass(frozen=True)
class Line:
    """A defence over its strengths: columns that differ in one number. ``words`` leave the number out."""

    words: str
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Match:
    """A line at some accuracy: one of its columns, or a place between two; or the reason why there is none."""

    columns: tuple[str, ...] = ()
    weight: float = 0.0  # of the second column
    accuracy: float = float("nan")
    reason: str = ""


# ---- strengths
def lines_of(grid: Grid) -> list[Line]:
    """In the order of the grid. What has no strength to choose (rounding, the label alone) is a line of its own."""
    groups: dict[tuple, list[str]] = {}
    for name, column in grid.columns.items():
        groups.setdefault(alike(column), []).append(name)
    return [Line(line_words([grid.columns[name].words for name in names]), tuple(names)) for names in groups.values()]


def alike(column: Column) -> tuple:
    """The same for columns of one defence that differ in nothing but numbers."""
    others = {name: value for name, value in column.changes.items() if not isinstance(value, float | int)}
    return column.family, tuple(column.changes), tuple(others.items())


def line_words(words: list[str]) -> str:
    """What all have in common, up to the number: "DP-SGD" of "DP-SGD, ε = 2" and "DP-SGD, ε = 4"."""
    return words[0] if len(words) == 1 else DANGLING.sub("", commonprefix(words))


# ---- at one accuracy
def match(grid: Grid, line: Line, accuracy: float) -> Match:
    """Between the two neighbouring strengths on either side of it; at an end that is near enough; or not at all."""
    names = line.columns
    found = np.array([measured_over(grid.accuracy(name)).mean for name in names])
    around = [(abs(b - a), i) for i, (a, b) in enumerate(zip(found, found[1:], strict=False))
              if min(a, b) <= accuracy <= max(a, b) and a != b]  # fmt: skip
    if around:  # where a defence comes by several times, between those that differ least
        _, i = min(around)
        weight = float((accuracy - found[i]) / (found[i + 1] - found[i]))
        return Match(names[i : i + 2], weight, accuracy)
    nearest = int(np.argmin(np.abs(found - accuracy)))
    if abs(found[nearest] - accuracy) <= NEAR + 1e-9:
        return Match(names[nearest : nearest + 1], 0.0, float(found[nearest]))
    return Match(reason=reason_of(found, accuracy))


def reason_of(found: np.ndarray, accuracy: float) -> str:
    if len(found) == 1:
        return f"it is right for {found[0]:.0%} and has no other strength"
    if accuracy > found.max():
        return f"no strength that was tried is right for more than {found.max():.0%}"
    return f"no strength that was tried is right for less than {found.min():.0%}"


def matched(grid: Grid, place: Match, measure: str, attack: str = "", protocol: str = "") -> Measured | None:
    """What was measured at that place, seed by seed in between; None where it was not measured."""
    values = [grid.values_of(name, measure, attack, protocol) for name in place.columns]
    if not values or not all(np.isfinite(one).any() for one in values):
        return None
    return measured_over(values[0] if len(values) == 1 else (1 - place.weight) * values[0] + place.weight * values[1])


def accuracies(grid: Grid) -> tuple[float, float]:
    """The least and the most that any column is right."""
    means = [measured_over(grid.accuracy(name)).mean for name in grid.columns]
    return float(np.nanmin(means)), float(np.nanmax(means))

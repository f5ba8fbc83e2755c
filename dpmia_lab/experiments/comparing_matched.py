"""Defences at one accuracy: each at the strength that is right as often as all others, so that only the leak differs."""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.experiments.comparing_grid import Grid, Measured, measured_over

NEAR = 0.02  # so near counts as that accuracy


@dataclass(frozen=True)
class Match:
    """A defence at some accuracy: one of its columns, or a place between two; or the reason why there is none."""

    family: str
    columns: tuple[str, ...] = ()
    weight: float = 0.0  # of the second column
    accuracy: float = float("nan")
    reason: str = ""


def match(grid: Grid, family: str, accuracy: float) -> Match:
    """Between the two neighbouring strengths on either side of it; at an end that is near enough; or not at all."""
    names = grid.families()[family]
    found = np.array([measured_over(grid.accuracy(name)).mean for name in names])
    around = [(abs(b - a), i) for i, (a, b) in enumerate(zip(found, found[1:], strict=False))
              if min(a, b) <= accuracy <= max(a, b) and a != b]  # fmt: skip
    if around:  # where a defence comes by several times, between those that differ least
        _, i = min(around)
        weight = float((accuracy - found[i]) / (found[i + 1] - found[i]))
        return Match(family, (names[i], names[i + 1]), weight, accuracy)
    nearest = int(np.argmin(np.abs(found - accuracy)))
    if abs(found[nearest] - accuracy) <= NEAR + 1e-9:
        return Match(family, (names[nearest],), 0.0, float(found[nearest]))
    return Match(family, reason=reason_of(found, accuracy))


def reason_of(found: np.ndarray, accuracy: float) -> str:
    if len(found) == 1:
        return f"it is right for {found[0]:.0%}, and has no strengths to choose from"
    if accuracy > found.max():
        return f"none of its strengths is right for more than {found.max():.0%}"
    return f"none of its strengths that were tried is right for less than {found.min():.0%}"


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

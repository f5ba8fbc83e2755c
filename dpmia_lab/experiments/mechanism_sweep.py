"""A sweep of lesson 5, whole or so far, whose points are looked up by what they are: for charts, tables and words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from dpmia_lab.experiments.mechanisms import (
    PLAYED,
    PROTOCOLS,
    Config,
    averaged_points,
    column,
    leaks,
    point_names,
    point_of,
    sound_rows,
    standard_error,
)
from dpmia_lab.rows import Row, Rows


@dataclass(frozen=True)
class Sweep:
    """``rows``: of every point; what is undefined or but chance has none, and is NaN in an array.

    ``curves``: mean ROC curves by defence, attack and protocol; a sweep that still runs has none.
    """

    rows: Rows
    config: Config
    words: str  # whose it is
    chance: float  # accuracy of guessing
    curves: Mapping[tuple[str, str, str], np.ndarray] = field(default_factory=dict)

    @cached_property
    def defences(self) -> list[str]:
        """The points' names, in the order in which they were computed."""
        return self.rows.all("defence")

    @cached_property
    def _found(self) -> dict[tuple[str, str, str, str], Row]:
        return {row.key: row for row in self.rows}

    def row(self, measure: str, defence: str, attack: str = "", protocol: str = "") -> Row | None:
        return self._found.get((measure, defence, attack, protocol))

    def value(self, measure: str, defence: str, attack: str = "", protocol: str = "") -> float:
        found = self.row(measure, defence, attack, protocol)
        return np.nan if found is None else found.value

    def spread(self, measure: str, defence: str, attack: str = "", protocol: str = "") -> float:
        """Standard deviation over seeds."""
        found = self.row(measure, defence, attack, protocol)
        return np.nan if found is None or found.spread is None else found.spread

    def error(self, measure: str, defence: str, attack: str = "", protocol: str = "") -> float:
        """Standard error of an AUC or an accuracy, from the spread or, of a single seed, from how many were asked."""
        found = self.row(measure, defence, attack, protocol)
        return np.nan if found is None else standard_error(found, self.config)

    def errors(self, measure: str, mechanism: str, attack: str = "", protocol: str = "") -> np.ndarray:
        return np.array([self.error(measure, defence, attack, protocol) for defence in self.of(mechanism)])

    def leaks(self, attack: str, protocol: str) -> bool:
        """Whether that attack finds members without a defence, beyond doubt: else it has no φ and compares nothing."""
        return leaks(self.rows.where(attack=attack, protocol=protocol), self.config)

    def of(self, mechanism: str) -> list[str]:
        """The names of the mechanism's points."""
        return [defence for defence in self.defences if point_of(defence)[0] == mechanism]

    def at(self, measure: str, mechanism: str, attack: str = "", protocol: str = "") -> np.ndarray:
        """The mechanism's values, one a point."""
        return np.array([self.value(measure, defence, attack, protocol) for defence in self.of(mechanism)])

    def protocols(self) -> list[str]:
        """Those under which it was attacked."""
        return [protocol for protocol in PROTOCOLS if self.rows.has("auc", attack="white_box", protocol=protocol)]


def sweep_of(arrays: Mapping[str, np.ndarray], config: Config, words: str) -> Sweep:
    """From arrays of points, as the experiment returns them or as they are shipped."""
    curves = {
        (defence, *played): arrays[column("roc", *played)][place]
        for played in PLAYED
        if column("roc", *played) in arrays
        for place, defence in enumerate(point_names(arrays))
    }
    return Sweep(sound_rows(arrays, config), config, words, 1 / arrays["classes"][0], curves)


def sweep_so_far(table: np.ndarray, config: Config, words: str) -> Sweep:
    """While it runs: from the table of its snapshots."""
    return sweep_of(averaged_points(table, len(config.settings())), config, words)

"""A grid of defences and attacks: what every cell (a defence at one strength, one seed) measured, seed by seed.

Values are looked up by (column, measure, attack, protocol). What a cell did not measure is
NaN there, and does not count.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from dpmia_lab.experiments.comparing_columns import Column, columns_for
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.rows import Row

__all__ = [  # what pages and commands read here, whichever file has it
    "Column", "Grid", "Key", "Measured", "columns_for", "from_json", "grid_of", "grid_text", "measured_over",
    "shipped_grid", "to_json",
]  # fmt: skip
Key = tuple[str, str, str, str]  # column, measure, attack, protocol
DIGITS = 4  # significant, of what is written to a file


@dataclass(frozen=True)
class Measured:
    """A value over seeds: the mean, the standard deviation and Student's interval (both None for a single seed)."""

    mean: float
    spread: float | None
    low: float | None
    high: float | None
    values: np.ndarray  # (seeds,), NaN where a seed has none


def measured_over(values: np.ndarray, confidence: float = 0.95) -> Measured:
    """NaN as mean where there is no value at all."""
    from scipy.special import stdtrit

    values = np.asarray(values, dtype=float)
    told = values[np.isfinite(values)]
    if not len(told):
        return Measured(float("nan"), None, None, None, values)
    mean = float(told.mean())
    if len(told) == 1:
        return Measured(mean, None, None, None, values)
    spread = float(told.std(ddof=1))
    half = float(stdtrit(len(told) - 1, (1 + confidence) / 2)) * spread / len(told) ** 0.5
    return Measured(mean, spread, mean - half, mean + half, values)


@dataclass(frozen=True)
class Grid:
    data: str
    seeds: tuple[int, ...]
    columns: Mapping[str, Column]  # by short name, such as "central_2"; "none" first
    values: Mapping[Key, np.ndarray]  # (seeds,) each
    promises: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by column; absent where there is none

    def values_of(self, column: str, measure: str, attack: str = "", protocol: str = "") -> np.ndarray:
        """(seeds,): NaN where nothing was measured."""
        return self.values.get((column, measure, attack, protocol), np.full(len(self.seeds), np.nan))

    def measured(self, column: str, measure: str, attack: str = "", protocol: str = "") -> Measured:
        return measured_over(self.values_of(column, measure, attack, protocol))

    def has(self, column: str, measure: str, attack: str = "", protocol: str = "") -> bool:
        return bool(np.isfinite(self.values_of(column, measure, attack, protocol)).any())

    def attacks(self, measure: str) -> list[tuple[str, str]]:
        """The (attack, protocol) that have this measure in any column, in their order."""
        return self.attacks_by_measure.get(measure, [])

    @cached_property
    def attacks_by_measure(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, dict[tuple[str, str], None]] = {}
        for _, measure, attack, protocol in self.values:
            found.setdefault(measure, {})[attack, protocol] = None
        return {measure: list(pairs) for measure, pairs in found.items()}

    def families(self) -> dict[str, list[str]]:
        """The columns of each defence, in their order."""
        found: dict[str, list[str]] = {}
        for name, column in self.columns.items():
            found.setdefault(column.family, []).append(name)
        return found

    def accuracy(self, column: str) -> np.ndarray:
        """(seeds,): the share of records nobody was trained on that is named right."""
        return self.values_of(column, "accuracy", "", "test")

    def with_column(
        self,
        name: str,
        column: Column,
        rows: Iterable[Row],
        seed: int | None = None,
        promise: Mapping[str, Any] | None = None,
    ) -> "Grid":
        """The reader's own cell on top; of a seed the grid has, its values stand in that seed's place."""
        place = self.seeds.index(seed) if seed in self.seeds else 0
        own: dict[Key, np.ndarray] = {}
        for row in rows:
            own[name, row.measure, row.attack, row.protocol] = put(np.nan, place, row.value, len(self.seeds))
        others = {key: value for key, value in self.values.items() if key[0] != name}
        promises = {**self.promises, **({name: promise} if promise else {})}
        return replace(self, columns={**self.columns, name: column}, values={**others, **own}, promises=promises)


def put(rest: float, place: int, value: float, length: int) -> np.ndarray:
    values = np.full(length, rest)
    values[place] = value
    return values


def grid_of(
    data: str,
    columns: Mapping[str, Column],
    cells: Iterable[tuple[str, int, Iterable[Row]]],
    promises: Mapping[str, Mapping[str, Any]] | None = None,
) -> Grid:
    """From cells (column's name, seed, rows); columns without any cell are left out."""
    cells = [(name, seed, list(rows)) for name, seed, rows in cells]
    seeds = sorted({seed for _, seed, _ in cells})
    found: dict[Key, np.ndarray] = {}
    for name, seed, rows in cells:
        for row in rows:
            key = name, row.measure, row.attack, row.protocol
            found.setdefault(key, np.full(len(seeds), np.nan))[seeds.index(seed)] = row.value
    known = {name for name, _, _ in cells}
    kept = {name: column for name, column in columns.items() if name in known}
    promised = {name: dict(promise) for name, promise in (promises or {}).items() if name in known}
    return Grid(data, tuple(seeds), kept, found, promised)


# ---- files
def to_json(grid: Grid) -> dict[str, Any]:
    """Plain lists and texts; under "measured", by "measure|attack|protocol", every column's values of all seeds."""
    found: dict[str, dict[str, list[float | None]]] = {}
    for (column, *of), values in grid.values.items():
        found.setdefault("|".join(of), {})[column] = [short(value) for value in values]
    return {
        "data": grid.data,
        "seeds": list(grid.seeds),
        "columns": {name: {**vars(column), "changes": dict(column.changes)} for name, column in grid.columns.items()},
        "promises": {name: dict(promise) for name, promise in grid.promises.items()},
        "measured": found,
    }


def short(value: float) -> float | None:
    return float(f"{value:.{DIGITS}g}") if np.isfinite(value) else None


def from_json(told: Mapping[str, Any]) -> Grid:
    values: dict[Key, np.ndarray] = {}
    for of, columns in told["measured"].items():
        measure, attack, protocol = of.split("|")
        for column, own in columns.items():
            values[column, measure, attack, protocol] = np.array(own, dtype=float)
    columns = {name: Column(**column) for name, column in told["columns"].items()}
    return Grid(told["data"], tuple(told["seeds"]), columns, values, dict(told["promises"]))


def grid_text(grid: Grid) -> str:
    """As it is written to a file: one line a column, and one a measure and attack, so that a change can be read."""

    def lines(of: Mapping[str, Any]) -> str:
        return ",\n".join(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in of.items())

    told = to_json(grid)
    nested = [f'"{name}": {{\n{lines(told[name])}\n}}' for name in ("columns", "promises", "measured")]
    return "{\n" + ",\n".join([lines({name: told[name] for name in ("data", "seeds")}), *nested]) + "\n}\n"


def shipped_grid(data: str) -> Grid | None:
    """The reference of carts, faces or patients; None where it has not been computed yet."""
    told = shipped_or_nothing(f"comparing_{data}")
    return from_json(told) if told else None

"""Measured numbers as rows: of which defence, by which attack, under which protocol, what was measured.

Pages, charts and tables look rows up by what they are. Where names must be plain (the command line, JSON, tables of
sweeps, shipped references), ``PlainNames`` puts them together, and takes them apart again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

ENDS = {"low": "low", "high": "high", "sd": "spread"}  # what a plain name may say beside the value


@dataclass(frozen=True)
class Row:
    """One measured number."""

    measure: str
    value: float
    defence: str = ""
    attack: str = ""
    protocol: str = ""
    low: float | None = None  # the ends of its interval, if there is one
    high: float | None = None
    spread: float | None = None  # standard deviation over seeds, if there were several

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.measure, self.defence, self.attack, self.protocol


@dataclass(frozen=True)
class PlainNames:
    """How one experiment's rows are called. ``form``: the parts of a name in their order, joined by underscores, which
    also take the place of spaces.

    ``silent``: values that are not said, being the usual ones.
    """

    form: tuple[str, ...] = ("measure", "defence", "attack", "protocol", "end")
    silent: frozenset[str] = frozenset()

    def of(self, row: Row, end: str = "") -> str:
        parts = ((end if part == "end" else getattr(row, part)) for part in self.form)
        return "_".join(part for part in parts if part and part not in self.silent).replace(" ", "_")

    def plain(self, rows: Iterable[Row]) -> dict[str, float]:
        numbers = {}
        for row in rows:
            ends = {end: getattr(row, place) for end, place in ENDS.items()}
            numbers[self.of(row)] = row.value
            numbers |= {self.of(row, end): value for end, value in ends.items() if value is not None}
        return numbers

    def read(
        self,
        numbers: dict[str, float],
        measures: Sequence[str],
        defences: Sequence[str] = ("",),
        attacks: Sequence[str] = ("",),
        protocols: Sequence[str] = ("",),
    ) -> "Rows":
        """The rows that numbers of plain names tell of: every combination of these words that is among them."""
        found = []
        for key in product(measures, defences, attacks, protocols):
            row = Row(key[0], 0.0, *key[1:])
            if self.of(row) in numbers:
                ends = {place: numbers.get(self.of(row, end)) for end, place in ENDS.items()}
                found.append(replace(row, value=numbers[self.of(row)], **ends))
        return Rows(tuple(found), self)


@dataclass(frozen=True)
class Rows:
    """Rows in the order in which they were measured."""

    rows: tuple[Row, ...] = ()
    names: PlainNames = field(default_factory=PlainNames)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __add__(self, other: "Rows") -> "Rows":
        return replace(self, rows=self.rows + other.rows)

    def where(self, **wanted: str) -> "Rows":
        """Those of a measure, defence, attack or protocol."""
        kept = [row for row in self.rows if all(getattr(row, name) == value for name, value in wanted.items())]
        return replace(self, rows=tuple(kept))

    def row(self, measure: str, **wanted: str) -> Row:
        """The only one of these; KeyError says what there is not."""
        found = self.where(measure=measure, **wanted).rows
        if len(found) != 1:
            raise KeyError(f"{len(found)} rows of {measure} where {wanted}")
        return found[0]

    def value(self, measure: str, **wanted: str) -> float:
        return self.row(measure, **wanted).value

    def has(self, measure: str, **wanted: str) -> bool:
        return bool(self.where(measure=measure, **wanted).rows)

    def best(self, measure: str, **wanted: str) -> Row:
        """The one with the highest value; of equals, the first."""
        return max(self.where(measure=measure, **wanted).rows, key=lambda row: row.value)

    def all(self, part: str) -> list[str]:
        """The different defences (attacks, protocols, measures) in their order."""
        return list(dict.fromkeys(getattr(row, part) for row in self.rows))

    def plain(self) -> dict[str, float]:
        return self.names.plain(self.rows)

    def as_lists(self) -> dict[str, Any]:
        """For a file."""
        columns = ("measure", "value", "defence", "attack", "protocol", "low", "high", "spread")
        listed = [[getattr(row, name) for name in columns] for row in self.rows]
        return {"form": list(self.names.form), "silent": sorted(self.names.silent), "rows": listed}


def rows_from_lists(lists: dict[str, Any]) -> Rows:
    names = PlainNames(tuple(lists["form"]), frozenset(lists["silent"]))
    return Rows(tuple(Row(*row) for row in lists["rows"]), names)


def averaged_rows(repeats: Sequence[Rows], summary: Callable[[list[float]], tuple[float, float]]) -> Rows:
    """Of several seeds: means, and where there are two or more the spread. ``summary``: values to mean and spread."""
    columns = zip(*repeats, strict=True)
    rows = []
    for column in columns:
        mean, spread = summary([row.value for row in column])
        rows.append(replace(column[0], value=mean, low=None, high=None, spread=spread if len(repeats) > 1 else None))
    return replace(repeats[0], rows=tuple(rows))

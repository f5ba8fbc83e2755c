"""What lesson 10 compares: the grids that ship, the reader's own cells on top of them, and one choice of data for all.

A page has one ``Board``; its panels read the grid there and hear when it changes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import ipywidgets as widgets

from dpmia_lab.defences.compared import TABLE_ONLY, table_defence
from dpmia_lab.experiments.comparing_columns import CONTROLS, DATA
from dpmia_lab.experiments.comparing_config import Config, defence_of
from dpmia_lab.experiments.comparing_grid import Column, Grid, from_json
from dpmia_lab.experiments.comparing_promise import NUMBERS
from dpmia_lab.experiments.comparing_risk import promises
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.rows import Row, Rows
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.parts import on_change

WORDS = {"carts": "shopping carts", "faces": "faces", "patients": "patients and their dose"}
OWN_WORDS = "your own records"
PEOPLE = {"carts": "carts", "faces": "photographs", "patients": "patients"}  # what a record is
CLASSES = {"carts": 10, "faces": 20, "patients": 4}  # of what is told
LATER = "Nothing has been computed for these data yet (<code>dpmia-lab compare</code>)."


@cache
def shipped_grid(data: str) -> Grid | None:
    """None where it has not been computed."""
    told = shipped_or_nothing(f"comparing_{data}")
    return from_json(told) if told else None


def kind_of(grid: Grid, column: str) -> str:
    """none, control, promise or empirical; own for the reader's."""
    family = grid.columns[column].family
    if column.startswith(OWN):
        return "own"
    if family == "none" or family in CONTROLS:
        return "none" if family == "none" else "control"
    return "promise" if promises(grid, column) else "empirical"


# ---- the reader's own
CENTRAL = {"neighbours": "add-remove", "accountant": "tight"}
LOCAL = {"neighbours": "replace-one", "accountant": "local, added over all parts"}
OWN = "own "  # what names of the reader's columns begin with


@dataclass(frozen=True)
class OwnCell:
    """A run of the reader's, as a column of a grid; ``data``: the grid it lies on, "" for records of their own."""

    name: str
    data: str
    column: Column
    rows: tuple[Row, ...]
    seed: int
    promise: Mapping[str, Any]

    def on(self, grid: Grid) -> Grid:
        """The grid with this cell on top."""
        return grid.with_column(self.name, self.column, self.rows, self.seed, self.promise)


def cell_of(name: str, data: str, config: Config, rows: Rows) -> OwnCell:
    words = defence_words(config)
    return OwnCell(name, data, Column(config.defence, words, {}), rows.rows, config.seed, promise_in(config, rows))


def defence_words(config: Config) -> str:
    if config.defence in TABLE_ONLY:
        return table_defence(config.defence, config.strength).words()
    return "no defence" if config.defence == "none" else defence_of(config).words()


def promise_in(config: Config, rows: Rows) -> dict[str, Any]:
    """What the rows of a run tell of its promise, with what gives an ε its meaning."""
    found = {name: rows.value(name) for name in NUMBERS if rows.has(name)}
    if not found:
        return {}
    of = LOCAL if config.defence == "local" else CENTRAL
    unit = config.unit if config.defence == "units" else "record"
    return {**found, **of, "unit": unit} | ({"steps": round(found["steps"])} if "steps" in found else {})


class Board:
    """``grid()`` is what every panel shows; ``listeners`` hear of other data and of new cells."""

    def __init__(self) -> None:
        self.data = DATA[0]
        self.own: list[OwnCell] = []
        self.listeners: list[Callable[[], None]] = []
        self.menus: list[widgets.Dropdown] = []

    # ---- the data
    def menu(self) -> widgets.Dropdown:
        """A choice of data; all panels show the same."""
        made = field(choice("data", self.offered()), "compared-data")
        made.value = self.data
        on_change(made, self.choose)
        self.menus.append(made)
        return made

    def offered(self) -> list[tuple[str, str]]:
        own = [(OWN_WORDS, "")] if any(not cell.data for cell in self.own) else []
        return [*((WORDS[name], name) for name in DATA), *own]

    def choose(self, data: str | None) -> None:
        if data is None or data == self.data:
            return
        self.data = data
        for menu in self.menus:
            menu.value = data
        self.tell()

    def tell(self) -> None:
        for listener in self.listeners:
            listener()

    # ---- grids
    def shipped(self) -> Grid | None:
        return shipped_grid(self.data) if self.data else None

    def grid(self) -> Grid | None:
        """The shipped one with the reader's cells of the same data on top; of own records these cells alone."""
        grid = self.shipped() if self.data else Grid("own", (0,), {}, {})
        if grid is not None:
            for cell in self.cells():
                grid = cell.on(grid)
        return grid

    def cells(self) -> list[OwnCell]:
        return [cell for cell in self.own if cell.data == self.data]

    def set_own(self, cells: list[OwnCell]) -> None:
        self.own = cells
        for menu in self.menus:
            if list(menu.options) != self.offered():
                menu.options = self.offered()
                menu.value = self.data if self.data in [name for _, name in self.offered()] else DATA[0]
        self.tell()

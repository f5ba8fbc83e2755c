"""Lesson 6: a grid of the reader's own, swept cell by cell; stopped and started again it goes on where it was."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from html import escape

from dpmia_lab.checks import Mistake, whole
from dpmia_lab.experiments.costs import check_affordable
from dpmia_lab.experiments.evaluation import PRESETS, Config, rows_of
from dpmia_lab.options import as_dict, changed_from
from dpmia_lab.stages import Event, Progress, Stage
from dpmia_lab.sweeps import sweep
from dpmia_lab.widgets.choosing.controls import list_field, sweep_models
from dpmia_lab.widgets.choosing.data import CellResult, preset_of, reference_grid
from dpmia_lab.widgets.choosing.own_words import CELL_HEADS, cell_columns
from dpmia_lab.widgets.choosing.panel import CellPanel
from dpmia_lab.widgets.kit.parts import download_html, error_html, on_change, panel, text
from dpmia_lab.widgets.kit.pictures import data_uri
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.widgets.kit.tables import Cell, Row, table_html

MOST_CELLS = 24
EMPTY = "Yours appear here as they are done, and in the chart of the grid above."


class SweepPanel:
    """Everything but ε, σ and the number of models is as in the reader's cell."""

    def __init__(self, cell: CellPanel) -> None:
        self.cell = cell
        self.cells: tuple[sweep.Cell, ...] = ()
        self.epsilons = list_field("ε for a record", "2, 8", "epsilons")
        self.sigmas = list_field("σ, noise multipliers", "2, 6", "sigmas")
        self.models = sweep_models()
        self.work = StageRun(
            self.begin, self.done, self.happened,
            button="Sweep the grid", loading="", stopped="stopped; finished cells are kept",
        )  # fmt: skip
        self.problem = self.work.problem
        self.command, self.table = text("", "dp-command"), text("", "dp-sweep-table")
        for control in (self.epsilons, self.sigmas, self.models):
            on_change(control, lambda _: self.changed())
        controls = [self.epsilons, self.sigmas, self.models]
        run = [self.work.bar, self.problem]
        self.view = panel("dp-sweep", controls, [self.table], [self.command], run)
        self.changed()

    # ---- settings
    def base(self) -> Config:
        return replace(self.cell.controls.config(), models=self.models.value)

    def axes(self) -> dict[str, list[float]]:
        return {"epsilon": numbers_of("ε", self.epsilons.value), "sigma": numbers_of("σ", self.sigmas.value)}

    def changed(self) -> None:
        self.problem.value = ""
        try:
            base, axes = self.base(), self.axes()
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        self.command.value = command_html(base, axes)
        if not self.cells:
            self.table.value = sweep_html((), shipped_cells(preset_of(base), axes))

    # ---- running
    def begin(self) -> Stage[tuple[sweep.Cell, ...]]:
        base, grid = self.base(), self.axes()
        self.command.value = command_html(base, grid)
        cells = sweep.configurations(base, grid, 1)
        whole(1, MOST_CELLS, cells=len(cells))
        check_affordable("evaluation", *cells)
        return sweep.run("evaluation", base, grid, workers=1)  # readers share the machine

    def happened(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Progress):
                self.show(event.values.get("cells", ()))

    def done(self, cells: tuple[sweep.Cell, ...]) -> None:
        self.show(cells)
        failed = sum(bool(cell.problem) for cell in cells)
        self.work.bar.idle(f"{len(cells)} cells are done" + (f", {failed} of them failed" if failed else ""))

    def show(self, cells: tuple[sweep.Cell, ...]) -> None:
        if cells == self.cells:
            return
        self.cells = cells
        self.table.value = sweep_html(cells)
        self.cell.grid.set_own("sweep", [swept_cell(cell) for cell in cells if not cell.problem])


def numbers_of(name: str, texts: str) -> list[float]:
    try:
        return [float(one) for one in texts.split(",")]
    except ValueError:
        raise Mistake(f"{name} must be numbers with commas between them; it is {texts!r}.") from None


def command_html(base: Config, grid: dict[str, list[float]]) -> str:
    """The same sweep on the command line, on all cores."""
    own = {name: value for name, value in changed_from(base, PRESETS["faces"]).items() if name not in grid}
    settings = "".join(f" --set {name}={value}" for name, value in own.items())
    axes = "".join(f" --grid {name}={','.join(f'{value:g}' for value in values)}" for name, values in grid.items())
    return (
        f"<small>The same on the command line, with a process a core, and on many machines with "
        f"<code>--scheduler</code>: <code>dpmia-lab sweep evaluation --preset faces{escape(settings)}{axes}</code>. "
        f"Finished cells are kept: stopped here or there, it goes on where it was.</small>"
    )


def swept_cell(cell: sweep.Cell) -> CellResult:
    return CellResult(cell.config, cell.numbers, rows_of(cell.numbers), "sweep", own=True)


def shipped_cells(preset: str, axes: dict[str, list[float]]) -> list[CellResult]:
    """Those of the shipped grid that such a sweep would compute, with more models."""
    grid = reference_grid(preset)
    cells = grid.cells.values() if grid else []
    return [cell for cell in cells if all(getattr(cell.config, name) in values for name, values in axes.items())]


def sweep_html(cells: tuple[sweep.Cell, ...], shipped: Sequence[CellResult] = ()) -> str:
    """The reader's cells; until there are any, the shipped ones in their place, in grey."""
    how = "95% intervals; drawings blurred afterwards, unless said. ε for a record."
    if not cells:
        rows = [Row([cell.title, *cell_columns(cell)], "reference") for cell in shipped]
        models = f", {shipped[0].config.models} models a cell" if shipped else ""
        return table_html(CELL_HEADS, rows, f"Shipped with the lab{models}; {how} {EMPTY}")
    rows = [row_of(cell) for cell in sorted(cells, key=lambda c: (c.config.epsilon, c.config.sigma))]
    file = data_uri(cells_csv(cells).encode(), "text/csv")
    table = table_html(CELL_HEADS, rows, f"Your grid; {how}")
    return f"{table}{download_html('table (CSV)', 'dpmia_lab_sweep.csv', file)}"


def row_of(cell: sweep.Cell) -> list[str | Cell]:
    found = swept_cell(cell)
    if cell.problem:
        return [found.title, Cell(f"failed: {cell.problem}", "dp-exposed", columns=5)]
    return [found.title, *cell_columns(found)]


def cells_csv(cells: tuple[sweep.Cell, ...]) -> str:
    """A line a finished cell: every setting, then every number."""
    lines = [{**as_dict(cell.config), **cell.numbers} for cell in cells if not cell.problem]
    out = io.StringIO()
    writer = csv.DictWriter(out, list(dict.fromkeys(name for line in lines for name in line)))
    writer.writeheader()
    writer.writerows(lines)
    return out.getvalue()

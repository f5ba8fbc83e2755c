"""A comparison as a sweep: every column and seed a cell, stored one by one and resumed; in the end a grid."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dpmia_lab.checks import Mistake, whole
from dpmia_lab.data.population import load_population
from dpmia_lab.data.table_files import load_table
from dpmia_lab.data.tables import Table
from dpmia_lab.experiments import comparing
from dpmia_lab.experiments.comparing_columns import DATA, Column, columns_for
from dpmia_lab.experiments.comparing_config import Config, is_table
from dpmia_lab.experiments.comparing_grid import Grid, grid_of
from dpmia_lab.experiments.comparing_people import case_of
from dpmia_lab.experiments.comparing_promise import promise_of
from dpmia_lab.machine import cores
from dpmia_lab.stages import Progress, Stage, part
from dpmia_lab.store import Store
from dpmia_lab.sweeps.cluster import ClusterWorkers
from dpmia_lab.sweeps.local import LocalWorkers
from dpmia_lab.sweeps.sweep import Cell, default_folder, swept

NAME = "comparing"


def base_of(data: str, small: bool = False, outcome: str = "", sensitive: str = "") -> tuple[str, Config]:
    """Which set data are like (carts, faces, patients), and the settings all cells share.

    ``outcome``, ``sensitive``: columns of a table of one's own.
    """
    if data in DATA:
        preset = comparing.PRESETS[data]
        return data, small_one(preset) if small else preset
    like = like_of(data)
    preset = replace(comparing.PRESETS[like], data=data, outcome=outcome, sensitive=sensitive)
    many = len(table_of(preset)) if like == "patients" else len(load_population(data).y)
    preset = small_one(preset) if small else preset
    few = max(20, min(preset.records, many // 4))
    return like, replace(preset, records=few, canaries=min(preset.canaries, few // 10))


def like_of(data: str) -> str:
    """Carts for bits and graphs, faces for pictures, patients for a table."""
    if is_table(data):
        return "patients"
    return "faces" if load_population(data).kind == "pictures" else "carts"


def table_of(config: Config) -> Table:
    return load_table(config.data, config.outcome, config.sensitive)


def unfit(base: Config, columns: Mapping[str, Column]) -> dict[str, str]:
    """Columns that one's own table cannot have, each with the sentence why not."""
    if not is_table(base.data):
        return {}
    table, found = table_of(base), {}
    numbers = [column.name for column in table.columns if column.kind == "number" and not column.public]
    for name, column in columns.items():
        if column.changes.get("model") == "regression" and table.target.kind != "number":
            found[name] = f"a regression tells a number, and {table.outcome} is none."
        elif column.changes["defence"] == "adassp" and numbers:
            found[name] = f"AdaSSP needs public bounds, and those of {numbers[0]} were read off the data."
    return found


def small_one(config: Config) -> Config:
    """The same data at the smallest size that all attacks take."""
    tiny = comparing.SMALL
    sizes = ("classes", "width", "epochs", "shadows", "canaries", "queries", "answers", "targets", "teachers", "steps",
             "decoder_steps", "records")  # fmt: skip
    return replace(config, **{name: getattr(tiny, name) for name in sizes}, people=4, pictures=40, rate=0.01)


def chosen_columns(like: str, families: list[str]) -> dict[str, Column]:
    """Of the named defences or columns, besides the undefended model; all of them if none is named."""
    every = columns_for(like)
    known = {*every, *(column.family for column in every.values())}
    for family in families:
        if family not in known:
            raise Mistake(f"defence must be one of {', '.join(sorted(known))}; it is {family!r}.")
    return {
        name: column for name, column in every.items()
        if not families or name == "none" or {name, column.family} & set(families)
    }  # fmt: skip


def compared(
    data: str,
    base: Config,
    columns: Mapping[str, Column],
    seeds: int,
    *,
    folder: Path | None = None,
    workers: int | None = None,
    scheduler: str = "",
) -> Stage[tuple[Grid, tuple[Cell, ...]]]:
    """The grid, and the cells that failed. Cells of a seed follow one another: what they share is made once."""
    whole(1, 1000, seeds=seeds)
    room = cores() if workers is None else workers
    whole(1, 1000, workers=room)
    named = {
        replace(base, **column.changes, seed=base.seed + more): (name, base.seed + more)
        for more in range(seeds) for name, column in columns.items()
    }  # fmt: skip
    store = Store(folder or default_folder(NAME), most=None)
    hired = (lambda: ClusterWorkers(scheduler)) if scheduler else (lambda: LocalWorkers(min(room, len(named))))
    cells = yield from swept(NAME, list(named), store, hired)
    good = [(*named[cell.config], cell.rows) for cell in cells if not cell.problem]
    if not good:
        raise Mistake(f"no cell could be computed; the first says: {cells[0].problem}")
    promises = yield from promises_of(base, columns)
    return grid_of(data, columns, good, promises), tuple(cell for cell in cells if cell.problem)


def promises_of(base: Config, columns: Mapping[str, Column]) -> Stage[dict[str, dict]]:
    """What each column promises to people of the first seed; of others it is the same but for how many there are."""
    found = {}
    for name, column in columns.items():
        config = replace(base, **column.changes)
        case = yield from part(case_of(config), 1.0, 1.0)
        if promise := promise_of(config, case):
            found[name] = promise
        yield Progress(1, 1, "reading promises")
    return found

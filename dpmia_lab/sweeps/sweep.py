"""Sweeps: an experiment at every point of a grid, over several seeds, by many workers.

A sweep is a stage. Each finished *cell* (one configuration) is stored at once by the hash of its configuration,
by this process alone; so a sweep that was stopped or killed goes on where it was, on any machine that sees the
folder. A cell that fails is told with its configuration and tried again by the next sweep.
"""

import itertools
import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from dpmia_lab.checks import Mistake, one_of, whole
from dpmia_lab.data.cache import cache_folder
from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.machine import cores
from dpmia_lab.options import as_dict
from dpmia_lab.rows import Rows
from dpmia_lab.stages import Progress, Stage
from dpmia_lab.store import Store, code_fingerprint
from dpmia_lab.sweeps.cell import Outcome, sentence
from dpmia_lab.sweeps.cluster import ClusterWorkers
from dpmia_lab.sweeps.local import LocalWorkers

if TYPE_CHECKING:
    import pandas

PAUSE = 0.1  # seconds between events while no cell finishes


@dataclass(frozen=True)
class Cell:
    """A finished configuration with its numbers, or with the sentence that says why there are none."""

    config: Any
    numbers: dict[str, float] = field(default_factory=dict)
    problem: str = ""
    rows: Rows = field(default_factory=Rows)


class Workers(Protocol):
    """Whoever computes cells: processes of this machine, or a cluster."""

    room: int  # how many cells to hand out at a time

    def submit(self, name: str, config: dict) -> "Future[Outcome]": ...

    def under_way(self) -> float: ...

    def close(self) -> None: ...


def run(
    name: str,
    base: Any,
    grid: Mapping[str, Sequence[Any]],
    seeds: int = 1,
    *,
    folder: Path | None = None,
    workers: int | None = None,
    scheduler: str = "",
) -> Stage[tuple[Cell, ...]]:
    """The experiment ``name`` at ``base`` changed to every combination of the grid's values, for so many seeds.

    ``workers`` processes (default: one a core), or the Dask cluster at ``scheduler``. Returns the cells in the
    grid's order. Every event's ``values`` hold all ``cells`` finished so far, and how many of them ``failed`` or
    were ``stored`` before.
    """
    one_of(EXPERIMENTS, experiment=name)
    configs = configurations(base, grid, seeds)
    room = cores() if workers is None else workers
    whole(1, 1000, workers=room)
    return swept(
        name,
        configs,
        Store(folder or default_folder(name), most=None),
        lambda: ClusterWorkers(scheduler) if scheduler else LocalWorkers(min(room, len(configs))),
    )


def default_folder(name: str) -> Path:
    return cache_folder() / "sweeps" / name


def configurations(base: Any, grid: Mapping[str, Sequence[Any]], seeds: int) -> list[Any]:
    """All of them, each checked by the experiment's own Config, before any work."""
    whole(1, 100_000, seeds=seeds)
    for option in grid:
        one_of([known.name for known in fields(base)], option=option)
        if not grid[option]:
            raise Mistake(f"{option} must have at least one value in the grid; it has none.")
    if "seed" in grid and seeds > 1:
        raise Mistake(f"seeds must be 1 where the grid lists seeds; it is {seeds}.")
    changes = (dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values()))
    points = [replace(base, **change) for change in changes]
    every = [replace(point, seed=point.seed + more) for point in points for more in range(seeds)]
    return list(dict.fromkeys(every))  # each once


def swept(name: str, configs: Sequence[Any], store: Store, hired: Callable[[], Workers]) -> Stage[tuple[Cell, ...]]:
    """Stored cells are taken as they are, the others computed; ``hired()`` is asked only if there are any."""
    make_folder(store)
    tally = Tally(len(configs))
    for config in configs:
        yield Progress(0, 1, "looking for stored cells")
        if (kept := store.get(name, as_dict(config))) is not None:
            tally.add(Cell(config, kept[0].numbers, rows=kept[0].rows), stored=True)
    if waiting := [config for config in configs if config not in tally.cells]:
        workers = hired()
        try:
            yield from computed(name, waiting, store, workers, tally)
        finally:
            workers.close()
    else:
        yield tally.progress()
    return tuple(tally.cells[config] for config in configs)


def make_folder(store: Store) -> None:
    try:
        store.root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Mistake(f"the folder {store.root} could not be made: {error.strerror}.") from None
    store.clear_leftovers()


def computed(name: str, configs: Iterable[Any], store: Store, workers: Workers, tally: "Tally") -> Stage[None]:
    """Cells go out as there is room and are stored as they come back, so memory holds but a few results."""
    waiting, under_way = deque(configs), {}
    while waiting or under_way:
        for _ in range(min(len(waiting), workers.room - len(under_way))):
            config = waiting.popleft()
            under_way[workers.submit(name, as_dict(config))] = config
        yield tally.progress(workers.under_way())
        for future in wait(under_way, PAUSE, FIRST_COMPLETED).done:
            tally.add(finished(name, under_way.pop(future), future, store))
            yield tally.progress(workers.under_way())


def finished(name: str, config: Any, future: "Future[Outcome]", store: Store) -> Cell:
    """The cell, stored if all went well."""
    try:
        outcome = future.result()
    except CancelledError:  # by nobody here
        raise Mistake("the scheduler is gone; finished cells are kept.") from None
    except Exception as error:  # such as a cluster's, that all workers which tried it died
        outcome = Outcome(problem=sentence(error))
    problem = outcome.problem
    if outcome.code != code_fingerprint():
        problem = "its worker runs another version of this package."
    problem = problem or storing_problem(name, config, outcome, store)
    return Cell(config, problem=problem) if problem else Cell(config, outcome.result.numbers, rows=outcome.result.rows)


def storing_problem(name: str, config: Any, outcome: Outcome, store: Store) -> str:
    """Empty where the result is stored, be it by another sweep at the same moment."""
    try:
        store.put(name, as_dict(config), outcome.result, {**outcome.about, "code": outcome.code})
    except Exception as error:
        if store.get(name, as_dict(config)) is None:
            return f"its result could not be stored: {getattr(error, 'strerror', None) or error}."
    return ""


class Tally:
    """The cells finished so far, and how far that is."""

    def __init__(self, total: int) -> None:
        self.total, self.cells = total, {}
        self.stored = self.failed = 0
        self.furthest = 0.0

    def add(self, cell: Cell, stored: bool = False) -> None:
        self.cells[cell.config] = cell
        self.stored += stored
        self.failed += bool(cell.problem)

    def progress(self, under_way: float = 0.0) -> Progress:
        """Counted over what was not stored before, so that share, words and time left agree; it never falls back."""
        done, left = len(self.cells) - self.stored, self.total - self.stored
        self.furthest = max(self.furthest, done + under_way)
        label = f"{done} of {left} cells" if left else f"all {self.total} cells"
        label += f"{' left to do' if left else ''}, {self.stored} stored before" if self.stored else ""
        label += f", {self.failed} failed" if self.failed else ""
        values = {"cells": tuple(self.cells.values()), "failed": self.failed, "stored": self.stored}
        return Progress(self.furthest, left, label, values) if left else Progress(1, 1, label, values)


def table(folder: Path) -> "pandas.DataFrame":
    """All results in a sweep's folder, one row a cell: settings, numbers, seconds, device and code.

    A number that is called like a setting gets "_result" after its name. Of a cell that was computed by
    several versions of the code the newest counts.
    """
    import pandas

    rows = {json.dumps([r["experiment"], r["config"]], sort_keys=True): r for r in Store(folder).records()}
    if not rows:
        raise Mistake(f"folder must be one that a sweep has filled; it is {str(folder)!r}.")
    records = list(rows.values())
    settings = pandas.DataFrame([{"experiment": r["experiment"], **r["config"]} for r in records])
    numbers = pandas.DataFrame([r["results"] for r in records])
    about = [{"seconds": r.get("seconds"), "device": r.get("device"), "code": r.get("code", "")[:8]} for r in records]
    numbers = numbers.rename(columns={name: f"{name}_result" for name in settings})
    whole_table = pandas.concat([settings, numbers, pandas.DataFrame(about)], axis=1)
    return whole_table.sort_values(list(settings), ignore_index=True)


def over_seeds(cells: "pandas.DataFrame", settings: Sequence[str]) -> "tuple[pandas.DataFrame, pandas.DataFrame]":
    """Cells that differ by their seed alone as one row: the means, with how many ``seeds`` there were, and the
    standard deviations (n − 1; NaN for a single seed) of every number."""
    same = [name for name in settings if name != "seed"]
    groups = cells.groupby(same, sort=False, dropna=False)
    numbers = [name for name in cells.select_dtypes("number") if name not in settings]
    means = groups[numbers].mean()
    means.insert(0, "seeds", groups.size())
    return means.reset_index(), groups[numbers].std(ddof=1).reset_index(drop=True)

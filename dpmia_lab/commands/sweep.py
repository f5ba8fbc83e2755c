"""``dpmia-lab sweep`` and ``dpmia-lab table``: an experiment over a grid, and its results as a table."""

import argparse
import math
import shlex
import shutil
import sys
from dataclasses import Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpmia_lab.checks import Mistake, one_of
from dpmia_lab.commands.examples import EXAMPLES, with_examples
from dpmia_lab.commands.measures import epsilon
from dpmia_lab.commands.progress_line import ProgressLine
from dpmia_lab.commands.summary import headline_names
from dpmia_lab.commands.warn import warn
from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.files import check_writable, write_whole
from dpmia_lab.machine import cores
from dpmia_lab.options import changed_from, value_from_text, whole_number, with_text_values
from dpmia_lab.rows import Rows, rows_from_lists
from dpmia_lab.stages import Event, Progress, drain
from dpmia_lab.store import Store
from dpmia_lab.sweeps import sweep

if TYPE_CHECKING:
    import pandas

ABOUT = """\
Each finished cell is stored at once, whole, in a folder named by the hash of its configuration and of the code that can
change a result. After Ctrl-C, a crash, kill -9 or a full disk the same command goes on where it was, on any machine
that sees the folder. A cell that fails is printed as the command that runs it alone; the others go on.

More machines (Dask; the same version of this package on each; it asks for no password, so use a network you trust):
  dask scheduler --port 8786                               on one machine
  dask worker tcp://HOST:8786 --nworkers 2 --nthreads 1    on each that computes
  dpmia-lab sweep NAME … --scheduler tcp://HOST:8786       wherever the results shall be stored
Workers may come and go, and need not see the folder; a lost worker's cell goes to another."""
STOPPED = "Stopped; finished cells are kept, and the same command goes on from there."


def add_sweep(commands) -> None:
    words = "run an experiment at every point of a grid, over several seeds"
    one = commands.add_parser("sweep", help=words, **with_examples(EXAMPLES["sweep"], ABOUT))
    names = one.add_subparsers(required=True, metavar="NAME")
    for name, experiment in EXPERIMENTS.items():
        about = {"help": experiment.TITLE, "description": experiment.TITLE}
        add_sweep_of(names.add_parser(name, **about, **with_examples(EXAMPLES[f"sweep {name}"])), name)
    words = "the results of a sweep as a table: mean ± standard deviation over seeds"
    show = commands.add_parser("table", help=words, description=words, **with_examples(EXAMPLES["table"]))
    show.add_argument("folder", type=Path, metavar="FOLDER", help="the folder the sweep printed")
    show.add_argument("--csv", type=Path, metavar="FILE", help="write every number of every cell here")
    show.set_defaults(action=show_table)


def add_sweep_of(one: argparse.ArgumentParser, name: str) -> None:
    one.add_argument("--preset", choices=tuple(EXPERIMENTS[name].PRESETS), help="start from these settings")
    one.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE", help="a setting all cells share")
    one.add_argument("--grid", action="append", default=[], metavar="FIELD=V1,V2,…", help="a setting that varies")
    one.add_argument("--seeds", default="1", metavar="N", help="run every point with so many seeds (default 1)")
    who = one.add_mutually_exclusive_group()
    who.add_argument("--workers", metavar="W", help="processes on this machine (default: one a core)")
    who.add_argument("--scheduler", default="", metavar="ADDRESS", help="a Dask scheduler, such as tcp://host:8786")
    one.add_argument("--folder", type=Path, metavar="DIR", help="where results are stored (default: in the cache)")
    one.set_defaults(action=run_sweep, name=name)


def grid_and_base(chosen: argparse.Namespace) -> tuple[Any, dict[str, list]]:
    """What all cells share, and what varies."""
    experiment = EXPERIMENTS[chosen.name]
    start = experiment.PRESETS[chosen.preset] if chosen.preset else experiment.Config()
    base = with_text_values(start, dict(pair("set", text) for text in chosen.set))
    return base, grid_of(base, chosen.grid)


def run_sweep(chosen: argparse.Namespace) -> None:
    folder = chosen.folder or sweep.default_folder(chosen.name)
    base, grid = grid_and_base(chosen)
    seeds, workers = count("seeds", chosen.seeds), None if chosen.workers is None else count("workers", chosen.workers)
    stage = sweep.run(chosen.name, base, grid, seeds, folder=folder, workers=workers, scheduler=chosen.scheduler)
    if not chosen.scheduler:
        warn(chosen.name, sweep.configurations(base, grid, 1), seeds, workers or cores())
    print(f"Results are stored in {folder}", flush=True)
    try:
        cells = drain(stage, SweepLine(chosen.name).show)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(STOPPED) from None
    failed = sum(bool(cell.problem) for cell in cells)
    if failed:
        raise Mistake(f"{failed} of {len(cells)} cells failed, as told above; the same command tries them again.")
    print(f"All {len(cells)} cells are stored; see them with: dpmia-lab table {shlex.quote(str(folder))}")


def grid_of(base: Any, texts: list[str]) -> dict[str, list]:
    """``["sigma=1,2"]`` as ``{"sigma": [1.0, 2.0]}``."""
    options: dict[str, Field] = {option.name: option for option in fields(base)}
    grid: dict[str, list] = {}
    for text in texts:
        name, values = pair("grid", text)
        one_of(tuple(options), option=name)
        if name in grid:
            raise Mistake(f"grid must name each setting once; it names {name} again.")
        grid[name] = [value_from_text(options[name], value) for value in values.split(",")]
    return grid


def pair(option: str, text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise Mistake(f"{option} must be given as FIELD=VALUE; it is {text!r}.")
    return name, value


def count(name: str, text: str) -> int:
    try:
        return whole_number(text)
    except ValueError:
        raise Mistake(f"{name} must be a whole number; it is {text!r}.") from None


class SweepLine(ProgressLine):
    """The line of progress, and every failure at once, as the command that would run that cell alone."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name, self.told = name, 0

    def show(self, event: Event) -> None:
        if isinstance(event, Progress):
            cells = event.values.get("cells", ())
            for cell in cells[self.told :]:
                if cell.problem:
                    print("\n" * self.on_screen + self.failure(cell), file=sys.stderr, flush=True)
            self.told = max(self.told, len(cells))
        super().show(event)

    def failure(self, cell: sweep.Cell) -> str:
        changed = changed_from(cell.config, EXPERIMENTS[self.name].Config())
        words = [word for name, text in changed.items() for word in (f"--{name}", text)]
        return f"failed: dpmia-lab run {shlex.join([self.name, *words])}\n        {cell.problem}"


def show_table(chosen: argparse.Namespace) -> None:
    check_writable(chosen.csv)
    cells = sweep.table(chosen.folder)
    if chosen.csv:
        write_whole(chosen.csv, lambda file: file.write(cells.to_csv(index=False).encode()))
    records = {record["experiment"]: record for record in Store(chosen.folder).records()}
    tables = [readable(cells[cells.experiment == name], record) for name, record in records.items()]
    print("\n\n".join(tables))


def readable(cells: "pandas.DataFrame", record: dict) -> str:
    """What all cells share in one line, the rest over seeds, as wide as the terminal; of many numbers the chief ones.

    ``record``: of any of these cells.
    """
    settings = ["experiment", *record["config"]]
    means, spreads = sweep.over_seeds(cells, settings)
    kept = [name for name in means if name in settings]
    same = [name for name in kept if means[name].nunique(dropna=False) == 1]
    numbers = [name for name in spreads if means[name].notna().any()]
    fixed = [name for name in numbers if len(cells) > 1 and cells[name].nunique(dropna=False) == 1]
    shown = [name for name in numbers if is_chief(name, record) and name not in fixed]
    table = means[[*(name for name in kept if name not in same), "seeds"]]
    table = table.assign(**{name: list(map(told, means[name], spreads[name], [name] * len(means))) for name in shown})
    width = shutil.get_terminal_size((120, 0)).columns
    alike = [f"{name} {means[name][0]}" for name in same]
    alike += [f"{name} {told(means[name][0], math.nan, name)}" for name in fixed if is_chief(name, record)]
    lines = [f"The same in all {len(cells)} cells: {', '.join(alike)}.", ""] if alike else []
    lines += [table.to_string(index=False, line_width=width), ""]
    more = sum(not is_chief(name, record) for name in numbers)
    lines += ["Mean ± standard deviation over seeds." + (f" {more} more numbers: --csv FILE." if more else "")]
    return "\n".join(lines)


def is_chief(name: str, record: dict) -> bool:
    """Whether it is among the numbers that ``run`` shows in its table, or belongs to no attack at all."""
    rows = rows_from_lists(record["rows"]) if "rows" in record else Rows()
    return name in headline_names(record["experiment"], rows) or name not in rows.plain()


def told(mean: float, spread: float, name: str) -> str:
    """0.942 ± 0.005, or 0.942 where there is one seed; an ε is never understated; "" where there is no number."""
    if math.isnan(mean):
        return ""
    text = epsilon(mean) if name.startswith("epsilon") else f"{mean:.4g}"
    return text if math.isnan(spread) else f"{text} ± {spread:.2g}"

"""``dpmia-lab sweep`` and ``dpmia-lab table``: an experiment over a grid, and its results as a table."""

import argparse
import shlex
import shutil
import sys
from dataclasses import Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpmia_lab.checks import Mistake, one_of
from dpmia_lab.commands.progress_line import ProgressLine
from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.files import check_writable, write_whole
from dpmia_lab.options import changed_from, value_from_text, with_text_values
from dpmia_lab.stages import Event, Progress, drain
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
    form = argparse.RawDescriptionHelpFormatter
    one = commands.add_parser("sweep", help=words, epilog=ABOUT, formatter_class=form)
    names = one.add_subparsers(required=True, metavar="NAME")
    for name, experiment in EXPERIMENTS.items():
        add_sweep_of(names.add_parser(name, help=experiment.TITLE, description=experiment.TITLE), name)
    show = commands.add_parser("table", help="the results of sweeps as a table")
    show.add_argument("folder", type=Path, metavar="FOLDER", help="the folder the sweep printed")
    show.add_argument("--csv", type=Path, metavar="FILE", help="write the whole table here")
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


def run_sweep(chosen: argparse.Namespace) -> None:
    experiment = EXPERIMENTS[chosen.name]
    start = experiment.PRESETS[chosen.preset] if chosen.preset else experiment.Config()
    base = with_text_values(start, dict(pair("set", text) for text in chosen.set))
    folder = chosen.folder or sweep.default_folder(chosen.name)
    stage = sweep.run(
        chosen.name,
        base,
        grid_of(base, chosen.grid),
        whole_number("seeds", chosen.seeds),
        folder=folder,
        workers=None if chosen.workers is None else whole_number("workers", chosen.workers),
        scheduler=chosen.scheduler,
    )
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


def whole_number(name: str, text: str) -> int:
    try:
        return int(text)
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
    frame = sweep.table(chosen.folder)
    if chosen.csv:
        write_whole(chosen.csv, lambda file: file.write(frame.to_csv(index=False).encode()))
    print(readable(frame))


def readable(frame: "pandas.DataFrame") -> str:
    """What all cells share in one line, the rest as a table as wide as the terminal."""
    same = [name for name in frame if len(frame) > 1 and frame[name].nunique(dropna=False) == 1]
    shared = "".join(f"{name} {frame[name][0]}, " for name in same).removesuffix(", ")
    width = shutil.get_terminal_size((120, 0)).columns
    rest = frame.drop(columns=same).to_string(index=False, line_width=width, float_format="{:.4g}".format, na_rep="")
    return f"The same in all {len(frame)} cells: {shared}.\n\n{rest}" if same else rest

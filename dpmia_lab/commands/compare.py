"""``dpmia-lab compare``: every defence against every attack that fits, as a table; and what fits what."""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from dpmia_lab.checks import Mistake
from dpmia_lab.commands.examples import EXAMPLES, with_examples
from dpmia_lab.commands.measures import epsilon, share
from dpmia_lab.commands.summary import aligned
from dpmia_lab.commands.sweep import STOPPED, SweepLine, count, pair
from dpmia_lab.commands.warn import warn_of_columns
from dpmia_lab.defences.compared import EVERY, titles
from dpmia_lab.experiments.comparing_answers import Harm, attacks_against, bargains, leak_of
from dpmia_lab.experiments.comparing_columns import DATA
from dpmia_lab.experiments.comparing_fits import attack_words, fits
from dpmia_lab.experiments.comparing_grid import Grid, Measured, measured_over, to_json
from dpmia_lab.files import check_writable, circumstances, write_whole
from dpmia_lab.options import as_dict, with_text_values
from dpmia_lab.stages import drain
from dpmia_lab.sweeps import comparison, sweep

ABOUT = """\
Each cell (a defence at one strength, one seed) is stored as soon as it is computed, and the same command goes on from
there. Of every defence the table shows the attack that is worst for it. A defence is on the front where no other has
higher accuracy and fewer members caught; no promise means that it has not been broken here, and no more."""
HARMS = (Harm("tpr1", "everybody"), Harm("tpr1", "canaries"), Harm("tpr1", "at risk"), Harm("recognised"),
         Harm("recognised_answers"), Harm("attack_over_imputation"))  # fmt: skip
HEADS = {
    ("tpr1", "everybody"): "members caught, at 1 %",
    ("tpr1", "canaries"): "canaries caught, at 1 %",
    ("tpr1", "at risk"): "most at risk, caught at 1 %",
    ("recognised", "everybody"): "people, recognised",
    ("recognised_answers", "everybody"): "answers, turned back",
    ("attack_over_imputation", "everybody"): "secrets, over imputation",
}


def add_compare(commands) -> None:
    words = "every defence against every attack that fits, under one protocol"
    one = commands.add_parser("compare", help=words, description=words, **with_examples(EXAMPLES["compare"], ABOUT))
    sets = f"{', '.join(DATA)}, or a set or file of yours (bits, pictures, a table)"
    one.add_argument("--data", default="carts", help=f"{sets} (default carts)")
    one.add_argument("--outcome", default="", help="of a table of yours: the column that models tell")
    one.add_argument("--sensitive", default="", help="of a table of yours: the column that attackers guess")
    one.add_argument("--defence", action="append", default=[], help="only this defence (may be given several times)")
    one.add_argument("--set", action="append", default=[], metavar="FIELD=VALUE", help="a setting all cells share")
    one.add_argument("--seeds", default="1", metavar="N", help="every defence with so many seeds (default 1)")
    one.add_argument("--small", action="store_true", help="tiny models and attacks, to see that all of it runs")
    who = one.add_mutually_exclusive_group()
    who.add_argument("--workers", metavar="W", help="processes on this machine (default: one a core)")
    who.add_argument("--scheduler", default="", metavar="ADDRESS", help="a Dask scheduler, such as tcp://host:8786")
    one.add_argument("--folder", type=Path, metavar="DIR", help="where cells are stored (default: in the cache)")
    one.add_argument("--json", type=Path, metavar="FILE", help="write settings and every number of the grid here")
    one.add_argument("--fits", action="store_true", help="only tell which attack fits which defence, and why not")
    one.set_defaults(action=compare)


def compare(chosen: argparse.Namespace) -> None:
    if chosen.fits:
        print(fits_text(chosen.data if chosen.data in DATA else comparison.like_of(chosen.data)))
        return
    check_writable(chosen.json)
    like, base = comparison.base_of(chosen.data, chosen.small, chosen.outcome, chosen.sensitive)
    base = with_text_values(base, dict(pair("set", text) for text in chosen.set))
    columns = comparison.chosen_columns(like, chosen.defence)
    for name, reason in comparison.unfit(base, columns).items():
        print(f"Left out: {columns.pop(name).words}; {reason}")
    folder = chosen.folder or sweep.default_folder(comparison.NAME)
    seeds, workers = count("seeds", chosen.seeds), None if chosen.workers is None else count("workers", chosen.workers)
    stage = comparison.compared(
        chosen.data, base, columns, seeds, folder=folder, scheduler=chosen.scheduler, workers=workers
    )  # fmt: skip
    if not chosen.scheduler:
        warn_of_columns(base, columns, seeds, workers)
    print(f"Cells are stored in {folder}", flush=True)
    try:
        grid, failed = drain(stage, SweepLine(comparison.NAME).show)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(STOPPED) from None
    if chosen.json:
        record = {"grid": to_json(grid), "config": as_dict(base), **circumstances()}
        write_whole(chosen.json, lambda file: file.write(json.dumps(record, indent=1).encode()))
    print(grid_words(grid, like))
    if failed:
        raise Mistake(f"{len(failed)} cells failed, as told above; the same command tries them again.")


# ---- the table
def grid_words(grid: Grid, like: str) -> str:
    """A line a column: accuracy, the worst attack of each kind, what is promised, and whether it is on the front."""
    harms = [harm for harm in HARMS if attacks_against(grid, harm)]
    found = {one.column: one for one in bargains(grid, HARMS[0])}
    measured = [HEADS[harm.measure, harm.who] for harm in harms]
    lines = [["defence", "accuracy", *measured, "worst attack", "promise", "front"]]
    for name, column in grid.columns.items():
        leaks = [leak_of(grid, name, harm) for harm in harms]
        worst = found[name].leak.attack if name in found else ""
        front = "" if name not in found or not found[name].front else "yes"
        told = [value_text(leak.measured) if leak else "" for leak in leaks]
        accuracy = value_text(measured_over(grid.accuracy(name)))
        lines.append([column.words, accuracy, *told, worst, promise_text(grid, name), front])
    about = f"{grid.data} ({like}), seeds: {len(grid.seeds)}; guessing catches 1 % at 1 % false alarms."
    promised = [f"  {grid.columns[name].words}: {promise['words']}" for name, promise in grid.promises.items()]
    ending = ["Promised:", *promised] if promised else ["Nothing is promised."]
    return "\n".join([about, "", aligned(lines), "", *ending])


def value_text(measured: Measured) -> str:
    spread = "" if measured.spread is None else f" ± {share(measured.spread)}"
    return f"{signed(measured.mean)}{spread}"


def signed(value: float) -> str:
    return share(value) if value >= 0 else f"-{share(-value)}"


def promise_text(grid: Grid, name: str) -> str:
    promise = grid.promises.get(name)
    return f"ε = {epsilon(promise['epsilon'])} a {promise['unit']}" if promise else "none"


# ---- what fits what
def fits_text(like: str) -> str:
    """A line an attack, a column a defence: x where it is tried, else the number of the sentence that says why not."""
    reasons: dict[str, int] = {}

    def mark(defence: str, attack: str) -> str:
        reason = fits(defence, attack, like)
        return "x" if not reason else str(reasons.setdefault(reason, len(reasons) + 1))

    names = {defence: f"d{place}" for place, defence in enumerate(EVERY, 1)}
    lines = [[f"attack on {like}", *names.values()]]
    lines += [[words, *(mark(defence, attack) for defence in EVERY)] for attack, words in attack_words().items()]
    defences = [f"  {number:>3} {defence}: {titles()[defence]}" for defence, number in names.items()]
    return "\n".join([aligned(lines), "", *defences, "", "x tried; else why not:", *legend(reasons)])


def legend(reasons: dict[str, int]) -> Iterable[str]:
    return [f"  {number:>2} {reason}" for reason, number in reasons.items()]

"""``dpmia-lab report``: your data under every defence and attack that fits, as one file to read and to hand on."""

import argparse
import shlex
import time
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date
from pathlib import Path
from typing import Any

from dpmia_lab.checks import Mistake, between, whole
from dpmia_lab.commands.examples import EXAMPLES, with_examples
from dpmia_lab.commands.sentences import model_words
from dpmia_lab.commands.sweep import STOPPED, SweepLine, count
from dpmia_lab.commands.warn import warn_of_columns
from dpmia_lab.files import check_writable, circumstances, write_whole
from dpmia_lab.stages import drain

NAME = "comparing"
MOST_AT_RISK = 20
MADE_UP = ("classes", "people", "pictures", "height")  # settings of generated data
ABOUT = """\
The data: an npz with X and y (bits (n, features) or pictures (n, h, w)), a csv, or the name of a set (data list).
The model: one of the lab's, or a function of yours as module:function, from a file in the current folder or a module:

  def small_net(shape: tuple[int, ...], classes: int) -> nn.Module     # my_models.py, --model my_models:small_net

It gets the shape of a record and the number of classes, and returns a module that takes floats (n, *shape) to logits
(n, classes). The lab seeds its start; what it cannot use it refuses in a sentence. It is code: it runs as you.
Every cell (a defence at one strength, one seed) is stored when it is done; the same command goes on where it was."""


def add_report(commands) -> None:
    words = "your data under every defence and attack that fits, as one file to read"
    one = commands.add_parser("report", help=words, description=words, **with_examples(EXAMPLES["report"], ABOUT))
    one.add_argument("--data", required=True, metavar="FILE", help="your records, or the name of a set")
    one.add_argument("--model", default="", metavar="MODEL", help="softmax, mlp, cnn, or yours as module:function")
    one.add_argument("--defence", action="append", default=[], metavar="NAME", help="this one only (may be repeated)")
    one.add_argument("--records", metavar="N", help="train each model on so many records (default: as many as fit)")
    one.add_argument("--seeds", default="3", metavar="N", help="seeds of every cell (default 3; 1 has no interval)")
    one.add_argument("--small", action="store_true", help="tiny models and few attackers: to see whether it runs")
    one.add_argument(
        "--accept", default="5", metavar="PERCENT", help="members caught at 1%% false alarms that you accept"
    )
    one.add_argument("--need", default="", metavar="PERCENT", help="right on new records that you need")
    one.add_argument("--workers", metavar="W", help="processes on this machine (default: one a core)")
    one.add_argument("--folder", type=Path, metavar="DIR", help="where cells are stored (default: in the cache)")
    one.add_argument("--out", type=Path, default=Path("report.html"), metavar="FILE", help="default report.html")
    one.add_argument("--json", type=Path, metavar="FILE", help="the same as data (default: beside it, .json)")
    one.set_defaults(action=write_report)


def write_report(chosen: argparse.Namespace) -> None:
    from dpmia_lab.sweeps import comparison, sweep
    from dpmia_lab.widgets.report.as_data import json_text
    from dpmia_lab.widgets.report.page import report_html

    json_file = chosen.json or chosen.out.with_suffix(".json")
    for path in (chosen.out, json_file):
        check_writable(path)
    seeds, folder = count("seeds", chosen.seeds), chosen.folder or sweep.default_folder(NAME)
    accept, need = per_cent("accept", chosen.accept), per_cent("need", chosen.need or "0")
    like, base = settings_of(chosen)
    columns, refused = columns_that_fit(base, comparison.chosen_columns(like, chosen.defence), like)
    print(f"{len(columns)} settings, {seeds} seeds; cells are stored in {folder}", flush=True)
    workers = None if chosen.workers is None else count("workers", chosen.workers)
    warn_of_columns(base, columns, seeds, workers)
    start = time.monotonic()
    stage = comparison.compared(Path(base.data).name, base, columns, seeds, folder=folder, workers=workers)
    try:
        grid, failed = drain(stage, SweepLine(NAME).show)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(STOPPED) from None
    known = {"accept": accept, "need": need, "seconds": time.monotonic() - start, "command": command_of(chosen)}
    known["small"] = chosen.small
    about = about_of(base, like, grid, refused | told_failures(columns, failed), folder, known)
    html, data = report_html(grid, about=about), json_text(grid, about=about)
    write_whole(chosen.out, lambda file: file.write(html.encode()))
    write_whole(json_file, lambda file: file.write(data.encode()))
    print(f"The report is {chosen.out}; the same as data is {json_file}.")


def per_cent(name: str, text: str) -> float:
    try:
        value = float(text.rstrip("% "))
    except ValueError:
        raise Mistake(f"{name} must be a number of per cent; it is {text!r}.") from None
    between(0, 100, **{name: value})
    return value / 100


def command_of(chosen: argparse.Namespace) -> str:
    """Exactly what makes this report again."""
    words = ["dpmia-lab", "report", "--data", chosen.data]
    for name in ("model", "records", "seeds", "accept", "need", "workers", "folder", "out", "json"):
        if (value := getattr(chosen, name)) not in (None, ""):
            words += [f"--{name}", str(value)]
    words += [word for defence in chosen.defence for word in ("--defence", defence)]
    return shlex.join(words + ["--small"] * chosen.small)


# ---- what is run
def settings_of(chosen: argparse.Namespace) -> tuple[str, Any]:
    """Which of the lab's sets the data are like, and what all cells share."""
    from dpmia_lab.sweeps.comparison import base_of

    like, base = base_of(chosen.data, chosen.small)
    base = replace(base, model=chosen.model or base.model)
    asked = count("records", chosen.records) if chosen.records else base.records
    if Path(base.data).expanduser().is_file() and like != "patients":
        most = most_records(base.data)
        asked = whole(1, most, records=asked) or asked if chosen.records else min(asked, most)
    return like, replace(base, records=asked, canaries=min(base.canaries, asked // 6))


def most_records(data: str) -> int:
    """As many as each model can be trained on, so that all other roles have some too."""
    import numpy as np

    from dpmia_lab.data.population import load_population

    found = load_population(data)
    total = len(found.y)
    if found.kind != "pictures":
        return total // 3
    least = int(np.bincount(found.y, minlength=found.classes).min())
    return max(0, int(total * min(0.45, (1 - 5 / max(least, 1)) / 2)))


def columns_that_fit(base: Any, columns: Mapping, like: str) -> tuple[dict, dict[str, str]]:
    """Those whose defence fits these data and this model; of the others the sentence why not."""
    from dpmia_lab.experiments.comparing_config import TABLE_MODELS
    from dpmia_lab.experiments.comparing_fits import defence_fits
    from dpmia_lab.experiments.comparing_models import trainer_for
    from dpmia_lab.experiments.comparing_people import case_of

    case, kept, refused = drain(case_of(base)), {}, {}
    for name, column in columns.items():
        config = replace(base, **column.changes)
        why = defence_fits(column, like)
        if not why and config.model not in TABLE_MODELS:
            try:
                trainer_for(config, case).fresh("model", 0)
            except Mistake as mistake:
                if name == "none":
                    raise
                why = str(mistake)
        if why:
            refused[column.words] = why
        else:
            kept[name] = column
    return kept, refused


def told_failures(columns: Mapping, failed: tuple) -> dict[str, str]:
    told = {}
    for cell in failed:
        fits = [c.words for c in columns.values() if all(getattr(cell.config, k) == v for k, v in c.changes.items())]
        told[f"{fits[-1] if fits else cell.config.defence}, seed {cell.config.seed}"] = cell.problem
    return told


# ---- what is told besides
def about_of(base: Any, like: str, grid: Any, refused: dict[str, str], folder: Path, known: dict[str, Any]) -> Any:
    from dpmia_lab.data.population import load_population
    from dpmia_lab.experiments.comparing_config import OF_DEFENCES
    from dpmia_lab.experiments.comparing_fits import attack_words, fits
    from dpmia_lab.widgets.report.about import About

    case_words: dict[str, Any] = {}
    if like != "patients":
        people = load_population(base.data, classes=base.classes, people=base.people, pictures=base.pictures,
                                 height=base.height, seed=base.seed)  # fmt: skip
        case_words = {"kind": people.kind, "records": len(people.y), "class_names": people.class_names}
    reasons = {
        f"{name}|{attack}": why
        for name, column in grid.columns.items() for attack in attack_words()
        if any(key[2] == attack for key in grid.values) and (why := fits(column, attack, like))
    }  # fmt: skip
    unused = {"seed", *OF_DEFENCES, *(MADE_UP if Path(base.data).is_file() else ())}
    shared = {f.name: f for f in fields(base) if f.name not in unused}
    about = About(
        source=Path(base.data).name, trained_on=base.records, models=base.shadows, model=model_words(base.model),
        settings={name: getattr(base, name) for name in shared},
        explained={name: option.metadata["help"] for name, option in shared.items()}, refused=refused,
        reasons=reasons, date=f"{date.today():%d %B %Y}", **case_words, **known,
        **circumstances(),
    )  # fmt: skip
    if like == "patients":
        return about
    return replace(about, **risks_of(base, grid, folder, about), drawn=drawings_of(base, grid, folder, about))


def risks_of(base: Any, grid: Any, folder: Path, about: Any) -> dict[str, Any]:
    """Which rows of the file are most at risk, from the cells as they are stored."""
    from dpmia_lab.data.file_rows import rows_in_file
    from dpmia_lab.experiments.comparing_people import case_of
    from dpmia_lab.widgets.report.about import AtRisk
    from dpmia_lab.widgets.report.records import by_chance, counted, most_at_risk, share

    cells = []
    for seed in grid.seeds:
        case = drain(case_of(replace(base, seed=seed)))
        rows = rows_in_file(base.data, case.people.x, case.people.y)
        if rows is None:
            return {}
        cells += [(name, arrays, rows) for name, arrays in arrays_beside(base, grid, folder, about, seed).items()]
    found = counted(cells)
    worst = most_at_risk(found, "none", MOST_AT_RISK)
    if not worst:
        return {}
    made = tuple(AtRisk(rows, about.class_names[one.label], one.caught) for rows, one in worst)
    expected = by_chance(found, "none", share(worst[-1][1], "none"))
    return {"at_risk": made, "judged": len(found), "by_chance": expected}


def arrays_beside(base: Any, grid: Any, folder: Path, about: Any, seed: int) -> dict[str, Mapping]:
    """Arrays of the undefended column and of those told beside it, where they are stored."""
    from dpmia_lab.options import as_dict
    from dpmia_lab.store import Store
    from dpmia_lab.widgets.report.findings import told_beside

    found = {}
    for name in ("none", *told_beside(grid, about)):
        config = as_dict(replace(base, **grid.columns[name].changes, seed=seed))
        if (stored := Store(folder, most=None).get(NAME, config)) is not None:
            found[name] = stored[0].arrays
    return found


def drawings_of(base: Any, grid: Any, folder: Path, about: Any) -> tuple:
    """Of the first seed."""
    if about.kind != "pictures":
        return ()
    from dpmia_lab.experiments.comparing_people import case_of
    from dpmia_lab.experiments.confidence_attacks import class_means
    from dpmia_lab.widgets.report.drawings import drawn_rows

    seed = grid.seeds[0]
    truth = class_means(drain(case_of(replace(base, seed=seed))).roles.train)
    return drawn_rows(grid, truth, arrays_beside(base, grid, folder, about, seed), about.class_names)

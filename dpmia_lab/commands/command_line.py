"""``dpmia-lab``: the same experiments without a browser.

Mistakes answer with one sentence and exit code 2; what ``check`` finds wrong is exit code 1. Ctrl-C stops at once with
exit code 130.
"""

import argparse
import json
import os
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from dpmia_lab import __version__
from dpmia_lab.checks import Mistake
from dpmia_lab.commands import summary
from dpmia_lab.commands.accounting import add_accounting
from dpmia_lab.commands.check import add_check
from dpmia_lab.commands.compare import add_compare
from dpmia_lab.commands.examples import EXAMPLES, Parser, with_examples
from dpmia_lab.commands.grade import add_grade
from dpmia_lab.commands.progress_line import ProgressLine
from dpmia_lab.commands.report import add_report
from dpmia_lab.commands.sentences import sentences
from dpmia_lab.commands.slides import add_slides
from dpmia_lab.commands.sweep import add_sweep
from dpmia_lab.commands.warn import warn
from dpmia_lab.experiments import EXPERIMENTS
from dpmia_lab.files import check_writable, circumstances, write_whole
from dpmia_lab.options import as_dict, text_of, with_text_values
from dpmia_lab.stages import drain
from dpmia_lab.store import Result

VISITORS = (
    "With --ip 0.0.0.0 the pages are there for your network. Visitors move widgets and upload a file of their own; "
    "they cannot run code, read other files or see tracebacks. Each page is a process; it ends when its reader leaves, "
    "or five minutes after it was last seen. Whoever finds the lab full waits at its door, and is let in in order."
)


def main(arguments: list[str] | None = None) -> int:
    chosen = parser().parse_args(arguments)
    try:
        code = chosen.action(chosen) or 0
        sys.stdout.flush()  # here, where a reader that has gone is no error
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of our output has gone, as with "| head"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt as stop:
        print(f"\n{str(stop) or 'Stopped; nothing was written.'}", file=sys.stderr)
        return 130
    return code


def parser() -> argparse.ArgumentParser:
    top = Parser(
        prog="dpmia-lab",
        description="See how models leak their training data, and what each defence costs.",
        **with_examples(EXAMPLES["dpmia-lab"]),
    )
    top.add_argument("--version", action="version", version=__version__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    commands.add_parser("list", help="the experiments").set_defaults(action=list_experiments)
    words = "run an experiment: dpmia-lab run NAME --field value …"
    add_run(commands.add_parser("run", help=words, **with_examples(EXAMPLES["run"])))
    add_app(commands.add_parser("app", help="serve the lessons as web pages on this machine", epilog=VISITORS))
    words = "the data sets: what there is, and how to get more"
    add_data(commands.add_parser("data", help=words, **with_examples(EXAMPLES["data"])))
    add_accounting(commands)
    add_sweep(commands)
    add_compare(commands)
    add_check(commands)
    add_grade(commands)
    add_report(commands)
    add_slides(commands)
    return top


def add_run(run: argparse.ArgumentParser) -> None:
    names = run.add_subparsers(required=True, metavar="NAME")
    for name, experiment in EXPERIMENTS.items():
        about = {"help": experiment.TITLE, "description": experiment.TITLE}
        one = names.add_parser(name, **about, **with_examples(EXAMPLES[f"run {name}"]))
        one.add_argument("--preset", choices=tuple(experiment.PRESETS), help="start from these settings")
        for option in fields(experiment.Config):
            help_line = f"{option.metadata['help']} (default {text_of(option.default)})"
            one.add_argument(f"--{option.name}", metavar="VALUE", help=help_line.replace("%", "%%"))
        written = "write settings and all numbers here, with full names and units"
        one.add_argument("--json", type=Path, metavar="FILE", help=written)
        one.add_argument("--arrays", type=Path, metavar="FILE.npz", help="write pictures and arrays here")
        one.set_defaults(action=run_experiment, name=name)


def add_app(app: argparse.ArgumentParser) -> None:
    app.add_argument("--port", type=int, default=8866)
    app.add_argument("--ip", default="127.0.0.1", help="address to listen on (default: this machine only)")
    sizes = {
        "pages": "pages open at once; others wait at the door (default: by this machine's memory)",
        "each": "pages of one visitor (default: a quarter of those)",
        "training": "runs at once; others wait for their turn (default: one a core)",
    }
    for name, words in sizes.items():
        app.add_argument(f"--{name}", type=int, default=0, metavar="N", help=words)
    behind = "that all pages share, behind a proxy or a hub (default /)"
    app.add_argument("--base-url", default="/", metavar="/PATH/", help=f"the part of the address {behind}")
    app.add_argument("--socket", default="", metavar="FILE", help="listen there, not on a port: open to nobody else")
    app.add_argument("--memory", type=int, default=1000, metavar="MB", help="of its own that a page may have (1000)")
    app.add_argument("--minutes", type=int, default=30, metavar="N", help="that a run of a page may take (30)")
    words = "serve notebooks/teaching too, with answers and exam questions (not for a class to see)"
    app.add_argument("--teaching", action="store_true", help=words)
    app.set_defaults(action=serve_app)


def add_data(data: argparse.ArgumentParser) -> None:
    actions = data.add_subparsers(required=True, metavar="ACTION")
    actions.add_parser("list", help="the data sets --data takes").set_defaults(action=list_data)
    download = actions.add_parser("download", help="fetch a whole public data set, once, from its publisher")
    download.add_argument("set", choices=("mnist", "att_faces"))
    download.set_defaults(action=download_data)


def list_experiments(_: argparse.Namespace) -> None:
    for name, experiment in EXPERIMENTS.items():
        print(f"{name:22} {experiment.TITLE}")
        print(f"{'':22} presets: {', '.join(experiment.PRESETS)}")


def list_data(_: argparse.Namespace) -> None:
    from dpmia_lab.data import catalogue
    from dpmia_lab.data.population import population_catalogue
    from dpmia_lab.data.table_files import table_catalogue

    for entry in [*catalogue(), *population_catalogue(), *table_catalogue()]:
        print(f"{entry.name:20} {entry.title}: {entry.description} ({entry.terms})")
        if not entry.available:
            print(f"{'':20} {entry.why_not}")


def download_data(chosen: argparse.Namespace) -> None:
    from dpmia_lab.data.download import download

    print(drain(download(chosen.set), ProgressLine().show))


def serve_app(chosen: argparse.Namespace) -> None:
    from dpmia_lab.serve.app import serve

    room = {name: getattr(chosen, name) for name in ("pages", "each", "training", "memory", "minutes", "teaching")}
    where = {"port": chosen.port, "ip": chosen.ip, "base_url": chosen.base_url, "socket_file": chosen.socket}
    serve(Path(__file__).parents[2] / "notebooks", **where, **room)


def config_of(chosen: argparse.Namespace) -> Any:
    """The preset, or the usual settings, changed by what was given."""
    experiment = EXPERIMENTS[chosen.name]
    base = experiment.PRESETS[chosen.preset] if chosen.preset else experiment.Config()
    given = {o.name: getattr(chosen, o.name) for o in fields(base) if getattr(chosen, o.name) is not None}
    return with_text_values(base, given)


def run_experiment(chosen: argparse.Namespace) -> None:
    config = config_of(chosen)
    for path in (chosen.json, chosen.arrays):
        check_writable(path)
    warn(chosen.name, [config])
    start = time.monotonic()
    result = drain(EXPERIMENTS[chosen.name].run(config), ProgressLine().show)
    record = {
        "experiment": chosen.name,
        "config": as_dict(config),
        "results": result.numbers,
        "measured": summary.all_numbers(chosen.name, config, result),
        **circumstances(),
        "seconds": round(time.monotonic() - start, 2),
    }
    if chosen.arrays:
        write_whole(chosen.arrays, lambda file: np.savez_compressed(file, allow_pickle=False, **result.arrays))
    if chosen.json:
        write_whole(chosen.json, lambda file: file.write(json.dumps(record, indent=1).encode()))
    print(summary_text(chosen, config, result, record))


def summary_text(chosen: argparse.Namespace, config: Any, result: Result, record: dict) -> str:
    """Sentences, a short table, and where the rest is."""
    told = sentences(chosen.name, config, result)
    about = f"Settings: {summary.settings_words(chosen.name, config)}. {record['seconds']:.1f} s, {record['device']}."
    rest = f"All {len(record['measured'])} numbers with full names and units"
    where = f"are in {chosen.json}." if chosen.json else "are written by --json FILE."
    table = summary.table_text(chosen.name, result)
    return "\n".join([*told, "", table, "", about, f"{rest} {where}"])


if __name__ == "__main__":
    sys.exit(main())

"""``dpmia-lab record FILE``: whether a reader's record is as the page wrote it, what it holds, and with ``--repeat``
whether its runs come out the same here."""

import argparse
import math
from dataclasses import fields
from pathlib import Path

from dpmia_lab.checks import Mistake
from dpmia_lab.commands.examples import EXAMPLES, with_examples
from dpmia_lab.commands.progress_line import ProgressLine
from dpmia_lab.own_code import refuse_own_model
from dpmia_lab.stages import drain

CLOSE = 1e-6  # relative; the same machine gives the same bits, another processor may differ in the last ones


def add_record(commands) -> None:
    one = commands.add_parser(
        "record",
        help="check the record of a lesson that a reader has handed in",
        description="Checks that a record is as the page wrote it and prints what it holds. The digest inside shows "
        "accidental changes, not who made the file; --repeat runs every run behind a task again and compares.",
        **with_examples(EXAMPLES["record"]),
    )
    one.add_argument("file", type=Path, metavar="FILE", help="the JSON file")
    one.add_argument("--repeat", action="store_true", help="run the experiments inside again and compare the numbers")
    one.set_defaults(action=check_record)


def check_record(chosen: argparse.Namespace) -> None:
    from dpmia_lab.widgets.kit.record import opened

    try:
        text = chosen.file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise Mistake(f"{chosen.file} must be a file that can be read; it is not.") from None
    content = opened(text)
    print(f"The record is as the page wrote it ({chosen.file}).")
    print_work(content)
    if chosen.repeat:
        repeat_all(content)


def print_work(content: dict) -> None:
    lesson = content["lesson"]
    print(f"Lesson {lesson['number']}: {lesson['title']}")
    print(f"Reader: {content['name'] or '(no name)'}; taken {content['taken']}; {content['summary']}.")
    for one in content["predictions"]:
        changed = "" if one["now"] == one["first"] else f", later: {one['now']}"
        print(f"  prediction {one['at']}: {one['first']}{changed}\n    {one['said'] or 'not yet answered by a run'}")
    for one in content["tasks"]:
        print(f"  {one['task']} done {one['at']}\n    {one['said']}")
        for entry in one["behind"]:
            print(f"    behind it: {behind_words(entry)}")


def behind_words(entry: dict) -> str:
    if "settings" in entry:
        return "set on the page: " + ", ".join(f"{name} = {value}" for name, value in entry["settings"].items())
    return f"a run of {entry['experiment']}, {entry['computed']}: {entry['link']}"


def repeat_all(content: dict) -> None:
    """Every run once, whichever tasks rest on it."""
    runs = {entry["numbers sha256"]: entry for one in content["tasks"] for entry in one["behind"] if "config" in entry}
    differ = [name for name in map(repeated, runs.values()) if name]
    if differ:
        raise Mistake(f"Of {len(runs)} runs, {len(differ)} came out otherwise here: {'; '.join(differ)}.")
    print(f"{len(runs)} runs repeated; every number is the same to {CLOSE:g} of its size.")


def repeated(entry: dict) -> str:
    """Run it; "" if it came out the same, else what differs."""
    from dpmia_lab.experiments import EXPERIMENTS
    from dpmia_lab.widgets.kit.record import plain

    experiment = EXPERIMENTS.get(entry["experiment"])
    if experiment is None or set(entry["config"]) != {option.name for option in fields(experiment.Config)}:
        return f"a run of {entry['experiment']} was made by another version of the lab"
    if entry["own file"]:
        return f"a run of {entry['experiment']} used the reader's own file {entry['config']['data']!r}"
    config = experiment.Config(**entry["config"])
    refuse_own_model(config)  # whoever wrote the record may not choose what code runs here
    found = plain(drain(experiment.run(config), ProgressLine().show).numbers)
    other = [name for name in {**entry["numbers"], **found} if not same(entry["numbers"].get(name), found.get(name))]
    if not other:
        return ""
    name = other[0]
    return f"{entry['experiment']}: {name} is {found.get(name)}, recorded {entry['numbers'].get(name)}"


def same(one: float | str | None, other: float | str | None) -> bool:
    """Infinities and undefined numbers are recorded as words."""
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return math.isclose(one, other, rel_tol=CLOSE, abs_tol=1e-9)
    return one == other

"""A record of what a reader did: a JSON file that carries its own digest and every run with all it takes to repeat it.

There is one for a lesson, and one for the course, which holds the signed records of its lessons. The digest shows that
a file is as the page wrote it, barring somebody who computes it anew. What makes it checkable are the settings inside:
whoever has the lab can run them again (``dpmia-lab check FILE``). ``record_form.py`` reads what was handed in.
"""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from decimal import Decimal
from html import escape, unescape
from pathlib import Path
from re import sub
from typing import Any
from urllib.parse import urlencode

from dpmia_lab import __version__
from dpmia_lab.options import text_of
from dpmia_lab.store import code_fingerprint
from dpmia_lab.widgets.kit.lessons import LESSONS
from dpmia_lab.widgets.kit.runs import Run, now, settings_of

DIGEST, LESSON_FORM, COURSE_FORM = "sha256", "dpmia_lab record 2", "dpmia_lab course 1"
PLAYGROUND = "playground.ipynb"
# file → number and title of a page that is worked on; the playground is no lesson
PLACES = {lesson.file: (number, lesson.title) for number, lesson in LESSONS.items()} | {PLAYGROUND: (0, "Playground")}
KINDS = ("predictions", "tasks", "runs")
WITH_EXPONENT = 1e21  # from here on JavaScript writes whole numbers with one, as Python does


# ---- runs, and what stands behind a tick
def evidence(behind: Iterable[Run | Mapping[str, Any]]) -> list[dict]:
    """Runs with all that is needed to repeat them; of what was only set on the page, its settings."""
    from dpmia_lab.experiments import EXPERIMENTS  # all of them, and only when something is done

    names = {experiment.Config: name for name, experiment in EXPERIMENTS.items()}
    return [
        run_entry(names[type(one.config)], one) if isinstance(one, Run) else {"settings": plain(dict(one))}
        for one in behind
    ]


def run_entry(experiment: str, run: Run) -> dict:
    numbers = plain(run.result.numbers)
    own = Path(run.config.data).name != run.config.data
    return {
        "experiment": experiment,
        "config": plain(settings_of(run)),
        "link": "" if own else full_link(run.config),  # which would tell where the server keeps the file
        "own file": own,
        "numbers": numbers,
        "numbers sha256": digest(numbers),
        "computed": run.about,
        "at": run.at,
        "code": code_fingerprint(),
    }


def run_key(entry: dict) -> str:
    """The same for two runs of the same settings."""
    return digest([entry["experiment"], entry["config"]])


def full_link(config: Any) -> str:
    """Every setting that a link may carry, so that no preset of a later version changes what it means."""
    return "?" + urlencode({o.name: text_of(getattr(config, o.name)) for o in fields(config) if o.metadata["in_links"]})


# ---- the work on a page, as the browser keeps it, and as a record has it
def lesson_record(file: str, state: dict, name: str) -> dict:
    """``state``: as ``Work.state`` gives it. Runs that stand behind a task are not told twice."""
    number, title = PLACES[file]
    predictions = [
        {"question": question, **entry, "said": without_tags(entry["said"])}
        for question, entry in state["predictions"].items()
    ]
    tasks = [{"task": task, **entry, "said": without_tags(entry["said"])} for task, entry in state["tasks"].items()]
    told = {run_key(entry) for task in tasks for entry in task["behind"] if "config" in entry}
    runs = [entry for entry in state["runs"].values() if run_key(entry) not in told]
    about = {"lesson": {"number": number, "title": title, "file": file, "tasks": state["of"]}, "name": name}
    return signed(LESSON_FORM, {**about, "taken": now(), "predictions": predictions, "tasks": tasks, "runs": runs})


def course_record(states: dict[str, dict], name: str) -> dict:
    """``states`` by the page's file."""
    lessons = [lesson_record(file, states[file], name) for file in PLACES if file in states]
    return signed(COURSE_FORM, {"name": name, "taken": now(), "lessons": lessons})


def state_of(record: dict) -> dict:
    """The way back. Whoever wrote the record wrote no part of a page: what it says is text, not HTML."""
    predictions = {one.pop("question"): one | {"said": escape(one["said"])} for one in map(dict, record["predictions"])}
    tasks = {one.pop("task"): one | {"said": escape(one["said"])} for one in map(dict, record["tasks"])}
    runs = {run_key(entry): entry for entry in record["runs"]}
    counts = {"done": len(tasks), "of": record["lesson"]["tasks"]}
    return {"predictions": predictions, "tasks": tasks, "runs": runs, **counts}


# ---- signing
def plain(value: Any) -> Any:
    """As JSON can carry it: numbers that are none become words, and whole ones are written as a browser writes them.

    A record passes through one, where 200.0 becomes 200: its digest must not.
    """
    if isinstance(value, dict):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, (str, bool, int)) or value is None:
        return value
    value = float(value)
    if value.is_integer() and abs(value) < WITH_EXPONENT:
        return int(Decimal(repr(value)))  # the shortest digits, then zeros
    return value if math.isfinite(value) else str(value)


def canonical(content: Any) -> str:
    """One text for one content, whatever the order it was written in."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(content: Any) -> str:
    return hashlib.sha256(canonical(content).encode()).hexdigest()


def signed(form: str, content: dict) -> dict:
    about = {"form": form, "lab": __version__, "code": code_fingerprint()}
    whole = {**about, **content}
    return {**whole, DIGEST: digest(whole)}


def file_of(record: dict) -> bytes:
    return json.dumps(record, indent=1, ensure_ascii=False).encode()


def without_tags(html: str) -> str:
    return unescape(sub(r"<[^>]*>", "", html))

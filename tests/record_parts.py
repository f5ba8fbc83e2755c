"""Records for tests: a small real run, and what a reader might have done with it."""

import json
from dataclasses import replace

from dpmia_lab.experiments import private_training
from dpmia_lab.widgets.kit import record
from dpmia_lab.widgets.kit.work import Work, WorkPanel

CONFIG = replace(private_training.SMALL, seed=3)
FILE = "01_model_inversion.ipynb"


def worked(run, name="", further=()) -> WorkPanel:
    work = Work()
    panel = WorkPanel(1, work)
    for title in ("Task 1. One.", "Task 2. <i>Two</i>."):
        work.expect("tasks", title, lambda entry: None)
    work.note("predictions", "How <b>many</b>?", {"first": "none", "now": "half", "said": "20 &lt; 40."})
    work.note("tasks", "Task 2. <i>Two</i>.", {"said": "<b>Yes</b>.", "behind": record.evidence([run, {"a": 1}])})
    for one in further:
        work.ran("private_training", one)
    panel.name.value = name
    return panel


def course(run, name="", further=()) -> dict:
    return record.course_record({FILE: worked(run, name, further).work.state()}, name)


def signed_anew(content: dict) -> dict:
    """As somebody would who changes a record and computes every digest again."""
    parts = [signed_anew(part) for part in content["lessons"]] if "lessons" in content else None
    changed = {**content, "lessons": parts} if parts is not None else content
    for task in changed.get("tasks", ()):
        for entry in task["behind"]:
            if "config" in entry:
                entry["numbers sha256"] = record.digest(entry["numbers"])
    return record.signed(content["form"], {k: v for k, v in changed.items() if k not in ("form", "sha256")})


def written(folder, content, name="record.json") -> str:
    path = folder / name
    path.write_bytes(record.file_of(content) if isinstance(content, dict) else json.dumps(content).encode())
    return str(path)

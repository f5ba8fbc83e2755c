"""The same report as data: what ``report_html`` takes, with its findings in words."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from dpmia_lab.experiments.comparing_grid import Grid, from_json, to_json
from dpmia_lab.widgets.report.about import About, about_dict, about_from
from dpmia_lab.widgets.report.findings import answered, findings, question_of, question_words
from dpmia_lab.widgets.report.meanings import MEANINGS

FORM = 1  # of the JSON


def report_json(grid: Grid, own_cells: Collection[str] = (), about: About | None = None) -> dict[str, Any]:
    about = about or About(source=grid.data)
    question = question_of(grid, about)
    return {
        "report": FORM,
        "grid": to_json(grid),
        "about": about_dict(about),
        "own_cells": list(own_cells),
        "findings": [vars(one) for one in findings(grid)],
        "question": question_words(question) if question else "",
        "answer": answered(grid, question) if question else "",
        "meanings": {name: vars(one) for name, one in MEANINGS.items()},
    }


def report_from(told: Mapping[str, Any]) -> tuple[Grid, tuple[str, ...], About]:
    """What ``report_html`` takes, back from the file."""
    return from_json(told["grid"]), tuple(told["own_cells"]), about_from(told["about"])


def json_text(grid: Grid, own_cells: Collection[str] = (), about: About | None = None) -> str:
    return json.dumps(report_json(grid, own_cells, about), indent=1, ensure_ascii=False)

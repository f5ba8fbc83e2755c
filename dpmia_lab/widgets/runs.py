"""The runs of this visit: kept, compared, removed, exported."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from typing import Any

import ipywidgets as widgets

from dpmia_lab.experiments.configs import as_dict
from dpmia_lab.store import Result
from dpmia_lab.widgets.parts import button, column, download_html, on_change, row, text, with_classes
from dpmia_lab.widgets.pictures import data_uri


@dataclass
class Run:
    number: int
    config: Any
    result: Result
    seconds: float
    about: str  # where and how it was computed, in words
    compared: bool = field(default=False)


class RunTable:
    """One row a run, newest first; ``summary(run)`` is its line, ``on_choice`` hears of every change."""

    def __init__(self, summary: Callable[[Run], str], on_choice: Callable[[list[Run]], None], most: int = 12) -> None:
        self.summary, self.on_choice, self.most = summary, on_choice, most
        self.runs: list[Run] = []
        self.rows = column()
        self.links = text("", "dp-exports")
        self.count = 0
        self.view = column(text("<h4>Runs so far</h4>"), self.rows, self.links, classes=("dp-section", "dp-runs"))
        self._show()

    def add(self, config: Any, result: Result, seconds: float, about: str) -> Run:
        self.count += 1
        run = Run(self.count, config, result, seconds, about)
        self.runs = [run, *self.runs][: self.most]
        self._show()
        return run

    def remove(self, run: Run) -> None:
        self.runs = [other for other in self.runs if other is not run]
        self._show()
        self.on_choice(self.compared())

    def compared(self) -> list[Run]:
        return [run for run in self.runs if run.compared]

    def _show(self) -> None:
        if not self.runs:
            self.rows.children = [text('<span class="dp-soft">None yet. Each run you make is listed here.</span>')]
            self.links.value = ""
            return
        self.rows.children = [self._row(run) for run in self.runs]
        table = data_uri(runs_csv(self.runs).encode(), "text/csv")
        self.links.value = "<small>All runs: </small>" + download_html("table (CSV)", "dpmia_lab_runs.csv", table)

    def _row(self, run: Run) -> widgets.Box:
        compare = widgets.Checkbox(value=run.compared, description="compare", indent=False)
        on_change(with_classes(compare, "dp-check"), lambda chosen: self._choose(run, chosen))
        remove = button("Remove", lambda: self.remove(run), "dp-small", tooltip=f"Remove run {run.number}")
        settings = data_uri(json.dumps(as_dict(run.config), indent=1).encode(), "application/json")
        keep = download_html("settings (JSON)", f"dpmia_lab_run_{run.number}.json", settings)
        words = text(f"<b>Run {run.number}</b> {self.summary(run)}<br><small>{escape(run.about)} · {keep}</small>")
        return with_classes(widgets.HBox([words, row(compare, remove)]), "dp-run")

    def _choose(self, run: Run, compared: bool) -> None:
        run.compared = compared
        self.on_choice(self.compared())


def runs_csv(runs: list[Run]) -> str:
    """A line a run: every setting, then every number."""
    lines = [{"run": r.number, **as_dict(r.config), **r.result.numbers, "seconds": r.seconds} for r in runs]
    names = list(dict.fromkeys(name for line in lines for name in line))
    out = io.StringIO()
    writer = csv.DictWriter(out, names)
    writer.writeheader()
    writer.writerows(reversed(lines))
    return out.getvalue()

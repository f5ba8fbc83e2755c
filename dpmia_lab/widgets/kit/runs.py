"""The reader's runs: compared, removed, exported, and kept for the next visit."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from dpmia_lab.options import as_dict
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.parts import button, column, download_html, on_change, row, text, with_classes
from dpmia_lab.widgets.kit.pictures import data_uri


@dataclass
class Run:
    number: int
    config: Any
    result: Result
    seconds: float
    about: str  # where and how it was computed, in words
    compared: bool = False
    kept: bool = False  # comes back when the page is opened again
    passing: bool = False  # made while a slider moved: the next run takes its place, unless it was kept or compared

    @property
    def key(self) -> str:
        """What it is called, and what a click on its point in a chart opens."""
        return f"run {self.number}"


class RunTable:
    """One row a run, newest first; ``summary(run)`` is its line, ``on_choice`` hears of every choice made.

    Of more than ``most`` runs the oldest that are not kept go.
    """

    def __init__(self, summary: Callable[[Run], str], on_choice: Callable[[], None], most: int = 12) -> None:
        self.summary, self.on_choice, self.most = summary, on_choice, most
        self.runs: list[Run] = []
        self.rows = column()
        self.links = text("", "dp-exports")
        self.count = 0
        self.view = column(text("<h4>Runs so far</h4>"), self.rows, self.links, classes=("dp-section", "dp-runs"))
        self._show()

    def add(
        self, config: Any, result: Result, seconds: float, about: str, kept: bool = False, passing: bool = False
    ) -> Run:
        if self.runs and self.runs[0].passing and not (self.runs[0].kept or self.runs[0].compared):
            self.runs = self.runs[1:]
        else:
            self.count += 1
        run = Run(self.count, config, result, seconds, about, kept=kept, passing=passing)
        self.runs = [run, *self.runs]
        if len(self.runs) > self.most:
            self.runs.remove(next((old for old in self.runs[:0:-1] if not old.kept), self.runs[-1]))
            self.on_choice()
        self._show()
        return run

    def remove(self, run: Run) -> None:
        self.runs = [other for other in self.runs if other is not run]
        self._show()
        self.on_choice()

    def _show(self) -> None:
        if not self.runs:
            self.rows.children = [text('<span class="dp-soft">None yet. Each run you make is listed here.</span>')]
            self.links.value = ""
            return
        self.rows.children = [self._row(run) for run in self.runs]
        table = data_uri(runs_csv(self.runs).encode(), "text/csv")
        self.links.value = "<small>All runs: </small>" + download_html("table (CSV)", "dpmia_lab_runs.csv", table)

    def _row(self, run: Run) -> widgets.Box:
        boxes = [self._box(run, "compared", "compare"), self._box(run, "kept", "keep")]
        remove = button("Remove", lambda: self.remove(run), "dp-small", tooltip=f"Remove run {run.number}")
        settings = data_uri(json.dumps(settings_of(run), indent=1).encode(), "application/json")
        export = download_html("settings (JSON)", f"dpmia_lab_run_{run.number}.json", settings)
        words = text(f"<b>Run {run.number}</b> {self.summary(run)}<br><small>{escape(run.about)} · {export}</small>")
        return with_classes(widgets.HBox([words, row(*boxes, remove)]), "dp-run")

    def _box(self, run: Run, choice: str, label: str) -> widgets.Checkbox:
        box = with_classes(
            widgets.Checkbox(value=getattr(run, choice), description=label, indent=False), "dp-check", f"dp-{label}"
        )

        def chosen(value: bool) -> None:
            setattr(run, choice, value)
            self.on_choice()

        on_change(box, chosen)
        return box


def settings_of(run: Run) -> dict[str, Any]:
    """The run's settings; of an uploaded file its name, not where the server keeps it."""
    return {**as_dict(run.config), "data": Path(run.config.data).name}


def runs_csv(runs: list[Run]) -> str:
    """A line a run: every setting, then every number."""
    lines = [{"run": r.number, **settings_of(r), **r.result.numbers, "seconds": r.seconds} for r in runs]
    names = list(dict.fromkeys(name for line in lines for name in line))
    out = io.StringIO()
    writer = csv.DictWriter(out, names)
    writer.writeheader()
    writer.writerows(reversed(lines))
    return out.getvalue()

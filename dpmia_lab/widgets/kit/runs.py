"""The reader's runs: compared, removed, exported, and kept for the next visit."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Any

import ipywidgets as widgets

from dpmia_lab.options import as_dict
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.parts import button, column, download_html, on_change, row, text, with_classes
from dpmia_lab.widgets.kit.pictures import data_uri
from dpmia_lab.words.said import heard, marked, said


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class Run:
    number: int
    config: Any
    result: Result
    seconds: float
    about: str  # where and how it was computed, in English words: they are stored
    compared: bool = False
    kept: bool = False  # comes back when the page is opened again
    passing: bool = False  # made while a slider moved: the next run takes its place, unless it was kept or compared
    at: str = field(default_factory=now)  # when it was made, or shown again on this page

    @property
    def key(self) -> str:
        """What it is called, and what a click on its point in a chart opens."""
        return f"run {self.number}"

    @property
    def makes_way(self) -> bool:
        """For the next run."""
        return self.passing and not (self.kept or self.compared)


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
        title = text(f"<h4>{said('Runs so far')}</h4>")
        self.view = column(title, self.rows, self.links, classes=("dp-section", "dp-runs"))
        self._show()

    def add(
        self, config: Any, result: Result, seconds: float, about: str, kept: bool = False, passing: bool = False
    ) -> Run:
        if self.runs and self.runs[0].makes_way:
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
            none = said("None yet. Each run you make is listed here.")
            self.rows.children = [text(f'<span class="dp-soft">{none}</span>')]
            self.links.value = ""
            return
        self.rows.children = [self._row(run) for run in self.runs]
        table = data_uri(runs_csv(self.runs).encode(), "text/csv")
        link = download_html(said("table (CSV)"), "dpmia_lab_runs.csv", table)
        self.links.value = f"<small>{said('All runs:')} </small>{link}"

    def _row(self, run: Run) -> widgets.Box:
        boxes = [self._box(run, "compared", marked("compare")), self._box(run, "kept", marked("keep"))]
        tooltip = said("Remove run {number}", number=run.number)
        remove = button(said("Remove"), lambda: self.remove(run), "dp-small", tooltip=tooltip)
        settings = data_uri(json.dumps(settings_of(run), indent=1).encode(), "application/json")
        export = download_html(said("settings (JSON)"), f"dpmia_lab_run_{run.number}.json", settings)
        title, about = said("Run {number}", number=run.number), escape(heard(run.about))
        words = text(f"<b>{title}</b> {self.summary(run)}<br><small>{about} · {export}</small>")
        return with_classes(light.HBox([words, row(*boxes, remove)]), "dp-run")

    def _box(self, run: Run, choice: str, label: str) -> widgets.Checkbox:
        made = light.Checkbox(value=getattr(run, choice), description=said(label), indent=False)
        box = with_classes(made, "dp-check", f"dp-{label}")

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

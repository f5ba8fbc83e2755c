"""A panel around one experiment: settings, Run and Stop, what came out, the runs so far, a link that restores it all.

Each lesson gives it an experiment, controls and a view; nothing here knows what is computed.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.data import catalogue
from dpmia_lab.data.cache import cache_folder
from dpmia_lab.options import changed_from, text_of
from dpmia_lab.stages import Event, Stage
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.kit.charts import ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import Controls, Reason, choice, field
from dpmia_lab.widgets.kit.links import config_or_default, page_query, query_of
from dpmia_lab.widgets.kit.opening import load
from dpmia_lab.widgets.kit.parts import error_html, on_change, text, with_classes
from dpmia_lab.widgets.kit.runs import Run, RunTable
from dpmia_lab.widgets.kit.stage_run import StageRun


class Results(Protocol):
    """What a lesson shows of a run."""

    view: widgets.Widget
    config: Any  # of the run that is shown
    charts: list[ChartPlace]  # drawn anew when the page's width changes

    def started(self, config: Any) -> None: ...  # a run begins

    def happened(self, event: Event) -> None: ...  # while it goes on

    def show(self, result: Result) -> None: ...  # when it is done


@dataclass(frozen=True)
class Words:
    """What a panel calls things."""

    run: str  # the button
    presets: dict[str, str]  # name of a preset → words
    summary: Callable[[Run], str]  # one line that tells two runs apart
    compared: Callable[[list[Run]], str]  # runs side by side, as HTML


class ExperimentPanel:
    """``table.runs`` and ``last`` are what tasks look at; ``listeners`` are called with every finished run.

    ``view`` is the panel on the page, ``results`` the part of it that shows a run.
    ``query``: settings as in a link; those of the page's address if None.
    ``sets``: the data offered, as (words, name); the pictures of the catalogue if None.
    """

    plots = ""  # a module that takes long to load: a run's thread loads it, so that the page's own need not

    def __init__(
        self,
        name: str,
        experiment: ModuleType,
        results: Results,
        controls: Callable[[list[tuple[str, str]]], dict[str, widgets.ValueWidget]],
        reasons: dict[str, Reason],
        words: Words,
        query: str | None = None,
        store: Store | None = None,
        sets: list[tuple[str, str]] | None = None,
    ) -> None:
        self.name, self.experiment, self.results, self.words = name, experiment, results, words
        self.store = store or Store(cache_folder() / "results")
        self.last: Run | None = None
        self.listeners: list[Callable[[Run], None]] = []
        loading = "loading PyTorch and matplotlib" if self.plots else "loading PyTorch"
        self.work = StageRun(self.begin, self.done, self.happened, self.nothing_came, words.run, loading)
        self.bar, self.problem = self.work.bar, self.work.problem
        self.stale = text("", "dp-stale-place")
        self.link, self.compared = text("", "dp-link"), text("", "dp-compared")
        self.table = RunTable(words.summary, self.chosen)
        self.kept, self.recalled = text(), with_classes(widgets.Text(), "dp-recall", "dp-hidden")
        on_change(self.recalled, self.recall)
        sets = sets or [(entry.title, entry.name) for entry in catalogue() if entry.available]
        self.data_names = tuple(name for _, name in sets)
        self.controls = Controls(self.config, controls(sets), reasons, self.changed)
        presets = [(words.presets[preset], preset) for preset in experiment.PRESETS]
        self.preset = field(choice("start from", [("settings of your own", ""), *presets]), "preset")
        self.width = width_for(*results.charts)
        self.view = self.layout()
        query = page_query() if query is None else query
        start, complaint = config_or_default(query, experiment, self.data_names)
        self.set(start)
        on_change(self.preset, lambda preset: self.set(experiment.PRESETS[preset]) if preset else None)
        self.problem.value = error_html(complaint)

    def layout(self) -> widgets.VBox:
        raise NotImplementedError

    def footer(self) -> list[widgets.Widget]:
        """What stands below the results: the runs, the link, and what the page's script reads and writes."""
        return [self.table.view, self.compared, self.link, self.width, self.kept, self.recalled]

    # ---- settings
    def set(self, config: Any) -> None:
        self.base = config  # also what has no control of its own
        self.controls.set(config)

    def config(self, **values) -> Any:
        return replace(self.base, **values)

    def changed(self) -> None:
        """Some control moved: nothing is computed, but what is shown may no longer be what is set."""
        self.problem.value = ""
        try:
            config = self.controls.config()
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        self.show_settings(config)

    def show_settings(self, config: Any) -> None:
        presets = self.experiment.PRESETS.items()
        self.preset.value = next((name for name, preset in presets if preset == config), "")
        self._show_link(config)
        self._mark_stale(config)

    def _mark_stale(self, config: Any) -> None:
        different = changed_from(config, self.last.config) if self.last else {}
        if not different or self.work.running:
            self.stale.value = ""
            self.view.remove_class("dp-is-stale")
            return
        was = ", ".join(f"{self._words(name)} = {self._shown(name)}" for name in different)
        self.stale.value = (
            f'<div class="dp-stale" role="status">What you see is for {was}. '
            f"Press <b>{self.bar.run.description}</b> to see your new settings.</div>"
        )
        self.view.add_class("dp-is-stale")

    def _words(self, name: str) -> str:
        return escape(self.controls.made[name].description if name in self.controls.made else name)

    def _shown(self, name: str) -> str:
        """The last run's value of a setting; of a file, its name only."""
        value = getattr(self.last.config, name)
        return escape(Path(value).name if name == "data" else text_of(value))

    def _show_link(self, config: Any) -> None:
        if self.is_upload(config):
            self.link.value = '<small class="dp-soft">A link cannot carry your own file.</small>'
            return
        query = escape(query_of(config, self.experiment))
        self.link.value = (
            f'<div class="dp-section"><small>These settings as a link: <a href="{query}" data-lab-link="{query}">'
            f'{query}</a></small> <button class="dp-small" data-lab-copy="{query}">Copy link</button></div>'
        )

    def is_upload(self, config: Any) -> bool:
        """Whether the data are the visitor's own file, which is kept nowhere."""
        return False

    # ---- running
    def begin(self) -> Stage[tuple[Any, Result, str]] | None:
        """The run that the controls ask for; None if it was computed before, and is shown already."""
        config = self.controls.config()
        kept = self.store.get(self.name, vars(config))
        if kept is not None:
            result, record = kept
            self.finished(config, result, record["seconds"], f"recalled; computed before, {record['device']}")
            return None
        self.results.started(config)
        self.stale.value = ""
        self.view.remove_class("dp-is-stale")
        self.view.add_class("dp-is-running")
        return self.stage(config)

    def stage(self, config: Any) -> Stage[tuple[Any, Result, str]]:
        """The experiment; its result is also stored, so that the same settings come back at once."""
        from dpmia_lab.devices import best_device, described

        if self.plots:
            load(self.plots)
        start = time.monotonic()
        result = yield from self.experiment.run(config)
        seconds = round(time.monotonic() - start, 2)
        device = described(best_device())
        if not self.is_upload(config):
            try:
                self.store.put(self.name, vars(config), result, {"seconds": seconds, "device": device})
            except OSError:
                pass  # a full disk costs the convenience, not the result
        return config, result, device

    def happened(self, events: list[Event]) -> None:
        for event in events:
            self.results.happened(event)

    def done(self, outcome: tuple[Any, Result, str]) -> None:
        config, result, device = outcome
        self.view.remove_class("dp-is-running")
        self.finished(config, result, self.work.seconds, f"{self.work.seconds:.1f} s, {device}")

    def nothing_came(self) -> None:
        """Stopped or failed: what was shown before comes back, and is marked if it is stale."""
        self.view.remove_class("dp-is-running")
        if self.last is not None:
            self.results.config = self.last.config
            self.results.show(self.last.result)
        self.changed()

    def finished(self, config: Any, result: Result, seconds: float, about: str) -> None:
        again = next((run for run in self.table.runs if run.config == config), None)
        self.results.config = config
        self.last = again or self.table.add(config, result, seconds, about)
        self.results.show(result)
        self.bar.idle(escape(about))
        self.changed()
        for listener in self.listeners:
            listener(self.last)

    # ---- the runs so far
    def chosen(self) -> None:
        """Some run was ticked or removed: compare the ticked ones, and let the browser remember the kept."""
        self.compared.value = self.words.compared([run for run in self.table.runs if run.compared])
        kept = [run.config for run in self.table.runs if run.kept and not self.is_upload(run.config)]
        links = json.dumps([query_of(config, self.experiment) for config in kept[::-1]])
        self.kept.value = f'<span data-lab-kept="{escape(links)}"></span>'

    def recall(self, links: str) -> None:
        """The runs this browser kept on an earlier visit, where the store still has them."""
        for link in json.loads(links)[: self.table.most]:
            config, complaint = config_or_default(link.removeprefix("?"), self.experiment, self.data_names)
            stored = None if complaint else self.store.get(self.name, vars(config))
            if stored is not None:
                result, record = stored
                about = f"kept; computed before, {record['device']}"
                self.table.add(config, result, record["seconds"], about, kept=True)
        self.chosen()

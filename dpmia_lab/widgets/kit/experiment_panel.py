"""A panel around one experiment: settings, Run and Stop, what came out, the runs so far, a link that restores it all.

Each lesson gives it an experiment, controls and a view; nothing here knows what is computed.
"""

import contextlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.cost import duration_words, page_budget
from dpmia_lab.data import catalogue
from dpmia_lab.data.cache import cache_folder
from dpmia_lab.experiments.costs import check_affordable, cost_of
from dpmia_lab.machine import yardstick
from dpmia_lab.options import changed_from, text_of
from dpmia_lab.own_code import refuse_own_model
from dpmia_lab.reference.shipped_runs import shipped_record, shipped_run
from dpmia_lab.stages import Event, Stage
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.charts import ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import Controls, Reason, choice, field
from dpmia_lab.widgets.kit.links import config_or_default, page_query, query_of
from dpmia_lab.widgets.kit.opening import load
from dpmia_lab.widgets.kit.parts import column, error_html, on_change, panel, text, with_classes
from dpmia_lab.widgets.kit.runs import Run, RunTable
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.widgets.kit.work import WORK
from dpmia_lab.words.said import heard, local, marked, said


class Results(Protocol):
    """What a lesson shows of a run: ``picture`` beside the controls that change it, ``details`` below."""

    picture: widgets.Widget
    details: widgets.Widget
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

    ``view`` is the panel on the page, ``results`` the part of it that shows a run: one of the reader's own, or, until
    there is one, the run that ships with the lab for these settings. ``shown`` is the configuration of either.
    ``query``: settings as in a link; those of the page's address if None.
    ``sets``: the data offered, as (words, name); the pictures of the catalogue if None.

    A lesson says which few controls stand beside the picture (``main``), which are folded away (``more``), and which
    settings are quick enough that moving a slider is running (``is_quick``).
    """

    plots = ""  # a module that takes long to load: a run's thread loads it, so that the page's own need not
    presets_are = marked("start from")
    place = ""  # the class of its card

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
        self.shown: Any = None
        self.under_way: Any = None
        self.is_up = False
        self.by_slider, self.passing = False, False  # the next run is one that a slider asks for; this one is
        self.listeners: list[Callable[[Run], None]] = [partial(WORK.ran, name)]
        loading = "loading PyTorch and matplotlib" if self.plots else "loading PyTorch"
        self.work = StageRun(self.begin, self.done, self.happened, self.nothing_came, said(words.run), loading)
        self.bar, self.problem = self.work.bar, self.work.problem
        self.stale, self.duration = text("", "dp-stale-place"), text("", "dp-duration")
        self.verdict = column(classes=("dp-verdict",))
        self.link, self.compared = text("", "dp-link"), text("", "dp-compared")
        self.table = RunTable(words.summary, self.chosen)
        self.kept, self.recalled = text(), with_classes(light.Text(), "dp-recall", "dp-hidden")
        on_change(self.recalled, self.recall)
        sets = sets or [(heard(entry.title), entry.name) for entry in catalogue() if entry.available]
        self.data_names = tuple(name for _, name in sets)
        self.controls = Controls(self.config, controls(sets), reasons, self.changed)
        presets = [(said(words.presets[preset]), preset) for preset in experiment.PRESETS]
        self.preset = field(choice(said(self.presets_are), [(said("settings of your own"), ""), *presets]), "preset")
        self.width = width_for(*results.charts)
        for chart in results.charts:
            chart.on_pick = chart.on_pick or self.open_run
        self.view = self.layout()
        query = page_query() if query is None else query
        start, complaint = config_or_default(query, experiment, self.data_names)
        self.show_shipped(start) or self.show_shipped(next(iter(experiment.PRESETS.values())))
        self.set(start)
        self.is_up = True
        on_change(self.preset, lambda preset: self.set(experiment.PRESETS[preset]) if preset else None)
        on_change(self.bar.live, lambda _: self.changed())
        self.problem.value = error_html(complaint)

    # ---- what a lesson lays out
    def main(self) -> list[widgets.Widget]:
        """The three or four controls that matter."""
        raise NotImplementedError

    def more(self) -> list[widgets.Widget]:
        """All others, under headings."""
        raise NotImplementedError

    def is_quick(self, config: Any) -> bool:
        """Whether such a run takes so little (two seconds at most) that it may follow a slider."""
        return False

    def layout(self) -> widgets.VBox:
        return panel(
            self.place,
            controls=[self.preset, self.duration, *self.main()],
            run=[self.bar, self.problem, self.verdict],
            more=[*self.more(), self.controls.absent],
            picture=[self.stale, self.results.picture],
            details=[self.results.details, *self.footer()],
        )

    def footer(self) -> list[widgets.Widget]:
        """What stands below the results: the runs, the link, and what the page's script reads and writes."""
        return [self.table.view, self.compared, self.link, self.width, self.kept, self.recalled]

    def answers(self, outcome: widgets.Widget) -> None:
        """The answer to the reader's prediction stands beside the result too."""
        self.verdict.children = [outcome]

    # ---- settings
    def set(self, config: Any) -> None:
        self.base = config  # also what has no control of its own
        self.controls.set(config)

    def config(self, **values) -> Any:
        config = replace(self.base, **values)
        refuse_own_model(config)  # a page must not run code of whoever visits it
        return config

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
        self._show_duration(config)
        self.bar.offer_live(self.is_quick(config))
        if self.is_up and config != self.aim:
            if self.is_quick(config) and self.bar.live.value:
                self.by_slider = True
                self.work.restart()
            elif self.preset.value and not self.work.running:
                self.show_shipped(config)
        self._mark_stale(config)

    @property
    def aim(self) -> Any:
        """The configuration that is on screen, or will be once the run under way is done."""
        return self.under_way if self.work.running else self.shown

    @property
    def is_live(self) -> bool:
        """Whether the run under way, or the next one, is one that a slider asked for."""
        try:
            return self.bar.live.value and self.is_quick(self.controls.config())
        except Mistake:
            return False

    def _mark_stale(self, config: Any) -> None:
        different = changed_from(config, self.shown) if self.shown else {}
        if not different or self.work.running or self.is_live:
            self.stale.value = self.shipped_words() if not different else ""
            self.view.remove_class("dp-is-stale")
            return
        was = ", ".join(f"{self._words(name)} = {self._shown(name)}" for name in different)
        words = said(
            "What you see is for {was}. Press <b>{run}</b> to see your new settings.",
            was=was,
            run=self.bar.run.description,
        )
        self.stale.value = f'<div class="dp-stale" role="status">{words}</div>'
        self.view.add_class("dp-is-stale")

    # ---- what ships with the lab
    def show_shipped(self, config: Any) -> bool:
        """The run that ships for these settings, if there is one; it is not the reader's, so no task counts it."""
        found = shipped_run(self.name, config)
        if found is None:
            return False
        result, self.shipped = found
        self.shown = self.results.config = config
        self.results.show(result)
        return True

    def shipped_words(self) -> str:
        """Said of a result that nobody has computed here yet."""
        if self.shown is None or (self.last is not None and self.last.config == self.shown):
            return ""
        words = said(
            "Shipped with the lab: computed beforehand with exactly these settings. <b>{run}</b> computes it here.",
            run=self.bar.run.description,
        )
        return f'<div class="dp-shipped" role="status">{words}</div>'

    def _show_duration(self, config: Any) -> None:
        """How long such a run takes: as it took here, or elsewhere, by the speed of this machine; or by its size."""
        cost = cost_of(self.name, config)
        words = said("Roughly {time} on this machine.", time=duration_words(cost.seconds_here))
        if (took := self.store.seconds(self.name, vars(config))) is not None:
            words = said("It took {time} on this machine.", time=duration_words(took))
        elif (record := shipped_record(self.name, config)) is not None:
            here = record["seconds"] * yardstick() / record["yardstick"]
            words = said("About {time} on this machine.", time=duration_words(here))
        elif not page_budget().allows(cost):
            words = said("It would take {cost}, more than a page may take here.", cost=cost.words())
        self.duration.value = f"<small>{words}</small>"

    def _words(self, name: str) -> str:
        return escape(self._called(name))

    def _called(self, name: str) -> str:
        return self.controls.made[name].description if name in self.controls.made else name

    def _shown(self, name: str) -> str:
        """The shown run's value of a setting; of a file, its name only."""
        value = getattr(self.shown, name)
        return escape(Path(value).name if name == "data" else local(text_of(value)))

    def _show_link(self, config: Any) -> None:
        if self.is_upload(config):
            self.link.value = f'<small class="dp-soft">{said("A link cannot carry your own file.")}</small>'
            return
        query = escape(query_of(config, self.experiment))
        words = said("These settings as a link:")
        self.link.value = (
            f'<div class="dp-section"><small>{words} <a href="{query}" data-lab-link="{query}">'
            f'{query}</a></small> <button class="dp-small" data-lab-copy="{query}">{said("Copy link")}</button></div>'
        )

    def is_upload(self, config: Any) -> bool:
        """Whether the data are the visitor's own file, which is kept nowhere."""
        return False

    # ---- running
    def begin(self) -> Stage[tuple[Any, Result, str]] | None:
        """The run that the controls ask for; None if it was computed before, and is shown already."""
        self.passing, self.by_slider = self.by_slider, False
        config = self.controls.config()
        kept = self.store.get(self.name, vars(config))
        if kept is not None:
            result, record = kept
            self.finished(config, result, record["seconds"], f"recalled; computed before, {record['device']}")
            return None
        check_affordable(self.name, config, called=self._called)
        self.under_way = config
        self.results.started(config)
        self.stale.value = ""
        self.view.remove_class("dp-is-stale")
        if not self.passing:  # where pictures follow a slider, nothing may flicker
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
        if not (self.is_upload(config) or self.passing):
            self.put(config, result, {"seconds": seconds, "device": device})
        return config, result, device

    def put(self, config: Any, result: Result, about: dict) -> None:
        with contextlib.suppress(OSError):  # a full disk costs the convenience, not the result
            self.store.put(self.name, vars(config), result, about)

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
            self.shown = self.results.config = self.last.config
            self.results.show(self.last.result)
        elif self.shown is not None:
            self.show_shipped(self.shown)
        self.changed()

    def finished(self, config: Any, result: Result, seconds: float, about: str) -> None:
        again = next((run for run in self.table.runs if run.config == config), None)
        self.shown = self.results.config = config
        self.last = again or self.table.add(config, result, seconds, about, passing=self.passing)
        self.last.passing &= self.passing
        self.results.show(result)
        self.bar.idle(escape(heard(about)))
        self.changed()
        for listener in self.listeners:
            listener(self.last)

    # ---- the runs so far
    def open_run(self, key: str) -> None:
        """A point of a chart was clicked: its run is shown again, with its settings."""
        run = next((run for run in self.table.runs if run.key == key), None)
        if run is not None and not self.work.running:
            self.shown, self.passing = run.config, run.passing  # so that no live run starts
            self.set(run.config)
            self.finished(run.config, run.result, run.seconds, f"run {run.number} again; {run.about}")

    def chosen(self) -> None:
        """Some run was ticked or removed: compare the ticked ones, and let the browser remember the kept."""
        self.compared.value = self.words.compared([run for run in self.table.runs if run.compared])
        kept = [run for run in self.table.runs if run.kept and not self.is_upload(run.config)]
        for run in kept:
            if self.store.get(self.name, vars(run.config)) is None:  # one that a slider asked for
                self.put(run.config, run.result, {"seconds": run.seconds, "device": run.about})
        links = json.dumps([query_of(run.config, self.experiment) for run in kept[::-1]])
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

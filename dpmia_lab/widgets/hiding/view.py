"""What a run of lesson 3 came to: the same people under four models and two attackers; promises and leaks."""

from html import escape

import numpy as np

from dpmia_lab.experiments.hiding import ATTACKERS, MODELS, Config, called
from dpmia_lab.metrics.reconstruction import stretched_pictures
from dpmia_lab.stages import Event, Progress, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.hiding.controls import CHARTED
from dpmia_lab.widgets.hiding.pictures import row_html
from dpmia_lab.widgets.hiding.words import (
    attacker_words,
    matched_html,
    measures_html,
    model_words,
    models_html,
    published_html,
    who_hid_more_words,
)
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.controls import choice, field, swapped
from dpmia_lab.widgets.kit.parts import column, download_html, fold, on_change, text
from dpmia_lab.widgets.kit.pictures import AT_ONCE, data_uri, pages, sheet

TRIES = 4  # of the search for σ are shown at a time
SEARCH = "looking for σ"
TRUTH = "training pictures"


class HidingView:
    """Shows a run while it happens and when it is done; ``config`` is the finished run's."""

    def __init__(self) -> None:
        self.result: Result | None = None
        self.config: Config | None = None
        self.attackers = attacker_words(Config())  # of the run that is shown, or under way
        self.live: dict[str, np.ndarray] = {}  # pictures, called as in a result
        self.tries: list[str] = []
        self.stretch = field(
            light.Checkbox(value=True, description="stretch contrast", indent=False), "stretch"
        )
        self.which = field(light.SelectionSlider(options=[("1–10", 0)], description="which ones"), "which")
        self.rows = text("", "dp-fades", "dp-model-rows")
        self.search = text("", "dp-search")
        viewing = light.HBox([self.which, self.stretch])
        viewing.add_class("dp-viewing")
        self.picture = column(self.rows, viewing, self.search)
        self.verdict, self.table = text("", "dp-fades", "dp-who"), text("", "dp-fades", "dp-results-numbers")
        self.measures, self.published = text("", "dp-fades"), text("", "dp-published")
        self.measure = field(choice("measure", swapped(CHARTED)), "measure")
        self.charts = [self.chart_of(attacker) for attacker in ATTACKERS]
        self.heads = {attacker: text("") for attacker in ATTACKERS}
        on_change(self.stretch, lambda _: self.draw_rows())
        on_change(self.which, lambda _: self.draw_rows())
        on_change(self.measure, lambda _: self.draw_charts())
        by_class = [
            part
            for attacker, chart in zip(ATTACKERS, self.charts, strict=True)
            for part in (self.heads[attacker], chart.view, chart.exports)
        ]
        self.details = column(
            column(text("<h3>Promise and leak of each model</h3>"), self.verdict, self.table, classes=("dp-section",)),
            fold("For experts: every measure", self.measures),
            fold("For experts: class by class", self.measure, *by_class),
            fold("For experts: beside the published figures", self.published),
        )
        self.draw_rows()

    def chart_of(self, attacker: str) -> ChartPlace:
        keep = f"dpmia_lab_chart_{attacker}.png"
        return ChartPlace(
            lambda width: self.drawn(width, attacker), "dpmia_lab.plots.hiding", "dp-fades",
            keep=keep, others=lambda: self.kept_pictures(attacker), on_pick=self.turn_to,
        )  # fmt: skip

    # ---- while the run goes on
    def started(self, config: Config) -> None:
        """What is shown stays until there is more."""
        self.attackers = attacker_words(config)

    def happened(self, event: Event) -> None:
        if isinstance(event, Snapshot):
            self.live[event.name] = event.array
            if event.name == "truth":
                self.begin(event.array)
            self.draw_rows()
        elif isinstance(event, Progress) and event.label.startswith(SEARCH):
            self.note_try(event.label)

    def begin(self, truth: np.ndarray) -> None:
        """The numbers of an earlier run stay, faded, so that nothing below jumps."""
        self.result, self.live, self.tries = None, {"truth": truth}, []
        self.search.value = '<div class="dp-tries">First a model without defence is trained and attacked.</div>'
        self.which.options = pages(len(truth))
        self.which.disabled = True

    def note_try(self, label: str) -> None:
        if self.tries[-1:] != [label]:
            self.tries = [*self.tries, label]
            lines = "<br>".join(escape(words) for words in self.tries[-TRIES:])
            self.search.value = f'<div class="dp-tries">{lines}</div>'

    # ---- when it is done
    def show(self, result: Result) -> None:
        self.result, self.live = result, dict(result.arrays)
        self.attackers = attacker_words(self.config)
        for attacker, head in self.heads.items():
            head.value = f"<h4>{self.attackers[attacker]}</h4>"
        self.which.disabled = False
        there = pages(len(self.live["truth"]))
        if list(self.which.options) != there:
            self.which.options = there
        self.search.value = matched_html(result.rows, self.config)
        said = [f"<p>{who_hid_more_words(result, self.config, attacker)}</p>" for attacker in reversed(ATTACKERS)]
        self.verdict.value = "".join(said)
        self.table.value = models_html(result, self.config)
        self.measures.value = measures_html(result, self.config)
        self.published.value = published_html(result.rows, self.config)
        self.draw_rows()
        self.draw_charts()

    def draw_charts(self) -> None:
        for chart in self.charts:
            chart.redraw()

    def draw_rows(self) -> None:
        """A column an attacker, a row a model: what one could not draw stands beside what the other did."""
        shown = slice(self.which.value, self.which.value + AT_ONCE)
        words = model_words(self.config) if self.result is not None else MODELS
        columns = []
        for attacker in ATTACKERS:
            lines = [row_html(TRUTH, self._pictures("truth", shown))]
            for model in MODELS:
                drawn = self._pictures(called("picture", model, attacker), shown)
                lines.append(row_html(self._label(model, words[model], attacker), drawn, f"dp-row-{model}"))
            columns.append(f'<div class="dp-by-{attacker}"><b>{self.attackers[attacker]}</b>{"".join(lines)}</div>')
        self.rows.value = f'<div class="dp-two-attackers">{"".join(columns)}</div>'

    def _pictures(self, name: str, shown: slice) -> np.ndarray | None:
        x = self.live.get(name)
        if x is None:
            return None
        return stretched_pictures(x[shown]) if self.stretch.value and name != "truth" else x[shown]

    def _label(self, model: str, words: str, attacker: str) -> str:
        if self.result is None:
            return words
        share = self.result.rows.value("recognised_mean", defence=model, attack=attacker)
        return f"{words}: {share:.0%} recognised"

    def turn_to(self, person: str) -> None:
        """A person's mark was clicked: their pictures are among those shown, if they are here (not all ship)."""
        page = int(person) // AT_ONCE * AT_ONCE
        if page in [first for _, first in self.which.options]:
            self.which.value = page

    def drawn(self, width: int, attacker: str) -> Chart | None:
        if self.result is None:
            return None
        from dpmia_lab.plots.hiding import BASELINES, MARKS, models_chart

        arrays, measure = self.result.arrays, self.measure.value
        models = {model: arrays[called(measure, model, attacker)] for model in MARKS}
        baselines = {name: arrays[called(measure, attacker=name)] for name in BASELINES}
        names = [str(name) for name in arrays["names"]]
        return models_chart(measure, models, baselines, names, model_words(self.config), width)

    def kept_pictures(self, attacker: str) -> list[str]:
        arrays = self.result.arrays
        rows = [arrays["truth"], *(arrays[called("picture", model, attacker)] for model in MODELS)]
        return [download_html("all pictures (PNG)", "dpmia_lab_pictures.png", data_uri(sheet(rows, zoom=2)))]

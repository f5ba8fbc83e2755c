"""What a run of lesson 3 came to: the same people under four models, promises and leaks in a table, class by class."""

from html import escape

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.hiding import MODELS, Config, called
from dpmia_lab.stages import Event, Progress, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.hiding.controls import CHARTED
from dpmia_lab.widgets.hiding.words import (
    ATTACKER_WORDS,
    matched_html,
    model_words,
    models_html,
    published_html,
    who_hid_more_words,
)
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.controls import choice, field, swapped
from dpmia_lab.widgets.kit.parts import column, download_html, on_change, text
from dpmia_lab.widgets.kit.pictures import AT_ONCE, data_uri, pages, picture_html, sheet

TRIES = 4  # of the search for σ are shown at a time
SEARCH = "looking for σ"


class HidingView:
    """Shows a run while it happens and when it is done; ``config`` is the finished run's."""

    def __init__(self) -> None:
        self.result: Result | None = None
        self.config: Config | None = None
        self.live: dict[str, np.ndarray] = {}  # pictures, called as in a result
        self.tries: list[str] = []
        self.attacker = field(choice("attacker", swapped(ATTACKER_WORDS)), "attacker")
        stretch = "stretch contrast, so that faint drawings show"
        self.stretch = field(widgets.Checkbox(value=True, description=stretch, indent=False), "stretch")
        self.which = field(widgets.SelectionSlider(options=[("1–10", 0)], description="which ones"), "which")
        self.rows = text("", "dp-fades", "dp-model-rows")
        self.search = text("", "dp-search")
        self.verdict, self.table = text("", "dp-fades"), text("", "dp-fades", "dp-results-numbers")
        self.measure = field(choice("measure", swapped(CHARTED)), "measure")
        self.chart = ChartPlace(
            self.drawn, "dpmia_lab.plots.hiding", "dp-fades", "dp-chart",
            keep="dpmia_lab_chart.png", others=self.kept_pictures,
        )  # fmt: skip
        self.charts = [self.chart]
        self.published = text("", "dp-published")
        on_change(self.attacker, lambda _: self.attacker_chosen())
        on_change(self.stretch, lambda _: self.draw_rows())
        on_change(self.which, lambda _: self.draw_rows())
        on_change(self.measure, lambda _: self.chart.redraw())
        by_class = [self.measure, self.chart.view, self.chart.exports]
        self.details = column(
            column(text("<h4>Promise and leak of each model</h4>"), self.verdict, self.table, classes=("dp-section",)),
            column(text("<h4>Class by class</h4>"), *by_class, classes=("dp-section",)),
            column(text("<h4>Beside the published figures</h4>"), self.published, classes=("dp-section",)),
        )
        self.details.layout.display = "none"
        self.view = column(self.attacker, self.rows, self.search, self.which, self.stretch, self.details)
        self.draw_rows()

    # ---- while the run goes on
    def started(self, config: Config) -> None:
        """What is shown stays until there is more."""

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
        self.which.disabled = False
        there = pages(len(self.live["truth"]))
        if list(self.which.options) != there:
            self.which.options = there
        self.search.value = matched_html(result.rows, self.config)
        self.published.value = published_html(result.rows, self.config)
        self.details.layout.display = ""
        self.attacker_chosen()

    def attacker_chosen(self) -> None:
        self.draw_rows()
        if self.result is not None:
            who = self.attacker.value
            self.verdict.value = f"<p>{who_hid_more_words(self.result, self.config, who)}</p>"
            self.table.value = models_html(self.result, self.config, who)
            self.chart.redraw()

    def draw_rows(self) -> None:
        shown = slice(self.which.value, self.which.value + AT_ONCE)
        words = model_words(self.config) if self.result is not None else MODELS
        lines = [row_html("training pictures: what an attacker should not learn", self._pictures("truth", shown))]
        for model in MODELS:
            drawn = self._pictures(called("picture", model, self.attacker.value), shown)
            lines.append(row_html(self._label(model, words[model]), drawn, f"dp-row-{model}"))
        self.rows.value = "".join(lines)

    def _pictures(self, name: str, shown: slice) -> np.ndarray | None:
        x = self.live.get(name)
        if x is None:
            return None
        return stretched_pictures(x[shown]) if self.stretch.value and name != "truth" else x[shown]

    def _label(self, model: str, words: str) -> str:
        if self.result is None:
            return words
        rows = self.result.rows
        share = rows.value("recognised_mean", defence=model, attack=self.attacker.value)
        return f"{words}: {share:.0%} recognised, test accuracy {rows.value('accuracy', defence=model):.0%}"

    def drawn(self, width: int) -> Chart | None:
        if self.result is None:
            return None
        from dpmia_lab.plots.hiding import BASELINES, MARKS, models_chart

        arrays, measure = self.result.arrays, self.measure.value
        models = {model: arrays[called(measure, model, self.attacker.value)] for model in MARKS}
        baselines = {name: arrays[called(measure, attacker=name)] for name in BASELINES}
        names = [str(name) for name in arrays["names"]]
        return models_chart(measure, models, baselines, names, model_words(self.config), width)

    def kept_pictures(self) -> list[str]:
        arrays = self.result.arrays
        rows = [arrays["truth"], *(arrays[called("picture", model, self.attacker.value)] for model in MODELS)]
        return [download_html("all pictures (PNG)", "dpmia_lab_pictures.png", data_uri(sheet(rows, zoom=2)))]


def row_html(label: str, pictures: np.ndarray | None, name: str = "") -> str:
    """A line of words above a row of pictures; grey tiles keep the place of those still to come."""
    if pictures is None:
        tiles = '<i class="dp-tile"></i>' * AT_ONCE
    else:
        tiles = "".join(picture_html(x, f"{label.split(':')[0]}, number {i + 1}") for i, x in enumerate(pictures))
    return f'<h5>{escape(label)}</h5><div class="dp-model-row {name}">{tiles}</div>'


def stretched_pictures(x: np.ndarray) -> np.ndarray:
    """Each picture from black to white, so that a faint one can be seen; a flat one stays as it is."""
    low, high = x.min(axis=(1, 2, 3), keepdims=True), x.max(axis=(1, 2, 3), keepdims=True)
    return np.where(high - low > 1e-6, (x - low) / np.maximum(high - low, 1e-6), x)

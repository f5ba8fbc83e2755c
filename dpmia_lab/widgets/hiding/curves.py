"""ε against accuracy and against reconstructions: reference, the paper's points, and the reader's own on top."""

import time
from dataclasses import replace

import ipywidgets as widgets
import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import privacy_sweep
from dpmia_lab.options import as_dict
from dpmia_lab.stages import Event, Progress, Stage
from dpmia_lab.store import Result
from dpmia_lab.widgets.hiding.curves_data import (
    MEASURES,
    SWEEPS,
    UNIT,
    Points,
    baseline_values,
    epsilon_words,
    own_points,
    published_points,
    ranks_html,
    reference_points,
)
from dpmia_lab.widgets.hiding.panel import HidingPanel
from dpmia_lab.widgets.hiding.view import ATTACKER_WORDS, CHARTED
from dpmia_lab.widgets.kit.controls import choice, scale
from dpmia_lab.widgets.kit.opening import load_in_background
from dpmia_lab.widgets.kit.parts import (
    RunBar,
    column,
    error_html,
    on_change,
    page_poster,
    page_width,
    panel,
    results_width,
    text,
    with_classes,
)
from dpmia_lab.widgets.kit.pictures import chart_html
from dpmia_lab.widgets.kit.runner import Runner

CHART_DELAY = 5.0  # seconds: the page comes first, and the digit at its top
SETS = {"faces": "generated faces", "digits": "MNIST digits"}
SWEPT = {"record": "σ of the record-level model", "unit": "σ of the (sub)class-level model", "k_sub": "k_sub"}
NOT_YET = "<small class='dp-soft'>Not computed yet: <code>make reference</code>, or sweep k_sub yourself.</small>"
EPSILON = "ε (log scale; smaller: stronger promise)"


class CurvesPanel:
    """``main``: the panel whose runs are drawn too."""

    def __init__(self, main: HidingPanel) -> None:
        self.main, self.runner = main, Runner(page_poster())
        self.page, self.can_draw = 1120, False
        self.sweeps: dict[str, dict[str, Points]] = {data: {} for data in SWEEPS}  # the reader's own
        self.which = self._field(choice("data", [(words, name) for name, words in SETS.items()]), "curves-data")
        self.attacker = self._field(choice("attacker", [(w, n) for n, w in ATTACKER_WORDS.items()]), "curves-attacker")
        self.measure = self._field(choice("measure of a drawing", CHARTED), "curves-measure")
        self.swept = self._field(choice("vary", [("", "")]), "curves-swept")
        self.repeats = self._field(scale("seeds, for the spread", (1, 2, 3)), "curves-repeats")
        self.seed = self._field(widgets.IntText(description="first seed"), "curves-seed")
        self.bar = RunBar("Run a sweep", self.run, self.runner.stop)
        self.problem = text("")
        self.charts, self.about, self.ranks = text("", "dp-chart"), text(""), text("", "dp-ranks")
        self.subclasses = column(
            text("<h4>How finely to divide a class? σ and q fixed</h4>"), text("", "dp-chart"), classes=("dp-section",)
        )
        for control in (self.attacker, self.measure):
            on_change(control, lambda _: self.draw())
        on_change(self.which, lambda _: self.data_chosen())
        main.listeners.append(lambda run: self.draw())
        controls = [self.which, self.attacker, self.measure, text("<h4>Your own sweep</h4>")]
        controls += [self.swept, self.repeats, self.seed, self.bar, self.problem]
        ranks = column(text("<h4>Does a smaller ε go with a safer picture?</h4>"), self.ranks, classes=("dp-section",))
        results = [self.charts, self.about, self.subclasses, ranks, page_width(self.resized)]
        self.view = panel(controls, results, "dp-curves")
        self.data_chosen()
        load_in_background("dpmia_lab.plots.hiding", CHART_DELAY, self.draw_first)

    @staticmethod
    def _field(control: widgets.ValueWidget, name: str) -> widgets.ValueWidget:
        return with_classes(control, "dp-field", f"dp-{name}")

    # ---- what is shown
    def data_chosen(self) -> None:
        data = self.which.value
        self.swept.options = [(SWEPT[name].replace("(sub)class", UNIT[data]), name) for name in SWEEPS[data]]
        self.subclasses.layout.display = "" if "k_sub" in SWEEPS[data] else "none"
        points = reference_points(data)
        self.ranks.value = ranks_html(points, data, ATTACKER_WORDS)
        self.about.value = about_html(points, data)
        self.draw()

    def draw_first(self) -> None:
        self.can_draw = True
        self.draw()

    def draw(self) -> None:
        if not self.can_draw:
            return
        from dpmia_lab.plots.hiding import curves_chart

        width = results_width(self.page)
        chart = curves_chart(self.sheet("accuracy"), self.sheet(self.key()), width)
        self.charts.value = chart_html(chart.png(), chart.alt)
        if "k_sub" in SWEEPS[self.which.value]:
            left, right = (self.subclass_sheet(name) for name in ("accuracy", self.key()))
            chart = curves_chart(left, right, width) if left.curves else None
            self.subclasses.children[1].value = chart_html(chart.png(), chart.alt) if chart else NOT_YET

    def key(self) -> str:
        return f"{self.measure.value}_{self.attacker.value}"

    def words(self, name: str) -> str:
        return "test accuracy\nhigher: more useful" if name == "accuracy" else MEASURES[self.measure.value][0]

    def sheet(self, name: str):
        """ε against accuracy, or against the measure chosen."""
        from dpmia_lab.plots.hiding import Curve, Sheet

        data, curves = self.which.value, []
        names = {"record": "record-level", "unit": f"{UNIT[data]}-level"}
        for model, points in reference_points(data).items():
            if model in names:
                values = points.values
                curves.append(Curve(model, names[model], points.epsilon, values[name], values.get(f"{name}_sd")))
        if name == "accuracy":
            for model, (epsilon, accuracy) in published_points(data).items():
                curves.append(
                    Curve(
                        model, f"paper A, {names[model].removesuffix('-level')}", epsilon, accuracy, source="published"
                    )
                )
        for model, points in self.sweeps[data].items():
            if model in names:
                words = f"your sweep, {names[model]}"
                curves.append(Curve(model, words, points.epsilon, points.values[name], source="own"))
        column_of = 1 if name == "accuracy" else 2
        own = own_points(self.main.table.runs, data, self.measure.value, self.attacker.value)
        for model, rows in own.items():
            words = f"your runs, {names[model]}"
            curves.append(Curve(model, words, rows[:, 0], rows[:, column_of], source="own"))
        lines = {} if name == "accuracy" else baseline_values(data, self.measure.value)
        return Sheet(curves, EPSILON, self.words(name), lines)

    def subclass_sheet(self, name: str):
        """k_sub against accuracy, or against the measure chosen."""
        from dpmia_lab.plots.hiding import Curve, Sheet

        data, curves = self.which.value, []
        kept, own = reference_points(data).get("k_sub"), self.sweeps[data].get("k_sub")
        if kept is not None:
            values = kept.values
            curves.append(Curve("unit", "subclass-level", values["k_sub"], values[name], values.get(f"{name}_sd")))
        if own is not None:
            curves.append(Curve("unit", "your sweep", own.values["k_sub"], own.values[name], source="own"))
        lines = {} if name == "accuracy" else baseline_values(data, self.measure.value)
        return Sheet(curves, "k_sub, subclasses a class (1: class-level)", self.words(name), lines)

    def resized(self, page: int) -> None:
        if page != self.page:
            self.page = page
            self.draw()

    # ---- the reader's own sweep
    def run(self) -> None:
        self.problem.value = ""
        data, model = self.which.value, self.swept.value
        try:
            base = privacy_sweep.PRESETS[SWEEPS[data][model]]
            config = replace(base, repeats=self.repeats.value, seed=self.seed.value)
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        self.bar.started()
        start = time.monotonic()
        self.runner.start(
            lambda: self.stage(config),
            self.happened,
            lambda result, problem: self.ended(result, problem, config, data, model, time.monotonic() - start),
        )

    def stage(self, config: privacy_sweep.Config) -> Stage[Result]:
        yield Progress(0, 1, "loading PyTorch")
        return (yield from privacy_sweep.run(config))

    def happened(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Progress):
                self.bar.show(event)

    def ended(self, result: Result | None, problem: str | None, config, data: str, model: str, seconds: float) -> None:
        self.bar.idle("stopped" if result is None and problem is None else "")
        self.problem.value = error_html(problem or "")
        if result is None:
            return
        self.sweeps[data][model] = Points(result.arrays, result.numbers, as_dict(config))
        self.bar.idle(f"{seconds:.0f} s; your points are edged in black. {rank_words(result.numbers)}")
        self.draw()


def rank_words(ranks: dict[str, float]) -> str:
    """What the sweep says about ε, for the line under its button."""
    name = "rank_correlation_distance_paper"
    return f"Rank correlation of ε with distance: {ranks[name]:+.2f}." if np.isfinite(ranks.get(name, np.nan)) else ""


def about_html(points: dict[str, Points], data: str) -> str:
    seeds = points["record"].config["repeats"] if "record" in points else 0
    reference = f"Lines: this lab's reference, {seeds} seeds, bands one standard deviation. " if seeds else ""
    return (
        f"<small class='dp-soft'>{reference}{epsilon_words(points, data)}An ε for a record and an ε for a {UNIT[data]} "
        f"promise different things: compare how the curves run, not how far left they lie. "
        f"<span class='dp-reference'>Hollow grey marks: paper A, ε as printed, on its own data; no single number of "
        f"steps explains its three values.</span> Marks edged in black: yours.</small>"
    )

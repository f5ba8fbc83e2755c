"""ε against accuracy and against reconstructions: reference, the paper's points, and the reader's own on top."""

from dataclasses import replace

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments import privacy_sweep
from dpmia_lab.options import as_dict
from dpmia_lab.stages import Stage
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
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import choice, field, scale, swapped
from dpmia_lab.widgets.kit.parts import column, on_change, panel, text
from dpmia_lab.widgets.kit.stage_run import StageRun

PLOTS = "dpmia_lab.plots.hiding"
CHART_DELAY = 5.0  # seconds: the page comes first, and the digit at its top
SETS = {"faces": "generated faces", "digits": "MNIST digits"}
SWEPT = {"record": "σ of the record-level model", "unit": "σ of the (sub)class-level model", "k_sub": "k_sub"}
NOT_YET = "<small class='dp-soft'>Not computed yet: <code>make reference</code>, or sweep k_sub yourself.</small>"
EPSILON = "ε (log scale; smaller: stronger promise)"


class CurvesPanel:
    """``main``: the panel whose runs are drawn too."""

    def __init__(self, main: HidingPanel) -> None:
        self.main = main
        self.sweeps: dict[str, dict[str, Points]] = {data: {} for data in SWEEPS}  # the reader's own
        self.which = field(choice("data", swapped(SETS)), "curves-data")
        self.attacker = field(choice("attacker", swapped(ATTACKER_WORDS)), "curves-attacker")
        self.measure = field(choice("measure of a drawing", CHARTED), "curves-measure")
        self.swept = field(choice("vary", [("", "")]), "curves-swept")
        self.repeats = field(scale("seeds, for the spread", (1, 2, 3)), "curves-repeats")
        self.seed = field(widgets.IntText(description="first seed"), "curves-seed")
        self.work = StageRun(self.begin, self.done, button="Run a sweep")
        self.over_epsilon = ChartPlace(self.drawn_over_epsilon, PLOTS, "dp-chart", delay=CHART_DELAY)
        self.over_subclasses = ChartPlace(self.drawn_over_subclasses, PLOTS, "dp-chart", delay=CHART_DELAY)
        self.charts = [self.over_epsilon, self.over_subclasses]
        self.about, self.ranks = text(""), text("", "dp-ranks")
        self.subclasses = column(
            text("<h4>How finely to divide a class? σ and q fixed</h4>"),
            self.over_subclasses.view,
            classes=("dp-section",),
        )
        for control in (self.attacker, self.measure):
            on_change(control, lambda _: self.draw())
        on_change(self.which, lambda _: self.data_chosen())
        main.listeners.append(lambda run: self.draw())
        controls = [self.which, self.attacker, self.measure, text("<h4>Your own sweep</h4>")]
        controls += [self.swept, self.repeats, self.seed, self.work.bar, self.work.problem]
        ranks = column(text("<h4>Does a smaller ε go with a safer picture?</h4>"), self.ranks, classes=("dp-section",))
        results = [self.over_epsilon.view, self.about, self.subclasses, ranks, width_for(*self.charts)]
        self.view = panel(controls, results, "dp-curves")
        self.data_chosen()

    # ---- what is shown
    def data_chosen(self) -> None:
        data = self.which.value
        self.swept.options = [(SWEPT[name].replace("(sub)class", UNIT[data]), name) for name in SWEEPS[data]]
        self.subclasses.layout.display = "" if "k_sub" in SWEEPS[data] else "none"
        points = reference_points(data)
        self.ranks.value = ranks_html(points, data, ATTACKER_WORDS)
        self.about.value = about_html(points, data)
        self.draw()

    def draw(self) -> None:
        for chart in self.charts:
            chart.redraw()

    def drawn_over_epsilon(self, width: int) -> Chart:
        from dpmia_lab.plots.hiding import curves_chart

        return curves_chart(self.sheet("accuracy"), self.sheet(self.key()), width)

    def drawn_over_subclasses(self, width: int) -> Chart | str | None:
        if "k_sub" not in SWEEPS[self.which.value]:
            return None
        from dpmia_lab.plots.hiding import curves_chart

        left, right = (self.subclass_sheet(name) for name in ("accuracy", self.key()))
        return curves_chart(left, right, width) if left.curves else NOT_YET

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

    # ---- the reader's own sweep
    def begin(self) -> Stage[tuple[str, str, Points]]:
        data, model = self.which.value, self.swept.value
        base = privacy_sweep.PRESETS[SWEEPS[data][model]]
        return self.stage(data, model, replace(base, repeats=self.repeats.value, seed=self.seed.value))

    def stage(self, data: str, model: str, config: privacy_sweep.Config) -> Stage[tuple[str, str, Points]]:
        result = yield from privacy_sweep.run(config)
        return data, model, Points(result.arrays, result.numbers, as_dict(config))

    def done(self, outcome: tuple[str, str, Points]) -> None:
        data, model, points = outcome
        self.sweeps[data][model] = points
        words = f"{self.work.seconds:.0f} s; your points are edged in black. {rank_words(points.ranks)}"
        self.work.bar.idle(words)
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

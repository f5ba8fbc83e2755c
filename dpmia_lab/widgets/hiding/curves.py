"""ε against what two attackers draw: reference and the reader's own on top; accuracy and the paper's points besides."""

from dataclasses import replace

import numpy as np

from dpmia_lab.experiments import privacy_sweep
from dpmia_lab.experiments.costs import check_affordable
from dpmia_lab.options import as_dict
from dpmia_lab.rows import Row
from dpmia_lab.stages import Stage
from dpmia_lab.widgets.hiding.controls import CHARTED, SETS, SWEPT
from dpmia_lab.widgets.hiding.curves_data import (
    MEASURES,
    SWEEPS,
    UNITS,
    Points,
    baseline_values,
    own_points,
    published_points,
    reference_points,
)
from dpmia_lab.widgets.hiding.curves_words import NO_SUBCLASSES, NOT_YET, about_html, ranks_html, sweep_words
from dpmia_lab.widgets.hiding.panel import HidingPanel
from dpmia_lab.widgets.hiding.words import ATTACKER_WORDS
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import NumberField, choice, field, scale, swapped
from dpmia_lab.widgets.kit.parts import fold, on_change, panel, text
from dpmia_lab.widgets.kit.stage_run import StageRun

PLOTS = "dpmia_lab.plots.hiding"
CHART_DELAY = 2.5  # seconds: the page comes first, and the digit at its top
EPSILON = "ε (log scale; smaller: stronger promise)"
SUBCLASSES = "k_sub, subclasses a class (1: class-level)"


class CurvesPanel:
    """``main``: the panel whose runs are drawn too."""

    def __init__(self, main: HidingPanel) -> None:
        self.main = main
        self.sweeps: dict[str, dict[str, Points]] = {data: {} for data in SWEEPS}  # the reader's own
        self.which = field(choice("data", swapped(SETS)), "curves-data")
        self.measure = field(choice("measure of a drawing", swapped(CHARTED)), "curves-measure")
        self.swept = field(choice("vary", [("", "")]), "curves-swept")
        self.repeats = field(scale("seeds, for the spread", (1, 2, 3)), "curves-repeats")
        self.seed = field(NumberField("first seed"), "curves-seed")
        self.work = StageRun(self.begin, self.done, button="Run a sweep")
        self.over_epsilon = ChartPlace(self.drawn_over_epsilon, PLOTS, delay=CHART_DELAY, on_pick=main.open_run)
        self.use = ChartPlace(self.drawn_use, PLOTS, delay=CHART_DELAY, on_pick=main.open_run)
        self.over_subclasses = ChartPlace(self.drawn_over_subclasses, PLOTS, delay=CHART_DELAY)
        self.charts = [self.over_epsilon, self.use, self.over_subclasses]
        self.about, self.ranks = text(""), text("", "dp-ranks")
        on_change(self.measure, lambda _: self.draw())
        on_change(self.which, lambda _: self.data_chosen())
        main.listeners.append(lambda run: self.draw())
        self.view = panel(
            "dp-curves",
            controls=[self.which, self.measure],
            more=[text("<h4>Your own sweep</h4>"), self.swept, self.repeats, self.seed],
            run=[self.work.bar, self.work.problem],
            picture=[self.over_epsilon.view, self.about],
            details=[
                fold("For experts: ε against accuracy, beside the paper's points", self.use.view),
                fold("For experts: how finely to divide a class?", self.over_subclasses.view),
                fold("For experts: rank correlations", self.ranks),
                width_for(*self.charts),
            ],
        )
        self.data_chosen()

    # ---- what is shown
    def data_chosen(self) -> None:
        data = self.which.value
        unit = UNITS[data]["unit"]
        self.swept.options = [(SWEPT[name].replace("(sub)class", unit), name) for name in SWEEPS[data]]
        points = reference_points(data)
        self.ranks.value = ranks_html(points, data)
        self.about.value = about_html(points, data)
        self.draw()

    def draw(self) -> None:
        for chart in self.charts:
            chart.redraw()

    def drawn_over_epsilon(self, width: int) -> Chart:
        """Both attackers side by side: a curve is one attacker's, never the leak itself."""
        from dpmia_lab.plots.hiding import curves_chart

        sheets = [self.epsilon_sheet(self.measure.value, attacker) for attacker in ATTACKER_WORDS]
        return curves_chart(*sheets, width, same_scale=True)

    def drawn_use(self, width: int) -> Chart:
        from dpmia_lab.plots.hiding import curves_chart

        right = self.epsilon_sheet(self.measure.value, "stronger")
        return curves_chart(self.epsilon_sheet("accuracy"), right, width)

    def drawn_over_subclasses(self, width: int) -> Chart | str:
        if "k_sub" not in SWEEPS[self.which.value]:
            return NO_SUBCLASSES
        from dpmia_lab.plots.hiding import curves_chart

        left, right = self.subclass_sheet("accuracy"), self.subclass_sheet(self.measure.value, "stronger")
        return curves_chart(left, right, width) if left.curves else NOT_YET

    def epsilon_sheet(self, measure: str, attacker: str = ""):
        """ε against accuracy, or against the measure of what an attacker drew."""
        from dpmia_lab.plots.hiding import Curve

        data, curves = self.which.value, []
        units = UNITS[data]
        for model, points in reference_points(data).items():
            if model in units:
                along = points.epsilon(), points.along(measure, attacker)
                curves.append(swept_curve(model, f"{units[model]}-level", *along))
        if measure == "accuracy":
            for model, along in published_points(data).items():
                curves.append(Curve(model, f"paper A, {units[model]}", *along, source="published"))
        for model, points in self.sweeps[data].items():
            if model in units:
                along = points.epsilon(), points.along(measure, attacker)
                curves.append(swept_curve(model, f"your sweep, {units[model]}-level", *along, "own"))
        for model, points in own_points(self.main.table.runs, data, measure, attacker).items():
            along, keys = points[:, :2].T, [f"run {number:.0f}" for number in points[:, 2]]
            curves.append(Curve(model, f"your runs, {units[model]}-level", *along, source="own", keys=keys))
        return self.sheet(curves, EPSILON, measure, attacker)

    def subclass_sheet(self, measure: str, attacker: str = ""):
        """k_sub against accuracy, or against the measure of what an attacker drew."""
        data, curves = self.which.value, []
        kept, own = reference_points(data).get("k_sub"), self.sweeps[data].get("k_sub")
        if kept is not None:
            curves.append(swept_curve("unit", "subclass-level", kept.along("k_sub"), kept.along(measure, attacker)))
        if own is not None:
            curves.append(swept_curve("unit", "your sweep", own.along("k_sub"), own.along(measure, attacker), "own"))
        return self.sheet(curves, SUBCLASSES, measure, attacker)

    def sheet(self, curves: list, x_words: str, measure: str, attacker: str):
        from dpmia_lab.plots.hiding import Sheet

        if measure == "accuracy":
            return Sheet(curves, x_words, "test accuracy\nhigher: more useful", {})
        title, good = MEASURES[measure][0].split("\n")
        words = f"{title}, {ATTACKER_WORDS[attacker].split(' (')[0]}\n{good}"
        return Sheet(curves, x_words, words, baseline_values(self.which.value, measure))

    # ---- the reader's own sweep
    def begin(self) -> Stage[tuple[str, str, Points]]:
        data, model = self.which.value, self.swept.value
        base = privacy_sweep.PRESETS[SWEEPS[data][model]]
        config = replace(base, repeats=self.repeats.value, seed=self.seed.number())
        check_affordable("privacy_sweep", config)
        return self.stage(data, model, config)

    def stage(self, data: str, model: str, config: privacy_sweep.Config) -> Stage[tuple[str, str, Points]]:
        result = yield from privacy_sweep.run(config)
        return data, model, Points(privacy_sweep.point_rows(result.arrays), result.rows, as_dict(config))

    def done(self, outcome: tuple[str, str, Points]) -> None:
        data, model, points = outcome
        self.sweeps[data][model] = points
        words = f"{self.work.seconds:.0f} s; your points are edged in black. {sweep_words(points)}"
        self.work.bar.idle(words)
        self.draw()


def swept_curve(model: str, words: str, x: list[Row], y: list[Row], source: str = "reference"):
    """A sweep's curve, with a band where there were several seeds."""
    from dpmia_lab.plots.hiding import Curve

    spread = [row.spread for row in y]
    band = None if None in spread else np.array(spread)
    return Curve(model, words, np.array([row.value for row in x]), np.array([row.value for row in y]), band, source)

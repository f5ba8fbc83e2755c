"""Every defence of lesson 7 at several strengths: what it costs and what still leaks, by the attacker you choose."""

from collections.abc import Mapping

import numpy as np

from dpmia_lab.experiments import attribute_curves
from dpmia_lab.experiments.attribute_curves import POINTS, Config, averaged_points, defence_points
from dpmia_lab.experiments.costs import check_affordable
from dpmia_lab.reference import shipped
from dpmia_lab.stages import Stage
from dpmia_lab.store import Result
from dpmia_lab.widgets.attributes.controls import DEFENCE_WORDS
from dpmia_lab.widgets.attributes.words import MEASURES, SHORT, WHO
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.parts import on_change, panel, text
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.widgets.kit.tables import table_html

PLOTS = "dpmia_lab.plots.curves"
DATA = [("patients, regression", "patients"), ("survey, tree", "survey"), ("steak survey, tree", "steak")]
ATTACKERS = ("map", "calibrated", "imputation_map", "map_counts", "map_answer")
OWN_SPLITS = 20
LINE_WORDS = {name: words.split(":")[0] for name, words in DEFENCE_WORDS.items()} | {
    "adassp_thirds": "AdaSSP in thirds",
    "mid_stop": "MID that may stop",
}
UNIT = {  # what a strength is called
    "mid": "λ", "mid_stop": "λ", "adassp": "ε", "adassp_thirds": "ε", "dp_id3": "ε",
    "priority": "depth", "ridge": "weight", "rounding": "to",
}  # fmt: skip
LEVELS = {"prior": "commonest value", "imputation": "imputation", "imputation_outcome": "imputation + outcome"}
PUBLISHED = {
    "patients": "Paper B (Figs 2 a, 5 a; real patients): at any error MID leaks less than AdaSSP.",
    "survey": "Paper B (Figs 2 b, 4 c; the steak survey): at any F1 MID leaks less than DP-ID3 and priority.",
    "steak": "Paper B (Figs 2 b, 4 c): at any F1 MID leaks less than DP-ID3 and priority.",
}


def reference(name: str) -> dict[str, np.ndarray] | None:
    """The shipped curves' points, mean and ``…_sd`` over 100 splits; None where they have not been computed."""
    try:
        points = shipped("attribute_curves")[name]["points"]
    except (FileNotFoundError, KeyError):
        return None
    return {key: np.array(values, dtype=float) for key, values in points.items()}


def is_there(points: Mapping[str, np.ndarray], name: str) -> bool:
    return name in points and bool(np.isfinite(points[name]).all())


class CurvesPanel:
    """``points`` are what is shown: the reference's, or the reader's own once they are computed."""

    def __init__(self) -> None:
        self.data = field(choice("people and model", DATA), "curve-data")
        self.attack = field(choice("attacker", [(SHORT[name], name) for name in ATTACKERS]), "curve-attack")
        self.measure = field(choice("measure of a guess", [(w, m) for m, w in MEASURES.items()]), "curve-measure")
        self.own: dict[str, dict[str, np.ndarray]] = {}
        self.words, self.table = text("", "dp-curve-words"), text("")
        self.chart = ChartPlace(self.drawn, PLOTS, "dp-curve-chart", keep="dpmia_lab_defences.png")
        self.work = StageRun(self.begin, self.done, button="Run it yourself", loading="")
        self.work.bar.offer_live(False)
        self.view = panel(
            "dp-attribute-curves",
            controls=[self.data, self.attack, self.measure],
            run=[self.work.bar, self.work.problem],
            picture=[self.words, self.chart.view],
            details=[self.chart.exports, self.table, width_for(self.chart)],
        )
        on_change(self.data, lambda _: self.choose())
        for control in (self.attack, self.measure):
            on_change(control, lambda _: self.show())
        self.show()

    def choose(self) -> None:
        self.measure.value = "attack_accuracy" if self.data.value == "patients" else "attack_auc"
        self.show()

    @property
    def points(self) -> dict[str, np.ndarray] | None:
        return self.own.get(self.data.value) or reference(self.data.value)

    # ---- a run of the reader's own
    def begin(self) -> Stage[tuple[str, Result]]:
        preset = attribute_curves.PRESETS[self.data.value]
        config = Config(**{**vars(preset), "splits": OWN_SPLITS, "seed": 1})
        check_affordable("attribute_curves", config)
        return self.stage(self.data.value, config)

    def stage(self, name: str, config: Config) -> Stage[tuple[str, Result]]:
        return name, (yield from attribute_curves.run(config))

    def done(self, made: tuple[str, Result]) -> None:
        name, result = made
        self.own[name] = averaged_points(result.arrays)
        self.show()

    # ---- what is shown
    def show(self) -> None:
        if self.points is None:
            self.words.value = "<p class='dp-soft'>The reference has not been computed yet; press Run it yourself.</p>"
            return
        own = self.data.value in self.own
        whose = f"Your own run, {OWN_SPLITS} splits" if own else "Shipped with the lab, 100 splits"
        self.words.value = (
            f"<p class='dp-shipped'>{whose}. The attacker {WHO[self.attack.value]}. {PUBLISHED[self.data.value]}</p>"
        )
        self.table.value = self.points_table()
        self.chart.redraw()

    @property
    def cost(self) -> tuple[str, str, bool]:
        """Name of the measure, its words, and whether low is good."""
        if self.data.value == "patients":
            return "test_off", "mg a week off, on average", True
        return "test_accuracy", "outcomes predicted right", False

    def lines(self) -> list:
        """Nothing where the attacker cannot attack such a model."""
        from dpmia_lab.plots.curves import Line

        points, leak, cost = self.points, f"{self.measure.value}_{self.attack.value}", self.cost[0]
        if not is_there(points, leak):
            return []
        made = []
        for defence in dict.fromkeys(POINTS[int(place)] for place in points["defence"]):
            places, name = defence_points(points, defence), LINE_WORDS[defence]
            strengths = points["strength"][places]
            said = [f"{UNIT.get(defence, '')} {strength:g}".strip() if np.isfinite(strength) else name
                    for strength in strengths]  # fmt: skip
            made.append(Line(name, said, points[cost][places], points[leak][places], points[f"{leak}_sd"][places]))
        return made

    def levels(self) -> dict[str, float]:
        """What is reached without the model."""
        return {words: float(self.points[f"{self.measure.value}_{name}"][0]) for name, words in LEVELS.items()}

    def drawn(self, width: int) -> Chart | str | None:
        if self.points is None:
            return None
        lines = self.lines()
        if not lines:
            return "<p class='dp-soft'>This attacker needs a tree; choose a survey.</p>"
        from dpmia_lab.plots.curves import curves_chart

        _, words, lower = self.cost
        leak = f"{MEASURES[self.measure.value]} ({SHORT[self.attack.value]})"
        return curves_chart(lines, self.levels(), words, leak, width, lower)

    def points_table(self) -> str:
        lines = self.lines()
        rows = [
            (f"{line.name}, {strength}", f"{cost:.3g}", f"{leak:.3f} ± {spread:.3f}")
            for line in lines
            for strength, cost, leak, spread in zip(line.strengths, line.cost, line.leak, line.spread, strict=True)
        ]
        inner = table_html(("defence", self.cost[1], f"{MEASURES[self.measure.value]} ± s.d."), rows)
        return f"<details><summary>All points as a table</summary>{inner}</details>"

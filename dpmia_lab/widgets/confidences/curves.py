"""Every defence of lesson 8 at several strengths: what it costs and what still leaks, by the attacker you choose."""

from dataclasses import replace

import numpy as np

from dpmia_lab.experiments import confidence_curves
from dpmia_lab.experiments.confidence_claims import Points
from dpmia_lab.experiments.confidence_curves import POINTS, Config, defence_points, points_from
from dpmia_lab.experiments.costs import check_affordable
from dpmia_lab.reference import shipped
from dpmia_lab.stages import Stage
from dpmia_lab.store import Result
from dpmia_lab.widgets.confidences.controls import DEFENCE_WORDS
from dpmia_lab.widgets.confidences.words import MEASURES, SHORT, WHO
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.parts import on_change, panel, text
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.widgets.kit.tables import table_html

PLOTS = "dpmia_lab.plots.curves"
DATA = {"faces": "generated faces", "att_faces": "AT&T faces", "digits": "MNIST digits"}
SEEDS = 3
ATTACKERS = ("alignment", "alignment_averaged", "alignment_mean", "alignment_same", "gmi", "gmi_adapted", "update")
NAMES = SHORT | {"update": "update leak, another's name"}
ASKS = WHO | {"update": "sees how answers about public pictures changed when somebody took another's name"}
COSTS = {"test_accuracy": "accuracy on new pictures", "ece": "calibration error (ECE)"}
LINE_WORDS = {name: words.split(":")[0] for name, words in DEFENCE_WORDS.items()} | {
    "label_smoothing": "label smoothing",
    "uniform_noise": "noise on answers",
}
UNIT = {"mid": "λ", "dp_sgd": "σ", "label_smoothing": "α", "rounding": "to", "uniform_noise": "up to"}
LEVELS = {"average_face": "average face", "prior_alone": "prior alone"}
STRONGEST = {"alignment_averaged": "alignment", "alignment_mean": "alignment"}  # where there is no noise to average
PUBLISHED = {
    "alignment": "Paper B (Figs 2 c, 3 a, 5 b; FaceScrub): at any accuracy, and at any ECE, MID's line lies on the "
    "safer side of differential privacy's.",
    "gmi": "Paper B (Figs 4 a–b, 5 c; CelebA): at about 81 % accuracy faces drawn under MID no longer resemble the "
    "person, those under differential privacy still do; MID's line is the safer one throughout.",
    "update": "Paper B (Figs 2 d, 3 b; CIFAR-10): at any accuracy, and at any ECE, MID's line is the safer one.",
}
OWN = replace(
    confidence_curves.PRESETS["faces"], repeats=1, updates=0, seed=1,
    strengths="none; mid 0.01 0.03 0.1; dp_sgd 0.1 0.4; early_stopping 0.15; label_smoothing -0.05",
)  # fmt: skip


def reference(name: str) -> Points | None:
    """The shipped curves' points, (points, seeds) each; None where they have not been computed."""
    try:
        return points_from(shipped("confidence_curves")[name]["points"])
    except (FileNotFoundError, KeyError):
        return None


def leak_of(points: Points, name: str) -> np.ndarray | None:
    """(points, seeds): of that measure and attack; without noise one answer is all answers."""
    if name not in points:
        return None
    once = next((name.replace(attack, plain) for attack, plain in STRONGEST.items() if attack in name), name)
    return np.where(np.isfinite(points[name]), points[name], points[once])


def spread_of(values: np.ndarray) -> np.ndarray:
    """Standard deviation over seeds, of one seed 0."""
    return values.std(-1, ddof=1) if values.shape[-1] > 1 else np.zeros(values.shape[:-1])


def full_name(measure: str, attack: str) -> str:
    return f"{measure}_{attack}" + ("_renamed" if attack == "update" else "")


class CurvesPanel:
    """``points`` are what is shown: the reference's, or the reader's own once they are computed."""

    def __init__(self) -> None:
        self.data = field(choice("pictures", [(w, n) for n, w in DATA.items()]), "curve-data")
        self.attack = field(choice("attacker", [(NAMES[name], name) for name in ATTACKERS]), "curve-attack")
        self.cost = field(choice("what it costs", [(w, n) for n, w in COSTS.items()]), "curve-cost")
        self.measure = field(choice("measure of a drawing", [(w, m) for m, w in MEASURES.items()]), "curve-measure")
        self.own: Points | None = None
        self.words, self.table = text("", "dp-curve-words"), text("")
        self.chart = ChartPlace(self.drawn, PLOTS, "dp-curve-chart", keep="dpmia_lab_defences.png")
        self.work = StageRun(self.begin, self.done, button="Run a few here", loading="")
        self.work.bar.offer_live(False)
        self.view = panel(
            "dp-confidence-curves",
            controls=[self.data, self.attack, self.cost, self.measure],
            run=[self.work.bar, self.work.problem],
            picture=[self.words, self.chart.view],
            details=[self.chart.exports, self.table, width_for(self.chart)],
        )
        for control in (self.data, self.attack, self.cost, self.measure):
            on_change(control, lambda _: self.show())
        self.show()

    @property
    def points(self) -> Points | None:
        return self.own if self.own is not None and self.data.value == "faces" else reference(self.data.value)

    # ---- a run of the reader's own
    def begin(self) -> Stage[Result]:
        config = Config(**vars(OWN))
        check_affordable("confidence_curves", config)
        return confidence_curves.run(config)

    def done(self, result: Result) -> None:
        self.own = result.arrays
        self.data.value = "faces"
        self.show()

    # ---- what is shown
    def show(self) -> None:
        family = self.attack.value.split("_")[0]
        if self.points is None:
            self.words.value = (
                "<p class='dp-soft'>These curves have not been computed yet (<code>make reference</code>). "
                f"<b>Run a few here</b> takes a minute or two on generated faces. {PUBLISHED[family]}</p>"
            )
            self.table.value = self.chart.view.value = ""
            return
        own = self.own is not None and self.data.value == "faces"
        whose = "Your own run, one seed" if own else f"Shipped with the lab, {SEEDS} seeds"
        self.words.value = (
            f"<p class='dp-shipped'>{whose}. The attacker {ASKS[self.attack.value]}. {PUBLISHED[family]}</p>"
        )
        self.table.value = self.points_table()
        self.chart.redraw()

    def lines(self) -> list:
        from dpmia_lab.plots.curves import Line

        points, name, cost = self.points, full_name(self.measure.value, self.attack.value), self.cost.value
        leak = leak_of(points, name)
        if leak is None or not np.isfinite(leak).any():
            return []
        made = []
        for defence in dict.fromkeys(POINTS[int(place)] for place in points["defence"]):
            places, words = defence_points(points, defence), LINE_WORDS[defence]
            said = [
                f"{UNIT.get(defence, '')} {strength:g}".strip() if np.isfinite(strength) else words
                for strength in points["strength"][places]
            ]
            leaks = leak[places]
            made.append(Line(words, said, points[cost][places].mean(1), leaks.mean(1), spread_of(leaks)))
        return made

    def levels(self) -> dict[str, float]:
        """What is reached without the network."""
        found = {words: self.points.get(f"{self.measure.value}_{name}") for name, words in LEVELS.items()}
        return {words: float(values[0].mean()) for words, values in found.items() if values is not None}

    def drawn(self, width: int) -> Chart | str | None:
        if self.points is None:
            return None
        lines = self.lines()
        if not lines:
            return "<p class='dp-soft'>This attacker was not measured here.</p>"
        from dpmia_lab.plots.curves import curves_chart

        far = self.measure.value.startswith("feature")
        leak = f"{MEASURES[self.measure.value]} ({NAMES[self.attack.value]})"
        lower, safer = self.cost.value == "ece", "higher" if far else "lower"
        return curves_chart(lines, self.levels(), COSTS[self.cost.value], leak, width, lower, safer)

    def points_table(self) -> str:
        rows = [
            (f"{line.name}, {strength}", f"{cost:.3g}", f"{leak:.3f} ± {spread:.3f}")
            for line in self.lines()
            for strength, cost, leak, spread in zip(line.strengths, line.cost, line.leak, line.spread, strict=True)
        ]
        inner = table_html(("defence", COSTS[self.cost.value], f"{MEASURES[self.measure.value]} ± s.d."), rows)
        return f"<details><summary>All points as a table</summary>{inner}</details>"

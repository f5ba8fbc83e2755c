"""What private training comes to: accuracy and ε while it runs, then the numbers, and all runs on one chart."""

import math
from collections.abc import Callable
from html import escape

import numpy as np

from dpmia_lab.experiments.private_training import Config
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.privacy.tradeoff import highest_belief
from dpmia_lab.reference import shipped
from dpmia_lab.stages import Event, Progress, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.epsilon.words import clustering_words, percent
from dpmia_lab.widgets.kit.later import Soon
from dpmia_lab.widgets.kit.opening import load_in_background
from dpmia_lab.widgets.kit.parts import column, download_html, number_html, results_width, text
from dpmia_lab.widgets.kit.pictures import chart_html, data_uri, picture_html
from dpmia_lab.widgets.kit.runs import Run

SHOWN = 8  # people whose weights are shown
REST, CHART_DELAY = 0.3, 5.0  # seconds: between drawings while it runs, before matplotlib is loaded


class TrainingView:
    """``config`` is what the panel runs or shows; ``runs()`` are all of them, newest first."""

    def __init__(self, runs: Callable[[], list[Run]]) -> None:
        self.runs, self.width = runs, 640
        self.config: Config | None = None
        self.result: Result | None = None
        self.truth: np.ndarray | None = None
        self.seen: list[tuple[int, float, float]] = []  # step, accuracy, ε
        self.last_step = 1
        self.drawing = Soon(self.draw_run, REST)
        self.words = text(waiting_words(), "dp-live")
        self.run_chart = text("", "dp-run-chart")
        self.weights = text("", "dp-fades", "dp-weights")
        self.numbers = text("", "dp-fades", "dp-results-numbers")
        self.chart = text("", "dp-fades", "dp-accuracy-chart")
        self.exports = text("", "dp-exports")
        self.details = column(text("<h4>What it cost, and what it bought</h4>"), self.numbers, classes=("dp-section",))
        self.details.layout.display = "none"
        over_epsilon = column(
            text("<h4>Accuracy against ε: your runs over the lab's reference</h4>"),
            self.chart,
            self.exports,
            classes=("dp-section",),
        )
        self.view = column(self.words, self.run_chart, self.weights, self.details, over_epsilon)
        self.can_draw = False
        load_in_background("dpmia_lab.plots.privacy", CHART_DELAY, self.draw_first)

    # ---- before the first run
    def expect(self, config: Config) -> None:
        """What the panel stands at: its reference curve is shown already."""
        before, self.config = self.config, config
        if before is None or reference_points(before) != reference_points(config):
            self.draw_chart()

    def draw_first(self) -> None:
        self.can_draw = True
        self.draw_chart()

    # ---- while the run goes on
    def started(self, config: Config) -> None:
        self.config = config

    def happened(self, event: Event) -> None:
        if isinstance(event, Snapshot):
            self.begin(event.array) if event.name == "truth" else self.show_weights(event.array)
        elif "epsilon" in event.values:
            self.live(event)

    def begin(self, truth: np.ndarray) -> None:
        self.result, self.truth, self.seen = None, truth, []
        self.weights.value = ""
        self.words.value = "<p>The data are ready; the first steps are being taken.</p>"

    def live(self, event: Progress) -> None:
        v = event.values
        self.last_step = v["steps"]
        spent = Guarantee(v["epsilon"], self.config.unit, self.config.neighbours, v["delta"], "moments")
        accuracy = f"accuracy {v['accuracy']:.0%}" if "accuracy" in v else "accuracy not measured yet"
        self.words.value = (
            f"<p>Step {v['step']} of {v['steps']}: <span class='dp-protected'>{accuracy}</span>, "
            f"<span class='dp-exposed'>{escape(spent.words())}</span>.<br>"
            f"<small>{joined_words(v)} {clustering_words(self.config.unit)}</small></p>"
        )
        if "accuracy" in v and not (self.seen and self.seen[-1][0] >= v["step"]):
            self.seen.append((v["step"], v["accuracy"], v["epsilon"]))
            self.drawing.ask()

    def draw_run(self) -> None:
        if not self.seen:
            return
        from dpmia_lab.plots.privacy import training_chart  # loaded by the thread that trains

        chance = None if self.truth is None else 1 / len(self.truth)
        chart = training_chart(*map(list, zip(*self.seen, strict=True)), self.last_step, chance, self.width)
        self.run_chart.value = chart_html(chart.png(), chart.alt)

    def show_weights(self, weights: np.ndarray) -> None:
        rows = strip_html(self.truth[:SHOWN], "a training picture") + strip_html(weights[:SHOWN], "the weights")
        self.weights.value = (
            f"<small>Above: a training picture of {min(SHOWN, len(weights))} classes. Below: the model's weights for "
            f"them, which is all that training leaves behind.</small>{rows}"
        )

    # ---- when it is done
    def show(self, result: Result) -> None:
        self.result, self.truth = result, result.arrays["truth"]
        arrays = result.arrays
        curve = (arrays["curve_steps"], arrays["curve_accuracy"], arrays["curve_epsilon"])
        self.seen = [(int(step), float(right), float(spent)) for step, right, spent in zip(*curve, strict=True)]
        self.last_step = int(result.numbers["steps"])
        self.words.value = finished_words(self.config, result)
        self.show_weights(arrays["weights"]) if "weights" in arrays else setattr(self.weights, "value", "")
        self.numbers.value = numbers_html(self.config, result)
        self.details.layout.display = ""
        self.can_draw = True
        self.draw_run()
        self.draw_chart()

    def draw_chart(self) -> None:
        """All runs for the same unit and neighbours on the same data and model: other ε are not comparable."""
        if self.config is None or not self.can_draw:
            return
        from dpmia_lab.plots.privacy import accuracy_chart

        reference = reference_points(self.config)
        points = comparable(self.runs(), self.config)
        chance = None if self.truth is None else 1 / len(self.truth)
        chart = accuracy_chart(reference, points, chance, self.config.unit, self.width)
        image = chart.png()
        self.chart.value = chart_html(image, chart.alt) + f"<small class='dp-soft'>{chart_words(reference)}</small>"
        self.exports.value = "<small>Keep: </small>" + download_html(
            "this chart (PNG)", "dpmia_lab_accuracy.png", data_uri(image)
        )

    def set_page_width(self, page: int) -> None:
        if results_width(page) != self.width:
            self.width = results_width(page)
            if self.result is not None:
                self.draw_run()
            self.draw_chart()


def strip_html(pictures: np.ndarray, words: str) -> str:
    images = "".join(picture_html(picture, f"class {i + 1}: {words}") for i, picture in enumerate(pictures))
    return f'<div class="dp-strip">{images}</div>'


def waiting_words() -> str:
    return "<p>Nothing has been trained yet. While it runs you see accuracy and the privacy spent, step by step.</p>"


def joined_words(values: dict) -> str:
    if not values.get("joined"):
        return "Nobody joined this step: only noise was added, and it is paid for like any other."
    return (
        f"{values['joined']} joined this step; the gradients of {values['clipped']:.0%} of them were longer than S and "
        f"were clipped."
    )


def finished_words(config: Config, result: Result) -> str:
    steps = int(result.numbers["steps"])
    if config.budget and steps < config.steps:
        return (
            f"<p><b>The budget of ε = {config.budget:g} ended the run</b> after {steps} of {config.steps} steps: one "
            f"more would have exceeded it (moments accountant).<br><small>&nbsp;</small></p>"
        )
    return f"<p>Finished after {steps} steps.<br><small>&nbsp;</small></p>"


def numbers_html(config: Config, result: Result) -> str:
    n = result.numbers

    def spent(name: str, accountant: str) -> tuple[str, str]:
        guarantee = Guarantee(n.get(name, math.inf), config.unit, config.neighbours, n["delta"], accountant)
        number, _, about = guarantee.words().removeprefix("ε = ").partition(" for ")
        return number, f"For {escape(about)}."

    tight, tight_words = spent("epsilon_tight", "tight")
    moments, moments_words = spent("epsilon", "moments")
    paper, paper_words = spent("epsilon_paper", "paper-moments")
    belief = percent(highest_belief(0.5, n.get("epsilon_tight", math.inf)))
    cells = [
        number_html(
            f"{n['test_accuracy']:.0%}",
            "accuracy on new pictures",
            f"Higher is more useful. On its training pictures {n['train_accuracy']:.0%}, by chance {n['chance']:.1%}.",
            "protected",
        ),
        number_html(tight, "ε, tight", f"{tight_words} Lower is safer.", "exposed"),
        number_html(
            belief,
            "sure, at most, from even odds",
            f"How certain anybody can become that one {config.unit} was in (but for a chance of about δ). 50 % is no "
            f"news; lower is safer.",
            "exposed",
        ),
        number_html(moments, "ε, at once", f"{moments_words} What was counted while it ran."),
        number_html(paper, "ε, as paper A counts", paper_words, "reference"),
        number_html(
            f"{n['noise']:.2g}",
            "noise in each number of a step",
            f"σS/(qK): with more units (here K = {int(n['units']):,}) the same σ disturbs the mean less. "
            f"Lower is more useful.",
        ),
    ]
    note = clustering_words(config.unit)
    return (f'<div class="dp-note">{note}</div>' if note else "") + f'<div class="dp-numbers">{"".join(cells)}</div>'


def reference_points(config: Config) -> dict | None:
    """The shipped sweep over σ for the same data and model (records, add or remove one), if there is one."""
    try:
        sweeps = shipped("privacy_sweep")
    except FileNotFoundError:
        return None
    if (config.unit, config.neighbours) != ("record", "add-remove"):
        return None
    what = ("data", "model", "people")
    for sweep in sweeps.values():
        if all(sweep["config"].get(name, getattr(config, name)) == getattr(config, name) for name in what):
            return {**sweep["points"], "config": sweep["config"]}
    return None


def chart_words(reference: dict | None) -> str:
    runs = "Large: this run; smaller: your earlier ones on the same data and model, for the same unit and neighbours."
    if reference is None:
        return f"{runs} The lab has no reference curve for these settings."
    c = reference["config"]
    how = f"the noise σ varied at q = {c['q']:g} and T = {c['steps']}, mean ± s.d. over seeds"
    return f"{runs} Grey: this lab's reference, {how}."


def comparable(runs: list[Run], config: Config) -> list:
    """The shown run first, then the others, newest first."""
    from dpmia_lab.plots.privacy import Point

    same = ("data", "people", "model", "unit", "neighbours")
    alike = [run for run in runs if all(getattr(run.config, n) == getattr(config, n) for n in same)]
    alike.sort(key=lambda run: run.config != config)
    return [
        Point(run.result.numbers["epsilon_tight"], run.result.numbers["test_accuracy"], f"run {run.number}")
        for run in alike
        if "epsilon_tight" in run.result.numbers
    ]

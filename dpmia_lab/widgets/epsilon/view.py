"""What private training comes to: accuracy and ε while it runs, then the numbers, and all runs on one chart."""

from collections.abc import Callable

import numpy as np

from dpmia_lab.experiments import privacy_sweep
from dpmia_lab.experiments.private_training import Config
from dpmia_lab.reference import shipped
from dpmia_lab.stages import Event, Progress, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.epsilon.words import WAITING, chart_words, finished_words, live_words, numbers_html
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.parts import column, text
from dpmia_lab.widgets.kit.pictures import picture_html
from dpmia_lab.widgets.kit.runs import Run

SHOWN = 8  # people whose weights are shown
PLOTS = "dpmia_lab.plots.privacy"
REST, CHART_DELAY = 0.3, 5.0  # seconds: between drawings while it runs, before matplotlib is loaded


class TrainingView:
    """``config`` is what the panel runs or shows; ``runs()`` are all of them, newest first."""

    def __init__(self, runs: Callable[[], list[Run]]) -> None:
        self.runs = runs
        self.config: Config | None = None
        self.truth: np.ndarray | None = None
        self.curve: list[tuple[int, float, float]] = []  # step, accuracy, ε
        self.last_step = 1
        self.words = text(WAITING, "dp-live")
        self.run_chart = ChartPlace(self.drawn_run, PLOTS, "dp-run-chart", rest=REST)
        self.weights = text("", "dp-fades", "dp-weights")
        self.numbers = text("", "dp-fades", "dp-results-numbers")
        self.chart = ChartPlace(
            self.drawn_runs, PLOTS, "dp-fades", "dp-accuracy-chart",
            delay=CHART_DELAY, below=self.chart_words, keep="dpmia_lab_accuracy.png",
        )  # fmt: skip
        self.charts = [self.run_chart, self.chart]
        self.details = column(text("<h4>What it cost, and what it bought</h4>"), self.numbers, classes=("dp-section",))
        self.details.layout.display = "none"
        over_epsilon = column(
            text("<h4>Accuracy against ε: your runs over the lab's reference</h4>"),
            self.chart.view,
            self.chart.exports,
            classes=("dp-section",),
        )
        self.view = column(self.words, self.run_chart.view, self.weights, self.details, over_epsilon)

    # ---- before the first run
    def expect(self, config: Config) -> None:
        """What the panel stands at: its reference curve is shown already."""
        before, self.config = self.config, config
        if before is None or reference_points(before) != reference_points(config):
            self.chart.redraw()

    # ---- while the run goes on
    def started(self, config: Config) -> None:
        self.config = config

    def happened(self, event: Event) -> None:
        if isinstance(event, Snapshot):
            self.begin(event.array) if event.name == "truth" else self.show_weights(event.array)
        elif "epsilon" in event.values:
            self.live(event)

    def begin(self, truth: np.ndarray) -> None:
        self.truth, self.curve = truth, []
        self.weights.value = ""
        self.words.value = "<p>The data are ready; the first steps are being taken.</p>"

    def live(self, event: Progress) -> None:
        v = event.values
        self.last_step = v["steps"]
        self.words.value = live_words(self.config, v)
        if "accuracy" in v and not (self.curve and self.curve[-1][0] >= v["step"]):
            self.curve.append((v["step"], v["accuracy"], v["epsilon"]))
            self.run_chart.soon.ask()

    def drawn_run(self, width: int) -> Chart | None:
        if not self.curve:
            return None
        from dpmia_lab.plots.privacy import training_chart

        return training_chart(*map(list, zip(*self.curve, strict=True)), self.last_step, self.chance, width)

    @property
    def chance(self) -> float | None:
        return None if self.truth is None else 1 / len(self.truth)

    def show_weights(self, weights: np.ndarray) -> None:
        rows = strip_html(self.truth[:SHOWN], "a training picture") + strip_html(weights[:SHOWN], "the weights")
        self.weights.value = (
            f"<small>Above: a training picture of {min(SHOWN, len(weights))} classes. Below: the model's weights for "
            f"them, which is all that training leaves behind.</small>{rows}"
        )

    # ---- when it is done
    def show(self, result: Result) -> None:
        arrays = result.arrays
        self.truth = arrays["truth"]
        curve = (arrays["curve_steps"], arrays["curve_accuracy"], arrays["curve_epsilon"])
        self.curve = [(int(step), float(right), float(spent)) for step, right, spent in zip(*curve, strict=True)]
        self.last_step = int(result.numbers["steps"])
        self.words.value = finished_words(self.config, result)
        self.show_weights(arrays["weights"]) if "weights" in arrays else setattr(self.weights, "value", "")
        self.numbers.value = numbers_html(self.config, result)
        self.details.layout.display = ""
        for chart in self.charts:
            chart.redraw()

    def drawn_runs(self, width: int) -> Chart | None:
        """All runs for the same unit and neighbours on the same data and model: other ε are not comparable."""
        if self.config is None:
            return None
        from dpmia_lab.plots.privacy import accuracy_chart

        points = comparable(self.runs(), self.config)
        return accuracy_chart(reference_points(self.config), points, self.chance, self.config.unit, width)

    def chart_words(self) -> str:
        return f"<small class='dp-soft'>{chart_words(reference_points(self.config))}</small>"


def strip_html(pictures: np.ndarray, words: str) -> str:
    images = "".join(picture_html(picture, f"class {i + 1}: {words}") for i, picture in enumerate(pictures))
    return f'<div class="dp-strip">{images}</div>'


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
        made = privacy_sweep.Config(**sweep["config"])
        if all(getattr(made, name) == getattr(config, name) for name in what):
            return {**sweep["points"], "config": made}
    return None


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

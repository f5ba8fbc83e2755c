"""What private training comes to: accuracy and ε while it runs, then the numbers, and all runs on one chart."""

from collections.abc import Callable

import numpy as np

from dpmia_lab.experiments import privacy_sweep
from dpmia_lab.experiments.private_training import Config
from dpmia_lab.reference import shipped
from dpmia_lab.stages import Event, Progress, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.epsilon.words import chart_words, counted_html, finished_words, live_words, numbers_html
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.parts import column, fold, text
from dpmia_lab.widgets.kit.pictures import picture_html
from dpmia_lab.widgets.kit.runs import Run

SHOWN = 8  # people whose weights are shown
PLOTS = "dpmia_lab.plots.privacy"
NO_WEIGHTS = "<small>Only softmax regression keeps one weight for every pixel, and so a picture of each class.</small>"
REST, CHART_DELAY = 0.3, 5.0  # seconds: between drawings while it runs, before matplotlib is loaded


class TrainingView:
    """``config`` is what the panel runs or shows; ``runs()`` are all of them, newest first.

    Nothing is blanked when a run begins: where pictures follow a slider, the old ones stay until the new ones come.
    """

    def __init__(self, runs: Callable[[], list[Run]]) -> None:
        self.runs = runs
        self.config: Config | None = None
        self.result: Result | None = None  # the one that is shown
        self.truth: np.ndarray | None = None
        self.curve: list[tuple[int, float, float]] = []  # step, accuracy, ε
        self.last_step = 1
        self.words = text("", "dp-live")
        self.weights = text("", "dp-fades", "dp-weights")
        self.chart = ChartPlace(
            self.drawn_runs, PLOTS, "dp-fades", "dp-accuracy-chart",
            delay=CHART_DELAY, below=self.chart_words, keep="dpmia_lab_accuracy.png",
        )  # fmt: skip
        self.numbers = text("", "dp-fades", "dp-results-numbers")
        self.run_chart = ChartPlace(self.drawn_run, PLOTS, "dp-run-chart", delay=CHART_DELAY, rest=REST)
        self.counted = text("", "dp-counted")
        self.charts = [self.chart, self.run_chart]
        self.picture = column(self.words, self.weights, self.chart.view)
        self.details = column(
            self.chart.exports,
            column(text("<h3>What it cost, and what it bought</h3>"), self.numbers, classes=("dp-section",)),
            column(text("<h3>Step by step</h3>"), self.run_chart.view, classes=("dp-section",)),
            fold("For experts: what this run spent, by accountant", self.counted),
        )

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
            f"<small>Above: a training picture of {min(SHOWN, len(weights))} classes. Below: what the model keeps of "
            f"them, its weights.</small>{rows}"
        )

    # ---- when it is done
    def show(self, result: Result) -> None:
        self.result, arrays = result, result.arrays
        self.truth = arrays["truth"]
        curve = (arrays["curve_steps"], arrays["curve_accuracy"], arrays["curve_epsilon"])
        self.curve = [(int(step), float(right), float(spent)) for step, right, spent in zip(*curve, strict=True)]
        self.last_step = int(result.numbers["steps"])
        self.words.value = finished_words(self.config, result)
        self.show_weights(arrays["weights"]) if "weights" in arrays else setattr(self.weights, "value", NO_WEIGHTS)
        self.numbers.value = numbers_html(self.config, result)
        self.counted.value = counted_html(self.config, result)
        for chart in self.charts:
            chart.redraw()

    def drawn_runs(self, width: int) -> Chart | None:
        """All runs for the same unit and neighbours on the same data and model: other ε are not comparable."""
        if self.result is None:
            return None
        from dpmia_lab.plots.privacy import accuracy_chart

        points = comparable(self.runs(), self.config, self.result)
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


def comparable(runs: list[Run], config: Config, result: Result) -> list:
    """The shown run first, whether the reader's own or one that ships, then the others, newest first."""
    from dpmia_lab.plots.privacy import Point

    same = ("data", "people", "model", "unit", "neighbours")
    alike = [run for run in runs if all(getattr(run.config, n) == getattr(config, n) for n in same)]
    shown = next((run.key for run in alike if run.config == config), "")
    others = [(run.key, run.result.numbers) for run in alike if run.config != config]
    return [
        Point(numbers["epsilon_tight"], numbers["test_accuracy"], key or "shipped", key)
        for key, numbers in [(shown, result.numbers), *others]
        if "epsilon_tight" in numbers
    ]

"""Original against enhanced attack: the papers' figures, this lab's reference, and the reader's own run."""

import time

import ipywidgets as widgets
import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import inversion_comparison as comparison
from dpmia_lab.reference import shipped
from dpmia_lab.stages import Event, Progress, Snapshot, Stage
from dpmia_lab.store import Result
from dpmia_lab.widgets.inversion.findings import published_html, strips_html, table_html
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

CHART_DELAY = 4.0  # seconds: the page comes first, and the face at its top
SETS = {
    "faces": "generated faces, softmax",
    "digits": "MNIST digits, CNN",
    "att_faces": "AT&T faces, softmax",
}


class ComparisonPanel:
    def __init__(self) -> None:
        self.runner = Runner(page_poster())
        self.page, self.can_draw = 1120, False
        self.shown: tuple[dict, str] | None = None
        self.which = with_classes(choice("data and model", [(w, n) for n, w in SETS.items()]), "dp-field")
        self.repeats = with_classes(scale("seeds, for the spread", (1, 2, 3, 5)), "dp-field")
        self.seed = with_classes(widgets.IntText(description="first seed"), "dp-field")
        self.bar = RunBar("Run it yourself", self.run, self.runner.stop)
        self.problem, self.pictures = text(""), text("", "dp-faces")
        self.chart, self.table, self.published = text("", "dp-chart"), text(""), text("")
        on_change(self.which, lambda _: self.show_reference())
        self.width = page_width(self.resized)
        intro = text(
            "<p class='dp-soft'>First you see what the lab measured over five seeds (<code>make reference</code> "
            "computes it again). Your own run takes its place.</p>"
        )
        results = [
            self.chart,
            self.pictures,
            column(self.table, classes=("dp-section",)),
            column(self.published, classes=("dp-section",)),
            self.width,
        ]
        self.view = panel(
            [intro, self.which, self.repeats, self.seed, self.bar, self.problem], results, "dp-comparison"
        )
        self.show_reference()
        load_in_background("dpmia_lab.plots.inversion", CHART_DELAY, self.draw_first_chart)

    # ---- what ships with the lab
    def show_reference(self) -> None:
        record = shipped("inversion_comparison")[self.which.value]
        repeats = record["config"]["repeats"]
        self.pictures.value = ""
        self.show(
            record["results"],
            record["per_class"],
            f"this lab's reference on {SETS[self.which.value]}, {repeats} seeds, mean ± s.d",
        )

    def show(self, numbers: dict, per_class: dict, source: str) -> None:
        self.shown = numbers, source
        self.table.value = table_html(numbers, source)
        self.published.value = published_html(self.which.value, numbers, per_class)
        self.draw_chart()

    def draw_first_chart(self) -> None:
        self.can_draw = True
        self.draw_chart()

    def draw_chart(self) -> None:
        if not self.can_draw:
            return
        from dpmia_lab.plots.inversion import comparison_chart

        chart = comparison_chart(self.shown[0], results_width(self.page))
        self.chart.value = (
            f"{chart_html(chart.png(), chart.alt)}<small class='dp-soft'>Dots: {self.shown[1]}. "
            f"Grey lines: what noise (dotted), a black picture (dashed) "
            f"and someone else's picture (dash-dotted) score.</small>"
        )

    def resized(self, page: int) -> None:
        if page != self.page:
            self.page = page
            self.draw_chart()

    # ---- the reader's own run
    def run(self) -> None:
        self.problem.value = ""
        try:
            base = comparison.PRESETS[self.which.value]
            config = comparison.replace(base, repeats=self.repeats.value, seed=self.seed.value)
        except Mistake as mistake:
            self.problem.value = error_html(str(mistake))
            return
        self.drawn: dict[str, np.ndarray] = {}
        self.which.disabled = True  # what comes out belongs to this set
        self.bar.started()
        start = time.monotonic()
        self.runner.start(
            lambda: self.stage(config),
            self.happened,
            lambda result, problem: self.ended(result, problem, config, time.monotonic() - start),
        )

    def stage(self, config: comparison.Config) -> Stage[Result]:
        yield Progress(0, 1, "loading PyTorch")
        return (yield from comparison.run(config))

    def happened(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Progress):
                self.bar.show(event)
            elif isinstance(event, Snapshot) and event.name in ("truth", *comparison.CONTENDERS):
                self.drawn[event.name] = event.array[:8]
        self.pictures.value = strips_html(self.drawn)

    def ended(self, result: Result | None, problem: str | None, config: comparison.Config, seconds: float) -> None:
        self.which.disabled = False
        self.bar.idle("stopped" if result is None and problem is None else "")
        self.problem.value = error_html(problem or "")
        if result is None:
            self.pictures.value = ""
            return
        self.bar.idle(f"{seconds:.0f} s")
        per_class = {name: list(values) for name, values in result.arrays.items() if values.ndim == 1}
        seeds = f"{config.repeats} seeds from {config.seed}, mean ± s.d"
        if config.repeats == 1:
            seeds = f"seed {config.seed} only, so no spread"
        self.show(result.numbers, per_class, f"your run on {SETS[self.which.value]}, {seeds}")

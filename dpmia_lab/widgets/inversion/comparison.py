"""Original against enhanced attack: the papers' figures, this lab's reference, and the reader's own run."""

from dataclasses import replace

import numpy as np

from dpmia_lab.experiments import inversion_comparison as comparison
from dpmia_lab.stages import Event, Snapshot, Stage
from dpmia_lab.store import Result
from dpmia_lab.widgets.inversion.findings import reference
from dpmia_lab.widgets.inversion.words import SETS, STRIP, measures_html, published_html, strips_html
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import NumberField, choice, field, scale, swapped
from dpmia_lab.widgets.kit.parts import fold, on_change, panel, text
from dpmia_lab.widgets.kit.stage_run import StageRun

CHART_DELAY = 4.0  # seconds: the page comes first, and the face at its top


class ComparisonPanel:
    """``result`` is what is shown, ``source`` whose it is in words."""

    def __init__(self) -> None:
        self.which = field(choice("data and model", swapped(SETS)), "comparison-data")
        self.repeats = field(scale("seeds, for the spread", (1, 2, 3, 5)), "comparison-repeats")
        self.seed = field(NumberField("first seed"), "comparison-seed")
        self.work = StageRun(self.begin, self.done, self.happened, self.nothing_came, "Run it yourself")
        self.pictures, self.table, self.published = text("", "dp-faces"), text(""), text("")
        self.chart = ChartPlace(
            self.drawn_chart, "dpmia_lab.plots.inversion", delay=CHART_DELAY, below=self.chart_words
        )
        on_change(self.which, lambda _: self.show_reference())
        intro = text(
            "<p class='dp-soft'>You see what the lab measured over five seeds (<code>make reference</code> computes it "
            "again). Your own run takes its place.</p>"
        )
        self.view = panel(
            "dp-comparison",
            controls=[intro, self.which],
            more=[self.repeats, self.seed],
            run=[self.work.bar, self.work.problem],
            picture=[text("<h3>Both attacks on four measures</h3>"), self.chart.view, self.pictures],
            details=[
                fold("For experts: every measure of every attack", self.table),
                fold("For experts: beside the papers' tables", self.published),
                width_for(self.chart),
            ],
        )
        self.show_reference()

    # ---- what ships with the lab
    def show_reference(self) -> None:
        result, repeats = reference(self.which.value)
        self.pictures.value = ""
        self.show(result, f"this lab's reference on {SETS[self.which.value]}, {repeats} seeds, mean ± s.d")

    def show(self, result: Result, source: str) -> None:
        self.result, self.source = result, source
        self.table.value = measures_html(result, source)
        self.published.value = published_html(self.which.value, result)
        self.chart.redraw()

    def drawn_chart(self, width: int) -> Chart:
        from dpmia_lab.plots.inversion import comparison_chart

        return comparison_chart(self.result.rows, width)

    def chart_words(self) -> str:
        return (
            f"<small class='dp-soft'>Dots: {self.source}. Grey lines: what noise (dotted), a black picture (dashed) "
            f"and someone else's picture (dash-dotted) score.</small>"
        )

    # ---- the reader's own run
    def begin(self) -> Stage[tuple[comparison.Config, Result]]:
        base = comparison.PRESETS[self.which.value]
        config = replace(base, repeats=self.repeats.value, seed=self.seed.number())
        self.drawn: dict[str, np.ndarray] = {}
        self.which.disabled = True  # what comes out belongs to this set
        return self.stage(config)

    def stage(self, config: comparison.Config) -> Stage[tuple[comparison.Config, Result]]:
        return config, (yield from comparison.run(config))

    def happened(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Snapshot) and event.name in ("truth", *comparison.CONTENDERS):
                self.drawn[event.name] = event.array[:STRIP]
        self.pictures.value = strips_html(self.drawn)

    def nothing_came(self) -> None:
        self.which.disabled = False
        self.pictures.value = ""

    def done(self, outcome: tuple[comparison.Config, Result]) -> None:
        config, result = outcome
        self.which.disabled = False
        self.work.bar.idle(f"{self.work.seconds:.0f} s")
        seeds = f"{config.repeats} seeds from {config.seed}, mean ± s.d"
        if config.repeats == 1:
            seeds = f"seed {config.seed} only, so no spread"
        self.show(result, f"your run on {SETS[self.which.value]}, {seeds}")

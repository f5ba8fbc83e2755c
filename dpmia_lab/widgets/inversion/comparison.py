"""Original against enhanced attack: the papers' figures, this lab's reference, and the reader's own run."""

from dataclasses import replace

import numpy as np

from dpmia_lab.experiments import inversion_comparison as comparison
from dpmia_lab.experiments.costs import check_affordable
from dpmia_lab.stages import Event, Snapshot, Stage
from dpmia_lab.store import Result
from dpmia_lab.widgets.inversion.findings import reference
from dpmia_lab.widgets.inversion.words import SETS, STRIP, measures_html, published_html, strips_html
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, width_for
from dpmia_lab.widgets.kit.controls import NumberField, choice, field, scale, swapped
from dpmia_lab.widgets.kit.parts import fold, on_change, panel, text
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.words.said import said

CHART_DELAY = 2.5  # seconds: the page comes first, and the face at its top


class ComparisonPanel:
    """``result`` is what is shown, ``source`` whose it is in words."""

    def __init__(self) -> None:
        self.which = field(choice(said("data and model"), swapped(SETS)), "comparison-data")
        self.repeats = field(scale(said("seeds, for the spread"), (1, 2, 3, 5)), "comparison-repeats")
        self.seed = field(NumberField(said("first seed")), "comparison-seed")
        self.work = StageRun(self.begin, self.done, self.happened, self.nothing_came, said("Run it yourself"))
        self.pictures, self.table, self.published = text("", "dp-faces"), text(""), text("")
        self.chart = ChartPlace(
            self.drawn_chart, "dpmia_lab.plots.inversion", delay=CHART_DELAY, below=self.chart_words
        )
        on_change(self.which, lambda _: self.show_reference())
        intro = said(
            "You see what the lab measured over five seeds (<code>make reference</code> computes it again). Your own "
            "run takes its place."
        )
        self.view = panel(
            "dp-comparison",
            controls=[text(f"<p class='dp-soft'>{intro}</p>"), self.which],
            more=[self.repeats, self.seed],
            run=[self.work.bar, self.work.problem],
            picture=[text(f"<h3>{said('Both attacks on four measures')}</h3>"), self.chart.view, self.pictures],
            details=[
                fold(said("For experts: every measure of every attack"), self.table),
                fold(said("For experts: beside the papers' tables"), self.published),
                width_for(self.chart),
            ],
        )
        self.show_reference()

    # ---- what ships with the lab
    def show_reference(self) -> None:
        result, repeats = reference(self.which.value)
        self.pictures.value = ""
        where = {"data": said(SETS[self.which.value]), "seeds": repeats}
        self.show(result, said("this lab's reference on {data}, {seeds} seeds, mean ± s.d", **where))

    def show(self, result: Result, source: str) -> None:
        self.result, self.source = result, source
        self.table.value = measures_html(result, source)
        self.published.value = published_html(self.which.value, result)
        self.chart.redraw()

    def drawn_chart(self, width: int) -> Chart:
        from dpmia_lab.plots.inversion import comparison_chart

        return comparison_chart(self.result.rows, width)

    def chart_words(self) -> str:
        words = said(
            "Dots: {source}. Grey lines: what noise (dotted), a black picture (dashed) and someone else's picture "
            "(dash-dotted) score.",
            source=self.source,
        )
        return f"<small class='dp-soft'>{words}</small>"

    # ---- the reader's own run
    def begin(self) -> Stage[tuple[comparison.Config, Result]]:
        base = comparison.PRESETS[self.which.value]
        config = replace(base, repeats=self.repeats.value, seed=self.seed.number())
        check_affordable("inversion_comparison", config)
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
        seeds = said("{repeats} seeds from {seed}, mean ± s.d", repeats=config.repeats, seed=config.seed)
        if config.repeats == 1:
            seeds = said("seed {seed} only, so no spread", seed=config.seed)
        self.show(result, said("your run on {data}, {seeds}", data=said(SETS[self.which.value]), seeds=seeds))

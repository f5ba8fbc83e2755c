"""Lesson 6, live: one cell with the reader's own ε, σ and q, with fewer models and so with wider intervals."""

from dataclasses import replace
from types import SimpleNamespace

import ipywidgets as widgets

from dpmia_lab.data import catalogue
from dpmia_lab.experiments import evaluation
from dpmia_lab.experiments.evaluation import PRESETS, Config
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.choosing.controls import new_controls
from dpmia_lab.widgets.choosing.data import SETS, own_cell
from dpmia_lab.widgets.choosing.grid import GridPanel
from dpmia_lab.widgets.choosing.own_words import compared_html, steps_html, summary
from dpmia_lab.widgets.choosing.view import PLOTS, CellView
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import text

QUICK = {"models": 16, "others": 4, "ssim_models": 2, "delta": 1e-3}
QUICK_PRESETS = {"faces": QUICK, "att": QUICK | {"height": 56, "smooth": 1.5}}
ABOUT = "<small class='dp-soft'>Sixteen models tell a share to about ±25 points, a hundred to ±10.</small>"


def quick_experiment() -> SimpleNamespace:
    """A cell as the page offers it: few models; of data that are on this machine."""
    there = {entry.name for entry in catalogue() if entry.available}
    presets = {name: replace(PRESETS[name], **quick) for name, quick in QUICK_PRESETS.items()}
    presets = {name: config for name, config in presets.items() if config.data in there}
    return SimpleNamespace(Config=Config, PRESETS=presets, run=evaluation.run)


class CellPanel(ExperimentPanel):
    """Its runs land beside the grid's cells."""

    plots = PLOTS
    place = "dp-cell"
    presets_are = "data, with quick settings"

    def __init__(self, grid: GridPanel, query: str | None = None, store: Store | None = None) -> None:
        experiment = quick_experiment()
        sets = [(SETS[name], config.data) for name, config in experiment.PRESETS.items()]
        self.grid, self.steps = grid, text("", "dp-steps-place")
        words = Words("Train and attack", SETS, summary, compared_html)
        super().__init__("evaluation", experiment, CellView(), new_controls, {}, words, query, store, sets)

    def main(self) -> list[widgets.Widget]:
        return [self.controls.group("epsilon", "sigma", "q"), self.steps]

    def more(self) -> list[widgets.Widget]:
        return [
            text("<h4>How it is trained</h4>"),
            self.controls.group("models"),
            text(ABOUT),
            self.controls.group("accountant", "neighbours", "seed"),
            text("<h4>How it is attacked, and what is shown</h4>"),
            self.controls.group("smooth", "prior"),
            self.results.attacker,
        ]

    def show_settings(self, config: Config) -> None:
        super().show_settings(config)
        self.steps.value = steps_html(config)

    def finished(self, config: Config, result: Result, seconds: float, about: str) -> None:
        super().finished(config, result, seconds, about)
        self.tell_grid()

    def chosen(self) -> None:
        super().chosen()
        self.tell_grid()

    def tell_grid(self) -> None:
        self.grid.set_own("run", [own_cell(run) for run in self.table.runs])

"""The main panel of lesson 5: sweep both mechanisms, and see accuracy, attacks and φ beside the reference."""

import ipywidgets as widgets

from dpmia_lab.experiments.mechanisms import Config
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import panel, text
from dpmia_lab.widgets.mechanisms.controls import new_controls
from dpmia_lab.widgets.mechanisms.data import quick_experiment
from dpmia_lab.widgets.mechanisms.view import PLOTS, MechanismsView
from dpmia_lab.widgets.mechanisms.words import DATA_WORDS, compared_html, summary

ABOUT = (
    "<small class='dp-soft'>One model without a defence, then one for each strength, each attacked in two ways. A "
    "model takes some seconds; its points appear as it is done.</small>"
)


class MechanismsPanel(ExperimentPanel):
    """Choosing data shows their reference; every sweep adds points, so nothing goes stale."""

    plots = PLOTS

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        experiment = quick_experiment()
        sets = sorted({(config.data, config.data) for config in experiment.PRESETS.values()})
        view = MechanismsView(lambda: self.table.runs)
        words = Words("Run a sweep", DATA_WORDS, summary, compared_html)
        super().__init__("mechanisms", experiment, view, new_controls, {}, words, query, store, sets)

    def layout(self) -> widgets.VBox:
        self.preset.description = "data, with quick settings"
        controls = [
            self.preset,
            text("<h4>What to show</h4>"),
            self.results.shown,
            text("<h4>Your own sweep</h4>"),
            text(ABOUT),
            self.controls.group("zs", "epsilons", "records", "epochs", "shadows", "repeats", "seed"),
            self.bar,
            self.problem,
        ]
        return panel(controls, [self.results.view, *self.footer()], "dp-mechanisms")

    def show_settings(self, config: Config) -> None:
        super().show_settings(config)
        self.results.expect(config)

    def _mark_stale(self, config: Config) -> None:
        """Points stay what they are, whatever is set for the next ones."""

    def finished(self, config: Config, result: Result, seconds: float, about: str) -> None:
        self.results.live = None  # its points are the run's now
        super().finished(config, result, seconds, about)

    def chosen(self) -> None:
        super().chosen()
        self.results.draw()

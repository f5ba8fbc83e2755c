"""The main panel of lesson 5: both mechanisms at equal leak, in the reference and in the reader's own sweeps."""

import ipywidgets as widgets

from dpmia_lab.experiments.mechanisms import Config
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import text
from dpmia_lab.widgets.mechanisms.controls import new_controls
from dpmia_lab.widgets.mechanisms.data import quick_experiment
from dpmia_lab.widgets.mechanisms.view import PLOTS, MechanismsView
from dpmia_lab.widgets.mechanisms.words import DATA_WORDS, compared_html, summary

ABOUT = (
    "<p class='dp-soft'>A sweep trains one model without a defence, then one for each strength, and attacks each in "
    "three ways. Its points appear one by one.</p>"
)


class MechanismsPanel(ExperimentPanel):
    """Choosing data shows their reference; every sweep adds points, so nothing goes stale."""

    plots = PLOTS
    place = "dp-mechanisms"
    presets_are = "data"

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        experiment = quick_experiment()
        sets = sorted({(config.data, config.data) for config in experiment.PRESETS.values()})
        view = MechanismsView(lambda: self.table.runs)
        words = Words("Run a sweep", DATA_WORDS, summary, compared_html)
        super().__init__("mechanisms", experiment, view, new_controls, {}, words, query, store, sets)

    def main(self) -> list[widgets.Widget]:
        view = self.results
        return [view.attack, view.protocol, view.level, self.controls.group("zs", "epsilons")]

    def more(self) -> list[widgets.Widget]:
        return [
            text(ABOUT),
            self.controls.group("records", "epochs", "shadows", "repeats", "seed"),
            self.results.why_one,
        ]

    def show_settings(self, config: Config) -> None:
        super().show_settings(config)
        self.results.expect(config)

    def _mark_stale(self, config: Config) -> None:
        """Points stay what they are, whatever is set for the next ones; the view says what is shipped."""

    def finished(self, config: Config, result: Result, seconds: float, about: str) -> None:
        self.results.live = None  # its points are the run's now
        super().finished(config, result, seconds, about)

    def chosen(self) -> None:
        super().chosen()
        self.results.draw()

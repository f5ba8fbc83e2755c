"""The main panel of lesson 5: sweep both mechanisms, and see accuracy, attacks and φ beside the reference."""

import ipywidgets as widgets

from dpmia_lab.experiments.mechanisms import Config
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.kit.controls import scale
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import panel, text
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.mechanisms.data import contest, own_sweep, preset_of, quick_experiment
from dpmia_lab.widgets.mechanisms.view import MechanismsView
from dpmia_lab.widgets.mechanisms.words import DATA_WORDS, contest_words, sizes

ABOUT = (
    "<small class='dp-soft'>One model without a defence, then one for each strength, each attacked in two ways. A "
    "model takes some seconds; its points appear as it is done.</small>"
)


class MechanismsPanel(ExperimentPanel):
    """Choosing data shows their reference; every sweep adds points, so nothing goes stale."""

    plots = "dpmia_lab.plots.tradeoffs"

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


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    numbers = {"continuous_update": False}
    return {
        "zs": widgets.Text(description="central: noise multipliers z", **numbers),
        "epsilons": widgets.Text(description="local: ε_i of one bit, edge or pixel", **numbers),
        "records": scale("n, records trained on, about", (60, 100, 200, 400, 600, 1000, 2000)),
        "epochs": scale("epochs, but for central noise", (2, 5, 10, 20, 40, 60)),
        "shadows": scale("shadow models of the black box", (1, 2, 4, 8)),
        "repeats": scale("seeds, for the spread", (1, 2, 3, 5)),
        "seed": widgets.IntText(description="first seed"),
    }


def summary(run: Run) -> str:
    """What was swept and what came out, in a line that tells two runs apart."""
    c, n = run.config, run.result.numbers
    return (
        f"{DATA_WORDS.get(preset_of(c), c.data)}, {sizes(c)}; z = {c.zs}; ε_i = {c.epsilons}; seed {c.seed}: without a "
        f"defence <span class='dp-protected'>{n['test_accuracy']:.0%} right</span>, "
        f"<span class='dp-exposed'>AUC {n['auc_white_box']:.2f} (white box)</span>"
    )


def compared_html(runs: list[Run]) -> str:
    """Who keeps more accuracy in each run."""
    lines = [
        f"<li>Run {run.number}: {contest_words(contest(own_sweep(run.config, run.result, ''), 'white_box'))} "
        f"(white box).</li>"
        for run in runs
    ]
    return f"<ul class='dp-findings'>{''.join(lines)}</ul>" if lines else ""

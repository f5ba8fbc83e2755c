"""Lesson 6, live: one cell with the reader's own ε, σ and q, with fewer models and so with wider intervals."""

from dataclasses import replace
from types import SimpleNamespace

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.data import catalogue
from dpmia_lab.experiments import evaluation
from dpmia_lab.experiments.evaluation import PRESETS, Config, affordable_steps
from dpmia_lab.privacy.accounting import NEIGHBOURS
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.choosing.data import SETS, CellResult, preset_of
from dpmia_lab.widgets.choosing.grid import GridPanel
from dpmia_lab.widgets.choosing.view import CellView
from dpmia_lab.widgets.choosing.words import promise, share, with_interval
from dpmia_lab.widgets.kit.controls import choice, scale, swapped
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import column, panel, text
from dpmia_lab.widgets.kit.runs import Run

QUICK = {"models": 16, "others": 4, "ssim_models": 2, "delta": 1e-3}  # some ten seconds
QUICK_PRESETS = {"faces": QUICK, "att": QUICK | {"height": 56, "smooth": 1.5}}
ABOUT = (
    "<small class='dp-soft'>About ten seconds for 16 models of generated faces. Sixteen models tell a share to about "
    "±25 points, a hundred to ±10.</small>"
)
ACCOUNTANT_WORDS = {
    "moments": "moments accountant",
    "tight": "tight accountant (more steps for the same ε)",
    "moments-classic": "moments accountant, classic (as in 2019)",
}


def quick_experiment() -> SimpleNamespace:
    """A cell as the page offers it: few models; of data that are on this machine."""
    there = {entry.name for entry in catalogue() if entry.available}
    presets = {name: replace(PRESETS[name], **quick) for name, quick in QUICK_PRESETS.items()}
    presets = {name: config for name, config in presets.items() if config.data in there}
    return SimpleNamespace(Config=Config, PRESETS=presets, run=evaluation.run)


class CellPanel(ExperimentPanel):
    """Its runs land beside the grid's cells."""

    plots = "dpmia_lab.plots.evaluation"

    def __init__(self, grid: GridPanel, query: str | None = None, store: Store | None = None) -> None:
        experiment = quick_experiment()
        sets = [(SETS[name], config.data) for name, config in experiment.PRESETS.items()]
        self.grid, self.steps = grid, text("", "dp-steps-place")
        words = Words("Train and attack", SETS, summary, compared_html)
        super().__init__("evaluation", experiment, CellView(), new_controls, {}, words, query, store, sets)

    def layout(self) -> widgets.VBox:
        self.preset.description = "data, with quick settings"
        controls = [
            self.preset,
            text("<h4>Your cell</h4>"),
            self.controls.group("epsilon", "sigma", "q", "models"),
            self.steps,
            column(self.controls.group("accountant", "neighbours", "smooth", "seed")),
            text(ABOUT),
            self.bar,
            self.problem,
            text("<h4>What to show</h4>"),
            self.results.attacker,
        ]
        return panel(controls, [self.stale, self.results.view, *self.footer()], "dp-cell")

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


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    return {
        "epsilon": scale("ε for a record, to spend", (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 16.0)),
        "sigma": scale("σ, noise multiplier", (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)),
        "q": scale("q, a record's chance to join", (0.02, 0.05, 0.1, 0.2, 0.4)),
        "models": scale("models trained and attacked", (4, 8, 16, 32, 64, 100)),
        "accountant": choice("who tells T from ε", swapped(ACCOUNTANT_WORDS)),
        "neighbours": choice("neighbours", swapped(NEIGHBOURS)),
        "smooth": scale("the attacker's blur, pixels", (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)),
        "seed": widgets.IntText(description="seed"),
    }


def steps_html(config: Config) -> str:
    """T at once, where the accountant that tells it is quick."""
    if config.accountant == "tight" or not config.delta:
        return "<small>T is told when the run begins.</small>"
    try:
        steps = affordable_steps(config, 0)
    except Mistake as mistake:
        return f"<small class='dp-exposed'>{mistake}</small>"
    return f"<small>{promise(config, config.delta)} pays for <b>T = {steps:,} steps</b>.</small>"


def own_cell(run: Run) -> CellResult:
    name = preset_of(run.config)
    smaller = bool(name) and run.config.height != PRESETS[name].height
    words = f"run {run.number}" + (f" ({run.config.height} pixels high)" if smaller else "")
    return CellResult(run.config, run.result.numbers, words, own=True)


def summary(run: Run) -> str:
    c, n, cell = run.config, run.result.numbers, own_cell(run)
    return (
        f"{SETS.get(preset_of(c), c.data)}, {cell.title}, q = {c.q:g}, {c.models} models, T = {n['steps']:,.0f}; seed "
        f"{c.seed}: <span class='dp-protected'>{share(n['test_accuracy'])} right</span>, <span class='dp-exposed'>"
        f"{share(n['impact_mean'])} of people recognised, {share(n['impact_mean_smoothed'])} after a blur</span>"
    )


def compared_html(runs: list[Run]) -> str:
    if not runs:
        return ""
    rows = "".join(
        f"<tr><td>run {run.number}: {cell.title}, q = {run.config.q:g}</td><td>{cell.numbers['steps']:,.0f}</td>"
        f"<td>{share(cell.numbers['test_accuracy'])}</td><td>{with_interval(cell.estimate('success_rate'))}</td>"
        f"<td>{with_interval(cell.estimate('impact_mean'))}</td>"
        f"<td>{with_interval(cell.estimate('impact_mean_smoothed'))}</td></tr>"
        for run, cell in ((run, own_cell(run)) for run in runs)
    )
    return (
        f'<div class="dp-scroll"><table><caption>95% intervals; the last three: lower is safer.</caption><thead><tr>'
        f"<th>cell</th><th>T</th><th>accuracy</th><th>success rate</th><th>impact</th><th>impact, blurred</th></tr>"
        f"</thead><tbody>{rows}</tbody></table></div>"
    )

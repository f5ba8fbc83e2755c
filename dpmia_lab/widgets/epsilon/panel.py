"""The main panel of lesson 2: train with noise, and watch what it costs and what it buys."""

import math
from dataclasses import replace
from html import escape

import ipywidgets as widgets

from dpmia_lab.experiments import private_training
from dpmia_lab.experiments.private_training import Config
from dpmia_lab.experiments.spending import Setting
from dpmia_lab.options import number_text
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.store import Store
from dpmia_lab.widgets.epsilon.controls import OPTIMIZER_WORDS, PRESET_WORDS, REASONS, new_controls
from dpmia_lab.widgets.epsilon.view import TrainingView
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import text
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import table_html
from dpmia_lab.widgets.kit.words import FACE_SETS, MODEL_WORDS

# What follows a slider
FACES_EACH, RECORDS = 7, {"digits": 1258, "mnist": 4000}  # training pictures
MOST_STEPS, MOST_GRADIENTS = 600, 200_000


class TrainingPanel(ExperimentPanel):
    plots = "dpmia_lab.plots.privacy"
    place = "dp-training"

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        results = TrainingView(lambda: self.table.runs)
        words = Words("Train", PRESET_WORDS, summary, compared_html)
        super().__init__("private_training", private_training, results, new_controls, REASONS, words, query, store)

    def main(self) -> list[widgets.Widget]:
        return [self.controls.group("sigma", "q", "steps")]

    def is_quick(self, config: Config) -> bool:
        """Softmax regression on the small sets: two seconds at most, most of them well below one."""
        records = config.people * FACES_EACH if config.data in FACE_SETS else RECORDS.get(config.data, math.inf)
        few = config.steps <= MOST_STEPS and config.steps * config.q * records <= MOST_GRADIENTS
        return config.model == "softmax" and config.unit != "subclass" and few  # clustering takes its time

    def more(self) -> list[widgets.Widget]:
        return [
            text("<h4>The model</h4>"),
            self.controls.group("data", "people", "model"),
            text("<h4>Whom to hide</h4>"),
            self.controls.group("unit", "k_sub", "neighbours"),
            text("<h4>The noise</h4>"),
            self.controls.group("clip", "budget", "delta"),
            text("<h4>The steps</h4>"),
            self.controls.group("rate", "optimizer", "seed"),
        ]

    def take(self, setting: Setting) -> None:
        """Train with what the playground stands at; the data, the model and the size of a step stay."""
        names = ("sigma", "q", "steps", "neighbours", "unit")
        taken = {name: getattr(setting, name) for name in names}
        self.set(replace(self.controls.config(), **taken, delta=setting.used_delta, budget=0.0))
        if not self.is_live:  # else it trains already
            self.work.press()

    def chosen(self) -> None:
        super().chosen()
        self.results.chart.redraw()


def spent_words(run: Run) -> str:
    n, c = run.result.numbers, run.config
    if "epsilon_tight" in n:
        return Guarantee(n["epsilon_tight"], c.unit, c.neighbours, n["delta"], "tight").words()
    return Guarantee(n.get("epsilon", math.inf), c.unit, c.neighbours, n["delta"], "moments").words()


def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, n = run.config, run.result.numbers
    how = [f"{MODEL_WORDS[c.model]} on {escape(c.data)}"]
    how += [f"{c.people} people"] if c.data.split(":")[0] in FACE_SETS else []
    how += [f"{c.k_sub} subclasses a class"] if c.unit == "subclass" else []
    how.append(f"σ = {number_text(c.sigma)}, q = {number_text(c.q)}, S = {number_text(c.clip)}")
    how.append(f"{n['steps']:.0f} of {c.steps} steps, η = {number_text(c.rate)}, {OPTIMIZER_WORDS[c.optimizer]}")
    return (
        f"{', '.join(how)}, seed {c.seed}: <span class='dp-protected'>{n['test_accuracy']:.0%} right</span>, "
        f"<span class='dp-exposed'>{escape(spent_words(run))}</span>"
    )


def compared_html(runs: list[Run]) -> str:
    """A line of numbers a run."""
    if not runs:
        return ""
    rows = []
    for run in runs:
        n = run.result.numbers
        accuracies = f"{n['test_accuracy']:.1%}", f"{n['train_accuracy']:.1%}"
        rows.append((f"run {run.number}: {spent_words(run)}", *accuracies, f"{n['noise']:.2g}"))
    return table_html(("run", "accuracy, new", "accuracy, training", "noise a number"), rows)

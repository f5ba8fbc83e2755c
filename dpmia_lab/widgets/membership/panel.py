"""The main panel of lesson 4: train a model, ask of each candidate whether it was in, and see who is caught."""

from html import escape
from pathlib import Path

import ipywidgets as widgets

from dpmia_lab.checks import one_of
from dpmia_lab.data.population import load_population
from dpmia_lab.experiments import membership
from dpmia_lab.experiments.membership import Config
from dpmia_lab.game.settings import MODELS
from dpmia_lab.options import number_text
from dpmia_lab.store import Store
from dpmia_lab.widgets.kit.controls import field
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import column, on_change, panel, text
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import table_html, with_small
from dpmia_lab.widgets.kit.upload import OWN, OwnFile
from dpmia_lab.widgets.kit.words import MODEL_WORDS
from dpmia_lab.widgets.membership.controls import (
    PRESET_WORDS,
    defence_options,
    kind_of,
    new_controls,
    offered_sets,
    reasons,
)
from dpmia_lab.widgets.membership.view import MembershipView
from dpmia_lab.widgets.membership.words import attack_words, best, defence_words, guarantee, lower_bound


class MembershipPanel(ExperimentPanel):
    """Its data may also be a file of the visitor's own; the model follows the kind of data."""

    plots = "dpmia_lab.plots.membership"

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        self.own = OwnFile((".npz",), found_words, self.say)
        self.data_before = ""
        self.more = field(widgets.Checkbox(description="show how steps are taken", indent=False), "more")
        words = Words("Train and attack", PRESET_WORDS, summary, compared_html)
        super().__init__(
            "membership", membership, MembershipView(), new_controls, reasons(), words, query, store, offered_sets()
        )

    def layout(self) -> widgets.VBox:
        steps = self.controls.group("batch", "rate", "optimizer")
        steps.layout.display = "none"
        on_change(self.more, lambda shown: setattr(steps.layout, "display", "" if shown else "none"))
        controls = [
            self.preset,
            text("<h4>The model</h4>"),
            self.controls.group("data"),
            self.own.view,
            self.controls.group("records", "epochs", "classes", "people", "model", "width"),
            column(self.more, steps),
            self.controls.group("defence"),
            text("<h4>The attacks</h4>"),
            self.controls.group("white_box", "shadows", "inside", "seed"),
            self.bar,
            self.problem,
            text("<h4>Settings of the defences</h4>"),
            self.controls.group(*defence_options(), "patience"),
        ]
        return panel(controls, [self.stale, self.results.view, *self.footer()], "dp-membership")

    # ---- settings
    def config(self, **values) -> Config:
        if values["data"] == OWN:
            values["data"] = self.own.chosen()
        kind = kind_of(values["data"])
        if kind:
            one_of(MODELS[kind], **{f"model (for {kind})": values["model"]})
        return super().config(**values)

    def changed(self) -> None:
        values = self.controls.values()
        self.own.offer(values["data"])
        before, self.data_before = self.data_before, values["data"]
        fitting = MODELS.get(kind_of(values["data"]), ())
        if before != values["data"] and fitting and values["model"] not in fitting:
            self.controls.made["model"].value = fitting[0]  # which calls this again
            return
        super().changed()

    def is_upload(self, config: Config) -> bool:
        return self.own.holds(config.data)

    def say(self, about_the_file: str) -> None:
        self.changed()
        self.problem.value = about_the_file


def found_words(path: Path) -> str:
    """What is in a visitor's own file."""
    found = load_population(str(path))
    shape = " × ".join(map(str, found.shape))
    return (
        f"{len(found.y):,} records of {found.classes} classes, {found.kind} ({shape}). About 2n of them are "
        f"candidates, so n can be at most {len(found.y) // 2 - 2:,}."
    )


def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, n = run.config, run.result.numbers
    how = [f"{MODEL_WORDS[c.model]} on {escape(Path(c.data).name)}"]
    how += [f"C = {c.classes}"] if kind_of(c.data) == "bits" else []
    how += [f"{c.people} people"] if c.data == "faces" else []
    how += [f"width {c.width}"] if c.model in ("mlp", "transfer") else []
    how += [f"n = {c.records:,}", f"{c.epochs} epochs, η = {number_text(c.rate)}, {c.batch} a step", defence_words(c)]
    how.append(f"{c.shadows} + {c.inside} shadow models")
    auc, caught = best(run.result), best(run.result, "tpr1")
    return (
        f"{', '.join(how)}, seed {c.seed}: <span class='dp-protected'>{n['test_accuracy']:.0%} right</span>, "
        f"<span class='dp-exposed'>AUC {auc.value:.2f}, {caught.value:.1%} caught at 1 %</span>"
    )


def compared_html(runs: list[Run]) -> str:
    """A line of numbers a run."""
    if not runs:
        return ""
    heads = ("run", "accuracy, new", "accuracy, training", "best AUC", "caught at 1 %", "ε promised", "ε at least")
    rows = []
    for run in runs:
        n, auc, caught = run.result.numbers, best(run.result), best(run.result, "tpr1")
        made = guarantee(n)
        promised = f"{made.epsilon:.3g}" if made else f"{n['epsilon_record']:.3g}" if "epsilon_record" in n else "∞"
        rows.append(
            (
                f"run {run.number}: {defence_words(run.config)}",
                f"{n['test_accuracy']:.1%}",
                f"{n['train_accuracy']:.1%}",
                with_small(f"{auc.value:.3f}", attack_words(auc.attack)),
                with_small(f"{caught.value:.1%}", attack_words(caught.attack)),
                promised,
                f"{lower_bound(run.result).value:.2f}",
            )
        )
    return table_html(heads, rows)

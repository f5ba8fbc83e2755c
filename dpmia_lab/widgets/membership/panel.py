"""The main panel of lesson 4: train a model, ask of each candidate whether it was in, and see who is caught."""

import math
from html import escape
from pathlib import Path

import ipywidgets as widgets

from dpmia_lab.checks import one_of
from dpmia_lab.data.population import load_population
from dpmia_lab.experiments import membership
from dpmia_lab.experiments.membership import Config
from dpmia_lab.game.settings import MODELS
from dpmia_lab.game.verdicts import DELTA
from dpmia_lab.options import number_text
from dpmia_lab.privacy.accounting import epsilon_text, short
from dpmia_lab.store import Store
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import field, number_or_none
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import on_change, text
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import table_html, with_small
from dpmia_lab.widgets.kit.upload import OwnFile, TakesOwnFile
from dpmia_lab.widgets.kit.words import MODEL_WORDS
from dpmia_lab.widgets.membership.controls import (
    COSTLY,
    PLAIN,
    PRESET_WORDS,
    defence_options,
    is_plain,
    kind_of,
    new_controls,
    offered_sets,
    reasons,
    strengths,
)
from dpmia_lab.widgets.membership.view import MembershipView
from dpmia_lab.widgets.membership.words import attack_words, best, bound_text, defence_words, lower_bound

QUICK_STEPS, NOISY_STEP = 1000, 2.4  # of the target's training; a private step takes as long as so many others


class MembershipPanel(TakesOwnFile, ExperimentPanel):
    """Its data may also be a file of the visitor's own; the model follows the kind of data.

    ``plain``: whether only the attacks are made that need no other model; such a run follows the sliders.
    """

    plots = "dpmia_lab.plots.membership"
    place = "dp-membership"

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        self.own = OwnFile((".npz",), found_words, self.say)
        self.data_before, self.costly = "", COSTLY
        plain = light.Checkbox(description="plain attacks only, without shadow models", indent=False)
        self.plain = field(plain, "plain")
        words = Words("Train and attack", PRESET_WORDS, summary, compared_html)
        super().__init__(
            "membership", membership, MembershipView(), new_controls, reasons(), words, query, store, offered_sets()
        )
        on_change(self.plain, self.simplify)

    def main(self) -> list[widgets.Widget]:
        return [self.controls.group("records", "epochs", "defence", *strengths()), self.plain]

    def more(self) -> list[widgets.Widget]:
        others = [name for name in defence_options() if name not in strengths()]
        return [
            text("<h4>The model</h4>"),
            self.controls.group("data"),
            self.own.view,
            self.controls.group("classes", "people", "model", "width", "batch", "rate", "optimizer"),
            text("<h4>The defence</h4>"),
            self.controls.group(*others, "patience"),
            text("<h4>The attacks</h4>"),
            self.controls.group("white_box", "shadows", "inside", "seed"),
        ]

    # ---- settings
    def config(self, **values) -> Config:
        kind = kind_of(values["data"])
        if kind:
            one_of(MODELS[kind], **{f"model (for {kind})": values["model"]})
        return super().config(**values)

    def is_quick(self, config: Config) -> bool:
        """Plain attacks on a small network: measured, 1.6 s for so many steps on one core."""
        steps = config.epochs * config.records / config.batch * (NOISY_STEP if config.defence == "central" else 1)
        return is_plain(vars(config)) and config.model in ("mlp", "softmax") and steps <= QUICK_STEPS

    def simplify(self, plain: bool) -> None:
        """Attacks with shadow models away, or back as they were."""
        if plain != is_plain(self.controls.values()):
            self.controls.move(PLAIN if plain else self.costly)

    def changed(self) -> None:
        values = {name: number_or_none(widget) for name, widget in self.controls.made.items()}
        self.plain.value = is_plain(values)
        if not self.plain.value:
            self.costly = {name: values[name] for name in COSTLY}
        before, self.data_before = self.data_before, values["data"]
        fitting = MODELS.get(kind_of(values["data"]), ())
        if before != values["data"] and fitting and values["model"] not in fitting:
            self.controls.made["model"].value = fitting[0]  # which calls this again
            return
        super().changed()


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
        f"<span class='dp-exposed'>best AUC {auc.value:.2f} ({attack_words(auc.attack)}), {caught.value:.1%} caught at "
        f"1 % false alarms ({attack_words(caught.attack)})</span>"
    )


def compared_html(runs: list[Run]) -> str:
    """A line of numbers a run."""
    if not runs:
        return ""
    delta = f"δ = {short(DELTA)}"
    heads = (
        "run", "accuracy, new", "accuracy, training", "best AUC", "caught at 1 % false alarms",
        with_small("ε promised", f"for a record; {delta}, under local noise 0"), with_small("ε at least", delta),
    )  # fmt: skip
    rows = []
    for run in runs:
        n, auc, caught = run.result.numbers, best(run.result), best(run.result, "tpr1")
        promised = n.get("epsilon_audit", n.get("epsilon_record"))
        rows.append(
            (
                f"run {run.number}: {defence_words(run.config)}",
                f"{n['test_accuracy']:.1%}",
                f"{n['train_accuracy']:.1%}",
                with_small(f"{auc.value:.3f}", attack_words(auc.attack)),
                with_small(f"{caught.value:.1%}", attack_words(caught.attack)),
                epsilon_text(math.inf if promised is None else promised),
                bound_text(lower_bound(run.result).value),
            )
        )
    return table_html(heads, rows)

"""The main panel of lesson 9: a model learns to fool an attacker, and others have their turn."""

from dataclasses import replace
from pathlib import Path

import ipywidgets as widgets

from dpmia_lab.checks import one_of
from dpmia_lab.data.population import load_population
from dpmia_lab.experiments.fooling import Config
from dpmia_lab.game.settings import MODELS
from dpmia_lab.store import Store
from dpmia_lab.widgets.fooling.controls import PRESET_WORDS, STRENGTH, new_controls, others_of_defences, reasons
from dpmia_lab.widgets.fooling.data import offered_sets, quick_experiment
from dpmia_lab.widgets.fooling.view import PLOTS, FoolingView
from dpmia_lab.widgets.fooling.words import compared_html, summary
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import text
from dpmia_lab.widgets.kit.upload import OwnFile, TakesOwnFile


class FoolingPanel(TakesOwnFile, ExperimentPanel):
    """Its data may also be a file of the visitor's own. λ moves the curve of AOP at once, without a run."""

    plots = PLOTS
    place = "dp-fooling"

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        self.own = OwnFile((".npz",), found_words, self.say)
        words = Words("Train and attack", PRESET_WORDS, summary, compared_html)
        super().__init__(
            "fooling", quick_experiment(), FoolingView(), new_controls, reasons(), words, query, store, offered_sets()
        )

    def main(self) -> list[widgets.Widget]:
        return [self.controls.group("defence", "feed", *STRENGTH.values(), "lam")]

    def more(self) -> list[widgets.Widget]:
        return [
            text("<h4>The defence</h4>"),
            self.controls.group(*others_of_defences()),
            text("<h4>The records and the model</h4>"),
            self.controls.group("data"),
            self.own.view,
            self.controls.group("classes", "people", "records", "epochs", "model", "width", "rate"),
            text("<h4>The attackers</h4>"),
            self.controls.group("inside", "unadapted", "canaries", "looks", "seed"),
        ]

    def config(self, **values) -> Config:
        kind = {"purchases_like": "bits", "hospital_like": "bits"}.get(values["data"])
        if kind:
            one_of(MODELS[kind], **{f"model (for {kind})": values["model"]})
        return super().config(**values)

    def changed(self) -> None:
        self.results.set_lam(self.controls.made["lam"].value)
        super().changed()

    def _mark_stale(self, config: Config) -> None:
        """Of a new λ the chart shows all there is to see; nothing is out of date."""
        super()._mark_stale(replace(config, lam=self.shown.lam) if self.shown else config)


def found_words(path: Path) -> str:
    """What is in a visitor's own file."""
    found = load_population(str(path))
    shape = " × ".join(map(str, found.shape))
    return (
        f"{len(found.y):,} records of {found.classes} classes, {found.kind} ({shape}). About 2n of them are "
        "candidates; others are held aside for the defence."
    )

"""The main panel of lesson 1: train a model, invert it, look, measure, compare."""

from pathlib import Path

import ipywidgets as widgets

from dpmia_lab.data import from_upload
from dpmia_lab.experiments import inversion
from dpmia_lab.experiments.inversion import Config
from dpmia_lab.store import Store
from dpmia_lab.widgets.inversion.controls import PRESET_WORDS, REASONS, new_controls
from dpmia_lab.widgets.inversion.view import InversionView
from dpmia_lab.widgets.inversion.words import compared_html, summary
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import panel, text
from dpmia_lab.widgets.kit.upload import OWN, OwnFile


class InversionPanel(ExperimentPanel):
    """Its data may also be a file of the visitor's own."""

    def __init__(self, query: str | None = None, store: Store | None = None) -> None:
        self.own = OwnFile((".npz", ".zip"), found_words, self.say)
        words = Words("Train and attack", PRESET_WORDS, summary, compared_html)
        super().__init__("inversion", inversion, InversionView(), new_controls, REASONS, words, query, store)

    def layout(self) -> widgets.VBox:
        controls = [
            self.preset,
            text("<h4>The model</h4>"),
            self.controls.group("data"),
            self.own.view,
            self.controls.group("people", "model"),
            text("<h4>The attack</h4>"),
            self.controls.group("attack", "prior", "lam", "steps", "rate", "box", "process", "smooth", "seed"),
            self.bar,
            self.problem,
        ]
        return panel(controls, [self.stale, self.results.view, *self.footer()], "dp-inversion")

    def config(self, **values) -> Config:
        if values["data"] == OWN:
            values["data"] = self.own.chosen()
        return super().config(**values)

    def changed(self) -> None:
        self.own.offer(self.controls.values()["data"])
        super().changed()

    def is_upload(self, config: Config) -> bool:
        return self.own.holds(config.data)

    def say(self, about_the_file: str) -> None:
        self.changed()
        self.problem.value = about_the_file


def found_words(path: Path) -> str:
    """What is in a visitor's own file."""
    data = from_upload(path.name, path.read_bytes(), seed=0)
    _, height, width = data.shape
    return f"{len(data.train_x) + len(data.test_x)} pictures of {data.classes} classes, {height} × {width} pixels."

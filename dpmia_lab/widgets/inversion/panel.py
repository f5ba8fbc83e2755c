"""The main panel of lesson 1: train a model, invert it, look, measure, compare."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import ipywidgets as widgets

from dpmia_lab.data import from_upload
from dpmia_lab.experiments import inversion
from dpmia_lab.experiments.inversion import Config
from dpmia_lab.metrics.reconstruction import is_blank
from dpmia_lab.stages import Event, Snapshot, Stage, mapped
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.inversion.controls import PRESET_WORDS, REASONS, new_controls
from dpmia_lab.widgets.inversion.recognisers import SHARED, Recognisers
from dpmia_lab.widgets.inversion.view import InversionView
from dpmia_lab.widgets.inversion.words import compared_html, summary
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import text
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.upload import OwnFile, TakesOwnFile
from dpmia_lab.words.said import marked, said

QUICK_STEPS = 500  # with a prior, in about a second
EARLY = 0.2  # of the steps: before that a drawing is still grey, and would flicker where pictures follow a slider


class InversionPanel(TakesOwnFile, ExperimentPanel):
    """Its data may also be a file of the visitor's own. A recogniser is trained once for all attacks on it."""

    place = "dp-inversion"

    def __init__(
        self, query: str | None = None, store: Store | None = None, recognisers: Recognisers = SHARED
    ) -> None:
        self.own = OwnFile((".npz", ".zip"), found_words, self.say)
        self.recognisers = recognisers
        self.tried: list[Run] = []  # all of the reader's, those that a slider passed through too; the newest first
        experiment = SimpleNamespace(PRESETS=inversion.PRESETS, Config=Config, run=self.run)
        words = Words(marked("Train and attack"), PRESET_WORDS, summary, compared_html)
        super().__init__("inversion", experiment, InversionView(), new_controls, REASONS, words, query, store)

    def main(self) -> list[widgets.Widget]:
        return [self.controls.group("prior", "lam", "weight", "steps", "people")]

    def more(self) -> list[widgets.Widget]:
        return [
            text(f"<h4>{said('The attack')}</h4>"),
            self.controls.group("attack", "components", "rate", "box", "process", "smooth"),
            text(f"<h4>{said('The model')}</h4>"),
            self.controls.group("data"),
            self.own.view,
            self.controls.group("model", "seed"),
        ]

    def is_quick(self, config: Config) -> bool:
        """Pictures follow at once; the judge of other people is trained while they are looked at."""
        if config.attack == "prior":  # a thousand public faces have to be drawn first
            return False
        most = 2 * QUICK_STEPS if config.attack == "original" else QUICK_STEPS
        return config.data == "faces" and config.model == "softmax" and config.people <= 40 and config.steps <= most

    def run(self, config: Config) -> Stage[Result]:
        stage = inversion.run(config, self.recognisers.of(config))
        return mapped(stage, lambda event: drawn_enough(event, config)) if self.passing else stage

    def finished(self, config: Config, result: Result, seconds: float, about: str) -> None:
        super().finished(config, result, seconds, about)
        self.tried = [without_pictures(self.last), *(run for run in self.tried if run.config != config)]


def drawn_enough(event: Event, config: Config) -> Event | None:
    """The event, unless it is a drawing that has hardly begun."""
    early = isinstance(event, Snapshot) and event.name != "truth" and event.step < EARLY * config.steps
    return None if early else event


def without_pictures(run: Run) -> Run:
    """What tasks ask about a run, in little memory."""
    arrays = run.result.arrays
    kept = {"names": arrays["names"], "blank": is_blank(arrays["reconstruction"])}
    return replace(run, result=replace(run.result, arrays=kept))


def found_words(path: Path) -> str:
    """What is in a visitor's own file."""
    data = from_upload(path.name, path.read_bytes(), seed=0)
    _, height, width = data.shape
    counts = {"pictures": len(data.train_x) + len(data.test_x), "classes": data.classes}
    return said(
        "{pictures} pictures of {classes} classes, {height} × {width} pixels.", height=height, width=width, **counts
    )

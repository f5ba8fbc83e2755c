"""The main panel of lesson 1: train a model, invert it, look, measure, compare."""

from html import escape
from pathlib import Path

import ipywidgets as widgets

from dpmia_lab.data import from_upload
from dpmia_lab.experiments import inversion
from dpmia_lab.experiments.inversion import Config
from dpmia_lab.options import number_text
from dpmia_lab.store import Store
from dpmia_lab.widgets.inversion.controls import PRESET_WORDS, REASONS, WORDS, new_controls
from dpmia_lab.widgets.inversion.view import InversionView
from dpmia_lab.widgets.kit.experiment_panel import ExperimentPanel, Words
from dpmia_lab.widgets.kit.parts import panel, text
from dpmia_lab.widgets.kit.pictures import picture_html
from dpmia_lab.widgets.kit.runs import Run
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


def compared_html(runs: list[Run]) -> str:
    """The same people, a row a run."""
    lines = []
    for run in runs:
        arrays = run.result.arrays
        pictures = "".join(
            picture_html(x, f"run {run.number}, {name}")
            for x, name in zip(arrays["reconstruction"][:8], arrays["names"][:8], strict=True)
        )
        lines.append(f"<h4>Run {run.number}: {summary(run)}</h4><div class='dp-strip'>{pictures}</div>")
    return "".join(lines)


def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, n = run.config, run.result.numbers
    how = [f"{WORDS[c.model]} on {escape(Path(c.data).name)}"]
    if c.data.split(":")[0] in ("faces", "att_faces"):
        how.append(f"{c.people} people")
    how.append(f"{c.attack} attack")
    if c.attack == "enhanced":
        how.append(f"prior {WORDS[c.prior]}" + (f", λ = {number_text(c.lam)}" if c.prior != "none" else ""))
        how += [] if c.box else ["no box"]
    else:
        how += [] if c.process == "none" else [c.process]
    how.append(f"T = {c.steps}, η = {number_text(c.rate)}")
    how += [f"blur {c.smooth:g}"] if c.smooth else []
    return (
        f"{', '.join(how)}, seed {c.seed}: "
        f'<span class="dp-exposed">{n["recognised_share"]:.0%} recognised</span>, '
        f"distance {n['distance_mean']:.2f} (noise {n['distance_mean_noise']:.2f})"
    )

"""The first thing a reader sees: a face appears out of a model trained on the spot. Whose is it?"""

from dataclasses import replace

import ipywidgets as widgets
import numpy as np

from dpmia_lab.data import Dataset
from dpmia_lab.experiments import inversion
from dpmia_lab.game.drawing import class_means
from dpmia_lab.metrics import reconstruction
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Event, Snapshot, Stage
from dpmia_lab.widgets.kit.opening import OnceUp
from dpmia_lab.widgets.kit.parts import button, card, column, text, with_classes
from dpmia_lab.widgets.kit.pictures import figure_html, picture_html
from dpmia_lab.widgets.kit.stage_run import StageRun

SUSPECTS = 4
HOOK = replace(inversion.PRESETS["faces"], steps=120)  # enough for a likeness, in half a second


class Hook:
    """Runs by itself when the page opens."""

    def __init__(self, config: inversion.Config = HOOK) -> None:
        self.config = config
        self.target: int | None = None
        self.picture = text("", "dp-hook-picture")
        self.show(np.full((1, 56, 46), 0.5), "The model is being trained…")
        self.words = text(
            "<h3>Right now this page trains a model that puts names to faces.</h3>"
            "<p>Its training photographs never leave it. All it can do is answer with a name. "
            "In a moment somebody who holds nothing but the model will draw a face out of it.</p>"
        )
        self.line_up = with_classes(widgets.HBox([]), "dp-suspects")
        self.answer = text("", "dp-hook-answer")
        self.work = StageRun(self.stage, self.ended, self.happened, problem=self.answer)
        left = column(self.picture, OnceUp(self.work.start).signal, classes=("dp-hook-left",))
        right = column(self.words, self.line_up, self.answer, classes=("dp-hook-right",))
        self.view = with_classes(card(left, right, name="dp-hook"), "dp-hook-grid")

    def stage(self) -> Stage[tuple[Dataset, np.ndarray]]:
        data, _, x, _ = yield from inversion.drawn(self.config)
        return data, x

    def happened(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Snapshot) and event.name == "reconstruction":
                who = self._someone(event.array)
                self.show(event.array[who], f"Drawn from the model, step {event.step}")

    def _someone(self, x: np.ndarray) -> int:
        """Fixed by the seed, once the number of people is known."""
        if self.target is None:
            self.target = int(numpy_generator(self.config.seed, "hook").integers(len(x)))
        return self.target

    def ended(self, outcome: tuple[Dataset, np.ndarray]) -> None:
        data, x = outcome
        self.show(x[self.target], f"Drawn from the model alone, {self.work.seconds:.0f} s after the start")
        self.words.value = (
            f"<h3>Who is this?</h3><p>The face was drawn from a model that knows {data.classes} names and has no "
            f"picture in it. The four photographs below were <b>not</b> used for training. Which of these people is "
            f"it?</p>"
        )
        self.line_up.children = self._suspects(data)

    def _suspects(self, data: Dataset) -> list[widgets.Widget]:
        """The person and those who look most like them, by the mean of their pictures."""
        rng = numpy_generator(self.config.seed, "line-up")
        means = class_means(data)
        alike = reconstruction.euclidean_distances(means[self.target : self.target + 1], means)[0].argsort()
        line_up = rng.permutation(alike[:SUSPECTS])  # the nearest to the target is the target
        shown = []
        for letter, label in zip("ABCD", line_up, strict=True):
            photograph = data.test_x[data.test_y == label][0]
            choose = button(f"It is {letter}", lambda label=int(label): self.judge(label, data), "dp-suspect")
            shown.append(column(text(picture_html(photograph, f"photograph {letter}")), choose))
        return shown

    def judge(self, label: int, data: Dataset) -> None:
        name = data.class_names[self.target]
        if label == self.target:
            self.answer.value = (
                f'<div class="dp-note"><b>Yes: {name}.</b> You have just recognised a person from a model that was '
                f"shared <i>instead of</i> their photographs. Nobody here exists: the faces are generated.</div>"
            )
        else:
            self.answer.value = (
                f'<div class="dp-error">No, that is {data.class_names[label]}. Look at hair, glasses and the shape of '
                f"the head, and try another.</div>"
            )

    def show(self, picture: np.ndarray, words: str) -> None:
        self.picture.value = figure_html(picture, words, words)

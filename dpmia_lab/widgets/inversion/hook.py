"""The first thing a reader sees: a face drawn out of a model, a stored one first, then one drawn here. Whose is it?"""

from dataclasses import replace

import ipywidgets as widgets
import numpy as np

from dpmia_lab.data import Dataset
from dpmia_lab.experiments import inversion
from dpmia_lab.game.drawing import class_means
from dpmia_lab.metrics import reconstruction
from dpmia_lab.reference import FOLDER
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Event, Progress, Snapshot, Stage
from dpmia_lab.widgets.inversion.recognisers import SHARED, Recognisers
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.opening import OnceUp
from dpmia_lab.widgets.kit.parts import button, card, column, text, with_classes
from dpmia_lab.widgets.kit.pictures import figure_html, picture_html
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.words.said import heard, said

SUSPECTS = 4
HOOK = replace(inversion.PRESETS["faces"], steps=120)  # enough for a likeness, in half a second
STORED = FOLDER / "inversion_hook.npz"


class Hook:
    """Opens with the stored drawing; the page then trains the model and draws the same face again by itself."""

    def __init__(self, config: inversion.Config = HOOK, recognisers: Recognisers = SHARED) -> None:
        self.config, self.recognisers = config, recognisers
        self.stored, self.said = stored_hook(), ""
        self.picture = text("", "dp-hook-picture")
        self.show(self.stored["drawing"], said("Drawn from a model alone, and stored"))
        asked = said(
            "A model was trained to put {people} names to faces. It has no picture in it. Somebody who holds nothing "
            "but the model drew this face out of it. The four photographs below were <b>not</b> used for training. "
            "Which of these people is it?",
            people=int(self.stored["people"]),
        )
        self.words = text(f"<h2>{said('Who is this?')}</h2><p>{asked}</p>")
        self.line_up = with_classes(light.HBox(self._suspects()), "dp-suspects")
        self.answer = text("", "dp-hook-answer")
        self.work = StageRun(self.stage, self.ended, self.happened, problem=self.answer)
        left = column(self.picture, OnceUp(self.work.start).signal, classes=("dp-hook-left",))
        right = column(self.words, self.line_up, self.answer, classes=("dp-hook-right",))
        self.view = with_classes(card(left, right, name="dp-hook"), "dp-hook-grid", "dp-inversion-hook")

    # ---- drawn on this page
    def stage(self) -> Stage[np.ndarray]:
        _, _, x, _ = yield from inversion.drawn(self.config, self.recognisers.of(self.config))
        return x

    def happened(self, events: list[Event]) -> None:
        """The stored drawing stays until this page's own is as far."""
        for event in events:
            if isinstance(event, Progress) and event.label != self.said:
                self.said = event.label
                words = said("Stored. This page draws it again: {doing}", doing=heard(event.label))
                self.show(self.stored["drawing"], words)
            if isinstance(event, Snapshot) and event.name == "reconstruction" and event.step > self.config.steps / 2:
                words = said("Drawn on this page, step {step}", step=event.step)
                self.show(event.array[self.target], words)

    def ended(self, x: np.ndarray) -> None:
        seconds = self.work.seconds
        words = said("Drawn on this page from the model alone, {seconds:.0f} s after its start", seconds=seconds)
        self.show(x[self.target], words)

    @property
    def target(self) -> int:
        return int(self.stored["target"])

    def show(self, picture: np.ndarray, words: str) -> None:
        self.picture.value = figure_html(picture, said("a face drawn from the model"), words)

    # ---- the line-up
    def _suspects(self) -> list[widgets.Widget]:
        shown = []
        for letter, label, photograph in zip("ABCD", self.stored["labels"], self.stored["photographs"], strict=True):
            words = said("It is {letter}", letter=letter)
            choose = button(words, lambda label=int(label): self.judge(label), "dp-suspect")
            alt = said("photograph {letter}", letter=letter)
            shown.append(column(text(picture_html(photograph, alt)), choose))
        return shown

    def judge(self, label: int) -> None:
        if label == self.target:
            words = said(
                "<b>Yes: {name}.</b> You have just recognised a person from a model that was shared <i>instead of</i> "
                "their photographs. Nobody here exists: the faces are generated.",
                name=self._name(label),
            )
            self.answer.value = f'<div class="dp-note">{words}</div>'
        else:
            words = said(
                "No, that is {name}. Look at hair, glasses and the shape of the head, and try another.",
                name=self._name(label),
            )
            self.answer.value = f'<div class="dp-error">{words}</div>'

    def _name(self, label: int) -> str:
        return heard(str(self.stored["names"][list(self.stored["labels"]).index(label)]))


def stored_hook() -> dict[str, np.ndarray]:
    """What ``hook_arrays`` made of the usual recogniser."""
    with STORED.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        return {name: stored[name] for name in stored.files}


def hook_arrays(data: Dataset, x: np.ndarray, seed: int) -> dict[str, np.ndarray]:
    """Somebody, fixed by the seed, as drawn, and the line-up: that person and who looks most like them.

    By the mean of their pictures; the photographs are from the test set. Pictures as bytes.
    """
    target = int(numpy_generator(seed, "hook").integers(len(x)))
    means = class_means(data)
    alike = reconstruction.euclidean_distances(means[target : target + 1], means)[0].argsort()
    labels = numpy_generator(seed, "line-up").permutation(alike[:SUSPECTS])  # the nearest to the target is the target
    photographs = np.stack([data.test_x[data.test_y == label][0] for label in labels])
    return {
        "target": np.array(target),
        "people": np.array(data.classes),
        "labels": labels,
        "names": np.array(data.class_names)[labels],
        "drawing": as_bytes(x[target]),
        "photographs": as_bytes(photographs),
    }


def as_bytes(pictures: np.ndarray) -> np.ndarray:
    return (255 * np.clip(pictures, 0, 1)).round().astype(np.uint8)

"""Lesson 3 begins with the harm: every record is hidden, and the digit appears all the same. Which one is it?"""

from dataclasses import dataclass

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments import inversion, private_training
from dpmia_lab.game.drawing import confidences_of
from dpmia_lab.metrics import classification
from dpmia_lab.privacy.accounting import Guarantee, rounded_up
from dpmia_lab.privacy.tradeoff import highest_belief
from dpmia_lab.stages import Event, Snapshot, Stage, part
from dpmia_lab.widgets.kit.opening import OnceUp
from dpmia_lab.widgets.kit.parts import button, card, column, text, with_classes
from dpmia_lab.widgets.kit.pictures import figure_html, picture_html
from dpmia_lab.widgets.kit.stage_run import StageRun

# Few large steps on single digits, each a record of its own: half a second, and ε below 1 for every one of them.
TRAINING = private_training.Config(data="mnist", sigma=25.0, q=1.0, steps=10, rate=3.0, neighbours="replace-one")
ATTACK = inversion.Config(data="mnist", prior="l1+tv", lam=3e-4, steps=200, rate=0.03, smooth=1.5)
SECRET = 3  # one of the clearer drawings; all ten are shown with the answer


@dataclass(frozen=True)
class Drawn:
    """What the page needs to ask and to answer."""

    pictures: np.ndarray  # (10, 1, 28, 28)
    promise: Guarantee
    records: int
    accuracy: float


def drawn_from_private_model() -> Stage[Drawn]:
    """Train with record-level privacy, then draw all ten digits from the model."""
    data = inversion.loaded(TRAINING)
    units = yield from private_training.data_units(TRAINING, data)
    defence = private_training.defence_of(TRAINING, units)
    model = yield from part(private_training.trained(TRAINING, data, defence, units), 0.1, 0.4, "training")
    pictures, _ = yield from part(inversion.attacked(ATTACK, data, model), 0.4, 1.0)
    accuracy = classification.accuracy(confidences_of(model, data.test_x), data.test_y)
    # By the accountant that answers at once: the tight one takes a second to load, and says a little less.
    promise = defence.dp_sgd(None, units.count).guarantee(defence.hidden(), "moments")
    return Drawn(pictures, promise, units.count, accuracy)


class HidingHook:
    """Runs by itself when the page opens."""

    def __init__(self) -> None:
        self.picture = text("", "dp-hook-picture")
        self.show(np.full((1, 28, 28), 0.5), "A private model is being trained…")
        self.words = text(
            "<h3>Right now this page trains a model that reads digits, with differential privacy.</h3>"
            "<p>Noise in every step hides each single picture it learns from. In a moment somebody who holds nothing "
            "but the model will draw what it learned.</p>"
        )
        self.choices = with_classes(widgets.HBox([]), "dp-digits")
        self.answer = text("", "dp-hook-answer")
        self.work = StageRun(drawn_from_private_model, self.ended, self.happened, problem=self.answer)
        left = column(self.picture, OnceUp(self.work.start).signal, classes=("dp-hook-left",))
        right = column(self.words, self.choices, self.answer, classes=("dp-hook-right",))
        self.view = with_classes(card(left, right, name="dp-hook"), "dp-hook-grid", "dp-hiding-hook")

    def show(self, picture: np.ndarray, words: str) -> None:
        self.picture.value = figure_html(picture, words, words)

    def happened(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, Snapshot) and event.name == "reconstruction":
                self.show(event.array[SECRET], f"Drawn from the model, step {event.step}")

    def ended(self, drawn: Drawn) -> None:
        self.show(drawn.pictures[SECRET], f"Drawn from the model alone, {self.work.seconds:.0f} s after the start")
        self.words.value = asked_html(drawn)
        self.choices.children = [
            button(str(digit), lambda digit=digit: self.judge(digit, drawn), "dp-digit", tooltip=f"It is a {digit}")
            for digit in range(10)
        ]

    def judge(self, digit: int, drawn: Drawn) -> None:
        if digit != SECRET:
            self.answer.value = (
                f'<div class="dp-error">Not a {digit}. Narrow your eyes or step back from the screen, and try '
                f"another.</div>"
            )
            return
        all_ten = "".join(
            f"<figure>{picture_html(x, f'drawn for the digit {i}')}<figcaption>{i}</figcaption></figure>"
            for i, x in enumerate(drawn.pictures)
        )
        self.answer.value = (
            f'<div class="dp-note"><b>Yes, the {SECRET}.</b> The promise was kept: it speaks of each <i>single</i> '
            f"picture. What all pictures of a digit have in common was never promised to stay hidden. If a class is "
            f"one person, that is their face.</div><div class='dp-ten'>{all_ten}</div><small>All ten drawings. Some "
            f"are clear, some are not; you were asked about one of the clearer ones.</small>"
        )


def asked_html(drawn: Drawn) -> str:
    belief = highest_belief(0.5, drawn.promise.epsilon)
    return (
        f"<h3>Which digit is this?</h3><p>The model learned from {drawn.records:,} handwritten digits and reads "
        f"{drawn.accuracy:.0%} of new ones. Each of them was promised "
        f'<span class="dp-protected">ε = {rounded_up(drawn.promise.epsilon)}</span>: whoever holds the model and '
        f"is torn 50 : 50 between two pictures, one of which was in it, cannot become more than {belief:.0%} sure of "
        f"which. That is a strong promise.</p><small>{drawn.promise.words()}</small>"
    )

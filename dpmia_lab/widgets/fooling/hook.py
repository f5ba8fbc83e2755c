"""Lesson 9 begins with a model that was trained to fool an attacker, and six hospital stays. Who of them was in?"""

from dataclasses import dataclass

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments import fooling
from dpmia_lab.game.play import scores_name
from dpmia_lab.metrics.membership import auc
from dpmia_lab.reference import FOLDER
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import drain
from dpmia_lab.store import Result
from dpmia_lab.widgets.fooling.words import ADAPTED, attack_words, percent
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.parts import button, card, column, error_html, row, text, with_classes
from dpmia_lab.widgets.kit.pictures import record_picture

STORED = FOLDER / "fooling_hook.npz"
LETTERS = "ABCDEF"
HALF = len(LETTERS) // 2
MIDDLE, SUREST = 0.1, 20  # ranks within a tenth of the middle; verdicts that count as sure
PRESET = "hospital"  # whose shipped run is asked about


@dataclass(frozen=True)
class Six:
    """Six people, and what each attacker says of them: the share of all candidates that looks less like a member."""

    x: np.ndarray  # (6, bits)
    member: np.ndarray  # (6,) bool
    fooled: np.ndarray  # (6,): the discriminator's
    strong: np.ndarray  # (6,): the stronger attacker's
    fooled_auc: float
    strong_auc: float
    attack: str  # who the stronger one is
    candidates: int  # all ordinary ones
    unsure: int  # of these so many whom the discriminator ranks in the middle
    right: float  # share of the stronger one's surest verdicts among those that are right


def six_asked(config: fooling.Config, result: Result) -> Six:
    """Of those whom the discriminator ranks in the middle, the six of whom the stronger attacker is surest.

    Three that it accuses, three that it clears. Canaries do not count: these are ordinary people.
    """
    arrays, rows = result.arrays, result.rows
    attack = max(ADAPTED, key=lambda name: rows.value("auc", attack=name, protocol="alike"))
    strong, fooled = (np.asarray(arrays[scores_name(name)], dtype=float) for name in (attack, "own_d"))
    member, ordinary = arrays["member"].astype(bool), np.flatnonzero(arrays["kind"] == 0)
    by_fooled, by_strong = ranks(fooled, ordinary), ranks(strong, ordinary)
    unsure = ordinary[np.abs(by_fooled[ordinary] - 0.5) <= MIDDLE]
    order = unsure[np.argsort(strong[unsure], kind="stable")]
    chosen = numpy_generator(config.seed, "hook").permutation(np.concatenate([order[:HALF], order[-HALF:]]))
    surest = np.concatenate([order[: SUREST // 2], order[-SUREST // 2 :]])
    accused = np.repeat([False, True], SUREST // 2)
    return Six(
        drain(fooling.new_game(config)).planted.candidates.alike.records.x[chosen],
        member[chosen],
        by_fooled[chosen],
        by_strong[chosen],
        auc(fooled[ordinary], member[ordinary]),
        auc(strong[ordinary], member[ordinary]),
        attack,
        len(ordinary),
        len(unsure),
        float((member[surest] == accused).mean()),
    )


def ranks(scores: np.ndarray, among: np.ndarray) -> np.ndarray:
    """The share of those that scores lower, for everybody."""
    return (scores[:, None] > scores[among][None]).mean(1)


def write_six(six: Six) -> dict[str, np.ndarray]:
    """As it ships."""
    return {name: np.asarray(value) for name, value in vars(six).items()}


def stored_six() -> Six:
    with STORED.open("rb") as file, np.load(file) as arrays:
        plain = {name: array.item() if array.ndim == 0 else array for name, array in arrays.items()}
    return Six(**plain)


class FoolingHook:
    """Guess, ask the attacker that was fooled, then ask the other one."""

    def __init__(self) -> None:
        self.six = six = stored_six()
        self.guesses = [guess_button(letter) for letter in LETTERS]
        self.places = [text("", "dp-verdict-place") for _ in LETTERS]
        people = [
            column(text(record_picture(x, f"the stay of {letter}")), guess, place)
            for letter, x, guess, place in zip(LETTERS, six.x, self.guesses, self.places, strict=True)
        ]
        self.weak = button("Ask the attacker it fools", self.ask_fooled, "dp-primary", "dp-ask-fooled")
        self.stronger = button("Then ask a stronger one", self.ask_stronger, "dp-ask-strong")
        self.stronger.disabled = True
        self.answer = text("", "dp-hook-answer")
        words = text(
            "<h2>This model was trained to fool an attacker. Find somebody who was in.</h2><p>A hospital publishes a "
            "model of its patients' stays. While it learned, it also learned to fool a discriminator: an attacker that "
            f"tells who was in the training data. That attacker's AUC is now <b>{six.fooled_auc:.2f}</b>; 0.50 is "
            "guessing, 1 is always right. Below are six stays, a dark pixel for each thing noted. Half of these people "
            "were in. <b>Say which three.</b></p>"
        )
        six_places = with_classes(light.HBox(people), "dp-suspects")
        self.view = with_classes(
            card(words, six_places, row(self.weak, self.stronger), self.answer, name="dp-hook"), "dp-fool-hook"
        )

    def named(self) -> np.ndarray:
        return np.array([guess.value for guess in self.guesses])

    def ask_fooled(self) -> None:
        if self.named().sum() != HALF:
            self.answer.value = error_html(f"Say of exactly {HALF} that they were in; you named {self.named().sum()}.")
            return
        for guess in self.guesses:
            guess.disabled = True
        self.weak.disabled, self.stronger.disabled = True, False
        self.weak.remove_class("dp-primary")
        self.stronger.add_class("dp-primary")
        self.tell(stronger=False)
        self.answer.value = fooled_html(self.six)

    def ask_stronger(self) -> None:
        self.stronger.disabled = True
        self.tell(stronger=True)
        self.answer.value = outcome_html(self.six, self.named())

    def tell(self, stronger: bool) -> None:
        for number, place in enumerate(self.places):
            place.value = verdict_html(self.six, number, stronger)


def guess_button(letter: str) -> widgets.ToggleButton:
    made = light.ToggleButton(description=f"{letter} was in", tooltip=f"{letter} was in the training data")
    return with_classes(made, "dp-guess")


def says_in(ranked: np.ndarray) -> np.ndarray:
    """Members are half of the candidates: whoever ranks above the middle is accused."""
    return ranked >= 0.5


def verdict_html(six: Six, place: int, stronger: bool) -> str:
    """What each says; the truth once the stronger one has spoken."""
    lines = [f"Fooled one: {100 * six.fooled[place]:.0f} of 100"]
    if stronger:
        lines.append(f"Stronger one: {in_html(bool(says_in(six.strong)[place]))}")
        lines.append(f"In truth: {in_html(bool(six.member[place]))}")
    return f"<small>{'<br>'.join(lines)}</small>"


def in_html(inside: bool) -> str:
    return '<b class="dp-exposed">in</b>' if inside else "<b>not in</b>"


def fooled_html(six: Six) -> str:
    return (
        '<div class="dp-note" role="status"><b>The attacker it learned to fool cannot say.</b> It ranks all six near '
        "the middle: 55 of 100 means that 55 of 100 candidates look less like a member. Over all "
        f"{six.candidates:,} ordinary candidates its AUC is {six.fooled_auc:.2f}; by that number the model looks "
        "nearly safe. Now ask one that it did not learn to fool.</div>"
    )


def outcome_html(six: Six, named: np.ndarray) -> str:
    yours, strong = (int((said == six.member).sum()) for said in (named, says_in(six.strong)))
    told = f"You: {yours} of {len(LETTERS)} right. The stronger attack: {strong} of {len(LETTERS)}."
    return (
        f'<div class="dp-note" role="status"><b>{told}</b> Guessing gives 3 on average. The stronger one trained '
        "shadow models with the very same defence, and saw how sure each is of a stay with it and without it. The "
        f"fooled one ranks {six.unsure} people in the middle; of the stronger one's {SUREST} surest verdicts about "
        f"these {percent(six.right)} are right, and these six are the surest. Over all {six.candidates:,} its AUC is "
        f"{six.strong_auc:.2f} ({attack_words(six.attack)}), where guessing gives 0.50. Nobody here exists.</div>"
    )

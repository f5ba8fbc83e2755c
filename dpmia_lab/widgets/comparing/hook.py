"""Lesson 10 begins with two models that look alike: as accurate, as safe by the usual attack. Which one to publish?"""

from dataclasses import dataclass
from html import escape

from dpmia_lab.experiments.comparing_answers import Harm, Leak, leak_of
from dpmia_lab.experiments.comparing_grid import Grid, measured_over
from dpmia_lab.widgets.comparing.data import LATER, shipped_grid
from dpmia_lab.widgets.comparing.words import attack_name
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.parts import button, card, column, text, with_classes

DATA = "carts"
USUAL = Harm("auc", "everybody", "loss")  # what many reports stop at
WORST = Harm("tpr1", "canaries")
AS_ACCURATE, AS_SAFE = 0.02, 0.03  # so near is alike: accuracy; AUC of the usual attack
DOTS = 20  # odd people drawn


@dataclass(frozen=True)
class Model:
    """One of the two, as it looks and as it is."""

    words: str
    right: float
    usual: float  # AUC of the usual attack
    everybody: float  # members caught at 1 % false alarms
    odd: Leak  # the same among canaries


def model_of(grid: Grid, name: str) -> Model | None:
    usual, everybody, odd = (leak_of(grid, name, harm) for harm in (USUAL, Harm("tpr1"), WORST))
    if None in (usual, everybody, odd):
        return None
    right = measured_over(grid.accuracy(name)).mean
    return Model(grid.columns[name].words, right, usual.measured.mean, everybody.measured.mean, odd)


def alike_pair(grid: Grid) -> tuple[Model, Model] | None:
    """Of all that look alike, the two whose canaries fare most differently; the worse one first."""
    models = [model for name in grid.columns if name != "none" and (model := model_of(grid, name)) is not None]
    pairs = [
        (one, other)
        for one in models
        for other in models
        if abs(one.right - other.right) <= AS_ACCURATE and abs(one.usual - other.usual) <= AS_SAFE
    ]
    apart = [pair for pair in pairs if caught(pair[0]) > caught(pair[1])]
    return max(apart, key=lambda pair: caught(pair[0]) - caught(pair[1]), default=None)


def caught(model: Model) -> float:
    return model.odd.measured.mean


class ComparingHook:
    """Two cards; a choice; then what happens to those who are unlike all others."""

    def __init__(self) -> None:
        grid = shipped_grid(DATA)
        self.pair = None if grid is None else alike_pair(grid)
        self.answer = text("", "dp-hook-answer")
        self.cards = [text("", "dp-model-card") for _ in "AB"]
        self.buttons = [button(f"Publish {letter}", lambda i=i: self.publish(i), "dp-publish")
                        for i, letter in enumerate("AB")]  # fmt: skip
        words = text(hook_html() if self.pair else f"<p class='dp-soft'>{LATER}</p>")
        models = [column(place, press) for place, press in zip(self.cards, self.buttons, strict=True)]
        two = with_classes(light.HBox(models), "dp-two-models")
        self.view = with_classes(card(words, two, self.answer, name="dp-hook"), "dp-compare-hook")
        self.show(told=False)

    def show(self, told: bool) -> None:
        if self.pair is None:
            return
        for letter, place, model in zip("AB", self.cards, self.pair, strict=True):
            place.value = model_html(letter, model, told)

    def publish(self, chosen: int) -> None:
        if self.pair is None:
            return
        for one in self.buttons:
            one.disabled = True
        self.show(told=True)
        self.answer.value = outcome_html(self.pair, chosen)


def hook_html() -> str:
    return (
        "<h2>Two models, equally good, equally safe. Which one would you publish?</h2><p>Both learned from the same "
        "shopping carts, each protected in another way. Both are right about equally often. Both were attacked in the "
        "usual way, by a threshold on the loss: 0.50 is guessing, 1 is always right. <b>Choose one.</b></p>"
    )


def model_html(letter: str, model: Model, told: bool) -> str:
    lines = [
        f"<h3>Model {letter}{f': {escape(model.words)}' if told else ''}</h3>",
        f"<p><b>{model.right:.0%}</b> of new carts right · AUC <b>{model.usual:.2f}</b> of the usual attack</p>",
        dots_html(caught(model) if told else None),
    ]
    if told:
        lines.append(
            f"<p class='dp-exposed'>{caught(model):.0%} of its odd members are caught at 1 % false alarms</p>"
            f"<p class='dp-soft'>by {attack_name(model.odd.attack)}; of everybody {model.everybody:.0%}; guessing "
            "catches 1%</p>"
        )
    return "".join(lines)


def dots_html(share: float | None) -> str:
    """Twenty odd people; those who are caught are filled."""
    filled = 0 if share is None else round(share * DOTS)
    words = "twenty odd people" if share is None else f"{filled} of {DOTS} odd people are caught"
    dots = "".join(f'<i class="{"caught" if i < filled else ""}"></i>' for i in range(DOTS))
    return f'<div class="dp-odd-people" role="img" aria-label="{words}">{dots}</div>'


def outcome_html(pair: tuple[Model, Model], chosen: int) -> str:
    worse, better = pair
    said = "You published the safer one." if chosen == 1 else "You published the one that gives them away."
    return (
        f'<div class="dp-note" role="status"><b>{said}</b> Nothing on the cards could have told you. Some people are '
        "unlike all others: here records under a wrong label, or of pure noise, that are in or out by a coin. An "
        f"attacker who trains models with the same defence catches {caught(worse):.0%} of them in A and "
        f"{caught(better):.0%} in B, at 1 % false alarms. An average over everybody, by one simple attack, is not a "
        "reason to choose. This lesson is about what is. Nobody here exists.</div>"
    )

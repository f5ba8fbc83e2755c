"""ε in one sentence and one picture, before anybody is asked about it."""

import ipywidgets as widgets

from dpmia_lab.privacy.tradeoff import most_often_right
from dpmia_lab.widgets.epsilon.words import percent
from dpmia_lab.widgets.kit.controls import field, scale
from dpmia_lab.widgets.kit.parts import card, column, on_change, text

EPSILONS = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 20.0)
COIN = 50  # guesses of a hundred that are right without looking
SIDE, GAP = 22, 4  # pixels: of a guess, and between two


class MeaningPanel:
    """A slider for ε, and a hundred guesses: how many of them may be right at most."""

    def __init__(self) -> None:
        self.epsilon = field(scale("ε, what the model may tell", EPSILONS), "may-tell")
        self.epsilon.value = 1.0
        self.picture = text("", "dp-guesses")
        on_change(self.epsilon, lambda _: self.draw())
        words = text(
            "<h2>ε, in one sentence</h2>"
            "<p>Whatever anybody computes from the trained model, <b>the chance that it comes out so with your record "
            "in the training and the chance without it differ by a factor of at most e<sup>ε</sup></b>. Small ε: with "
            "or without you, much the same model. Large ε: a model that may tell.</p>"
            "<p>A coin decides whether your record goes in. Then anybody may study the model and guess. Move ε.</p>"
        )
        self.view = card(column(words, self.epsilon), self.picture, name="dp-meaning")
        self.draw()

    def draw(self) -> None:
        self.picture.value = guesses_html(self.epsilon.value)


def guesses_html(epsilon: float) -> str:
    share = most_often_right(epsilon)
    right = round(100 * share)
    cells = "".join(guess_svg(place, right) for place in range(100))
    size = 10 * (SIDE + GAP) - GAP
    said = f"At ε = {epsilon:g} at most {percent(share)} of guesses are right; without the model 50 %."
    return (
        f'<svg role="img" aria-label="{said}" viewBox="0 0 {size} {size}">{cells}</svg>'
        f"<p><b class='dp-exposed'>At most {percent(share)}</b> of such guesses are right. <b>50 %</b> a coin would "
        f"have right as well; the coloured ones are what the model may add. Lower is safer. <small>A hundred guesses, "
        f"e<sup>ε</sup>/(e<sup>ε</sup> + 1); whoever guesses, and however.</small></p>"
    )


def guess_svg(place: int, right: int) -> str:
    """One guess: right by luck, right thanks to the model, or wrong."""
    kind = "luck" if place < COIN else "told" if place < right else "wrong"
    x, y = (place % 10) * (SIDE + GAP), (place // 10) * (SIDE + GAP)
    return f'<rect class="{kind}" x="{x}" y="{y}" width="{SIDE}" height="{SIDE}" rx="3"/>'


def meaning() -> widgets.VBox:
    return MeaningPanel().view

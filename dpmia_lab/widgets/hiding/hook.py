"""Lesson 3 begins with the reveal: the published attack draws snow, and a better attacker draws every digit."""

from dpmia_lab.metrics.reconstruction import stretched_pictures
from dpmia_lab.widgets.hiding.pictures import row_html
from dpmia_lab.widgets.hiding.published import LATER, Model, shipped_models
from dpmia_lab.widgets.kit.parts import button, card, text

SNOW, CLEAR = "original", "prior"  # attackers


class HidingHook:
    """All pictures ship with the lab, so they are there at once; the second row waits to be asked for."""

    def __init__(self) -> None:
        self.model = shipped_models().get("subclass")
        self.rows = text("", "dp-hook-picture", "dp-reveal")
        self.ask = button("Let a better attacker try", self.reveal, "dp-primary", "dp-reveal-button")
        self.answer = text("", "dp-hook-answer")
        head = text(asked_html(self.model) if self.model else LATER)
        parts = [head, self.rows, self.ask, self.answer] if self.model else [head]
        self.view = card(*parts, name="dp-hook")
        self.view.add_class("dp-hiding-hook")
        self.show(revealed=False)

    def show(self, revealed: bool) -> None:
        if self.model is None:
            return
        snow = stretched_pictures(self.model.pictures[SNOW])
        clear = stretched_pictures(self.model.pictures[CLEAR]) if revealed else None
        self.rows.value = row_html("the original attack: ten drawings, for 0 to 9", snow) + row_html(
            "a better attacker, the same model" + ("" if revealed else ": not asked yet"), clear
        )

    def reveal(self) -> None:
        self.show(revealed=True)
        self.answer.value = answer_html(shipped_models())
        self.ask.disabled = True


def asked_html(model: Model) -> str:
    return (
        f"<h2>Is anything left under the snow?</h2><p>A model learned to read digits, with noise that hides whole "
        f"groups of pictures. It reads {model.rows.value('accuracy'):.0%} of new ones. An attacker "
        f"who holds the model asked it for a 0, a 1, … a 9, and this is what came out. Safe?</p>"
    )


def answer_html(models: dict[str, Model]) -> str:
    unit, nothing = models["subclass"], models["only-noise"]
    return (
        f'<div class="dp-note" role="status"><b>Same model, same weights.</b> This attacker has seen 5,000 public '
        f"digits, none of which the model learned from, and looks for the likeliest picture that the model takes for a "
        f"3. An independent judge recognises {unit.recognised(CLEAR)} of its drawings (original attack: "
        f"{unit.recognised(SNOW)}). From a model of nothing but noise it would be {nothing.recognised(CLEAR)}.</div>"
    )

"""Predict first, then look; and tasks that are checked, with feedback that names the mistake."""

from collections.abc import Callable
from html import escape

import ipywidgets as widgets

from dpmia_lab.widgets.kit.parts import button, card, column, text


class Prediction:
    """A question with a few answers; what was measured is shown only to who has chosen one.

    ``then``: what to do after choosing, such as "press Run below, and see".
    """

    def __init__(self, question: str, answers: list[str], then: str = "run it below, and see") -> None:
        self.then = then
        self.chosen: int | None = None
        self.truth: tuple[int, str] | None = None
        self.buttons = [button(answer, lambda i=i: self.choose(i)) for i, answer in enumerate(answers)]
        self.outcome = text("")
        choices = column(*self.buttons, classes=("dp-choices",))
        self.view = card(text(f"<h3>Predict first</h3><p>{question}</p>"), choices, self.outcome, name="dp-predict")

    def choose(self, index: int) -> None:
        self.chosen = index
        for i, one in enumerate(self.buttons):
            one.disabled = True
            if i == index:
                one.add_class("chosen")
        self._show()

    def measured(self, right: int, words: str) -> None:
        """What came out: the answer that was right, and the sentence with the numbers."""
        self.truth = right, words
        self._show()

    def _show(self) -> None:
        if self.chosen is None:
            return
        if self.truth is None:
            self.outcome.value = f'<div class="dp-note">Noted. Now {self.then}.</div>'
            return
        right, words = self.truth
        verdict = (
            "As you predicted."
            if right == self.chosen
            else (f"You predicted “{escape(self.buttons[self.chosen].description)}”.")
        )
        self.outcome.value = f'<div class="dp-note"><b>{verdict}</b> {words}</div>'


def task(
    title: str,
    words: str,
    check: Callable[[], tuple[bool, str]],
    answer: widgets.Widget | None = None,
) -> widgets.VBox:
    """A target to reach; ``check()`` looks at what the reader did and says what is missing."""
    feedback = text("")

    def look() -> None:
        done, sentence = check()
        kind = "dp-note" if done else "dp-error"
        mark = "✓ Done." if done else "Not yet."
        feedback.value = f'<div class="{kind}" role="status"><b>{mark} </b>{sentence}</div>'

    parts = [text(f"<h3>{title}</h3><p>{words}</p>"), *([answer] if answer else [])]
    return card(*parts, button("Check my work", look, "dp-check-button"), feedback, name="dp-task")

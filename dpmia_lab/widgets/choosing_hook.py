"""Lesson 6 begins with the harm: two private models of the same people. Which of them would you sign?"""

from html import escape

import ipywidgets as widgets

from dpmia_lab.widgets.grid_data import Grid, Place, reference_grid
from dpmia_lab.widgets.grid_words import LATER, promise, share
from dpmia_lab.widgets.parts import button, card, row, text
from dpmia_lab.widgets.pictures import picture_html

COLUMN = 0  # σ of both: the grid's smallest


class ChoosingHook:
    """The two drawings as published; after the choice the truth, and the same two drawings blurred."""

    def __init__(self) -> None:
        self.grid = reference_grid("faces")
        self.answer = text("", "dp-hook-answer")
        there = self.grid is not None and self.grid.pictures
        self.words = text(question_html(self.grid) if there else f"<h3>Which ε would you sign?</h3><p>{LATER}</p>")
        names = ("I would sign A", "I would sign B", "Neither")
        self.buttons = [button(name, lambda i=i: self.judge(i)) for i, name in enumerate(names)] if there else []
        self.view: widgets.VBox = card(self.words, row(*self.buttons), self.answer, name="dp-choosing-hook")

    def judge(self, chosen: int) -> None:
        for i, one in enumerate(self.buttons):
            (one.add_class if i == chosen else one.remove_class)("chosen")
        self.answer.value = answer_html(self.grid)


def two_places(grid: Grid) -> tuple[Place, Place]:
    """The strictest and the loosest promise of the grid."""
    return (0, COLUMN), (len(grid.epsilons) - 1, COLUMN)


def someone(grid: Grid) -> int:
    """The one of the first people whom a blur gives away most often under the loosest promise."""
    return int(grid.pictures["recognised_smoothed"][two_places(grid)[1]].argmax())


def question_html(grid: Grid) -> str:
    who, places = someone(grid), two_places(grid)
    shown = "".join(
        figure_html(picture_html(grid.pictures["reconstruction"][place][who], f"drawing {letter}: grey noise"),
                    f"<b>{letter}</b>: {promise(cell.config, cell.numbers['delta'])}; right for "
                    f"{share(cell.numbers['test_accuracy'])} of new pictures")
        for letter, place, cell in ((one, place, grid.cell(place)) for one, place in zip("AB", places, strict=True))
    )  # fmt: skip
    return (
        f"<h3>Which ε would you sign?</h3><p>Two models put names to faces. Both were trained with differential privacy, "
        f"on pictures of the same forty people. An attacker who holds nothing but the models drew the same person from "
        f"each. You are the one who must sign the release.</p><div class='dp-three dp-two'>{shown}</div>"
    )


def answer_html(grid: Grid) -> str:
    who, places, kept = someone(grid), two_places(grid), grid.pictures
    name = escape(str(kept["names"][who]))
    shown = figure_html(picture_html(kept["truth"][who], f"photograph of {name}"), f"<b>{name}</b>, the photograph")
    for letter, place in zip("AB", places, strict=True):
        often = share(float(kept["recognised_smoothed"][place][who]))
        drawing = picture_html(kept["reconstruction_smoothed"][place][who], f"drawing {letter}, blurred")
        shown += figure_html(drawing, f"<b>{letter}</b>, blurred: recognised in {often} of {grid.config.models} models")
    return (
        f"<div class='dp-note'><b>Now the attacker blurs the same two drawings by {grid.config.smooth:g} pixels.</b> "
        f"Nothing else was done. Neither ε told you whether this would happen; an attack did, and a stronger attack may "
        f"tell more. {name} was picked <i>because</i> the blur shows the face well; nobody here exists.</div>"
        f"<div class='dp-three'>{shown}</div>"
    )


def figure_html(picture: str, caption: str) -> str:
    return f"<figure class='dp-person'>{picture}<figcaption>{caption}</figcaption></figure>"

"""Lesson 6 begins with the harm: two private models of the same people. Which of them would you sign?"""

from html import escape

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.evaluation import array_name
from dpmia_lab.widgets.choosing.data import Grid, Place, reference_grid
from dpmia_lab.widgets.choosing.words import LATER, promise, share
from dpmia_lab.widgets.kit.parts import button, card, row, text
from dpmia_lab.widgets.kit.pictures import figure_html

COLUMN = 0  # σ of both: the grid's smallest
WIDE_BLUR = 3.0  # pixels: for the eye, which likes it smoother than the judge


class ChoosingHook:
    """The two drawings as published; after the choice the truth, and what a judge makes of them."""

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


def often(grid: Grid, place: Place) -> np.ndarray:
    """(people,): in how many of the cell's models the judge recognises each, given the blurred drawings."""
    return grid.pictures[array_name("recognised", attack="smoothed")][place]


def someone(grid: Grid) -> int:
    """The one of the first people whom the judge recognises most often under the loosest promise."""
    return int(often(grid, two_places(grid)[1]).argmax())


def for_the_eye(picture: np.ndarray) -> np.ndarray:
    """(1, height, width), blurred widely, its contrast stretched to [0, 1]."""
    from scipy.ndimage import gaussian_filter

    blurred = gaussian_filter(picture[0].astype(float), WIDE_BLUR)
    return ((blurred - blurred.min()) / max(np.ptp(blurred), 1e-9))[None]


def question_html(grid: Grid) -> str:
    who, drawn = someone(grid), grid.pictures[array_name("reconstruction")]
    shown = ""
    for letter, place in zip("AB", two_places(grid), strict=True):
        cell = grid.cells[place]
        words = f"{promise(cell.config, cell.numbers['delta'])}; right for {share(cell.accuracy())} of new pictures"
        shown += figure_html(drawn[place][who], f"drawing {letter}: grey noise", f"<b>{letter}</b>: {words}")
    return (
        f"<h3>Which ε would you sign?</h3><p>Two models put names to faces. Both were trained with differential "
        f"privacy, on pictures of the same forty people. An attacker who holds nothing but the models drew the same "
        f"person from each. You are the one who must sign the release.</p><div class='dp-three dp-two'>{shown}</div>"
    )


def answer_html(grid: Grid) -> str:
    who, places, kept = someone(grid), two_places(grid), grid.pictures
    name, drawn = escape(str(kept["names"][who])), kept[array_name("reconstruction")]
    shown = figure_html(kept["truth"][who], f"photograph of {name}", f"<b>{name}</b>, the photograph")
    known = [share(float(often(grid, place)[who])) for place in places]
    for letter, place, right in zip("AB", places, known, strict=True):
        words = (
            f"<b>{letter}</b>, blurred for your eye. The judge names {name} right in <b class='dp-exposed'>{right}</b> "
            f"of {grid.config.models} such models"
        )
        shown += figure_html(for_the_eye(drawn[place][who]), f"drawing {letter}, blurred", words)
    plain = kept[array_name("reconstruction", "plain")][who]
    alt = f"{name}, drawn from a model without privacy"
    shown += figure_html(plain, alt, "For comparison: drawn from a model without privacy")
    return (
        f"<div class='dp-note'><b>To your eye both are snow, and a blur helps little. A machine sees more.</b> A small "
        f"network that knows other photographs of these people, given the drawings blurred by {grid.config.smooth:g} "
        f"pixels, names {name} right in {known[0]} of such models at A and in {known[1]} at B. Neither ε told you "
        f"that; an attack did, and a stronger attack may tell more. ({name.capitalize()} is the one of the first "
        f"{len(kept['names'])} whom it recognises most often. Nobody here exists.)</div>"
        f"<div class='dp-three dp-four'>{shown}</div>"
    )

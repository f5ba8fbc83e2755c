"""Lesson 6 begins with the harm: two private models of the same people, and a judge who finds hardly anybody."""

from html import escape

import ipywidgets as widgets

from dpmia_lab.experiments.evaluation import array_name
from dpmia_lab.widgets.choosing.data import Grid, Place, Risk, reference_grid
from dpmia_lab.widgets.choosing.words import FILTER, LATER, conditions, for_the_eye, share
from dpmia_lab.widgets.kit.parts import button, card, row, text
from dpmia_lab.widgets.kit.pictures import figure_html

COLUMN = 0  # σ of both: the grid's smallest
WHO = 0  # the first person, not chosen by result
AS_PUBLISHED = Risk(attacker="published")


class ChoosingHook:
    """The two drawings and what paper E's judge says; after the choice the truth, and what a better judge says."""

    def __init__(self) -> None:
        self.grid = reference_grid("faces")
        self.answer = text("", "dp-hook-answer")
        there = self.grid is not None and self.grid.pictures
        self.words = text(question_html(self.grid) if there else f"<h2>Which ε would you sign?</h2><p>{LATER}</p>")
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


def recognised(grid: Grid, judge: str) -> list[str]:
    """People recognised at A and at B, and in drawings from pure noise."""
    a, b = (grid.cells[place] for place in two_places(grid))
    risk = AS_PUBLISHED.by(judge)
    return [share(found.value) for found in (a.at(risk), b.at(risk), b.at(risk, "noise"))]


def question_html(grid: Grid) -> str:
    drawn, (a, b, noise) = grid.pictures[array_name("reconstruction")], recognised(grid, "judge")
    shown = ""
    for letter, place in zip("AB", two_places(grid), strict=True):
        cell = grid.cells[place]
        words = f"ε = {cell.config.epsilon:g} for a record; right for {share(cell.accuracy())} of new pictures"
        shown += figure_html(drawn[place][WHO], f"drawing {letter}: grey noise", f"<b>{letter}</b>: {words}")
    return (
        f"<div class='dp-choosing-question'><div><h2>Which ε would you sign?</h2><p>Two models put names to faces. "
        f"Both were trained with differential privacy, on pictures of the same {grid.config.people} people. An "
        f"attacker who holds nothing but the models drew the same person from each: snow. So were all "
        f"{grid.config.people}, from {grid.config.models} such models each, and paper E's judge, a small network that "
        f"knows other photographs of these people, put names to the drawings. It was right for <b>{a}</b> at A and "
        f"<b>{b}</b> at B; for {noise} where the drawings are pure noise (chance: {share(1 / grid.config.people)}). "
        f"You are the one who must sign the release.</p></div>"
        f"<div><div class='dp-three dp-two'>{shown}</div>"
        f"<small>Both ε: {conditions(cell.config, cell.numbers['delta'])}.</small></div></div>"
    )


def answer_html(grid: Grid) -> str:
    kept, (a, b, noise) = grid.pictures, recognised(grid, "matched")
    name, drawn = escape(str(kept["names"][WHO])), kept[array_name("reconstruction")]
    often, called = (kept[array_name(what, group, judge="matched")] for what, group in
                     (("recognised", "private"), ("called", "noise")))  # fmt: skip
    shown = figure_html(kept["truth"][WHO], f"photograph of {name}", f"<b>{name}</b>, the photograph")
    words = "What the judge looks for: other photographs, minus everybody's mean"
    shown += figure_html(kept["shapes"][WHO], f"what sets {name} apart", words)
    for letter, place in zip("AB", two_places(grid), strict=True):
        words = (
            f"<b>{letter}</b>, blurred for your eye. {name.capitalize()} is named right in <b class='dp-exposed'>"
            f"{share(float(often[place][WHO]))}</b> of such models; of pure noise, {share(float(called[WHO]))} is "
            f"given that name"
        )
        shown += figure_html(for_the_eye(drawn[place][WHO]), f"drawing {letter}, blurred", words)
    return (
        f"<div class='dp-note'><b>Now another judge looks at the same drawings. It recognises {a} of the people at A "
        f"and {b} at B</b>; in pure noise {noise} (chance: {share(1 / grid.config.people)}). It is no network at all "
        f"but a <b>matched filter</b>. {FILTER}. Neither ε told you that, nor did the first judge: it had never seen "
        f"noise. <b>A weak judge is a weak attack.</b> (Nobody here exists; {name} is simply the first.)</div>"
        f"<div class='dp-three dp-four'>{shown}</div>"
    )

"""The page of findings: every claim of the papers that a lesson tried, what this lab measured, and whether they agree.

Nothing here is written by hand: each line is computed from the results that ship with the lab, so it cannot go stale.
"""

from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby
from types import ModuleType

import ipywidgets as widgets

from dpmia_lab.widgets.attributes import findings as attributes
from dpmia_lab.widgets.choosing import findings as choosing
from dpmia_lab.widgets.comparing import findings as comparing
from dpmia_lab.widgets.confidences import findings as confidences
from dpmia_lab.widgets.fooling import findings as fooling
from dpmia_lab.widgets.hiding import findings as hiding
from dpmia_lab.widgets.inversion import findings as inversion
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, UNDECIDED, Checked, checked
from dpmia_lab.widgets.kit.controls import choice, field, swapped
from dpmia_lab.widgets.kit.lessons import LESSONS
from dpmia_lab.widgets.kit.parts import card, on_change, row, text
from dpmia_lab.widgets.kit.tables import Cell, Html, table_html, with_small
from dpmia_lab.widgets.mechanisms import findings as mechanisms
from dpmia_lab.widgets.membership import findings as membership

SOURCES: dict[int, ModuleType] = {
    1: inversion, 3: hiding, 4: membership, 5: mechanisms, 6: choosing, 7: attributes, 8: confidences, 9: fooling,
    10: comparing,
}  # fmt: skip
WORDS = {AGREES: "agrees", DIFFERS: "does not", UNDECIDED: "cannot be told"}
CHOICES = {AGREES: "agree", DIFFERS: "do not agree", UNDECIDED: "cannot be told"}
COLOURS = {AGREES: "dp-protected", DIFFERS: "dp-exposed", UNDECIDED: "dp-reference"}
HEADS = ("data", "this lab", "measured")


@dataclass(frozen=True)
class Line:
    lesson: int
    claim: Checked


@cache
def lines() -> tuple[Line, ...]:
    """Every claim on every data set; also what the papers did not measure, which has no verdict."""
    return tuple(Line(lesson, claim) for lesson, module in SOURCES.items() for claim in checked(module.CLAIMS))


class ClaimsPanel:
    """All claims, or those with one verdict or of one paper."""

    def __init__(self) -> None:
        self.lines = [line for line in lines() if line.claim.finding]
        papers = sorted({line.claim.paper for line in self.lines})
        self.verdict = field(choice("claims that", [("were tried", ""), *swapped(CHOICES)]), "verdict")
        self.paper = field(choice("in", [("all papers", ""), *((f"paper {p}", p) for p in papers)]), "paper")
        self.count, self.claims = text("", "dp-claim-count"), text("", "dp-claim-list")
        for control in (self.verdict, self.paper):
            on_change(control, lambda _: self.show())
        self.view = card(row(self.verdict, self.paper), self.count, self.claims, name="dp-all-claims")
        self.show()

    def shown(self) -> list[Line]:
        return [
            line
            for line in self.lines
            if self.verdict.value in ("", line.claim.finding) and self.paper.value in ("", line.claim.paper)
        ]

    def show(self) -> None:
        shown = self.shown()
        self.count.value = f"<p><b>{len(shown)}</b> comparisons: {count_words([line.claim for line in shown])}.</p>"
        lessons = list(dict.fromkeys(line.lesson for line in shown))
        self.claims.value = "".join(
            lesson_html(lesson, [line.claim for line in shown if line.lesson == lesson], opened=lesson == lessons[0])
            for lesson in lessons
        )


def count_words(claims: list[Checked]) -> str:
    counts = {verdict: sum(claim.finding == verdict for claim in claims) for verdict in WORDS}
    return (
        f"<span class='dp-protected'>{counts[AGREES]} agree</span>, <span class='dp-exposed'>{counts[DIFFERS]} do not"
        f"</span>, {counts[UNDECIDED]} cannot be told"
    )


def lesson_html(lesson: int, claims: list[Checked], opened: bool) -> str:
    """Folded: a lesson's claims, each with what the paper says and a line for each data set."""
    title = LESSONS[lesson].title
    by_claim = groupby(claims, key=lambda claim: (claim.title, claim.paper, claim.said))
    parts = [claim_html(*about, list(found)) for about, found in by_claim]
    return (
        f"<details class='dp-lesson-claims'{' open' if opened else ''}><summary><h2>Lesson {lesson}: "
        f"{escape(title)}</h2> {count_words(claims)}</summary>{''.join(parts)}</details>"
    )


def claim_html(title: str, paper: str, said: str, found: list[Checked]) -> str:
    rows = [
        (claim.data, Cell(WORDS[claim.finding], COLOURS[claim.finding]), Html(f"{claim.sentence}.")) for claim in found
    ]
    return f"<h3>{escape(title)}</h3><p>Paper {paper}: {escape(said)}.</p>{table_html(HEADS, rows, kind='dp-prose')}"


def beyond() -> widgets.VBox:
    """What the papers did not measure, and this lab did."""
    rows = [
        (
            with_small(line.claim.title, f"lesson {line.lesson}, beyond paper {line.claim.paper}"),
            line.claim.data,
            Html(f"{line.claim.sentence}."),
        )
        for line in lines()
        if not line.claim.finding
    ]
    return card(text(table_html(("question", "data", "measured"), rows, kind="dp-prose")), name="dp-beyond")


def results(lesson: int) -> widgets.VBox:
    """What a lesson measured, as a table, folded."""
    body = f"<details><summary>The numbers of lesson {lesson}</summary>{SOURCES[lesson].results_html()}</details>"
    return card(text(body), name="dp-lesson-results")

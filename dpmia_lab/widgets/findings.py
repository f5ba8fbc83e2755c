"""The page of findings: every claim of the papers that a lesson tried, what this lab measured, and whether they agree.

Nothing here is written by hand: each line is computed from the results that ship with the lab, so it cannot go stale.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from types import ModuleType

import ipywidgets as widgets

from dpmia_lab.widgets.choosing import findings as choosing
from dpmia_lab.widgets.hiding import findings as hiding
from dpmia_lab.widgets.inversion import findings as inversion
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, UNDECIDED, Checked, checked
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.parts import card, column, on_change, text
from dpmia_lab.widgets.kit.tables import Cell, Html, table_html, with_small
from dpmia_lab.widgets.landing import LESSONS
from dpmia_lab.widgets.mechanisms import findings as mechanisms
from dpmia_lab.widgets.membership import findings as membership

SOURCES: dict[int, ModuleType] = {1: inversion, 3: hiding, 4: membership, 5: mechanisms, 6: choosing}
WORDS = {AGREES: "agrees", DIFFERS: "does not", UNDECIDED: "cannot be told"}
COLOURS = {AGREES: "dp-protected", DIFFERS: "dp-exposed", UNDECIDED: "dp-reference"}
HEADS = ("claim", "data", "this lab", "measured")


@dataclass(frozen=True)
class Line:
    lesson: int
    claim: Checked


def lines() -> Iterator[Line]:
    """Those claims about which something can be said, agreed or not."""
    for lesson, module in SOURCES.items():
        for claim in checked(module.CLAIMS):
            if claim.finding in WORDS:
                yield Line(lesson, claim)


class ClaimsPanel:
    """All claims, or those with one verdict or of one paper."""

    def __init__(self) -> None:
        self.lines = list(lines())
        papers = sorted({line.claim.paper for line in self.lines})
        self.verdict = field(choice("show", [("all claims", ""), *((w, v) for v, w in WORDS.items())]), "verdict")
        self.paper = field(choice("of", [("all papers", ""), *((f"paper {p}", p) for p in papers)]), "paper")
        self.count, self.table = text("", "dp-claim-count"), text("", "dp-claim-table")
        for control in (self.verdict, self.paper):
            on_change(control, lambda _: self.show())
        self.view = card(self.verdict, self.paper, self.count, self.table, name="dp-all-claims")
        self.show()

    def shown(self) -> list[Line]:
        return [
            line
            for line in self.lines
            if self.verdict.value in ("", line.claim.finding) and self.paper.value in ("", line.claim.paper)
        ]

    def show(self) -> None:
        shown = self.shown()
        self.count.value = f"<p>{count_words(shown)}</p>"
        self.table.value = "".join(
            lesson_html(lesson, [line.claim for line in shown if line.lesson == lesson])
            for lesson in dict.fromkeys(line.lesson for line in shown)
        )


def count_words(shown: list[Line]) -> str:
    counts = {verdict: sum(line.claim.finding == verdict for line in shown) for verdict in WORDS}
    return (
        f"<b>{len(shown)}</b> comparisons: <span class='dp-protected'>{counts[AGREES]} agree</span>, "
        f"<span class='dp-exposed'>{counts[DIFFERS]} do not</span>, in {counts[UNDECIDED]} it cannot be told."
    )


def lesson_html(lesson: int, claims: list[Checked]) -> str:
    file, title, *_ = LESSONS[lesson - 1]
    heading = f'<h4>Lesson {lesson}: <a href="{file}">{escape(title)}</a></h4>'
    return heading + table_html(HEADS, [claim_row(claim) for claim in claims])


def claim_row(claim: Checked) -> list[str | Html | Cell]:
    said = with_small(claim.title, f"Paper {claim.paper}: {claim.said}.")
    verdict = Cell(Html(f"<b>{WORDS[claim.finding]}</b>"), COLOURS[claim.finding])
    return [said, claim.data, verdict, Html(f"{claim.sentence}.")]


def results(lesson: int) -> widgets.VBox:
    """What a lesson measured, as a table."""
    return column(text(SOURCES[lesson].results_html()), classes=("dp", "dp-card", "dp-lesson-results"))

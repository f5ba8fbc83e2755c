"""What cells of the teaching notebooks show: the lab's own charts, claims and words, as HTML that needs no script.

A cell ends in one of these; JupyterLab and Voilà show it, and so does a slide.
"""

import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Any

import numpy as np

from dpmia_lab.widgets.findings import COLOURS, WORDS, lines
from dpmia_lab.widgets.kit.lessons import LESSONS
from dpmia_lab.widgets.kit.look import stylesheet
from dpmia_lab.widgets.kit.pictures import picture_html
from dpmia_lab.widgets.kit.references import REFERENCES, reference_html
from dpmia_lab.widgets.kit.tables import Cell, Html, table_html

WIDTH = 880  # pixels of a chart as it is drawn; a slide makes it larger


class Shown:
    """HTML, as the value of a cell."""

    def __init__(self, html: str) -> None:
        self.html = html

    def _repr_html_(self) -> str:
        return self.html


def look() -> Shown:
    """First cell of every page: the lab's look, which a served page has already."""
    return Shown("" if os.environ.get("DPMIA_SERVED") else f"<style>{stylesheet()}</style>")


# ---- from the lesson's own list
def title(lesson: int) -> Shown:
    one = LESSONS[lesson]
    return Shown(
        f'<div class="deck-title"><p class="deck-number">Lesson {lesson}</p><h1>{escape(one.title)}</h1>'
        f'<p>{escape(one.asks)}</p><p class="deck-link"><a href="../{one.file}">Open the lesson</a></p></div>'
    )


def remember(lesson: int) -> Shown:
    """The three sentences the lesson itself ends with."""
    items = "".join(f"<li>{words}</li>" for words in LESSONS[lesson].remember)
    return Shown(f'<h2>Three things to remember</h2><ol class="deck-remember">{within_pack(items)}</ol>')


def within_pack(html: str) -> str:
    """A lesson's links, seen from one folder below it."""
    return html.replace('href="glossary.ipynb', 'href="../glossary.ipynb')


def reading(lesson: int) -> Shown:
    """What a lesson leans on, the lab's own five papers first."""
    keys = sorted(LESSONS[lesson].references, key=lambda key: not REFERENCES[key].letter)
    return Shown(f"<ul class='dp-references'>{''.join(reference_html(REFERENCES[key]) for key in keys)}</ul>")


def reading_list() -> Shown:
    """Of all lessons."""
    parts = [f"<h3>Lesson {lesson}: {escape(one.title)}</h3>{reading(lesson).html}" for lesson, one in LESSONS.items()]
    return Shown("".join(parts))


# ---- charts and pictures
def chart(draw: Callable[[int], Any], width: int = WIDTH) -> Shown:
    """What a panel of the lesson draws, such as ``MembershipPanel().results.drawn_roc``: a run that ships."""
    drawn = draw(width)
    picture = drawn.svg(f"c{zlib.crc32(drawn.alt.encode()):x}")
    named = picture.replace("<svg", f'<svg role="img" aria-label="{escape(drawn.alt)}"', 1)
    return Shown(f'<div class="deck-chart">{named}</div>')


def pairs(truth: np.ndarray, drawn: np.ndarray, words: Sequence[str]) -> Shown:
    """Truth and drawing beside each other, with a word below."""
    cells = "".join(
        f"<figure>{picture_html(left, 'training picture')}{picture_html(right, 'drawn from the model')}"
        f"<figcaption>{escape(word)}</figcaption></figure>"
        for left, right, word in zip(truth, drawn, words, strict=True)
    )
    return Shown(f'<div class="deck-pairs">{cells}</div>')


# ---- numbers and claims
def numbers(found: dict[str, str]) -> Shown:
    """Figures that a page's text uses, each with what it is: computed from the shipped results."""
    return Shown(table_html(("figure", "value"), list(found.items())))


def claims(lesson: int, *titles: str, data: str = "") -> Shown:
    """What papers claim and what came out here, of the claims whose title has one of these words in it."""
    found = [line.claim for line in lines() if line.lesson == lesson and wanted(line.claim, titles, data)]
    if not found:
        raise KeyError(f"lesson {lesson} has no claim with {titles} on {data or 'any data'}")
    rows = [(one.title, one.data, Cell(WORDS.get(one.finding, "added here"), COLOURS.get(one.finding, "")),
             Html(f"{one.sentence}.")) for one in found]  # fmt: skip
    return Shown(table_html(("claim", "data", "here", "measured"), rows, kind="dp-prose"))


def wanted(claim, titles: Iterable[str], data: str) -> bool:
    named = not titles or any(words.lower() in claim.title.lower() for words in titles)
    return named and data.lower() in claim.data.lower()

"""Slides of a lesson, out of its teaching notebook: one HTML file that needs neither network nor server.

Slides have no formulas that would have to be set: what they say they say in words and Unicode.
"""

import re
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files

from nbconvert.filters.markdown_mistune import markdown2html_mistune

from dpmia_lab.slides.notebook import TeachingCell, cells_of, lesson_file, run_cells
from dpmia_lab.widgets.kit.lessons import LESSONS
from dpmia_lab.widgets.kit.look import stylesheet

HERE = files("dpmia_lab.slides")
LAB = "http://127.0.0.1:8866"
KEYS = "→ next · ← back · O overview · N notes · D dark · F full screen · P prints one slide a page"


@dataclass
class Slide:
    parts: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def deck_html(lesson: int, lab: str = LAB) -> str:
    """``lab``: where the lab runs that the slides' links open."""
    slides = slides_of(lesson)
    sections = "\n".join(section_html(slide, number, len(slides)) for number, slide in enumerate(slides, 1))
    name = f"Lesson {lesson}: {LESSONS[lesson].title}"
    style = without_imports(stylesheet()) + (HERE / "deck.css").read_text(encoding="utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{escape(name)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>'
        f'<body class="deck"><main>{lab_links(sections, lab)}</main>'
        f'<aside class="deck-notes" aria-label="Speaker notes" hidden></aside>'
        f'<footer class="deck-foot"><span>{escape(name)}</span><span class="deck-keys">{KEYS}</span>'
        f'<span class="deck-place" role="status" aria-live="polite"></span></footer>'
        f"<script>{(HERE / 'deck.js').read_text(encoding='utf-8')}</script></body></html>\n"
    )


def slides_of(lesson: int) -> list[Slide]:
    """What is not for lecturers only and not marked to be skipped, in slides."""
    slides: list[Slide] = []
    for cell, value in run_cells([cell for cell in cells_of(lesson_file(lesson)) if not cell.for_lecturers]):
        if cell.slide == "skip":
            continue
        if cell.slide in ("slide", "subslide") or not slides:
            slides.append(Slide())
        add_to(slides[-1], cell, value)
    return slides


def add_to(slide: Slide, cell: TeachingCell, value) -> None:
    html = markdown2html_mistune(cell.source) if cell.kind == "markdown" else getattr(value, "html", "")
    if cell.slide == "notes":
        slide.notes.append(html)
    elif cell.slide == "fragment":
        slide.parts.append(f'<div class="deck-later">{html}</div>')
    else:
        slide.parts.append(html)


def section_html(slide: Slide, number: int, count: int) -> str:
    notes = f'<aside class="deck-note">{"".join(slide.notes)}</aside>' if slide.notes else ""
    return (
        f'<section aria-label="Slide {number} of {count}" data-number="{number}">'
        f'<div class="deck-body">{"".join(slide.parts)}</div>{notes}</section>'
    )


def lab_links(html: str, lab: str) -> str:
    """``../04_were_you_in.ipynb?preset=digits``, as a notebook writes it, where the lab serves it."""
    place = f'href="{escape(lab.rstrip("/"))}/voila/render/'
    return re.sub(r'<a ([^>]*)href="\.\./', rf'<a \1target="lab" {place}', html).replace("\u00b6", "")


def without_imports(style: str) -> str:
    """The lab's look asks for nothing from elsewhere; should it ever, slides do not."""
    return re.sub(r"@import[^;]*;", "", style)

"""Both ends of a page: where it stands in the course and what is on it; what to remember, what was done, and sources.

``start_lesson(1)`` is a lesson's first cell, ``end_lesson(1)`` its last.
"""

import json
from html import escape
from pathlib import Path
from urllib.parse import quote

from IPython.display import HTML, display

from dpmia_lab.widgets.kit.glossary import LINKED, PAGE, TERMS
from dpmia_lab.widgets.kit.lessons import LESSONS, Lesson
from dpmia_lab.widgets.kit.parts import start_page
from dpmia_lab.widgets.kit.references import references_html
from dpmia_lab.widgets.kit.work import WorkPanel
from dpmia_lab.words.prose import translated_prose
from dpmia_lab.words.said import language, marked, said

# anchor → heading
ENDS = marked({"remember": "Three things to remember", "work": "Your work", "references": "References"})
SAFE = "?/:@!$&'()*+,;="  # what Jupyter leaves as it is in the anchors of headings


def start_lesson(number: int) -> None:
    """The look, and the way through the course."""
    start_page()
    ways = {"←": (said("previous lesson"), number - 1), "→": (said("next lesson"), number + 1)}
    links = [way_html(sign, words, LESSONS[other]) for sign, (words, other) in ways.items() if other in LESSONS]
    show_navigation(LESSONS[number].file, links, [(anchor, said(heading)) for anchor, heading in ENDS.items()])


def start_other(file: str) -> None:
    """The same for a page that is no lesson."""
    start_page()
    show_navigation(file, [], [])


def show_navigation(file: str, ways: list[str], ends: list[tuple[str, str]]) -> None:
    """Shown as plain output, not as a widget: JupyterLab then knows what the links mean."""
    contents = [*sections(Path.cwd() / file), *ends]
    sentences = json.dumps({key: said(one.sentence) for key, one in TERMS.items()}, ensure_ascii=False)
    lines = "".join(f'<li><a href="#{escape(anchor)}">{escape(heading)}</a></li>' for anchor, heading in contents)
    parts = [
        f'<a href="index.ipynb">{said("Home")}</a>',
        *ways,
        f'<details class="dp-contents"><summary>{said("Contents")}</summary><ol>{lines}</ol></details>',
        "" if file == PAGE else f'<a href="{PAGE}">{said("Glossary")}</a>',
        f'<span hidden data-lab-terms="{escape(sentences)}"></span>',
    ]
    display(HTML(f'<nav class="dp dp-nav" aria-label="{said("Course")}">{"".join(parts)}</nav>'))


def way_html(sign: str, words: str, lesson: Lesson) -> str:
    """On a narrow page the words are there for those only who cannot see the arrow."""
    shown = f'<span aria-hidden="true">{sign}</span><span class="dp-says"> {words}</span>'
    return f'<a href="{lesson.file}" title="{escape(said(lesson.title))}">{shown}</a>'


def sections(path: Path) -> list[tuple[str, str]]:
    """Anchor and words of every second-level heading of a notebook; none where it is not there."""
    if not path.exists():
        return []
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    prose = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    lines = [line for cell in prose for line in translated_prose(cell, language()).split("\n")]
    headings = [line.removeprefix("## ").strip() for line in lines if line.startswith("## ")]
    return [(quote(heading.replace(" ", "-"), SAFE), heading) for heading in headings]


def end_lesson(number: int) -> None:
    lesson = LESSONS[number]
    points = "".join(f"<li>{said(point, **LINKED)}</li>" for point in lesson.remember)
    display(HTML(heading_html("remember") + f'<ol class="dp dp-remember">{points}</ol>' + heading_html("work")))
    display(WorkPanel(number).view)
    onward = LESSONS.get(number + 1)
    ways = [("index.ipynb", said("all lessons")), ("findings.ipynb", said("what the lessons found"))]
    if onward:
        title = said("Lesson {number}: {title}", number=number + 1, title=said(onward.title))
        ways = [(onward.file, title), *ways]
    links = " · ".join(f'<a href="{file}">{escape(words)}</a>' for file, words in ways)
    onwards = said("Next: {links}", links=links)
    sources = f'<div class="dp">{references_html(lesson.references)}<p>{onwards}</p></div>'
    display(HTML(heading_html("references") + sources))


def heading_html(anchor: str) -> str:
    return f'<h2 class="dp-heading" id="{anchor}">{said(ENDS[anchor])}</h2>'

"""``dpmia-lab slides``: a lesson's slides, or all, each as one file that opens in a browser without a network."""

import argparse
import webbrowser
from pathlib import Path

from dpmia_lab.checks import Mistake
from dpmia_lab.commands.examples import EXAMPLES, with_examples
from dpmia_lab.files import check_writable, write_whole

ABOUT = """\
Slides are cells of notebooks/teaching/lesson_NN.ipynb with Jupyter's slideshow metadata; change them there, and build
again. Answers and exam questions (cells with the tag "lecturer") are left out. Keys: arrows, O overview, N notes,
D dark, F full screen, P print (one slide a page). --lab says where your lab runs: the links on slides open it."""


def add_slides(commands) -> None:
    words = "slides of a lesson, as one file that opens in a browser"
    one = commands.add_parser("slides", help=words, description=words, **with_examples(EXAMPLES["slides"], ABOUT))
    one.add_argument("lesson", nargs="?", type=int, help="its number (default: all)")
    one.add_argument("--out", type=Path, metavar="FILE", help="default slides_NN.html, in this folder")
    one.add_argument("--lab", default="", metavar="URL", help="where the lab runs (default http://127.0.0.1:8866)")
    one.add_argument("--open", action="store_true", help="open it in the browser")
    one.set_defaults(action=write_slides)


def write_slides(chosen: argparse.Namespace) -> None:
    from dpmia_lab.slides.deck import LAB, deck_html
    from dpmia_lab.slides.notebook import lessons_with_pages

    there = lessons_with_pages()
    if chosen.lesson is not None and chosen.lesson not in there:
        known = f"{there[0]} to {there[-1]}" if there else "none: notebooks/teaching is not here"
        raise Mistake(f"lesson must be one with slides ({known}); it is {chosen.lesson}.")
    if chosen.out and chosen.lesson is None:
        raise Mistake("out names one file: say which lesson it is for, or leave it out to write all.")
    for lesson in there if chosen.lesson is None else [chosen.lesson]:
        file = chosen.out or Path(f"slides_{lesson:02d}.html")
        check_writable(file)
        content = deck_html(lesson, chosen.lab or LAB).encode()
        write_whole(file, lambda target, content=content: target.write(content))
        print(file)
        if chosen.open:
            webbrowser.open(file.resolve().as_uri())

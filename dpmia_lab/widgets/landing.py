"""The landing page: the map of lessons, and what this machine has to run them on."""

from html import escape
from pathlib import Path

import ipywidgets as widgets

from dpmia_lab.data.faces import generated_faces
from dpmia_lab.experiments import playground
from dpmia_lab.reference.shipped_runs import shipped_run
from dpmia_lab.stages import Progress, Stage
from dpmia_lab.widgets.kit.lessons import LESSONS, Lesson
from dpmia_lab.widgets.kit.parts import card, text, with_classes
from dpmia_lab.widgets.kit.pictures import picture_html
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.widgets.playground.mosaic import mosaic
from dpmia_lab.words.said import heard, said

SHOWN = 5  # people on the playground's card


def playground_card() -> widgets.VBox:
    """The first card: to be played with before the lessons, and after them."""
    result, _ = shipped_run("playground", next(iter(playground.PRESETS.values())))
    pictures = result.arrays["truth"][:SHOWN], result.arrays["pictures"][:SHOWN]
    alt = said(
        "{shown} generated people, each beside what an attacker drew from a model trained with a little noise",
        shown=SHOWN,
    )
    about = said(
        "Move one slider: twenty people fade from what an attacker can draw of them, members become harder to find, "
        "and the model gets worse. Every defence, two attacks and five small challenges; it trains while you watch."
    )
    words = f'<div><h2><a href="playground.ipynb">{said("Playground")}</a></h2><p>{about}</p></div>'
    picture = picture_html(mosaic(*pictures), alt, "dp-mosaic")
    return card(text(f'<div class="dp-play-card">{picture}{words}</div>'), name="dp-play-first")


def lesson_map(folder: Path | None = None) -> widgets.VBox:
    """A line a lesson; those whose notebook is not there yet are listed as coming."""
    folder = folder or Path.cwd()
    lines = [lesson_html(number, lesson, (folder / lesson.file).exists()) for number, lesson in LESSONS.items()]
    return card(text(f'<ol class="dp-lessons">{"".join(lines)}</ol>'), name="dp-map")


def lesson_html(number: int, lesson: Lesson, there: bool) -> str:
    """With a place where the page's script says how far the reader is."""
    title = escape(said(lesson.title))
    heading = f'<a href="{lesson.file}">{title}</a>' if there else title
    when = said("{minutes} minutes · paper {papers}", minutes=lesson.minutes, papers=lesson.papers)
    when = when if there else said("coming")
    return (
        f'<li class="{"there" if there else "coming"}"><span class="number">{number}</span>'
        f"<div><h3>{heading}</h3><p>{escape(said(lesson.asks))}</p><small>{when}</small> "
        f'<small class="dp-progress" data-lab-progress="{lesson.file}"></small></div></li>'
    )


def people_strip(people: int = 12) -> widgets.VBox:
    """Some of the people whose pictures the lessons use, drawn on the spot."""
    pictures = generated_faces(people, 2, 84, 69, seed=0)[0][::2]  # one of each
    images = "".join(picture_html(picture, said("a generated face")) for picture in pictures)
    words = said(
        "Drawn just now by this page. None of them exists, and every lesson is about what a model gives away of them."
    )
    return with_classes(card(text(f'<div class="dp-crowd">{images}</div><small>{words}</small>')), "dp-plain")


class Hardware:
    """What training will run on; looked up in the background, since PyTorch takes seconds to load."""

    def __init__(self) -> None:
        self.words = text(f"<p>{said('Looking for a graphics processor…')}</p>", "dp-hardware-words")
        self.view = card(text(f"<h3>{said('This machine')}</h3>"), self.words, name="dp-hardware")
        StageRun(found, self.show, loading="", problem=self.words).start()

    def show(self, outcome: tuple[str, str]) -> None:
        device, version = outcome
        words = said(
            "Found: <b>{device}</b>. Every lesson is made to run on two processor cores; a graphics processor is used "
            "where there is one. PyTorch {version}.",
            device=escape(heard(device)),
            version=escape(version),
        )
        self.words.value = f"<p>{words}</p>"


def found() -> Stage[tuple[str, str]]:
    """The best device there is, in words, and the version of PyTorch."""
    yield Progress(0, 1, "loading PyTorch")
    import torch

    from dpmia_lab.devices import best_device, described

    return described(best_device()), torch.__version__

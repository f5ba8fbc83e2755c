"""The landing page: the map of lessons, and what this machine has to run them on."""

from html import escape
from pathlib import Path

import ipywidgets as widgets

from dpmia_lab.data.faces import generated_faces
from dpmia_lab.stages import Progress, Stage
from dpmia_lab.widgets.kit.parts import card, text, with_classes
from dpmia_lab.widgets.kit.pictures import picture_html
from dpmia_lab.widgets.kit.stage_run import StageRun

# file, title, what it asks, minutes, papers
LESSONS = [
    ("01_model_inversion.ipynb", "Can you draw a face from a model that only knows names?",
     "Train a face recogniser, then turn it inside out.", 25, "A, E"),
    ("02_what_epsilon_buys.ipynb", "What does ε buy?",
     "Differential privacy, its noise and its accountants.", 30, "A"),
    ("03_hiding_a_class.ipynb", "Hiding a class, not a record",
     "Noise for a record, a subclass, a whole person.", 30, "A"),
    ("04_were_you_in.ipynb", "Were you in the training set?",
     "Membership inference, and why averages hide the worst case.", 30, "C"),
    ("05_local_or_central.ipynb", "Noise on the data or on the gradients?",
     "Local against central privacy, priced by φ and AOP.", 30, "C, D"),
    ("06_choosing_epsilon.ipynb", "Choosing ε by being attacked",
     "A hundred models a cell, and a risk you can accept.", 25, "E"),
]  # fmt: skip


def lesson_map(folder: Path | None = None) -> widgets.VBox:
    """A line a lesson; those whose notebook is not there yet are listed as coming."""
    folder = folder or Path.cwd()
    lines = [lesson_html(number, *lesson, (folder / lesson[0]).exists()) for number, lesson in enumerate(LESSONS, 1)]
    return card(text(f'<ol class="dp-lessons">{"".join(lines)}</ol>'), name="dp-map")


def lesson_html(number: int, file: str, title: str, asks: str, minutes: int, papers: str, there: bool) -> str:
    heading = f'<a href="{file}">{escape(title)}</a>' if there else escape(title)
    when = f"{minutes} minutes · paper {papers}" if there else "coming"
    return (
        f'<li class="{"there" if there else "coming"}"><span class="number">{number}</span>'
        f"<div><h3>{heading}</h3><p>{escape(asks)}</p><small>{when}</small></div></li>"
    )


def people_strip(people: int = 12) -> widgets.VBox:
    """Some of the people whose pictures the lessons use, drawn on the spot."""
    pictures = generated_faces(people, 2, 84, 69, seed=0)[0][::2]  # one of each
    images = "".join(picture_html(picture, "a generated face") for picture in pictures)
    words = (
        "Drawn just now by this page. None of them exists, and every lesson is about what a model gives away of them."
    )
    return with_classes(card(text(f'<div class="dp-crowd">{images}</div><small>{words}</small>')), "dp-plain")


class Hardware:
    """What training will run on; looked up in the background, since PyTorch takes seconds to load."""

    def __init__(self) -> None:
        self.words = text("<p>Looking for a graphics processor…</p>", "dp-hardware-words")
        self.view = card(text("<h3>This machine</h3>"), self.words, name="dp-hardware")
        StageRun(found, self.show, loading="", problem=self.words).start()

    def show(self, outcome: tuple[str, str]) -> None:
        device, version = outcome
        self.words.value = (
            f"<p>Found: <b>{escape(device)}</b>. Every lesson is made to run on two processor cores; "
            f"a graphics processor is used where there is one. PyTorch {escape(version)}.</p>"
        )


def found() -> Stage[tuple[str, str]]:
    """The best device there is, in words, and the version of PyTorch."""
    yield Progress(0, 1, "loading PyTorch")
    import torch

    from dpmia_lab.devices import best_device, described

    return described(best_device()), torch.__version__

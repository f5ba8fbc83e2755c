"""The first thing a reader of lesson 8 sees: forty numbers, a button, and a face that grows out of them."""

import asyncio
from html import escape

import numpy as np

from dpmia_lab.experiments import grown_face
from dpmia_lab.experiments.grown_face import CONFIG, Grown
from dpmia_lab.stages import Event, Progress, Stage
from dpmia_lab.widgets.confidences.data import SHARED, Kept
from dpmia_lab.widgets.kit.loop import page_loop
from dpmia_lab.widgets.kit.parts import button, card, column, row, text, with_classes
from dpmia_lab.widgets.kit.pictures import figure_html
from dpmia_lab.widgets.kit.stage_run import StageRun

BETWEEN = 0.15  # seconds between two moments of growing
DECADES = 9  # a bar of no height is a confidence of 1e-9 or less: the decoder too sees no further


BEFORE = (
    "<p class='dp-soft'>The decoder has learnt from pictures of two hundred other people. What grows first was "
    "computed beforehand; the page then does all of it again by itself.</p>"
)


class FaceHook:
    """What ships grows at once; meanwhile the page does all of it itself, and what it drew takes its place."""

    def __init__(self, kept: Kept = SHARED) -> None:
        self.kept = kept
        self.grown, self.here = grown_face.stored_faces(), False  # here: computed on this page
        self.who, self.moment = 0, -1  # -1: nothing is drawn yet
        self.growing: asyncio.Task | None = None
        self.bars, self.faces = text("", "dp-vector-place"), text("", "dp-grown")
        self.answer = text(BEFORE, "dp-hook-answer")
        self.press = button("Turn it back into a face", self.grow, "dp-primary", "dp-grow")
        self.again = button("Another person", self.next, "dp-small")
        words = text(
            "<h2>Forty numbers. Press, and a face grows out of them.</h2><p>A network that knows forty names was shown "
            "a photograph, and said how sure it is of each name. The photograph is gone; these are its "
            "<b>confidences</b>. Somebody who holds nothing else of it, but once asked the same network about pictures "
            "of <i>other</i> people, draws what it showed.</p>"
        )
        self.work = StageRun(self.stage, self.ended, self.happened, problem=self.answer)
        outcome = column(self.faces, self.answer, classes=("dp-outcome",))
        self.view = with_classes(
            card(words, self.bars, row(self.press, self.again), outcome, name="dp-hook"), "dp-face-hook"
        )
        self.show()

    # ---- pressed
    def grow(self) -> None:
        self._again()
        if not self.here and not self.work.running:
            self.work.start()

    def _again(self) -> None:
        if self.growing is not None:
            self.growing.cancel()
        self.growing = page_loop().create_task(self._grow())

    async def _grow(self) -> None:
        for moment in range(len(self.grown.frames)):
            self.moment = moment
            self.show()
            await asyncio.sleep(BETWEEN)

    def next(self) -> None:
        self.who = (self.who + 1) % len(self.grown.truth)
        if self.moment >= 0:
            self._again()
        self.show()

    # ---- the same on this page
    def stage(self) -> Stage[Grown]:
        return grown_face.grown_faces(self.kept.of(CONFIG))

    def happened(self, events: list[Event]) -> None:
        latest = [event for event in events if isinstance(event, Progress)]
        if latest:
            self.say(f"Drawn beforehand by the same code. This page now does it itself: {escape(latest[-1].label)} …")

    def ended(self, grown: Grown) -> None:
        self.grown, self.here = grown, True
        self._again()
        self.say(
            f"Computed on this page in {self.work.seconds:.0f} s: pictures drawn, the network trained, the decoder "
            "trained, this face decoded. The decoder never saw this person."
        )

    # ---- what is shown
    def say(self, words: str) -> None:
        self.answer.value = f'<div class="dp-note" role="status">{words}</div>'

    def show(self) -> None:
        grown, who = self.grown, self.who
        self.bars.value = vector_html(grown.vectors[who], grown.names)
        if self.moment < 0:
            self.faces.value = f"<div class='dp-three'>{''.join(places_html())}</div>"
            return
        moment = min(self.moment, len(grown.frames) - 1)
        figures = (
            (grown.frames[moment, who], "drawn from the forty numbers", f"after {grown.steps[moment]} steps"),
            (grown.truth[who], "the photograph", grown.names[grown.labels[who]]),
            (grown.average, "the average face", "what anybody draws who knows nothing"),
        )
        made = (figure_html(x, title, f"<b>{capital(title)}</b><br>{words}") for x, title, words in figures)
        self.faces.value = f"<div class='dp-three'>{''.join(made)}</div>"


def capital(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def places_html() -> list[str]:
    """Where the pictures will be."""
    titles = ("Drawn from the forty numbers", "The photograph", "The average face")
    captions = (f"<figcaption><b>{title}</b><br>&nbsp;</figcaption>" for title in titles)
    return [f'<figure class="dp-person"><span class="dp-empty"></span>{caption}</figure>' for caption in captions]


def vector_html(vector: np.ndarray, names: tuple[str, ...]) -> str:
    """A bar a name, as high as the logarithm of its confidence."""
    heights = np.clip(1 + np.log10(np.maximum(vector, 1e-30)) / DECADES, 0, 1)
    best = int(vector.argmax())
    bars = "".join(
        f'<i class="{"dp-best-bar" if place == best else ""}" style="height:{max(height, 0.01):.1%}" '
        f'title="{escape(name)}: {share:.2g}"></i>'
        for place, (height, name, share) in enumerate(zip(heights, names, vector, strict=True))
    )
    told = f"{len(vector)} confidences: {names[best]} {vector[best]:.1%}, all others together {1 - vector[best]:.2g}"
    scale = "<span>1</span><span>1 in 30,000</span><span>1 in a billion</span>"
    return (
        f'<div class="dp-vector"><div class="dp-vector-scale" aria-hidden="true">{scale}</div>'
        f'<div class="dp-vector-bars" role="img" aria-label="{escape(told)}">{bars}</div></div>'
        f"<small>Each bar a name; ten times as sure is one ninth higher. The network names {escape(names[best])} "
        f"({vector[best]:.1%}). What tells of the face is in the small ones too.</small>"
    )

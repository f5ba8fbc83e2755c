"""What an inversion run came to: faces, time-lapse, numbers with their words, distances per class."""

import asyncio

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.inversion import Config, by_class
from dpmia_lab.stages import Event, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.inversion.words import caption, numbers_html
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.parts import button, column, download_html, on_change, row, text
from dpmia_lab.widgets.kit.pictures import AT_ONCE, data_uri, pages, people_html, sheet

MEASURES = [
    ("Euclidean distance", "distance"),
    ("1 − SSIM (structure)", "ssim_distance"),
    ("correlation (scale-free)", "similarity"),
    ("the model's confidence", "confidence"),
]


class InversionView:
    """Shows a run while it happens (``live``) and when it is done (``show``); ``config`` is that of the run shown."""

    def __init__(self) -> None:
        self.config: Config | None = None
        self.result: Result | None = None
        self.truth: np.ndarray | None = None
        self.people = text(waiting_html(), "dp-fades", "dp-faces")
        self.which = field(widgets.SelectionSlider(options=[("1–10", 0)], description="which ones"), "which")
        sizes = [("small", 1), ("medium", 2), ("large", 4)]
        self.zoom = field(widgets.SelectionSlider(options=sizes, description="picture size"), "zoom")
        lapse = widgets.IntSlider(min=0, max=0, description="time-lapse: step of the attack", readout=False)
        self.frame = field(lapse, "frame")
        self.play = button("Play", self.play_or_pause, "dp-small", "dp-play", tooltip="Play the time-lapse")
        self.step_words = text("", "dp-soft", "dp-step")
        self.numbers = text("", "dp-fades", "dp-results-numbers")
        self.measure = field(choice("measure", MEASURES), "measure")
        self.chart = ChartPlace(
            self.drawn, "dpmia_lab.plots.inversion", "dp-fades", "dp-chart",
            keep="dpmia_lab_chart.png", others=self.kept_pictures,
        )  # fmt: skip
        self.charts = [self.chart]
        self.playing: asyncio.Task | None = None
        for slider in (self.which, self.zoom, self.frame):
            on_change(slider, lambda _: self.draw_people())
        on_change(self.measure, lambda _: self.chart.redraw())
        self.details = column(
            column(text("<h4>How much leaked?</h4>"), self.numbers, classes=("dp-section",)),
            column(
                text("<h4>Close to what, and closer than what?</h4>"),
                self.measure,
                self.chart.view,
                self.chart.exports,
                classes=("dp-section",),
            ),
        )
        self.details.layout.display = "none"
        self.view = column(
            text("<h4>Left: a training picture. Right: what the attacker drew, knowing only the label.</h4>"),
            self.people,
            column(row(self.play, self.step_words), self.frame, self.which, self.zoom),
            self.details,
        )

    # ---- while the run goes on
    def started(self, config: Config) -> None:
        """What is shown stays until there is more."""

    def happened(self, event: Event) -> None:
        if isinstance(event, Snapshot):
            self.begin(event.array) if event.name == "truth" else self.live(event.array, event.step)

    def begin(self, truth: np.ndarray) -> None:
        """The numbers of an earlier run stay, faded, so that nothing below jumps."""
        self.result, self.truth = None, truth
        self.pause()
        self.which.options = pages(len(truth))
        self.frame.disabled = self.which.disabled = self.play.disabled = True
        self.live(np.full_like(truth, 0.5), 0)

    def live(self, x: np.ndarray, step: int) -> None:
        shown = slice(0, AT_ONCE)
        captions = [""] * len(x[shown])
        names = [" "] * len(captions)
        self.people.value = people_html(names, self.truth[shown], x[shown], captions, self.zoom.value)
        self.step_words.value = f"step {step}" if step else "the recogniser is being trained"

    # ---- when it is done
    def show(self, result: Result) -> None:
        self.result, self.truth = result, result.arrays["truth"]
        self.frame.disabled = self.which.disabled = self.play.disabled = False
        self.pause()
        if list(self.which.options) != pages(len(self.truth)):
            self.which.options = pages(len(self.truth))
        frames = len(result.arrays["frame_steps"])
        with self.frame.hold_trait_notifications():
            self.frame.max, self.frame.value = frames, frames  # the last: as finished, after any blur
        self.numbers.value = numbers_html(result, self.config.attack)
        self.details.layout.display = ""
        self.draw_people()
        self.chart.redraw()

    def names(self) -> list[str]:
        return [str(name) for name in self.result.arrays["names"]]

    def draw_people(self) -> None:
        if self.result is None:
            return
        arrays, i = self.result.arrays, self.frame.value
        finished = i >= len(arrays["frame_steps"])
        x = arrays["reconstruction"] if finished else arrays["frames"][i]
        shown = slice(self.which.value, self.which.value + AT_ONCE)
        captions = [caption(arrays, k) if finished else "&nbsp;<br>&nbsp;" for k in range(len(x))][shown]
        self.people.value = people_html(self.names()[shown], self.truth[shown], x[shown], captions, self.zoom.value)
        step = arrays["frame_steps"][min(i, len(arrays["frame_steps"]) - 1)]
        self.step_words.value = f"finished, after {step} steps" if finished else f"step {step}"

    def drawn(self, width: int) -> Chart | None:
        if self.result is None:
            return None
        from dpmia_lab.plots.inversion import per_class_chart

        baselines = by_class(self.result, self.measure.value)
        own = baselines.pop(self.config.attack)
        return per_class_chart(own, baselines, self.measure.value, self.names(), width)

    def kept_pictures(self) -> list[str]:
        rows = [self.result.arrays["truth"], self.result.arrays["reconstruction"]]
        return [download_html("all pictures (PNG)", "dpmia_lab_pictures.png", data_uri(sheet(rows)))]

    def pause(self) -> None:
        if self.playing is not None:
            self.playing.cancel()
            self.playing = None

    def play_or_pause(self) -> None:
        if self.playing is not None and not self.playing.done():
            self.pause()
        else:
            self.playing = asyncio.get_event_loop().create_task(self._play())

    async def _play(self) -> None:
        self.play.description = "Pause"
        try:
            for i in range(self.frame.max + 1):
                self.frame.value = i
                await asyncio.sleep(0.12)
        finally:
            self.play.description = "Play"


def waiting_html() -> str:
    """Grey tiles of the size the pictures will have, so that nothing jumps when they come."""
    blank = np.full((AT_ONCE, 1, 56, 46), 0.92)
    return people_html([" "] * AT_ONCE, blank, blank, ["&nbsp;<br>&nbsp;"] * AT_ONCE)

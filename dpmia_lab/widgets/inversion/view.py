"""What an inversion run came to: faces with the verdict on them, time-lapse, numbers in words, class by class."""

import asyncio

import numpy as np

from dpmia_lab.experiments.inversion import Config
from dpmia_lab.experiments.inversion_measures import by_class
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.metrics.reconstruction import stretched_pictures
from dpmia_lab.stages import Event, Snapshot
from dpmia_lab.store import Result
from dpmia_lab.widgets.inversion.words import caption, numbers_html, verdict_html
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace
from dpmia_lab.widgets.kit.controls import choice, field, swapped
from dpmia_lab.widgets.kit.loop import page_loop
from dpmia_lab.widgets.kit.parts import button, column, download_html, fold, on_change, row, text, with_classes
from dpmia_lab.widgets.kit.pictures import AT_ONCE, data_uri, people_html, sheet
from dpmia_lab.words.said import heard, marked, said, said_many

MEASURES = marked({
    "similarity": "correlation (blind to brightness and contrast)",
    "distance": "Euclidean distance",
    "ssim_distance": "1 − SSIM (structure)",
    "confidence": "the model's confidence",
})  # fmt: skip
LARGE = 2  # people at a time, once their pictures are enlarged: the place they take stays the same
NO_WORDS = "&nbsp;<br>&nbsp;"  # below a drawing that nobody has judged yet


class InversionView:
    """Shows a run while it happens (``live``) and when it is done (``show``); ``config`` is that of the run shown."""

    def __init__(self) -> None:
        self.config: Config | None = None
        self.result: Result | None = None
        self.truth: np.ndarray | None = None
        self.first, self.at_once = 0, AT_ONCE  # which people are shown
        self.people = text("", "dp-fades", "dp-faces")
        self.verdict = text("", "dp-fades", "dp-verdict-line")
        self.which = text("", "dp-which")
        self.back = button("◀", lambda: self.turn(-1), "dp-small", tooltip=said("Previous people"))
        self.forth = button("▶", lambda: self.turn(1), "dp-small", "dp-forth", tooltip=said("Next people"))
        self.larger = button(said("Larger pictures"), self.enlarge, "dp-small", "dp-larger")
        tooltip = said("So that faint drawings show")
        switch = light.ToggleButton(description=said("Stretch contrast"), tooltip=tooltip)
        self.stretch = with_classes(switch, "dp-small", "dp-stretch")
        self.play = button(said("Play the attack"), self.play_or_pause, "dp-small", "dp-play-attack")
        self.step_words = text("", "dp-soft", "dp-step")
        lapse = light.IntSlider(min=0, max=0, description=said("moment of the attack"), readout=False)
        self.frame = field(lapse, "frame")
        self.numbers = text("", "dp-fades", "dp-results-numbers")
        self.measure = field(choice(said("measure"), swapped(MEASURES)), "measure")
        self.chart = ChartPlace(
            self.drawn, "dpmia_lab.plots.inversion", "dp-fades",
            keep="dpmia_lab_chart.png", others=self.kept_pictures, on_pick=self.turn_to,
        )  # fmt: skip
        self.charts = [self.chart]
        self.playing: asyncio.Task | None = None
        for control in (self.frame, self.stretch):
            on_change(control, lambda _: self.draw_people())
        on_change(self.measure, lambda _: self.chart.redraw())
        self.picture = column(
            text(f"<h3>{said('Left: a training picture. Right: drawn from the model.')}</h3>"),
            self.verdict,
            self.people,
            row(self.back, self.which, self.forth, self.larger, self.stretch, self.play, self.step_words),
        )
        self.details = column(
            fold(said("Step by step: any moment of the attack"), self.frame, name="dp-lapse"),
            column(text(f"<h3>{said('How much leaked?')}</h3>"), self.numbers, classes=("dp-section",)),
            column(
                text(f"<h3>{said('Close to what, and closer than what?')}</h3>"),
                self.chart.view,
                self.chart.exports,
                fold(said("Another measure"), self.measure, name="dp-measures"),
                classes=("dp-section",),
            ),
        )

    # ---- while the run goes on
    def started(self, config: Config) -> None:
        """What is shown stays until there is more."""

    def happened(self, event: Event) -> None:
        if not isinstance(event, Snapshot):
            return
        if event.name == "truth":
            self.begin(event.array)
        else:
            self.live(event.array, event.step)

    def begin(self, truth: np.ndarray) -> None:
        """What an earlier run drew, and what was said of it, stays until this one has drawn something."""
        self.pause()
        self.result, self.truth = None, truth
        self.first = min(self.first, (len(truth) - 1) // self.at_once * self.at_once)

    def live(self, x: np.ndarray, step: int) -> None:
        self.show_pictures(x, [""] * len(x), [NO_WORDS] * len(x))
        self.verdict.add_class("dp-waits")  # it is on the drawings that stood here before
        self.step_words.value = said("step {step}", step=step)

    # ---- when it is done
    def show(self, result: Result) -> None:
        self.pause()
        self.result, self.truth = result, result.arrays["truth"]
        self.first = min(self.first, (len(self.truth) - 1) // self.at_once * self.at_once)
        frames = len(result.arrays["frame_steps"])
        with self.frame.hold_trait_notifications():
            self.frame.max, self.frame.value = frames, frames  # the last: as finished, after any blur
        self.verdict.value = verdict_html(result, self.config)
        self.verdict.remove_class("dp-waits")
        self.numbers.value = numbers_html(result, self.config.attack)
        self.draw_people()
        self.chart.redraw()

    def names(self) -> list[str]:
        return [heard(str(name)) for name in self.result.arrays["names"]]

    def draw_people(self) -> None:
        if self.result is None:
            return
        arrays, i = self.result.arrays, self.frame.value
        finished = i >= len(arrays["frame_steps"])
        x = arrays["reconstruction"] if finished else arrays["frames"][i]
        captions = [caption(arrays, k) if finished else NO_WORDS for k in range(len(x))]
        self.show_pictures(x, self.names(), captions)
        step = arrays["frame_steps"][min(i, len(arrays["frame_steps"]) - 1)]
        done = said_many("finished, after {count} step", "finished, after {count} steps", step)
        self.step_words.value = done if finished else said("step {step}", step=step)

    def show_pictures(self, x: np.ndarray, names: list[str], captions: list[str]) -> None:
        """Those of all people that are looked at now."""
        end = min(self.first + self.at_once, len(x))
        shown = slice(self.first, end)
        drawn = x[shown] / 255 if x.dtype == np.uint8 else x[shown]
        drawn = stretched_pictures(drawn) if self.stretch.value else drawn
        self.people.value = people_html(names[shown], self.truth[shown], drawn, captions[shown])
        self.which.value = said("{first}–{last} of {all}", first=self.first + 1, last=end, all=len(x))
        self.back.disabled, self.forth.disabled = self.first == 0, end == len(x)

    # ---- which people, and how large
    def turn(self, pages: int) -> None:
        self.turn_to(self.first + pages * self.at_once)

    def turn_to(self, person: int | str) -> None:
        """To the people among whom that one is: also when their dot in the chart is clicked."""
        self.first = max(0, int(person)) // self.at_once * self.at_once
        self.draw_people()

    def enlarge(self) -> None:
        """Fewer people, larger, or all of them again; the page does not grow, so no control runs away."""
        large = self.at_once == AT_ONCE
        self.at_once = LARGE if large else AT_ONCE
        (self.people.add_class if large else self.people.remove_class)("dp-large")
        self.larger.description = said("Smaller pictures") if large else said("Larger pictures")
        self.turn_to(self.first)

    # ---- the chart, and files
    def drawn(self, width: int) -> Chart | None:
        if self.result is None:
            return None
        from dpmia_lab.plots.inversion import per_class_chart

        found = by_class(self.result, self.measure.value)
        own, baselines = found[self.config.attack], {name: found[name] for name in BASELINES}
        return per_class_chart(own, baselines, self.measure.value, self.names(), width)

    def kept_pictures(self) -> list[str]:
        rows = [self.result.arrays["truth"], self.result.arrays["reconstruction"]]
        return [download_html(said("all pictures (PNG)"), "dpmia_lab_pictures.png", data_uri(sheet(rows)))]

    # ---- the time-lapse
    def pause(self) -> None:
        if self.playing is not None:
            self.playing.cancel()
            self.playing = None

    def play_or_pause(self) -> None:
        if self.playing is not None and not self.playing.done():
            self.pause()
        elif self.result is not None:
            self.playing = page_loop().create_task(self._play())

    async def _play(self) -> None:
        self.play.description = said("Pause")
        try:
            for i in range(self.frame.max + 1):
                self.frame.value = i
                await asyncio.sleep(0.12)
        finally:
            self.play.description = said("Play the attack")

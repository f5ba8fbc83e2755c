"""What a position looks like: the drawings, the ROC, the trade-off, and a few numbers with their words."""

from collections import defaultdict, deque
from collections.abc import Callable

import ipywidgets as widgets

from dpmia_lab.experiments.playground import LAMBDAS, Config
from dpmia_lab.plots.playground import Caught, Dot, roc_chart, tradeoff_chart
from dpmia_lab.plots.playground_poster import poster
from dpmia_lab.reference.shipped_runs import shipped_run
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.charts import Chart, ChartPlace, chart_html, width_for
from dpmia_lab.widgets.kit.controls import choice, field, scale
from dpmia_lab.widgets.kit.opening import load
from dpmia_lab.widgets.kit.parts import column, on_change, text, with_classes
from dpmia_lab.widgets.kit.pictures import data_uri, png_bytes
from dpmia_lab.widgets.playground import words
from dpmia_lab.widgets.playground.challenges import Challenges
from dpmia_lab.widgets.playground.curves import curves_of, line_of
from dpmia_lab.widgets.playground.mosaic import mosaic_html, tiles_of
from dpmia_lab.widgets.playground.position import Position, by_judge, caught_in

PLOTS = "dpmia_lab.plots.playground"  # no matplotlib in it: there at once
HEIGHT = 205  # of both charts
MOST_DOTS = 60
POSTER, POSTER_CHART = "playground", 480  # its name on the page, and how wide its charts are



def chart_width(page: int) -> int:
    """As the stylesheet lays the page out; larger screens enlarge it."""
    if page > 1180:
        return min(page - 32, 1248) - 260 - 496 - 31
    return page - 32 - 260 - 30 if page > 800 else max(page - 24 - 30, 280)


class View:
    """``now`` is the position whose numbers are shown; ``dots`` are those that were, by data, the newest last.

    ``on_pick(key)`` hears of a dot that was clicked.
    """

    def __init__(self, on_pick: Callable[[str], None]) -> None:
        load(PLOTS)
        self.now: Position | None = None
        self.seen: Position | None = None  # whose pictures are shown
        self.plain: dict[tuple[str, int], Caught] = {}  # without a defence, by data and seed
        self.dots: defaultdict[str, deque[Dot]] = defaultdict(lambda: deque(maxlen=MOST_DOTS))
        self.mosaic, self.drawn_words = text("", "dp-play-mosaic"), text("", "dp-play-drawn")
        self.roc_words, self.bargain_words = text("", "dp-play-caught"), text("", "dp-play-bargain")
        self.roc = ChartPlace(self.draw_roc, PLOTS, "dp-play-roc-chart", width_of=chart_width)
        self.tradeoff = ChartPlace(
            self.draw_tradeoff, PLOTS, "dp-play-tradeoff-chart", width_of=chart_width, on_pick=on_pick
        )
        self.judge = field(choice("judged by", words.JUDGED_BY), "judge")
        self.measure = field(choice("leak", words.LEAKS), "leak")
        self.lam = field(scale("λ", LAMBDAS), "weight")
        self.keep, self.poster = text("", "dp-play-keep"), text("", "dp-play-poster")
        self.challenges = Challenges()
        on_change(self.judge, lambda _: self.judged())
        on_change(self.measure, lambda _: self.tradeoff.redraw())
        on_change(self.lam, lambda _: self.show_bargain())
        self.width = width_for(self.roc, self.tradeoff)
        self.parts = self.layout()

    def layout(self) -> list[widgets.Widget]:
        """Pictures, ROC, challenges, trade-off: two by two."""
        return [
            block("pictures", "What an attacker draws", [self.judge], self.mosaic, self.drawn_words),
            block("roc", "Who was in the training set?", [], self.roc.view, self.roc_words),
            block("challenges", "Can you …", [], *self.challenges.parts, self.poster),
            block("tradeoff", "What it costs", [self.measure, self.lam], self.tradeoff.view, self.bargain_words),
        ]

    # ---- a position
    def show(self, position: Position) -> None:
        """As much as is known of it; numbers of another position stand until there are new ones."""
        self.seen = position
        self.show_pictures()
        if position.whole:
            self.now = position
            if position.config.defence == "none":
                self.plain[position.config.data, position.config.seed] = position.caught
            self.drawn_words.value = words.drawn_html(position, self.judge.value)
            self.roc_words.value = words.caught_html(position)
            self.roc.redraw()
            self.show_bargain()

    def show_pictures(self) -> None:
        if self.seen is not None:
            alt = words.mosaic_words(self.seen)
            self.mosaic.value = mosaic_html(self.seen.truth, self.seen.pictures, self.judge.value == "blur", alt)

    def judged(self) -> None:
        """Another judge looks at the same drawings."""
        self.show_pictures()
        if self.now is not None:
            self.drawn_words.value = words.drawn_html(self.now, self.judge.value)
            self.challenges.heard(self.now, self.judge.value)
            self.tradeoff.redraw()

    def add_dot(self, dot: Dot, data: str) -> None:
        """One that shipped gives way to the same, computed here."""
        dots = self.dots[data]
        if dots and not dots[-1].key and dots[-1].words == dot.words:
            dots.pop()
        dots.append(dot)

    def make_poster(self, position: Position) -> None:
        """The picture of it that can be kept; the page's script makes a PNG of it."""
        charts = [chart for draw in (self.draw_roc, self.draw_tradeoff) if (chart := draw(POSTER_CHART)) is not None]
        tiles = tiles_of(position.truth, position.pictures, self.judge.value == "blur")
        picture = data_uri(png_bytes(tiles))
        lines = words.lines(position, self.judge.value, self.lam.value)
        made = poster(words.title(position), lines, picture, tiles.shape[1:], charts)
        self.poster.value = chart_html(made, POSTER, opens=False)
        self.keep.value = words.keep_html(POSTER)

    def show_bargain(self) -> None:
        """λ moved, or all of it: what is measured stays, what it is worth changes."""
        if self.now is not None:
            self.bargain_words.value = words.bargain_html(self.now, self.lam.value)
            self.tradeoff.redraw()

    # ---- charts
    def draw_roc(self, width: int) -> Chart | None:
        if self.now is None:
            return None
        return roc_chart(self.now.caught, self.undefended(self.now), width, HEIGHT)

    def undefended(self, position: Position) -> Caught | None:
        """The ROC without a defence, as it was seen here or ships."""
        config = position.config
        place = config.data, config.seed
        if place not in self.plain and (found := shipped_run("playground", undefended_of(config))) is not None:
            self.plain[place] = caught_in(found[0])
        return None if config.defence == "none" else self.plain.get(place)

    def draw_tradeoff(self, width: int) -> Chart | None:
        if self.now is None:
            return None
        config, measure = self.now.config, self.measure.value
        if measure == "recognised" and by_judge(self.judge.value) in self.now.numbers:
            measure = by_judge(self.judge.value)
        curves, here = curves_of(config.data), line_of(config)
        return tradeoff_chart(self.dots[config.data], curves, here, measure, self.lam.value, width, HEIGHT)


def block(name: str, title: str, switches: list[widgets.Widget], *children: widgets.Widget) -> widgets.VBox:
    """``switches`` stand beside the title."""
    head = with_classes(light.HBox([text(f"<h2>{title}</h2>"), *switches]), "dp-play-head")
    return column(head, *children, classes=(f"dp-play-{name}",))


def undefended_of(config: Config) -> Config:
    return Config(data=config.data, shadows=config.shadows, seed=config.seed)

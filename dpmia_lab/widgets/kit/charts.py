"""A place for a chart: drawn once the plots are loaded, anew for another width, with words for those who cannot see it.

On the page a chart is an SVG under a list of its points. Screen readers read the list, arrow keys walk it, and the
pointer finds the nearest (charts.js); a point that opens something tells Python when it is clicked.

The page comes first: matplotlib is loaded by a thread, some seconds after the page has opened or when a chart is asked
for, and the lesson need not know which.
"""

import json
from collections.abc import Callable, Sequence
from html import escape
from typing import Protocol

import ipywidgets as widgets

from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.later import Soon
from dpmia_lab.widgets.kit.opening import is_loaded, load_in_background
from dpmia_lab.widgets.kit.parts import on_change, page_width, results_width, text, with_classes
from dpmia_lab.words.said import said

# Where the page's script writes which point of which chart was clicked: [chart, key, count]. A page has one, as part of
# every panel: of a cell with two outputs Voilà may lose the second while the machine is busy.
PICKED = with_classes(light.Text(), "dp-picked", "dp-hidden")
USUAL_PAGE = 1120  # pixels, until the page's script has told


class Reading(Protocol):
    """A point: where in the picture, in shares of its size, what it is, and what a click on it opens."""

    x: float
    y: float
    name: str
    words: str
    key: str
    line: int


class Chart(Protocol):
    """As ``dpmia_lab.plots`` makes them."""

    alt: str

    def svg(self, prefix: str) -> str: ...

    def readings(self) -> Sequence[Reading]: ...


Drawing = Callable[[int], Chart | str | None]


class ChartPlace:
    """``view`` holds the chart, ``exports`` the links to keep it.

    ``draw(width)`` makes the chart; or words (HTML) to stand in its place; or None, and what stands there stays.
    ``module``: the plots that it imports, loaded when first asked for. With a ``delay``, of seconds after opening, they
    are loaded and the chart is drawn then, and not before: what is below the first screen need not keep it waiting.
    ``below()``: words under the chart. ``keep``: the file it can be kept as, offered after the links ``others()``.
    ``rest``: seconds between two drawings when it is asked for ``soon``. ``on_pick``: hears the key of a point that was
    clicked; without it no point opens anything.
    """

    def __init__(
        self,
        draw: Drawing,
        module: str,
        *classes: str,
        delay: float | None = None,
        rest: float = 0.0,
        below: Callable[[], str] = str,  # which makes "", as list makes []
        keep: str = "",
        others: Callable[[], list[str]] = list,
        width_of: Callable[[int], int] = results_width,
        on_pick: Callable[[str], None] | None = None,
    ) -> None:
        self.draw, self.module, self.below, self.on_pick = draw, module, below, on_pick
        self.keep, self.others, self.width_of = keep, others, width_of
        self.width = width_of(USUAL_PAGE)
        self.view, self.exports = text("", "dp-chart", *classes), text("", "dp-exports")
        self.name = f"chart-{self.view.model_id[:12]}"  # its own on the page
        on_change(PICKED, self._picked)
        self.soon = Soon(self.redraw, rest)
        self.early = delay is not None
        self.asked = False  # for the plots
        if delay is not None:
            self._load(delay)

    @property
    def ready(self) -> bool:
        return is_loaded(self.module)

    def redraw(self) -> None:
        """At once if it is time and the plots are there; else as soon as they are."""
        if self.early or not self.ready:
            self._load(0.0)
            return
        made = self.draw(self.width)
        if isinstance(made, str):
            self.view.value, self.exports.value = made, ""
        elif made is not None:
            self._show(made)

    def _load(self, delay: float) -> None:
        if not self.asked:
            self.asked = True
            load_in_background(self.module, delay, self.come)

    def come(self) -> None:
        """It is time, and the plots are there."""
        self.early = False
        self.redraw()

    def _show(self, chart: Chart) -> None:
        self.view.value = chart_html(chart, self.name, self.on_pick is not None) + self.below()
        if self.keep:
            words = said("this chart (PNG)")
            made_there = f'<a download="{escape(self.keep)}" data-lab-chart="{self.name}" href="#">{words}</a>'
            self.exports.value = f"<small>{said('Keep:')} </small>{' · '.join([*self.others(), made_there])}"

    def _picked(self, words: str) -> None:
        chart, key, _ = json.loads(words)
        if chart == self.name and self.on_pick is not None:
            self.on_pick(key)

    def set_page_width(self, page: int) -> None:
        width = self.width_of(page)
        if width != self.width:
            self.width = width
            self.redraw()


def chart_html(chart: Chart, name: str, opens: bool) -> str:
    """The picture, and over it the list of its points."""
    picture = chart.svg(name).replace("<svg", f'<svg role="img" aria-label="{escape(chart.alt)}"', 1)
    readings = chart.readings()
    opens = opens and any(point.key for point in readings)
    points = [point_html(point, f"{name}-{i}", opens) for i, point in enumerate(readings)]
    how = said("Points of the chart: arrow keys walk through them")
    if opens:
        how = said("Points of the chart: arrow keys walk through them, Enter shows what one stands for")
    listed = f'<div class="dp-points" role="listbox" tabindex="0" aria-label="{how}">{"".join(points)}</div>'
    return f'<div class="dp-plot" data-chart="{name}">{picture}{listed if points else ""}</div>'


def point_html(point: Reading, name: str, opens: bool) -> str:
    key = f' data-key="{escape(point.key)}"' if opens and point.key else ""
    return (
        f'<div role="option" id="{name}" data-line="{point.line}"{key} style="left:{point.x:.3%};top:{point.y:.3%}">'
        f"<b>{escape(point.name)}</b> {escape(point.words)}</div>"
    )


def width_for(*places: ChartPlace) -> widgets.Box:
    """Hidden fields, to be part of the panel: through them the page's script tells these places how wide the page is,
    and any chart which of its points was clicked.
    """
    field = page_width(lambda page: [place.set_page_width(page) for place in places])
    return with_classes(light.Box([field, PICKED]), "dp-hidden")

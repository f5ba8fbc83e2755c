"""A place for a chart: drawn once the plots are loaded, anew for another width, with words for those who cannot see it.

The page comes first: matplotlib is loaded by a thread, some seconds after the page has opened or when a chart is asked
for, and the lesson need not know which.
"""

from collections.abc import Callable
from typing import Protocol

import ipywidgets as widgets

from dpmia_lab.widgets.kit.later import Soon
from dpmia_lab.widgets.kit.opening import is_loaded, load_in_background
from dpmia_lab.widgets.kit.parts import download_html, page_width, results_width, text
from dpmia_lab.widgets.kit.pictures import chart_html, data_uri

USUAL_PAGE = 1120  # pixels, until the page's script has told


class Chart(Protocol):
    """As ``dpmia_lab.plots`` makes them."""

    alt: str

    def png(self) -> bytes: ...


Drawing = Callable[[int], Chart | str | None]


class ChartPlace:
    """``view`` holds the chart, ``exports`` the links to keep it.

    ``draw(width)`` makes the chart; or words (HTML) to stand in its place; or None, and what stands there stays.
    ``module``: the plots that it imports, loaded ``delay`` seconds after opening, or when first asked for if None.
    ``below()``: words under the chart. ``keep``: the file it can be kept as, offered after the links ``others()``.
    ``rest``: seconds between two drawings when it is asked for ``soon``.
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
    ) -> None:
        self.draw, self.module, self.below = draw, module, below
        self.keep, self.others, self.width_of = keep, others, width_of
        self.width = width_of(USUAL_PAGE)
        self.view, self.exports = text("", *classes), text("", "dp-exports")
        self.soon = Soon(self.redraw, rest)
        self.asked = False  # for the plots
        if delay is not None:
            self._load(delay)

    @property
    def ready(self) -> bool:
        return is_loaded(self.module)

    def redraw(self) -> None:
        """At once if the plots are there; else as soon as they are."""
        if not self.ready:
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
            load_in_background(self.module, delay, self.redraw)

    def _show(self, chart: Chart) -> None:
        image = chart.png()
        self.view.value = chart_html(image, chart.alt) + self.below()
        if self.keep:
            links = [*self.others(), download_html("this chart (PNG)", self.keep, data_uri(image))]
            self.exports.value = f"<small>Keep: </small>{' · '.join(links)}"

    def set_page_width(self, page: int) -> None:
        width = self.width_of(page)
        if width != self.width:
            self.width = width
            self.redraw()


def width_for(*places: ChartPlace) -> widgets.Text:
    """A hidden field, to be part of the panel: what the page's script writes into it reaches these places."""
    return page_width(lambda page: [place.set_page_width(page) for place in places])

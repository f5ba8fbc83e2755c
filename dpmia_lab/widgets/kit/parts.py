"""The small pieces every panel is made of. Nothing here knows an experiment."""

import asyncio
import os
from collections.abc import Callable
from functools import wraps
from html import escape
from importlib.resources import files
from typing import Any

import ipywidgets as widgets
from IPython.display import HTML, Javascript, display

from dpmia_lab.stages import Progress, TimeLeft

TROUBLE = widgets.HTML()  # where an error that nobody foresaw is said; a callback's exception is else invisible


def start_page() -> None:
    """First cell of every page: the look and the small script (served pages carry them already)."""
    if not os.environ.get("DPMIA_SERVED"):
        here = files("dpmia_lab.widgets.kit")
        display(HTML(f"<style>{(here / 'lab.css').read_text()}</style>"))
        display(Javascript((here / "lab.js").read_text()))
    display(with_classes(TROUBLE, "dp", "dp-trouble"))


def guarded(call: Callable) -> Callable:
    """The call, with any exception said on the page in one line."""

    @wraps(call)
    def careful(*arguments, **named):
        try:
            return call(*arguments, **named)
        except Exception as error:
            TROUBLE.value = error_html(f"Something went wrong inside the lab ({type(error).__name__}: {error}).")

    return careful


def page_poster() -> Callable[[Callable[[], None]], None]:
    """How a thread reaches the kernel's loop; call it in a cell."""
    loop = asyncio.get_event_loop()
    return lambda call: loop.call_soon_threadsafe(guarded(call))


def on_change(widget: widgets.ValueWidget, call: Callable[[Any], None]) -> None:
    """``call`` with the new value whenever the widget's changes."""
    widget.observe(guarded(lambda change: call(change["new"])), "value")


def text(content: str = "", *classes: str) -> widgets.HTML:
    return with_classes(widgets.HTML(content), *classes)


def with_classes(widget: widgets.DOMWidget, *classes: str) -> widgets.DOMWidget:
    for name in classes:
        widget.add_class(name)
    return widget


def column(*children: widgets.Widget, classes: tuple[str, ...] = ()) -> widgets.VBox:
    return with_classes(widgets.VBox(list(children)), *classes)


def row(*children: widgets.Widget) -> widgets.HBox:
    return with_classes(widgets.HBox(list(children)), "dp-row")


def page_width(call: Callable[[int], None]) -> widgets.Text:
    """A hidden field into which the page's script writes how wide the page is, now and when it changes."""
    field = with_classes(widgets.Text(), "dp-width", "dp-hidden")
    on_change(field, lambda width: call(int(width)) if width.isdigit() else None)
    return field


def results_width(page: int) -> int:
    """Pixels for a chart in a panel's wide column, as the stylesheet lays it out."""
    return min(page - 48, 1120) - 346 if page > 800 else max(page - 60, 280)


def panel(controls: list[widgets.Widget], results: list[widgets.Widget], name: str) -> widgets.VBox:
    """Controls in the narrow column, results in the wide one; below 800 px one above the other."""
    left = column(*controls, classes=("dp-controls",))
    right = column(*results, classes=("dp-results",))
    return column(left, right, classes=("dp", "dp-card", "dp-columns", name))


def card(*children: widgets.Widget, name: str = "") -> widgets.VBox:
    return column(*children, classes=("dp", "dp-card", *([name] if name else [])))


def button(label: str, on_click: Callable[[], None], *classes: str, tooltip: str = "") -> widgets.Button:
    made = with_classes(widgets.Button(description=label, tooltip=tooltip or label), *classes)
    made.on_click(guarded(lambda _: on_click()))
    return made


def number_html(value: str, title: str, means: str, colour: str = "") -> str:
    """A figure with the words that say what it means and whether high is good."""
    return (
        f'<div class="dp-number {colour}"><div>{title}</div>'
        f'<div class="value">{value}</div><div class="means">{means}</div></div>'
    )


def number_row(*numbers: str) -> str:
    """Several of them, beside each other where there is room."""
    return f'<div class="dp-numbers">{"".join(numbers)}</div>'


def error_html(sentence: str) -> str:
    return f'<div class="dp-error" role="alert">{escape(sentence)}</div>' if sentence else ""


def download_html(label: str, name: str, uri: str) -> str:
    return f'<a class="dp-download" download="{escape(name)}" href="{uri}">{escape(label)}</a>'


class RunBar(widgets.VBox):
    """Run, Stop, how far, how long still; its height stays the same."""

    def __init__(self, run_label: str, on_run: Callable[[], None], on_stop: Callable[[], None]) -> None:
        self.run = button(run_label, on_run, "dp-primary", "dp-run-button")
        self.stop = button("Stop", on_stop, "dp-stop-button")
        self.status = text("", "dp-status")
        super().__init__([row(self.run, self.stop), self.status])
        self.idle("")

    def started(self) -> None:
        self.time_left = TimeLeft()
        self.run.disabled, self.stop.disabled = True, False
        self.show(Progress(0, 1, "starting"))

    def show(self, progress: Progress) -> None:
        percent = 100 * progress.done / progress.total
        left = self.time_left.after(progress)
        words = "" if left is None else f", about {max(1, round(left))} s left"
        self.status.value = (
            f'<div class="dp-bar" role="progressbar" aria-valuemin="0" aria-valuemax="100" '
            f'aria-valuenow="{percent:.0f}" aria-label="{escape(progress.label)}">'
            f'<i style="width:{percent:.1f}%"></i></div>{escape(progress.label)}{words}'
        )

    def idle(self, words: str) -> None:
        self.run.disabled, self.stop.disabled = False, True
        self.status.value = f'<div class="dp-bar"></div><span role="status">{words}</span>'

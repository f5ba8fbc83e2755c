"""The small pieces every panel is made of. Nothing here knows an experiment."""

import os
from collections.abc import Callable, Sequence
from functools import wraps
from html import escape
from typing import Any

import ipywidgets as widgets
from IPython.display import HTML, Javascript, display

from dpmia_lab.stages import Progress, TimeLeft
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.look import script, stylesheet
from dpmia_lab.widgets.kit.loop import page_loop
from dpmia_lab.widgets.kit.unread import keep_what_is_unread
from dpmia_lab.words.said import heard, said

TROUBLE = light.HTML()  # where an error that nobody foresaw is said; a callback's exception is else invisible


def start_page() -> None:
    """First cell of every page: the look and the small script (served pages carry them already)."""
    keep_what_is_unread()
    if not os.environ.get("DPMIA_SERVED"):
        display(HTML(f"<style>{stylesheet()}</style>"))
        display(Javascript(script()))
    display(with_classes(TROUBLE, "dp", "dp-trouble"))


def guarded(call: Callable) -> Callable:
    """The call, with any exception said on the page in one line."""

    @wraps(call)
    def careful(*arguments, **named):
        try:
            return call(*arguments, **named)
        except Exception as error:
            TROUBLE.value = error_html(trouble_words(error))

    return careful


def trouble_words(error: Exception) -> str:
    name = type(error).__name__
    return said("Something went wrong inside the lab ({name}: {error}).", name=name, error=str(error))


def page_poster() -> Callable[[Callable[[], None]], None]:
    """How a thread reaches the kernel's loop; call it in a cell. A page that is gone hears nothing more."""
    loop = page_loop()
    return lambda call: None if loop.is_closed() else loop.call_soon_threadsafe(guarded(call))


def on_change(widget: widgets.ValueWidget, call: Callable[[Any], None]) -> None:
    """``call`` with the new value whenever the widget's changes."""
    widget.observe(guarded(lambda change: call(change["new"])), "value")


def text(content: str = "", *classes: str) -> widgets.HTML:
    return with_classes(light.HTML(content), *classes)


def with_classes(widget: widgets.DOMWidget, *classes: str) -> widgets.DOMWidget:
    for name in classes:
        widget.add_class(name)
    return widget


def show_if(there: bool, *parts: widgets.DOMWidget) -> None:
    """Whether they are on the page at all."""
    for part in parts:
        (part.remove_class if there else part.add_class)("dp-absent")


def column(*children: widgets.Widget, classes: tuple[str, ...] = ()) -> widgets.VBox:
    return with_classes(light.VBox(list(children)), *classes)


def row(*children: widgets.Widget) -> widgets.HBox:
    return with_classes(light.HBox(list(children)), "dp-row")


def page_width(call: Callable[[int], None]) -> widgets.Text:
    """A hidden field into which the page's script writes how wide the page is, now and when it changes."""
    field = with_classes(light.Text(), "dp-width", "dp-hidden")
    on_change(field, lambda width: call(int(width)) if width.isdecimal() else None)
    return field


def pressed(call: Callable[[int], None]) -> widgets.Text:
    """A hidden field into which the page's script writes the number of a picture that was pressed in the same panel.

    Pictures are marked by ``data-pick``; there must be a slider that does the same, for those without a pointer.
    """
    field = with_classes(light.Text(), "dp-pressed", "dp-hidden")

    def take(number: str) -> None:
        if number.isdecimal():
            field.value = ""  # so that the same one can be pressed again
            call(int(number))

    on_change(field, take)
    return field


def results_width(page: int) -> int:
    """Pixels for a chart in a panel's wide column, as the stylesheet lays it out."""
    return min(page - 48, 1120) - 346 if page > 800 else max(page - 60, 280)


def fold(title: str, *children: widgets.Widget, name: str = "") -> widgets.VBox:
    """Widgets that show once the title is pressed; the page's script opens and closes it, Python need not know."""
    head = text(f'<button class="dp-fold-button" aria-expanded="false">{escape(title)}</button>')
    body = column(*children, classes=("dp-fold-body",))
    return column(head, body, classes=("dp-fold", *([name] if name else [])))


def panel(
    name: str,
    controls: Sequence[widgets.Widget],
    picture: Sequence[widgets.Widget],
    details: Sequence[widgets.Widget] = (),
    run: Sequence[widgets.Widget] = (),
    more: Sequence[widgets.Widget] = (),
) -> widgets.VBox:
    """One screen: the few controls that matter and the run bar beside the picture they change, the rest below it.

    The narrow column stays in view while the wide one scrolls. On a phone the picture comes first; the controls are a
    drawer below it. ``more`` is folded away as "More settings".
    """
    settings = column(*controls, *([fold(said("More settings"), *more, name="dp-more")] if more else []))
    drawer = with_classes(fold(said("Settings"), settings), "dp-drawer")
    left = column(drawer, column(*run, classes=("dp-run-place",)), classes=("dp-controls",))
    parts = [left, column(*picture, classes=("dp-results", "dp-picture"))]
    parts += [column(*details, classes=("dp-results", "dp-details"))] if details else []
    return column(*parts, classes=("dp", "dp-card", "dp-columns", name))


def card(*children: widgets.Widget, name: str = "") -> widgets.VBox:
    return column(*children, classes=("dp", "dp-card", *([name] if name else [])))


def button(label: str, on_click: Callable[[], None], *classes: str, tooltip: str = "") -> widgets.Button:
    made = with_classes(light.Button(description=label, tooltip=tooltip or label), *classes)
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
    return f'<div class="dp-error" role="alert">{escape(heard(sentence))}</div>' if sentence else ""


def download_html(label: str, name: str, uri: str) -> str:
    return f'<a class="dp-download" download="{escape(name)}" href="{uri}">{escape(label)}</a>'


class RunBar(light.VBox):
    """Run, Stop, how far, how long still; its height stays the same.

    ``live`` is the switch by which moving a slider is running; it is there only where a run is quick enough.
    """

    def __init__(self, run_label: str, on_run: Callable[[], None], on_stop: Callable[[], None]) -> None:
        self.run = button(run_label, on_run, "dp-primary", "dp-run-button")
        self.stop = button(said("Stop"), on_stop, "dp-stop-button")
        switch = light.Checkbox(value=True, description=said("live: follows the sliders"), indent=False)
        self.live = with_classes(switch, "dp-check", "dp-live-switch", "dp-absent")
        self.status = text("", "dp-status")
        super().__init__([row(self.run, self.stop), self.live, self.status])
        self.idle("")

    def offer_live(self, offered: bool) -> None:
        show_if(offered, self.live)

    def started(self) -> None:
        self.time_left = TimeLeft()
        self.run.disabled, self.stop.disabled = True, False
        self.show(Progress(0, 1, "starting"))

    def show(self, progress: Progress) -> None:
        percent = 100 * progress.done / progress.total
        left = self.time_left.after(progress)
        words = "" if left is None else said(", about {seconds} s left", seconds=max(1, round(left)))
        label = escape(heard(progress.label))
        self.status.value = (
            f'<div class="dp-bar" role="progressbar" aria-valuemin="0" aria-valuemax="100" '
            f'aria-valuenow="{percent:.0f}" aria-label="{label}">'
            f'<i style="width:{percent:.1f}%"></i></div>{label}{words}'
        )

    def idle(self, words: str) -> None:
        self.run.disabled, self.stop.disabled = False, True
        self.status.value = f'<div class="dp-bar"></div><span role="status">{words}</span>'

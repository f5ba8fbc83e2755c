"""Controls for the fields of a Config: each knows when it does not apply, and is then not there."""

from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from html import escape
from typing import Any

import ipywidgets as widgets

from dpmia_lab.checks import Mistake
from dpmia_lab.options import number_text, whole_number
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.parts import column, on_change, show_if, text, with_classes
from dpmia_lab.words.said import local, said

Reason = Callable[[dict[str, Any]], str]  # "" where the control applies


def always(_: dict[str, Any]) -> str:
    return ""


def scale(label: str, values: Sequence[float]) -> widgets.SelectionSlider:
    """A slider over a few sensible values, mostly log-spaced."""
    options = [(local(number_text(value)), value) for value in values]
    return light.SelectionSlider(options=options, description=label, continuous_update=True)


def choice(label: str, options: Sequence[tuple[str, Any]]) -> widgets.Dropdown:
    return light.Dropdown(options=list(options), description=label)


class NumberField(light.Text):
    """A number that is typed: taken as it was written (1e4 is ten thousand), or refused in words.

    The browser's own number fields drop what they do not know: 1e4 becomes 14, and 3.5 becomes 35.
    """

    def __init__(self, label: str, kind: type = int) -> None:
        super().__init__(value="0", description=label, continuous_update=False)
        self.kind, self.called = kind, label

    def number(self) -> float:
        """Raises Mistake where the words are no such number."""
        words = self.value.strip()
        try:
            return whole_number(words) if self.kind is int else float(words)
        except ValueError:
            word = "a whole number" if self.kind is int else "a number"
            raise Mistake(f"{self.called} must be {word}; it is {words!r}.") from None


def plain_field(option: Field) -> widgets.ValueWidget:
    """For an option that has no control made for it: its help line without the defence's name, a field of its type."""
    words, usual = option.metadata["help"].partition(": ")[2], option.default
    if isinstance(usual, bool):
        return light.Checkbox(value=usual, description=words, indent=False)
    return NumberField(words, type(usual)) if isinstance(usual, int | float) else light.Text(description=words)


def value_of(widget: widgets.ValueWidget) -> Any:
    return widget.number() if isinstance(widget, NumberField) else widget.value


def number_or_none(widget: widgets.ValueWidget) -> Any:
    """What a control stands at; None for a field whose words are no number."""
    try:
        return value_of(widget)
    except Mistake:
        return None


def swapped(words: dict[Any, str]) -> list[tuple[str, Any]]:
    """Words by name, as a choice wants them."""
    return [(said(one), name) for name, one in words.items()]


def field(control: widgets.ValueWidget, name: str) -> widgets.ValueWidget:
    """The control with the look of one, its label above it; ``dp-name`` is its class."""
    return with_classes(control, "dp-check" if isinstance(control, widgets.Checkbox) else "dp-field", f"dp-{name}")


class Controls:
    """Widgets by field name; ``reasons`` tell when one does not apply.

    Such a control is not shown; ``absent``, a line for the end of the settings, says what there is besides, and when.
    """

    def __init__(
        self,
        make: Callable[..., Any],
        made: dict[str, widgets.ValueWidget],
        reasons: dict[str, Reason],
        after_change: Callable[[], None],
    ) -> None:
        self.make, self.made, self.reasons, self.after_change = make, made, reasons, after_change
        self.absent = text("", "dp-absent-words")
        self.setting = False
        for name, widget in made.items():
            if isinstance(widget, NumberField):
                widget.called = name
            on_change(field(widget, name), self._changed)
        self._mark()

    def group(self, *names: str) -> widgets.VBox:
        return column(*(self.made[name] for name in names))

    def values(self) -> dict[str, Any]:
        """Raises Mistake where a field's words are no number."""
        return {name: value_of(widget) for name, widget in self.made.items()}

    def config(self) -> Any:
        """The configuration the controls stand at; raises Mistake where the values do not fit."""
        return self.make(**self.values())

    def set(self, config: Any) -> None:
        """Move every control to the configuration's value, as one change."""
        self.move({option.name: getattr(config, option.name) for option in fields(config) if option.name in self.made})

    def move(self, values: dict[str, Any]) -> None:
        """Some controls, as one change."""
        self.setting = True
        try:
            for name, value in values.items():
                set_value(self.made[name], value)
        finally:
            self.setting = False
        self._changed(None)

    def _changed(self, _) -> None:
        if not self.setting:
            self._mark()
            self.after_change()

    def _mark(self) -> None:
        values = {name: number_or_none(widget) for name, widget in self.made.items()}
        others = []
        for name, reason in self.reasons.items():
            widget, why = self.made[name], reason(values)
            show_if(not why, widget)
            others += [f"<b>{escape(widget.description)}</b>: {why}"] if why else []
        more = said("There is more that does not apply now.")
        self.absent.value = f"<p>{more} {' '.join(others)}</p>" if others else ""


def set_value(widget: widgets.ValueWidget, value: Any) -> None:
    """Also a value that is not among a slider's steps, as a link may carry it."""
    if isinstance(widget, NumberField):
        value = str(value)
    if isinstance(widget, widgets.Dropdown) and value not in [v for _, v in widget.options]:
        widget.options = [*widget.options, (str(value), value)]
    if isinstance(widget, widgets.SelectionSlider) and value not in [v for _, v in widget.options]:
        steps = sorted({*(v for _, v in widget.options), value})
        widget.options = [(local(number_text(step)), step) for step in steps]
    widget.value = value

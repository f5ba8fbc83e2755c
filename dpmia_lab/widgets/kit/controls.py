"""Controls for the fields of a Config: each knows when it does not apply, and says why."""

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

import ipywidgets as widgets

from dpmia_lab.options import number_text
from dpmia_lab.widgets.kit.parts import column, on_change, text, with_classes

Reason = Callable[[dict[str, Any]], str]  # "" where the control applies


def always(_: dict[str, Any]) -> str:
    return ""


def scale(label: str, values: Sequence[float]) -> widgets.SelectionSlider:
    """A slider over a few sensible values, mostly log-spaced."""
    options = [(number_text(value), value) for value in values]
    return widgets.SelectionSlider(options=options, description=label, continuous_update=True)


def choice(label: str, options: Sequence[tuple[str, Any]]) -> widgets.Dropdown:
    return widgets.Dropdown(options=list(options), description=label)


def swapped(words: dict[Any, str]) -> list[tuple[str, Any]]:
    """Words by name, as a choice wants them."""
    return [(said, name) for name, said in words.items()]


def field(control: widgets.ValueWidget, name: str) -> widgets.ValueWidget:
    """The control with the look of one, its label above it; ``dp-name`` is its class."""
    control.style.description_width = "initial"
    return with_classes(control, "dp-check" if isinstance(control, widgets.Checkbox) else "dp-field", f"dp-{name}")


class Controls:
    """Widgets by field name; ``reasons`` tell when one does not apply."""

    def __init__(
        self,
        make: Callable[..., Any],
        made: dict[str, widgets.ValueWidget],
        reasons: dict[str, Reason],
        after_change: Callable[[], None],
    ) -> None:
        self.make, self.made, self.reasons, self.after_change = make, made, reasons, after_change
        self.why = {name: text("", "dp-reason") for name in made}
        self.setting = False
        for name, widget in made.items():
            on_change(field(widget, name), self._changed)
        self._mark()

    def group(self, *names: str) -> widgets.VBox:
        return column(*(widget for name in names for widget in (self.made[name], self.why[name])))

    def values(self) -> dict[str, Any]:
        return {name: widget.value for name, widget in self.made.items()}

    def config(self) -> Any:
        """The configuration the controls stand at; raises Mistake where the values do not fit."""
        return self.make(**self.values())

    def set(self, config: Any) -> None:
        """Move every control to the configuration's value, as one change."""
        self.setting = True
        try:
            for option in fields(config):
                if option.name in self.made:
                    set_value(self.made[option.name], getattr(config, option.name))
        finally:
            self.setting = False
        self._changed(None)

    def _changed(self, _) -> None:
        if not self.setting:
            self._mark()
            self.after_change()

    def _mark(self) -> None:
        values = self.values()
        for name, reason in self.reasons.items():
            why = reason(values)
            self.made[name].disabled = bool(why)
            self.why[name].value = why
            self.why[name].layout.display = "" if why else "none"


def set_value(widget: widgets.ValueWidget, value: Any) -> None:
    """Also a value that is not among a slider's steps, as a link may carry it."""
    if isinstance(widget, widgets.SelectionSlider) and value not in [v for _, v in widget.options]:
        steps = sorted({*(v for _, v in widget.options), value})
        widget.options = [(number_text(step), step) for step in steps]
    widget.value = value

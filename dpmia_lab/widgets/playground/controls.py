"""The playground's controls: data, a defence, and of all sliders those that belong to it."""

from typing import Any

import ipywidgets as widgets

from dpmia_lab.experiments.playground import PLAYED, Slider
from dpmia_lab.options import number_text
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import Reason, choice
from dpmia_lab.widgets.kit.upload import OWN, OWN_WORDS
from dpmia_lab.widgets.playground.linked import SIGMAS

SETS = {"faces": "faces of 20 people", "purchases_like": "shopping carts, 10 styles", OWN: OWN_WORDS}
SYMBOLS = {"sigma": "σ", "q": "q", "unit": "unit", "k_sub": "k", "lam": "λ", "r": "r", "dropout": "share",
           "epsilon_i": "ε_i", "after": "epochs", "smoothing": "s"}  # fmt: skip


def controls() -> dict[str, widgets.ValueWidget]:
    """By the field that each sets."""
    sliders = {slider.field: slider for played in PLAYED.values() for slider in played.sliders}
    return {
        "data": choice("data", [(words, name) for name, words in SETS.items()]),
        "defence": choice("defence", [(played.title, name) for name, played in PLAYED.items()]),
        **{name: slider_of(slider) for name, slider in sliders.items()},
    }


def slider_of(slider: Slider) -> widgets.ValueWidget:
    values = SIGMAS if slider.field == "sigma" else slider.values
    return light.SelectionSlider(options=[(said(value), value) for value in values], description=slider.words)


def said(value: Any) -> str:
    return value if isinstance(value, str) else number_text(value)


def belongs_to(name: str) -> Reason:
    """A slider that is not one of the defence's is not there."""

    def reason(values: dict[str, Any]) -> str:
        fields = [slider.field for slider in PLAYED[values["defence"]].sliders]
        there = name in fields and not (name == "k_sub" and values["unit"] == "class")
        return "" if there else "It belongs to another defence."

    return reason


def reasons() -> dict[str, Reason]:
    return {slider.field: belongs_to(slider.field) for played in PLAYED.values() for slider in played.sliders}

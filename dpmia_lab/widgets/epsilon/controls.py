"""The controls of lesson 2's training: one for each setting of the experiment, with the words a reader meets."""

import ipywidgets as widgets

from dpmia_lab.experiments import private_training
from dpmia_lab.options import number_text
from dpmia_lab.privacy.accounting import NEIGHBOURS
from dpmia_lab.privacy.units import UNITS
from dpmia_lab.widgets.kit.controls import choice, scale

MODEL_WORDS = {"softmax": "softmax regression", "mlp": "one hidden layer", "cnn": "convolutional network"}
PRESET_WORDS = {
    "faces": "faces, softmax",
    "digits": "digits, softmax",
    "digits-hidden-layer": "digits, one hidden layer",
    "digits-cnn": "digits, convolutional (half a minute)",
}
OPTIMIZER_WORDS = {"sgd": "plain steps", "momentum": "momentum", "adam": "Adam"}


def only_faces(values: dict) -> str:
    return "" if values["data"].split(":")[0] in ("faces", "att_faces") else "This set has its own classes."


def only_subclasses(values: dict) -> str:
    return "" if values["unit"] == "subclass" else "Only subclasses are made by clustering."


REASONS = {"people": only_faces, "k_sub": only_subclasses}


def delta_scale() -> widgets.SelectionSlider:
    values = (1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 0.001, 0.01)
    options = [("below 1/units", 0.0), *((number_text(value), value) for value in values)]
    return widgets.SelectionSlider(options=options, description="δ, chance it fails")


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    """``sets``: the data sets there are, as (words, name)."""
    return {
        "data": choice("data set", sets),
        "people": scale("people", (5, 10, 20, 40)),
        "model": choice("model", [(words, name) for name, words in MODEL_WORDS.items()]),
        "unit": choice("what is hidden", [(words, name) for name, words in UNITS.items()]),
        "k_sub": scale("k_sub, subclasses a class", (1, 2, 4, 7, 10, 20, 50, 100)),
        "neighbours": choice("neighbouring data sets", [(words, name) for name, words in NEIGHBOURS.items()]),
        "sigma": scale("σ, noise a step", (0.05, 0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0)),
        "q": scale("q, chance to join a step", (0.001, 0.01, 0.03, 0.06, 0.1, 0.25, 0.5, 1.0)),
        "clip": scale("S, clipping norm", (0.1, 0.3, 1.0, 3.0, 10.0)),
        "steps": scale("T, steps", (10, 30, 50, 100, 150, 200, 300, 400, 600, 1000, 2000)),
        "rate": scale("η, size of a step", (0.01, 0.03, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)),
        "optimizer": choice("steps are taken with", [(OPTIMIZER_WORDS[n], n) for n in private_training.OPTIMIZERS]),
        "budget": scale("budget of ε (0: none)", (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 20.0)),
        "delta": delta_scale(),
        "seed": widgets.IntText(description="seed (fixes every random choice)"),
    }

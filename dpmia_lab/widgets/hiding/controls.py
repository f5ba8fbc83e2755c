"""The controls of lesson 3: one for each setting of the experiment, with the words a reader meets."""

import ipywidgets as widgets

from dpmia_lab.experiments import inversion
from dpmia_lab.experiments.hiding import STRONGER
from dpmia_lab.privacy.accounting import NEIGHBOURS
from dpmia_lab.widgets.kit.controls import NumberField, choice, scale, swapped
from dpmia_lab.widgets.kit.words import MODEL_WORDS, only_faces

PRESET_WORDS = {
    "faces": "faces: hide a person (class)",
    "digits": "digits: hide a style of writing (subclass)",
    "digits-prior": "digits, public pictures",
    "digits-cnn": "digits, convolutional network (slow)",
}
UNIT_WORDS = {"class": "a whole class (person, digit)", "subclass": "a subclass (a cluster)"}
CHARTED = {
    "similarity": "correlation (scale-free)",
    "ssim_distance": "1 − SSIM (structure)",
    "distance": "Euclidean distance (misleads: see lesson 1)",
}
# the curves
SETS = {"faces": "generated faces", "digits": "MNIST digits"}
SWEPT = {"record": "σ of the record-level model", "unit": "σ of the (sub)class-level model", "k_sub": "k_sub"}


def only_subclasses(values: dict) -> str:
    return "" if values["unit"] == "subclass" else "Only subclasses have a number: a class is one."


REASONS = {"people": only_faces, "k_sub": only_subclasses}


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    """``sets``: the data sets there are, as (words, name)."""
    return {
        "data": choice("data set", sets),
        "people": scale("people", (10, 20, 40, 80, 120)),
        "model": choice("model", [(MODEL_WORDS[name], name) for name in inversion.MODELS]),
        "unit": choice("hide, beside a record,", swapped(UNIT_WORDS)),
        "k_sub": scale("k_sub, subclasses a class", (1, 2, 5, 10, 20, 50, 100, 200)),
        "accuracy": scale("test accuracy both must reach", (0.3, 0.4, 0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)),
        "q": scale("q, chance to join a step", (0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 1.0)),
        "steps": scale("T, steps", (15, 30, 60, 100, 150, 300, 600)),
        "clip": scale("S, clipping norm of a gradient", (0.1, 0.3, 1.0, 3.0, 10.0)),
        "rate": scale("η, size of a step", (0.1, 0.3, 1.0, 1.5, 3.0, 6.0)),
        "neighbours": choice("neighbouring data sets", swapped(NEIGHBOURS)),
        "stronger": choice("the stronger attacker draws", swapped(STRONGER)),
        "repeats": scale("seeds, for the spread", (1, 2, 3, 5)),
        "seed": NumberField("first seed (fixes every random choice)"),
    }

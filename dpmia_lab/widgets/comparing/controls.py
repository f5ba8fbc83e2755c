"""The controls of a reader's own cell, with the words a reader meets."""

from dataclasses import Field
from typing import Any

import ipywidgets as widgets

from dpmia_lab.defences.compared import COMPARED, TABLE_ONLY, titles
from dpmia_lab.experiments.comparing_config import Config, is_table
from dpmia_lab.options import options_of
from dpmia_lab.widgets.kit.controls import NumberField, Reason, choice, plain_field, scale, swapped
from dpmia_lab.widgets.kit.upload import OWN, OWN_WORDS
from dpmia_lab.widgets.kit.words import SEED

DEFENCE_WORDS = titles() | {
    "none": "no defence",
    "central": "DP-SGD: noise on gradients",
    "local": "noise on the records themselves",
    "regularised": "dropout and weight decay",
    "units": "DP-SGD for a whole class or person",
}
STRENGTH = {  # the one slider that stands beside the picture
    "central": "epsilon",
    "local": "epsilon_i",
    "regularised": "dropout",
    "units": "unit_sigma",
    "stopping": "stop_after",
    "smoothing": "smoothing",
    "masking": "mask",
    "relaxloss": "alpha",
    "hamp": "hamp_entropy",
    "adversarial": "adversary",
    "dap": "r",
    "mid": "mid_lam",
    "uniform_noise": "noise",
}
MASKS = {"round": "rounded", "top": "only the largest told", "label": "only the label told", "temperature": "flattened"}
FEEDS = {"train": "training records (DAP_t)", "validation": "validation records (DAP_v)"}
LAYERS = {"last": "the last layer, as published", "all": "all layers, as printed"}
KEEPS = {"aop": "that of the highest AOP", "last": "the last"}
UNITS = {"class": "a class, or person", "subclass": "a part of one"}
MODEL_CHOICES = {
    "softmax": "softmax regression",
    "mlp": "one hidden layer",
    "cnn": "convolutional network",
    "regression": "linear regression (tables)",
    "tree": "a tree, ID3 (tables)",
}


def option_fields() -> dict[str, Field]:
    """Every option of every defence, by its name among the settings."""
    return {name: option for kind in COMPARED.values() for name, option in options_of(kind).items()}


def others_of_defences() -> list[str]:
    """Options that are folded away."""
    return [name for name in option_fields() if name not in STRENGTH.values()]


def only_under(defence: str) -> Reason:
    title = DEFENCE_WORDS[defence].split(":")[0]
    return lambda values: "" if values["defence"] == defence else f"Only with “{title}”."


def only_generated(values: dict[str, Any]) -> str:
    return "" if values["data"] == "purchases_like" else "Only the carts have it."


def only_faces(values: dict[str, Any]) -> str:
    return "" if values["data"] == "faces" else "Only the faces have it."


def only_hidden(values: dict[str, Any]) -> str:
    return "" if values["model"] == "mlp" else "Only a model with one hidden layer has it."


def only_tables(values: dict[str, Any]) -> str:
    return "" if values["defence"] in TABLE_ONLY else "Only defences of regressions and trees have it."


def reasons() -> dict[str, Reason]:
    of_defences = {name: only_under(defence) for defence, kind in COMPARED.items() for name in options_of(kind)}
    of_data = {"classes": only_generated, "people": only_faces, "width": only_hidden, "strength": only_tables}
    return of_defences | of_data


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    """``sets``: the data sets there are, as (words, name)."""
    made = {
        "data": choice("data", [*sets, (OWN_WORDS, OWN)]),
        "defence": choice("defence", swapped(DEFENCE_WORDS)),
        "epsilon": scale("ε for a record (0: the noise z)", (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)),
        "epsilon_i": scale("ε of a bit or pixel", (0.1, 0.3, 1.0, 2.0, 3.0, 4.0, 6.0)),
        "dropout": scale("dropout, share of units", (0.0, 0.2, 0.3, 0.5, 0.6, 0.7, 0.9)),
        "unit_sigma": scale("σ, noise multiplier", (0.05, 0.1, 0.2, 0.5, 1.0, 2.0)),
        "stop_after": scale("stop after epochs (0: the best AOP)", (0, 1, 2, 3, 5, 8, 10, 12, 15, 20, 25)),
        "smoothing": scale("s, smoothing", (-0.3, -0.1, 0.05, 0.1, 0.3, 0.5, 0.7)),
        "mask": choice("confidences are", swapped(MASKS)),
        "alpha": scale("α, the loss that is left", (0.1, 0.3, 0.5, 0.8, 1.0, 1.3, 1.6, 2.0)),
        "hamp_entropy": scale("entropy of labels (1: uniform)", (0.2, 0.4, 0.5, 0.6, 0.8, 0.9, 0.95)),
        "adversary": scale("λ of the attacker's gain", (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0)),
        "r": scale("r, weight of fooling", (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)),
        "mid_lam": scale("λ, weight of the code's information", (0.001, 0.003, 0.01, 0.03, 0.1, 0.3)),
        "noise": scale("noise on a confidence, at most", (0.03, 0.1, 0.2, 0.3, 0.5)),
        "strength": scale("how strong (ridge, ε, λ or depth)", (0.0, 0.1, 0.3, 0.6, 1.0, 2.0, 4.0)),
        "z": scale("z, noise a step", (0.1, 0.2, 0.3, 0.5, 0.8, 1.0, 2.0, 4.0)),
        "feed": choice("the protecting step sees", swapped(FEEDS)),
        "layers": choice("the protecting step moves", swapped(LAYERS)),
        "keep": choice("the epoch that is kept", swapped(KEEPS)),
        "unit": choice("what is hidden", swapped(UNITS)),
        "model": choice("model", swapped(MODEL_CHOICES)),
        "records": scale("n, records trained on", (40, 60, 100, 150, 200, 300, 400, 600, 800)),
        "classes": scale("C, classes", (2, 4, 5, 10, 20, 50)),
        "people": scale("people", (5, 10, 20, 40)),
        "epochs": scale("epochs: times each is seen", (3, 5, 10, 15, 20, 30, 60, 100)),
        "width": scale("width of the hidden layer", (8, 16, 32, 64, 128, 256)),
        "rate": scale("η, size of a step", (0.0005, 0.001, 0.002, 0.005, 0.01, 0.03)),
        "private_rate": scale("η under DP-SGD", (0.002, 0.005, 0.01, 0.02, 0.05)),
        "shadows": scale("models, each a target in its turn", (6, 8, 12, 16, 24, 32, 64)),
        "canaries": scale("canaries of either kind", (0, 4, 10, 20, 30, 50)),
        "seed": NumberField(SEED),
    }
    return made | {name: plain_field(option) for name, option in option_fields().items() if name not in made}


def kind_of_data(config: Config) -> str:
    """The grid that a cell lies on: carts, faces or patients; "" for records of the reader's own."""
    if config.data == "purchases_like":
        return "carts"
    return "faces" if config.data == "faces" else "patients" if is_table(config.data) else ""

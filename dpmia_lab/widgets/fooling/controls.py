"""The controls of lesson 9, with the words a reader meets."""

from dataclasses import Field
from typing import Any

import ipywidgets as widgets

from dpmia_lab.game.settings import MODELS, OFFERED
from dpmia_lab.options import options_of
from dpmia_lab.widgets.kit.controls import NumberField, Reason, choice, plain_field, scale, swapped
from dpmia_lab.widgets.kit.upload import OWN, OWN_WORDS
from dpmia_lab.widgets.kit.words import MODEL_WORDS, SEED

PRESET_WORDS = {
    "digits": "digits, DAP_t, r = 2",
    "hospital": "hospital stays, DAP_t",
    "carts": "carts, DAP_t",
    "carts-dap_v": "carts, DAP_v",
    "carts-all": "carts, DAP_t, all layers",
    "carts-relaxloss": "carts, RelaxLoss",
    "carts-hamp": "carts, HAMP",
    "carts-none": "carts, no defence",
}
TRIED = (
    "dap",
    "stopping",
    "relaxloss",
    "hamp",
    "adversarial",
    "smoothing",
    "masking",
    "regularised",
    "central",
    "none",
)
DEFENCE_WORDS = {name: OFFERED[name].title for name in TRIED} | {
    "central": "DP-SGD: noise on gradients",
    "regularised": "dropout and weight decay",
    "none": "no defence",
}
STRENGTH = {  # the one slider that stands beside the picture
    "dap": "r",
    "stopping": "stop_after",
    "relaxloss": "alpha",
    "hamp": "hamp_entropy",
    "adversarial": "adversary",
    "smoothing": "smoothing",
    "masking": "mask",
    "regularised": "dropout",
    "central": "z",
}
FEEDS = {"train": "training records (DAP_t)", "validation": "validation records (DAP_v)"}
LAYERS = {"last": "the last layer, as published", "all": "all layers, as printed"}
KEEPS = {"aop": "that of the highest AOP", "last": "the last"}
MASKS = {"round": "rounded", "top": "only the largest told", "label": "only the label told", "temperature": "flattened"}


def option_fields() -> dict[str, Field]:
    """Every option of the defences tried here, by its name among the settings."""
    return {name: option for defence in TRIED for name, option in options_of(OFFERED[defence]).items()}


def others_of_defences() -> list[str]:
    """Options that are folded away."""
    beside = {*STRENGTH.values(), "feed", "lam"}
    return [name for name in option_fields() if name not in beside]


def short_title(defence: str) -> str:
    return DEFENCE_WORDS[defence].split(":")[0]


def only_under(defence: str) -> Reason:
    return lambda values: "" if values["defence"] == defence else f"Only with {short_title(defence)}."


def only_bits(values: dict[str, Any]) -> str:
    return "" if values["data"] in ("purchases_like", "hospital_like") else "Only generated records have it."


def only_hidden(values: dict[str, Any]) -> str:
    return "" if values["model"] in ("mlp", "transfer") else "Only a model with one hidden layer has it."


def only_faces(values: dict[str, Any]) -> str:
    return "" if values["data"] == "faces" else "Only the faces have it."


def reasons() -> dict[str, Reason]:
    of_defences = {name: only_under(defence) for defence in TRIED for name in options_of(OFFERED[defence])}
    del of_defences["lam"]  # the chart of AOP follows it under every defence
    return of_defences | {"classes": only_bits, "people": only_faces, "width": only_hidden}


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    """``sets``: the data sets there are, as (words, name)."""
    models = dict.fromkeys(model for kind in ("bits", "pictures") for model in MODELS[kind])
    made = {
        "defence": choice("defence", swapped(DEFENCE_WORDS)),
        "feed": choice("the protecting step sees", swapped(FEEDS)),
        "r": scale("r, weight of fooling", (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)),
        "lam": scale("λ, weight of privacy in AOP", (0.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)),
        "stop_after": scale("stop after epochs (0: the best AOP)", (0, 1, 2, 3, 5, 7, 10, 15, 20, 30)),
        "alpha": scale("α, the loss that is left", (0.1, 0.3, 0.5, 1.0, 1.5, 2.0, 2.5)),
        "hamp_entropy": scale("entropy of labels (1: uniform)", (0.2, 0.4, 0.6, 0.8, 0.9, 0.95)),
        "adversary": scale("λ of the attacker's gain", (0.1, 0.3, 1.0, 3.0, 10.0)),
        "smoothing": scale("s, smoothing", (-0.3, -0.1, -0.05, 0.05, 0.1, 0.3, 0.6)),
        "mask": choice("confidences are", swapped(MASKS)),
        "dropout": scale("dropout, share of units", (0.0, 0.2, 0.5, 0.7, 0.9)),
        "z": scale("z, noise a step", (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 2.0, 4.0)),
        "layers": choice("the protecting step moves", swapped(LAYERS)),
        "keep": choice("the epoch that is kept", swapped(KEEPS)),
        "data": choice("data set", [*sets, (OWN_WORDS, OWN)]),
        "records": scale("n, records trained on", (60, 100, 200, 300, 400, 500, 600, 800, 1000, 2000)),
        "epochs": scale("epochs: times each is seen", (3, 5, 10, 15, 20, 30, 40, 60, 80)),
        "classes": scale("C, classes", (2, 5, 10, 20, 50, 100)),
        "people": scale("people", (10, 20, 40, 50)),
        "model": choice("model", [(MODEL_WORDS[name], name) for name in models]),
        "width": scale("width of the hidden layer", (8, 16, 32, 64, 128, 256)),
        "rate": scale("η, size of a step", (0.0005, 0.001, 0.002, 0.005, 0.01, 0.03)),
        "inside": scale("shadow models with the defence", (6, 8, 12, 16, 32, 64)),
        "unadapted": scale("shadow models without it", (6, 8, 12, 16, 32, 64)),
        "canaries": scale("canaries of either kind", (0, 6, 10, 20, 30, 50)),
        "looks": scale("epochs at which all are attacked", (1, 2, 4, 8, 12, 20)),
        "seed": NumberField(SEED),
    }
    return made | {name: plain_field(option) for name, option in option_fields().items() if name not in made}

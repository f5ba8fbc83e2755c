"""The controls of lesson 8, with the words a reader meets."""

from typing import Any

import ipywidgets as widgets

from dpmia_lab.attacks.confidences.views import VIEWS
from dpmia_lab.defences.networks import NETWORK_DEFENCES
from dpmia_lab.experiments.confidence_attacks import PRIORS
from dpmia_lab.experiments.confidence_curves import STRENGTH
from dpmia_lab.widgets.confidences.data import READY
from dpmia_lab.widgets.kit.controls import NumberField, Reason, choice, scale
from dpmia_lab.widgets.kit.upload import OWN, OWN_WORDS
from dpmia_lab.widgets.kit.words import MODEL_WORDS, SEED, only_faces

PRESET_WORDS = {
    "faces": "faces, MID with λ = 0",
    **{f"faces-mid-{lam:g}": f"faces, MID with λ = {lam:g}" for lam in READY},
    "faces-label_smoothing": "faces, negative smoothing",
    "faces-dp_sgd": "faces, DP-SGD",
    "att_faces": "AT&T faces, MID",
    "digits": "digits, MID",
}
MODELS = ("softmax", "mlp", "cnn")
DEFENCE_WORDS = {name: defence.title for name, defence in NETWORK_DEFENCES.items()} | {
    "mid": "MID: a noisy code",
    "label_smoothing": "label smoothing, + or −",
}
STRENGTHS = tuple(dict.fromkeys(STRENGTH.values()))  # one slider each; which one counts depends on the defence


def strength_of(name: str) -> Reason:
    """Why a slider does not apply: another defence is chosen."""
    mine = next(words for defence, words in DEFENCE_WORDS.items() if STRENGTH.get(defence) == name)
    return lambda values: "" if STRENGTH.get(values["defence"]) == name else f"Only for {mine.split(':')[0]}."


def only(defence: str) -> Reason:
    words = DEFENCE_WORDS[defence].split(":")[0]
    return lambda values: "" if values["defence"] == defence else f"Only for {words}."


def only_noisy(values: dict[str, Any]) -> str:
    noisy = NETWORK_DEFENCES[values["defence"]].draws_anew
    return "" if noisy else "Only where the same question may be answered differently the next time."


def only_generated(values: dict[str, Any]) -> str:
    return "" if values["data"] == "faces" else "These pictures are as many as they are."


def only_top(values: dict[str, Any]) -> str:
    return "" if values["view"] == "top" else "Only where the largest confidences are told."


def only_gaussian(values: dict[str, Any]) -> str:
    return "" if values["prior"] == "pca" else "Only for the Gaussian prior."


def only_updates(values: dict[str, Any]) -> str:
    return "" if values["updates"] else "Only where updates are attacked."


REASONS: dict[str, Reason] = {
    **{name: strength_of(name) for name in STRENGTHS},
    "people": only_faces,
    "height": only_faces,
    "pictures": only_generated,
    "code": only("mid"),
    "draws": only("mid"),
    "clip": only("dp_sgd"),
    "top": only_top,
    "answers": only_noisy,
    "components": only_gaussian,
    "probes": only_updates,
    "adversarial": only_updates,
}


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    """``sets``: the data sets there are, as (words, name)."""
    return {
        "data": choice("pictures", [*sets, (OWN_WORDS, OWN)]),
        "people": scale("people", (5, 10, 20, 40)),
        "pictures": scale("pictures of each", (10, 15, 20, 30)),
        "height": scale("height in pixels", (20, 28, 42, 56)),
        "model": choice("network", [(MODEL_WORDS[name], name) for name in MODELS]),
        "defence": choice("defence", [(words, name) for name, words in DEFENCE_WORDS.items()]),
        "lam": scale("λ, weight of MID", (0.0, 0.003, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3)),
        "sigma": scale("σ, noise on the gradients", (0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0)),
        "kept": scale("share of the training", (0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)),
        "dropout": scale("share left out", (0.1, 0.3, 0.5, 0.7, 0.8, 0.9)),
        "smoothing": scale("α, smoothing", (-0.1, -0.05, -0.03, -0.02, -0.01, 0.0, 0.1, 0.3, 0.6)),
        "rounding": scale("confidences rounded to", (0.001, 0.01, 0.05, 0.1, 0.2, 0.5)),
        "noise": scale("noise of at most", (0.01, 0.05, 0.1, 0.2, 0.5, 1.0)),
        "code": scale("k, numbers in the code", (4, 8, 16, 32, 64)),
        "draws": scale("codes drawn a step", (1, 2, 4, 8)),
        "clip": scale("clipping norm", (0.3, 1.0, 3.0, 10.0)),
        "view": choice("the decoder is given", [(words, name) for name, words in VIEWS.items()]),
        "top": scale("how many confidences are told", (1, 2, 3, 5, 10, 20)),
        "answers": scale("answers averaged", (1, 2, 3, 5, 10, 20, 50, 100)),
        "decoder_steps": scale("steps of a decoder's training", (50, 100, 200, 500, 1000, 2000)),
        "prior": choice("GMI: the prior", [(words, name) for name, words in PRIORS.items()]),
        "components": scale("GMI: directions of the prior", (5, 10, 20, 40, 60, 100)),
        "identity": scale("GMI: weight of the confidence", (1.0, 10.0, 30.0, 100.0, 300.0, 1000.0)),
        "restarts": scale("GMI: starts a person", (1, 2, 3, 5, 10)),
        "gmi_steps": scale("GMI: steps", (10, 30, 60, 100, 200, 500, 1500)),
        "updates": scale("shadow updates (0: none)", (0, 30, 100, 200, 400)),
        "probes": scale("probe pictures", (5, 10, 20, 30, 50, 100)),
        "adversarial": scale("weight of a discriminator", (0.0, 0.0003, 0.001, 0.003, 0.01, 0.03)),
        "seed": NumberField(SEED),
    }

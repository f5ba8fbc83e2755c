"""The controls of lesson 1: one for each setting of the experiment, with the words a reader meets."""

import ipywidgets as widgets

from dpmia_lab.experiments import inversion
from dpmia_lab.widgets.kit.controls import NumberField, choice, scale, swapped
from dpmia_lab.widgets.kit.upload import OWN, OWN_WORDS
from dpmia_lab.widgets.kit.words import MODEL_WORDS, SEED, only_faces

PRIOR_WORDS = {
    "l1": "few bright strokes (ℓ1)",
    "btv": "flat areas, edges (BTV)",
    "l1+tv": "smooth and dark (ℓ1 + TV)",
    "none": "none",
}
ATTACK_WORDS = {"original": "original (E)", "enhanced": "enhanced (A)", "prior": "with public pictures"}
PRESET_WORDS = {
    "faces": "faces, enhanced attack",
    "faces-published": "faces, settings as published (A)",
    "faces-original": "faces, original attack (E)",
    "digits-original": "digits, original attack",
    "digits": "digits, enhanced attack",
    "digits-published": "digits, settings as published (A)",
    "digits-prior": "digits, with public pictures",
}


def only_enhanced(values: dict) -> str:
    return "" if values["attack"] == "enhanced" else "Only the enhanced attack has this."


def only_original(values: dict) -> str:
    return "" if values["attack"] == "original" else "Only the original attack filters while it runs."


def only_with_public(values: dict) -> str:
    return "" if values["attack"] == "prior" else "Only the attack with public pictures has this."


def not_with_public(values: dict) -> str:
    return "" if values["attack"] != "prior" else "What public pictures teach is smooth already."


def needs_prior(values: dict) -> str:
    if values["attack"] != "enhanced":
        return only_enhanced(values)
    return "" if values["prior"] != "none" else "Without a prior there is nothing to weigh."


REASONS = {
    "people": only_faces,
    "prior": only_enhanced,
    "lam": needs_prior,
    "box": only_enhanced,
    "process": only_original,
    "smooth": not_with_public,
    "weight": only_with_public,
    "components": only_with_public,
}


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    """``sets``: the data sets there are, as (words, name)."""
    return {
        "data": choice("data set", [*sets, (OWN_WORDS, OWN)]),
        "people": scale("people", (5, 10, 20, 40)),
        "model": choice("model", [(MODEL_WORDS[name], name) for name in inversion.MODELS]),
        "attack": choice("attack", swapped(ATTACK_WORDS)),
        "prior": choice("prior R(x): the attacker expects", [(PRIOR_WORDS[name], name) for name in inversion.PRIORS]),
        "lam": scale("λ, weight of the prior", (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1)),
        "steps": scale("T, steps", (1, 3, 10, 30, 100, 300, 500, 1000, 5000)),
        "rate": scale("η, size of a step", (0.001, 0.003, 0.01, 0.03, 0.05, 0.1, 0.3, 1.0)),
        "box": widgets.Checkbox(description="keep pixels between black and white (tanh box)", indent=False),
        "process": choice("filter each step", [(name, name) for name in inversion.PROCESSES]),
        "smooth": scale("blur at the end, pixels", (0.0, 0.5, 0.7, 1.0, 1.5, 2.0)),
        "weight": scale("λ, weight of public pictures", (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)),
        "components": scale("ways public pictures differ", (1, 2, 5, 10, 20, 40, 80, 160)),
        "seed": NumberField(SEED),
    }

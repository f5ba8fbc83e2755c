"""The controls of lesson 1: one for each setting of the experiment, with the words a reader meets."""

import ipywidgets as widgets

from dpmia_lab.experiments import inversion
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import NumberField, choice, scale, swapped
from dpmia_lab.widgets.kit.upload import OWN, OWN_WORDS
from dpmia_lab.widgets.kit.words import MODEL_WORDS, SEED, only_faces
from dpmia_lab.words.said import marked, said

PRIOR_WORDS = marked({
    "l1": "few bright strokes (ℓ1)",
    "btv": "flat areas, edges (BTV)",
    "l1+tv": "smooth and dark (ℓ1 + TV)",
    "none": "none",
})  # fmt: skip
PROCESS_WORDS = marked({"none": "none", "denoise": "denoise", "sharpen": "sharpen"})
ATTACK_WORDS = marked({"original": "original (E)", "enhanced": "enhanced (A)", "prior": "with public pictures"})
PRESET_WORDS = marked({
    "faces": "faces, enhanced attack",
    "faces-published": "faces, settings as published (A)",
    "faces-original": "faces, original attack (E)",
    "digits-original": "digits, original attack",
    "digits": "digits, enhanced attack",
    "digits-published": "digits, settings as published (A)",
    "digits-prior": "digits, with public pictures",
})  # fmt: skip


def only_enhanced(values: dict) -> str:
    return "" if values["attack"] == "enhanced" else said("Only the enhanced attack has this.")


def only_original(values: dict) -> str:
    return "" if values["attack"] == "original" else said("Only the original attack filters while it runs.")


def only_with_public(values: dict) -> str:
    return "" if values["attack"] == "prior" else said("Only the attack with public pictures has this.")


def not_with_public(values: dict) -> str:
    return "" if values["attack"] != "prior" else said("What public pictures teach is smooth already.")


def needs_prior(values: dict) -> str:
    if values["attack"] != "enhanced":
        return only_enhanced(values)
    return "" if values["prior"] != "none" else said("Without a prior there is nothing to weigh.")


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


def in_order(words: dict[str, str], names: tuple[str, ...]) -> list[tuple[str, str]]:
    return swapped({name: words[name] for name in names})


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    """``sets``: the data sets there are, as (words, name)."""
    return {
        "data": choice(said("data set"), [*sets, (said(OWN_WORDS), OWN)]),
        "people": scale(said("people"), (5, 10, 20, 40)),
        "model": choice(said("model"), in_order(MODEL_WORDS, inversion.MODELS)),
        "attack": choice(said("attack"), swapped(ATTACK_WORDS)),
        "prior": choice(said("prior R(x): the attacker expects"), in_order(PRIOR_WORDS, inversion.PRIORS)),
        "lam": scale(said("λ, weight of the prior"), (0.0, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.05, 0.1)),
        "steps": scale(said("T, steps"), (1, 3, 10, 30, 100, 300, 500, 1000, 5000)),
        "rate": scale(said("η, size of a step"), (0.001, 0.003, 0.01, 0.03, 0.05, 0.1, 0.3, 1.0)),
        "box": light.Checkbox(description=said("keep pixels between black and white (tanh box)"), indent=False),
        "process": choice(said("filter each step"), in_order(PROCESS_WORDS, inversion.PROCESSES)),
        "smooth": scale(said("blur at the end, pixels"), (0.0, 0.5, 0.7, 1.0, 1.5, 2.0)),
        "weight": scale(said("λ, weight of public pictures"), (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)),
        "components": scale(said("ways public pictures differ"), (1, 2, 5, 10, 20, 40, 80, 160)),
        "seed": NumberField(said(SEED)),
    }

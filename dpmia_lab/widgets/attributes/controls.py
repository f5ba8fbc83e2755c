"""The controls of lesson 7, with the words a reader meets."""

from typing import Any

import ipywidgets as widgets

from dpmia_lab.defences.tables import TABLE_DEFENCES
from dpmia_lab.experiments.attribute_curves import STRENGTH
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import NumberField, Reason, choice, scale
from dpmia_lab.widgets.kit.upload import OWN, OWN_WORDS
from dpmia_lab.widgets.kit.words import SEED

PRESET_WORDS = {
    "patients": "patients and their dose",
    "survey": "a survey, with a tree",
    "steak": "the steak survey, with a tree",
    "marriage": "the marriage survey, with a tree",
}
SETS = [
    ("generated patients (warfarin)", "warfarin_like"),
    ("generated survey (marriage)", "survey_like"),
    ("steak survey (FiveThirtyEight)", "steak"),
    ("marriage survey (Fair 1978)", "marriage"),
    (OWN_WORDS, OWN),
]
MODEL_WORDS = {"regression": "linear regression", "tree": "decision tree (ID3)", "mlp": "network, one hidden layer"}
DEFENCE_WORDS = {name: defence.title for name, defence in TABLE_DEFENCES.items()}
STRENGTHS = tuple(dict.fromkeys(STRENGTH.values()))  # one slider each; which one counts depends on the defence


def strength_of(name: str) -> Reason:
    """Why a slider does not apply: another defence is chosen."""

    def why(values: dict[str, Any]) -> str:
        mine = [words for defence, words in DEFENCE_WORDS.items() if STRENGTH.get(defence) == name]
        return "" if STRENGTH.get(values["defence"]) == name else f"Only for: {', '.join(mine)}."

    return why


def only(defence: str, model: str = "") -> Reason:
    def why(values: dict[str, Any]) -> str:
        fits = values["defence"] == defence and (not model or values["model"] == model)
        of = f" of a {MODEL_WORDS[model]}" if model else ""
        return "" if fits else f"Only for {DEFENCE_WORDS[defence]}{of}."

    return why


def only_model(model: str) -> Reason:
    return lambda values: "" if values["model"] == model else f"Only a {MODEL_WORDS[model]} has this."


def only_own(values: dict[str, Any]) -> str:
    return "" if values["data"] == OWN else "Only your own table needs this."


def only_generated(values: dict[str, Any]) -> str:
    return "" if values["data"].endswith("_like") else "These people are who they are."


def only_promised(values: dict[str, Any]) -> str:
    return "" if values["defence"] in ("adassp", "dp_sgd") else "Only AdaSSP and DP-SGD have a δ."


REASONS: dict[str, Reason] = {
    **{name: strength_of(name) for name in STRENGTHS},
    "outcome": only_own,
    "sensitive": only_own,
    "bounds": only_own,
    "people": only_generated,
    "sigma_mid": only("mid", "regression"),
    "stop": only("mid", "tree"),
    "delta": only_promised,
    "joint": only("adassp"),
    "dp_depth": only("dp_id3"),
    "dp_score": only("dp_id3"),
    "clip": only("dp_sgd"),
    "criterion": only_model("tree"),
    "leaf": only_model("tree"),
    "depth": only_model("tree"),
    "width": only_model("mlp"),
    "epochs": only_model("mlp"),
    "rate": only_model("mlp"),
    "batch": only_model("mlp"),
}


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    """``sets``: the data sets there are, as (words, name)."""
    return {
        "data": choice("table", sets),
        "outcome": light.Text(description="the column that is predicted", continuous_update=False),
        "sensitive": light.Text(description="the column that is secret", continuous_update=False),
        "bounds": light.Text(description="public bounds (age=18:100, …)", continuous_update=False),
        "people": scale("people", (400, 1000, 3400, 10_000)),
        "model": choice("model", [(words, name) for name, words in MODEL_WORDS.items()]),
        "defence": choice("defence", [(words, name) for name, words in DEFENCE_WORDS.items()]),
        "lam": scale("λ, weight of MID", (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.1, 1.5, 2.0, 3.0, 5.0, 10.0)),
        "epsilon": scale("ε for a record", (0.1, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0)),
        "priority": scale("depth of the secret question (−1: never)", (-1, 0, 1, 2, 3, 4)),
        "ridge": scale("weight of small coefficients", (0.0, 0.01, 0.03, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 3.0)),
        "rounding": scale("answers rounded to", (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0)),
        "noise": scale("noise on an answer", (0.05, 0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 4.0, 5.0, 8.0, 12.0, 20.0)),
        "sigma_mid": scale("σ of equation 4 (÷ spread of answers)", (0.1, 0.3, 0.5, 0.86, 1.5, 3.0)),
        "stop": choice("where no question helps", [("ask all the same (paper B)", False), ("stop asking", True)]),
        "delta": scale("δ, slack of the promise", (1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)),
        "joint": choice("noise set", [("jointly, by the accountant", True), ("in thirds, as published", False)]),
        "dp_depth": scale("questions a path", (1, 2, 3, 4, 5, 6)),
        "dp_score": choice("questions drawn by", [("right guesses", "max"), ("information gain", "gain")]),
        "clip": scale("clipping norm", (0.1, 0.3, 1.0, 3.0, 10.0)),
        "criterion": choice("questions chosen by", [("information gain", "gain"), ("Gini", "gini")]),
        "leaf": scale("people below whom nothing is asked", (1, 2, 5, 10, 20, 50, 100, 200)),
        "depth": scale("most questions a path", (1, 2, 3, 4, 5, 6, 8, 10, 20)),
        "width": scale("hidden units", (4, 8, 16, 32, 64)),
        "epochs": scale("epochs: times each is seen", (5, 10, 20, 30, 60, 100)),
        "rate": scale("η, size of a step", (0.001, 0.003, 0.01, 0.03, 0.1)),
        "batch": scale("people a step", (16, 32, 64, 128, 256)),
        "splits": scale("splits (models)", (3, 5, 10, 20, 50, 100)),
        "known": scale("public people the calibrating attacker has", (10, 20, 50, 100, 200, 400)),
        "seed": NumberField(SEED),
    }

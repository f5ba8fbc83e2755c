"""The controls of lesson 2, of the playground and of the training, with the words a reader meets."""

from collections.abc import Sequence

import ipywidgets as widgets

from dpmia_lab.experiments import private_training
from dpmia_lab.experiments.inversion import MODELS
from dpmia_lab.experiments.spending import FOLLOWS, RECORDS
from dpmia_lab.options import number_text
from dpmia_lab.privacy.accounting import NEIGHBOURS
from dpmia_lab.privacy.units import UNITS
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import NumberField, Reason, choice, scale, swapped
from dpmia_lab.widgets.kit.words import MODEL_WORDS, SEED, only_faces

PRESET_WORDS = {
    "faces": "faces, softmax",
    "digits": "digits, softmax",
    "digits-hidden-layer": "digits, one hidden layer",
    "digits-cnn": "digits, convolutional",
}
OPTIMIZER_WORDS = {"sgd": "plain steps", "momentum": "momentum", "adam": "Adam"}
DELTAS = (0.01, 0.001, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9)


def only_subclasses(values: dict) -> str:
    return "" if values["unit"] == "subclass" else "Only subclasses are made by clustering."


REASONS = {"people": only_faces, "k_sub": only_subclasses}


def delta_scale(usual: str, values: Sequence[float]) -> widgets.SelectionSlider:
    """``usual``: what the δ is that follows from the number of units."""
    options = [(usual, 0.0), *((number_text(value), value) for value in values)]
    return light.SelectionSlider(options=options, description="δ, slack of the promise")


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    """``sets``: the data sets there are, as (words, name)."""
    return {
        "data": choice("data set", sets),
        "people": scale("people", (5, 10, 20, 40)),
        "model": choice("model", [(MODEL_WORDS[name], name) for name in MODELS]),
        "unit": choice("what is hidden", swapped(UNITS)),
        "k_sub": scale("k_sub, subclasses a class", (1, 2, 4, 7, 10, 20, 50, 100)),
        "neighbours": choice("neighbouring data sets", swapped(NEIGHBOURS)),
        "sigma": scale("σ, noise a step", (0.05, 0.1, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 16.0)),
        "q": scale("q, chance to join a step", (0.001, 0.01, 0.03, 0.06, 0.1, 0.25, 0.5, 1.0)),
        "clip": scale("S, clipping norm", (0.1, 0.3, 1.0, 3.0, 10.0)),
        "steps": scale("T, steps", (10, 30, 50, 100, 150, 200, 300, 400, 600, 1000, 2000)),
        "rate": scale("η, size of a step", (0.01, 0.03, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)),
        "optimizer": choice("steps are taken with", [(OPTIMIZER_WORDS[n], n) for n in private_training.OPTIMIZERS]),
        "budget": scale("budget of ε (0: none)", (0.0, 0.5, 1.0, 2.0, 3.0, 5.0, 8.0, 10.0, 20.0)),
        "delta": delta_scale("below 1/units", DELTAS[::-1]),
        "seed": NumberField(SEED),
    }


# ---- the playground
EPSILONS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 15.0, 18.0, 20.0, 30.0, 50.0, 100.0)
SIGMAS = (
    0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0,
    10.0, 12.0, 16.0, 20.0, 30.0, 50.0,
)  # fmt: skip
RATES = (
    0.0005, 0.001, 0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25,
    0.33, 0.4, 0.5, 0.75, 1.0,
)  # fmt: skip
STEPS = (
    1, 2, 3, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 750, 1000, 1500, 2000, 3000, 5000, 10_000, 20_000,
    50_000, 100_000,
)  # fmt: skip


def follows_reason(name: str) -> Reason:
    return lambda values: f"{FOLLOWS[name]} follows from the others." if values["follows"] == name else ""


PLAYGROUND_REASONS = {name: follows_reason(name) for name in FOLLOWS}


def playground_controls() -> dict[str, widgets.ValueWidget]:
    return {
        "follows": choice("which one follows?", [(f"{word} from the others", name) for name, word in FOLLOWS.items()]),
        "epsilon": scale("ε, privacy that may be spent", EPSILONS),
        "sigma": scale("σ, noise a step", SIGMAS),
        "q": scale("q, chance to join a step", RATES),
        "steps": scale("T, steps", STEPS),
        "count": NumberField("K, how many units there are"),
        "delta": delta_scale("below 1/K", DELTAS),
        "neighbours": choice("neighbouring data sets", swapped(NEIGHBOURS)),
        "unit": choice("what is hidden", swapped(UNITS)),
    }


# ---- one person
def person_controls() -> dict[str, widgets.ValueWidget]:
    names = ("sigma", "q", "steps", "count", "delta", "neighbours")
    made = playground_controls()
    return {"records": scale("k, pictures of one person", RECORDS)} | {name: made[name] for name in names}

"""The controls of lesson 4: one for each setting of the experiment, with the words a reader meets."""

from dataclasses import Field

import ipywidgets as widgets

from dpmia_lab.data.mnist import five_thousand_file
from dpmia_lab.defences import EMPIRICAL, Defence
from dpmia_lab.game.settings import MODELS, OFFERED, OPTIMIZERS
from dpmia_lab.options import options_of
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import NumberField, Reason, choice, scale, swapped
from dpmia_lab.widgets.kit.upload import OWN, OWN_WORDS
from dpmia_lab.widgets.kit.words import MODEL_WORDS, SEED

# data set: (words, kind)
SETS = {
    "mnist": ("MNIST, 5,000 digits", "pictures"),
    "purchases_like": ("shopping carts (made up)", "bits"),
    "skewed_purchases": ("Skewed Purchases (paper C)", "bits"),
    "purchases_without_skew": ("the same without skew", "bits"),
    "hospital_like": ("hospital stays (made up)", "bits"),
    "digits": ("small digits", "pictures"),
    "faces": ("generated faces", "pictures"),
    "collaboration": ("collaborations (graphs)", "graphs"),
}
OPTIMIZER_WORDS = {"adam": "Adam", "sgd": "plain steps"}
PRESET_WORDS = {
    "digits": "digits, MNIST",
    "purchases": "shopping carts",
    "skewed": "Skewed Purchases (paper C)",
    "faces": "faces, by transfer",
    "hospital": "hospital stays",
    "graphs": "graphs",
}


def offered_sets() -> list[tuple[str, str]]:
    """The data sets there are here, as (words, name)."""
    return [(words, name) for name, (words, _) in SETS.items() if name != "mnist" or five_thousand_file()]


def kind_of(data: str) -> str:
    """bits, pictures or graphs; of a visitor's own file "", which only reading it tells."""
    return SETS[data][1] if data in SETS else ""


# ---- which defences are chosen here
ELSEWHERE = ("epsilon",)  # of a defence that is here, what another page asks for: here z is the strength


def defences_here() -> dict[str, type[Defence]]:
    """Those that promise nothing have a lesson of their own, 9, and would flood this one."""
    return {name: kind for name, kind in OFFERED.items() if name not in EMPIRICAL}


def options_here(kind: type[Defence]) -> dict[str, Field]:
    return {name: option for name, option in options_of(kind).items() if name not in ELSEWHERE}


# ---- attacks that need no other model
COSTLY = {"white_box": True, "shadows": 4, "inside": 16}  # what the others need, and a usual choice
PLAIN = {"white_box": False, "shadows": 0, "inside": 0}


def is_plain(values: dict) -> bool:
    return all(values[name] == value for name, value in PLAIN.items())


# ---- what does not apply, and why
def only_generated_bits(values: dict) -> str:
    return "" if kind_of(values["data"]) == "bits" else "Only generated records have it."


def only_faces(values: dict) -> str:
    return "" if values["data"] == "faces" else "Only the faces have it."


def only_hidden_layer(values: dict) -> str:
    return "" if values["model"] in ("mlp", "transfer") else "Only a model with one hidden layer has it."


def only_under(defence: str) -> Reason:
    return lambda values: "" if values["defence"] == defence else f"Only with the defence “{OFFERED[defence].title}”."


def only_pictures(words: str, defence: str) -> Reason:
    def reason(values: dict) -> str:
        return only_under(defence)(values) if kind_of(values["data"]) in ("pictures", "") else words

    return reason


def not_central(values: dict) -> str:
    return "Central noise pays for every step beforehand." if values["defence"] == "central" else ""


def reasons() -> dict[str, Reason]:
    """Of each control that does not always apply; every option of a defence needs that defence."""
    here = defences_here().items()
    of_defences = {name: only_under(defence) for defence, kind in here for name in options_here(kind)}
    return of_defences | {
        "classes": only_generated_bits,
        "people": only_faces,
        "width": only_hidden_layer,
        "cell": only_pictures("Only pictures have pixels.", "local"),
        "reach": only_pictures("Only pictures have pixels.", "local"),
        "augment": only_pictures("Only pictures can be moved and turned.", "regularised"),
        "patience": not_central,
    }


# ---- the controls
def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    """``sets``: the data sets there are, as (words, name)."""
    models = dict.fromkeys(model for fitting in MODELS.values() for model in fitting)
    made = {
        "data": choice("data set", [*sets, (OWN_WORDS, OWN)]),
        "records": scale("n, records trained on", (50, 100, 200, 500, 1000, 2000, 4000, 8000)),
        "epochs": scale("epochs: times each is seen", (1, 2, 5, 10, 20, 40, 80, 160)),
        "classes": scale("C, classes", (2, 5, 10, 20, 50, 100)),
        "people": scale("people", (5, 10, 20, 40)),
        "model": choice("model", [(MODEL_WORDS[name], name) for name in models]),
        "width": scale("width of the hidden layer", (8, 16, 32, 64, 128, 256, 512)),
        "batch": scale("records a step", (16, 32, 64, 128, 256)),
        "rate": scale("η, size of a step", (0.0005, 0.001, 0.002, 0.005, 0.01, 0.03, 0.1)),
        "optimizer": choice("steps are taken with", [(OPTIMIZER_WORDS[name], name) for name in OPTIMIZERS]),
        "defence": choice("defence", swapped({name: defence.title for name, defence in defences_here().items()})),
        "z": scale("z, noise a step", (0.3, 0.5, 0.7, 1.0, 2.0, 4.0, 6.0, 8.0, 16.0)),
        "clip": scale("clipping norm", (0.5, 1.0, 2.0, 4.0, 8.0)),
        "epsilon_i": scale("ε of one bit, pixel or edge", (0.1, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 50.0)),
        "cell": scale("b, side of a pixel cell", (1, 2, 4, 7)),
        "reach": scale("m, pixels that are hidden", (1, 4, 16, 64)),
        "dropout": scale("dropout, share of units", (0.0, 0.2, 0.5, 0.7, 0.9)),
        "decay": scale("weight decay", (0.0, 0.0001, 0.001, 0.01, 0.03, 0.1, 0.3)),
        "patience": scale("stop after epochs without gain", (0, 1, 2, 3, 5, 10)),
        "augment": light.Checkbox(description="move and turn pictures at random", indent=False),
        "white_box": light.Checkbox(description="white box: the attacker also sees gradients", indent=False),
        "shadows": scale("shadow models, attacker's own records", (0, 1, 2, 4, 8, 16, 32)),
        "inside": scale("shadow models, halves of the candidates", (0, 4, 8, 16, 32, 64, 128)),
        "seed": NumberField(SEED),
    }
    return made | {name: plain_field(option) for name, option in defence_options().items() if name not in made}


def strengths() -> list[str]:
    """The first option of each defence, which says how strong it is."""
    return [next(iter(options_here(kind))) for kind in defences_here().values() if options_here(kind)]


def defence_options() -> dict[str, Field]:
    return {name: option for kind in defences_here().values() for name, option in options_here(kind).items()}


def plain_field(option: Field) -> widgets.ValueWidget:
    """For an option that has no control made for it: its help line, and a field of its type."""
    words, usual = option.metadata["help"], option.default
    if isinstance(usual, bool):
        return light.Checkbox(value=usual, description=words, indent=False)
    return NumberField(words, type(usual)) if isinstance(usual, int | float) else light.Text(description=words)

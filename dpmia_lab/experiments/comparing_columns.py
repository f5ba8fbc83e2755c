"""The columns of a comparison: every defence over its own strengths, and always the two controls.

*Early stopping* over its epochs and *DP-SGD with little noise* are what every defence without a promise is held
against: whoever trains for fewer epochs, or adds noise too weak to promise anything, loses accuracy and leaks less too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Column:
    """A defence at one strength."""

    family: str  # the defence's key, such as "central"; "little" for DP-SGD with little noise
    words: str  # such as "DP-SGD, ε = 2"
    changes: Mapping[str, Any]  # what it changes about the Config


Columns = dict[str, Column]
DATA = ("carts", "faces", "patients")  # compared in the reference grid
CONTROLS = {"stopping": "early stopping", "little": "DP-SGD with little noise"}  # families of the two controls


def over(family: str, option: str, values: Iterable[float], words: str, **more: Any) -> Columns:
    """A family over one option; ``words`` has a place {} for its value, and names end in it."""
    defence = more.pop("defence", family)
    return {
        f"{family}_{value:g}": Column(family, words.format(f"{value:g}"), {"defence": defence, **more, option: value})
        for value in values
    }


def single(name: str, family: str, words: str, **changes: Any) -> Columns:
    return {name: Column(family, words, {"defence": family, **changes})}


def columns_for(data: str) -> Columns:
    """Those of carts, faces or patients; of a reader's own data those of the set that is most like them."""
    return {"carts": carts, "faces": faces, "patients": patients}[data]()


def general(
    stops: Iterable[int],
    little: Iterable[float],
    private: Iterable[float],
    *,
    rate: float,  # of DP-SGD's steps
    relaxed: Iterable[float] = (0.3, 0.8, 1.3),
    fooling: Iterable[float] = (0.2, 2.0),
) -> Columns:
    """What fits every kind of data."""
    descent = {"private_rate": rate, "clip": 1.0}
    return {
        **single("none", "none", "no defence"),
        **over("stopping", "stop_after", stops, "early stopping after {} epochs"),
        **over("little", "z", little, "DP-SGD with little noise, z = {}", defence="central", **descent),
        **over("central", "epsilon", private, "DP-SGD, ε = {}", **descent),
        **over("regularised", "dropout", (0.3, 0.6, 0.9), "dropout {}"),
        **over("decay", "decay", (0.001, 0.01), "weight decay {}", defence="regularised"),
        **over("smoothing", "smoothing", (-0.1, 0.3, 0.7), "label smoothing {}"),
        **over("relaxloss", "alpha", relaxed, "RelaxLoss, α = {}"),
        **over("hamp", "hamp_entropy", (0.5, 0.9), "HAMP, entropy {}"),
        **over("adversarial", "adversary", (0.5, 1.0, 2.0), "adversarial regularisation, λ = {}"),
        **over("dap", "r", fooling, "DAP_t, r = {}"),
        **single("dap_all", "dap", "DAP_t, r = 2, all layers", r=2.0, layers="all"),
        **over("mid", "mid_lam", (0.003, 0.01, 0.03, 0.1), "MID, λ = {}"),
        **single("masking_round", "masking", "confidences rounded to one decimal", mask="round"),
        **single("masking_label", "masking", "the label alone", mask="label"),
        **single("masking_temperature", "masking", "confidences at temperature 3", mask="temperature"),
        **over("uniform_noise", "noise", (0.1, 0.3), "uniform noise up to {} on confidences"),
    }


def carts() -> Columns:
    return {
        **general((1, 3, 6, 10, 15, 20, 25), (0.1, 0.2, 0.3, 0.5), (2.0, 8.0, 32.0), rate=0.01),
        **over("local", "epsilon_i", (1.0, 2.0, 4.0), "randomised response, ε = {} a bit"),
        **over("units", "unit_sigma", (0.05, 0.2), "DP-SGD for a class, σ = {}", private_rate=0.05),
    }


def faces() -> Columns:
    return {
        **general((1, 2, 3, 5, 8, 12, 20), (0.1, 0.2, 0.4, 0.8), (2.0, 8.0, 32.0), rate=0.02),
        **single("augmented", "regularised", "pictures moved and turned", augment=True),
        **over("local", "epsilon_i", (0.3, 1.0, 3.0), "pixels with noise, ε = {} a pixel"),
        **over("units", "unit_sigma", (0.2, 1.0), "DP-SGD for a person, σ = {}", private_rate=0.05),
    }


def patients() -> Columns:
    return {
        **general((2, 5, 10, 20, 30, 45), (0.1, 0.2, 0.4, 0.8), (1.0, 4.0, 16.0), rate=0.01,
                  relaxed=(0.9, 1.1, 1.2), fooling=(0.05, 0.2)),  # fmt: skip
        **over("local", "epsilon_i", (1.0, 2.0, 4.0), "randomised response, ε = {} a bit"),
        **over("units", "unit_sigma", (0.2,), "DP-SGD for a class, σ = {}", private_rate=0.05),
        **single("drop", "drop", "the sensitive column left out"),
        **of_tables(),
    }


def of_tables() -> Columns:
    """Models that only tables have, with the defences that only they have."""
    return {
        **single("regression", "none", "a regression, no defence", model="regression"),
        **over("ridge", "strength", (0.1, 1.0), "a regression, ridge {}", model="regression"),
        **over("adassp", "strength", (1.0, 4.0), "a regression, AdaSSP, ε = {}", model="regression"),
        **over("table_mid", "strength", (0.6,), "a regression, MID, λ = {}", model="regression"),
        **single("tree", "none", "a tree, no defence", model="tree"),
        **over("dp_id3", "strength", (1.0, 4.0), "a tree, DP-ID3, ε = {}", model="tree"),
        **over("priority", "strength", (0.0, 2.0), "a tree, the sensitive question at depth {}", model="tree"),
    }

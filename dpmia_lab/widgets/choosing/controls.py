"""The controls of lesson 6, of the grid, of the reader's own cell and of the sweep, with the words a reader meets."""

import ipywidgets as widgets

from dpmia_lab.experiments.evaluation import ATTACKERS, IN_FULL, JUDGES
from dpmia_lab.privacy.accounting import NEIGHBOURS
from dpmia_lab.widgets.choosing.data import RISKS, SETS, Risk
from dpmia_lab.widgets.choosing.words import RISK_WORDS
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import NumberField, choice, field, scale, swapped

LIMITS = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
ACCOUNTANT_WORDS = {
    "moments": "moments accountant",
    "tight": "tight accountant (more steps for the same ε)",
    "moments-classic": "moments accountant, classic (as in 2019)",
}


# ---- the grid
def data_choice() -> widgets.Dropdown:
    return field(choice("data", swapped(SETS)), "data")


def attacker_choice() -> widgets.Dropdown:
    """At first the blurred drawings, in which there is more to see."""
    made = field(choice("the attacker's drawing", swapped(ATTACKERS)), "attacker")
    made.value = Risk().attacker
    return made


def judge_choice() -> widgets.Dropdown:
    return field(choice("who recognises people in it", [(JUDGES[judge], judge) for judge in IN_FULL]), "judge")


def measure_choice() -> widgets.Dropdown:
    return field(choice("risk is the share of", [(RISK_WORDS[measure][0], measure) for measure in RISKS]), "measure")


def limit_slider() -> widgets.SelectionSlider:
    options = [(f"{limit:.0%}", limit) for limit in LIMITS]
    return field(light.SelectionSlider(options=options, value=0.25, description="risk you accept"), "limit")


# ---- the reader's own
def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    return {
        "epsilon": scale("ε for a record, to spend", (0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 16.0)),
        "sigma": scale("σ, noise multiplier", (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)),
        "q": scale("q, a record's chance to join", (0.02, 0.05, 0.1, 0.2, 0.4)),
        "models": scale("models trained and attacked", (4, 8, 16, 32, 64, 100)),
        "accountant": choice("who tells T from ε", swapped(ACCOUNTANT_WORDS)),
        "neighbours": choice("neighbours", swapped(NEIGHBOURS)),
        "smooth": scale("the attacker's blur, pixels", (0.0, 0.5, 1.0, 1.5, 2.0, 3.0)),
        "prior": light.Checkbox(description="an attacker with public pictures draws too", indent=False),
        "seed": NumberField("seed"),
    }


def list_field(label: str, values: str, name: str) -> widgets.Text:
    """Numbers with commas between them, taken when they are entered."""
    return field(light.Text(values, description=label, continuous_update=False), name)


def sweep_models() -> widgets.SelectionSlider:
    slider = field(scale("models a cell", (4, 8, 16, 32)), "sweep-models")
    slider.value = 8
    return slider

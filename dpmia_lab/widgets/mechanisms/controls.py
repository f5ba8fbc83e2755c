"""The controls of lesson 5's sweep, with the words a reader meets."""

import ipywidgets as widgets

from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import NumberField, scale


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    numbers = {"continuous_update": False}
    return {
        "zs": light.Text(description="your sweep, central: z, with commas", **numbers),
        "epsilons": light.Text(description="your sweep, local: ε_i, with commas", **numbers),
        "records": scale("n, records trained on, about", (60, 100, 200, 400, 600, 1000, 2000)),
        "epochs": scale("epochs, but for central noise", (2, 5, 10, 20, 40, 60)),
        "shadows": scale("shadow models of the black box", (1, 2, 4, 8)),
        "repeats": scale("seeds, for the spread", (1, 2, 3, 5)),
        "seed": NumberField("first seed"),
    }


def new_slider(label: str, steps: int) -> widgets.SelectionSlider:
    """Of values that are known later, about so many: its End key goes where the slider first had its end."""
    return light.SelectionSlider(options=[(f"{step}", step) for step in range(steps)], description=label)

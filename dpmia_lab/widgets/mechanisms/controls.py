"""The controls of lesson 5's sweep, with the words a reader meets."""

import ipywidgets as widgets

from dpmia_lab.widgets.kit.controls import scale


def new_controls(sets: list[tuple[str, str]]) -> dict[str, widgets.ValueWidget]:
    numbers = {"continuous_update": False}
    return {
        "zs": widgets.Text(description="central: noise multipliers z", **numbers),
        "epsilons": widgets.Text(description="local: ε_i of one bit, edge or pixel", **numbers),
        "records": scale("n, records trained on, about", (60, 100, 200, 400, 600, 1000, 2000)),
        "epochs": scale("epochs, but for central noise", (2, 5, 10, 20, 40, 60)),
        "shadows": scale("shadow models of the black box", (1, 2, 4, 8)),
        "repeats": scale("seeds, for the spread", (1, 2, 3, 5)),
        "seed": widgets.IntText(description="first seed"),
    }

"""What the ε that papers report are worth: how sure an attacker may still become."""

import ipywidgets as widgets

from dpmia_lab.privacy.tradeoff import highest_belief
from dpmia_lab.widgets.epsilon.words import percent
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.tables import table_html


def promises() -> widgets.VBox:
    """What an ε promises at best, for some that papers report."""
    priors = {"1 in 2": 0.5, "1 in 1,000": 1e-3, "1 in a million": 1e-6}
    rows = [
        (f"ε\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{epsilon:g}",
         *(percent(highest_belief(prior, epsilon)) for prior in priors.values()))
        for epsilon in (0.1, 1.0, 3.0, 8.0, 18.0)
    ]  # fmt: skip
    caption = (
        "How sure an attacker may become, at most, that one unit was in, reckoned as if δ were 0; the smaller δ, the "
        "rarer are models that give away more. "
    )
    heads = ("", *(f"thought {odds} before" for odds in priors))
    return card(text(table_html(heads, rows, f"{caption}Lower is safer.")), name="dp-promises")

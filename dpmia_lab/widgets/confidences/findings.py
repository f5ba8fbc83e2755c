"""What paper B claims about networks, and what the shipped reference says: computed, not written."""

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments import confidence_claims
from dpmia_lab.experiments.confidence_claims import Points
from dpmia_lab.widgets.confidences.claims import MORE, claim_of
from dpmia_lab.widgets.confidences.curves import DATA, SEEDS, leak_of, reference, spread_of
from dpmia_lab.widgets.confidences.words import SHORT
from dpmia_lab.widgets.kit.claims import folded_claims
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.tables import table_html, with_small

CLAIMS = [claim_of(claim) for claim in (*confidence_claims.CLAIMS, *MORE)]


def results_html() -> str:
    """Every attacker on the network without a defence, on all data sets: mean and deviation over the seeds."""
    found = {name: points for name in DATA if (points := reference(name)) is not None}
    if not found:
        return "<p class='dp-soft'>The reference has not been computed yet (<code>make reference</code>).</p>"
    rows = [(words, *(cell(points, attack) for points in found.values())) for attack, words in SHORT.items()]
    rows.insert(0, ("accuracy; ECE", *(worth(points) for points in found.values())))
    heads = ("attacker, no defence", *(with_small(DATA[name], "recognised; by likeness") for name in found))
    caption = f"Test pictures, {SEEDS} seeds, mean ± standard deviation. Higher is a worse leak."
    return table_html(heads, rows, caption)


def cell(points: Points, attack: str) -> str:
    told = []
    for measure in ("recognised", "recognised_ssim"):
        values = leak_of(points, f"{measure}_{attack}")
        if values is not None and np.isfinite(values[0]).all():
            told.append(f"{values[0].mean():.0%} ± {spread_of(values[0]):.0%}")
    return "; ".join(told) or "–"


def worth(points: Points) -> str:
    return f"{points['test_accuracy'][0].mean():.0%}; {points['ece'][0].mean():.2f}"


def findings() -> widgets.VBox:
    told = folded_claims(CLAIMS)
    return card(text(f"<h3>Claim by claim, over {SEEDS} seeds</h3>{told}"), name="dp-claims")

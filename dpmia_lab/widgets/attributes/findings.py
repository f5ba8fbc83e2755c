"""What paper B claims about tables, and what the shipped reference says: computed, not written."""

import ipywidgets as widgets

from dpmia_lab.widgets.attributes import claims
from dpmia_lab.widgets.attributes.curves import is_there, reference
from dpmia_lab.widgets.attributes.words import SHORT
from dpmia_lab.widgets.kit.claims import Claim, folded_claims
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.tables import table_html, with_small, with_spread

CLAIMS = [
    Claim("MID leaks less than differential privacy at equal error", "B",
          "in a regression, at any squared error, less than AdaSSP (Fig. 2 a)", claims.mid_beats_adassp),
    Claim("MID protects trees", "B", "trees leak less the larger λ is (Figs 2 b, 4 c)",
          claims.printed_mid_lowers_the_leak),
    Claim("The leak is of the distribution", "B", "people trained on and new people are guessed about alike well",
          claims.leak_is_distributional),
    Claim("Calibration undoes MID in regression", "B", "attacks with the naive attack only",
          claims.calibration_undoes_mid),
    Claim("Imputation needs no model", "B", "compares with no attacker who has no model",
          claims.imputation_needs_no_model),
    Claim("The steak survey tells nothing", "B", "shows trees and attacks on this survey",
          claims.steak_has_no_signal),
]  # fmt: skip


def results_html() -> str:
    """Every attacker on the model without a defence, on all three tables: mean and deviation over the splits."""
    found = {name: points for name in claims.DATA_WORDS if (points := reference(name)) is not None}
    if not found:
        return "<p class='dp-soft'>The reference has not been computed yet (<code>make reference</code>).</p>"
    rows = [(words, *(cell(points, attack) for points in found.values())) for attack, words in SHORT.items()]
    heads = ("attacker, no defence", *(with_small(claims.DATA_WORDS[name], "right guesses; AUROC") for name in found))
    caption = "New people, 100 splits, mean ± standard deviation. Higher is a worse leak; an AUROC of 0.5 is nothing."
    return table_html(heads, rows, caption)


def cell(points: claims.Points, attack: str) -> str:
    if not is_there(points, f"attack_accuracy_{attack}"):
        return "–"
    right, area = (claims.leak(points, 0, attack, measure) for measure in ("attack_accuracy", "attack_auc"))
    return f"{with_spread(right, '{:.1%}')}; {with_spread(area, '{:.2f}')}"


def findings() -> widgets.VBox:
    told = folded_claims(CLAIMS)
    return card(text(f"<h3>Claim by claim, over 100 splits</h3>{told}"), name="dp-claims")

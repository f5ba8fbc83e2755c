"""What paper B claims about networks, and what the shipped reference says: computed, not written."""

import ipywidgets as widgets
import numpy as np

from dpmia_lab.widgets.confidences import claims
from dpmia_lab.widgets.confidences.claims import everywhere
from dpmia_lab.widgets.confidences.curves import DATA, SEEDS, leak_of, reference, spread_of
from dpmia_lab.widgets.confidences.words import SHORT
from dpmia_lab.widgets.kit.claims import Claim, claim_html
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.tables import table_html, with_small

CLAIMS = [
    Claim("MID stops alignment better than differential privacy", "B",
          "at equal accuracy fewer faces drawn from confidences are right (Fig. 2 c)", claims.against_dp("alignment")),
    Claim("MID stops GMI better than differential privacy", "B",
          "at equal accuracy, by a large margin (Fig. 4 a–b)", claims.against_dp("gmi")),
    Claim("MID stops update leaks better than differential privacy", "B",
          "at equal accuracy (Fig. 2 d)", claims.against_dp("update")),
    Claim("MID keeps confidences better calibrated", "B",
          "its calibration error is mostly far lower than differential privacy's (Fig. 3)",
          everywhere(claims.better_calibrated)),
    Claim("GMI draws training pictures better than test pictures", "B",
          "training data lose more privacy to GMI than test data (Fig. 5 c)",
          everywhere(claims.training_people_are_closer)),
    Claim("Alignment draws both alike", "B", "training and test data lose about as much (Fig. 5 b)",
          everywhere(claims.alignment_is_distributional)),
    Claim("Rounding and noise on confidences do not help", "B", "both are ineffective",
          everywhere(claims.rounding_and_noise_fail)),
    Claim("More answers undo MID", "B", "asks once, though its network answers with fresh noise each time",
          everywhere(claims.more_answers_undo_mid)),
    Claim("What the label alone tells", "B", "compares alignment with nobody who is told only the label",
          everywhere(claims.the_label_tells_most)),
    Claim("Label smoothing, positive and negative", "B", "does not try it as a defence",
          everywhere(claims.smoothing_turns_both_ways)),
]  # fmt: skip


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


def cell(points: claims.Points, attack: str) -> str:
    told = []
    for measure in ("recognised", "recognised_ssim"):
        values = leak_of(points, f"{measure}_{attack}")
        if values is not None and np.isfinite(values[0]).all():
            told.append(f"{values[0].mean():.0%} ± {spread_of(values[0]):.0%}")
    return "; ".join(told) or "–"


def worth(points: claims.Points) -> str:
    return f"{points['test_accuracy'][0].mean():.0%}; {points['ece'][0].mean():.2f}"


def findings() -> widgets.VBox:
    told = "".join(claim_html(claim) for claim in CLAIMS)
    return card(text(f"<h3>Claim by claim, over {SEEDS} seeds</h3>{told}"), name="dp-claims")

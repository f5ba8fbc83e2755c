"""The curves of lesson 3 in words: what their ε is for, and whether a smaller one goes with a safer picture."""

import numpy as np

from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, short
from dpmia_lab.widgets.hiding.curves_data import MEASURES, UNITS, Points
from dpmia_lab.widgets.hiding.words import ATTACKER_WORDS
from dpmia_lab.widgets.kit.tables import table_html

NOT_YET = "<small class='dp-soft'>Not computed yet: <code>make reference</code>, or sweep k_sub yourself.</small>"
LATER = "<p class='dp-soft'>This reference has not been computed yet (<code>make reference</code>).</p>"


def signed(value: float) -> str:
    """+0.98 or −0.98, with a minus sign and not a hyphen."""
    return f"{value:+.2f}".replace("-", "−")


def about_html(points: dict[str, Points], data: str) -> str:
    seeds = points["record"].config["repeats"] if "record" in points else 0
    reference = f"Lines: this lab's reference, {seeds} seeds, bands one standard deviation. " if seeds else ""
    return (
        f"<small class='dp-soft'>{reference}{epsilon_words(points, data)}An ε for a record and an ε for a "
        f"{UNITS[data]['unit']} promise different things: compare how the curves run, not how far left they lie. "
        f"<span class='dp-reference'>Hollow grey marks: paper A, ε as printed, on its own data; no single number of "
        f"steps explains its three values.</span> Marks edged in black: yours.</small>"
    )


def epsilon_words(points: dict[str, Points], data: str) -> str:
    """What the ε on the axis is for, once for both curves."""
    said = []
    for model, unit in UNITS[data].items():
        if model in points:
            delta = float(f"{points[model].along('delta')[0].value:.6g}")
            said.append(f"for a {unit}: {NEIGHBOURS[points[model].config['neighbours']]}; δ = {short(delta)}")
    return f"ε {', '.join(said)}; {ACCOUNTANTS['tight'].words}. " if said else ""


def ranks_html(points: dict[str, Points], data: str) -> str:
    """Rank correlation of ε with accuracy and with every measure: does a smaller ε go with a safer picture?"""
    shown = {unit: points[model] for model, unit in UNITS[data].items() if model in points}
    if not shown:
        return LATER
    lines = {("accuracy", ""): "test accuracy (higher: more useful)"}
    for attacker, words in ATTACKER_WORDS.items():
        for measure in ("distance", "similarity"):
            title = MEASURES[measure][0].replace("\n", "; ")
            lines[measure, attacker] = f"{title}; attacker {words}"
    caption = (
        f"Rank correlation of ε with what stands at the left: +1 if the larger ε always has the larger value, 0 if "
        f"they have nothing to do with each other. An ε that tells the leak has −1 with a distance and +1 with a "
        f"correlation. Over {min(swept.count for swept in shown.values())} models each, less than about "
        f"±{max(swept.chance for swept in shown.values()):.2f} may be chance."
    )
    rows = [(words, *(signed(swept.rank(*what)) for swept in shown.values())) for what, words in lines.items()]
    return table_html(["", *(f"ε for a {unit}" for unit in shown)], rows, caption)


def rank_words(points: Points) -> str:
    """What a sweep of the reader's says about ε, for the line under its button."""
    rank = points.rank("distance", "paper")
    return f"Rank correlation of ε with distance: {rank:+.2f}." if np.isfinite(rank) else ""

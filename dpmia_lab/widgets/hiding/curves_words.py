"""The curves of lesson 3 in words: what their ε is for, and whether a smaller one goes with a safer picture."""

import numpy as np

from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, short
from dpmia_lab.widgets.hiding.curves_data import MEASURES, UNITS, Points
from dpmia_lab.widgets.hiding.words import ATTACKER_WORDS
from dpmia_lab.widgets.kit.tables import table_html

NOT_YET = "<small class='dp-soft'>Not computed yet: <code>make reference</code>, or sweep k_sub yourself.</small>"
NO_SUBCLASSES = "<small class='dp-soft'>The faces are hidden person by person; choose the digits.</small>"
LATER = "<p class='dp-soft'>This reference has not been computed yet (<code>make reference</code>).</p>"


def signed(value: float) -> str:
    """+0.98 or −0.98, with a minus sign and not a hyphen."""
    return f"{value:+.2f}".replace("-", "−")


def about_html(points: dict[str, Points], data: str) -> str:
    """The chart's caption, and once for both curves what its ε is for."""
    seeds = points["record"].config["repeats"] if "record" in points else 0
    reference = f"Lines: the lab's reference, {seeds} seeds, bands one standard deviation. " if seeds else ""
    return (
        f"<small class='dp-soft'>{reference}Marks edged in black: yours. An ε for a record and an ε for a "
        f"{UNITS[data]['unit']} promise different things: compare how the curves run, not how far left they lie. "
        f"{epsilon_words(points, data)}</small>"
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
        for measure in ("similarity", "distance"):
            title = MEASURES[measure][0].replace("\n", "; ")
            lines[measure, attacker] = f"{title}; {words}"
    caption = (
        f"Rank correlation of ε with what stands at the left: +1 if the larger ε always has the larger value. An ε "
        f"that tells the leak has +1 with a correlation and −1 with a distance. Over "
        f"{min(swept.count for swept in shown.values())} models each, less than about "
        f"±{max(swept.chance for swept in shown.values()):.2f} may be chance, and is no finding."
    )
    rows = [(words, *(rank_words(swept, *what) for swept in shown.values())) for what, words in lines.items()]
    return table_html(["", *(f"ε for a {unit}" for unit in shown)], rows, caption)


def rank_words(points: Points, measure: str, attacker: str = "") -> str:
    """Such as "+0.98"; one inside its own limits says so."""
    rank = points.rank(measure, attacker)
    return signed(rank) + (" (may be chance)" if abs(rank) <= points.chance else "")


def sweep_words(points: Points) -> str:
    """What a sweep of the reader's says about ε, for the line under its button."""
    if not np.isfinite(points.rank("similarity", "stronger")):
        return ""
    found = rank_words(points, "similarity", "stronger")
    return f"Rank correlation of ε with the stronger attacker's correlation: {found}."

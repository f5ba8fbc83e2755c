"""φ of one strength, as the two shares that it divides: what the attack lost, and what the model lost."""

import numpy as np

from dpmia_lab.experiments.mechanism_sweep import Sweep
from dpmia_lab.experiments.mechanisms import point_of, setting_words
from dpmia_lab.metrics.tradeoffs import MOST
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.privacy.local import FEATURES_ONLY
from dpmia_lab.widgets.mechanisms.words import no_phi_html


def shares(sweep: Sweep, defence: str, attack: str, protocol: str) -> tuple[float, float]:
    """Of the attack's advantage the share that is gone, of accuracy above chance the share that is lost."""
    plain, auc = (sweep.value("auc", one, attack, protocol) for one in ("none", defence))
    useful, accuracy = (sweep.value("test_accuracy", one) for one in ("none", defence))
    return (plain - auc) / (plain - 0.5), (useful - accuracy) / (useful - sweep.chance)


def worth_html(sweep: Sweep, defence: str, attack: str, protocol: str) -> str:
    """Two bars, and what the one over the other comes to; or why there is no φ."""
    without = no_phi_html(sweep, attack, protocol)
    if without:
        return without
    gone, lost = shares(sweep, defence, attack, protocol)
    worth = sweep.value("phi", defence, attack, protocol)
    if not np.isfinite(gone + lost + worth):
        return "<p class='dp-soft'>This strength was not attacked in this way.</p>"
    promise = f"ε = {epsilon_text(sweep.value('epsilon', defence))} for a record"
    promise += f", {FEATURES_ONLY}" if point_of(defence)[0] == "local" else ""
    return (
        f"<p><b>{setting_words(defence)}</b> ({promise}), {sweep.words}</p>"
        f"{bar_html('gained: the attack’s advantage gone', gone, 'gained')}"
        f"{bar_html('paid: accuracy above chance lost', lost, 'paid')}"
        f"<p class='dp-worth'>φ = gained / paid = <b>{worth:.2f}</b>{worth_words(worth, gone, lost)}</p>"
    )


def bar_html(words: str, share: float, kind: str) -> str:
    wide = 100 * min(1.0, max(0.0, share))
    return (
        f'<div class="dp-share dp-share-{kind}"><span>{words}</span><div class="dp-rank-bar">'
        f'<i style="width:{wide:.1f}%"></i></div><b>{share:.0%}</b></div>'
    )


def worth_words(worth: float, gone: float, lost: float) -> str:
    """What the figure means, and what it hides."""
    if lost <= 0:
        return ": 2 by definition, since accuracy did not fall; it says nothing of what was gained."
    if worth >= MOST:
        return f", where it is cut off (uncut: {gone / lost:.1f})."
    return ": more gained than paid." if worth > 1 else ": more paid than gained."

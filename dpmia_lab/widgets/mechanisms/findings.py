"""What paper C claims about the two mechanisms, and what the shipped reference says: computed, not written."""

from collections.abc import Callable

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.mechanisms import MECHANISMS, PRESETS
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.mechanisms.data import Sweep, contest, reference_sweep
from dpmia_lab.widgets.mechanisms.words import (
    ATTACK_WORDS,
    DATA_WORDS,
    PROTOCOL_WORDS,
    cell_text,
    contest_words,
    epsilon_text,
    setting_words,
    signed,
)

LATER = "<p class='dp-soft'>The reference has not been computed yet (<code>make reference</code>).</p>"
CLEARLY = 0.005  # by so much must an AUC be higher on average
FAR_APART = 10  # times: so different must ε be at equal protection for it to be unfit for comparing
LEAST_LEAK = 0.03  # an undefended AUC nearer to .5 leaves nothing to compare but chance
Verdict = tuple[bool | None, str]  # agrees, does not, or nothing to say; the sentence with the numbers


def references() -> dict[str, Sweep]:
    found = {name: reference_sweep(name) for name in PRESETS}
    return {name: sweep for name, sweep in found.items() if sweep is not None}


def endings(sweep: Sweep) -> list[str]:
    return [ending for ending in PROTOCOL_WORDS if sweep.has(f"white_box{ending}")]


# ---- the claims
def checked(check: Callable[[Sweep, str], Verdict], sweep: Sweep, ending: str) -> Verdict:
    """The check's answer, unless there is nothing to protect."""
    undefended = sweep.undefended(f"auc_white_box{ending}")
    if undefended < 0.5 + LEAST_LEAK:
        return None, f"without a defence the white box's AUC is {undefended:.2f}: there is next to nothing to protect"
    return check(sweep, ending)


def epsilon_claim(sweep: Sweep, ending: str) -> Verdict:
    """The weakest promise of each mechanism that takes half of the white-box attack's advantage."""
    weakest = {mechanism: halving_epsilon(sweep, mechanism, f"auc_white_box{ending}") for mechanism in MECHANISMS[1:]}
    missing = [mechanism for mechanism, epsilon in weakest.items() if epsilon is None]
    if missing:
        return None, f"no strength of {' or '.join(missing)} noise takes half of the white box's advantage"
    ratio = weakest["local"] / weakest["central"]
    return ratio >= FAR_APART, (
        f"half of the white box's advantage is gone from ε = {epsilon_text(weakest['central'])} down with central "
        f"noise, from ε = {epsilon_text(weakest['local'])} with local noise: {ratio:,.0f} times as much"
    )


def halving_epsilon(sweep: Sweep, mechanism: str, name: str) -> float | None:
    """The largest ε whose AUC is at most half-way from guessing to that without a defence; None if none is."""
    half = 0.5 + (sweep.undefended(name) - 0.5) / 2
    fits = sweep.at("epsilon", mechanism)[sweep.at(name, mechanism) <= half]
    return float(fits.max()) if len(fits) and half > 0.5 else None


def similar_claim(sweep: Sweep, ending: str) -> Verdict:
    found = contest(sweep, f"white_box{ending}")
    return None if found.verdict == "neither" else found.verdict == "alike", contest_words(found)


def strict_claim(sweep: Sweep, ending: str) -> Verdict:
    found = contest(sweep, f"white_box{ending}")
    return None if found.verdict == "neither" else found.verdict == "local" and found.strict, contest_words(found)


def boxes_claim(sweep: Sweep, ending: str) -> Verdict:
    white, black = (sweep.values[f"auc_{box}{ending}"] for box in ("white_box", "black_box"))
    apart = (white - black)[np.isfinite(white - black)]
    if not len(apart):
        return None, "there is no black-box attack to compare with"
    return bool(apart.mean() > CLEARLY), (
        f"the white box's AUC minus the black box's is {signed(apart.mean())} on average, and it is higher at "
        f"{(apart > 0).sum()} of {len(apart)} points"
    )


def interval_claim(sweep: Sweep, ending: str) -> Verdict:
    """φ of the white box above 1 at some strengths and not at all."""
    said, some = [], []
    for mechanism in MECHANISMS[1:]:
        worth, epsilons = sweep.at(f"phi_white_box{ending}", mechanism), sweep.at("epsilon", mechanism)
        good = epsilons[np.nan_to_num(worth) > 1]
        some.append(0 < len(good) < np.isfinite(worth).sum())
        span = f", ε from {epsilon_text(good.min())} to {epsilon_text(good.max())}" if len(good) else ""
        said.append(f"{mechanism}: φ above 1 at {len(good)} of {np.isfinite(worth).sum()} strengths{span}")
    return all(some), "; ".join(said)


# claim: (title, what the paper says, the check, the presets it is about; () for all)
CLAIMS = [
    ("ε alone cannot compare mechanisms", "ε of local noise is hundreds or thousands of times that of central noise "
     f"where both protect alike (here {FAR_APART} times counts)", epsilon_claim, ()),
    ("The two pay alike for protection", "for most data sets similar pairs of accuracy and AUC", similar_claim, ()),
    ("Local is strictly better on Skewed Purchases, 10 classes", "never less accuracy at equal AUC", strict_claim,
     ("skewed-10",)),
    ("The white box beats the black box", "on all data sets but the graphs, by about 0.03 to 0.05", boxes_claim, ()),
    ("φ is above 1 only in an interval of ε", "for all data sets but the graphs", interval_claim, ()),
]  # fmt: skip


def findings() -> widgets.VBox:
    """Every claim, on every data set that has been computed, under every kind of outsider."""
    kept = references()
    parts = [claim_html(*claim, kept) for claim in CLAIMS]
    return card(text("".join(parts) if kept else LATER), name="dp-claims")


def claim_html(title: str, paper: str, check, about: tuple[str, ...], kept: dict[str, Sweep]) -> str:
    lines = [
        line_html(name, ending, checked(check, sweep, ending), len(endings(sweep)) > 1)
        for name, sweep in kept.items()
        if not about or name in about
        for ending in endings(sweep)
    ]
    body = "".join(lines) or "<li class='dp-soft'>Not computed yet.</li>"
    return f"<h4>{title}</h4><p>Paper C: {paper}.</p><ul class='dp-findings'>{body}</ul>"


def line_html(name: str, ending: str, verdict: Verdict, two: bool) -> str:
    agrees, words = verdict
    mark = {True: "agrees", False: "does not agree", None: "cannot be said"}[agrees]
    outsiders = f" ({PROTOCOL_WORDS[ending]})" if two else ""
    return f"<li>{DATA_WORDS[name]}{outsiders}: <b>{mark}</b>; {words}.</li>"


# ---- the trap
def trap() -> widgets.VBox:
    """The same models and attacks, with outsiders of the training distribution and with the paper's."""
    both = {name: sweep for name, sweep in references().items() if len(endings(sweep)) > 1}
    return card(text("".join(trap_html(*one) for one in both.items()) or LATER), name="dp-trap")


def trap_html(name: str, sweep: Sweep) -> str:
    names = [f"auc_{box}{ending}" for box in ATTACK_WORDS for ending in PROTOCOL_WORDS]
    head = "".join(f"<th>{w}<br><small>{p}</small></th>" for w in ATTACK_WORDS.values() for p in ("alike", "shifted"))
    rows = []
    for place, kind in enumerate(sweep.values["mechanism"]):
        mechanism = MECHANISMS[int(kind)]
        cells = "".join(f"<td>{cell_text(sweep.values, column, place, mechanism)}</td>" for column in names)
        rows.append(f"<tr><td>{setting_words(mechanism, sweep.values['parameter'][place])}</td>{cells}</tr>")
    alike, shifted = (sweep.undefended(f"auc_white_box{ending}") for ending in PROTOCOL_WORDS)
    return (
        f"<h4>{DATA_WORDS[name]}: AUC {shifted:.2f} or {alike:.2f}, for the same model and attack</h4><div "
        f'class="dp-scroll"><table><caption>AUC (lower: safer). Alike: outsiders drawn as the members were. Shifted: '
        f"paper C's, whose other bits are 1 with chance 0.5 instead of 0.2, so that a glance at the record tells them "
        f"from members, whatever the model does.</caption><thead><tr><th>setting</th>{head}</tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )

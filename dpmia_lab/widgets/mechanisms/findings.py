"""What papers C and D claim about the two mechanisms, and what the shipped reference says: computed, not written."""

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.mechanism_sweep import Sweep, epsilon_text
from dpmia_lab.experiments.mechanisms import PROTOCOLS, setting_words
from dpmia_lab.widgets.kit.claims import Claim, claim_html
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.tables import table_html, with_small
from dpmia_lab.widgets.mechanisms import claims
from dpmia_lab.widgets.mechanisms.claims import FAR_APART, everywhere, leaks, on_each, undefended
from dpmia_lab.widgets.mechanisms.data import references
from dpmia_lab.widgets.mechanisms.ranking import LAMBDAS
from dpmia_lab.widgets.mechanisms.words import ATTACK_WORDS, DATA_WORDS, value_text

LATER = "<p class='dp-soft'>The reference has not been computed yet (<code>make reference</code>).</p>"
TRAP = (
    "AUC (lower: safer). Alike: outsiders drawn as the members were. Shifted: paper C's, whose other bits are 1 with "
    "chance 0.5 instead of 0.2, so that a glance at the record tells them from members, whatever the model does."
)
SKEWED = ("skewed-10", "skewed-50")
IN_LESSON = [
    Claim("ε alone cannot compare mechanisms", "C", "ε of local noise is hundreds or thousands of times that of "
          f"central noise where both protect alike (here {FAR_APART} times counts)", everywhere(claims.epsilon_claim)),
    Claim("The two pay alike for protection", "C", "for most data sets similar pairs of accuracy and AUC",
          everywhere(claims.similar_claim)),
    Claim("Local is strictly better on Skewed Purchases, 10 classes", "C", "never less accuracy at equal AUC",
          everywhere(claims.strict_claim, ("skewed-10",))),
    Claim("The white box beats the black box", "C", "on all data sets but the graphs, by about 0.03 to 0.05",
          everywhere(claims.boxes_claim)),
    Claim("φ is above 1 only in an interval of ε", "C", "for all data sets but the graphs",
          everywhere(claims.interval_claim)),
]  # fmt: skip
CLAIMS = [
    *IN_LESSON,
    Claim("Local noise keeps accuracy longer", "C", "on Skewed Purchases local noise keeps test accuracy far longer "
          "than central noise", on_each(claims.accuracy_claim, SKEWED)),
    Claim("AOP follows from accuracy and AUC", "D", f"prints AOP for λ from {LAMBDAS[0]} to {LAMBDAS[-1]}, as means "
          "over eight picture sets", claims.aop_claim),
]  # fmt: skip
# what the paper did not measure
ADDED = [
    Claim("It matters who the outsiders are", "C", "on Skewed Purchases the outsiders come from its test "
          "distribution, the members from another", on_each(claims.outsiders_finding, SKEWED)),
    Claim("Two attacks are not all attacks", "C", "attacks with a black box and a white box, and not with the offline "
          "likelihood ratio", on_each(claims.ratio_finding)),
]  # fmt: skip


def findings() -> widgets.VBox:
    """The lesson's claims, on every data set that has been computed, under every kind of outsider."""
    html = "".join(claim_html(claim) for claim in IN_LESSON) if references() else LATER
    return card(text(html), name="dp-claims")


# ---- the trap
def trap() -> widgets.VBox:
    """The same models and attacks, with outsiders of the training distribution and with the paper's."""
    both = {name: sweep for name, sweep in references().items() if len(sweep.protocols()) > 1}
    return card(text("".join(trap_html(*one) for one in both.items()) or LATER), name="dp-trap")


def trap_html(name: str, sweep: Sweep) -> str:
    columns = [(attack, protocol) for attack in ATTACK_WORDS for protocol in PROTOCOLS]
    heads = ["setting", *(with_small(ATTACK_WORDS[attack], protocol) for attack, protocol in columns)]
    rows = [
        (setting_words(defence), *(value_text(sweep, defence, "auc", *played) for played in columns))
        for defence in sweep.defences
    ]
    alike, shifted = (undefended(sweep, protocol) for protocol in PROTOCOLS)
    title = f"{DATA_WORDS[name]}: AUC {shifted:.2f} or {alike:.2f}, for the same model and attack"
    return f"<h4>{title}</h4>{table_html(heads, rows, TRAP)}"


# ---- all results
def results_html() -> str:
    """Skewed Purchases, every strength of both mechanisms: ε, accuracy, AUC under both protocols, φ; then ADDED."""
    kept = {name: references()[name] for name in SKEWED if name in references()}
    if not kept:
        return LATER
    rows = [result_row(sweep, defence) for sweep in kept.values() for defence in sweep.defences]
    config = next(iter(kept.values())).config
    caption = (
        f"{config.repeats} seeds, n ≈ {config.records:,}, data as paper C specifies them. Alike: outsiders drawn as "
        f"the members were; shifted: paper C's, from its test distribution. Central ε is for a record (add or remove "
        f"one, δ = 1/n, tight accountant), local ε for a record is 600 times that of one bit (replace one, δ = 0). φ "
        f"is for the white box, outsiders alike; it is left out where there is next to nothing to protect."
    )
    heads = (
        "classes",
        "defence",
        with_small("ε", "lower: safer"),
        with_small("accuracy", "higher: more useful"),
        with_small("AUC, black / white box, alike", "lower: safer"),
        with_small("φ", "higher: better"),
        with_small("AUC, black / white box, shifted", "lower: safer"),
    )
    return table_html(heads, rows, caption) + "".join(claim_html(claim) for claim in ADDED)


def result_row(sweep: Sweep, defence: str) -> tuple[str, ...]:
    plain = defence == "none"
    worth = np.nan if plain or not leaks(sweep, "alike") else sweep.value("phi", defence, "white_box", "alike")
    alike, shifted = (
        " / ".join(f"{sweep.value('auc', defence, attack, protocol):.2f}" for attack in ("black_box", "white_box"))
        for protocol in PROTOCOLS
    )
    return (
        str(sweep.config.classes),
        "none" if plain else setting_words(defence),
        "–" if plain else epsilon_text(sweep.value("epsilon", defence)),
        f"{100 * sweep.value('test_accuracy', defence):.1f} %",
        alike,
        "–" if np.isnan(worth) else f"{worth:.2f}",
        shifted,
    )

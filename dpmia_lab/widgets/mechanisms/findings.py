"""What papers C and D claim about the two mechanisms, and what the shipped reference says: computed, not written."""

from collections.abc import Sequence

import ipywidgets as widgets
import numpy as np

from dpmia_lab.experiments.mechanism_sweep import Sweep
from dpmia_lab.experiments.mechanisms import PLAYED, PROTOCOLS, setting_words
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.privacy.local import FEATURES_ONLY
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, UNDECIDED, Claim, Verdict, claim_html
from dpmia_lab.widgets.kit.parts import card, text
from dpmia_lab.widgets.kit.tables import Cell, Html, table_html, with_small
from dpmia_lab.widgets.mechanisms import claims
from dpmia_lab.widgets.mechanisms.claims import FAR_APART, everywhere, on_each
from dpmia_lab.widgets.mechanisms.data import references
from dpmia_lab.widgets.mechanisms.ranking import LAMBDAS
from dpmia_lab.widgets.mechanisms.words import ATTACK_WORDS, DATA_WORDS, value_text

LATER = "<p class='dp-soft'>The reference has not been computed yet (<code>make reference</code>).</p>"
TRAP = (
    "AUC (lower: safer). Alike: outsiders drawn as the members were. Shifted: paper C's, whose other bits are 1 with "
    "chance 0.5 instead of 0.2, so that a glance at the record tells them from members, whatever the model does."
)
SHORT = (("white_box", "shifted"), ("white_box", "alike"), ("lira_offline", "alike"))
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


MARKS = {
    AGREES: Cell("agrees", "dp-protected"),
    DIFFERS: Cell("does not", "dp-exposed"),
    UNDECIDED: Cell("cannot be told", "dp-reference"),
}
NOT_ASKED = Cell("–", "dp-reference")
ANSWERED = (
    "By the white box, five seeds. Cannot be told: without a defence that attack is too near guessing on these data; "
    "or chance over the seeds is larger than the difference. –: the paper claims it of other data. Below, a central ε "
    "is for a record (add or remove one, δ = 1/n, tight accountant), a local ε too (replace one, δ = 0; "
    f"{FEATURES_ONLY}); between the strengths tried, values lie on straight lines."
)


def findings() -> widgets.VBox:
    """The lesson's claims on every data set: one table; then what each answer rests on, folded."""
    return card(text(claims_html(IN_LESSON) if references() else LATER), name="dp-claims")


def claims_html(listed: list[Claim]) -> str:
    found = {claim: claim.check() for claim in listed}
    sets = list(dict.fromkeys(data for verdicts in found.values() for data in verdicts))
    rows = [[data, *(mark(found[claim].get(data)) for claim in listed)] for data in sets]
    heads = ["data", *(with_small(claim.title, f"paper {claim.paper}") for claim in listed)]
    return table_html(heads, rows, ANSWERED, "dp-claim-table") + decided_html(found) + undecided_html(found)


def mark(found: Verdict | None) -> Cell:
    return MARKS[found.finding] if found else NOT_ASKED


def decided_html(found: dict[Claim, dict[str, Verdict]]) -> str:
    """Folded: what each answer rests on."""
    rows = [
        (
            with_small(claim.title, f"paper {claim.paper}: {claim.said}"),
            data,
            MARKS[one.finding],
            Html(f"{one.sentence}."),
        )
        for claim, verdicts in found.items()
        for data, one in verdicts.items()
        if one.finding != UNDECIDED
    ]
    return folded("The numbers behind each answer", ("claim", "data", "this lab", "measured"), rows)


def undecided_html(found: dict[Claim, dict[str, Verdict]]) -> str:
    """Folded: why there is no answer, each reason once for the data and claims it holds for."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for claim, verdicts in found.items():
        for data, one in verdicts.items():
            if one.finding == UNDECIDED:
                reasons.setdefault((data, one.sentence), []).append(claim.title)
    rows = [(data, "; ".join(titles), Html(f"{why}.")) for (data, why), titles in sorted(reasons.items())]
    return folded("Why the others cannot be told", ("data", "claims", "why"), rows)


def folded(title: str, heads: tuple[str, ...], rows: list) -> str:
    return f"<details><summary>{title}</summary>{table_html(heads, rows, kind='dp-prose')}</details>" if rows else ""


# ---- the trap
def trap() -> widgets.VBox:
    """The same models and attacks, with outsiders of the training distribution and with the paper's."""
    both = {name: sweep for name, sweep in references().items() if len(sweep.protocols()) > 1}
    return card(text(trap_html(both) if both else LATER), name="dp-trap")


def trap_html(both: dict[str, Sweep]) -> str:
    """Models without a defence in one table; every strength folded."""
    rows = [[DATA_WORDS[name], *auc_cells(sweep, "none", SHORT)] for name, sweep in both.items()]
    shown = table_html(["without a defence", *auc_heads(SHORT)], rows, TRAP)
    return shown + "".join(strengths_html(name, sweep) for name, sweep in both.items())


def strengths_html(name: str, sweep: Sweep) -> str:
    rows = [[setting_words(defence), *auc_cells(sweep, defence, PLAYED)] for defence in sweep.defences]
    table = table_html(["setting", *auc_heads(PLAYED)], rows, TRAP)
    return f"<details><summary>For experts: every strength, {DATA_WORDS[name]}</summary>{table}</details>"


def auc_heads(columns: Sequence[tuple[str, str]]) -> list[Html]:
    return [with_small(ATTACK_WORDS[attack].partition(" (")[0], protocol) for attack, protocol in columns]


def auc_cells(sweep: Sweep, defence: str, columns: Sequence[tuple[str, str]]) -> list[str]:
    return [value_text(sweep, defence, "auc", *played) for played in columns]


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
        f"one, δ = 1/n, tight accountant), local ε for a record is 600 times that of one bit (replace one, δ = 0; "
        f"{FEATURES_ONLY}). φ is for the white box, outsiders alike; there is none where that attack, without a "
        f"defence, is too near guessing, so that φ would be divided by chance."
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
    worth = sweep.value("phi", defence, "white_box", "alike")
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

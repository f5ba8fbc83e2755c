"""Lesson 4 in words and tables: how well each attack tells members apart, what was promised, what an audit proves."""

import math
from html import escape

from dpmia_lab.experiments.membership import ATTACKS, Config
from dpmia_lab.privacy.accounting import Guarantee, rounded_up
from dpmia_lab.widgets.kit.parts import number_html

HEADS = (
    "attack",
    "AUC",
    "members caught at 1 % false alarms",
    "at 0.1 %",
    "verdicts right",
    "ε at least (one-run audit)",
    "ε at least (from rates)",
)


# ---- which attacks there are
def attacks_made(numbers: dict[str, float], ending: str = "") -> list[str]:
    return [attack for attack in ATTACKS if f"auc_{attack}{ending}" in numbers]


def best(numbers: dict[str, float], measure: str = "auc", ending: str = "") -> str:
    """The attack with the highest ``measure``."""
    return max(attacks_made(numbers, ending), key=lambda attack: numbers[f"{measure}_{attack}{ending}"])


def lower_bound(numbers: dict[str, float]) -> tuple[float, str]:
    """The largest ε that the one-run audit of any attack proves, and whose."""
    attack = best(numbers, "epsilon_bound")
    return numbers[f"epsilon_bound_{attack}"], attack


# ---- the numbers
def interval(numbers: dict[str, float], measure: str, attack: str, form: str) -> str:
    value, low, high = (form.format(numbers[f"{measure}{end}_{attack}"]) for end in ("", "_low", "_high"))
    return f"{value}<br><small>{low} to {high}</small>"


def bound_text(value: float) -> str:
    """Rounded down: a bound from below must not be overstated."""
    return f"{math.floor(100 * value + 1e-9) / 100:.2f}"


def attacks_html(numbers: dict[str, float]) -> str:
    """A line an attack, each number with its 95 % interval."""
    rows = []
    for attack in attacks_made(numbers):
        cells = [
            interval(numbers, "auc", attack, "{:.3f}"),
            interval(numbers, "tpr1", attack, "{:.1%}"),
            interval(numbers, "tpr01", attack, "{:.1%}"),
            interval(numbers, "balanced", attack, "{:.1%}"),
            bound_text(numbers[f"epsilon_bound_{attack}"]),
            bound_text(numbers[f"epsilon_bound_rates_{attack}"]),
        ]
        rows.append(f"<tr><td>{escape(ATTACKS[attack])}</td>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    heads = "".join(f"<th>{head}</th>" for head in HEADS)
    guess = "<td>0.500</td><td>1.0%</td><td>0.1%</td><td>50.0%</td><td>0.00</td><td>0.00</td>"
    guessing = f'<tr class="reference"><td>guessing</td>{guess}</tr>'
    return (
        f'<div class="dp-scroll"><table class="dp-attacks"><tr>{heads}</tr>{"".join(rows)}{guessing}</table></div>'
        f"<small>{measures_words(numbers)}</small>"
    )


def measures_words(numbers: dict[str, float]) -> str:
    """What each column means, and how far to trust it."""
    few = 0.001 * numbers["members"] < 5
    caution = (
        f" With about {numbers['members']:,.0f} outsiders, 0.1 % of them are {0.001 * numbers['members']:.1g}: one "
        f"lucky record moves that column."
        if few
        else ""
    )
    return (
        "In every column high means a worse leak. <b>AUC</b>: the chance that a member looks more like a member than "
        "an outsider does. <b>Caught</b>: members named when so few outsiders may be accused wrongly; an attacker who "
        "wants to be believed works there. <b>Verdicts right</b>: of members and outsiders alike, at a threshold "
        "chosen on the other half. Small: 95 % intervals. The white box knew half of the candidates and is judged on "
        f"the others.{caution} <b>One-run audit</b>: whatever the training was, it was not private with a smaller ε; "
        "valid since a coin decided about each record, with 95 % confidence for each attack. <b>From rates</b> "
        "(Clopper–Pearson) counts records as separate experiments. They share one model, so take it as a rule of thumb."
    )


def summary_html(config: Config, numbers: dict[str, float]) -> str:
    """Four figures: what was learned, what was memorised, what leaks on average, and at worst."""
    n, average, worst = numbers, best(numbers), best(numbers, "tpr1")
    gap = n["train_accuracy"] - n["test_accuracy"]
    where = " Tested on another distribution, as in paper C." if config.data == "skewed_purchases" else ""
    cells = [
        number_html(
            f"{n['test_accuracy']:.1%}",
            "accuracy on new records",
            f"Higher is more useful. By chance {n['chance']:.1%}.{where}",
            "protected",
        ),
        number_html(
            f"{100 * gap:.1f} points".replace("-", "−"),
            "more on training records",
            f"{n['train_accuracy']:.1%} there. Attacks live on what it knows of its own records only. Lower is safer.",
            "exposed",
        ),
        number_html(
            f"{n[f'auc_{average}']:.3f}",
            "AUC of the best attack",
            f"0.5 is guessing, 1 tells everybody apart; lower is safer. Attack: {escape(ATTACKS[average])}.",
            "exposed",
        ),
        number_html(
            f"{n[f'tpr1_{worst}']:.1%}",
            "of members caught at 1 % false alarms",
            f"Guessing catches 1 %; lower is safer. Attack: {escape(ATTACKS[worst])}.",
            "exposed",
        ),
    ]
    return f'<div class="dp-numbers">{"".join(cells)}</div>'


# ---- what was promised
def guarantee(numbers: dict[str, float]) -> Guarantee | None:
    """Under central noise, by the tight accountant."""
    if "epsilon_tight" not in numbers:
        return None
    delta = float(f"{numbers['delta']:.3g}")
    return Guarantee(numbers["epsilon_tight"], "record", "add-remove", delta, "tight")


def promise_html(config: Config, numbers: dict[str, float]) -> str:
    """What nobody can exceed, beside what an attack has reached."""
    bound, attack = lower_bound(numbers)
    proved = number_html(
        f"ε ≥ {bound_text(bound)}",
        "proved by attacking it",
        f"One-run audit of the best attack ({escape(ATTACKS[attack])}), for a record, 95 %. 0 would prove nothing. "
        f"A low bound is no promise: it may be that the attack was weak.",
        "exposed",
    )
    return f'<div class="dp-numbers">{promised_html(config, numbers)}{proved}</div>{kept_words(numbers, bound)}'


def promised_html(config: Config, numbers: dict[str, float]) -> str:
    made = guarantee(numbers)
    if made is not None:
        number, _, about = made.words().removeprefix("ε = ").partition(" for ")
        means = f"For {escape(about)}. Nobody, with any attack, gets further. Lower is safer."
        return number_html(f"ε ≤ {number}", "promised by the noise", means, "protected")
    if config.defence == "local":
        means = (
            f"For one whole record, by adding up; {numbers['epsilon_i']:g} for each bit, pixel cell or edge of it, "
            f"δ = 0. A record is protected before anybody collects it. Lower is safer."
        )
        return number_html(
            f"ε ≤ {rounded_up(numbers['epsilon_record'])}", "promised by local noise", means, "protected"
        )
    means = "Without noise there is no promise, whatever today's attacks make of it."
    return number_html("ε = ∞", "promised", means, "reference")


def kept_words(numbers: dict[str, float], bound: float) -> str:
    made = guarantee(numbers)
    if made is None:
        return ""
    if bound > made.epsilon:
        return (
            '<div class="dp-error">The audit found more than was promised. That happens by chance in at most 5 % of '
            "audits of one attack; run it with other seeds before you believe it.</div>"
        )
    return (
        '<div class="dp-note">The promise held: the truth lies between the two numbers. The blue line in the charts '
        "above is the same promise, drawn: but for the chance in a sample, no attack lies above it.</div>"
    )


# ---- two kinds of outsiders
def protocols_html(numbers: dict[str, float]) -> str:
    """Skewed Purchases: the same members against outsiders of their own kind, and against paper C's."""
    rows = "".join(
        f"<tr><td>{escape(ATTACKS[attack])}</td><td>{numbers[f'auc_{attack}']:.3f}</td>"
        f"<td>{numbers[f'auc_{attack}_shifted']:.3f}</td><td>{numbers[f'tpr1_{attack}']:.1%}</td>"
        f"<td>{numbers[f'tpr1_{attack}_shifted']:.1%}</td></tr>"
        for attack in attacks_made(numbers, "_shifted")
    )
    heads = (
        "<tr><th>attack</th><th>AUC, outsiders like the members</th><th>AUC, outsiders as in paper C</th>"
        "<th>caught at 1 %, like the members</th><th>caught at 1 %, as in paper C</th></tr>"
    )
    attack = best(numbers, "auc", "_shifted")
    return (
        f'<div class="dp-scroll"><table>{heads}{rows}</table></div>'
        f'<div class="dp-note"><b>Two questions, two numbers.</b> In paper C the members come from the training '
        f"distribution and the outsiders from the test distribution, where carts hold far more items. An attack that "
        f"merely tells a <i>fuller cart</i> from an emptier one is right about them without knowing anything about "
        f"membership: AUC {numbers[f'auc_{attack}_shifted']:.2f} against {numbers[f'auc_{attack}']:.2f} for the same "
        f"attack ({escape(ATTACKS[attack])}) and outsiders drawn like the members. Only the latter is about having "
        f"been in.</div>"
    )


# ---- odds
MOST = math.log(1e6)  # beyond it the fitted normal curves say nothing reliable


def odds_words(log_ratio: float) -> str:
    """The likelihood ratio as odds; never more than fits can bear."""
    kind = "in" if log_ratio >= 0 else "not in"
    if abs(log_ratio) > MOST:
        return f"over a million to 1: {kind}"
    ratio = math.exp(abs(log_ratio))
    return (
        f"even: {kind}"
        if ratio < 1.05
        else f"{ratio:,.1f} to 1: {kind}"
        if ratio < 10
        else f"{ratio:,.0f} to 1: {kind}"
    )


def belief(prior: float, log_ratio: float) -> float:
    """Bayes: odds afterwards = odds before · likelihood ratio, the latter kept within a million."""
    kept = max(-MOST, min(MOST, log_ratio))
    return 1 / (1 + (1 - prior) / prior * math.exp(-kept))


def belief_text(share: float) -> str:
    if share > 0.9995:
        return "over 99.9 %"
    return "under 0.1 %" if share < 0.0005 else f"{100 * share:.1f} %"

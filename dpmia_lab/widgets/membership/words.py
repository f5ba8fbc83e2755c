"""Lesson 4 in words and tables: how well each attack tells members apart, what was promised, what an audit proves."""

import math
from html import escape
from itertools import product

from dpmia_lab.experiments.membership import PROTOCOLS, Config
from dpmia_lab.game.attacks import MEMBERSHIP
from dpmia_lab.game.settings import defence_of
from dpmia_lab.privacy.accounting import Guarantee, rounded_up
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.tables import Row as TableRow
from dpmia_lab.widgets.kit.tables import table_html, with_small


def attack_words(attack: str) -> str:
    return MEMBERSHIP[attack].words


def defence_words(config: Config) -> str:
    """The defence with the settings that matter to it."""
    patience = f", patience {config.patience}" if config.patience and config.defence != "central" else ""
    return f"defence {defence_of(config).words()}{patience}"


def best(result: Result, measure: str = "auc") -> Row:
    """The row of the attack with the highest ``measure``, outsiders being like the members."""
    return result.rows.best(measure, protocol="alike")


def lower_bound(result: Result) -> Row:
    """The largest ε that the one-run audit of any attack proves."""
    return best(result, "epsilon_bound")


# ---- what the view says
WAITING = (
    "Nothing has been trained yet. While it runs you see the model learn its records, and the attack learn from the "
    "model."
)
ROC_WAITING = "The first curve appears here as soon as the model is trained; every further attack joins it."
ROC_WORDS = (
    "A curve shows what an attacker can choose: accuse more people and catch more members. On plain axes all curves "
    "end in the same corner and the left edge is invisible. On logarithmic ones the left edge is half of the chart: "
    "there an accusation is hardly ever wrong. The thin line marks 1 % false alarms; the left end is one outsider of "
    "all."
)
VERDICT_WORDS = (
    "A model is surer of what it has seen, so the black box calls records of high confidence members (paper C, Fig. "
    "7 l–m). Where both outlines rise at the right end, sureness alone decides nothing. Numbers on a logarithmic axis."
)


def finished_words(config: Config, result: Result) -> str:
    members, asked = int(result.numbers["members"]), len(result.arrays["member"])
    epochs = result.arrays["curve_epoch"][-1]
    early = "" if epochs > config.epochs - 1 else f" Training stopped by itself after {epochs:.0f} epochs."
    return (
        f"{members:,} of {asked:,} candidates were trained on, each by the toss of a coin; every attack was asked "
        f"about all of them.{early}"
    )


# ---- the numbers
def bound_text(value: float) -> str:
    """Rounded down: a bound from below must not be overstated."""
    return f"{math.floor(100 * value + 1e-9) / 100:.2f}"


# measure: (head of its column, how a value is said, what guessing reaches)
COLUMNS = {
    "auc": ("AUC", "{:.3f}".format, 0.5),
    "tpr1": ("members caught at 1 % false alarms", "{:.1%}".format, 0.01),
    "tpr01": ("at 0.1 %", "{:.1%}".format, 0.001),
    "balanced": ("verdicts right", "{:.1%}".format, 0.5),
    "epsilon_bound": ("ε at least (one-run audit)", bound_text, 0.0),
    "epsilon_bound_rates": ("ε at least (from rates)", bound_text, 0.0),
}


def said(row: Row, part: str = "value") -> str:
    """Its value, or its low or high, as its column says it."""
    return COLUMNS[row.measure][1](getattr(row, part))


def with_interval(row: Row) -> str:
    return said(row) if row.low is None else with_small(said(row), f"{said(row, 'low')} to {said(row, 'high')}")


def attacks_html(result: Result) -> str:
    """A line an attack, each number with its 95 % interval."""
    rows = result.rows.where(protocol="alike")
    lines = [
        (attack_words(attack), *(with_interval(rows.row(measure, attack=attack)) for measure in COLUMNS))
        for attack in rows.all("attack")
    ]
    guessing = TableRow(("guessing", *(form(guess) for _, form, guess in COLUMNS.values())), "reference")
    heads = ("attack", *(title for title, _, _ in COLUMNS.values()))
    table = table_html(heads, [*lines, guessing], kind="dp-attacks")
    return f"{table}<small>{measures_words(result.numbers['members'])}</small>"


def measures_words(members: float) -> str:
    """What each column means, and how far to trust it; there are about as many outsiders as members."""
    caution = (
        f" With about {members:,.0f} outsiders, 0.1 % of them are {0.001 * members:.1g}: one lucky record moves that "
        f"column."
        if 0.001 * members < 5
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


def summary_html(config: Config, result: Result) -> str:
    """Four figures: what was learned, what was memorised, what leaks on average, and at worst."""
    n, average, worst = result.numbers, best(result), best(result, "tpr1")
    gap = n["train_accuracy"] - n["test_accuracy"]
    where = " Tested on another distribution, as in paper C." if config.data == "skewed_purchases" else ""
    return number_row(
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
            f"{average.value:.3f}",
            "AUC of the best attack",
            "0.5 is guessing, 1 tells everybody apart; lower is safer. "
            f"Attack: {escape(attack_words(average.attack))}.",
            "exposed",
        ),
        number_html(
            f"{worst.value:.1%}",
            "of members caught at 1 % false alarms",
            f"Guessing catches 1 %; lower is safer. Attack: {escape(attack_words(worst.attack))}.",
            "exposed",
        ),
    )


# ---- what was promised
def guarantee(numbers: dict[str, float]) -> Guarantee | None:
    """Under central noise, by the tight accountant."""
    if "epsilon_tight" not in numbers:
        return None
    delta = float(f"{numbers['delta']:.3g}")
    return Guarantee(numbers["epsilon_tight"], "record", "add-remove", delta, "tight")


def promise_html(result: Result) -> str:
    """What nobody can exceed, beside what an attack has reached."""
    bound, numbers = lower_bound(result), result.numbers
    proved = number_html(
        f"ε ≥ {bound_text(bound.value)}",
        "proved by attacking it",
        f"One-run audit of the best attack ({escape(attack_words(bound.attack))}), for a record, 95 %. 0 would prove "
        f"nothing. A low bound is no promise: it may be that the attack was weak.",
        "exposed",
    )
    return number_row(promised_html(numbers), proved) + kept_words(numbers, bound.value)


def promised_html(numbers: dict[str, float]) -> str:
    made = guarantee(numbers)
    if made is not None:
        number, _, about = made.words().removeprefix("ε = ").partition(" for ")
        means = f"For {escape(about)}. Nobody, with any attack, gets further. Lower is safer."
        return number_html(f"ε ≤ {number}", "promised by the noise", means, "protected")
    if "epsilon_record" in numbers:
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
def protocols_html(rows: Rows) -> str:
    """Skewed Purchases: the same members against outsiders of their own kind, and against paper C's."""
    heads = (
        "attack", "AUC, outsiders like the members", "AUC, outsiders as in paper C",
        "caught at 1 %, like the members", "caught at 1 %, as in paper C",
    )  # fmt: skip
    columns = list(product(("auc", "tpr1"), PROTOCOLS))
    lines = [
        (attack_words(attack), *(said(rows.row(measure, attack=attack, protocol=p)) for measure, p in columns))
        for attack in rows.where(protocol="shifted").all("attack")
    ]
    shifted = rows.best("auc", protocol="shifted")
    alike = rows.row("auc", attack=shifted.attack, protocol="alike")
    return (
        f'{table_html(heads, lines)}<div class="dp-note"><b>Two questions, two numbers.</b> In paper C the members '
        f"come from the training distribution and the outsiders from the test distribution, where carts hold far more "
        f"items. An attack that merely tells a <i>fuller cart</i> from an emptier one is right about them without "
        f"knowing anything about membership: AUC {shifted.value:.2f} against {alike.value:.2f} for the same attack "
        f"({escape(attack_words(shifted.attack))}) and outsiders drawn like the members. Only the latter is about "
        f"having been in.</div>"
    )

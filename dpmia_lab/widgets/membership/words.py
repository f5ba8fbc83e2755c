"""Lesson 4 in words and tables: how well each attack tells members apart, what was promised, what an audit proves."""

import math
from html import escape
from itertools import product

from dpmia_lab.experiments.membership import PROTOCOLS, Config
from dpmia_lab.game.attacks import MEMBERSHIP
from dpmia_lab.game.settings import defence_of
from dpmia_lab.game.verdicts import DELTA
from dpmia_lab.metrics.membership import failure
from dpmia_lab.privacy.accounting import Guarantee, epsilon_text, short
from dpmia_lab.privacy.local import FEATURES_ONLY
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


def failed(rows: Rows, attack: str) -> str:
    """How an attack on outsiders like the members failed ("tied", "guessing"); "" where it told some apart."""
    of = {"attack": attack, "protocol": "alike"}
    return failure(rows.value("tied", **of), rows.row("auc", **of).low, rows.row("tpr1", **of).low)


def failed_words(rows: Rows, attack: str) -> str:
    """The sentence that says so; "" where it did not."""
    how = failed(rows, attack)
    if how == "tied":
        share = rows.value("tied", attack=attack, protocol="alike")
        return f"failed: {share:.0%} of the records have the same score, so it cannot tell them apart"
    return "failed: no better than guessing, within its 95 % intervals" if how else ""


# ---- what the view says
WAITING = (
    "Nothing has been trained yet. While it runs you see the model learn its records, and the attack learn from the "
    "model."
)
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


def headline(config: Config, result: Result) -> str:
    """What was learned and what leaked, in two sentences."""
    n, average, worst = result.numbers, best(result), best(result, "tpr1")
    members, asked, epochs = int(n["members"]), len(result.arrays["member"]), result.arrays["curve_epoch"][-1]
    early = "" if epochs > config.epochs - 1 else f", stopped by itself after {epochs:.0f} epochs"
    if all(failed(result.rows, attack) for attack in result.rows.all("attack")):
        leak = "No attack made here tells them apart better than guessing."
    else:
        leak = (
            f"The best attack has an <span class='dp-exposed'>AUC of {average.value:.2f}</span> (0.5 is guessing); "
            f"where 1 % of outsiders may be accused, <span class='dp-exposed'>{worst.value:.1%}</span> of members are "
            f"caught (guessing: 1 %)."
        )
    return (
        f"A coin picked {members:,} of {asked:,} candidates to train on{early}. The model is right on "
        f"<span class='dp-protected'>{n['test_accuracy']:.1%}</span> of new records. {leak}"
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
    "epsilon_bound": (f"ε at least, δ = {short(DELTA)} (one-run audit)", bound_text, 0.0),
    "epsilon_bound_rates": (f"ε at least, δ = {short(DELTA)} (from rates)", bound_text, 0.0),
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
        (named(rows, attack), *(with_interval(rows.row(measure, attack=attack)) for measure in COLUMNS))
        for attack in rows.all("attack")
    ]
    guessing = TableRow(("guessing", *(form(guess) for _, form, guess in COLUMNS.values())), "reference")
    heads = ("attack", *(title for title, _, _ in COLUMNS.values()))
    table = table_html(heads, [*lines, guessing], kind="dp-attacks")
    outsiders = int((~result.arrays["member"]).sum())
    return f"{table}<small>{measures_words(outsiders, len(rows.all('attack')))}</small>"


def named(rows: Rows, attack: str) -> str:
    """The attack's words, and below them that it failed, if it did."""
    said = failed_words(rows, attack)
    return with_small(attack_words(attack), said) if said else attack_words(attack)


def measures_words(outsiders: int, attacks: int) -> str:
    """What each column means, and how far to trust it."""
    caution = (
        f" Of {outsiders:,} outsiders 0.1 % are {0.001 * outsiders:.1g}: one lucky record moves that column."
        if 0.001 * outsiders < 5
        else ""
    )
    return (
        "In every column high means a worse leak. <b>AUC</b>: the chance that a member looks more like a member than "
        "an outsider does. <b>Caught</b>: members named when so few outsiders may be accused wrongly; an attacker who "
        "wants to be believed works there. <b>Verdicts right</b>: of members and outsiders alike, at a threshold "
        "chosen on the other half. Small: 95 % intervals. The white box knew half of the candidates and is judged on "
        f"the others.{caution} <b>One-run audit</b>: whatever the training was, it was not (ε, {short(DELTA)})-private "
        "with a smaller ε; valid since a coin decided about each record, with 95 % confidence for all "
        f"{attacks} attacks together, for each of which it had to be the stricter. <b>From rates</b> (Clopper–Pearson) "
        "counts records as separate experiments. They share one model, so take it as a rule of thumb."
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
            f"0.5 is guessing, 1 tells everybody apart; lower is safer. {whose(result.rows, average)}",
            "exposed",
        ),
        number_html(
            f"{worst.value:.1%}",
            "of members caught at 1 % false alarms",
            f"Guessing catches 1 %; lower is safer. {whose(result.rows, worst)}",
            "exposed",
        ),
    )


def whose(rows: Rows, row: Row) -> str:
    """The attack behind a number, and that it failed, if it did: the best of several guessers is still one."""
    said = failed_words(rows, row.attack)
    return f"Attack: {escape(attack_words(row.attack))}{f'; it {said}' if said else ''}."


# ---- what was promised
def is_promised(numbers: dict[str, float]) -> bool:
    """Whether the defence promises anything."""
    return "epsilon_audit" in numbers or "epsilon_record" in numbers


def guarantee(numbers: dict[str, float]) -> Guarantee | None:
    """Under central noise, by the tight accountant, at the δ of the audit: what a bound may be compared with."""
    if "epsilon_audit" not in numbers:
        return None
    return Guarantee(numbers["epsilon_audit"], "record", "add-remove", numbers["audit_delta"], "tight")


def promise_html(result: Result) -> str:
    """What nobody can exceed, beside what an attack has reached."""
    bound, numbers = lower_bound(result), result.numbers
    attacks = len(result.rows.where(measure="epsilon_bound"))
    proved = number_html(
        f"ε ≥ {bound_text(bound.value)}",
        "proved by attacking it",
        f"One-run audit, the best of {attacks} attacks ({escape(attack_words(bound.attack))}), for a record (add or "
        f"remove one; δ = {short(numbers['audit_delta'])}); 95 % for all attacks together. 0 proves nothing. "
        f"{limit_words(numbers)}",
        "exposed",
    )
    return number_row(promised_html(numbers), proved) + kept_words(numbers, bound.value)


def limit_words(numbers: dict[str, float]) -> str:
    """What this audit could have proved at best: where that is little, a low bound is not the attack's fault."""
    if numbers["audit_limit"] == 0:
        return "So few candidates can prove nothing at this δ, even if every guess were right: blame no attack."
    return (
        f"If every guess were right it would prove {bound_text(numbers['audit_limit'])}, and no attack more. A low "
        f"bound is no promise: another attack may prove more, up to that."
    )


def promised_html(numbers: dict[str, float]) -> str:
    made = guarantee(numbers)
    if made is not None:
        number, _, about = made.words().removeprefix("ε = ").partition(" for ")
        means = (
            f"For {escape(about)}. Nobody, with any attack, gets further. Lower is safer. At paper C's δ = 1/n = "
            f"{short(numbers['delta'], 3)} it is {epsilon_text(numbers['epsilon_tight'])}."
        )
        return number_html(f"ε ≤ {number}", "promised by the noise", means, "protected")
    if "epsilon_record" in numbers:
        means = (
            f"For one whole record, by adding up; {numbers['epsilon_i']:g} for each bit, pixel cell or edge of it, "
            f"δ = 0 ({FEATURES_ONLY}). A record is protected before anybody collects it. Lower is safer."
        )
        return number_html(
            f"ε ≤ {epsilon_text(numbers['epsilon_record'])}", "promised by local noise", means, "protected"
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
            "runs; run it with other seeds before you believe it.</div>"
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

"""Lesson 2 in words: the playground's answer, every accountant's, a person's; then what a training came to."""

import math
from html import escape

import numpy as np

from dpmia_lab.experiments.private_training import Config
from dpmia_lab.experiments.spending import FOLLOWS, RECORDS, Answer, Setting
from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, Guarantee, epsilon_text, rounded_up, short
from dpmia_lab.privacy.paper import ClosedForm
from dpmia_lab.privacy.tradeoff import most_often_right
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.tables import Html, table_html, with_small

TITLES = {
    "epsilon": "ε spent",
    "sigma": "σ needed",
    "steps": "T, steps that can be paid for",
}
GOOD = {"epsilon": "Lower is safer.", "sigma": "Less noise is more useful.", "steps": "More steps train longer."}
WRONGLY_ACCUSED = 0.01  # the rate the words are about


def figure_text(follows: str, value: float) -> str:
    """An ε or σ rounded up, never down; steps as they are."""
    if math.isinf(value):
        return "no guarantee"
    return {"epsilon": epsilon_text, "sigma": rounded_up, "steps": "{:,}".format}[follows](value)


def shown(setting: Setting) -> str:
    return figure_text(setting.follows, getattr(setting, setting.follows))


def percent(share: float) -> str:
    """What is at most so: rounded up, with the digits that matter near the ends."""
    if share > 0.9999:
        return "over 99.99 %"
    if share < 0.001:
        return f"{rounded_up(100 * share, 1)} %"
    digits = 2 if share > 0.99 else 1
    return f"{math.ceil(100 * share * 10**digits - 1e-9) / 10**digits:.{digits}f} %"


def clustering_words(unit: str) -> str:
    """To stand wherever an ε for subclasses does."""
    if unit != "subclass":
        return ""
    return "Subclasses are found by clustering the private pictures, and this ε does <b>not</b> account for that look."


def right_html(share: float, unit: str) -> str:
    """The number of the lesson's first picture, for a whole training."""
    return number_html(
        percent(share),
        "right, at most, from even odds",
        f"How often anybody can be right who must say whether one {unit} was in. 50 % is a coin toss; lower is safer. "
        f"{clustering_words(unit)}",
        "exposed",
    )


# ---- the playground
def headline_html(answer: Answer | None) -> str:
    """Three numbers of one answer; a dash where the settings have none."""
    if answer is None:
        return number_row(number_html("–", "no answer", "These settings do not go together; see beside the controls."))
    setting = answer.setting
    found = 100 * (1 - answer.missed(WRONGLY_ACCUSED))
    return number_row(
        number_html(shown(setting), TITLES[setting.follows], answer_words(answer), "protected"),
        number_html(
            f"{math.ceil(found)} of 100" if found >= 1.5 else f"{rounded_up(found, 2)} of 100",
            "members found, at most",
            "By an attacker who wrongly accuses 1 of 100 outsiders. Pure guessing finds 1; lower is safer.",
            "exposed",
        ),
        right_html(answer.right, setting.unit),
    )


def answer_words(answer: Answer) -> str:
    words = escape(answer.guarantee.words())
    promised = words if answer.setting.follows == "epsilon" else f"Enough for {words}"
    at_once = "" if answer.accountant == "tight" else " The tight accountant looks again when the slider rests."
    return f"{promised}. {GOOD[answer.setting.follows]}{at_once}"


def answers_html(setting: Setting, answers: dict[str, float | str]) -> str:
    """What follows, by each accountant."""
    symbol = FOLLOWS[setting.follows]
    within = "" if setting.follows == "epsilon" else f" that keeps ε within {setting.epsilon:g}"
    about = f"for a {setting.unit} ({NEIGHBOURS[setting.neighbours]}; δ = {short(setting.used_delta)})"
    rows = [
        (
            with_small(ACCOUNTANTS[name].words, ACCOUNTANTS[name].explanation),
            "no guarantee" if isinstance(value, str) else figure_text(setting.follows, value),
        )
        for name, value in answers.items()
    ]
    caption = (
        f"{symbol}{within}, {about}, by accountant. Where a number stands it is a valid bound, and the tight one "
        f"wastes least; where none stands, nothing is proved."
    )
    return table_html(("accountant", symbol), rows, caption)


def conditions_html(setting: Setting, form: ClosedForm) -> str:
    guarantee = "and here that is a guarantee" if form.holds else "but here that is <b>no guarantee</b>"
    theorem = "Theorem 1" if setting.neighbours == "replace-one" else "Remark 1"
    rows = [
        (
            c.words,
            f"{c.left_value:.4g} against {c.right_value:.4g}",
            "met" if c.met else Html("<span class=dp-exposed>broken</span>"),
        )
        for c in form.conditions
    ]
    said = f"it says ε = {epsilon_text(form.epsilon)}, {guarantee}"
    caption = Html(f"Paper A's closed form ({theorem}): {said}. What its proof needs:")
    return table_html(("condition", "its two sides here", ""), rows, caption)


# ---- a person
def person_html(setting: Setting, epsilons: np.ndarray) -> str:
    """One record's ε, and that of all the person's records, for the same training."""
    records, one, all_of_them = setting.records, epsilons[0], epsilons[RECORDS.index(setting.records)]
    about = f"{NEIGHBOURS[setting.neighbours]}; δ = {short(setting.used_delta)}; tight accountant, PLD"
    known = not math.isnan(all_of_them)
    times = f"{all_of_them / one:.0f} times one picture's, not {records} times. " if known and one > 0 else ""
    return number_row(
        number_html("…" if math.isnan(one) else epsilon_text(one), "ε for one picture", f"For a record ({about}).",
                    "protected"),
        number_html(
            epsilon_text(all_of_them) if known else "…",
            f"ε for a person with {records} picture{'s' if records > 1 else ''}",
            f"{times if records > 1 else ''}All of them in or all of them out; the same δ. Lower is safer.",
            "exposed",
        ),
        number_html(
            percent(most_often_right(all_of_them, setting.used_delta)) if known else "…",
            "right, at most, about the person",
            "From even odds, whether that person's pictures were in. 50 % is a coin toss.",
            "exposed",
        ),
    )  # fmt: skip


# ---- a training
def live_words(config: Config, values: dict) -> str:
    """A step of it."""
    spent = Guarantee(values["epsilon"], config.unit, config.neighbours, values["delta"], "moments")
    accuracy = f"accuracy {values['accuracy']:.0%}" if "accuracy" in values else "accuracy not measured yet"
    return (
        f"<p>Step {values['step']} of {values['steps']}: <span class='dp-protected'>{accuracy}</span>, "
        f"<span class='dp-exposed'>{escape(spent.words())}</span>.<br><small>{joined_words(values)}</small></p>"
    )


def joined_words(values: dict) -> str:
    if not values.get("joined"):
        return "Nobody joined this step: only noise was added, and it is paid for like any other."
    return (
        f"{values['joined']} joined this step; the gradients of {values['clipped']:.0%} of them were longer than S and "
        f"were clipped."
    )


def finished_words(config: Config, result: Result) -> str:
    n, steps = result.numbers, int(result.numbers["steps"])
    spent = Guarantee(n.get("epsilon_tight", math.inf), config.unit, config.neighbours, n["delta"], "tight")
    came = (
        f"<span class='dp-protected'>{n['test_accuracy']:.0%} right on new pictures</span>, "
        f"<span class='dp-exposed'>{escape(spent.words())}</span>"
    )
    if config.budget and steps < config.steps:
        why = (
            f"<b>The budget of ε = {config.budget:g} ended the run</b>: one step more would have exceeded it (moments "
            f"accountant)."
        )
    else:
        why = f"By chance {n['chance']:.1%} would be right."
    return f"<p>After {steps} of {config.steps} steps: {came}.<br><small>{why}</small></p>"


def numbers_html(config: Config, result: Result) -> str:
    n = result.numbers
    promised = Guarantee(n.get("epsilon_tight", math.inf), config.unit, config.neighbours, n["delta"], "tight")
    spent, _, about = promised.words().removeprefix("ε = ").partition(" for ")
    cells = [
        number_html(
            f"{n['test_accuracy']:.0%}",
            "accuracy on new pictures",
            f"Higher is more useful. On its training pictures {n['train_accuracy']:.0%}, by chance {n['chance']:.1%}.",
            "protected",
        ),
        number_html(spent, "ε spent", f"For {escape(about)}. Lower is safer.", "exposed"),
        right_html(most_often_right(promised.epsilon, n["delta"]), config.unit),
        number_html(
            f"{n['noise']:.2g}",
            "noise in each number of a step",
            f"σS/(qK): with more units (here K = {int(n['units']):,}) the same σ disturbs the mean less. "
            f"Lower is more useful.",
        ),
    ]
    return number_row(*cells)


def counted_html(config: Config, result: Result) -> str:
    """The same training by the other accountants."""
    names = {"tight": "epsilon_tight", "moments": "epsilon", "paper-moments": "epsilon_paper"}
    rows = [
        (with_small(ACCOUNTANTS[a].words, ACCOUNTANTS[a].explanation), epsilon_text(result.numbers.get(name, math.inf)))
        for a, name in names.items()
    ]
    about = f"for a {config.unit} ({NEIGHBOURS[config.neighbours]}; δ = {short(result.numbers['delta'])})"
    return table_html(("accountant", "ε"), rows, f"What this run spent, {about}, by accountant. ∞: no guarantee.")


def chart_words(reference: dict | None) -> str:
    runs = "Large: what is shown. Smaller: your earlier runs, same data and model, same unit and neighbours."
    if reference is None:
        return f"{runs} The lab has no reference curve for these settings."
    c = reference["config"]
    how = f"the noise σ varied at q = {c.q:g} and T = {c.steps}, mean ± s.d. over seeds"
    return f"{runs} Grey: this lab's reference, {how}."

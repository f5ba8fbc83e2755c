"""Lesson 2 in words: the playground's answer, what it means for one person, every accountant's; then a training's."""

import math
from html import escape

from dpmia_lab.experiments.private_training import Config
from dpmia_lab.experiments.spending import FOLLOWS, Setting, Tight
from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, Guarantee, rounded_up, short
from dpmia_lab.privacy.paper import ClosedForm
from dpmia_lab.privacy.tradeoff import highest_belief
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.tables import Html, table_html, with_small

TITLES = {
    "epsilon": "ε spent",
    "sigma": "σ needed",
    "steps": "T, steps that can be paid for",
}
GOOD = {"epsilon": "Lower is safer.", "sigma": "Less noise is more useful.", "steps": "More steps train longer."}


def figure_text(follows: str, value: float) -> str:
    """An ε or σ rounded up, never down; steps as they are."""
    if math.isinf(value):
        return "no guarantee"
    return f"{value:,}" if follows == "steps" else rounded_up(value) if value else "0"


def shown(setting: Setting) -> str:
    return figure_text(setting.follows, getattr(setting, setting.follows))


def percent(share: float) -> str:
    """With the digits that matter near the ends."""
    if share > 0.9999:
        return "over 99.99 %"
    if share < 0.001:
        return f"{100 * share:.1g} %"
    return f"{100 * share:.2f} %" if share > 0.99 else f"{100 * share:.1f} %"


def clustering_words(unit: str) -> str:
    """To stand wherever an ε for subclasses does."""
    if unit != "subclass":
        return ""
    return "Subclasses are found by clustering the private pictures, and this ε does <b>not</b> account for that look."


def headline_html(setting: Setting | None, tight: Tight | None, missed: float) -> str:
    """Four numbers; dashes where there is no setting to speak of, dots where the tight answer is still to come."""
    if setting is None:
        return number_row(number_html("–", "no answer", "These settings do not go together; see beside the controls."))
    follows = setting.follows
    epsilon = tight.epsilon if tight else setting.epsilon
    by = "tight" if tight else "moments"
    asked = tight.answers.get("tight") if tight else None
    tight_value = "…" if asked is None else asked if isinstance(asked, str) else figure_text(follows, asked)
    caught = 100 * (1 - float(missed))
    return number_row(
        number_html(shown(setting), f"{TITLES[follows]}, at once", instant_words(setting)),
        number_html(tight_value, f"{TITLES[follows]}, tight", tight_words(setting, tight), "protected"),
        number_html(
            f"{caught:.0f} of 100" if caught >= 1.5 else f"{caught:.1f} of 100",
            "members found, at most",
            f"By an attacker who wrongly accuses 1 of 100 outsiders ({by}). Pure guessing finds 1; lower is safer.",
            "exposed",
        ),
        number_html(
            percent(highest_belief(0.5, epsilon)),
            "sure, at most, from even odds",
            f"How certain anybody can become that one {setting.unit} was in ({by}; but for a chance of about "
            f"δ = {short(setting.used_delta)}). 50 % is no news; lower is safer. {clustering_words(setting.unit)}",
            "exposed",
        ),
    )


def instant_words(setting: Setting) -> str:
    words = escape(setting.guarantee(setting.epsilon, "moments").words())
    return f"{words}. {GOOD[setting.follows]}"


def tight_words(setting: Setting, tight: Tight | None) -> str:
    if tight is None:
        return "Comes when the slider rests."
    words = escape(setting.guarantee(tight.epsilon, "tight").words())
    if setting.follows == "epsilon":
        return f"{words}."
    symbol = FOLLOWS[setting.follows]
    return f"What the tight accountant asks for. With the {symbol} of the moments accountant it finds {words}."


def answers_html(setting: Setting, answers: dict[str, float | str]) -> str:
    symbol = FOLLOWS[setting.follows]
    within = "" if setting.follows == "epsilon" else f"ε at most {setting.epsilon:g}, "
    about = f"{within}for a {setting.unit} ({NEIGHBOURS[setting.neighbours]}; δ = {short(setting.used_delta)})"
    rows = [
        (
            with_small(ACCOUNTANTS[name].words, ACCOUNTANTS[name].explanation),
            "no guarantee" if isinstance(value, str) else figure_text(setting.follows, value),
        )
        for name, value in answers.items()
    ]
    caption = f"{symbol} {about}, by accountant. Each of these numbers is valid; the tight one wastes least."
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
    said = f"it says ε = {rounded_up(form.epsilon)}, {guarantee}"
    caption = Html(f"Paper A's closed form ({theorem}): {said}. What its proof needs:")
    return table_html(("condition", "its two sides here", ""), rows, caption)


# ---- a training
WAITING = "<p>Nothing has been trained yet. While it runs you see accuracy and the privacy spent, step by step.</p>"


def live_words(config: Config, values: dict) -> str:
    """A step of it."""
    spent = Guarantee(values["epsilon"], config.unit, config.neighbours, values["delta"], "moments")
    accuracy = f"accuracy {values['accuracy']:.0%}" if "accuracy" in values else "accuracy not measured yet"
    return (
        f"<p>Step {values['step']} of {values['steps']}: <span class='dp-protected'>{accuracy}</span>, "
        f"<span class='dp-exposed'>{escape(spent.words())}</span>.<br>"
        f"<small>{joined_words(values)} {clustering_words(config.unit)}</small></p>"
    )


def joined_words(values: dict) -> str:
    if not values.get("joined"):
        return "Nobody joined this step: only noise was added, and it is paid for like any other."
    return (
        f"{values['joined']} joined this step; the gradients of {values['clipped']:.0%} of them were longer than S and "
        f"were clipped."
    )


def finished_words(config: Config, result: Result) -> str:
    steps = int(result.numbers["steps"])
    if config.budget and steps < config.steps:
        return (
            f"<p><b>The budget of ε = {config.budget:g} ended the run</b> after {steps} of {config.steps} steps: one "
            f"more would have exceeded it (moments accountant).<br><small>&nbsp;</small></p>"
        )
    return f"<p>Finished after {steps} steps.<br><small>&nbsp;</small></p>"


def numbers_html(config: Config, result: Result) -> str:
    n = result.numbers

    def spent(name: str, accountant: str) -> tuple[str, str]:
        guarantee = Guarantee(n.get(name, math.inf), config.unit, config.neighbours, n["delta"], accountant)
        number, _, about = guarantee.words().removeprefix("ε = ").partition(" for ")
        return number, f"For {escape(about)}."

    tight, tight_words = spent("epsilon_tight", "tight")
    moments, moments_words = spent("epsilon", "moments")
    paper, paper_words = spent("epsilon_paper", "paper-moments")
    belief = percent(highest_belief(0.5, n.get("epsilon_tight", math.inf)))
    cells = [
        number_html(
            f"{n['test_accuracy']:.0%}",
            "accuracy on new pictures",
            f"Higher is more useful. On its training pictures {n['train_accuracy']:.0%}, by chance {n['chance']:.1%}.",
            "protected",
        ),
        number_html(tight, "ε, tight", f"{tight_words} Lower is safer.", "exposed"),
        number_html(
            belief,
            "sure, at most, from even odds",
            f"How certain anybody can become that one {config.unit} was in (but for a chance of about δ). 50 % is no "
            f"news; lower is safer.",
            "exposed",
        ),
        number_html(moments, "ε, at once", f"{moments_words} What was counted while it ran."),
        number_html(paper, "ε, as paper A counts", paper_words, "reference"),
        number_html(
            f"{n['noise']:.2g}",
            "noise in each number of a step",
            f"σS/(qK): with more units (here K = {int(n['units']):,}) the same σ disturbs the mean less. "
            f"Lower is more useful.",
        ),
    ]
    note = clustering_words(config.unit)
    return (f'<div class="dp-note">{note}</div>' if note else "") + number_row(*cells)


def chart_words(reference: dict | None) -> str:
    runs = "Large: this run; smaller: your earlier ones on the same data and model, for the same unit and neighbours."
    if reference is None:
        return f"{runs} The lab has no reference curve for these settings."
    c = reference["config"]
    how = f"the noise σ varied at q = {c.q:g} and T = {c.steps}, mean ± s.d. over seeds"
    return f"{runs} Grey: this lab's reference, {how}."

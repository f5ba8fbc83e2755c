"""The playground's numbers with their words: the answer, what it means for one person, every accountant's view."""

import math
from html import escape

from dpmia_lab.experiments.spending import FOLLOWS, Setting, Tight
from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, rounded_up, short
from dpmia_lab.privacy.paper import ClosedForm
from dpmia_lab.privacy.tradeoff import highest_belief
from dpmia_lab.widgets.kit.parts import card, number_html, text

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
        return numbers(number_html("–", "no answer", "These settings do not go together; see beside the controls."))
    follows = setting.follows
    epsilon = tight.epsilon if tight else setting.epsilon
    by = "tight" if tight else "moments"
    asked = tight.answers.get("tight") if tight else None
    tight_value = "…" if asked is None else asked if isinstance(asked, str) else figure_text(follows, asked)
    caught = 100 * (1 - float(missed))
    return numbers(
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


def numbers(*cells: str) -> str:
    return f'<div class="dp-numbers">{"".join(cells)}</div>'


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
    rows = "".join(
        f"<tr><td>{escape(ACCOUNTANTS[name].words)}<br><small>{escape(ACCOUNTANTS[name].explanation)}</small></td>"
        f"<td>{'no guarantee' if isinstance(value, str) else figure_text(setting.follows, value)}</td></tr>"
        for name, value in answers.items()
    )
    return (
        f"<table><caption>{symbol} {about}, by accountant. Each of these numbers is valid; the tight one "
        f"wastes least.</caption><tr><th>accountant</th><th>{symbol}</th></tr>{rows}</table>"
    )


def conditions_html(setting: Setting, form: ClosedForm) -> str:
    verdict = (
        f"it says ε = {rounded_up(form.epsilon)}, and here that is a guarantee"
        if form.holds
        else f"it says ε = {rounded_up(form.epsilon)}, but here that is <b>no guarantee</b>"
    )
    rows = "".join(
        f"<tr><td>{escape(c.words)}</td><td>{c.left_value:.4g} against {c.right_value:.4g}</td>"
        f"<td>{'met' if c.met else '<span class=dp-exposed>broken</span>'}</td></tr>"
        for c in form.conditions
    )
    theorem = "Theorem 1" if setting.neighbours == "replace-one" else "Remark 1"
    return (
        f"<table><caption>Paper A's closed form ({theorem}): {verdict}. What its proof needs:</caption>"
        f"<tr><th>condition</th><th>its two sides here</th><th></th></tr>{rows}</table>"
    )


def promises():
    """What an ε promises at best, for some that papers report."""
    priors = {"1 in 2": 0.5, "1 in 1,000": 1e-3, "1 in a million": 1e-6}
    rows = "".join(
        f"<tr><td>ε&nbsp;=&nbsp;{epsilon:g}</td>"
        + "".join(f"<td>{percent(highest_belief(prior, epsilon))}</td>" for prior in priors.values())
        + "</tr>"
        for epsilon in (0.1, 1.0, 3.0, 8.0, 18.0)
    )
    heads = "".join(f"<th>thought {odds} before</th>" for odds in priors)
    return card(
        text(
            f'<div class="dp-scroll"><table><caption>How sure an attacker may become, at most, that one unit was in '
            f"(but for a chance of about δ). Lower is safer.</caption><tr><th></th>{heads}</tr>{rows}</table></div>"
        ),
        name="dp-promises",
    )

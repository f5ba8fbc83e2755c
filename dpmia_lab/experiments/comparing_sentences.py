"""Answers from a grid in plain sentences: what is measured, the evidence with its interval, what is promised."""

from collections.abc import Callable, Sequence

import numpy as np

from dpmia_lab.experiments.comparing_answers import Answer, Bargain, Harm, Leak, Limit, Option, chance_of
from dpmia_lab.experiments.comparing_grid import Grid, Measured

MEASURES = {  # what is harmed, as an axis or a head says it
    "tpr1": "members caught at 1 % false alarms",
    "tpr01": "members caught at 0.1 % false alarms",
    "auc": "AUC of telling members from outsiders",
    "recognised": "people recognised in what is drawn of them",
    "recognised_answers": "people recognised in pictures turned back from answers about them",
    "attack_over_imputation": "secrets guessed right beyond imputation",
}
HARM_SHORT = {
    "tpr1": "members caught at 1 %",
    "recognised": "people recognised",
    "recognised_answers": "answers turned back",
    "attack_over_imputation": "secrets beyond imputation",
    "auc": "AUC of membership",
    "tpr01": "members caught at 0.1 %",
}
WHO_WORDS = {"everybody": "everybody", "canaries": "canaries", "at risk": "records most at risk"}
CAUGHT = ("tpr1", "tpr01")
Words = Callable[[str], str]


# ---- numbers
def value_text(measure: str, value: float) -> str:
    """AUC .93 as 0.93, what goes beyond imputation in points, all else in per cent."""
    if measure == "auc":
        return f"{value:.2f}"
    if measure == "attack_over_imputation":
        return f"{100 * value:.1f} points".replace("-", "−")
    return f"{value:.0%}" if value >= 0.0995 or value == 0 else f"{value:.1%}"


def with_interval(measure: str, found: Measured) -> str:
    """Such as "12% (10% to 14%)"; of one seed the value alone."""
    if found.low is None:
        return value_text(measure, found.mean)
    low, high = (value_text(measure, end) for end in ends_of(measure, found))
    return f"{value_text(measure, found.mean)} ({low} to {high})"


def ends_of(measure: str, found: Measured) -> tuple[float, float]:
    """Student's interval, within what a share can be."""
    least = -1.0 if measure == "attack_over_imputation" else 0.0
    return max(least, found.low), min(1.0, found.high)


def share_text(value: float) -> str:
    return f"{value:.0%}"


# ---- who and what
def harm_words(harm: Harm) -> str:
    """Such as "members caught at 1 % false alarms, among canaries"."""
    among = {"everybody": "", "canaries": ", among canaries", "at risk": ", among records most at risk"}[harm.who]
    return MEASURES[harm.measure] + among


def leak_words(harm: Harm, leak: Leak, words: Words) -> str:
    """``words``: what an attack is called."""
    kind = f", {leak.protocol}" if harm.who == "canaries" else ""
    return f"{with_interval(harm.measure, leak.measured)} by {words(leak.attack)}{kind}"


def limit_words(limit: Limit) -> str:
    """As a part of "you accept …"."""
    most, measure = value_text(limit.harm.measure, limit.most), limit.harm.measure
    if measure in CAUGHT:
        of = {"everybody": "members", "canaries": "canaries", "at risk": "those most at risk"}[limit.harm.who]
        return f"{most} of {of} caught at {'1 %' if measure == 'tpr1' else '0.1 %'} false alarms"
    if measure.startswith("recognised"):
        return f"{most} of people recognised"
    return f"{most} beyond imputation" if measure == "attack_over_imputation" else f"an AUC of {most}"


def bargain_words(grid: Grid, one: Bargain, harm: Harm, words: Words) -> str:
    """What a chart tells of a dot."""
    front = front_words(one, len(grid.seeds))
    right = with_interval("accuracy", one.accuracy)
    return f"{right} right; {harm_words(harm)}: {leak_words(harm, one.leak, words)}; {front}"


def front_words(one: Bargain, seeds: int) -> str:
    if np.isnan(one.seeds):
        return "one seed" + (", on the front" if one.front else "")
    return f"on the front in {round(one.seeds * seeds)} of {seeds} seeds"


# ---- the answer
def question_words(answer: Answer) -> str:
    accepted = " and ".join(limit_words(limit) for limit in answer.question.limits)
    return f"You accept at most {accepted}, and need {share_text(answer.question.right)} right"


def answer_words(grid: Grid, answer: Answer, words: Words) -> str:
    """The sentence: what may be used, or that nothing here may, and what is closest."""
    seeds = len(grid.seeds)
    if answer.kept:
        best, more = answer.kept[0], len(answer.kept) - 1
        others = f"{more} more of the {answer.tried} keep to it too" if more else "nothing else here does"
        return f"Use {name_of(grid, best.column)}: {evidence_words(best, answer, words)}, over {seeds} seeds; {others}."
    if answer.closest is None:
        return "Nothing here can answer that: the attack you ask about was not tried on these data."
    one = answer.closest
    return (
        f"Nothing here. Closest is {name_of(grid, one.column)}: {evidence_words(one, answer, words)}; it misses "
        f"{misses_words(one, answer)}."
    )


def evidence_words(option: Option, answer: Answer, words: Words) -> str:
    told = [f"{with_interval('accuracy', option.accuracy)} right"]
    for leak, limit in zip(option.leaks, answer.question.limits, strict=True):
        if leak is not None:
            verb = {"recognised": "recognised", "attack_over_imputation": "beyond imputation"}
            told.append(f"{verb.get(limit.harm.measure, 'caught')} {leak_words(limit.harm, leak, words)}")
    return ", ".join(told)


def misses_words(option: Option, answer: Answer) -> str:
    """What is wrong with it, at the unkind end of each interval."""
    accuracy, *others = option.misses
    said = [f"the accuracy by {points(accuracy)}"] if accuracy else []
    for miss, limit in zip(others, answer.question.limits, strict=True):
        if miss:
            kind = {"recognised": "the limit on people recognised", "attack_over_imputation": "the limit on secrets"}
            said.append(f"{kind.get(limit.harm.measure, 'the limit on members caught')} by {points(miss)}")
    return " and ".join(said) + ", at the unkind end of its interval"


def points(miss: float) -> str:
    return f"{100 * miss:.2g} points" if miss < 0.0995 else f"{100 * miss:.0f} points"


def name_of(grid: Grid, column: str) -> str:
    return grid.columns[column].words


def listed(names: Sequence[str]) -> str:
    """a, b and c."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def chance_words(grid: Grid, measure: str) -> str:
    """What somebody who knows nothing scores."""
    if measure == "attack_over_imputation":
        return "imputation alone: 0"
    known = "pure noise" if measure.startswith("recognised") else "guessing"
    return f"{known}: {value_text(measure, chance_of(grid, measure))}"

"""What the grid says, in sentences for somebody who was not there. All of it is computed; nothing is text by heart."""

from dataclasses import dataclass

from dpmia_lab.experiments.comparing_answers import (
    Answer,
    Bargain,
    Harm,
    Leak,
    Limit,
    Question,
    answer_to,
    attacks_against,
    bargains,
    chance_of,
    harms_of,
    leak_of,
)
from dpmia_lab.experiments.comparing_columns import CONTROLS
from dpmia_lab.experiments.comparing_grid import Grid, measured_over
from dpmia_lab.experiments.comparing_matched import lines_of, match, matched
from dpmia_lab.experiments.comparing_risk import promises
from dpmia_lab.widgets.report.about import About
from dpmia_lab.widgets.report.meanings import MEANINGS, attack_words, capital, number_text, with_interval
from dpmia_lab.widgets.report.promises import promise_sentence

NINE_TENTHS = 0.9  # of the undefended model's accuracy: what is needed where nobody says
LITTLE = 0.01  # a difference below is not worth a sentence
UNADAPTED = ("loss", "confidence", "lira_unadapted")  # attacks that know nothing of the defence


@dataclass(frozen=True)
class Finding:
    title: str
    sentence: str


def main_harm(grid: Grid) -> Harm | None:
    """What the summary speaks of: members caught, where that was measured."""
    return next(iter(harms_of(grid)), None)


def words_of(grid: Grid, column: str) -> str:
    return grid.columns[column].words


def leak_words(grid: Grid, harm: Harm, leak: Leak) -> str:
    chance = number_text(harm.measure, chance_of(grid, harm.measure))
    value = with_interval(harm.measure, leak.measured)
    return f"{MEANINGS[harm.measure].name}: {value}, by {attack_words(leak.attack)}; guessing: {chance}"


def above_chance(grid: Grid, harm: Harm, leak: Leak) -> bool | None:
    """Whether the whole interval lies above chance; None where there is none."""
    return None if leak.measured.low is None else leak.measured.low > chance_of(grid, harm.measure)


# ---- the findings
def findings(grid: Grid) -> list[Finding]:
    """The most important first, three at most."""
    harm = main_harm(grid)
    if harm is None:
        return []
    made = [undefended_finding(grid, harm), bargain_finding(grid, harm)]
    made += [adapted_finding(grid, harm), control_finding(grid, harm), worst_finding(grid, harm)]
    return [one for one in made if one is not None][:3]


def undefended_finding(grid: Grid, harm: Harm) -> Finding | None:
    leak = leak_of(grid, "none", harm) if "none" in grid.columns else None
    if leak is None:
        return None
    title = {
        True: "Without a defence the model tells who was in its training data.",
        False: "Without a defence no attack tried here did better than guessing.",
        None: "Without a defence, one seed: how much leaks is not certain yet.",
    }[above_chance(grid, harm, leak)]
    right = with_interval("accuracy", measured_over(grid.accuracy("none")))
    told = f"{capital(leak_words(grid, harm, leak))}. The model is right on {right} of new records."
    if (worst := worst_leak(grid, "none", harm)) is not None:
        told += f" {worst_words(grid, worst)}"
    return Finding(title, told)


def worst_leak(grid: Grid, column: str, harm: Harm) -> tuple[str, Leak] | None:
    """The group that suffers most, of canaries and of those at risk."""
    found = [(who, leak) for who in ("at risk", "canaries")
             if (leak := leak_of(grid, column, Harm(harm.measure, who))) is not None]  # fmt: skip
    return max(found, key=lambda one: one[1].measured.mean, default=None)


def worst_words(grid: Grid, worst: tuple[str, Leak]) -> str:
    who, leak = worst
    names = {
        "at risk": "the 5 % of records most at risk",
        "canaries": "canaries, records a model can only learn by heart",
    }
    return f"The average hides the few: of {names[who]} {with_interval('tpr1', leak.measured)} are caught."


def bargain_finding(grid: Grid, harm: Harm) -> Finding | None:
    """What a promise costs, and what the cheapest relief without one is."""
    base = leak_of(grid, "none", harm) if "none" in grid.columns else None
    if base is None:
        return None
    known = {one.column: one for one in bargains(grid, harm)}
    best = best_promised(grid, harm)
    if best is None:
        return Finding("No defence that was tried promises anything.", "What follows was measured, and may break.")
    cost = known["none"].accuracy.mean - best.accuracy.mean
    lost = f"costs {100 * cost:.1f} points of accuracy" if cost > 0 else "costs no accuracy"
    title = f"The best bargain with a promise is {words_of(grid, best.column)}: it {lost}."
    return Finding(title, f"{bargain_words(grid, harm, best)} {promise_sentence(grid, best.column)}")


def best_promised(grid: Grid, harm: Harm) -> Bargain | None:
    promised = [one for one in bargains(grid, harm) if promises(grid, one.column)]
    return max(promised, key=lambda one: one.accuracy.mean - one.leak.measured.mean, default=None)


def bargain_words(grid: Grid, harm: Harm, one: Bargain) -> str:
    right = with_interval("accuracy", one.accuracy)
    return f"It is right on {right} of new records; {leak_words(grid, harm, one.leak)}."


def adapted_finding(grid: Grid, harm: Harm) -> Finding | None:
    """The defence that falls deepest when the attacker knows of it."""
    falls = []
    for name in grid.columns:
        before = [leak for attack in UNADAPTED if (leak := leak_of(grid, name, Harm(harm.measure, harm.who, attack)))]
        after = leak_of(grid, name, harm)
        if name != "none" and not promises(grid, name) and before and after:
            worst = max(before, key=lambda leak: leak.measured.mean)
            falls.append((after.measured.mean - worst.measured.mean, name, worst, after))
    fall, name, before, after = max(falls, default=(0.0, "", None, None), key=lambda one: one[0])
    if fall < LITTLE:
        return None
    return Finding(
        f"{capital(words_of(grid, name))} looks safer than it is.",
        f"Attackers who know nothing of the defence: {with_interval(harm.measure, before.measured)} of members "
        "caught by "
        f"{attack_words(before.attack)}. One who does: {with_interval(harm.measure, after.measured)}, by "
        f"{attack_words(after.attack)}.",
    )


def control_finding(grid: Grid, harm: Harm) -> Finding | None:
    """How many defences without a promise leak less than early stopping that is as accurate."""
    beaten, compared = [], 0
    lines = {line.columns: line for line in lines_of(grid)}
    stopping = next((line for line in lines.values() if grid.columns[line.columns[0]].family == "stopping"), None)
    for name, column in grid.columns.items():
        if stopping is None or column.family in ("none", *CONTROLS) or promises(grid, name):
            continue
        place = match(grid, stopping, measured_over(grid.accuracy(name)).mean)
        own = leak_of(grid, name, harm)
        theirs = None if own is None else matched(grid, place, harm.measure, own.attack, own.protocol)
        if theirs is None:
            continue
        compared += 1
        gain = measured_over(theirs.values - own.measured.values)
        beaten += [name] if gain.low is not None and gain.low > 0 else []
    if not compared:
        return None
    who = f": {'; '.join(words_of(grid, name) for name in beaten)}" if beaten else ""
    return Finding(
        f"Of {compared} settings without a promise, {len(beaten)} beat early stopping.",
        "Compared where early stopping is as accurate, under the attack that is worst for the defence, with the whole "
        f"interval over seeds{who}. What does not beat it only trains less.",
    )


def worst_finding(grid: Grid, harm: Harm) -> Finding | None:
    found = [(worst[1].measured.mean, name, worst) for name in grid.columns
             if (worst := worst_leak(grid, name, harm)) is not None and name != "none"]  # fmt: skip
    if not found:
        return None
    _, name, worst = max(found, key=lambda one: one[0])
    return Finding(f"The worst case under a defence is {words_of(grid, name)}.", worst_words(grid, worst))


# ---- promised, or merely not yet broken
def standing(grid: Grid, harm: Harm) -> dict[str, list[str]]:
    """Columns by what can be said of them: promised, not yet broken, broken, open (one seed)."""
    found: dict[str, list[str]] = {"promised": [], "not yet broken": [], "broken": [], "open": []}
    for name in grid.columns:
        leak = leak_of(grid, name, harm)
        if promises(grid, name):
            found["promised"].append(name)
        elif leak is not None and name != "none":
            found[standing_of(grid, name, harm)].append(name)
    return found


def standing_of(grid: Grid, column: str, harm: Harm) -> str:
    """Broken by any attack whose whole interval lies above chance, be another's mean higher and less certain."""
    lows = [grid.measured(column, harm.measure, *attack).low for attack in attacks_against(grid, harm)]
    told = [low for low in lows if low is not None]
    if not told:
        return "open"
    return "broken" if max(told) > chance_of(grid, harm.measure) else "not yet broken"


# ---- what can I use?
def question_of(grid: Grid, about: About, accept: float | None = None, need: float | None = None) -> Question | None:
    harm = main_harm(grid)
    if harm is None or "none" not in grid.columns:
        return None
    usual = NINE_TENTHS * measured_over(grid.accuracy("none")).mean
    return Question((Limit(harm, about.accept if accept is None else accept),), need or about.need or usual)


def question_words(question: Question) -> str:
    limit = question.limits[0]
    return (
        f"I accept at most {number_text(limit.harm.measure, limit.most)} of {MEANINGS[limit.harm.measure].name}, "
        "by the attack that is "
        f"worst for each defence, and need {number_text('accuracy', question.right)} right on new records: what "
        "can I use?"
    )


def answer_words(grid: Grid, answer: Answer) -> str:
    harm = answer.question.limits[0].harm
    if answer.kept:
        first, *others = answer.kept
        said = (
            f"{capital(words_of(grid, first.column))}: right on {with_interval('accuracy', first.accuracy)}; "
            f"{leak_words(grid, harm, first.leaks[0])}. {promise_sentence(grid, first.column)}"
        )
        promised = next((one for one in answer.kept if promises(grid, one.column)), None)
        if promised is not None and promised is not first:
            right = with_interval("accuracy", promised.accuracy)
            said += f" With a promise: {words_of(grid, promised.column)}, right on {right}."
        return said + (f" {len(others)} more keep to it too." if others else "")
    if answer.closest is None:
        return (
            f"It cannot be said: an answer counts only if the whole interval over seeds keeps to the limit, and with "
            f"{len(grid.seeds)} seed there is none. Run it with more seeds."
        )
    one = answer.closest
    return (
        f"Nothing here, of {answer.tried} settings. The closest is {words_of(grid, one.column)}: right on "
        f"{with_interval('accuracy', one.accuracy)}; {leak_words(grid, harm, one.leaks[0])}."
    )


def told_beside(grid: Grid, about: About) -> list[str]:
    """Columns told beside the undefended one of records at risk: the best with a promise, the best answer."""
    harm, question = main_harm(grid), question_of(grid, about)
    if harm is None or question is None:
        return []
    best = best_promised(grid, harm)
    kept = [option.column for option in answer_to(grid, question).kept[:1]]
    return [name for name in dict.fromkeys([*([best.column] if best else []), *kept]) if name != "none"]


def answered(grid: Grid, question: Question) -> str:
    return answer_words(grid, answer_to(grid, question))

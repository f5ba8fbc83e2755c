"""What the grids say, one by one: a verdict where a paper made a claim, else the sentence with the numbers."""

from collections.abc import Callable
from functools import cache
from html import escape

import numpy as np

from dpmia_lab.experiments.comparing_answers import Harm, Leak, attacks_against, bargains, leak_of
from dpmia_lab.experiments.comparing_columns import CONTROLS, DATA
from dpmia_lab.experiments.comparing_findings import (
    CONTESTS,
    Against,
    against_controls,
    agreement,
    disagreements,
    fallen,
    falls,
    scores_of,
)
from dpmia_lab.experiments.comparing_grid import Grid, Measured, measured_over
from dpmia_lab.experiments.comparing_matched import Line, lines_of, match, matched
from dpmia_lab.experiments.comparing_sentences import HARM_SHORT, listed, value_text, with_interval
from dpmia_lab.widgets.comparing.data import CLASSES, WORDS, kind_of, shipped_grid
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, Verdict, verdict

Check = Callable[[Grid], Verdict | None]
KEPT = 0.7  # of the undefended accuracy: what is still of use
MOST_NAMED = 6


def everywhere(check: Check, *names: str) -> Callable[[], dict[str, Verdict]]:
    """On every grid that has been computed and can tell; once for all who ask."""

    @cache
    def checked() -> dict[str, Verdict]:
        grids = {name: grid for name in names or DATA if (grid := shipped_grid(name)) is not None}
        found = {f"{WORDS[name]}, {len(grid.seeds)} seeds": check(grid) for name, grid in grids.items()}
        return {name: one for name, one in found.items() if one is not None}

    return checked


def named(names: list[str]) -> str:
    more = len(names) - MOST_NAMED
    return listed([*names[:MOST_NAMED], *([f"{more} more"] if more > 0 else [])]) if names else "nobody"


def useful(grid: Grid) -> list[str]:
    least = KEPT * measured_over(grid.accuracy("none")).mean
    return [name for name in grid.columns if measured_over(grid.accuracy(name)).mean >= least]


def paired(one: Measured, other: Measured) -> Measured:
    """The difference, seed by seed."""
    return measured_over(one.values - other.values)


def told(grid: Grid, name: str) -> str:
    return escape(grid.columns[name].words)


# ---- the front
def who_is_on_the_front(grid: Grid, harm: Harm) -> Verdict | None:
    found = bargains(grid, harm)
    if not found:
        return None
    sure = [one for one in found if one.seeds > 0.5]
    kinds = [kind_of(grid, one.column) for one in sure]
    words = [f"{told(grid, one.column)} ({round(one.seeds * len(grid.seeds))} of {len(grid.seeds)})"
             for one in sorted(sure, key=lambda one: -one.accuracy.mean)]  # fmt: skip
    return Verdict(NOT_CLAIMED, (
        f"by {HARM_SHORT[harm.measure]} ({harm.who}), each by its worst attack, {len(sure)} of {len(found)} are on the "
        f"front in most seeds: {kinds.count('promise')} that promise something, {kinds.count('empirical')} that "
        f"promise nothing, {kinds.count('control')} of the controls; from the most accurate: {listed(words)}"
    ))  # fmt: skip


def front_of_average(grid: Grid) -> Verdict | None:
    return who_is_on_the_front(grid, Harm("tpr1"))


def front_of_canaries(grid: Grid) -> Verdict | None:
    return who_is_on_the_front(grid, Harm("tpr1", "canaries"))


def front_of_pictures(grid: Grid) -> Verdict | None:
    return who_is_on_the_front(grid, Harm("recognised"))


def front_of_secrets(grid: Grid) -> Verdict | None:
    return who_is_on_the_front(grid, Harm("attack_over_imputation"))


# ---- adapting
def who_falls(grid: Grid) -> Verdict | None:
    """Of every kind of attack: how much more those find that were made for the defence."""
    told_of = []
    for contest in CONTESTS.values():
        every = [fall for fall in falls(grid, contest) if fall.column in useful(grid)]
        down = fallen(every)
        if every:
            words = [
                f"{told(grid, fall.column)} ({both_text(contest.measure, fall.unaware, fall.aware)})" for fall in down
            ]
            told_of.append(f"{HARM_SHORT[contest.measure]}: {len(down)} of {len(every)} fall: {named(words)}")
    if not told_of:
        return None
    return Verdict(NOT_CLAIMED, (
        f"of those that keep {KEPT:.0%} of the undefended accuracy, and by attacks that do not know of a defence → by "
        f"those made for it; {'; '.join(told_of)}"
    ))  # fmt: skip


def both_text(measure: str, before: Leak, after: Leak) -> str:
    return " → ".join(value_text(measure, leak.measured.mean) for leak in (before, after))


# ---- one number
def aop_and_the_tail(grid: Grid) -> Verdict | None:
    return one_number(grid, "aop_2", "AOP(2)")


def phi_and_the_tail(grid: Grid) -> Verdict | None:
    return one_number(grid, "phi", "φ")


def one_number(grid: Grid, score: str, words: str) -> Verdict | None:
    """Pairs in which it clearly prefers the one of whose members clearly more are caught; and how the orders agree."""
    classes = CLASSES[grid.data]
    if len(scores_of(grid, score, classes)) < 3:
        return None
    pairs, alike = disagreements(grid, score, classes), agreement(grid, score, classes)
    said = (
        f"{words} and how few members are caught at 1 % have a rank correlation of {alike.mean:.2f}; in {len(pairs)} "
        f"pair{'s' if len(pairs) != 1 else ''} {words} clearly prefers the one of whose members clearly more are caught"
    )
    if pairs:
        worst = pairs[0]
        caught = [value_text("tpr1", leak_of(grid, name, Harm("tpr1")).measured.mean)
                  for name in (worst.preferred, worst.other)]  # fmt: skip
        said += (
            f", most of all {told(grid, worst.preferred)} ({caught[0]}) over {told(grid, worst.other)} ({caught[1]})"
        )
    return Verdict(NOT_CLAIMED, said)


# ---- at equal accuracy
def line_of(grid: Grid, family: str) -> Line | None:
    return next((line for line in lines_of(grid) if grid.columns[line.columns[0]].family == family), None)


def worst_at(grid: Grid, line: Line, accuracy: float, harm: Harm) -> Measured | None:
    place = match(grid, line, accuracy)
    found = [matched(grid, place, harm.measure, attack, protocol) for attack, protocol in attacks_against(grid, harm)]
    there = [one for one in found if one is not None and np.isfinite(one.mean)]
    return max(there, key=lambda one: one.mean, default=None)


def beats_controls(grid: Grid) -> Verdict | None:
    """Each strength of each defence without a promise, beside both controls where they are as accurate."""
    found: dict[str, list[Against]] = {}
    for one in against_controls(grid):
        if one.column in useful(grid) and one.gain is not None:
            found.setdefault(one.column, []).append(one)
    if not found:
        return None
    under = {control: {one.column for own in found.values() for one in own if clearly(one) and one.control == control}
             for control in CONTROLS}  # fmt: skip
    both = [told(grid, name) for name in found if all(name in names for names in under.values())]
    return Verdict(NOT_CLAIMED, (
        f"of {len(found)} settings without a promise that keep {KEPT:.0%} of the accuracy, clearly fewer members "
        f"are caught than under early stopping as accurate by {len(under['stopping'])}, than under DP-SGD with little "
        f"noise by {len(under['little'])}, than under both by {len(both)}: {named(both)}"
    ))  # fmt: skip


def clearly(one: Against) -> bool:
    return one.gain.low is not None and one.gain.low > 0


def against_dp(grid: Grid, family: str, harm: Harm) -> Verdict | None:
    """A family's strengths against DP-SGD with whatever noise is as accurate."""
    line, said, wins, losses = line_of(grid, family), [], 0, 0
    rivals = [other for name in ("central", "little") if (other := line_of(grid, name)) is not None]
    for name in line.columns if line else ():
        accuracy, own = measured_over(grid.accuracy(name)).mean, leak_of(grid, name, harm)
        there = [one for rival in rivals if (one := worst_at(grid, rival, accuracy, harm)) is not None]
        if own is None or not there:
            continue
        other = min(there, key=lambda one: one.mean)
        apart = paired(other, own.measured)
        wins += apart.low is not None and apart.low > 0
        losses += apart.high is not None and apart.high < 0
        ours, theirs = (with_interval(harm.measure, one) for one in (own.measured, other))
        said.append(f"{told(grid, name)} at {accuracy:.0%} right {ours}, DP-SGD {theirs}")
    if not said:
        return None
    return verdict(True if wins and not losses else False if losses and not wins else None, "; ".join(said))


def dap_against_dp(grid: Grid) -> Verdict | None:
    """Paper D does not compare at equal accuracy."""
    found = against_dp(grid, "dap", Harm("tpr1"))
    return None if found is None else Verdict(NOT_CLAIMED, f"members caught at 1 %: {found.sentence}")


def mid_against_dp(grid: Grid) -> Verdict | None:
    return against_dp(grid, "mid", Harm("recognised"))

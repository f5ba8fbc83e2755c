"""What the grids say, one by one: a verdict where a paper made a claim, else the sentence with the numbers."""

from collections.abc import Callable
from functools import cache
from html import escape

import numpy as np

from dpmia_lab.experiments.comparing_answers import Harm, attacks_against, bargains, leak_of
from dpmia_lab.experiments.comparing_columns import CONTROLS, DATA
from dpmia_lab.experiments.comparing_grid import Grid, Measured, measured_over
from dpmia_lab.experiments.comparing_matched import Line, lines_of, match, matched
from dpmia_lab.experiments.comparing_sentences import HARM_SHORT, listed, value_text, with_interval
from dpmia_lab.widgets.comparing.data import WORDS, kind_of, shipped_grid
from dpmia_lab.widgets.comparing.ranking import best_entries
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, Verdict, verdict

Check = Callable[[Grid], Verdict | None]
UNADAPTED = "lira_unadapted"
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
    """Members caught by the best adapted attack against the same likelihood ratio that does not adapt."""
    rows = []
    for name in useful(grid):
        unadapted, worst = leak_of(grid, name, Harm("tpr1", attack=UNADAPTED)), leak_of(grid, name, Harm("tpr1"))
        if unadapted is None or worst is None or worst.attack == UNADAPTED or kind_of(grid, name) == "none":
            continue
        apart = paired(worst.measured, unadapted.measured)
        if apart.low is not None and apart.low > 0.02:
            few, many = (value_text("tpr1", leak.measured.mean) for leak in (unadapted, worst))
            rows.append((apart.mean, f"{told(grid, name)} ({few} → {many})"))
    words = [said for _, said in sorted(rows, reverse=True)]
    return Verdict(NOT_CLAIMED, (
        f"of those that keep {KEPT:.0%} of the undefended accuracy, {len(words)} are caught clearly more often (by 2 "
        f"points or more) when the attacker's shadow models have the defence: {named(words)}"
    ))  # fmt: skip


# ---- one number
def aop_and_the_tail(grid: Grid) -> Verdict | None:
    """At λ = 2: pairs that AOP puts in the other order than canaries caught do, both clearly."""
    return disagreement(grid, "AOP(2)", lambda one: one.aop)


def phi_and_the_tail(grid: Grid) -> Verdict | None:
    """φ above 1 says that more was gained than lost; how are canaries there?"""
    entries = [one for one in best_entries(grid, 2.0) if one.phi is not None and one.phi > 1]
    rows = []
    for one in entries:
        leak = leak_of(grid, one.column, Harm("tpr1", "canaries"))
        if leak is not None and leak.measured.low is not None and leak.measured.low > 0.5:
            caught = value_text("tpr1", leak.measured.mean)
            rows.append(f"{told(grid, one.column)} (φ = {one.phi:.2f}, {caught} of canaries)")
    if not entries:
        return None
    return Verdict(NOT_CLAIMED, (
        f"φ is above 1 for {len(entries)} defences at their best AOP(2); under {len(rows)} of these clearly more than "
        f"half of the canaries are caught at 1 % false alarms: {named(rows)}"
    ))  # fmt: skip


def disagreement(grid: Grid, words: str, score: Callable) -> Verdict | None:
    entries = best_entries(grid, 2.0)
    tails = {one.column: leak_of(grid, one.column, Harm("tpr1", "canaries")) for one in entries}
    entries = [one for one in entries if tails[one.column] is not None]
    pairs, against = 0, []
    for place, one in enumerate(entries):
        for other in entries[place + 1 :]:
            better = paired(score(one), score(other))
            worse = paired(tails[one.column].measured, tails[other.column].measured)
            pairs += 1
            if None not in (better.low, worse.low) and better.low > 0 and worse.low > 0:
                against.append((worse.mean, one, other))
    if not pairs:
        return None
    said = (
        f"of {pairs} pairs of defences {words} clearly prefers the one whose canaries are clearly worse off in "
        f"{len(against)}"
    )
    if against:
        _, one, other = max(against, key=lambda found: found[0])
        caught = [value_text("tpr1", tails[each.column].measured.mean) for each in (one, other)]
        said += (
            f"; most of all {told(grid, one.column)} over {told(grid, other.column)}, of whose canaries {caught[0]} "
            f"and {caught[1]} are caught"
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


def against_controls(grid: Grid) -> Verdict | None:
    """Each strength of each defence without a promise, beside both controls where they are as accurate."""
    beaten, compared = [], 0
    for name in useful(grid):
        if kind_of(grid, name) != "empirical":
            continue
        accuracy, own = measured_over(grid.accuracy(name)).mean, leak_of(grid, name, Harm("tpr1"))
        lines = [line for family in CONTROLS if (line := line_of(grid, family)) is not None]
        there = [one for line in lines if (one := worst_at(grid, line, accuracy, Harm("tpr1"))) is not None]
        if own is None or not there:
            continue
        compared += 1
        apart = [paired(one, own.measured) for one in there]
        if all(one.low is not None and one.low > 0 for one in apart):
            best = min(one.mean for one in there)
            beaten.append(
                f"{told(grid, name)} ({value_text('tpr1', own.measured.mean)} against {value_text('tpr1', best)})"
            )
    return Verdict(NOT_CLAIMED, (
        f"of {compared} settings without a promise that keep {KEPT:.0%} of the accuracy, {len(beaten)} are caught "
        f"clearly less often than both controls at the same accuracy: {named(beaten)}"
    ))  # fmt: skip


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
    return against_dp(grid, "dap", Harm("tpr1"))


def mid_against_dp(grid: Grid) -> Verdict | None:
    return against_dp(grid, "mid", Harm("recognised") if attacks_against(grid, Harm("recognised")) else
                      Harm("attack_over_imputation"))  # fmt: skip

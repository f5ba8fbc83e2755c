"""What a grid says as a whole: who is on the front, who falls to an adapted attack, where one number for everything
misleads, and what is left of a defence beside the two controls.

Functions of a grid alone. Every difference is taken seed by seed, and has an interval over seeds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from dpmia_lab.experiments.comparing_answers import Bargain, Harm, Leak, bargains, leak_of
from dpmia_lab.experiments.comparing_attributes import REPEATED
from dpmia_lab.experiments.comparing_columns import CONTROLS
from dpmia_lab.experiments.comparing_grid import Grid, Measured, measured_over
from dpmia_lab.experiments.fooling_turns import auc_at_accuracy
from dpmia_lab.metrics.tradeoffs import aop, phi

CAUGHT = Harm("tpr1", "everybody")
OFTEN = 0.5  # of the seeds: on the front in as many is on the front
NEAR = 0.01  # who is so much less accurate still counts as equally accurate


@dataclass(frozen=True)
class Contest:
    """Attacks that do not know of a defence against those made for it."""

    measure: str
    protocol: str
    unaware: tuple[str, ...]
    aware: tuple[str, ...]


CONTESTS = {
    "membership": Contest(
        "tpr1", "turns", ("loss", "confidence", "lira_unadapted"),
        ("black_box", "lira_fixed", "lira_levelled", "lira_labels", "rmia", "lira_averaged", "lira_mean",
         "lira_weights"),
    ),
    "pictures": Contest(
        "recognised", "test", ("original", "enhanced", "gmi"), ("stronger", "prior", "gmi_adapted"),
    ),
    "answers": Contest(
        "recognised_answers", "test", ("alignment", "alignment_label"), ("alignment_averaged", "alignment_mean"),
    ),
    "attributes": Contest(
        "attack_over_imputation", "train", REPEATED,
        tuple(f"{name}_{way}" for way in ("averaged", "mean", "weights") for name in REPEATED),
    ),
}  # fmt: skip


# ---- the front
def on_the_front(grid: Grid, harm: Harm = CAUGHT) -> list[Bargain]:
    """Columns that no other beats, on average or in most seeds; the most accurate first."""
    found = [one for one in bargains(grid, harm) if one.front or one.seeds >= OFTEN]
    return sorted(found, key=lambda one: -one.accuracy.mean)


# ---- adapted attacks
@dataclass(frozen=True)
class Fall:
    """How much more an adapted attack finds; ``left``: what the unaware one finds, of what it finds without defence
    (NaN where that is nothing)."""

    column: str
    unaware: Leak
    aware: Leak
    gain: Measured
    left: float


def falls(grid: Grid, contest: Contest) -> list[Fall]:
    """Every defended column of which both kinds of attack were made; the largest gain first.

    A defence falls where the whole interval of the gain lies above 0.
    """
    plain = best_of(grid, "none", contest, contest.unaware)
    found = []
    for name in grid.columns:
        unaware, aware = (best_of(grid, name, contest, kind) for kind in (contest.unaware, contest.aware))
        if name == "none" or unaware is None or aware is None:
            continue
        gain = measured_over(aware.measured.values - unaware.measured.values)
        left = unaware.measured.mean / plain.measured.mean if plain and plain.measured.mean > 0 else float("nan")
        found.append(Fall(name, unaware, aware, gain, left))
    return sorted(found, key=lambda fall: -fall.gain.mean)


def fallen(found: Sequence[Fall]) -> list[Fall]:
    return [fall for fall in found if fall.gain.low is not None and fall.gain.low > 0]


def best_of(grid: Grid, column: str, contest: Contest, attacks: Sequence[str]) -> Leak | None:
    """The one with the highest mean; None where none was made."""
    made = [
        Leak(attack, contest.protocol, grid.measured(column, contest.measure, attack, contest.protocol))
        for attack in attacks if grid.has(column, contest.measure, attack, contest.protocol)
    ]  # fmt: skip
    return max(made, key=lambda leak: leak.measured.mean, default=None)


# ---- one number for everything
@dataclass(frozen=True)
class Disagreement:
    """φ or AOP prefers ``preferred``, although ``other`` is as accurate and fewer of its members are caught at 1 %."""

    score: str
    preferred: str
    other: str
    score_gap: Measured
    tail_gap: Measured


def scores_of(grid: Grid, score: str, classes: int, by: str = "") -> dict[str, np.ndarray]:
    """(seeds,) of every defended column: "phi", or "aop_2" for AOP(2), from the AUC of an attack ("": the worst)."""
    found, harm = {}, Harm("auc", "everybody", by)
    for name in grid.columns:
        leak = leak_of(grid, name, harm)
        if name == "none" or leak is None:
            continue
        accuracy, auc = grid.accuracy(name), leak.measured.values
        if score.startswith("aop_"):
            found[name] = aop(accuracy, auc, float(score.removeprefix("aop_")))
        else:
            before = grid.accuracy("none"), leak_of(grid, "none", harm).measured.values
            each = zip(before[0], accuracy, before[1], auc, strict=True)
            found[name] = np.array([phi_or_nan(*one, classes) for one in each])
    return found


def phi_or_nan(acc_original: float, acc: float, auc_original: float, auc: float, classes: int) -> float:
    if not np.isfinite([acc_original, acc, auc_original, auc]).all():
        return float("nan")
    found = phi(acc_original, acc, auc_original, auc, classes)
    return float("nan") if found is None else found


def disagreements(grid: Grid, score: str, classes: int, by: str = "") -> list[Disagreement]:
    """Pairs of columns in which the score prefers clearly the one that is clearly worse in the tail; worst first.

    The tail is that of the worst attack; ``by``: the attack whose AUC the score is made of, such as paper D's threshold
    on the loss ("": the worst). Clearly: the whole interval over seeds of the difference lies above 0. As the other one
    is no less accurate, no weighing of accuracy against harm excuses it.
    """
    scores, found = scores_of(grid, score, classes, by), []
    tails = {name: leak.measured for name in scores if (leak := leak_of(grid, name, CAUGHT)) is not None}
    accuracy = {name: np.nanmean(grid.accuracy(name)) for name in tails}
    for one, other in permutations(tails, 2):
        if accuracy[other] < accuracy[one] - NEAR:
            continue
        worse = measured_over(tails[one].values - tails[other].values)
        if (worse.low or 0.0) <= 0:
            continue
        better = measured_over(scores[one] - scores[other])
        if (better.low or 0.0) > 0:
            found.append(Disagreement(score, one, other, better, worse))
    return sorted(found, key=lambda pair: -pair.tail_gap.mean)


def agreement(grid: Grid, score: str, classes: int, by: str = "") -> Measured:
    """Spearman's rank correlation of the score with how few members are caught at 1 %, seed by seed."""
    scores = scores_of(grid, score, classes, by)
    tails = {name: leak_of(grid, name, CAUGHT) for name in scores}
    both = [(scores[name], -leak.measured.values) for name, leak in tails.items() if leak is not None]
    return measured_over(np.array([rank_correlation(*np.array([(a[s], b[s]) for a, b in both]).T)
                                   for s in range(len(grid.seeds))]))  # fmt: skip


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """NaN for fewer than three pairs; equal values share the mean of their places."""
    from scipy.stats import rankdata

    told = np.isfinite(a) & np.isfinite(b)
    if told.sum() < 3:
        return float("nan")
    places = [rankdata(values[told]) for values in (a, b)]
    return float(np.corrcoef(*places)[0, 1]) if all(place.std() for place in places) else float("nan")


# ---- beside the controls
@dataclass(frozen=True)
class Against:
    """A defence beside a control at equal accuracy; ``gain``: how much less it leaks. ``reason``: why there is none."""

    column: str
    control: str
    accuracy: Measured
    leak: Leak
    controlled: Measured | None = None
    gain: Measured | None = None
    reason: str = ""


def against_controls(grid: Grid, harm: Harm = CAUGHT) -> list[Against]:
    """Every column that promises nothing and is no control, beside both; the largest gain first."""
    found = []
    for control in CONTROLS:
        curve = control_curve(grid, control, harm)
        for name, column in grid.columns.items():
            leak = leak_of(grid, name, harm)
            empirical = column.family not in ("none", *CONTROLS) and name not in grid.promises
            if curve is not None and leak is not None and empirical:
                found.append(beside(grid, name, control, leak, curve))
    return sorted(found, key=lambda one: -one.gain.mean if one.gain else np.inf)


def by_strength(grid: Grid, family: str, option: str) -> list[str]:
    """The columns of a family, from the least value of that option upwards."""
    names = [name for name, column in grid.columns.items() if column.family == family]
    return sorted(names, key=lambda name: grid.columns[name].changes[option])


def beside(grid: Grid, name: str, control: str, leak: Leak, curve: tuple[np.ndarray, np.ndarray]) -> Against:
    accuracy, (known, leaks) = grid.accuracy(name), curve
    if np.nanmean(accuracy) > np.nanmean(known, 1).max() + NEAR:
        reason = f"{CONTROLS[control]} never is as accurate"
        return Against(name, control, measured_over(accuracy), leak, reason=reason)
    at = np.array([auc_at_accuracy(accuracy[seed], known[:, seed], leaks[:, seed])
                   if np.isfinite(accuracy[seed]) else np.nan for seed in range(len(grid.seeds))])  # fmt: skip
    gain = measured_over(at - leak.measured.values)
    return Against(name, control, measured_over(accuracy), leak, measured_over(at), gain)


def control_curve(grid: Grid, control: str, harm: Harm) -> tuple[np.ndarray, np.ndarray] | None:
    """Accuracies and leaks (strengths, seeds), from the strongest to the weakest.

    The weakest stopping is none; DP-SGD with little noise goes on into DP-SGD with more of it.
    """
    if control == "stopping":
        names = [*by_strength(grid, "stopping", "stop_after"), "none"]
    else:
        names = by_strength(grid, "central", "epsilon") + by_strength(grid, "little", "z")[::-1]
    leaks = [leak_of(grid, name, harm) for name in names]
    if len(names) < 2 or any(leak is None for leak in leaks):
        return None
    return np.array([grid.accuracy(name) for name in names]), np.array([leak.measured.values for leak in leaks])

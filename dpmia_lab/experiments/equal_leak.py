"""Two mechanisms at equal leak: at the AUC that both leave an attacker, which keeps more accuracy, and at which ε?

Between two strengths that were tried every value lies on a straight line, so that no answer hangs on where a grid
happens to have a point; each comes with its standard error.
"""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.experiments.mechanism_sweep import Sweep

SLIGHT = 0.02  # a smaller difference of accuracies does not matter, were it ever so certain
LARGE = 0.1  # unless a difference so large can be ruled out, nobody may say that there is none
NARROW = 0.01  # a range of AUC in which chance decides
Curve = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # AUC, accuracy, and their standard errors


@dataclass(frozen=True)
class Contest:
    """At AUC values within reach of both mechanisms: the accuracy of each, between its strengths by a straight line.

    ``errors``: standard errors of the difference, from those of accuracy and of AUC, the latter by the line's slope.
    """

    levels: np.ndarray
    central: np.ndarray
    local: np.ndarray
    errors: np.ndarray
    why: str = ""  # there are no levels

    @property
    def apart(self) -> np.ndarray:
        """Local minus central."""
        return self.local - self.central

    @property
    def clear(self) -> np.ndarray:
        """At which levels they differ by more than two standard errors, and by enough to matter."""
        return (np.abs(self.apart) > 2 * self.errors) & (np.abs(self.apart) >= SLIGHT)

    @property
    def told(self) -> int:
        """The level to tell of: where they clearly differ most; if they nowhere do, where it is known best."""
        if self.clear.any():
            return int(np.argmax(np.where(self.clear, np.abs(self.apart), -1.0)))
        return int(np.argmin(self.errors))

    @property
    def verdict(self) -> str:
        """local or central, if the one is clearly ahead somewhere and the other nowhere; else "either".

        Where neither clearly is: alike, if a large difference can be ruled out; else unclear. Without a common range of
        AUC: neither.
        """
        if not len(self.levels):
            return "neither"
        ahead = {name for name, sign in (("local", 1), ("central", -1)) if (self.clear & (sign * self.apart > 0)).any()}
        if ahead:
            return ahead.pop() if len(ahead) == 1 else "either"
        most = abs(self.apart[self.told]) + 2 * self.errors[self.told]
        return "alike" if most < LARGE else "unclear"


def contest(sweep: Sweep, protocol: str = "alike", attack: str = "white_box") -> Contest:
    """At every AUC of one of the strengths that both mechanisms reach."""
    curves = [frontier(sweep, mechanism, attack, protocol) for mechanism in ("central", "local")]
    why = why_none(sweep, attack, protocol, curves)
    if why:
        return no_contest(why)
    low, high = shared_range(curves)
    levels = np.unique(np.concatenate([[low, high], *(auc for auc, *_ in curves)]))
    return compared(curves, levels[(levels >= low) & (levels <= high)])


def contest_at(sweep: Sweep, level: float, protocol: str = "alike", attack: str = "white_box") -> Contest:
    """At this AUC alone."""
    curves = [frontier(sweep, mechanism, attack, protocol) for mechanism in ("central", "local")]
    why = why_none(sweep, attack, protocol, curves)
    if not why:
        low, high = shared_range(curves)
        why = "" if low <= level <= high else f"both reach an AUC from {low:.3f} to {high:.3f} only"
    return no_contest(why) if why else compared(curves, np.array([level]))


def why_none(sweep: Sweep, attack: str, protocol: str, curves: list[Curve]) -> str:
    """Why the mechanisms cannot be compared at equal leak; "" where they can."""
    if not sweep.leaks(attack, protocol):
        return "without a defence this attack does not find members beyond doubt"
    if not all(len(auc) for auc, *_ in curves):
        return "only one of the mechanisms was tried"
    low, high = shared_range(curves)
    return f"both reach no range of AUC wider than {NARROW:g}" if high - low < NARROW else ""


def shared_range(curves: list[Curve]) -> tuple[float, float]:
    return max(auc[0] for auc, *_ in curves), min(auc[-1] for auc, *_ in curves)


def compared(curves: list[Curve], levels: np.ndarray) -> Contest:
    errors = np.hypot(*(error_at(levels, *curve) for curve in curves))
    return Contest(levels, *(np.interp(levels, auc, accuracy) for auc, accuracy, *_ in curves), errors)


def no_contest(why: str) -> Contest:
    return Contest(*(np.array([]),) * 4, why)


def frontier(sweep: Sweep, mechanism: str, attack: str, protocol: str) -> Curve:
    """By rising AUC, the best accuracy so far: nobody need take a strength that leaks more and knows less."""
    played = mechanism, attack, protocol
    points = np.array([
        sweep.at("auc", *played), sweep.at("test_accuracy", mechanism),
        sweep.errors("auc", *played), sweep.errors("test_accuracy", mechanism),
    ])  # fmt: skip
    points = points[:, np.isfinite(points).all(0)]
    auc, accuracy, auc_error, error = points[:, np.argsort(points[0], kind="stable")]
    return auc, np.maximum.accumulate(accuracy), auc_error, error


def error_at(
    levels: np.ndarray, auc: np.ndarray, accuracy: np.ndarray, auc_error: np.ndarray, error: np.ndarray
) -> np.ndarray:
    """The standard error of a curve's accuracy at each level; at a point the steeper side counts."""
    if len(auc) < 2:
        return np.full(len(levels), np.inf)
    slopes = np.diff(accuracy) / np.maximum(np.diff(auc), 1e-9)
    sides = [np.clip(np.searchsorted(auc, levels, side) - 1, 0, len(slopes) - 1) for side in ("left", "right")]
    slope = np.maximum(*(slopes[side] for side in sides))
    return np.hypot(np.interp(levels, auc, error), slope * np.interp(levels, auc, auc_error))


# ---- which ε has a given AUC?
@dataclass(frozen=True)
class Crossing:
    """Where a mechanism's curve meets an AUC, between its strengths by a straight line over log ε.

    ``low`` and ``high``: with the AUC two standard errors lower or higher. Beyond the strengths that were tried each is
    infinite, or 0: even the weakest noise leaves less than this AUC, or even the strongest more.
    """

    epsilon: float
    low: float
    high: float


class AucOverEpsilon:
    """One mechanism's AUC by rising ε; what falls again by chance is held, so that every AUC is met once."""

    def __init__(self, sweep: Sweep, mechanism: str, attack: str, protocol: str) -> None:
        epsilon, played = sweep.at("epsilon", mechanism), (mechanism, attack, protocol)
        points = np.array([epsilon, sweep.at("auc", *played), sweep.errors("auc", *played)])
        points = points[:, np.isfinite(points).all(0)]
        epsilon, auc, self.errors = points[:, np.argsort(points[0], kind="stable")]
        self.logs, self.auc = np.log(epsilon), np.maximum.accumulate(auc)

    def crossing(self, level: float, level_error: float = 0.0) -> Crossing:
        margin = 2 * np.hypot(np.interp(level, self.auc, self.errors), level_error)
        levels = [level, level - margin, level + margin]
        return Crossing(*np.exp(np.interp(levels, self.auc, self.logs, left=-np.inf, right=np.inf)).tolist())


def middle_level(curves: list[AucOverEpsilon], least: float) -> float | None:
    """The middle of the AUC values, from ``least`` up, that all curves reach; None if hardly any is."""
    if not all(len(curve.auc) for curve in curves):
        return None
    low, high = max(least, *(curve.auc[0] for curve in curves)), min(curve.auc[-1] for curve in curves)
    return float(low + high) / 2 if high - low >= NARROW else None

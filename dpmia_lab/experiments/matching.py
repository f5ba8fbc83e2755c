"""Find the noise at which a defence has the wanted accuracy, so that defences can be compared at equal use."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dpmia_lab.stages import Stage, part

if TYPE_CHECKING:
    from torch import nn

CLOSE, TOLERANCE = 0.01, 0.02  # accuracy this near ends the search; this near counts as matched
MOST_TRIES, FACTOR = 7, 2.5
LEAST_SIGMA, MOST_SIGMA = 0.02, 500.0

Trial = tuple["nn.Module", float]  # a trained model and its test accuracy


@dataclass(frozen=True)
class Match:
    """The trial nearest to the wanted accuracy."""

    sigma: float
    model: "nn.Module"
    accuracy: float
    wanted: float
    first: Trial  # where the search began

    @property
    def matched(self) -> bool:
        return abs(self.accuracy - self.wanted) <= TOLERANCE


def matched_noise(train: Callable[[float], Stage[Trial]], wanted: float, start: float, label: str) -> Stage[Match]:
    """Search log σ: outwards from ``start`` until the wanted accuracy lies between two trials, then between them.

    Trials share their seed, so accuracy falls with σ but for a little unevenness.
    """
    sigma, accuracy, best, first = start, None, None, None
    more: tuple[float, float] | None = None  # (log σ, accuracy) of the nearest trial that is too accurate
    less: tuple[float, float] | None = None  # … not accurate enough
    for tries in range(1, MOST_TRIES + 1):
        share = (tries - 1) / MOST_TRIES, tries / MOST_TRIES
        words = f"{label}: try {tries}, σ = {sigma:.3g}" + ("" if accuracy is None else f" (last: {accuracy:.0%})")
        model, accuracy = yield from part(train(sigma), *share, words)
        first = first or (model, accuracy)
        if best is None or abs(accuracy - wanted) < abs(best.accuracy - wanted):
            best = Match(sigma, model, accuracy, wanted, first)
        if abs(accuracy - wanted) <= CLOSE:
            break
        if accuracy > wanted:
            more = math.log(sigma), accuracy
        else:
            less = math.log(sigma), accuracy
        following = next_sigma(more, less, wanted)
        if not LEAST_SIGMA <= following <= MOST_SIGMA:
            break  # noise does not bring this defence to the wanted accuracy
        sigma = following
    return best


def next_sigma(more: tuple[float, float] | None, less: tuple[float, float] | None, wanted: float) -> float:
    """Where the line between the two trials meets the wanted accuracy; while one is missing, further out."""
    if less is None:
        return math.exp(more[0]) * FACTOR
    if more is None:
        return math.exp(less[0]) / FACTOR
    share = (more[1] - wanted) / (more[1] - less[1])
    return math.exp(more[0] + min(max(share, 0.15), 0.85) * (less[0] - more[0]))

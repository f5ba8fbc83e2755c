"""Task 2 of lesson 5: what each strength keeps and leaves, and which way to go on from what was tried."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dpmia_lab.experiments.mechanisms import point_of, setting_words
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.privacy.local import FEATURES_ONLY
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.mechanisms.data import own_sweep
from dpmia_lab.widgets.mechanisms.worth import shares

SHARE_KEPT, SHARE_LEFT = 0.8, 0.5  # of accuracy above chance, of the attack's advantage
CLOSE = 1.2  # two strengths of which one is less than so many times the other


@dataclass(frozen=True)
class Bargain:
    """One point of a sweep, as shares of what its model without a defence has."""

    defence: str
    kept: float  # of the accuracy above chance
    left: float  # of the white box's advantage
    epsilon: float
    ratio_left: float  # of the likelihood ratio's advantage; NaN if it was not tried

    @property
    def useful(self) -> bool:
        return self.kept >= SHARE_KEPT

    @property
    def safe(self) -> bool:
        return self.left <= SHARE_LEFT

    @property
    def is_done(self) -> bool:
        return self.useful and self.safe

    @property
    def missed(self) -> float:
        return max(0.0, SHARE_KEPT - self.kept) + max(0.0, self.left - SHARE_LEFT)

    @property
    def mechanism(self) -> str:
        return point_of(self.defence)[0]

    @property
    def noise(self) -> float:
        """Rises with the noise: z, or 1/ε_i."""
        mechanism, strength = point_of(self.defence)
        return strength if mechanism == "central" else 1 / strength

    def words(self) -> str:
        return f"{setting_words(self.defence)} (keeps {self.kept:.0%}, leaves {self.left:.0%})"


def only_strengths_differ(one: Run, other: Run) -> bool:
    """Or the seed."""
    free = {"zs": "", "epsilons": "", "seed": 0}
    return replace(one.config, **free) == replace(other.config, **free)


def bargains(run: Run) -> list[Bargain]:
    """Every strength of a run in which the white box finds members without a defence."""
    sweep = own_sweep(run)
    if not sweep.leaks("white_box", "alike"):
        return []
    found = []
    for one in sweep.defences[1:]:
        gone, lost = shares(sweep, one, "white_box", "alike")
        ratio_gone, _ = shares(sweep, one, "lira_offline", "alike")
        found.append(Bargain(one, 1 - lost, max(0.0, 1 - gone), sweep.value("epsilon", one), max(0.0, 1 - ratio_gone)))
    return found


def done_in(runs: list[Run]) -> list[Run]:
    """Those in which the task is done."""
    return [run for run in runs if any(one.is_done for one in bargains(run))]


def bargain_words(found: Bargain) -> str:
    worth = min(2.0, (1 - found.left) / max(1 - found.kept, 1e-9))
    promise = "add or remove one, δ = 1/n" if found.mechanism == "central" else f"replace one, δ = 0; {FEATURES_ONLY}"
    said = (
        f"{setting_words(found.defence)} keeps {found.kept:.0%} of the accuracy above chance and leaves "
        f"{found.left:.0%} of the white box's advantage, so φ = {worth:.2f}. Its ε for a record is "
        f"{epsilon_text(found.epsilon)} ({promise}): that one attack is weaker now is not a promise."
    )
    return said + (f" The likelihood ratio keeps {found.ratio_left:.0%}." if np.isfinite(found.ratio_left) else "")


def hint(tried: list[Bargain], records: int) -> str:
    """Which way to go on, from everything that was tried with these settings."""
    nearest = min(tried, key=lambda one: one.missed)
    ways = {name: way_on([one for one in tried if one.mechanism == name]) for name in ("central", "local")}
    said = [f"Your nearest is {nearest.words()}."]
    said += [f"{name.capitalize()} noise: {way.words}." for name, way in ways.items()]
    if not any(way.is_open for way in ways.values()):
        said.append(
            f"So strength alone does not do it with {records:,} records: take more, for what many carts share outlives "
            f"noise better the more there are."
        )
    return " ".join(said)


class Way(NamedTuple):
    words: str
    is_open: bool  # another strength of this mechanism may do


def way_on(tried: list[Bargain]) -> Way:
    """More noise keeps less and leaves less: so one point that misses both closes the way, and two bracket it."""
    both = [one for one in tried if not one.useful and not one.safe]
    weak = [one for one in tried if one.useful and not one.safe]  # too little noise
    strong = [one for one in tried if one.safe and not one.useful]  # too much
    if not tried:
        return Way("nothing tried yet", True)
    if both:
        worst = min(both, key=lambda one: one.missed)
        return Way(f"{worst.words()} misses both; more noise keeps less and less noise leaves more", False)
    if weak and strong:
        low, high = max(weak, key=lambda one: one.noise), min(strong, key=lambda one: one.noise)
        if high.noise < CLOSE * low.noise:
            return Way(f"between {low.words()} and {high.words()} only chance decides", False)
        return Way(f"try between {low.words()} and {high.words()}", True)
    if weak:
        return Way(f"{max(weak, key=lambda one: one.noise).words()} leaves too much: try more noise than that", True)
    return Way(f"{min(strong, key=lambda one: one.noise).words()} keeps too little: try less noise than that", True)

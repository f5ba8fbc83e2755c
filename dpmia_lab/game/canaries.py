"""Canaries: records that a model can only learn by heart, put among the candidates so that the worst case is measured.

Averages over ordinary people say little about the few who are unlike all others (Aerni, Zhang & Tramèr 2024). A canary
takes the place of a candidate and keeps its coin: whether it is trained on is as fair a toss as everybody's.
"""

from dataclasses import dataclass, replace

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.game.candidates import Asked, Candidates
from dpmia_lab.game.records import Records

KINDS = ("ordinary", "mislabelled", "atypical")  # their places are the numbers in arrays


@dataclass(frozen=True)
class Planted:
    """Candidates among whom are canaries; ``kind`` (k,): what each is, a place in ``KINDS``."""

    candidates: Candidates
    kind: np.ndarray

    def places(self, *kinds: str) -> np.ndarray:
        """(k,) bool."""
        return np.isin(self.kind, [KINDS.index(kind) for kind in kinds])


def with_canaries(
    candidates: Candidates, each: int, kind: str, classes: int, rng: np.random.Generator
) -> Planted:
    """``each`` of either kind; test accuracy stays that of ordinary records. ``kind``: bits, pictures or graphs."""
    alike = candidates.alike
    if 4 * each > len(alike.member):
        rule = f"at most a quarter of the {len(alike.member)} candidates"
        raise Mistake(f"canaries must be {rule} of either kind; it is {each}.")
    what = np.zeros(len(alike.member), dtype=np.int64)
    chosen = rng.permutation(len(what))[: 2 * each]
    wrong, odd = chosen[:each], chosen[each:]
    what[wrong], what[odd] = 1, 2
    x, y = alike.records.x.copy(), alike.records.y.copy()
    y[wrong] = (y[wrong] + rng.integers(1, classes, each)) % classes
    x[odd] = atypical(x[odd], kind, rng)
    asked = Asked(Records(x, y), alike.member)
    test = candidates.test
    if candidates.shifted is None:  # then outsiders are tested on
        test = asked.records.at(np.flatnonzero(~asked.member & (what == 0)))
    return Planted(replace(candidates, alike=asked, shifted=None, test=test), what)


def atypical(x: np.ndarray, kind: str, rng: np.random.Generator) -> np.ndarray:
    """As many records unlike any: bits by fair coins, pictures as negatives, graphs joined by fair coins."""
    if kind == "pictures":
        return 1 - x
    coins = (rng.random(x.shape) < 0.5).astype(x.dtype)
    if kind == "bits":
        return coins
    upper = np.triu(coins, 1)
    return (upper + upper.transpose(0, 2, 1) + np.eye(x.shape[1], dtype=x.dtype)).astype(x.dtype)

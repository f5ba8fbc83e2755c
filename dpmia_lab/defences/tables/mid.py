"""Paper B's MID: predictions that tell little about what they were made from (eqs 2–4; decision trees, section 3).

Trees: a feature's score is C(A) − λ·H(Ŷ), H the entropy in bits of what the tree says of its training people. As
printed this only reorders features, for some feature always has the highest score and is asked. With ``stop``, which
the paper does not say, a node asks only if that scores above asking nothing. All nodes of a level choose at once, each
taking the rest of the tree as it stands.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpmia_lab.checks import between, true_or_false
from dpmia_lab.defences.tables.base import Growth, TableDefence
from dpmia_lab.options import number_text
from dpmia_lab.stages import Stage
from dpmia_lab.training.entropy import entropy_penalised
from dpmia_lab.training.id3 import Choose, Level, entropy, purities
from dpmia_lab.training.regression import Problem


@dataclass(frozen=True)
class Mid(TableDefence):
    title: ClassVar[str] = "MID: low-entropy answers"
    models: ClassVar[tuple[str, ...]] = ("regression", "tree")

    lam: float = 0.6
    sigma_mid: float = 0.86
    stop: bool = False

    def __post_init__(self) -> None:
        between(0, 1000, lam=self.lam)
        between(0.05, 100, sigma_mid=self.sigma_mid)
        true_or_false(stop=self.stop)

    def words(self) -> str:
        return f"MID, λ = {number_text(self.lam)}"

    def coefficients(self, problem: Problem, rng: np.random.Generator) -> Stage[np.ndarray]:
        return (yield from entropy_penalised(problem, self.lam, self.sigma_mid))

    def choose(self, growth: Growth) -> Choose:
        def choose(level: Level) -> np.ndarray:
            gain = purities(level, growth.criterion)
            after, now = entropies(level)
            score = np.where(gain > 1e-12, gain - self.lam * after, -np.inf)
            nothing = -self.lam * now if self.stop else -np.inf
            worth = (score.max(1) > nothing) & (level.people >= growth.leaf)
            return np.where(worth, score.argmax(1), -1)

        return choose


def entropies(level: Level) -> tuple[np.ndarray, np.ndarray]:
    """H(Ŷ) of the whole tree if a node asks each feature, (m, F), and as it is now, (m,)."""
    classes = level.predicted.shape[1]
    now = level.predicted[level.split]  # (m, K)
    own = level.tables[0].sum(1)  # (m, K)
    rest = now - np.eye(classes)[own.argmax(1)] * own.sum(1, keepdims=True)
    after = []
    for table in level.tables:  # (m, width, K)
        said = (np.eye(classes)[table.argmax(2)] * table.sum(2, keepdims=True)).sum(1)
        after.append(entropy(rest + said))
    return np.stack(after, 1), entropy(now)

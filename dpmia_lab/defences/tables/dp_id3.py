"""DP-ID3: a differentially private decision tree (Friedman & Schuster 2010).

Each level spends two shares of ε: a noisy count decides whether a node is divided, and the exponential mechanism draws
which feature it asks. The leaves' outcomes are told as noisy counts. Nodes of one level hold different people, so a
person pays once a level; with d levels and the leaves, ε is divided by 2(d + 1). δ = 0.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from dpmia_lab.checks import one_of, positive, whole
from dpmia_lab.defences.tables.base import ComposedGuarantee, Growth, TableDefence
from dpmia_lab.options import number_text
from dpmia_lab.stages import Stage
from dpmia_lab.training import id3
from dpmia_lab.training.id3 import Categories, Choose, Level, Trees, purities

SCORES = ("max", "gain")


@dataclass(frozen=True)
class DpId3(TableDefence):
    title: ClassVar[str] = "DP-ID3: noisy counts and drawn questions"
    models: ClassVar[tuple[str, ...]] = ("tree",)

    epsilon: float = 1.0
    dp_depth: int = 3
    dp_score: str = "max"

    def __post_init__(self) -> None:
        positive(epsilon=self.epsilon)
        whole(1, 10, dp_depth=self.dp_depth)
        one_of(SCORES, dp_score=self.dp_score)

    def words(self) -> str:
        return f"DP-ID3, ε = {number_text(self.epsilon)} for a record"

    def promise(self, people: int) -> ComposedGuarantee:
        how = f"sum over {self.dp_depth} levels and the leaves"
        return ComposedGuarantee(self.epsilon, "record", "add-remove", 0.0, how)

    @property
    def share(self) -> float:
        """ε of one action."""
        return self.epsilon / (2 * (self.dp_depth + 1))

    def trees(self, data: Categories, growth: Growth, rng: np.random.Generator) -> Stage[Trees]:
        choose = self.drawn(data.y.shape[1], rng)
        trees = yield from id3.grown(data, choose, min(self.dp_depth, growth.depth), private=True)
        return replace(trees, counts=self.leaf_counts(trees, rng))

    def leaf_counts(self, trees: Trees, rng: np.random.Generator) -> np.ndarray:
        """(M, K): the leaves' counts with the noise of the two shares left; other nodes have the sum of their leaves.

        What a node above a leaf counted is never told: a person would pay for it once more.
        """
        noise = rng.laplace(0, 1 / (2 * self.share), trees.counts.shape)
        counts = np.where(trees.feature[:, None] < 0, trees.counts + noise, 0.0)
        for depth in range(trees.depth.max() - 1, -1, -1):
            for node in np.flatnonzero((trees.depth == depth) & (trees.feature >= 0)):
                counts[node] = counts[trees.children[node][trees.children[node] >= 0]].sum(0)
        return counts

    def drawn(self, people: int, rng: np.random.Generator) -> Choose:
        def choose(level: Level) -> np.ndarray:
            noisy = level.people + rng.laplace(0, 1 / self.share, len(level.people))
            widest, classes = max(table.shape[1] for table in level.tables), level.predicted.shape[1]
            drowned = noisy / (widest * classes) < np.sqrt(2) / self.share  # counts below would be mostly noise
            score, sensitivity = self.scores(level, people)
            return np.where(drowned, -1, exponential_draws(score, self.share, sensitivity, rng))

        return choose

    def scores(self, level: Level, people: int) -> tuple[np.ndarray, float]:
        """(m, F) and how much one person can change them: right guesses, or people × information gain in bits."""
        if self.dp_score == "max":
            right = np.stack([table.max(2).sum(1) for table in level.tables], 1)
            return np.where(level.free, right, -np.inf), 1.0
        gain = purities(level, "gain") * np.maximum(level.people, 0)[:, None]
        return np.where(level.free, gain, -np.inf), float(np.log2(people + 1) + 1 / np.log(2))


def exponential_draws(scores: np.ndarray, epsilon: float, sensitivity: float, rng: np.random.Generator) -> np.ndarray:
    """(m,): of each row of scores (m, F) one place, with chances ∝ exp(ε·score / 2Δ); −∞ is never drawn.

    The highest score after adding Gumbel noise has just these chances.
    """
    return (epsilon * scores / (2 * sensitivity) + rng.gumbel(size=scores.shape)).argmax(1)

"""ID3 on categories, all splits' trees at once: level by level, every node of every tree counted in one go.

Each feature is asked at most once on a path. A node's people are counted by feature value and outcome with one
``bincount`` a feature; from those counts comes every score. Trees of S splits lie in one flat table of nodes; the first
S nodes are the roots.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpmia_lab.stages import Progress, Stage

CRITERIA = ("gain", "gini")


@dataclass(frozen=True, eq=False)
class Categories:
    """What S trees are grown from."""

    x: np.ndarray  # (S, n, F) codes
    y: np.ndarray  # (S, n) codes
    widths: tuple[int, ...]  # different values of each feature
    classes: int
    secret: int = -1  # which feature is sensitive; −1 where it is not among them


@dataclass(frozen=True, eq=False)
class Trees:
    """M nodes, those of split s reached from root s."""

    feature: np.ndarray  # (M,): asked at this node; −1 at a leaf
    children: np.ndarray  # (M, widest): the node for each value; −1 where nobody had it
    counts: np.ndarray  # (M, K): training people of each outcome here (as released: noisy under DP)
    depth: np.ndarray  # (M,)

    @property
    def shares(self) -> np.ndarray:
        """(M, K): of each outcome at each node; equal where nobody is."""
        people = np.maximum(self.counts, 0) + 1e-9
        return people / people.sum(1, keepdims=True)

    def reached(self, x: np.ndarray) -> np.ndarray:
        """(S, n): the node at which each row of x (S, n, F) stops."""
        node = np.broadcast_to(np.arange(len(x))[:, None], x.shape[:2]).copy()
        for _ in range(x.shape[2]):
            feature = self.feature[node]
            value = np.take_along_axis(x, np.maximum(feature, 0)[..., None], 2)[..., 0]
            child = np.where(feature >= 0, self.children[node, value], -1)
            if (child < 0).all():
                break
            node = np.where(child >= 0, child, node)
        return node


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes that may be divided now, m of them, and all that is known of them."""

    depth: int
    split: np.ndarray  # (m,) whose tree each is in
    people: np.ndarray  # (m,)
    tables: list[np.ndarray]  # of each feature, (m, width, K): people by value and outcome
    free: np.ndarray  # (m, F): not asked before on the path
    predicted: np.ndarray  # (S, K): training people by what each tree says of them now
    secret: int


# Which feature each node asks, (m,), −1 for none: how a defence steps in.
Choose = Callable[[Level], np.ndarray]


def entropy(counts: np.ndarray) -> np.ndarray:
    """In bits, of counts (…, K)."""
    total = np.maximum(counts.sum(-1, keepdims=True), 1e-300)
    share = counts / total
    return -(share * np.log2(np.where(share > 0, share, 1))).sum(-1)


def impurity(counts: np.ndarray, criterion: str) -> np.ndarray:
    if criterion == "gain":
        return entropy(counts)
    share = counts / np.maximum(counts.sum(-1, keepdims=True), 1e-300)
    return np.where(counts.sum(-1) > 0, 1 - (share**2).sum(-1), 0.0)


def purities(level: Level, criterion: str) -> np.ndarray:
    """(m, F): how much purer asking each feature makes a node, C(A); −∞ for those asked before on the path."""
    before = impurity(level.tables[0].sum(1), criterion)
    gains = []
    for table in level.tables:
        sizes = table.sum(2)  # (m, width)
        after = (sizes * impurity(table, criterion)).sum(1) / np.maximum(sizes.sum(1), 1e-300)
        gains.append(before - after)
    return np.where(level.free, np.stack(gains, 1), -np.inf)


def purest(criterion: str, leaf: int = 1) -> Choose:
    """Plain ID3: the feature that makes purest, where any makes purer and at least ``leaf`` people are asked."""

    def choose(level: Level) -> np.ndarray:
        score = purities(level, criterion)
        best = score.argmax(1)
        worth = (score.max(1) > 1e-12) & (level.people >= leaf)
        return np.where(worth, best, -1)

    return choose


def grown(data: Categories, choose: Choose, depth: int, private: bool = False) -> Stage[Trees]:
    """Trees of at most ``depth`` questions a path; one event a level.

    ``private``: a divided node has a child for every value there is, and what is pure is not known to be; else the
    shape of a tree would tell of single people.
    """
    growing, deepest = Growing(data, private), min(depth, data.x.shape[2])
    for level in range(deepest):
        yield Progress(level, deepest, "growing trees")
        if not len(growing.open) or not growing.divide(choose(growing.level(level)), level):
            break
    yield Progress(1, 1, "growing trees")
    return growing.trees()


def joint(one: np.ndarray, other: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """(rows, columns): how often each pair of codes comes."""
    flat = np.bincount(one.ravel() * columns + other.ravel(), minlength=rows * columns)
    return flat.reshape(rows, columns).astype(float)


class Growing:
    """Trees as they are now: M nodes, and at which of them everybody is."""

    def __init__(self, data: Categories, private: bool) -> None:
        splits, n, features = data.x.shape
        self.data, self.private = data, private
        self.widths = np.array(data.widths)
        self.node = np.tile(np.arange(splits)[:, None], (1, n))  # (S, n)
        self.counts = joint(self.node, data.y, splits, data.classes)  # (M, K)
        self.owner = self.open = np.arange(splits)  # (M,) whose tree a node is in; those that may be divided
        self.feature, self.depth = np.full(splits, -1), np.zeros(splits, dtype=int)
        self.children = np.full((splits, max(data.widths)), -1)
        self.free = np.ones((splits, features), dtype=bool)  # (M, F)

    def trees(self) -> Trees:
        return Trees(self.feature, self.children, self.counts, self.depth)

    def level(self, depth: int) -> Level:
        """Count everybody who is at an open node, once for each feature."""
        place = np.full(len(self.owner), -1)
        place[self.open] = np.arange(len(self.open))
        at = place[self.node]
        inside = at >= 0
        at, y, m, k = at[inside], self.data.y[inside], len(self.open), self.data.classes
        tables = [
            joint(at * width + self.data.x[..., feature][inside], y, m * width, k).reshape(m, width, k)
            for feature, width in enumerate(self.data.widths)
        ]
        stopped = np.bincount(self.node.ravel(), minlength=len(self.owner))  # people at each node now
        predicted = np.zeros((len(self.data.y), k))
        np.add.at(predicted, (self.owner, self.counts.argmax(1)), stopped)
        people = self.counts[self.open].sum(1)
        return Level(depth, self.owner[self.open], people, tables, self.free[self.open], predicted, self.data.secret)

    def divide(self, chosen: np.ndarray, depth: int) -> bool:
        """Move everybody at a node that asks to a new node for their answer; whether any node asks."""
        asking = self.open[chosen >= 0]
        self.feature[asking] = chosen[chosen >= 0]
        wide = self.children.shape[1]
        moving = np.isin(self.node, asking)
        value = np.take_along_axis(self.data.x, self.feature[self.node][..., None], 2)[..., 0][moving]
        code = self.node[moving] * wide + value
        if self.private:
            every = asking[:, None] * wide + np.arange(wide)
            kinds = np.sort(every[np.arange(wide) < self.widths[self.feature[asking]][:, None]])
        else:
            kinds = np.unique(code)
        place, fresh = np.searchsorted(kinds, code), len(self.owner) + np.arange(len(kinds))
        self.children[kinds // wide, kinds % wide] = fresh
        self.node[moving] = fresh[place]
        self.add(kinds // wide, joint(place, self.data.y[moving], len(kinds), self.data.classes), depth + 1)
        return len(asking) > 0

    def add(self, parents: np.ndarray, counts: np.ndarray, depth: int) -> None:
        """New nodes; those that still mix outcomes are open."""
        free = self.free[parents]
        free[np.arange(len(parents)), self.feature[parents]] = False
        fresh = len(self.owner) + np.arange(len(parents))
        self.open = fresh if self.private else fresh[(counts > 0).sum(1) > 1]
        self.feature = np.concatenate([self.feature, np.full(len(parents), -1)])
        self.children = np.concatenate([self.children, np.full((len(parents), self.children.shape[1]), -1)])
        self.depth = np.concatenate([self.depth, np.full(len(parents), depth)])
        self.free = np.concatenate([self.free, free])
        self.owner = np.concatenate([self.owner, self.owner[parents]])
        self.counts = np.concatenate([self.counts, counts])

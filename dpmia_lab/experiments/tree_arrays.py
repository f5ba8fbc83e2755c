"""A decision tree as arrays that a result can keep, and as nested nodes that a page can draw."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from dpmia_lab.game.table_models import DecisionTrees


@dataclass(frozen=True)
class Node:
    feature: str  # the question asked here; "" at a leaf
    sensitive: bool  # whether it is the sensitive one
    answer: str  # by which one comes here from above; "" at the root
    counts: tuple[float, ...]  # training people of each outcome (noisy under differential privacy)
    prediction: str
    depth: int
    children: tuple["Node", ...]

    def size(self) -> int:
        """Nodes in all."""
        return 1 + sum(child.size() for child in self.children)

    def asked_secret(self) -> float:
        """Share of the training people of whom the tree asks the sensitive question."""
        people = sum(self.counts)
        if self.sensitive or not people:
            return float(self.sensitive)
        return sum(child.asked_secret() * sum(child.counts) for child in self.children) / people


def tree_arrays(models: DecisionTrees) -> dict[str, np.ndarray]:
    """The first split's tree, its nodes numbered anew from the root, and the words that belong to it."""
    trees, people = models.trees, models.people
    kept = [0]
    for node in kept:  # grows while it is read: breadth first
        kept.extend(int(child) for child in trees.children[node] if child >= 0)
    number = {-1: -1} | {node: place for place, node in enumerate(kept)}
    children = np.vectorize(number.get, otypes=[np.int64])(trees.children[kept])
    widest = max(column.width for column in people.features)
    values = [[*column.labels, *[""] * (widest - column.width)] for column in people.features]
    return {
        "tree_feature": trees.feature[kept],
        "tree_children": children,
        "tree_counts": trees.counts[kept],
        "tree_depth": trees.depth[kept],
        "tree_names": np.array([column.name for column in people.features]),  # the sensitive one is the last
        "tree_values": np.array(values),
        "tree_outcomes": np.array(people.classes.labels),
    }


def tree_of(arrays: Mapping[str, np.ndarray]) -> Node:
    """The drawn tree, from a result's arrays."""

    def node(place: int, answer: str) -> Node:
        feature, counts = int(arrays["tree_feature"][place]), arrays["tree_counts"][place]
        words, below = arrays["tree_values"][feature], enumerate(arrays["tree_children"][place])
        children = [node(int(child), str(words[value])) for value, child in below if child >= 0]
        return Node(
            feature=str(arrays["tree_names"][feature]) if feature >= 0 else "",
            sensitive=feature == len(arrays["tree_names"]) - 1,
            answer=answer,
            counts=tuple(map(float, counts)),
            prediction=str(arrays["tree_outcomes"][int(counts.argmax())]),
            depth=int(arrays["tree_depth"][place]),
            children=tuple(children),
        )

    return node(0, "")

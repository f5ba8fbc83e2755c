"""Units: what differential privacy hides. A record, a subclass (a cluster within a class), or a class (paper A, IV).

Units are numbered by their first record, so that one subclass a class gives the very units of class-level
privacy, and as many subclasses as records those of record-level privacy.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from dpmia_lab.checks import one_of, whole
from dpmia_lab.stages import Progress, Stage

UNITS = {"record": "a record", "subclass": "a subclass", "class": "a class"}


@dataclass(frozen=True)
class Units:
    """A partition of n records into K units.

    members: (n,) record numbers, unit after unit;  starts: (K + 1,) where each unit begins in ``members``.
    """

    members: np.ndarray
    starts: np.ndarray

    @property
    def count(self) -> int:
        """K."""
        return len(self.starts) - 1

    @property
    def sizes(self) -> np.ndarray:
        """(K,): records in each unit."""
        return np.diff(self.starts)

    def of_records(self) -> np.ndarray:
        """(n,): the unit of each record."""
        of = np.empty(len(self.members), dtype=np.int64)
        of[self.members] = np.repeat(np.arange(self.count), self.sizes)
        return of


def units_from(labels: np.ndarray) -> Units:
    """Records with the same label (any whole numbers) form a unit; units in the order of their first records."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    of = place[inverse]
    return Units(np.argsort(of, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(of))]))


def divided(unit: str, x: np.ndarray, y: np.ndarray, subclasses: int, seed: int) -> Stage[Units]:
    """The units of a training set x (n, …), y (n,); ``subclasses`` (k_sub) matters to subclasses only."""
    one_of(UNITS, unit=unit)
    if unit == "record":
        return units_from(np.arange(len(y)))
    if unit == "class":
        return units_from(y)
    return units_from((yield from subclass_labels(x, y, subclasses, seed)))


def subclass_labels(x: np.ndarray, y: np.ndarray, subclasses: int, seed: int) -> Stage[np.ndarray]:
    """(n,): the subclass of each record, by k-means within each class (A, IV-C).

    A class of fewer records than ``subclasses`` becomes single records. The clustering looks at the private
    data, and no ε accounts for that.
    """
    whole(1, len(y), k_sub=subclasses)
    labels, classes = np.empty(len(y), dtype=np.int64), np.unique(y)
    for done, label in enumerate(classes):
        yield Progress(done, len(classes), "clustering")
        own = np.flatnonzero(y == label)
        clusters = clusters_of(x[own].reshape(len(own), -1), subclasses, seed)
        labels[own] = done * len(y) + clusters
    return labels


def clusters_of(x: np.ndarray, count: int, seed: int) -> np.ndarray:
    """(n,): k-means clusters of the rows of x; equal rows share one even where that leaves fewer than ``count``."""
    if count == 1 or count >= len(x):
        return np.zeros(len(x), dtype=np.int64) if count == 1 else np.arange(len(x))
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    # One thread: sums are then taken in one order, and the same seed gives the same clusters everywhere.
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore", ConvergenceWarning)
        return KMeans(count, n_init=1, max_iter=50, random_state=seed % 2**32).fit(x).labels_

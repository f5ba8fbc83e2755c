"""Records at risk: in how many of the models that were trained on a record an attacker was sure of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

FALSE_ALARMS = 0.01  # of a model's own outsiders


@dataclass
class Counted:
    """Of one record, column by column: models in which it was caught, and models trained on it; and likewise false
    alarms among models that were not."""

    label: int
    caught: dict[str, tuple[int, ...]] = field(default_factory=dict)

    def add(self, column: str, *counts: int) -> None:
        before = self.caught.get(column, (0, 0, 0, 0))
        self.caught[column] = tuple(a + b for a, b in zip(before, counts, strict=True))


def caught(scores: np.ndarray, inside: np.ndarray, ordinary: np.ndarray) -> np.ndarray:
    """(M, k) bool: scores (M, k) above what but ``FALSE_ALARMS`` of the model's ordinary outsiders have."""
    outside = np.where(inside | ~ordinary, np.nan, scores)
    return scores > np.nanquantile(outside, 1 - FALSE_ALARMS, axis=1, keepdims=True, method="higher")


def counted(
    cells: Iterable[tuple[str, Mapping[str, np.ndarray], list[tuple[int, ...]]]],
) -> dict[tuple[int, ...], Counted]:
    """By rows of the file. A cell: its column, its arrays, and the rows of its candidates; canaries are left out."""
    found: dict[tuple[int, ...], Counted] = {}
    for column, arrays, rows in cells:
        ordinary, inside = arrays["kind"] == 0, arrays["inside"].astype(bool)
        called = caught(arrays["scores"], inside, ordinary)
        counts = [both.sum(0) for both in (called & inside, inside, called & ~inside, ~inside)]
        for place in np.flatnonzero(ordinary):
            if rows[place]:
                one = found.setdefault(rows[place], Counted(int(arrays["y"][place])))
                one.add(column, *(int(own[place]) for own in counts))
    return found


def most_at_risk(
    found: Mapping[tuple[int, ...], Counted], column: str, most: int
) -> list[tuple[tuple[int, ...], Counted]]:
    """Those that are caught in the largest share of models of this column, the most certain first; few
    false alarms first of equals."""
    asked = [(rows, one) for rows, one in found.items() if one.caught.get(column, (0, 0))[0] > 0]
    asked.sort(key=lambda one: (-share(one[1], column), one[1].caught[column][2], -one[1].caught[column][1], one[0]))
    return asked[:most]


def share(one: Counted, column: str) -> float:
    return one.caught[column][0] / one.caught[column][1]


def by_chance(found: Mapping[tuple[int, ...], Counted], column: str, least: float) -> float:
    """How many records would be caught in at least that share of models if every attack were a guess."""
    from scipy.special import bdtrc

    asked = [one.caught[column][1] for one in found.values() if one.caught.get(column, (0, 0))[1] > 0]
    return float(sum(bdtrc(np.ceil(least * models - 1e-9) - 1, models, FALSE_ALARMS) for models in asked))

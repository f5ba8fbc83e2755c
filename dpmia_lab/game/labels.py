"""All that a label-only attacker gets (Choquette-Choo et al. 2021): is the label right, also of varied copies?

A record that was trained on stays right under more noise. No confidence is asked for, so masking none hides nothing.
"""

from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.game.records import Records
from dpmia_lab.game.trainer import Trainer
from dpmia_lab.stages import Progress, Stage

if TYPE_CHECKING:
    from torch import nn

QUERIES, LEVELS = 24, (0.01, 0.03, 0.1)  # copies of a record, and how far they are varied


def right_shares(
    trainer: Trainer, model: "nn.Module", people: Records, rng: np.random.Generator, queries: int = QUERIES
) -> Stage[np.ndarray]:
    """(k,): of a record and its varied copies, the share that is given the record's label."""

    def right(records: Records) -> np.ndarray:
        return trainer.outputs(model, records).confidences.argmax(1) == records.y

    found = right(people).astype(np.float64)
    for query in range(queries):
        level = LEVELS[query % len(LEVELS)]
        found += right(Records(varied(people.x, trainer.task.kind, level, rng), people.y))
        yield Progress(query + 1, queries, "asking for labels")
    return found / (queries + 1)


def varied(x: np.ndarray, kind: str, share: float, rng: np.random.Generator) -> np.ndarray:
    """Copies (n, …): bits and edges flipped with that chance, pixels moved by as much noise."""
    if kind == "pictures":
        return np.clip(x + share * rng.standard_normal(x.shape, dtype=np.float32), 0, 1)
    flips = rng.random(x.shape, dtype=np.float32) < share
    if kind == "graphs":  # between nodes that exist, both ways
        there = np.einsum("nii->ni", x) > 0
        flips = np.triu(flips, 1) & there[:, :, None] & there[:, None, :]
        flips = flips | flips.transpose(0, 2, 1)
    return np.where(flips, 1 - x, x).astype(x.dtype)

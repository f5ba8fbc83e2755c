"""Black box membership inference with shadow models (Shokri et al. 2017; paper C, section 3.1).

The attacker trains models of the target's kind on data whose membership is known, and on *their* softmax vectors one
small classifier a class: in or out? The classifiers are then shown the target's vectors. Only outputs come here.
The vectors are read as log-odds, standardised over the known ones: the same information, on a scale that a network
sees (``signals.log_odds`` says what that is worth).
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional as F

from dpmia_lab.attacks.membership.signals import log_odds
from dpmia_lab.checks import Mistake
from dpmia_lab.stages import Progress, Stage
from dpmia_lab.training.optimizers import Adam

HIDDEN, BATCH, STEPS, RATE, DECAY = 64, 64, 200, 0.003, 3e-3


@dataclass(frozen=True)
class Known:
    """What the shadow models answered, all of them pooled."""

    confidences: np.ndarray  # (k, C)
    y: np.ndarray  # (k,)
    inside: np.ndarray  # (k,) bool: was that model trained on that record?


def shadow_scores(
    known: Known, confidences: np.ndarray, y: np.ndarray, generator: torch.Generator
) -> Stage[np.ndarray]:
    """(n,): P(in) for the target's softmax vectors (n, C) with labels y (n,).

    One more classifier sees all classes; it answers for a class whose known records are not of both kinds.
    """
    if not 0 < known.inside.sum() < len(known.inside):
        raise Mistake("known must hold records inside and outside of the shadow models; one kind is missing.")
    labels = [label for label in np.unique(known.y) if len(np.unique(known.inside[known.y == label])) == 2]
    pools = [np.flatnonzero(known.y == label) for label in labels] + [np.arange(len(known.y))]
    networks = Networks(len(pools), known.confidences.shape[1], generator)
    known_x, x = standardised(known.confidences, confidences)
    yield from trained(networks, known_x, known.inside, pools, generator)
    which = {label: place for place, label in enumerate(labels)}
    owner = np.array([which.get(label, len(labels)) for label in y], dtype=np.int64)
    return probabilities(networks, x, owner)


def standardised(known: np.ndarray, confidences: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Both as log-odds, class by class less the known ones' mean and over their deviation."""
    own, others = log_odds(known), log_odds(confidences)
    mean, spread = own.mean(0), own.std(0) + 1e-6
    return tuple(torch.from_numpy(((part - mean) / spread).astype(np.float32)) for part in (own, others))


class Networks:
    """Many networks of one hidden ReLU layer and one output, side by side: one batched product moves all."""

    def __init__(self, count: int, inputs: int, generator: torch.Generator) -> None:
        def uniform(*shape: int, fan_in: int) -> torch.Tensor:
            drawn = torch.rand(shape, generator=generator) * 2 - 1
            return drawn.div_(math.sqrt(fan_in)).requires_grad_()

        self.parameters = [
            uniform(count, inputs, HIDDEN, fan_in=inputs),
            uniform(count, 1, HIDDEN, fan_in=inputs),
            uniform(count, HIDDEN, 1, fan_in=HIDDEN),
            uniform(count, 1, 1, fan_in=HIDDEN),
        ]

    def logits(self, x: torch.Tensor, which: slice = slice(None)) -> torch.Tensor:
        """(networks, batch) from (networks, batch, inputs); of the chosen networks only."""
        w1, b1, w2, b2 = (p[which] for p in self.parameters)
        hidden = torch.baddbmm(b1, x, w1).relu()
        return torch.baddbmm(b2, hidden, w2).squeeze(2)


def trained(
    networks: Networks, x: torch.Tensor, inside: np.ndarray, pools: list[np.ndarray], generator: torch.Generator
) -> Stage[None]:
    """Adam on cross-entropy; each step draws a batch of every network's own pool, so that pools may differ in size."""
    truth = torch.from_numpy(np.asarray(inside, dtype=np.float32))
    sizes = torch.tensor([len(pool) for pool in pools])[:, None]
    starts, records = sizes.cumsum(0) - sizes, torch.from_numpy(np.concatenate(pools))
    optimizer = Adam(networks.parameters, RATE, DECAY)
    for step in range(1, STEPS + 1):
        drawn = torch.rand(len(pools), BATCH, generator=generator, dtype=torch.float64)
        batch = records[starts + (drawn * sizes).long()]  # (networks, BATCH)
        with torch.enable_grad():
            loss = F.binary_cross_entropy_with_logits(networks.logits(x[batch]), truth[batch])
            gradients = torch.autograd.grad(loss * len(pools), networks.parameters)
        optimizer.step(gradients)
        yield Progress(step, STEPS, "attack classifiers", {"loss": float(loss.detach())})


@torch.no_grad()
def probabilities(networks: Networks, x: torch.Tensor, owner: np.ndarray) -> np.ndarray:
    """(n,): each record's P(in) from the network that answers for it."""
    scores = np.empty(len(owner))
    for network in np.unique(owner):
        rows = np.flatnonzero(owner == network)
        logits = networks.logits(x[rows][None], slice(network, network + 1))[0]
        scores[rows] = torch.sigmoid(logits.double()).numpy()
    return scores

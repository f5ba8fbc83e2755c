"""Losses that are meant to leave less of a record in a model than cross-entropy does; all promise nothing.

Each takes logits (M, batch, C), labels (M, batch) and the epoch (from 1), and gives each model's mean loss (M,).
"""

import math

import torch
from torch.nn import functional as F


def cross_entropies(logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """(…): −log p_y."""
    return -F.log_softmax(logits, -1).gather(-1, y[..., None]).squeeze(-1)


# ---- RelaxLoss (Chen, Yu & Fritz 2022)
def relaxed_loss(logits: torch.Tensor, y: torch.Tensor, epoch: int, alpha: float) -> torch.Tensor:
    """Training is not to push the loss below α (their Algorithm 1, for every batch by itself).

    Epochs take turns. In one kind a batch whose mean loss L is below α is un-learnt: the step follows |L − α|. In the
    other its posteriors are flattened: p_y is kept, what is left is shared evenly among the other classes, and these
    become the (constant) labels. A batch above α is learnt as ever.
    """
    mean = cross_entropies(logits, y).mean(-1)  # L, (M,)
    if epoch % 2 == 1:
        return (mean - alpha).abs()
    flat = soft_cross_entropies(logits, flattened(logits, y)).mean(-1)
    return torch.where(mean > alpha, mean, flat)


def flattened(logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """(…, C): p_y at y, (1 − p_y)/(C − 1) elsewhere; no gradient goes through it."""
    own = F.softmax(logits, -1).gather(-1, y[..., None]).detach()
    return with_own(own, y, logits.shape[-1])


def with_own(own: torch.Tensor, y: torch.Tensor, classes: int) -> torch.Tensor:
    """Labels (…, C) that give the true class ``own`` (…, 1) and each other an equal share of the rest."""
    others = ((1 - own) / (classes - 1)).expand(*y.shape, classes)
    return others.scatter(-1, y[..., None], own.expand(*y.shape, 1))


def soft_cross_entropies(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """(…): −Σ_c t_c log p_c."""
    return -(labels * F.log_softmax(logits, -1)).sum(-1)


# ---- HAMP (Chen & Pattabiraman 2024)
def high_entropy_loss(
    logits: torch.Tensor, y: torch.Tensor, epoch: int, own: float, weight: float
) -> torch.Tensor:
    """KL(t ‖ p) − α·H(p): labels t of high entropy (``own`` to the true class), and a reward for unsure answers."""
    log_p = F.log_softmax(logits, -1)
    t = with_own(torch.tensor(own, dtype=logits.dtype, device=logits.device).view(1, 1, 1), y, logits.shape[-1])
    divergence = (t * (t.clamp(min=1e-30).log() - log_p)).sum(-1)
    entropy = -(log_p.exp() * log_p).sum(-1)
    return (divergence - weight * entropy).mean(-1)


def own_share(entropy: float, classes: int) -> float:
    """The largest share of the true class at which labels still have ``entropy`` (of 1) times log C, by halving."""
    low, high = 1 / classes, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if label_entropy(middle, classes) >= entropy * math.log(classes) else (low, middle)
    return low


def label_entropy(own: float, classes: int) -> float:
    rest = (1 - own) / (classes - 1)
    return -own * math.log(own) - ((1 - own) * math.log(rest) if rest > 0 else 0.0)


# ---- label smoothing
MOST_SURPRISE = 10.0  # −log p of a class beyond which a negative label no longer rewards


def smoothed_loss(logits: torch.Tensor, y: torch.Tensor, epoch: int, share: float) -> torch.Tensor:
    """(1 − s)·CE + s·mean over classes of −log p_c, of labels (1 − s)·1_y + s/C; s < 0 makes them more than sure.

    With s < 0 the second part would fall for ever; it ends where a class has lost e^−10.
    """
    surprise = -F.log_softmax(logits, -1)
    spread = surprise if share >= 0 else surprise.clamp(max=MOST_SURPRISE)
    return ((1 - share) * cross_entropies(logits, y) + share * spread.mean(-1)).mean(-1)

"""Paper D's membership discriminator D: from what a model says about a record to whether it was trained on it.

Shadow models on records held aside teach it. It sees the softmax vector, three losses and the label, through one
function, ``inputs``, wherever it is used: when it learns, when a classifier learns to fool it, when it attacks.
(The published code teaches it on losses of a softmax taken twice, and uses it on those of one.)
"""

import math
from collections.abc import Sequence

import torch
from torch.nn import functional as F

from dpmia_lab.stages import Progress, Stage
from dpmia_lab.training.losses import cross_entropies
from dpmia_lab.training.optimizers import Adam

WIDTH, BLOCKS = 64, 2
BATCH, STEPS, RATE, DECAY = 128, 400, 0.003, 1e-2
FOCUS = 2.0  # γ of the focal loss


def inputs(logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """(…, 2C + 3) from (…, C) and (…): softmax vector; cross-entropy, focal and hinge loss; one-hot label.

    Focal loss (1 − p_y)^γ·CE (Lin et al. 2017); hinge loss max(0, 1 + max_{c≠y} p_c − p_y).
    """
    p, own = F.softmax(logits, -1), F.one_hot(y, logits.shape[-1]).to(logits.dtype)
    p_y = (p * own).sum(-1)
    loss = cross_entropies(logits, y)
    focal = (1 - p_y).clamp(min=0) ** FOCUS * loss
    hinge = (1 + (p - 2 * own).amax(-1) - p_y).clamp(min=0)
    return torch.cat([p, torch.stack([loss, focal, hinge], -1), own], -1)


def inputs_count(classes: int) -> int:
    return 2 * classes + 3


class Discriminator:
    """K networks side by side, each of residual blocks that end in one log-odds of "member"."""

    def __init__(self, count: int, classes: int, generator: torch.Generator) -> None:
        def uniform(*shape: int, fan_in: int) -> torch.Tensor:
            return (torch.rand(count, *shape, generator=generator) * 2 - 1).div_(math.sqrt(fan_in))

        def layer(d: int, p: int) -> list[torch.Tensor]:
            return [uniform(d, p, fan_in=d), uniform(1, p, fan_in=d)]

        d = inputs_count(classes)
        layers = [layer(d, WIDTH), *(layer(WIDTH, WIDTH) for _ in range(BLOCKS)), layer(WIDTH, 1)]
        self.parameters = [p for both in layers for p in both]
        self.mean, self.spread = torch.zeros(count, 1, d), torch.ones(count, 1, d)

    def standardised_by(self, x: torch.Tensor) -> None:
        """x: (K, n, inputs), whose means and deviations all later inputs are taken by."""
        self.mean, self.spread = x.mean(1, keepdim=True), x.std(1, keepdim=True) + 1e-3

    def log_odds(self, x: torch.Tensor) -> torch.Tensor:
        """(K, n) from inputs (K, n, …)."""
        w, b, *others = self.parameters
        h = torch.baddbmm(b, (x - self.mean) / self.spread, w).relu()
        *blocks, w, b = others
        for weight, bias in zip(blocks[::2], blocks[1::2], strict=True):
            h = h + torch.baddbmm(bias, h, weight).relu()
        return torch.baddbmm(b, h, w).squeeze(2)

    def judged(self, logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """(M, n): log-odds of "member" from M models' logits (M, n, C); a single network judges them all."""
        x = inputs(logits, y)
        if len(self.mean) == 1 and len(x) > 1:
            return self.log_odds(x.flatten(0, 1)[None]).view(x.shape[:2])
        return self.log_odds(x)

    def copies(self, count: int) -> "Discriminator":
        """One for each of so many models, all as this one is now."""
        other = object.__new__(Discriminator)
        other.parameters = [p.detach().expand(count, *p.shape[1:]).clone() for p in self.parameters]
        other.mean, other.spread = (s.expand(count, *s.shape[1:]) for s in (self.mean, self.spread))
        return other

    def to(self, device: torch.device) -> "Discriminator":
        self.parameters = [p.to(device) for p in self.parameters]
        self.mean, self.spread = self.mean.to(device), self.spread.to(device)
        return self


def gradients_of(discriminator: Discriminator, logits: torch.Tensor, y: torch.Tensor, inside: torch.Tensor):
    """Of cross-entropy with the truth, a tensor a parameter: how D learns.  inside: (M, n) of 0 and 1."""
    with torch.enable_grad():
        parameters = [p.detach().requires_grad_() for p in discriminator.parameters]
        discriminator.parameters, frozen = parameters, discriminator.parameters
        loss = F.binary_cross_entropy_with_logits(discriminator.judged(logits, y), inside, reduction="none").mean(1)
        found = torch.autograd.grad(loss.sum(), parameters)
    discriminator.parameters = frozen
    return list(found), loss.detach()


def taught(
    said: Sequence[tuple[torch.Tensor, torch.Tensor, torch.Tensor]],  # of a shadow model: logits, y, was it inside?
    generator: torch.Generator,
) -> Stage[Discriminator]:
    """One D, on what all shadow models say of their own records and of as many others."""
    logits, y, inside = (torch.cat(pieces) for pieces in zip(*said, strict=True))
    discriminator = Discriminator(1, logits.shape[1], generator).to(logits.device)
    discriminator.standardised_by(inputs(logits, y)[None])
    optimizer, truth = Adam(discriminator.parameters, RATE, DECAY), inside.to(logits.dtype)
    for step in range(1, STEPS + 1):
        chosen = torch.randint(len(y), (BATCH,), generator=generator).to(logits.device)
        found, loss = gradients_of(discriminator, logits[chosen][None], y[chosen][None], truth[chosen][None])
        optimizer.step(found)
        yield Progress(step, STEPS, "teaching the discriminator", {"loss": float(loss)})
    return discriminator

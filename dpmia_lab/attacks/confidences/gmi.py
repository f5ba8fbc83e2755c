"""Generative model inversion (GMI, Zhang et al. 2020; B8) with any prior of public pictures in the generator's place.

The latent z is chosen so that the model takes x(z) for the wanted label and the prior takes z for likely:

    identity(x(z), label)·λ  −  energy(z)

from several starts at once; of a label's pictures the one the model is surest of is kept. As published, identity is the
log-confidence, through whatever noise the model adds; the gradient of it dies where the model is sure. Adapted: the
margin of logits, which goes on rising, through the mean of a noisy code.
"""

from collections.abc import Callable
from typing import Protocol

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.attacks.inversion.costs import Reconstructions, snapshot_steps
from dpmia_lab.stages import Progress, Snapshot, Stage
from dpmia_lab.training.optimizers import Adam

Identity = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]  # logits (n, classes) and labels (n,) to (n,)


class Prior(Protocol):
    """What public pictures look like."""

    def starts(self, count: int, generator: torch.Generator) -> torch.Tensor:
        """(count, k): latents as likely as any."""

    def pictures(self, z: torch.Tensor) -> torch.Tensor:
        """z (n, k) → (n, channels, height, width)."""

    def energy(self, z: torch.Tensor) -> torch.Tensor:
        """(n,): low for likely pictures."""


def log_confidence(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return -F.cross_entropy(logits, labels, reduction="none")


def margin(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """How far the label's logit is above the next."""
    own = logits.gather(1, labels[:, None]).squeeze(1)
    return own - logits.scatter(1, labels[:, None], -torch.inf).amax(1)


@torch.no_grad()
def logit_scale(model: nn.Module, x: torch.Tensor) -> float:
    """How far the logits of one picture are apart, on average over pictures x: the unit of a margin."""
    return float(model(x).std(1).mean())


def gmi(
    model: nn.Module,
    labels: torch.Tensor,  # (labels,)
    prior: Prior,
    *,
    identity: Identity,
    weight: float,  # λ
    steps: int,
    rate: float,
    restarts: int,
    generator: torch.Generator,
) -> Stage[Reconstructions]:
    """Adam on the latents of all labels and restarts at once; one event a step."""
    tried = labels.repeat(restarts)
    z = prior.starts(len(tried), generator).to(labels.device)
    optimizer, shown = Adam([z], rate), snapshot_steps(steps)
    for step in range(1, steps + 1):
        gradient, sure = descent_and_confidence(model, z, tried, prior, identity, weight)
        optimizer.step([gradient])
        yield Progress(step, steps, "attacking", {"confidence": float(sure.mean())})
        if step in shown:
            yield Snapshot("reconstruction", step, prior.pictures(z[: len(labels)]).clamp(0, 1).cpu().numpy())
    return surest(model, prior.pictures(z).clamp(0, 1), tried, restarts, steps)


def descent_and_confidence(
    model: nn.Module, z: torch.Tensor, labels: torch.Tensor, prior: Prior, identity: Identity, weight: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """∇_z of energy − λ·identity, and the confidences in the labels."""
    with torch.enable_grad():
        z = z.detach().requires_grad_()
        logits = model(prior.pictures(z))
        (gradient,) = torch.autograd.grad((prior.energy(z) - weight * identity(logits, labels)).sum(), z)
    return gradient, log_confidence(logits.detach(), labels).exp()


@torch.no_grad()
def surest(model: nn.Module, x: torch.Tensor, labels: torch.Tensor, restarts: int, steps: int) -> Reconstructions:
    """Of each label's restarts the picture the model is surest of; labels come restart after restart."""
    sure = log_confidence(model(x), labels).exp().view(restarts, -1)  # (restarts, labels)
    best = sure.argmax(0)
    place = best * sure.shape[1] + torch.arange(sure.shape[1], device=x.device)
    return Reconstructions(x[place], 1 - sure.amax(0), labels[: sure.shape[1]] * 0 + steps)

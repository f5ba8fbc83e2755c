"""Model inversion by an attacker who knows what such pictures look like: a prior learned from public ones.

Pictures of the same kind that nobody was trained on are summed up by their mean and principal components, as a
Gaussian: x = mean + z·directions, z ~ N(0, I). The attack climbs from z = 0

    log odds of the label at x(z)  −  λ·½‖z‖²

the second term being λ times the log-density of z. It is the generative attack of paper B (B8, after Zhang et al.'s
GMI), with a Gaussian in the generator's place: noise in the weights is rough, and x(z) cannot be.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from dpmia_lab.attacks.inversion.costs import Reconstructions, final_costs, snapshot_steps
from dpmia_lab.stages import Progress, Snapshot, Stage
from dpmia_lab.training.optimizers import Adam


@dataclass(frozen=True)
class PictureGaussian:
    """mean (channels, height, width);  directions (k, pixels), each as long as pictures deviate along it."""

    mean: torch.Tensor
    directions: torch.Tensor

    def pictures(self, z: torch.Tensor) -> torch.Tensor:
        """z (n, k) → (n, channels, height, width)."""
        return self.mean + (z @ self.directions).view(len(z), *self.mean.shape)

    def starts(self, count: int, generator: torch.Generator) -> torch.Tensor:
        """(count, k): drawn from N(0, I)."""
        return torch.randn(count, len(self.directions), generator=generator)

    def energy(self, z: torch.Tensor) -> torch.Tensor:
        """(n,): ½‖z‖², minus the log-density but for a constant."""
        return 0.5 * z.square().sum(1)


def picture_gaussian(x: torch.Tensor, components: int) -> PictureGaussian:
    """The prior of public pictures x (n, …); of ``components`` no more than there are."""
    flat = x.flatten(1)
    mean = flat.mean(0)
    _, lengths, directions = torch.linalg.svd(flat - mean, full_matrices=False)
    kept = min(components, len(x) - 1, flat.shape[1])
    deviations = lengths[:kept] / (len(x) - 1) ** 0.5
    return PictureGaussian(mean.view(x.shape[1:]), deviations[:, None] * directions[:kept])


def log_odds(model: nn.Module, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """(n,): log f_ℓ/(1 − f_ℓ), which goes on rising where the confidence itself is flat."""
    return log_odds_of(model(x), labels)


def log_odds_of(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """logits (n, classes) → (n,)"""
    own = logits.gather(1, labels[:, None]).squeeze(1)
    others = logits.scatter(1, labels[:, None], -torch.inf)
    return own - others.logsumexp(1)


def with_public_prior(
    model: nn.Module,
    labels: torch.Tensor,  # (labels,)
    prior: PictureGaussian,
    *,
    steps: int,
    rate: float,
    weight: float,  # λ
) -> Stage[Reconstructions]:
    """Adam on every label's z at once; the pictures are cut to black and white at the end."""
    z, shown = torch.zeros(len(labels), len(prior.directions), device=labels.device), snapshot_steps(steps)
    climb = climbing(z, lambda z: log_odds(model, prior.pictures(z), labels), prior, steps, rate, weight)
    for progress in climb:
        yield progress
        if progress.done in shown:
            yield Snapshot("reconstruction", progress.done, prior.pictures(z).clamp(0, 1).cpu().numpy())
    x = prior.pictures(z).clamp(0, 1)
    return Reconstructions(x, final_costs(model, x, labels), labels * 0 + steps)


def many_with_public_prior(
    weights: torch.Tensor,  # (models, classes, pixels)
    bias: torch.Tensor,  # (models, classes)
    prior: PictureGaussian,
    *,
    steps: int,
    rate: float,
    weight: float,  # λ
) -> Stage[torch.Tensor]:
    """``with_public_prior`` of every label of many softmax regressions: pictures (models · classes, …).

    Logits are linear in x and so in z: V·z + c, with V = W·directionsᵀ and c = W·mean + bias. No picture is touched
    until x(z) is wanted.
    """
    models, classes = bias.shape
    in_code, at_mean = weights @ prior.directions.T, weights @ prior.mean.flatten() + bias
    labels = torch.arange(classes, device=bias.device).repeat(models)

    def odds(z: torch.Tensor) -> torch.Tensor:
        logits = torch.baddbmm(at_mean[:, None], z.view(models, classes, -1), in_code.mT)
        return log_odds_of(logits.flatten(0, 1), labels)

    z = torch.zeros(models * classes, len(prior.directions), device=bias.device)
    yield from climbing(z, odds, prior, steps, rate, weight)
    return prior.pictures(z).clamp(0, 1)


Odds = Callable[[torch.Tensor], torch.Tensor]  # z (n, k) → the log odds of each one's label (n,)


def climbing(
    z: torch.Tensor, odds: Odds, prior: PictureGaussian, steps: int, rate: float, weight: float
) -> Stage[None]:
    """Adam on log odds − λ·½‖z‖², in place."""
    optimizer = Adam([z], rate)
    for step in range(1, steps + 1):
        descent, reached = descent_and_odds(z, odds, prior, weight)
        optimizer.step([descent])
        yield Progress(step, steps, "attacking", {"confidence": float(reached.sigmoid().mean())})


def descent_and_odds(
    z: torch.Tensor, odds: Odds, prior: PictureGaussian, weight: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """∇_z of −log odds + λ·½‖z‖², and the log odds."""
    with torch.enable_grad():
        z = z.detach().requires_grad_()
        reached = odds(z)
        (gradient,) = torch.autograd.grad((weight * prior.energy(z) - reached).sum(), z)
    return gradient, reached.detach()

"""What both gradient attacks share: the cost of a picture, its gradient, and when to show one on the way.

All labels are attacked in one batch: their costs are summed, every step works pixel by
pixel, so each picture comes out as if it were attacked alone.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.attacks.inversion.priors import prior_gradients

SNAPSHOTS = 24  # pictures kept along the way, for the time-lapse


@dataclass(frozen=True)
class Reconstructions:
    """One picture a label.  x: (labels, channels, height, width);  cost: (labels,), 1 − confidence."""

    x: torch.Tensor
    cost: torch.Tensor
    steps: torch.Tensor  # (labels,): when each stopped


def costs(model: nn.Module, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """1 − f_label(x), one value a picture (A eq. 1, E Algorithm 2)."""
    confidence = F.softmax(model(x), dim=1)
    return 1 - confidence.gather(1, labels[:, None]).squeeze(1)


def snapshot_steps(steps: int) -> set[int]:
    """At which steps to show the pictures: dense at first, where they change most."""
    return {round(float(s)) for s in np.geomspace(1, steps, SNAPSHOTS)}


def boxed(w: torch.Tensor, box: bool) -> torch.Tensor:
    return 0.5 * (torch.tanh(w) + 1) if box else w


def objective_gradient(
    model: nn.Module, w: torch.Tensor, labels: torch.Tensor, prior: str, weight: float, box: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """∇_w of cost + λ·R, and the cost itself (eq. 4 and 6)."""
    with torch.enable_grad():
        x = boxed(w, box).detach().requires_grad_()
        cost = costs(model, x, labels)
        (gradient,) = torch.autograd.grad(cost.sum(), x)
    x, cost = x.detach(), cost.detach()
    if weight:
        gradient = gradient + weight * prior_gradients(prior, x)
    return (gradient * (2 * x * (1 - x)) if box else gradient), cost  # dx/dw = ½(1 − tanh² w) = 2x(1 − x)


def cost_gradient(model: nn.Module, x: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return objective_gradient(model, x, labels, "none", 0.0, box=False)


@torch.no_grad()
def final_costs(model: nn.Module, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return costs(model, x, labels)

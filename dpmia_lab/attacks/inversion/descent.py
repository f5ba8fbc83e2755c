"""Model inversion: from a classifier's weights and a label, a picture of what the label looks like.

White box. All labels are attacked in one batch: their costs are summed, every step works pixel by
pixel, so each picture comes out as if it were attacked alone.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.attacks.inversion.filters import processed
from dpmia_lab.attacks.inversion.priors import prior_values
from dpmia_lab.stages import Progress, Snapshot, Stage

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


def fredrikson(
    model: nn.Module,
    labels: torch.Tensor,  # (labels,)
    shape: tuple[int, int, int],
    *,
    steps: int,  # α
    rate: float,  # λ in the paper; here λ weighs priors
    patience: int = 100,  # β
    goal: float = 0.0,  # γ
    process: str = "none",
) -> Stage[Reconstructions]:
    """The original attack (E, Algorithm 2): X ← Process(X − rate·∇cost(X)) from X = 0.

    A label stops after ``steps``, when its cost is no better than all of its last ``patience`` costs,
    or when it reaches ``goal``; its picture of *least* cost is returned (the paper prints arg max).
    """
    x = torch.zeros(len(labels), *shape, device=labels.device)
    best_x, best_cost, stopped_at = x.clone(), x.new_full((len(labels),), torch.inf), labels * 0
    recent = x.new_full((patience, len(labels)), torch.inf)  # the last β costs, a ring
    active = torch.ones_like(labels, dtype=torch.bool)
    shown = snapshot_steps(steps)
    gradient, recent[0] = cost_gradient(model, x, labels)
    for step in range(1, steps + 1):
        x = torch.where(active[:, None, None, None], processed(x - rate * gradient, process), x)
        gradient, cost = cost_gradient(model, x, labels)
        better = active & (cost < best_cost)
        best_x = torch.where(better[:, None, None, None], x, best_x)
        best_cost = torch.where(better, cost, best_cost)
        stopped_at = torch.where(active, step, stopped_at)
        active = active & (cost < recent.max(0).values) & (cost > goal)
        recent[step % patience] = cost
        finished = not bool(active.any())
        yield Progress(steps if finished else step, steps, "attacking", {"confidence": float(1 - best_cost.mean())})
        if step in shown or finished:
            yield Snapshot("reconstruction", step, best_x.cpu().numpy())
        if finished:
            break
    return Reconstructions(best_x, best_cost, stopped_at)


def enhanced(
    model: nn.Module,
    labels: torch.Tensor,
    shape: tuple[int, int, int],
    *,
    steps: int,  # T
    rate: float,  # η
    prior: str,
    weight: float,  # λ
    box: bool,
) -> Stage[Reconstructions]:
    """Paper A, Algorithm 1: Adam on c(x) = 1 − f_label(x) + λ·R(x), from w = 0.

    With the box, x = ½(tanh w + 1) stays within [0, 1] and starts mid-grey; without it x = w.
    As published, Adam has no bias correction and τ stands under the root.
    """
    beta1, beta2, tau = 0.9, 0.999, 1e-8
    w = torch.zeros(len(labels), *shape, device=labels.device)
    m, v = torch.zeros_like(w), torch.zeros_like(w)
    shown = snapshot_steps(steps)
    for step in range(1, steps + 1):
        g, cost = objective_gradient(model, w, labels, prior, weight, box)
        m = beta1 * m + (1 - beta1) * g  # line 6
        v = beta2 * v + (1 - beta2) * g * g  # line 7
        w = w - rate * m / torch.sqrt(v + tau)  # line 8
        yield Progress(step, steps, "attacking", {"confidence": float(1 - cost.mean())})
        if step in shown:
            yield Snapshot("reconstruction", step, boxed(w, box).cpu().numpy())
    x = boxed(w, box)
    return Reconstructions(x, final_costs(model, x, labels), labels * 0 + steps)


def boxed(w: torch.Tensor, box: bool) -> torch.Tensor:
    return 0.5 * (torch.tanh(w) + 1) if box else w


def objective_gradient(
    model: nn.Module, w: torch.Tensor, labels: torch.Tensor, prior: str, weight: float, box: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """∇_w of cost + λ·R, and the cost itself (eq. 4 and 6)."""
    with torch.enable_grad():
        w = w.detach().requires_grad_()
        x = boxed(w, box)
        cost = costs(model, x, labels)
        objective = (cost + weight * prior_values(prior, x)).sum()
        (gradient,) = torch.autograd.grad(objective, w)
    return gradient, cost.detach()


def cost_gradient(model: nn.Module, x: torch.Tensor, labels: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    return objective_gradient(model, x, labels, "none", 0.0, box=False)


@torch.no_grad()
def final_costs(model: nn.Module, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return costs(model, x, labels)

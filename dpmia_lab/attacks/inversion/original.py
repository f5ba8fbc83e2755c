"""The original model inversion attack: plain gradient descent on a picture (paper E, Algorithm 2; Fredrikson 2015)."""

import torch
from torch import nn

from dpmia_lab.attacks.inversion.costs import Reconstructions, cost_gradient, snapshot_steps
from dpmia_lab.attacks.inversion.filters import processed
from dpmia_lab.stages import Progress, Snapshot, Stage


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

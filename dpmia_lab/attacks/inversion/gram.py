"""Plain model inversion of softmax regression on the Gram matrix of its weights: all labels of many models at once.

The cost 1 − f_ℓ(X) has the gradient −p_ℓ·Wᵀ(1_ℓ − p) at X (E, Algorithm 2). From X = 0 and without processing, every
step adds a combination of the rows of W, so X = Wᵀa with one number a class, and the logits are G·a + c, with
G = W·Wᵀ (classes, classes) and c = the logits of X = 0 (the bias, and what a public mean contributes). Nothing of the
size of a picture is touched until X = Wᵀa is wanted: 40 numbers a step instead of 10,304, and the same picture.
"""

from dataclasses import dataclass

import torch

from dpmia_lab.stages import Progress, Stage


@dataclass(frozen=True)
class Combinations:
    """Of every label of every model the picture of least cost, X = Σ_k a_k·W_k.  a: (models, labels, classes)."""

    a: torch.Tensor
    cost: torch.Tensor  # (models, labels), 1 − confidence
    steps: torch.Tensor  # (models, labels): when each stopped


@torch.no_grad()
def cost_and_step(a: torch.Tensor, gram: torch.Tensor, start: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Costs (models, labels), and −∇cost as a combination of the weights' rows: p_ℓ·(1_ℓ − p)."""
    p = torch.baddbmm(start[:, None], a, gram).softmax(2)
    own = p.diagonal(dim1=1, dim2=2).clone()  # label ℓ of each model's ℓ-th picture
    step = p.mul_(-own[:, :, None])
    step.diagonal(dim1=1, dim2=2).add_(own)
    return 1 - own, step


def fredrikson(
    gram: torch.Tensor,  # (models, classes, classes), W·Wᵀ
    start: torch.Tensor,  # (models, classes), the logits of X = 0
    *,
    steps: int,  # α
    rate: float,  # λ
    patience: int = 100,  # β
    goal: float = 0.0,  # γ
) -> Stage[Combinations]:
    """``inversion.fredrikson`` of every label of every model, without a filter; the same stops, the same least cost."""
    a = torch.zeros_like(gram)
    best_a, best_cost = a.clone(), torch.full_like(start, torch.inf)
    stopped_at, active = torch.zeros_like(start, dtype=torch.long), torch.ones_like(start, dtype=torch.bool)
    recent = start.new_full((patience, *start.shape), torch.inf)  # the last β costs, a ring
    recent[0], change = cost_and_step(a, gram, start)
    for step in range(1, steps + 1):
        a = torch.where(active[:, :, None], a + rate * change, a)
        cost, change = cost_and_step(a, gram, start)
        better = active & (cost < best_cost)
        best_a = torch.where(better[:, :, None], a, best_a)
        best_cost = torch.where(better, cost, best_cost)
        stopped_at = torch.where(active, step, stopped_at)
        active = active & (cost < recent.max(0).values) & (cost > goal)
        recent[step % patience] = cost
        finished = not bool(active.any())
        yield Progress(steps if finished else step, steps, "attacking", {"confidence": float(1 - best_cost.mean())})
        if finished:
            break
    return Combinations(best_a, best_cost, stopped_at)

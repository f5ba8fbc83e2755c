"""The enhanced model inversion attack: Adam, a prior about pictures, a box (paper A, Algorithm 1)."""

import torch
from torch import nn

from dpmia_lab.attacks.inversion.costs import Reconstructions, boxed, final_costs, objective_gradient, snapshot_steps
from dpmia_lab.stages import Progress, Snapshot, Stage


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

"""Differentially private training for records, subclasses and classes alike: one algorithm (A, Algorithm 2).

Each step every unit joins with probability q; the mean gradient of each unit is clipped to S; noise N(0, σ²S²)
is added to their sum, also when nobody joined; the sum is divided by q·K, not by how many joined.
"""

import numpy as np
import torch
from torch import nn

from dpmia_lab.privacy.clipping import Clipper
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.groups import Groups
from dpmia_lab.privacy.units import Units
from dpmia_lab.stages import Progress, Stage
from dpmia_lab.training.asked import check_rates, check_records
from dpmia_lab.training.optimizers import Adam, Momentum


def train(
    model: nn.Module,
    x: torch.Tensor,  # (n, …), on the model's device
    y: torch.Tensor,  # (n,)
    units: Units,
    dp: DpSgd,
    *,
    rate: float,  # η
    generator: torch.Generator,
    adam: bool = False,
    momentum: float = 0.0,
) -> Stage[nn.Module]:
    """Train the model in place and return it; one event a step."""
    check_rates(rate=rate, momentum=momentum)
    check_records(x, y, units)
    clipper = Clipper(model)
    optimizer = Adam(clipper.parameters, rate) if adam else Momentum(clipper.parameters, rate, momentum=momentum)
    draw = Drawing(units, x.device)
    scale = 1 / (dp.q * units.count)
    for step in range(1, dp.steps + 1):
        records, groups = draw.joined(dp.q, generator)
        gradients, values = private_gradients(clipper, x[records], y[records], groups, dp.clip, dp.sigma, generator)
        optimizer.step([g.mul_(scale) for g in gradients])
        yield Progress(step, dp.steps, "training privately", values)
    return model


def private_gradients(
    clipper: Clipper,
    x: torch.Tensor,
    y: torch.Tensor,
    groups: Groups,
    clip: float,
    sigma: float,
    generator: torch.Generator,
) -> tuple[list[torch.Tensor], dict[str, float]]:
    """Σ clipped + N(0, σ²S²I), a tensor a parameter; and what can be said of the step."""
    if groups.count:
        drawn = clipper.clipped_sum(x, y, groups, clip)
        gradients, clipped = drawn.gradients, float((drawn.norms > clip).float().mean())
        values = {"joined": groups.count, "clipped": clipped, "loss": float(drawn.loss)}
    else:
        gradients, values = [torch.zeros_like(p) for p in clipper.parameters], {"joined": 0}
    for gradient in gradients:
        noise = torch.randn(gradient.shape, generator=generator, dtype=gradient.dtype)
        gradient.add_(noise.to(gradient.device), alpha=sigma * clip if sigma else 0.0)  # S may be ∞ then
    return gradients, values


class Drawing:
    """Poisson sampling of units."""

    def __init__(self, units: Units, device: torch.device) -> None:
        self.device = device
        self.members = torch.from_numpy(np.ascontiguousarray(units.members))
        self.starts, self.sizes = torch.from_numpy(units.starts[:-1]), torch.from_numpy(units.sizes)

    def joined(self, q: float, generator: torch.Generator) -> tuple[torch.Tensor, Groups]:
        """The records of the units that joined, unit after unit."""
        units = (torch.rand(len(self.sizes), generator=generator, dtype=torch.float64) < q).nonzero().squeeze(1)
        sizes = self.sizes[units]
        first = torch.repeat_interleave(self.starts[units] - (sizes.cumsum(0) - sizes), sizes)
        records = self.members[first + torch.arange(len(first))]
        return records.to(self.device), Groups(sizes.to(self.device))

"""Ordinary training, without any defence: mini-batches, cross-entropy, momentum or Adam."""

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.stages import Progress, Stage
from dpmia_lab.training.optimizers import Adam, Momentum


def train(
    model: nn.Module,
    x: torch.Tensor,  # (n, channels, height, width), on the model's device
    y: torch.Tensor,  # (n,)
    *,
    epochs: int,
    rate: float,
    generator: torch.Generator,
    batch: int = 64,
    adam: bool = False,
    decay: float = 0.0,
) -> Stage[nn.Module]:
    """Train the model in place and return it; one event a mini-batch."""
    optimizer = (Adam if adam else Momentum)(model.parameters(), rate, decay)
    starts = range(0, len(x), batch)
    total, done = epochs * len(starts), 0
    for epoch in range(epochs):
        order = torch.randperm(len(x), generator=generator).to(x.device)
        for start in starts:
            chosen = order[start : start + batch]
            loss = gradient_step(model, optimizer, x[chosen], y[chosen])
            done += 1
            yield Progress(done, total, "training", {"loss": float(loss), "epoch": epoch + 1})
    return model


def gradient_step(model: nn.Module, optimizer: Adam | Momentum, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    loss = F.cross_entropy(model(x), y)
    optimizer.step(torch.autograd.grad(loss, optimizer.parameters))
    return loss.detach()


@torch.no_grad()
def confidences(model: nn.Module, x: torch.Tensor, batch: int = 1024) -> torch.Tensor:
    """(n, classes): the model's softmax outputs."""
    return torch.cat([F.softmax(model(piece), dim=1) for piece in x.split(batch)])

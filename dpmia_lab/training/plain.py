"""Ordinary training, without any promise: mini-batches, cross-entropy, momentum or Adam.

With the usual remedies against overfitting: weight decay, dropout (``models.Dropout``), early stopping, augmentation.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.checks import Mistake, whole
from dpmia_lab.stages import Progress, Stage
from dpmia_lab.training.asked import check_rates, check_records
from dpmia_lab.training.optimizers import Adam, Momentum
from dpmia_lab.training.stopping import Stopping

MOST = 2**31 - 1  # epochs, or records a batch: more is a mistake
Augment = Callable[[torch.Tensor, torch.Generator], torch.Tensor]  # a batch to a varied one of the same shape
Objective = Callable[[nn.Module, torch.Tensor, torch.Tensor], torch.Tensor]  # model, records, labels to what is lowered


def cross_entropy(model: nn.Module, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(model(x), y)


def train(
    model: nn.Module,
    x: torch.Tensor,  # (n, …), on the model's device
    y: torch.Tensor,  # (n,)
    *,
    epochs: int,
    rate: float,
    generator: torch.Generator,
    batch: int = 64,
    adam: bool = False,
    decay: float = 0.0,
    augment: Augment | None = None,
    patience: int = 0,  # epochs without a lower validation loss that end training (0: never)
    validation: tuple[torch.Tensor, torch.Tensor] | None = None,  # x and y, asked for with patience
    objective: Objective = cross_entropy,
) -> Stage[nn.Module]:
    """Train the model in place and return it, in eval() mode; one event a mini-batch. Frozen parameters stay."""
    check_rates(rate=rate, decay=decay)
    check_records(x, y)
    whole(1, MOST, epochs=epochs, batch=batch)
    check_validation(patience, validation)
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimizer = (Adam if adam else Momentum)(parameters, rate, decay)
    stopping = Stopping(kept_numbers(model), patience) if patience else None
    starts = range(0, len(x), batch)
    total, done = epochs * len(starts), 0
    set_training(model)
    for epoch in range(epochs):
        order = torch.randperm(len(x), generator=generator).to(x.device)
        for start in starts:
            chosen = order[start : start + batch]
            records = x[chosen] if augment is None else augment(x[chosen], generator)
            loss = gradient_step(objective, model, optimizer, records, y[chosen])
            done += 1
            yield Progress(done, total, "training", {"loss": float(loss), "epoch": epoch + 1})
        if stopping is not None and stopping.after_epoch(validation_loss(model, *validation)):
            break
    if stopping is not None:
        stopping.restore()
    model.eval()
    if done < total:
        yield Progress(total, total, "training", {"loss": float(loss), "epoch": epoch + 1})
    return model


def smoothed_cross_entropy(model: nn.Module, x: torch.Tensor, y: torch.Tensor, *, smoothing: float) -> torch.Tensor:
    """Cross-entropy with (1 − α)·label + α/classes; α may be negative, which PyTorch's own does not take."""
    log_p = F.log_softmax(model(x), dim=1)
    return (1 - smoothing) * F.nll_loss(log_p, y) - smoothing * log_p.mean()


def kept_numbers(model: nn.Module) -> list[torch.Tensor]:
    """What makes a model what it is at an epoch, as (1, …) each: weights, and running means where there are any."""
    learnt = [p for p in model.parameters() if p.requires_grad]
    return [one.detach()[None] for one in (*learnt, *(b for b in model.buffers() if b.is_floating_point()))]


def check_validation(patience: int, validation: object) -> None:
    if patience and validation is None:
        raise Mistake(f"patience must be 0 where there is no validation set; it is {patience}.")


def set_training(model: nn.Module) -> None:
    """train() mode, except for batch normalisation that is frozen: its running means are to stay as well."""
    model.train()
    for layer in model.modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm) and layer.affine and not layer.weight.requires_grad:
            layer.eval()


def gradient_step(
    objective: Objective, model: nn.Module, optimizer: Adam | Momentum, x: torch.Tensor, y: torch.Tensor
) -> torch.Tensor:
    loss = objective(model, x, y)
    optimizer.step(torch.autograd.grad(loss, optimizer.parameters))
    return loss.detach()


@contextmanager
def evaluating(model: nn.Module) -> Iterator[None]:
    """In eval() mode for a while, then every layer in the mode it was in."""
    modes = [(layer, layer.training) for layer in model.modules()]
    model.eval()
    try:
        yield
    finally:
        for layer, training in modes:
            layer.training = training


@torch.no_grad()
def validation_loss(model: nn.Module, x: torch.Tensor, y: torch.Tensor, batch: int = 1024) -> torch.Tensor:
    """(1,): mean cross-entropy, without dropout."""
    with evaluating(model):
        pieces = zip(x.split(batch), y.split(batch), strict=True)
        return torch.stack([F.cross_entropy(model(a), b, reduction="sum") for a, b in pieces]).sum()[None] / len(y)


@torch.no_grad()
def confidences(model: nn.Module, x: torch.Tensor, batch: int = 1024) -> torch.Tensor:
    """(n, classes): the model's softmax outputs, without dropout whatever the model's mode."""
    with evaluating(model):
        return torch.cat([F.softmax(model(piece), dim=1) for piece in x.split(batch)])

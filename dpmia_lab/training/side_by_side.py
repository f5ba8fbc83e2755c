"""One model of any kind, or many small ones at once, behind the same few methods: forward, and back from the logits.

A defence that changes the loss is written once, on logits (M, batch, classes), whatever the models are. Ordinary steps
have the very bits of ``plain.train`` (one model) and of ``stacked.train`` (many).
"""

from collections.abc import Callable, Iterator, Sequence

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.training.optimizers import Adam, Momentum
from dpmia_lab.training.plain import evaluating, kept_numbers, set_training
from dpmia_lab.training.stacked import Batches, OnePassAdam, chunks, errors_at
from dpmia_lab.training.stacked_layers import Stack

AT_A_TIME = 1024  # records of each model that are looked at together

Records = tuple[torch.Tensor, torch.Tensor]  # x (n, …) of any dtype, y (n,)
Gather = Callable[[torch.Tensor], Records]  # numbers of records (M, batch) → x (M, batch, …), y (M, batch)


class Alone:
    """One model; every number has a first axis of 1."""

    count = 1

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        set_training(model)

    def gathering(self, sets: Sequence[Records]) -> Gather:
        ((x, y),) = sets
        return lambda chosen: (x[chosen[0].to(x.device)][None].float(), y[chosen[0].to(x.device)][None])

    def logits(self, x: torch.Tensor) -> torch.Tensor:
        """(1, batch, C), remembered for ``gradients``."""
        self.said = self.model(x[0])
        return self.said.detach()[None]

    def looked(self, x: torch.Tensor) -> torch.Tensor:
        """(1, n, C): as the model would answer now, without dropout."""
        with torch.no_grad(), evaluating(self.model):
            return self.model(x[0])[None]

    def cross_entropy_error(self, logits: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        leaf = logits[0].requires_grad_()
        loss = F.cross_entropy(leaf, y[0])
        return torch.autograd.grad(loss, leaf)[0][None], loss.detach()[None]

    def own_form(self, error: torch.Tensor) -> torch.Tensor:
        """From the gradient of each model's mean loss at the logits to what ``gradients`` takes."""
        return error

    def gradients(self, error: torch.Tensor, last: bool = False) -> list[torch.Tensor]:
        """Of all parameters, or of the last layer's, from the error at the logits."""
        own = list(last_linear(self.model).parameters()) if last else self.parameters
        return list(torch.autograd.grad(self.said, own, error[0]))

    def optimizer(self, adam: bool, rate: float, decay: float) -> Adam | Momentum:
        return (Adam if adam else Momentum)(self.parameters, rate, decay)

    def stacked(self) -> list[torch.Tensor]:
        """All numbers as (1, …) each, to be kept or put back."""
        return kept_numbers(self.model)

    def write(self) -> None:
        self.model.eval()

    def go_on(self) -> None:
        set_training(self.model)


class Together:
    """M models that can be stacked."""

    def __init__(self, models: Sequence[nn.Sequential], shape: Sequence[int]) -> None:
        self.stack, self.count = Stack(models, shape), len(models)
        self.parameters = self.stack.parameters
        self.last = [self.stack.products[-1].weight, self.stack.products[-1].bias]

    def gathering(self, sets: Sequence[Records]) -> Gather:
        return Batches(self.stack, sets).gathered

    @torch.no_grad()
    def logits(self, x: torch.Tensor) -> torch.Tensor:
        return self.stack.forward(x.flatten(2), [x.shape[1]] * len(x))

    @torch.no_grad()
    def looked(self, x: torch.Tensor) -> torch.Tensor:
        return self.stack.forward(x.flatten(2).to(self.parameters[0].dtype))

    @torch.no_grad()
    def cross_entropy_error(self, logits: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        error, losses = errors_at(logits, y)
        return error, losses.mean(1)

    def own_form(self, error: torch.Tensor) -> torch.Tensor:
        """Here errors are of sums over records, and divided at the end."""
        return error * error.shape[1]

    @torch.no_grad()
    def gradients(self, error: torch.Tensor, last: bool = False) -> list[torch.Tensor]:
        count = error.shape[1]
        if last:
            return self.stack.products[-1].gradients(error.div_(count))
        return self.stack.gradients([e.div_(count) for e in self.stack.errors(error)])

    def optimizer(self, adam: bool, rate: float, decay: float) -> OnePassAdam | Momentum:
        return (OnePassAdam if adam else Momentum)(self.parameters, rate, decay)

    def stacked(self) -> list[torch.Tensor]:
        return self.parameters

    def write(self) -> None:
        self.stack.write()

    def go_on(self) -> None:
        """What was written was a copy."""


Group = Alone | Together


def groups_of(models: Sequence[nn.Module], shape: Sequence[int], batch: int) -> Iterator[tuple[slice, Group]]:
    """All models in groups as large as memory likes; a single one alone, so that it may be of any kind."""
    if len(models) == 1:
        yield slice(0, 1), Alone(models[0])
        return
    for own in chunks(models, batch):
        yield own, Together(models[own], shape)


def looked_at(group: Group, gather: Gather, count: int) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Logits (M, piece, C) and labels (M, piece) of each model's first ``count`` records, piece by piece."""
    for start in range(0, count, AT_A_TIME):
        places = torch.arange(start, min(start + AT_A_TIME, count)).expand(group.count, -1)
        x, y = gather(places.to(group.parameters[0].device))
        yield group.looked(x), y


def all_looked_at(group: Group, gather: Gather, count: int) -> Records:
    """The same, joined: (M, count, C) and (M, count)."""
    pieces = list(looked_at(group, gather, count))
    return torch.cat([logits for logits, _ in pieces], 1), torch.cat([y for _, y in pieces], 1)


def added(gradients: Sequence[torch.Tensor], more: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The sums; ``more`` may be of the last parameters only."""
    first = len(gradients) - len(more)
    return [*gradients[:first], *(a + b for a, b in zip(gradients[first:], more, strict=True))]


def last_linear(model: nn.Module) -> nn.Module:
    return [layer for layer in model.modules() if isinstance(layer, nn.Linear)][-1]

"""The ordinary course of training, step by step, with room for a defence: another loss, a further step, a look back.

What is left alone stays ordinary: with the bare ``Rule`` a model comes out bit for bit as ``plain.train`` has it, or
``stacked.train`` for many.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from dpmia_lab.checks import whole
from dpmia_lab.stages import Progress, Stage, part
from dpmia_lab.training.asked import check_rates, check_records
from dpmia_lab.training.plain import MOST
from dpmia_lab.training.side_by_side import Gather, Group, Records, groups_of

Loss = Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor]  # logits (M, batch, C), y, epoch → (M,), means


@dataclass(frozen=True)
class Steps:
    """How steps are taken, by all models alike."""

    epochs: int
    rate: float
    batch: int
    adam: bool = True
    decay: float = 0.0


class Rule:
    """What a defence changes, for one group of models; the base changes nothing."""

    def __init__(self, group: Group, members: Gather, sets: Sequence[Records], steps: Steps) -> None:
        """members: what every model trains on, by its number; sets: the same as tensors."""
        self.group, self.members, self.n, self.steps = group, members, len(sets[0][1]), steps

    def error(self, logits: torch.Tensor, y: torch.Tensor, epoch: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The error at the logits, in the group's own form, and each model's mean loss (M,)."""
        return self.group.cross_entropy_error(logits, y)

    def gradients(self, x: torch.Tensor, y: torch.Tensor, epoch: int) -> tuple[list[torch.Tensor], torch.Tensor]:
        """Of the next step, on x (M, batch, …), a tensor a parameter; and each model's mean loss (M,)."""
        error, losses = self.error(self.group.logits(x), y, epoch)
        return self.group.gradients(error), losses

    def after_epoch(self, epoch: int) -> dict[str, float]:
        """What is to be told of the epoch, counted from 1; of several models their means."""
        return {}

    def end(self) -> dict[str, float]:
        return {}


class OtherLoss(Rule):
    """Another loss in the place of cross-entropy; ``loss`` is a function on logits, so autograd ends there."""

    def __init__(self, loss: Loss, *usual) -> None:
        super().__init__(*usual)
        self.loss = loss

    def error(self, logits: torch.Tensor, y: torch.Tensor, epoch: int) -> tuple[torch.Tensor, torch.Tensor]:
        error, losses = error_at(lambda leaf: self.loss(leaf, y, epoch), logits)
        return self.group.own_form(error), losses


def error_at(loss: Callable[[torch.Tensor], torch.Tensor], logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradient at the logits (M, batch, C) of each model's mean loss, and these losses (M,)."""
    with torch.enable_grad():
        leaf = logits.detach().requires_grad_()
        losses = loss(leaf)
        (error,) = torch.autograd.grad(losses.sum(), leaf)
    return error, losses.detach()


NewRule = Callable[[Group, Gather, Sequence[Records], Steps, slice], Rule]  # the slice: which of the models


def train(
    models: Sequence[nn.Module],  # one of any kind, or several that can be stacked
    sets: Sequence[Records],  # one a model, of equal size, on the models' device
    steps: Steps,
    generators: Sequence[torch.Generator],  # one a model, none of them shared
    new_rule: NewRule,
) -> Stage[None]:
    """Train the models in place; one event a step.

    At the end of an epoch the models themselves are as they stand then, and the event's values have ``ended`` (the
    epoch), ``first`` and ``last`` (which of the models, from … up to but not with) and what the rule tells.
    """
    check_rates(rate=steps.rate, decay=steps.decay)
    whole(1, MOST, epochs=steps.epochs, batch=steps.batch)
    for records in sets:
        check_records(*records)
    for own, group in groups_of(models, sets[0][0].shape[1:], steps.batch):
        members = group.gathering(sets[own])
        rule = new_rule(group, members, sets[own], steps, own)
        stage = course(group, members, rule, len(sets[0][1]), steps, generators[own], own)
        yield from part(stage, own.start / len(models), own.stop / len(models))


def course(
    group: Group, members: Gather, rule: Rule, n: int, steps: Steps, generators: Sequence[torch.Generator], own: slice
) -> Stage[None]:
    optimizer, device = group.optimizer(steps.adam, steps.rate, steps.decay), group.parameters[0].device
    total, done = steps.epochs * len(range(0, n, steps.batch)), 0
    who = {"first": own.start, "last": own.stop}
    for epoch in range(1, steps.epochs + 1):
        orders = torch.stack([torch.randperm(n, generator=generator) for generator in generators]).to(device)
        batches = orders.split(steps.batch, 1)
        for place, chosen in enumerate(batches, 1):
            gradients, losses = rule.gradients(*members(chosen), epoch)
            optimizer.step(gradients)
            done, values = done + 1, {"loss": float(losses.mean()), "epoch": epoch}
            if place < len(batches):
                yield Progress(done, total, "training", values)
        told = rule.after_epoch(epoch)
        group.write()
        yield Progress(done, total, "training", {**values, "ended": epoch, **who, **told})
        group.go_on()
    told = rule.end()
    group.write()
    yield Progress(total, total, "training", {**values, **told})

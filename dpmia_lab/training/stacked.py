"""Many small models trained at once, each on its own records: shadow models in a fraction of the time.

Model i follows the very trajectory that ``plain.train`` would give it alone with the same generator, or
``private.train`` with records or larger units (the tests hold them equal): what is stacked is the arithmetic, while
every shuffle, draw, mask and noise still comes from the model's own generators in the same order.
"""

import math
from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from dpmia_lab.checks import Mistake, whole
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.units import Units
from dpmia_lab.stages import Progress, Stage, part
from dpmia_lab.training.asked import check_rates, check_records
from dpmia_lab.training.optimizers import Momentum
from dpmia_lab.training.plain import MOST, Augment, check_validation
from dpmia_lab.training.stacked_layers import Blocks, Stack, can_stack, check_alike, linear_layers
from dpmia_lab.training.stopping import Stopping

__all__ = ["can_stack", "train", "train_privately"]

# Numbers a stack works on in a step, 9 models 600-128-10. Measured: 4 to 16 of them are about as fast as one another,
# fewer waste calls, and more hold more memory.
AT_ONCE = 4_000_000
VALIDATED = 1024  # validation records of each model at once

Records = tuple[torch.Tensor, torch.Tensor]  # x (n, …) of any dtype, y (n,)


def train(
    models: Sequence[nn.Sequential],
    sets: Sequence[Records],  # one a model, of equal size n, on the models' device
    *,
    epochs: int,
    rate: float,
    batch: int,
    generators: Sequence[torch.Generator],  # one a model, none of them shared
    adam: bool = True,
    decay: float = 0.0,
    augment: Augment | None = None,
    patience: int = 0,  # as in plain.train, for each model by itself
    validations: Sequence[Records] | None = None,  # one a model, of equal size; asked for with patience
    information: float = 0.0,  # λ, weight of the KL of bottlenecks
) -> Stage[None]:
    """Train the models in place and leave them in eval() mode; one event a step of each stack."""
    check(models, sets, generators)
    check_rates(rate=rate, decay=decay)
    whole(1, MOST, epochs=epochs)
    whole(1, len(sets[0][1]), batch=batch)
    check_validation(patience, validations)
    for own in chunks(models, batch):
        stack = Stack(models[own], sets[own][0][0].shape[1:])
        stack.weigh_codes(information)
        steps = Shuffled(Batches(stack, sets[own]), generators[own], batch, epochs, augment)
        watch = Watch(stack, validations[own], patience) if patience else None
        stage = trained(steps, optimizer_of(stack, adam, rate, decay, steps.momentum), watch)
        yield from part(stage, own.start / len(models), own.stop / len(models))
        stack.write()


def train_privately(
    models: Sequence[nn.Sequential],
    sets: Sequence[Records],
    dp: DpSgd,
    *,
    rate: float,
    generators: Sequence[torch.Generator],
    adam: bool = True,
    units: Sequence[Units] | None = None,  # one a model: what is hidden, where that is not each record by itself
) -> Stage[None]:
    """The same with units of differential privacy; descent has no momentum then."""
    check(models, sets, generators)
    check_rates(rate=rate)
    for records, divided in zip(sets, units or (), strict=bool(units)):
        check_records(*records, divided)
    for own in chunks(models, math.ceil(dp.q * len(sets[0][1]))):
        stack = Stack(models[own], sets[own][0][0].shape[1:])
        how = Batches(stack, sets[own]), generators[own], dp
        steps = DrawnUnits(*how, units[own]) if units else Drawn(*how)
        stage = trained(steps, optimizer_of(stack, adam, rate, 0.0, steps.momentum), None)
        yield from part(stage, own.start / len(models), own.stop / len(models))
        stack.write()


def optimizer_of(stack: Stack, adam: bool, rate: float, decay: float, momentum: float) -> "OnePassAdam | Momentum":
    if adam:
        return OnePassAdam(stack.parameters, rate, decay)
    return Momentum(stack.parameters, rate, decay, momentum)


def check(models: Sequence[nn.Sequential], sets: Sequence[Records], generators: Sequence) -> None:
    check_alike(models)
    whole(1, 2**31, models=len(models))
    if not len(models) == len(sets) == len(set(map(id, generators))):
        counts = f"{len(models)}, {len(sets)} and {len(set(map(id, generators)))}"
        raise Mistake(f"there must be as many models as sets and as generators; there are {counts}.")
    for records in sets:
        check_records(*records)
    sizes = sorted({len(each) for records in sets for each in records})
    if len(sizes) != 1:
        raise Mistake(f"sets trained on at once must have the same size; theirs go from {sizes[0]} to {sizes[-1]}.")


def chunks(models: Sequence[nn.Sequential], batch: int) -> list[slice]:
    """As many models as one stack holds: each has its weights four times (gradient, Adam's two) and its batch."""
    linear = linear_layers(models[0])
    numbers = 4 * sum(p.numel() for p in models[0].parameters())
    numbers += batch * sum(layer.in_features + 2 * layer.out_features for layer in linear)
    few = max(1, AT_ONCE // numbers)
    return [slice(start, min(start + few, len(models))) for start in range(0, len(models), few)]


class OnePassAdam:
    """``optimizers.Adam`` in one pass over memory instead of eight: a third of the time, and with stacked models the
    optimizer is a fifth of a step. PyTorch's own (``torch.optim.Adam(fused=True)`` calls it) without its compiler."""

    def __init__(self, parameters: Sequence[torch.Tensor], rate: float, decay: float) -> None:
        self.parameters = list(parameters)
        self.how = {"lr": rate, "weight_decay": decay, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8}
        self.m, self.v = ([torch.zeros_like(p) for p in parameters] for _ in range(2))
        self.t = [torch.zeros((), device=p.device) for p in parameters]

    @torch.no_grad()
    def step(self, gradients: Sequence[torch.Tensor]) -> None:
        for t in self.t:
            t.add_(1)
        state = self.parameters, gradients, self.m, self.v, [], self.t
        torch._fused_adam_(*state, **self.how, amsgrad=False, maximize=False)


def trained(steps: "Shuffled | Drawn", optimizer: OnePassAdam | Momentum, watch: "Watch | None") -> Stage[None]:
    """One stack's steps."""
    step = 0
    for step in range(1, steps.total + 1):
        gradients, loss = steps.next()
        optimizer.step(gradients)
        values = {"loss": loss, "epoch": math.ceil(step / steps.per_epoch)}
        yield Progress(step, steps.total, steps.label, values)
        if watch is not None and step % steps.per_epoch == 0 and watch.all_stopped():
            break
    if watch is not None:
        watch.stopping.restore()
    if step < steps.total:
        yield Progress(steps.total, steps.total, steps.label, values)


class Batches:
    """Gathers the chosen records of every model side by side, and goes forward and back with them."""

    def __init__(self, stack: Stack, sets: Sequence[Records]) -> None:
        self.stack, self.n, self.shape = stack, len(sets[0][1]), sets[0][0].shape[1:]
        self.x = torch.cat([compact(x.flatten(1)) for x, _ in sets])  # (M·n, d)
        self.y = torch.cat([y for _, y in sets])
        self.device = self.x.device
        self.first = torch.arange(len(sets), device=self.device)[:, None] * self.n  # where each model's records begin
        self.rooms: dict[torch.dtype, torch.Tensor] = {}  # kept from step to step

    def room(self, rows: int, dtype: torch.dtype) -> torch.Tensor:
        """(rows, d), to be filled; large pieces of memory are slow to get, so the same is used again."""
        if dtype not in self.rooms or len(self.rooms[dtype]) < rows:
            self.rooms[dtype] = torch.empty(rows, self.x.shape[1], dtype=dtype, device=self.device)
        return self.rooms[dtype][:rows]

    def gathered(self, chosen: torch.Tensor) -> Records:
        """Numbers of records (M, most) to the records (M, most, d) and their labels (M, most)."""
        rows, dtype = (chosen + self.first).flatten(), self.stack.parameters[0].dtype
        x = torch.index_select(self.x, 0, rows, out=self.room(len(rows), self.x.dtype))
        if x.dtype != dtype:
            x = self.room(len(rows), dtype).copy_(x)
        return x.view(*chosen.shape, -1), self.y[rows].view(chosen.shape)

    def errors_and_losses(
        self, x: torch.Tensor, y: torch.Tensor, counts: Sequence[int]
    ) -> tuple[list[torch.Tensor], torch.Tensor]:
        """x: (M, most, d), y: (M, most), of which only each model's first ``counts`` count, the others are padding.

        The error at each Linear layer's output, and the loss of each record (M, most); padding has neither.
        """
        error, losses = errors_at(self.stack.forward(x, counts), y)
        if min(counts) < y.shape[1]:
            there = torch.arange(y.shape[1], device=self.device) < torch.tensor(counts, device=self.device)[:, None]
            error, losses = error.mul_(there[:, :, None]), losses * there
        return self.stack.errors(error), losses


def compact(x: torch.Tensor) -> torch.Tensor:
    """As bytes where nothing is lost (bits!): a quarter of the memory to hold and to gather from."""
    small = x.to(torch.uint8)
    return small if torch.equal(small.to(x.dtype), x) else x


def errors_at(logits: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The gradient of each record's cross-entropy at the logits (M, batch, classes), and the cross-entropy."""
    log_p = F.log_softmax(logits, dim=2)
    losses = log_p.gather(2, y[:, :, None]).neg()
    return log_p.exp_().scatter_add_(2, y[:, :, None], torch.full_like(losses, -1)), losses.squeeze(2)


class Shuffled:
    """Plain steps: every epoch each model has its own order; mean gradients."""

    label, momentum = "training", 0.9

    def __init__(
        self,
        batches: Batches,
        generators: Sequence[torch.Generator],
        batch: int,
        epochs: int,
        augment: Augment | None,
    ) -> None:
        self.batches, self.generators, self.batch, self.augment = batches, generators, batch, augment
        self.per_epoch = math.ceil(batches.n / batch)
        self.total, self.left = epochs * self.per_epoch, []

    @torch.no_grad()
    def next(self) -> tuple[list[torch.Tensor], float]:
        """The gradients of the next step, (M, …) a parameter, and the mean loss."""
        if not self.left:
            orders = torch.stack([torch.randperm(self.batches.n, generator=own) for own in self.generators])
            self.left = list(orders.to(self.batches.device).split(self.batch, 1))[::-1]
        chosen = self.left.pop()
        count = chosen.shape[1]
        x, y = self.batches.gathered(chosen)
        if self.augment is not None:
            pictures = x.unflatten(2, self.batches.shape)
            varied = [self.augment(*own) for own in zip(pictures, self.generators, strict=True)]
            x = torch.stack(varied).flatten(2)
        errors, losses = self.batches.errors_and_losses(x, y, [count] * len(x))
        gradients = self.batches.stack.gradients([e.div_(count) for e in errors])
        return gradients, float(losses.mean())


class Drawn:
    """Private steps (A, Algorithm 2, each record a unit): Poisson draws, clipped sums, noise."""

    label, momentum = "training privately", 0.0

    def __init__(self, batches: Batches, generators: Sequence[torch.Generator], dp: DpSgd) -> None:
        self.batches, self.generators, self.dp = batches, generators, dp
        self.total, self.per_epoch, self.scale = dp.steps, 1 / dp.q, 1 / (dp.q * batches.n)
        self.rooms = [torch.empty(p.shape, dtype=p.dtype) for p in batches.stack.parameters]  # on the processor

    @torch.no_grad()
    def next(self) -> tuple[list[torch.Tensor], float]:
        """(Σ clipped + N(0, σ²S²I)) / (q·K), (M, …) a parameter, and the mean loss."""
        chosen, counts = self.drawn()
        errors, losses = self.batches.errors_and_losses(*self.batches.gathered(chosen), counts)
        gradients = self.batches.stack.gradients(self.clipped(errors))
        self.add_noise(gradients)
        return gradients, float(losses.sum()) / max(1, sum(counts))

    def drawn(self) -> tuple[torch.Tensor, list[int]]:
        """Of each model, the records that join, (M, most) with padding behind them; and how many they are."""
        draws = [torch.rand(self.batches.n, generator=own, dtype=torch.float64) for own in self.generators]
        places = [(own < self.dp.q).nonzero().squeeze(1) for own in draws]
        one = torch.zeros(1, dtype=torch.long)  # so that there is padding even where nobody was drawn
        chosen = pad_sequence([*places, one], batch_first=True)[:-1]
        return chosen.to(self.batches.device), list(map(len, places))

    def clipped(self, errors: list[torch.Tensor]) -> list[torch.Tensor]:
        """The errors at every layer, each record's weighted so that its gradient is at most S long."""
        factors = self.factors(self.batches.stack.record_norms(errors)).mul_(self.scale)[:, :, None]
        return [e.mul_(factors) for e in errors]

    def factors(self, norms: torch.Tensor) -> torch.Tensor:
        return (self.dp.clip / norms.clamp(min=1e-30)).clamp(max=1.0)

    def add_noise(self, gradients: list[torch.Tensor]) -> None:
        deviation = self.dp.sigma * self.dp.clip * self.scale if self.dp.sigma else 0.0  # S may be ∞ then
        for gradient, room in zip(gradients, self.rooms, strict=True):
            for own, generator in zip(room, self.generators, strict=True):
                own.normal_(generator=generator)
            gradient.add_(room.to(gradient.device), alpha=deviation)


class DrawnUnits(Drawn):
    """The same with units of several records: of each, the mean gradient is clipped. Models may have unlike many."""

    def __init__(
        self, batches: Batches, generators: Sequence[torch.Generator], dp: DpSgd, units: Sequence[Units]
    ) -> None:
        super().__init__(batches, generators, dp)
        self.members = torch.stack([torch.from_numpy(own.members) for own in units])  # (M, n), unit after unit
        self.counts = [own.count for own in units]
        self.sizes = pad_sequence([torch.from_numpy(own.sizes) for own in units], batch_first=True)  # (M, K)
        self.of = torch.stack([torch.repeat_interleave(torch.from_numpy(own.sizes)) for own in units])  # (M, n)
        self.draws = torch.full(self.sizes.shape, 2.0, dtype=torch.float64)  # units that are not there never join
        self.scale = 1 / dp.q  # by K each model's own is divided
        self.shares = [1 / own.count for own in units]

    def drawn(self) -> tuple[torch.Tensor, list[int]]:
        for own, count, generator in zip(self.draws, self.counts, self.generators, strict=True):
            own[:count] = torch.rand(count, generator=generator, dtype=torch.float64)
        joins = self.draws < self.dp.q
        self.blocks = Blocks(in_front(self.sizes * joins, joins), self.batches.device)
        records = joins.gather(1, self.of)
        chosen = in_front(self.members, records).to(self.batches.device)
        return chosen, records.sum(1).tolist()

    def clipped(self, errors: list[torch.Tensor]) -> list[torch.Tensor]:
        """Errors are first divided by |u|, so that their sum over a unit is its mean."""
        batch, blocks = errors[0].shape[1], self.blocks
        means = blocks.to_records(1 / blocks.sizes.clamp(min=1).to(errors[0].dtype), batch)[:, :, None]
        errors = [e.mul_(means) for e in errors]
        shares = errors[0].new_tensor(self.shares)[:, None]
        factors = self.factors(self.batches.stack.unit_norms(errors, blocks)).mul_(self.scale * shares)
        factors = blocks.to_records(factors, batch)[:, :, None]
        return [e.mul_(factors) for e in errors]

    def add_noise(self, gradients: list[torch.Tensor]) -> None:
        deviation = self.dp.sigma * self.dp.clip * self.scale if self.dp.sigma else 0.0
        for gradient, room in zip(gradients, self.rooms, strict=True):
            for own, generator, share in zip(room, self.generators, self.shares, strict=True):
                own.normal_(generator=generator).mul_(share)
            gradient.add_(room.to(gradient.device), alpha=deviation)


def in_front(values: torch.Tensor, chosen: torch.Tensor) -> torch.Tensor:
    """(M, most): the chosen values of each row (M, n), in their order; behind them what is left, as padding."""
    order = chosen.logical_not().to(torch.uint8).argsort(dim=1, stable=True)
    return values.gather(1, order[:, : max(1, int(chosen.sum(1).max()))])


class Watch:
    """Early stopping of a stack: the loss of each model on its own validation set."""

    def __init__(self, stack: Stack, validations: Sequence[Records], patience: int) -> None:
        self.stack, self.stopping = stack, Stopping(stack.parameters, patience)
        self.x, self.y = (torch.stack(each) for each in zip(*validations, strict=True))  # (M, n, …), (M, n)

    @torch.no_grad()
    def all_stopped(self) -> bool:
        x, dtype = self.x.flatten(2), self.stack.parameters[0].dtype
        pieces = zip(x.split(VALIDATED, 1), self.y.split(VALIDATED, 1), strict=True)
        losses = [errors_at(self.stack.forward(a.to(dtype)), b)[1] for a, b in pieces]
        return self.stopping.after_epoch(torch.cat(losses, 1).mean(1))

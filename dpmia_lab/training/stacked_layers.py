"""M models of one architecture as one: numbers are (M, batch, width), and the backward pass is written out.

Without autograd a step is some dozen calls for all models together, and every layer's inputs a and output errors e
are at hand: they tell each record's gradient norm (private training) as well as the gradients.
"""

from collections.abc import Sequence

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab import models as lab
from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.layers import gram_sums
from dpmia_lab.training.bottleneck import START, Bottleneck

# The function, and the error at its input from its output h and the error e there (which is used up).
ACTIVATIONS = {
    nn.Sigmoid: (torch.sigmoid, lambda h, e: e.mul_(h).mul_(1 - h)),
    nn.Tanh: (torch.tanh, lambda h, e: e.mul_(1 - h.square())),
    nn.ReLU: (torch.relu, lambda h, e: e.mul_(h > 0)),
}
KINDS = (lab.Centre, lab.Dropout, Bottleneck, *ACTIVATIONS)  # what there may be besides Flatten and Linear


# ---- which models
def can_stack(model: nn.Module) -> bool:
    """Whether the model is a Sequential of [Centre,] Flatten, Linear with bias, Sigmoid, Tanh, ReLU and the lab's
    Dropout and Bottleneck, flattened before the first of them that is linear, with every parameter to be trained."""
    if type(model) is not nn.Sequential or not all(p.requires_grad for p in model.parameters()):
        return False
    linear = [place for place, layer in enumerate(model) if is_linear(layer) or type(layer) is Bottleneck]
    return (
        bool(linear)
        and any(map(is_flatten, model[: linear[0]]))
        and all(type(layer) is not lab.Centre for layer in model[1:])
        and all(is_linear(m) or is_flatten(m) or type(m) in KINDS for m in model)
    )


def linear_layers(model: nn.Module) -> list[nn.Linear]:
    """Those with parameters, in their order; a bottleneck's head is one."""
    return [layer for layer in model.modules() if is_linear(layer)]


def is_linear(layer: nn.Module) -> bool:
    return type(layer) in (nn.Linear, lab.Linear) and layer.bias is not None


def is_flatten(layer: nn.Module) -> bool:
    return type(layer) is nn.Flatten and (layer.start_dim, layer.end_dim) == (1, -1)


def check_alike(models: Sequence[nn.Module]) -> None:
    """Refuse models that cannot be stacked, or not with one another."""
    for place, model in enumerate(models):
        if not can_stack(model):
            raise Mistake(
                "models trained at once must be made of Flatten, Linear, Sigmoid, Tanh, ReLU and the lab's Centre, "
                f"Dropout and Bottleneck, all of it trainable; number {place} is not."
            )
        if plan_of(model) != plan_of(models[0]):
            raise Mistake(f"models trained at once must have the same layers; number {place} differs from the first.")


def plan_of(model: nn.Sequential) -> list[tuple]:
    return [(type(layer), getattr(layer, "p", 0), [p.shape for p in layer.parameters()]) for layer in model]


# ---- layers
class Blocks:
    """Which of a batch's records (M, batch) belong together: units laid side by side, U a model, s records each.

    sizes: (M, U) of each model's units, whose records lie unit after unit; 0 where one has fewer units than others.
    """

    def __init__(self, sizes: torch.Tensor, device: torch.device) -> None:
        self.sizes = sizes.to(device)
        starts, place = self.sizes.cumsum(1) - self.sizes, torch.arange(max(1, int(sizes.max())), device=device)
        self.there = place < self.sizes[:, :, None]  # (M, U, s)
        self.places = (starts[:, :, None] + place) * self.there  # in a model's batch

    def rows(self, values: torch.Tensor) -> torch.Tensor:
        """(M·U, s, ·) of values (M, batch, ·), with whatever stands first in a batch for padding."""
        models, batch, width = values.shape
        first = torch.arange(models, device=values.device)[:, None, None] * batch
        return values.reshape(-1, width)[(self.places + first).flatten(0, 1)]

    def to_records(self, values: torch.Tensor, batch: int) -> torch.Tensor:
        """(M, batch): each record gets the value of its unit (M, U); padding gets 0."""
        found = values.new_zeros(len(values), batch)
        wide = values[:, :, None].expand(self.places.shape) * self.there
        return found.scatter_add_(1, self.places.flatten(1), wide.flatten(1))


class Product:
    """Linear: weight (M, p, d) and bias (M, 1, p)."""

    def __init__(self, layers: Sequence[nn.Linear]) -> None:
        self.weight = torch.stack([layer.weight.detach() for layer in layers])
        self.bias = torch.stack([layer.bias.detach()[None] for layer in layers])
        self.weight_gradient = torch.empty_like(self.weight)  # got once: large pieces of memory are slow to get

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        self.a = a
        return torch.baddbmm(self.bias, a, self.weight.mT)

    def backward(self, e: torch.Tensor) -> torch.Tensor:
        return torch.bmm(e, self.weight)

    def gradients(self, e: torch.Tensor) -> list[torch.Tensor]:
        """Of each model, the sum over its records.  e: (M, batch, p)."""
        return [torch.bmm(e.mT, self.a, out=self.weight_gradient), e.sum(1, keepdim=True)]

    def record_squares(self, e: torch.Tensor) -> torch.Tensor:
        """(M, batch): what the layer adds to the squared norm of a record's gradient, (1 + ‖a‖²)·‖e‖²."""
        lengths = torch.linalg.vector_norm(self.a, dim=2), torch.linalg.vector_norm(e, dim=2)
        return lengths[0].square().add_(1).mul_(lengths[1].square())


    def unit_squares(self, e: torch.Tensor, blocks: "Blocks") -> torch.Tensor:
        """(M, U): what it adds to the squared norm of a unit's gradient; by Gram matrices or, for large units, itself.

        See ``privacy/layers.py``, which has both for one model.
        """
        own_e, own_a = blocks.rows(e), blocks.rows(self.a)  # (M·U, s, p) and (M·U, s, d)
        own_e.mul_(blocks.there.flatten(0, 1)[..., None])  # padding counts as no error
        s, (p, d) = own_e.shape[1], self.weight.shape[1:]
        if s * (p + d) > p * d:
            weights = torch.linalg.vector_norm(own_e.mT @ own_a, dim=(1, 2)).square()
        else:
            weights = gram_sums(own_a, own_e)
        biases = torch.linalg.vector_norm(own_e.sum(1), dim=1).square()
        return (weights + biases).view(len(e), -1)


class Activation:
    """Sigmoid, tanh or ReLU."""

    def __init__(self, layers: Sequence[nn.Module]) -> None:
        self.function, self.error = ACTIVATIONS[type(layers[0])]

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        self.h = self.function(a)
        return self.h

    def backward(self, e: torch.Tensor) -> torch.Tensor:
        return self.error(self.h, e)


class Masks:
    """Dropout: each model's mask from its own layer's generator."""

    def __init__(self, layers: Sequence[lab.Dropout]) -> None:
        self.layers = layers
        self.counts: list[int] = []  # records of each model in this pass (the rest is padding); empty: leave none out

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        if not self.counts:
            return a
        draws = torch.ones(a.shape, dtype=a.dtype)
        for own, layer, count in zip(draws, self.layers, self.counts, strict=True):
            own[:count].uniform_(generator=layer.generator)
        self.mask = self.layers[0].kept(draws).to(a.device)
        return a * self.mask

    def backward(self, e: torch.Tensor) -> torch.Tensor:
        return e.mul_(self.mask)


class Codes:
    """A bottleneck behind its head: numbers (M, batch, 2k) become codes (M, batch, k), each model's drawn by its own
    layer's generator. ``weight``: λ, by which each record's KL joins its loss; there is no padding where it counts."""

    def __init__(self, layers: Sequence[Bottleneck]) -> None:
        self.layers, self.weight = layers, 0.0
        self.counts: list[int] = []  # as of ``Masks``; empty: of all

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        self.mean, raw = a.chunk(2, dim=2)
        self.raw = raw - START
        self.deviation = F.softplus(self.raw)
        noise = torch.zeros(self.mean.shape, dtype=a.dtype)
        for own, layer, count in zip(noise, self.layers, self.counts or [a.shape[1]] * len(a), strict=True):
            own[:count].normal_(generator=layer.generator)
        self.noise = noise.to(a.device)
        return self.mean + self.deviation * self.noise

    def backward(self, e: torch.Tensor) -> torch.Tensor:
        """∇KL is μ for the mean, and s − 1/s for the deviation."""
        mean, deviation = e, e * self.noise
        if self.weight:
            s = self.deviation
            inverse = torch.where(s.square() > 1e-30, 1 / s, 0)  # as ``kl_to_standard`` has it
            mean, deviation = mean + self.weight * self.mean, deviation + self.weight * (s - inverse)
        return torch.cat([mean, deviation.mul_(torch.sigmoid(self.raw))], 2)


class Shift:
    """Centre: each model's picture, (M, 1, d), subtracted. Always the first layer, so no error goes back through it."""

    def __init__(self, layers: Sequence[lab.Centre], shape: Sequence[int]) -> None:
        self.pictures = torch.stack([layer.picture.expand(*shape).reshape(1, -1) for layer in layers])

    def forward(self, a: torch.Tensor) -> torch.Tensor:
        return a - self.pictures


class Stack:
    """The models; their parameters are copied, and come back with ``write``."""

    def __init__(self, models: Sequence[nn.Sequential], shape: Sequence[int]) -> None:
        """shape: of a record."""
        self.models = models
        kept = [layers for layers in zip(*models, strict=True) if is_kept(layers[0])]
        self.layers = [layer for layers in kept for layer in stacked_layers(layers, shape)]
        self.products = [layer for layer in self.layers if isinstance(layer, Product)]
        self.drawing = [layer for layer in self.layers if isinstance(layer, Masks | Codes)]
        self.parameters = [p for layer in self.products for p in (layer.weight, layer.bias)]

    def weigh_codes(self, weight: float) -> None:
        """λ of the KL of bottlenecks, if there are any."""
        for layer in self.drawing:
            if isinstance(layer, Codes):
                layer.weight = weight

    def forward(self, a: torch.Tensor, counts: Sequence[int] = ()) -> torch.Tensor:
        """Records (M, batch, d) to logits (M, batch, classes); counts: as of ``Masks``."""
        for layer in self.drawing:
            layer.counts = counts
        for layer in self.layers:
            a = layer.forward(a)
        return a

    def errors(self, e: torch.Tensor) -> list[torch.Tensor]:
        """The error at the output of each Linear layer, first to last, from that at the logits."""
        found = []
        for layer in reversed(self.layers):
            if isinstance(layer, Product):
                found.append(e)
                if layer is self.products[0]:
                    break
            e = layer.backward(e)
        return found[::-1]

    def gradients(self, errors: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """One (M, …) a parameter, in the models' own order: sums over records."""
        return [g for layer, e in zip(self.products, errors, strict=True) for g in layer.gradients(e)]

    def record_norms(self, errors: Sequence[torch.Tensor]) -> torch.Tensor:
        """(M, batch): the norm of each record's gradient over all parameters."""
        return sum(layer.record_squares(e) for layer, e in zip(self.products, errors, strict=True)).sqrt()

    def unit_norms(self, errors: Sequence[torch.Tensor], blocks: "Blocks") -> torch.Tensor:
        """(M, U): the norm of each unit's gradient, where the errors (M, batch, p) add up to it over its records."""
        squares = sum(layer.unit_squares(e, blocks) for layer, e in zip(self.products, errors, strict=True))
        return squares.clamp(min=0).sqrt()  # rounding may leave −1e-9 of a Gram sum

    @torch.no_grad()
    def write(self) -> None:
        for place, model in enumerate(self.models):
            for own, stacked in zip(model.parameters(), self.parameters, strict=True):
                own.copy_(stacked[place].view_as(own))
            model.eval()


def is_kept(layer: nn.Module) -> bool:
    """Records are flat already, and dropping nothing needs no layer."""
    return not is_flatten(layer) and not (isinstance(layer, lab.Dropout) and layer.p == 0)


def stacked_layers(layers: Sequence[nn.Module], shape: Sequence[int]) -> list:
    """One layer of every model as one; a bottleneck is two."""
    first = layers[0]
    if is_linear(first):
        return [Product(layers)]
    if isinstance(first, Bottleneck):
        return [Product([layer.head for layer in layers]), Codes(layers)]
    if isinstance(first, lab.Centre):
        return [Shift(layers, shape)]
    return [Masks(layers) if isinstance(first, lab.Dropout) else Activation(layers)]

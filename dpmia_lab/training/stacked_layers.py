"""M models of one architecture as one: numbers are (M, batch, width), and the backward pass is written out.

Without autograd a step is some dozen calls for all models together, and every layer's inputs a and output errors e
are at hand: they tell each record's gradient norm (private training) as well as the gradients.
"""

from collections.abc import Sequence

import torch
from torch import nn

from dpmia_lab import models as lab
from dpmia_lab.checks import Mistake

# The function, and the error at its input from its output h and the error e there (which is used up).
ACTIVATIONS = {
    nn.Sigmoid: (torch.sigmoid, lambda h, e: e.mul_(h).mul_(1 - h)),
    nn.Tanh: (torch.tanh, lambda h, e: e.mul_(1 - h.square())),
    nn.ReLU: (torch.relu, lambda h, e: e.mul_(h > 0)),
}


# ---- which models
def can_stack(model: nn.Module) -> bool:
    """Whether the model is a Sequential of [Centre,] Flatten, Linear with bias, Sigmoid, Tanh, ReLU and the lab's
    Dropout, flattened before the first Linear, with every parameter to be trained."""
    if type(model) is not nn.Sequential or not all(p.requires_grad for p in model.parameters()):
        return False
    linear = [place for place, layer in enumerate(model) if is_linear(layer)]
    return (
        bool(linear)
        and any(map(is_flatten, model[: linear[0]]))
        and all(type(layer) is not lab.Centre for layer in model[1:])
        and all(is_linear(m) or is_flatten(m) or type(m) in (lab.Centre, lab.Dropout, *ACTIVATIONS) for m in model)
    )


def is_linear(layer: nn.Module) -> bool:
    return type(layer) in (nn.Linear, lab.Linear) and layer.bias is not None


def is_flatten(layer: nn.Module) -> bool:
    return type(layer) is nn.Flatten and (layer.start_dim, layer.end_dim) == (1, -1)


def check_alike(models: Sequence[nn.Module]) -> None:
    """Refuse models that cannot be stacked, or not with one another."""
    for place, model in enumerate(models):
        if not can_stack(model):
            raise Mistake(
                "models trained at once must be made of Flatten, Linear, Sigmoid, Tanh, ReLU and the lab's Centre and "
                f"Dropout, all of it trainable; number {place} is not."
            )
        if plan_of(model) != plan_of(models[0]):
            raise Mistake(f"models trained at once must have the same layers; number {place} differs from the first.")


def plan_of(model: nn.Sequential) -> list[tuple]:
    return [(type(layer), getattr(layer, "p", 0), [p.shape for p in layer.parameters()]) for layer in model]


# ---- layers
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
        self.layers = [stacked_layer(layers, shape) for layers in zip(*models, strict=True) if is_kept(layers[0])]
        self.products = [layer for layer in self.layers if isinstance(layer, Product)]
        self.masks = [layer for layer in self.layers if isinstance(layer, Masks)]
        self.parameters = [p for layer in self.products for p in (layer.weight, layer.bias)]

    def forward(self, a: torch.Tensor, counts: Sequence[int] = ()) -> torch.Tensor:
        """Records (M, batch, d) to logits (M, batch, classes); counts: as of ``Masks``."""
        for layer in self.masks:
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

    @torch.no_grad()
    def write(self) -> None:
        for place, model in enumerate(self.models):
            for own, stacked in zip(model.parameters(), self.parameters, strict=True):
                own.copy_(stacked[place].view_as(own))
            model.eval()


def is_kept(layer: nn.Module) -> bool:
    """Records are flat already, and dropping nothing needs no layer."""
    return not is_flatten(layer) and not (isinstance(layer, lab.Dropout) and layer.p == 0)


def stacked_layer(layers: Sequence[nn.Module], shape: Sequence[int]) -> Product | Activation | Masks | Shift:
    if is_linear(layers[0]):
        return Product(layers)
    if isinstance(layers[0], lab.Centre):
        return Shift(layers, shape)
    return Masks(layers) if isinstance(layers[0], lab.Dropout) else Activation(layers)

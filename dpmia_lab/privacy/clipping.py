"""The clipped sum of unit gradients, without ever holding the gradient of every unit (A, Algorithm 2, lines 5-9).

The gradient of a unit is the mean over its records, g_u = 1/|u| Σ_{i∈u} ∇ℓ_i, clipped to norm S. One backward pass
gives each layer's output errors; with the layer's inputs they tell every ‖g_u‖ (see ``layers.py``), and one
weighted product per layer gives Σ_u min(1, S/‖g_u‖)·g_u.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.groups import Groups
from dpmia_lab.privacy.layers import KINDS, check_options, layer_terms

AT_ONCE = 600  # records of large units; 12,000 at once take 1.5 times as long, and twenty times the memory


@dataclass(frozen=True)
class ClippedSum:
    """gradients: one tensor a trainable parameter, in the model's order;  norms: (units,) before clipping."""

    gradients: list[torch.Tensor]
    norms: torch.Tensor
    loss: torch.Tensor  # mean over the drawn units


class Clipper:
    """Clipped gradient sums of one model, which must be made of layers whose unit gradients are known."""

    def __init__(self, model: nn.Module) -> None:
        check_layers(model)
        self.model = model
        self.parameters = [p for p in model.parameters() if p.requires_grad]
        if not self.parameters:
            raise Mistake("a private model must have a parameter to train; it has none.")
        self.layers = {n: layer for n, layer in model.named_modules() if has_trainable(layer)}

    def clipped_sum(self, x: torch.Tensor, y: torch.Tensor, groups: Groups, clip: float) -> ClippedSum:
        """x: (n, …) records, unit after unit;  y: (n,);  groups: how many records each unit has.

        Large units go through some at a time: what a network computes on the way then stays in the cache.
        """
        if groups.singles or len(x) <= AT_ONCE:
            return self.sum_at_once(x, y, groups, clip)
        parts = [self.sum_at_once(x[own], y[own], few, clip) for own, few in groups.parts(AT_ONCE)]
        gradients = [torch.stack(terms).sum(0) for terms in zip(*(one.gradients for one in parts), strict=True)]
        losses = torch.stack([one.loss * len(one.norms) for one in parts])
        return ClippedSum(gradients, torch.cat([one.norms for one in parts]), losses.sum() / groups.count)

    def sum_at_once(self, x: torch.Tensor, y: torch.Tensor, groups: Groups, clip: float) -> ClippedSum:
        inputs, outputs, logits = self.recorded_forward(x)
        error, loss = unit_errors(logits, y, groups)  # (n, classes)
        errors = self.output_errors(logits, outputs, error)
        with torch.no_grad():
            terms = [
                term
                for name, e in zip(outputs, errors, strict=True)
                if e is not None  # a layer that cannot reach the loss has no gradient
                for term in layer_terms(self.layers[name], inputs[name], e, groups)
            ]
            squares = sum((term.squares for term in terms), error.new_zeros(groups.count))
            norms = squares.clamp(min=0).sqrt()  # rounding may leave −1e-9 of a Gram sum
            factors = (clip / norms.clamp(min=1e-30)).clamp(max=1.0)
            sums = {term.parameter: term.total(factors) for term in terms}
        gradients = [sums[p] if p in sums else torch.zeros_like(p) for p in self.parameters]
        return ClippedSum(gradients, norms, loss)

    def recorded_forward(self, x: torch.Tensor) -> tuple[dict, dict, torch.Tensor]:
        """What went into and came out of each layer with parameters, by name, in the order of their calls."""
        inputs, outputs, versions = {}, {}, {}

        def record(name: str):
            def hook(_, given, output):
                if name in outputs:
                    raise Mistake(f"each layer must be used once in a forward pass; {name} is used again.")
                a = inputs[name] = given[0].detach()
                if len(a) != len(x):
                    raise Mistake(f"each layer's input must have one row a record; {name}'s has {len(a)} for {len(x)}.")
                outputs[name], versions[name] = output, (a._version, output._version)

            return hook

        handles = [layer.register_forward_hook(record(n)) for n, layer in self.layers.items()]
        try:
            with torch.enable_grad():
                logits = self.model(x)
        finally:
            for handle in handles:
                handle.remove()
        for name, output in outputs.items():
            if (inputs[name]._version, output._version) != versions[name]:
                raise Mistake(f"no layer's input or output may be changed in place (use inplace=False); {name}'s was.")
        return inputs, outputs, logits

    @staticmethod
    def output_errors(logits: torch.Tensor, outputs: dict, error: torch.Tensor) -> Sequence[torch.Tensor | None]:
        """The gradient at each layer's output; no weight's gradient is computed on the way."""
        if len(outputs) == 1 and next(iter(outputs.values())) is logits:
            return [error]  # softmax regression: the closed form, without a backward pass
        return torch.autograd.grad(logits, list(outputs.values()), error, allow_unused=True)


@torch.no_grad()
def unit_errors(logits: torch.Tensor, y: torch.Tensor, groups: Groups) -> tuple[torch.Tensor, torch.Tensor]:
    """(n, classes): the gradient of each unit's mean cross-entropy at the logits; and the mean over units."""
    log_p = F.log_softmax(logits, dim=1)
    losses = log_p.gather(1, y[:, None]).neg()
    error = log_p.exp().scatter_add_(1, y[:, None], torch.full_like(losses, -1))
    if not groups.singles:
        share = groups.to_records(groups.sizes.to(error.dtype).reciprocal())[:, None]  # 1/|u|
        error, losses = error * share, losses * share
    return error, losses.sum() / groups.count


def has_trainable(layer: nn.Module) -> bool:
    return any(p.requires_grad for p in layer.parameters(recurse=False))


def is_known(layer: nn.Module) -> bool:
    """Whether ``layers.py`` finds its unit gradients; a subclass with further parameters would leave those out."""
    names = {name for name, _ in layer.named_parameters(recurse=False)}
    return isinstance(layer, KINDS) and names <= {"weight", "bias"}


def check_layers(model: nn.Module) -> None:
    """Refuse, in one sentence that names the layer, what cannot be trained privately."""
    seen: dict[int, str] = {}
    for name, layer in model.named_modules():
        words = f"{name or 'the model itself'} is a {type(layer).__name__}"
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            raise Mistake(
                f"a private model must have no batch normalisation, since it mixes records and no record's part "
                f"could be bounded (GroupNorm is the usual replacement); {words}."
            )
        if isinstance(layer, nn.modules.dropout._DropoutNd) and layer.p > 0 and layer.training:
            raise Mistake(
                f"a private model must have no dropout that draws from the global generator, since the same seed "
                f"would not give the same run (models.Dropout has a generator of its own); {words}."
            )
        if has_trainable(layer) and not is_known(layer):
            allowed = ", ".join(kind.__name__ for kind in KINDS)
            raise Mistake(f"every layer with parameters must be one of {allowed}; {words}.")
        check_options(name, layer)
        for parameter in layer.parameters(recurse=False):
            if seen.setdefault(id(parameter), name) != name:
                raise Mistake(f"layers must not share parameters; {seen[id(parameter)]} and {name} do.")

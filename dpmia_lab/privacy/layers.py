"""What each kind of layer adds to a unit's gradient, from the layer's inputs a and the errors e at its outputs.

Linear and convolution: a record gives T rows of inputs (d numbers) and errors (p numbers), and the unit's weight
gradient is G_u = Σ e aᵀ over its rows. Its squared norm is found in the cheaper of two ways:
  Gram:    ‖G_u‖² = Σ_ij (e_i·e_j)(a_i·a_j) over pairs of rows, for wide layers and small units;
  direct:  G_u itself, held, for narrow layers (convolutions) and large units.
The errors already carry 1/|u|, so sums over a unit are means over its records.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.groups import Groups

KINDS = (nn.Linear, nn.Conv2d, nn.GroupNorm, nn.LayerNorm, nn.Embedding)
AT_A_TIME = 600_000  # numbers worked on at once: as many as the processor's cache holds


@dataclass(frozen=True)
class Term:
    """One parameter's share of every unit's gradient."""

    parameter: nn.Parameter
    squares: torch.Tensor  # (units,): what it adds to ‖g_u‖²
    total: Callable[[torch.Tensor], torch.Tensor]  # factors (units,) → Σ_u factor_u · g_u, in the parameter's shape


def layer_terms(layer: nn.Module, a: torch.Tensor, e: torch.Tensor, groups: Groups) -> Iterator[Term]:
    """The terms of a layer's trainable parameters.  a: its input (n, …);  e: the error at its output (n, …)."""
    if isinstance(layer, nn.Embedding):
        yield embedding_term(layer, a, e, groups)
        return
    if isinstance(layer, nn.GroupNorm | nn.LayerNorm):
        weights, biases = scale_gradients(layer, a, e)
        weight_term = partial(held_term, layer.weight, groups.sums(weights))
    else:
        rows = convolution_rows(layer, a, e) if isinstance(layer, nn.Conv2d) else linear_rows(a, e)
        weight_term, biases = partial(product_term, layer.weight, rows, groups), rows.e.sum(2)
    if layer.weight.requires_grad:
        yield weight_term()
    if layer.bias is not None and layer.bias.requires_grad:
        yield held_term(layer.bias, groups.sums(biases))


def held_term(parameter: nn.Parameter, gradients: torch.Tensor, order: Callable = lambda total: total) -> Term:
    """gradients: (units, …), small enough to be held; ``order`` puts a sum of them into the parameter's order."""
    flat = gradients.flatten(1)
    squares = torch.linalg.vector_norm(flat, dim=1).square()
    return Term(parameter, squares, lambda factors: order(factors @ flat).reshape(parameter.shape))


# ---- linear and convolution
@dataclass(frozen=True)
class Rows:
    """Inputs and errors row by row: T rows a record, in ``parts`` (the groups of a grouped convolution, else 1)."""

    a: torch.Tensor  # (n, parts, …): a view; ``inputs`` lays it out
    e: torch.Tensor  # (n, parts, T, p)
    d: int
    order: Callable  # from (parts · p · d,) to the weight's own order

    def inputs(self, chosen: slice | torch.Tensor = slice(None)) -> torch.Tensor:
        """(m, parts, T, d)."""
        _, parts, rows, _ = self.e.shape
        return self.a[chosen].reshape(-1, parts, rows, self.d)


def linear_rows(a: torch.Tensor, e: torch.Tensor) -> Rows:
    e = e.reshape(len(e), 1, -1, e.shape[-1])
    return Rows(a.reshape(len(a), 1, -1, a.shape[-1]), e, a.shape[-1], lambda total: total)


def convolution_rows(layer: nn.Conv2d, a: torch.Tensor, e: torch.Tensor) -> Rows:
    """A row is what lies under the filter at one of its T places: (high, wide, channels), channels running fastest."""
    mode = "constant" if layer.padding_mode == "zeros" else layer.padding_mode
    padded = F.pad(a, layer._reversed_padding_repeated_twice, mode=mode).permute(0, 2, 3, 1).contiguous()
    n, _, _, channels = padded.shape
    one, down, right, _ = padded.stride()
    (high, wide), (gap_y, gap_x), (step_y, step_x) = layer.kernel_size, layer.dilation, layer.stride
    parts, few = layer.groups, channels // layer.groups
    under = padded.as_strided(
        (n, parts, *e.shape[2:], high, wide, few),
        (one, few, step_y * down, step_x * right, gap_y * down, gap_x * right, 1),
    )

    def order(total: torch.Tensor) -> torch.Tensor:
        return total.view(layer.out_channels, high, wide, few).permute(0, 3, 1, 2)

    return Rows(under, e.reshape(n, parts, e.shape[1] // parts, -1).transpose(2, 3), high * wide * few, order)


def product_term(weight: nn.Parameter, rows: Rows, groups: Groups) -> Term:
    n, parts, places, p = rows.e.shape
    if parts > 1 or groups.pairs(places) * (p + rows.d) > n * places * p * rows.d:
        return held_term(weight, unit_products(rows, groups), rows.order)
    a, e = rows.inputs().squeeze(1), rows.e.squeeze(1)

    def total(factors: torch.Tensor) -> torch.Tensor:
        weighted = e * groups.to_records(factors)[:, None, None]
        return rows.order(weighted.flatten(0, 1).T @ a.flatten(0, 1)).reshape(weight.shape)

    return Term(weight, gram_squares(a, e, groups), total)


def unit_products(rows: Rows, groups: Groups) -> torch.Tensor:
    """(units, parts, p, d): Σ e aᵀ over each unit's rows, some units and some of their records at a time."""
    _, parts, places, p = rows.e.shape
    at_a_time = max(1, AT_A_TIME // (parts * places * rows.d))  # records
    sums = rows.e.new_zeros(groups.count, parts, p, rows.d)
    if groups.singles:
        for start in range(0, groups.count, at_a_time):
            chosen = slice(start, start + at_a_time)
            sums[chosen] = rows.e[chosen].mT @ rows.inputs(chosen)
        return sums
    for units, records, there in groups.blocks:
        wide = min(records.shape[1], at_a_time)
        for few in torch.arange(len(units), device=units.device).split(max(1, at_a_time // wide)):
            for chosen, real in zip(records[few].split(wide, 1), there[few].split(wide, 1), strict=True):
                a = rows.inputs(chosen.flatten())
                e = rows.e[chosen.flatten()] * real.flatten()[:, None, None, None]  # padding counts as no error
                a, e = (v.unflatten(0, chosen.shape).transpose(1, 2).flatten(2, 3) for v in (a, e))
                sums[units[few]] += e.mT @ a  # (m, parts, wide·T, ·)
    return sums


def gram_squares(a: torch.Tensor, e: torch.Tensor, groups: Groups) -> torch.Tensor:
    """(units,): Σ_ij (e_i·e_j)(a_i·a_j) over the rows of each unit.  a: (n, T, d);  e: (n, T, p)."""
    if groups.singles and a.shape[1] == 1:
        lengths = torch.linalg.vector_norm(a, dim=(1, 2)), torch.linalg.vector_norm(e, dim=(1, 2))
        return (lengths[0] * lengths[1]).square()
    if groups.even:
        return gram_sums(a.reshape(groups.count, -1, a.shape[2]), e.reshape(groups.count, -1, e.shape[2]))
    squares = a.new_empty(groups.count)
    for units, records, there in groups.blocks:
        padded = e[records] * there[:, :, None, None]
        squares[units] = gram_sums(a[records].flatten(1, 2), padded.flatten(1, 2))
    return squares


def gram_sums(a: torch.Tensor, e: torch.Tensor) -> torch.Tensor:
    """(m,): for blocks of rows a (m, rows, d) and e (m, rows, p).

    Where rows nearly cancel, rounding could hide what is left of them and the clip would be missed. So what
    rounding may hide is added: a few units in the last place of the square of what the rows are without cancelling.
    """
    products = (a @ a.mT).mul_(e @ e.mT)
    lengths = products.diagonal(dim1=1, dim2=2).sqrt().sum(1)
    return products.sum((1, 2)) + 8 * torch.finfo(a.dtype).eps * lengths.square()


# ---- normalisation and embedding
def scale_gradients(layer: nn.GroupNorm | nn.LayerNorm, a: torch.Tensor, e: torch.Tensor) -> tuple:
    """Of each record: the gradients of the scale and of the shift."""
    if isinstance(layer, nn.GroupNorm):
        normal = F.group_norm(a, layer.num_groups, eps=layer.eps)
        channels = (*e.shape[:2], -1)  # whatever places a channel has, or none
        return (e * normal).reshape(channels).sum(2), e.reshape(channels).sum(2)
    normal = F.layer_norm(a, layer.normalized_shape, eps=layer.eps)
    places = tuple(range(1, a.dim() - len(layer.normalized_shape)))  # positions that share the scale

    def over_places(values: torch.Tensor) -> torch.Tensor:
        return values.sum(places) if places else values

    return over_places(e * normal), over_places(e)


def embedding_term(layer: nn.Embedding, a: torch.Tensor, e: torch.Tensor, groups: Groups) -> Term:
    """a: (n, …) entries looked up.  A unit that looks an entry up several times adds those errors before squaring."""
    entries, errors = a.reshape(-1), e.reshape(-1, e.shape[-1])
    if layer.padding_idx is not None:
        errors = errors * (entries != layer.padding_idx)[:, None]
    units = groups.of_records.repeat_interleave(a[0].numel())
    pairs, place = torch.unique(units * layer.num_embeddings + entries, return_inverse=True)
    sums = errors.new_zeros(len(pairs), errors.shape[1]).index_add_(0, place, errors)
    squares = errors.new_zeros(groups.count).index_add_(0, pairs // layer.num_embeddings, sums.square().sum(1))

    def total(factors: torch.Tensor) -> torch.Tensor:
        return torch.zeros_like(layer.weight).index_add_(0, entries, errors * factors[units][:, None])

    return Term(layer.weight, squares, total)


def check_options(name: str, layer: nn.Module) -> None:
    """Options under which a layer's gradient is no longer a sum over records."""
    if isinstance(layer, nn.Embedding) and (layer.max_norm is not None or layer.scale_grad_by_freq):
        raise Mistake(f"an embedding must have neither max_norm nor scale_grad_by_freq; {name} has.")

"""DP-SGD of softmax regression, many models at once, in the span of the training inputs: exact, and much cheaper.

A record's gradient is x_i ⊗ e_i, e_i the error at its logits: every gradient lies in the span of the inputs, r ≤ n of d
dimensions. With Q (d, r) an orthonormal basis of it, logits W·x_i, clipping norms and gradients depend on W through
W·Q alone, and Gaussian noise looks the same in any orthonormal basis: its part within the span is Gaussian noise of
r dimensions, its part across is independent of it and of everything else. That part is never looked at, so its T draws
add up: N(0, T·(ησS/(qN))²) a weight, drawn once at the end (``across``). Momentum or another start than 0 would differ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch.nn import functional as F

from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.stages import Progress, Stage, part
from dpmia_lab.training.asked import check_rates, check_records

AT_ONCE = 300_000  # weights trained at once: they and their noise stay in the processor's cache
BLOCK = 32  # steps whose joiners are drawn at once


@dataclass(frozen=True)
class Span:
    """What training needs of the inputs, centred already.  basis: (d, r), or None where the inputs span everything.

    coordinates: (n, r + 1), the last one 1 for the bias, whose gradient counts in the clipped norm.
    """

    basis: torch.Tensor | None
    coordinates: torch.Tensor

    @property
    def size(self) -> int:
        return self.coordinates.shape[1]

    def coordinates_of(self, x: torch.Tensor) -> torch.Tensor:
        """(m, r + 1) of other inputs (m, d); what lies across the span is lost."""
        inside = x if self.basis is None else x @ self.basis
        return F.pad(inside, (0, 1), value=1.0)


def span_of(x: torch.Tensor) -> Span:
    """x: (n, d) centred inputs.  The basis is found in double precision, by the smaller of the two Gram matrices."""
    if len(x) >= x.shape[1]:
        return Span(None, F.pad(x, (0, 1), value=1.0))
    exact = x.double()
    values, vectors = torch.linalg.eigh(exact @ exact.T)  # squares of the singular values, rising
    kept = values > 1e-10 * values[-1].clamp(min=1e-30)
    basis = torch.linalg.qr(exact.T @ (vectors[:, kept] / values[kept].sqrt()))[0]
    return Span(basis.to(x.dtype), F.pad((exact @ basis).to(x.dtype), (0, 1), value=1.0))


def train(
    span: Span,
    y: torch.Tensor,  # (n,)
    classes: int,
    dp: DpSgd,
    *,
    rate: float,  # η
    generators: Sequence[torch.Generator],  # one a model
) -> Stage[torch.Tensor]:
    """(models, r + 1, classes): each as ``private.train`` with records as units would train it, seen from the span."""
    check_rates(rate=rate)
    check_records(span.coordinates, y)
    chunk = max(1, AT_ONCE // (span.size * classes))
    trained = []
    for start in range(0, len(generators), chunk):
        own = generators[start : start + chunk]
        descent = Descent(span, y, classes, dp, rate, len(own))
        stage = descended(descent, Draws(own, len(y), dp.q, descent.weights.shape[1:]))
        yield from part(stage, start / len(generators), (start + len(own)) / len(generators))
        trained.append(descent.weights)
    return torch.cat(trained)


def descended(descent: "Descent", draws: "Draws") -> Stage[None]:
    """All steps of one chunk of models."""
    dp = descent.dp
    for step, (chosen, present) in zip(range(1, dp.steps + 1), draws.joined(), strict=False):
        descent.step(chosen, present, draws.noise() if dp.sigma else None)
        yield Progress(step, dp.steps, "training")


class Descent:
    """Models on their way.  weights: (models, r + 1, classes), from 0."""

    def __init__(self, span: Span, y: torch.Tensor, classes: int, dp: DpSgd, rate: float, models: int) -> None:
        self.x, self.y, self.dp = span.coordinates, y, dp
        self.lengths = self.x.norm(dim=1)  # of inputs with their 1: ‖gradient‖ = length · ‖error‖
        self.scale = rate / (dp.q * len(y))
        self.weights = self.x.new_zeros(models, span.size, classes)

    @torch.no_grad()
    def step(self, chosen: torch.Tensor, present: torch.Tensor, noise: torch.Tensor | None) -> None:
        """chosen: (models, most) records, of which those ``present`` joined;  noise: like the weights, N(0, 1)."""
        x = self.x.index_select(0, chosen.flatten()).view(*chosen.shape, self.x.shape[1])
        error = torch.bmm(x, self.weights).softmax(2)
        error.scatter_add_(2, self.y[chosen][:, :, None], error.new_full((), -1.0).expand(*chosen.shape, 1))
        norms = self.lengths[chosen] * error.norm(dim=2)
        factors = (self.dp.clip / norms.clamp(min=1e-30)).clamp(max=1.0) * present
        self.weights.baddbmm_(x.transpose(1, 2), error.mul_(factors[:, :, None]), alpha=-self.scale)
        if noise is not None:
            self.weights.sub_(noise, alpha=self.scale * self.dp.sigma * self.dp.clip)


class Draws:
    """Who joins each step, and its noise: each model from its own generator."""

    def __init__(self, generators: Sequence[torch.Generator], n: int, q: float, shape: Sequence[int]) -> None:
        self.generators, self.n, self.q = generators, n, q
        self.room = torch.empty(len(generators), *shape)

    def joined(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Step after step: records (models, most), and which of them are no padding."""
        while True:
            draws = [torch.rand(BLOCK, self.n, generator=own, dtype=torch.float64) < self.q for own in self.generators]
            yield from map(packed, torch.stack(draws, 1))

    def noise(self) -> torch.Tensor:
        for own, generator in zip(self.room, self.generators, strict=True):
            own.normal_(generator=generator)
        return self.room


def packed(joins: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(models, n) of true and false → the places of the true ones (models, most), and which are no padding."""
    counts = joins.sum(1)
    present = torch.arange(int(counts.max())) < counts[:, None]
    chosen = torch.zeros(present.shape, dtype=torch.long)
    chosen[present] = joins.nonzero()[:, 1]
    return chosen, present


def across_deviation(dp: DpSgd, n: int, rate: float) -> float:
    """√T·ησS/(qN): of each weight across the span, after T steps."""
    return dp.steps**0.5 * rate * dp.sigma * dp.clip / (dp.q * n) if dp.sigma else 0.0


@torch.no_grad()
def full_weights(
    span: Span, weights: torch.Tensor, deviation: float, generators: Sequence[torch.Generator]
) -> tuple[torch.Tensor, torch.Tensor]:
    """(models, r + 1, classes) → weights (models, classes, d) with their part across the span, and biases."""
    inside, bias = weights[:, :-1].transpose(1, 2), weights[:, -1]  # (models, classes, r)
    if span.basis is None:
        return inside.contiguous(), bias
    shape = inside.shape[1], len(span.basis)
    # The noise is cut down to its part across and the part within put in: (E − E·Q·Qᵀ)·s + w·Qᵀ, in one product.
    full = torch.stack([torch.randn(shape, generator=own, dtype=weights.dtype) for own in generators]).mul_(deviation)
    return full.add_((inside - full @ span.basis) @ span.basis.T), bias

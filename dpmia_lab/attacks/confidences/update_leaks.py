"""Update leaks (Salem et al. 2020; B7): what a model learned anew shows in how its answers changed.

A model is updated on one record. The attacker asks about the same probe pictures before and after, and from the change
of the answers tells the record's label and draws its picture. He learns to do so from *shadow updates*: the model
before the update, updated once on each of his own records. The published code tells the label, the paper draws the
picture; here both are done.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.attacks.confidences.side_by_side import Weights, copies, gradients_of_all, logits_of_all
from dpmia_lab.attacks.confidences.views import FLOOR
from dpmia_lab.stages import Progress, Stage
from dpmia_lab.training.bottleneck import place_of

AT_ONCE = 20  # updates side by side
LEAST_MOVED, FARTHEST = 1e-3, 5.0


@dataclass(frozen=True)
class Update:
    """One step of gradient descent on the cross-entropy of one record.

    ``clip`` and ``sigma``: the gradient is clipped to that norm and N(0, σ²·clip²) is added, as DP-SGD would.
    """

    rate: float
    clip: float = torch.inf
    sigma: float = 0.0


class Draws:
    """All the random numbers of one update, so that it comes out the same alone and among others."""

    def __init__(self, model: nn.Sequential, update: Update, probes: int, generator: torch.Generator) -> None:
        self.training = code_noise(model, 1, generator)
        self.answering = code_noise(model, probes, generator)
        noisy = list(model.parameters()) if update.sigma else []
        self.private = [torch.randn(p.shape, generator=generator) for p in noisy]


def code_noise(model: nn.Sequential, count: int, generator: torch.Generator) -> torch.Tensor:
    """(count, code); of no width where the model has no noisy code."""
    place = place_of(model)
    return torch.randn(count, 0 if place is None else model[place].code, generator=generator)


def answers_after(
    model: nn.Sequential,
    update: Update,
    x: torch.Tensor,  # (m, channels, height, width): an update on each by itself
    y: torch.Tensor,  # (m,)
    probes: torch.Tensor,  # (n, channels, height, width)
    generator: torch.Generator,
    at_once: int = AT_ONCE,
) -> Stage[torch.Tensor]:
    """(m, n, classes): confidences about the probes after each update; a noisy code draws anew throughout."""
    model.eval()
    found = []
    for start in range(0, len(x), at_once):
        some = slice(start, start + at_once)
        draws = [Draws(model, update, len(probes), generator) for _ in y[some]]
        weights = updated(model, update, x[some], y[some], draws)
        answering = torch.stack([one.answering for one in draws]).to(x.device)
        found.append(confidences(model, weights, probes, answering))
        yield Progress(min(start + at_once, len(x)), len(x), "updating shadow models")
    return torch.cat(found)


def answers_before(model: nn.Sequential, probes: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """(n, classes)."""
    model.eval()
    noise = code_noise(model, len(probes), generator).to(probes.device)
    return confidences(model, copies(model, 1), probes, noise[None])[0]


def updated(model: nn.Sequential, update: Update, x: torch.Tensor, y: torch.Tensor, draws: list[Draws]) -> Weights:
    """(m, …) each: θ − η·g, of every record its own."""
    training = torch.stack([one.training for one in draws]).to(x.device)  # (m, 1, code)
    with torch.enable_grad():
        weights = [w.clone().requires_grad_() for w in copies(model, len(x))]
        logits = logits_of_all(model, weights, x[:, None], training)[:, 0]
        gradients = gradients_of_all(F.cross_entropy(logits, y, reduction="none"), weights)
    norms = torch.stack([g.flatten(1).square().sum(1) for g in gradients]).sum(0).sqrt()  # (m,)
    scale = (update.clip / norms.clamp_min(1e-12)).clamp_max(1.0)
    stepped = []
    for place, (w, g) in enumerate(zip(weights, gradients, strict=True)):
        g = scale.view(-1, *[1] * (g.ndim - 1)) * g
        if update.sigma:
            g = g + update.sigma * update.clip * torch.stack([one.private[place] for one in draws]).to(g.device)
        stepped.append(w.detach() - update.rate * g)
    return stepped


@torch.no_grad()
def confidences(model: nn.Sequential, weights: Weights, probes: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
    """(m, n, classes): all networks about the same probes."""
    asked = probes.expand(len(weights[0]), *probes.shape)
    return F.softmax(logits_of_all(model, weights, asked, noise), dim=2)


def changes(before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    """(m, n·classes): logarithms of after (m, n, classes) minus those of before (n, classes)."""
    return (after.clamp_min(FLOOR).log() - before.clamp_min(FLOOR).log()).flatten(1)


def comparable(shadows: torch.Tensor, attacked: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Changes (m, d) in the shadow updates' standard deviations, none beyond ±FARTHEST.

    Answers that hardly moved in any shadow update are left out: nothing was learned about what they mean. If none moved
    at all (a network that is wholly sure, or answers of labels alone), all changes are 0 and say nothing.
    """
    deviation = shadows.std(0)
    moved = deviation > LEAST_MOVED * deviation.max()
    if not moved.any():
        return torch.zeros_like(shadows), torch.zeros_like(attacked)
    mean, unit = shadows.mean(0)[moved], deviation[moved]
    return tuple(((x[:, moved] - mean) / unit).clamp(-FARTHEST, FARTHEST) for x in (shadows, attacked))

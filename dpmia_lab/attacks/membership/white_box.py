"""White box membership inference (Nasr et al. 2019; paper C, section 3.2).

The attacker knows for half of the records whether they are members, and sees inside the model: softmax vector, loss,
the last layer's gradient, and the label. Each feature passes through a component of its own; an encoder joins them.
The known half trains the attack (a part of it decides when to stop); only the other half is scored.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.attacks.membership.signals import LEAST, log_odds
from dpmia_lab.checks import Mistake
from dpmia_lab.models import Linear, initialised
from dpmia_lab.stages import Progress, Stage
from dpmia_lab.training.optimizers import Adam

FILTERS, WIDTH = 16, 64
EPOCHS, PATIENCE, BATCH, RATE, DECAY = 24, 4, 64, 1e-3, 1e-3
VALIDATION = 0.2  # share of the known half that only decides when to stop


@dataclass(frozen=True)
class Features:
    """What the target shows of n records.

    The gradient of the last layer's weights is the outer product of its inputs and the errors at its outputs
    (softmax − one-hot); it is given, and used, without ever being multiplied out.
    """

    confidences: np.ndarray  # (n, C)
    losses: np.ndarray  # (n,)
    inputs: np.ndarray  # (n, d), h
    errors: np.ndarray  # (n, C), e
    y: np.ndarray  # (n,)


def known_half(count: int, rng: np.random.Generator) -> np.ndarray:
    """(count,) bool: those the attacker knows, half of members and outsiders alike, by a coin for each.

    Who they are does not depend on membership, so that an audit of the others' scores stays valid.
    """
    return rng.random(count) < 0.5


def white_box_scores(
    features: Features, member: np.ndarray, known: np.ndarray, generator: torch.Generator
) -> Stage[np.ndarray]:
    """(n,): the attack network's log-odds of "member"; NaN for the known half, which must never be evaluated.

    ``member`` is read where ``known`` is true and nowhere else.
    """
    known, truth = np.asarray(known, dtype=bool), np.asarray(member, dtype=bool)[known]
    if min(truth.sum(), (~truth).sum()) < 4:
        raise Mistake(f"known must hold 4 members and 4 outsiders; it holds {truth.sum()} and {(~truth).sum()}.")
    inputs = standardised(features, known)
    yield Progress(0, EPOCHS, "attack network")
    network = AttackNetwork(features.confidences.shape[1], features.inputs.shape[1], generator)
    seen = tuple(part[torch.from_numpy(known)] for part in inputs)
    yield from trained(network, seen, torch.from_numpy(truth.astype(np.float32)), generator)
    scores = np.full(len(known), np.nan)
    hidden = torch.from_numpy(~known)
    scores[~known] = network_scores(network, tuple(part[hidden] for part in inputs)).double().numpy()
    return scores


Inputs = tuple[torch.Tensor, ...]  # softmax (n, C), loss (n, 1), one-hot label (n, C), h (n, d), e (n, C)


def standardised(features: Features, known: np.ndarray) -> Inputs:
    """Mean 0 and deviation 1 over the known half; h and e by one scale each, so that e·hᵀ stays the gradient.

    Softmax as log-odds and loss as logarithm: a network does not see the fifth decimal, where sure models differ.
    """

    def centred(values: np.ndarray) -> np.ndarray:
        return (values - values[known].mean(0)) / (values[known].std(0) + 1e-6)

    def scaled(values: np.ndarray) -> np.ndarray:
        return values / (np.sqrt(np.mean(values[known] ** 2)) + 1e-12)

    columns = (
        centred(log_odds(features.confidences)),
        centred(np.log(np.maximum(np.asarray(features.losses, dtype=np.float64), LEAST)))[:, None],
        np.eye(features.confidences.shape[1])[features.y],
        scaled(np.asarray(features.inputs, dtype=np.float64)),
        scaled(np.asarray(features.errors, dtype=np.float64)),
    )
    return tuple(torch.from_numpy(column.astype(np.float32)) for column in columns)


class AttackNetwork(nn.Module):
    """One component a feature, joined by an encoder that ends in one number."""

    def __init__(self, classes: int, d: int, generator: torch.Generator) -> None:
        super().__init__()

        def layers(*widths: int) -> nn.Sequential:
            made = [part for a, b in zip(widths, widths[1:], strict=False) for part in (Linear(a, b), nn.ReLU())]
            return initialised(nn.Sequential(*made), generator)

        self.outputs, self.loss, self.label = layers(classes, WIDTH), layers(1, WIDTH // 4), layers(classes, WIDTH // 4)
        self.filters = nn.Parameter(torch.randn(d, FILTERS, generator=generator) / d**0.5)
        self.gradient = layers(classes * FILTERS, WIDTH)
        self.encoder = layers(2 * WIDTH + 2 * (WIDTH // 4), WIDTH)
        self.score = initialised(nn.Sequential(Linear(WIDTH, 1)), generator)

    def forward(self, outputs, loss, label, h, e) -> torch.Tensor:
        response = gradient_responses(h, e, self.filters).relu()
        parts = (self.outputs(outputs), self.loss(loss), self.label(label), self.gradient(response.flatten(1)))
        return self.score(self.encoder(torch.cat(parts, 1))).squeeze(1)


def gradient_responses(h: torch.Tensor, e: torch.Tensor, filters: torch.Tensor) -> torch.Tensor:
    """(n, C, filters): each filter (d,) run over the fan-in of each output unit of the gradient e·hᵀ (n, C, d).

    A convolution of kernel 1×d over that matrix; since the matrix has rank 1, e_c·(h·F) is the same number.
    """
    return e[:, :, None] * (h @ filters)[:, None, :]


def trained(network: AttackNetwork, inputs: Inputs, truth: torch.Tensor, generator: torch.Generator) -> Stage[None]:
    """Adam on cross-entropy until the loss of a held-out part has not fallen for some epochs; the best weights stay."""
    order = torch.randperm(len(truth), generator=generator)
    held, used = order.tensor_split([int(VALIDATION * len(order))])
    optimizer, best, best_state, since = Adam(network.parameters(), RATE, DECAY), float("inf"), {}, 0
    for epoch in range(EPOCHS):
        batches = used[torch.randperm(len(used), generator=generator)].split(BATCH)
        for number, batch in enumerate(batches):
            with torch.enable_grad():
                loss = cross_entropy(network, inputs, truth, batch)
                gradients = torch.autograd.grad(loss, optimizer.parameters)
            optimizer.step(gradients)
            yield Progress(epoch + number / len(batches), EPOCHS, "attack network", {"loss": float(loss.detach())})
        loss = held_out_loss(network, inputs, truth, held)
        best, since = (loss, 0) if loss < best else (best, since + 1)
        if since == 0:
            best_state = {name: value.clone() for name, value in network.state_dict().items()}
        if since == PATIENCE:
            break
    network.load_state_dict(best_state)
    yield Progress(EPOCHS, EPOCHS, "attack network", {"loss": best})


def cross_entropy(network: AttackNetwork, inputs: Inputs, truth: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
    return F.binary_cross_entropy_with_logits(network(*(part[rows] for part in inputs)), truth[rows])


@torch.no_grad()
def held_out_loss(network: AttackNetwork, inputs: Inputs, truth: torch.Tensor, held: torch.Tensor) -> float:
    return float(cross_entropy(network, inputs, truth, held))


@torch.no_grad()
def network_scores(network: AttackNetwork, inputs: Inputs, batch: int = 2048) -> torch.Tensor:
    pieces = [part.split(batch) for part in inputs]
    return torch.cat([network(*piece) for piece in zip(*pieces, strict=True)])

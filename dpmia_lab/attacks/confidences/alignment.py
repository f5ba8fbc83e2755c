"""Knowledge alignment (Yang et al. 2019; B6): a decoder from what a model says of a picture back to the picture.

The attacker has pictures of his own, asks the model about each, and trains a network on the pairs. It ends in the
principal components of his pictures: an error over pixels is then, but for a constant, a weighted error over a hundred
numbers, and a decoder is trained in a second.
"""

from dataclasses import dataclass

import torch
from torch import nn

from dpmia_lab.attacks.confidences.discriminator import Discriminator
from dpmia_lab.attacks.inversion.costs import snapshot_steps
from dpmia_lab.attacks.inversion.public_prior import PictureGaussian
from dpmia_lab.models import Linear, initialised
from dpmia_lab.stages import Progress, Snapshot, Stage
from dpmia_lab.training.optimizers import Adam


@dataclass(frozen=True)
class Decoder:
    """Inputs (n, d) to pictures; inputs are standardised as the attacker's own were."""

    layers: nn.Sequential
    basis: PictureGaussian
    mean: torch.Tensor  # (d,)
    deviation: torch.Tensor  # (d,)

    @torch.no_grad()
    def pictures(self, inputs: torch.Tensor) -> torch.Tensor:
        """(n, channels, height, width), cut to black and white."""
        return self.basis.pictures(self.layers(self.standardised(inputs))).clamp(0, 1)

    def standardised(self, inputs: torch.Tensor) -> torch.Tensor:
        return (inputs - self.mean) / self.deviation


def decoder_layers(inputs: int, width: int, outputs: int, generator: torch.Generator) -> nn.Sequential:
    layers = Linear(inputs, width), nn.ReLU(), Linear(width, width), nn.ReLU(), Linear(width, outputs)
    return initialised(nn.Sequential(*layers), generator)


def trained_decoder(
    inputs: torch.Tensor,  # (n, d): what the model said of the attacker's pictures
    pictures: torch.Tensor,  # (n, channels, height, width): these pictures
    basis: PictureGaussian,  # what they look like
    *,
    steps: int,
    generator: torch.Generator,
    shown: torch.Tensor | None = None,  # (m, d): inputs whose pictures are shown on the way
    adversarial: float = 0.0,  # weight of a discriminator's doubt
    width: int = 256,
    rate: float = 2e-3,
    batch: int = 64,
) -> Stage[Decoder]:
    """Adam on the mean squared error over pixels, its steps shrinking to none; one event a step.

    With a discriminator that learns alongside: + ``adversarial`` · what it charges for the drawings.
    """
    lengths = basis.directions.square().sum(1)  # (k,): each direction's variance
    wanted = (pictures - basis.mean).flatten(1) @ basis.directions.T / lengths.clamp_min(1e-12)
    weights = lengths / pictures[0].numel()  # of a squared error in z, for the mean over pixels
    decoder = Decoder(
        decoder_layers(inputs.shape[1], width, len(lengths), generator).to(inputs.device),
        basis,
        inputs.mean(0),
        inputs.std(0).clamp_min(1e-6),
    )
    given, frames = decoder.standardised(inputs), snapshot_steps(steps)
    optimizer = Adam(decoder.layers.parameters(), rate)
    discriminator = Discriminator(pictures, generator) if adversarial else None
    for step in range(1, steps + 1):
        chosen = torch.randint(len(inputs), (batch,), generator=generator).to(inputs.device)
        z = decoder.layers(given[chosen])
        error = (weights * (z - wanted[chosen]).square()).sum(1).mean()
        loss = error
        if discriminator is not None:
            drawn = basis.pictures(z)
            discriminator.learn(drawn)
            loss = error + adversarial * discriminator.doubt(drawn)
        optimizer.rate = rate * (1 - (step - 1) / steps)
        optimizer.step(torch.autograd.grad(loss, optimizer.parameters))
        yield Progress(step, steps, "training a decoder", {"error": float(error.detach())})
        if shown is not None and step in frames:
            yield Snapshot("reconstruction", step, decoder.pictures(shown).cpu().numpy())
    return decoder

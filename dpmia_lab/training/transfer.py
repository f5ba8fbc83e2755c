"""Faces by transfer (paper C, 4.4): a core trained on public people is kept, last layers are trained on private ones.

The core stays as it is, so a picture always has the same features. Training the last layers behind a frozen core
is therefore exactly training a small model on those features, only faster; and what holds of privacy for the one
holds for the other. A core ends by giving each picture's features mean 0 and deviation 1, so that rates and
clipping norms suit every core.
"""

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab import models
from dpmia_lab.checks import Mistake, one_of
from dpmia_lab.data.faces import generated_faces
from dpmia_lab.seeds import derived_seed, torch_generator
from dpmia_lab.stages import Progress, Stage, part
from dpmia_lab.torchvision_shim import import_torchvision
from dpmia_lab.training import plain

TORCHVISION = ("resnet18", "resnet34", "resnet50")
LEAST_SIDE = 64  # pixels, below which those networks see next to nothing
DRAWN_TOGETHER = 4  # public people, so that there is an event every tenth of a second
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of ImageNet's colours


# ---- a core of our own
def public_core(shape: tuple[int, int, int], seed: int, people: int = 100, pictures: int = 12) -> Stage[nn.Module]:
    """Trains on generated people of another seed, who are nobody's private ones.  (n, *shape) → (n, 128), frozen."""
    x, y = yield from part(public_people(shape, seed, people, pictures), 0.0, 0.4)
    network = models.small_cnn(shape, people, torch_generator(seed, "public core"))
    model = nn.Sequential(models.Standardise(), *network)
    order = torch_generator(seed, "public core", "order")
    training = plain.train(model, x, y, epochs=10, rate=0.002, adam=True, generator=order)
    yield from part(training, 0.4, 1.0, "training on public people")
    return frozen(nn.Sequential(*model[:-1], models.Standardise()))


def public_people(
    shape: tuple[int, int, int], seed: int, people: int, pictures: int
) -> Stage[tuple[torch.Tensor, torch.Tensor]]:
    """x (people·pictures, *shape), grey whatever the channels, and y."""
    channels, height, width = shape
    albums = []
    for first in range(0, people, DRAWN_TOGETHER):
        yield Progress(first, people, "drawing public people")
        few = derived_seed(seed, "public people", first)
        x, _ = generated_faces(DRAWN_TOGETHER, pictures, height, width, few)
        albums.append(x)
    x = np.concatenate(albums)[: people * pictures].repeat(channels, axis=1)
    return torch.from_numpy(x), torch.arange(people).repeat_interleave(pictures)


def frozen(model: nn.Module) -> nn.Module:
    return model.requires_grad_(False).eval()


@torch.no_grad()
def features(core: nn.Module, pictures: np.ndarray, batch: int = 256) -> np.ndarray:
    """(n, d) float32: what the core makes of pictures (n, channels, height, width), some at a time."""
    device = next(core.parameters()).device
    pieces = torch.from_numpy(pictures).split(batch)
    return torch.cat([core(piece.to(device)).cpu() for piece in pieces]).numpy()


# ---- a core the reader has
def torchvision_core(name: str, weights_file: Path) -> nn.Module:
    """One of torchvision's networks with weights from a file, without its last layer; frozen.

    The file holds a state dict, as torchvision publishes them or as ``torch.save(model.state_dict(), file)`` writes.
    Its last layer may be for any number of classes: it is not used. Pictures of any size, in [0, 1], grey or colour.
    """
    one_of(TORCHVISION, name=name)
    weights = {key: value for key, value in read_weights(weights_file).items() if not key.startswith("fc.")}
    with torch.random.fork_rng(devices=[]):  # its constructor draws from the global generator
        network = getattr(import_torchvision().models, name)(weights=None)
    network.fc = nn.Identity()
    try:
        network.load_state_dict(weights)
    except RuntimeError as error:
        raise Mistake(f"{weights_file}: the weights must be those of {name}; their names or shapes differ.") from error
    return frozen(nn.Sequential(ImageNetInput(), network, models.Standardise()))


def read_weights(file: Path) -> dict[str, torch.Tensor]:
    if not Path(file).is_file():
        raise Mistake(f"the file of weights must exist; there is none at {str(file)!r}.")
    try:
        weights = torch.load(file, map_location="cpu", weights_only=True)  # never runs what the file says
    except Exception as error:  # a damaged file makes it raise nearly anything
        raise Mistake(f"{file}: this must be a state dict saved by torch.save; it cannot be read.") from error
    if not isinstance(weights, dict) or not all(isinstance(value, torch.Tensor) for value in weights.values()):
        raise Mistake(f"{file}: this must be a state dict, names with tensors; it holds something else.")
    return weights


class ImageNetInput(nn.Module):
    """Pictures (n, 1 or 3, h, w) in [0, 1] as ImageNet's networks want them: three channels, standardised, not tiny."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mean", torch.tensor(MEAN).view(3, 1, 1))
        self.register_buffer("deviation", torch.tensor(DEVIATION).view(3, 1, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        least = min(x.shape[2:])
        if least < LEAST_SIDE:
            sides = [round(side * LEAST_SIDE / least) for side in x.shape[2:]]
            x = F.interpolate(x, size=sides, mode="bilinear", align_corners=False)
        return (x.expand(-1, 3, -1, -1) - self.mean) / self.deviation

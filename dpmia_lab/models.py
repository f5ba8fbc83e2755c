"""The models under attack, and the independent one that judges the pictures.

Each maps pictures (n, channels, height, width) to logits (n, classes). Weights come from a passed
generator: layers are made without their constructor's own draws, which would come from the global one.
"""

import math

import torch
from torch import nn
from torch.nn.utils import skip_init


def new_model(
    name: str, shape: tuple[int, int, int], classes: int, generator: torch.Generator
) -> nn.Sequential:
    """A fresh model of that name for pictures of that (channels, height, width)."""
    if name == "softmax":
        return softmax_regression(shape, classes)
    return {"mlp": mlp, "cnn": small_cnn}[name](shape, classes, generator)


def softmax_regression(shape: tuple[int, int, int], classes: int) -> nn.Sequential:
    """One linear layer, started at zero: a random start would stay in the weights and show as snow."""
    layer = skip_init(nn.Linear, math.prod(shape), classes)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return nn.Sequential(nn.Flatten(), layer)


def mlp(shape: tuple[int, int, int], classes: int, generator: torch.Generator) -> nn.Sequential:
    """One hidden layer of 128 sigmoid units."""
    model = nn.Sequential(
        nn.Flatten(),
        skip_init(nn.Linear, math.prod(shape), 128),
        nn.Sigmoid(),
        skip_init(nn.Linear, 128, classes),
    )
    return initialised(model, generator)


def small_cnn(shape: tuple[int, int, int], classes: int, generator: torch.Generator) -> nn.Sequential:
    """Two convolutions and two fully connected layers (paper A's network for digits)."""
    channels, height, width = shape
    inner = 32 * math.ceil(height / 4) * math.ceil(width / 4)
    model = nn.Sequential(
        skip_init(nn.Conv2d, channels, 16, 5, stride=2, padding=2),
        nn.ReLU(),
        skip_init(nn.Conv2d, 16, 32, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Flatten(),
        skip_init(nn.Linear, inner, 128),
        nn.ReLU(),
        skip_init(nn.Linear, 128, classes),
    )
    return initialised(model, generator)


def evaluation_cnn(shape: tuple[int, int, int], classes: int, generator: torch.Generator) -> nn.Sequential:
    """Paper E's judge: 30 filters of 5x5, 2x2 max-pool, ReLU, two layers of 100, softmax.

    Every picture is standardised first, so that the judge sees shape and not brightness.
    """
    channels, height, width = shape
    model = nn.Sequential(
        Standardise(),
        skip_init(nn.Conv2d, channels, 30, 5),
        nn.MaxPool2d(2),
        nn.ReLU(),
        nn.Flatten(),
        skip_init(nn.Linear, 30 * ((height - 4) // 2) * ((width - 4) // 2), 100),
        nn.ReLU(),
        skip_init(nn.Linear, 100, 100),
        nn.ReLU(),
        skip_init(nn.Linear, 100, classes),
    )
    return initialised(model, generator)


class Standardise(nn.Module):
    """Each picture to mean 0 and standard deviation 1; a flat picture becomes 0."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        flat = x.flatten(1)
        flat = flat - flat.mean(1, keepdim=True)
        return (flat / (flat.std(1, keepdim=True) + 1e-6)).view_as(x)


def initialised(model: nn.Sequential, generator: torch.Generator) -> nn.Sequential:
    """PyTorch's own default start (uniform within 1/sqrt(inputs)), drawn from the passed generator."""
    for layer in model:
        if isinstance(layer, nn.Linear | nn.Conv2d):
            bound = 1 / math.sqrt(layer.weight[0].numel())
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
            nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    return model

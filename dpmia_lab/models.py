"""The models under attack, and the independent one that judges the pictures.

Each maps pictures (n, channels, height, width), or for the first two records (n, …) of any shape, to logits
(n, classes). Weights come from a passed generator; PyTorch's own constructors would draw them from the global one.
"""

import math

import torch
from torch import nn

from dpmia_lab.checks import between


class Linear(nn.Linear):
    def reset_parameters(self) -> None:
        """Draw nothing: ``initialised`` fills the weights."""


class Conv2d(nn.Conv2d):
    def reset_parameters(self) -> None:
        """Draw nothing: ``initialised`` fills the weights."""


def new_model(
    name: str,
    shape: tuple[int, ...],
    classes: int,
    generator: torch.Generator,
    width: int = 128,
    dropout: float = 0.0,
) -> nn.Sequential:
    """A fresh model of that name for records of that shape, (channels, height, width) for the convolutional one.

    width: hidden units of the mlp.  dropout: share of what enters the last layer that is left out in training;
    its masks come from a generator of their own, whose seed is drawn from the passed one after the weights.
    """
    if name == "softmax":
        model = softmax_regression(shape, classes)
    elif name == "mlp":
        model = mlp(shape, classes, generator, width)
    else:
        model = {"cnn": small_cnn}[name](shape, classes, generator)
    return with_dropout(model, dropout, generator) if dropout else model


def softmax_regression(shape: tuple[int, ...], classes: int) -> nn.Sequential:
    """One linear layer, started at zero: a random start would stay in the weights and show as snow."""
    layer = Linear(math.prod(shape), classes)
    nn.init.zeros_(layer.weight)
    nn.init.zeros_(layer.bias)
    return nn.Sequential(nn.Flatten(), layer)


def mlp(shape: tuple[int, ...], classes: int, generator: torch.Generator, width: int = 128) -> nn.Sequential:
    """One hidden layer of ``width`` sigmoid units."""
    model = nn.Sequential(
        nn.Flatten(),
        Linear(math.prod(shape), width),
        nn.Sigmoid(),
        Linear(width, classes),
    )
    return initialised(model, generator)


def small_cnn(shape: tuple[int, int, int], classes: int, generator: torch.Generator) -> nn.Sequential:
    """Two convolutions and two fully connected layers (paper A's network for digits)."""
    channels, height, width = shape
    inner = 32 * math.ceil(height / 4) * math.ceil(width / 4)
    model = nn.Sequential(
        Conv2d(channels, 16, 5, stride=2, padding=2),
        nn.ReLU(),
        Conv2d(16, 32, 5, stride=2, padding=2),
        nn.ReLU(),
        nn.Flatten(),
        Linear(inner, 128),
        nn.ReLU(),
        Linear(128, classes),
    )
    return initialised(model, generator)


def tanh_cnn(shape: tuple[int, int, int], classes: int, generator: torch.Generator) -> nn.Sequential:
    """Two convolutions and two fully connected layers that bear much noise: tanh in place of ReLU, a tenth of the size.

    26,010 parameters for digits of 28 x 28. Pooling comes before tanh, which changes nothing but the time it takes.
    """
    channels, height, width = shape
    high, wide = ((side // 2 - 5) // 2 for side in (height, width))  # 8 with stride 2, pool, 4 with stride 2, pool
    model = nn.Sequential(
        Conv2d(channels, 16, 8, stride=2, padding=3),
        nn.MaxPool2d(2, 1),
        nn.Tanh(),
        Conv2d(16, 32, 4, stride=2),
        nn.MaxPool2d(2, 1),
        nn.Tanh(),
        nn.Flatten(),
        Linear(32 * high * wide, 32),
        nn.Tanh(),
        Linear(32, classes),
    )
    return initialised(model, generator)


def evaluation_cnn(shape: tuple[int, int, int], classes: int, generator: torch.Generator) -> nn.Sequential:
    """Paper E's judge: 30 filters of 5x5, 2x2 max-pool, ReLU, two layers of 100, softmax.

    Every picture is standardised first, so that the judge sees shape and not brightness.
    """
    channels, height, width = shape
    model = nn.Sequential(
        Standardise(),
        Conv2d(channels, 30, 5),
        nn.MaxPool2d(2),
        nn.ReLU(),
        nn.Flatten(),
        Linear(30 * ((height - 4) // 2) * ((width - 4) // 2), 100),
        nn.ReLU(),
        Linear(100, 100),
        nn.ReLU(),
        Linear(100, classes),
    )
    return initialised(model, generator)


class Standardise(nn.Module):
    """Each picture to mean 0 and standard deviation 1; a flat picture becomes 0."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        flat = x.flatten(1)
        flat = flat - flat.mean(1, keepdim=True)
        return (flat / (flat.std(1, keepdim=True) + 1e-6)).view_as(x)


class Centre(nn.Module):
    """Subtracts a fixed picture."""

    def __init__(self, picture: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("picture", picture)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x - self.picture


class Dropout(nn.Module):
    """In train() mode leaves each number out with chance p and divides the others by 1 − p, so that means stay.

    PyTorch's own draws its masks from the global generator; this one from the generator it is given.
    """

    def __init__(self, p: float, generator: torch.Generator) -> None:
        super().__init__()
        between(0, 0.99, dropout=p)
        self.p, self.generator = p, generator

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not self.training or self.p == 0:
            return x
        draws = torch.rand(x.shape, generator=self.generator, dtype=x.dtype)
        return x * self.kept(draws).to(x.device)

    def kept(self, draws: torch.Tensor) -> torch.Tensor:
        """Uniform draws in [0, 1) into what numbers are multiplied by: 0 or 1/(1 − p). Works in place."""
        return draws.ge_(self.p).div_(1 - self.p)


def with_dropout(model: nn.Sequential, p: float, generator: torch.Generator) -> nn.Sequential:
    """The model with what enters its last layer thinned out while it trains."""
    seed = int(torch.randint(2**62, (1,), generator=generator))
    return nn.Sequential(*model[:-1], Dropout(p, torch.Generator().manual_seed(seed)), model[-1])


def centred(model: nn.Module, picture: torch.Tensor) -> nn.Sequential:
    """The model on pictures with ``picture`` subtracted: noise then hides differences, not the common part."""
    return nn.Sequential(Centre(picture), *(model if type(model) is nn.Sequential else [model]))


def initialised(model: nn.Sequential, generator: torch.Generator) -> nn.Sequential:
    """PyTorch's own default start (uniform within 1/sqrt(inputs)), drawn from the passed generator."""
    for layer in model:
        if isinstance(layer, nn.Linear | nn.Conv2d):
            bound = 1 / math.sqrt(layer.weight[0].numel())
            nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
            nn.init.uniform_(layer.bias, -bound, bound, generator=generator)
    return model

"""Many networks of one shape side by side: every weight is (m, …), pictures are (m, n, …), and one pass serves all m.

Linear layers become one batched product, convolutions one convolution in m groups. Autograd through the pass gives each
network its own gradient, as no two share anything. (``torch.func.vmap`` would do the same, and loads PyTorch's compiler
first: seconds that a reader waits for.)
"""

from collections.abc import Iterator, Sequence

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.training.bottleneck import Bottleneck

Weights = list[torch.Tensor]  # in the order of model.parameters(), (m, …) each


def copies(model: nn.Sequential, count: int) -> Weights:
    """The model's weights, so many times; they take no memory before they differ."""
    return [p.detach().expand(count, *p.shape) for p in model.parameters()]


def logits_of_all(
    model: nn.Sequential, weights: Weights, x: torch.Tensor, noise: torch.Tensor | None = None
) -> torch.Tensor:
    """(m, n, classes) of pictures x (m, n, channels, height, width); ``noise``: (m, n, code) of a noisy code."""
    given = iter(weights)
    for layer in model:
        x = through_layer(layer, given, x, noise)
    return x


def through_layer(
    layer: nn.Module, given: Iterator[torch.Tensor], x: torch.Tensor, noise: torch.Tensor | None
) -> torch.Tensor:
    if isinstance(layer, nn.Linear):
        return linear(x, next(given), next(given))
    if isinstance(layer, nn.Conv2d):
        return convolution(layer, x, next(given), next(given))
    if isinstance(layer, Bottleneck):
        mean, deviation = layer.parted(linear(x, next(given), next(given)))
        return mean + deviation * noise
    if isinstance(layer, nn.Flatten):
        return x.flatten(2)
    return layer(x)  # pixel by pixel, or number by number


def linear(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """x (m, n, d), weight (m, k, d), bias (m, k) → (m, n, k)."""
    return torch.baddbmm(bias[:, None], x, weight.transpose(1, 2))


def convolution(layer: nn.Conv2d, x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """x (m, n, channels, height, width) → (m, n, filters, …): network i is group i."""
    m, n = x.shape[:2]
    grouped = x.transpose(0, 1).flatten(1, 2)  # (n, m·channels, height, width)
    y = F.conv2d(grouped, weight.flatten(0, 1), bias.flatten(), layer.stride, layer.padding, groups=m)
    return y.view(n, m, -1, *y.shape[2:]).transpose(0, 1)


def gradients_of_all(losses: torch.Tensor, weights: Sequence[torch.Tensor]) -> Weights:
    """Each network's own: losses (m,) of networks that share nothing."""
    return list(torch.autograd.grad(losses.sum(), list(weights)))

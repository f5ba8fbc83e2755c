"""The variational information bottleneck: paper B's MID for networks (eq. 5; Alemi et al. 2017).

A network's last features become a code z ~ N(μ(x), s(x)²) of k numbers, from which one linear layer tells the class.
Training lowers cross-entropy + λ·KL(N(μ, s²) ‖ N(0, I)). The KL is a *sum* over the code, so λ means more the wider
the code is; its mean over pictures bounds from above, in nats, what z tells about x.
"""

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab.models import Linear, initialised
from dpmia_lab.training.plain import Objective

START = 5.0  # s = softplus(raw − 5): at the start about .007, hardly any noise


class Bottleneck(nn.Module):
    """Features (n, d) to a code (n, k), drawn anew at every answer, in eval() mode too."""

    def __init__(self, features: int, code: int, generator: torch.Generator) -> None:
        super().__init__()
        self.code = code
        self.head = initialised(nn.Sequential(Linear(features, 2 * code)), generator)[0]
        self.generator = torch.Generator().manual_seed(int(torch.randint(2**62, (1,), generator=generator)))

    def distribution(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """μ and s, (n, k) each."""
        return self.parted(self.head(features))

    def parted(self, numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """The head's numbers (…, 2k) as μ and s."""
        mean, raw = numbers.chunk(2, dim=-1)
        return mean, F.softplus(raw - START)

    def drawn(self, mean: torch.Tensor, deviation: torch.Tensor) -> torch.Tensor:
        return mean + deviation * torch.randn(mean.shape, generator=self.generator).to(mean.device)

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return self.drawn(*self.distribution(features))


class MeanCode(nn.Module):
    """The same bottleneck without its noise: z = μ(x)."""

    def __init__(self, bottleneck: Bottleneck) -> None:
        super().__init__()
        self.bottleneck = bottleneck

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return self.bottleneck.distribution(features)[0]


def with_bottleneck(model: nn.Sequential, code: int, generator: torch.Generator) -> nn.Sequential:
    """The model's body, then the bottleneck, then a linear layer to the classes in place of its own."""
    last = initialised(nn.Sequential(Linear(code, model[-1].out_features)), generator)[0]
    return nn.Sequential(*model[:-1], Bottleneck(model[-1].in_features, code, generator), last)


def place_of(model: nn.Module) -> int | None:
    """Of the bottleneck among the model's layers; None where there is none."""
    layers = model if isinstance(model, nn.Sequential) else ()
    return next((place for place, layer in enumerate(layers) if isinstance(layer, Bottleneck)), None)


def through_mean(model: nn.Module) -> nn.Module:
    """The same network as one who has its weights may run it: no noise. A network without a bottleneck is itself."""
    place = place_of(model)
    return model if place is None else nn.Sequential(*model[:place], MeanCode(model[place]), *model[place + 1 :])


def kl_to_standard(mean: torch.Tensor, deviation: torch.Tensor) -> torch.Tensor:
    """(n,): KL(N(μ, s²) ‖ N(0, I)) = ½ Σ (μ² + s² − 1 − ln s²), in nats."""
    square = deviation.square()
    return 0.5 * (mean.square() + square - 1 - square.clamp_min(1e-30).log()).sum(1)


def bottleneck_loss(
    model: nn.Sequential, x: torch.Tensor, y: torch.Tensor, *, weight: float, draws: int
) -> torch.Tensor:
    """Eq. 5: cross-entropy, mean over ``draws`` codes a picture, + λ·KL."""
    place = place_of(model)
    mean, deviation = model[place].distribution(model[:place](x))
    codes = model[place].drawn(mean.repeat(draws, 1), deviation.repeat(draws, 1))
    return F.cross_entropy(model[place + 1 :](codes), y.repeat(draws)) + weight * kl_to_standard(mean, deviation).mean()


def bottleneck_objective(weight: float, draws: int) -> Objective:
    return partial(bottleneck_loss, weight=weight, draws=draws)


@torch.no_grad()
def information(model: nn.Sequential, x: torch.Tensor) -> float:
    """Mean KL over pictures: the bound, in nats, on what a code tells about its picture."""
    place = place_of(model)
    return float(kl_to_standard(*model[place].distribution(model[:place](x))).mean())

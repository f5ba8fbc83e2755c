"""Which epoch is kept: the one with the highest accuracy over privacy, AOP(λ), on records held aside (paper D).

Arithmetic for M models at once; ``metrics`` has the same for people to read (a test holds them equal).
"""

from collections.abc import Sequence

import torch


def aucs(inside: torch.Tensor, outside: torch.Tensor) -> torch.Tensor:
    """(M,) from scores of members (M, a) and of outsiders (M, b): the chance that a member scores higher, ties half."""
    outside = outside.sort(1).values
    below = torch.searchsorted(outside, inside.contiguous()) + torch.searchsorted(outside, inside, right=True)
    return below.double().mean(1) / (2 * outside.shape[1])


def aops(accuracy: torch.Tensor, auc: torch.Tensor, lam: float) -> torch.Tensor:
    """ACC / (2·max(AUC, ½))^λ."""
    return accuracy / (2 * auc.clamp(min=0.5)) ** lam


class Kept:
    """The weights of each model's best epoch so far; of equals the first."""

    def __init__(self, parameters: Sequence[torch.Tensor]) -> None:
        """parameters: (M, …) each, changed in place by whoever trains."""
        self.parameters = parameters
        self.best = [p.clone() for p in parameters]
        self.highest = torch.full((len(parameters[0]),), -torch.inf, dtype=torch.float64)
        self.epoch = torch.zeros(len(parameters[0]), dtype=torch.long)

    def after_epoch(self, epoch: int, worth: torch.Tensor) -> None:
        """worth: (M,)."""
        worth = worth.double().cpu()
        better = worth > self.highest
        self.highest = torch.where(better, worth, self.highest)
        self.epoch[better] = epoch
        for best, now in zip(self.best, self.parameters, strict=True):
            best[better.to(best.device)] = now[better.to(now.device)]

    @torch.no_grad()
    def restore(self) -> None:
        for best, now in zip(self.best, self.parameters, strict=True):
            now.copy_(best)

"""Early stopping: end when the loss on records outside the training set has stopped falling; keep the best weights."""

from collections.abc import Sequence

import torch


class Stopping:
    """Watches M models that train side by side; one that has stopped keeps its best weights while others go on."""

    def __init__(self, parameters: Sequence[torch.Tensor], patience: int) -> None:
        """parameters: (M, …) each, changed in place by whoever trains;  patience: epochs without improvement."""
        count, device = len(parameters[0]), parameters[0].device
        self.parameters, self.patience = parameters, patience
        self.best = [p.clone() for p in parameters]
        self.least = torch.full((count,), torch.inf, device=device)
        self.waited = torch.zeros(count, dtype=torch.long, device=device)

    def after_epoch(self, losses: torch.Tensor) -> bool:
        """losses: (M,) on the validation sets.  Whether every model has stopped."""
        going = self.waited < self.patience
        better = going & (losses < self.least)
        self.least = torch.where(better, losses, self.least)
        self.waited = torch.where(better, 0, self.waited + 1).where(going, self.waited)
        for best, now in zip(self.best, self.parameters, strict=True):
            best[better] = now[better]
        return bool((self.waited >= self.patience).all())

    def restore(self) -> None:
        """Put the weights of each model's best epoch in place; without any finite loss, those it started from."""
        for best, now in zip(self.best, self.parameters, strict=True):
            now.copy_(best)

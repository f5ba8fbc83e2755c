"""Gradient descent with momentum, and Adam, as in ``torch.optim`` (a test holds them equal).

Written out because the first use of ``torch.optim`` loads PyTorch's compiler, a second that a reader waits
for, and because they are a few lines each.
"""

from collections.abc import Iterable, Sequence

import torch


class Momentum:
    """v ← μ·v + g + decay·θ;  θ ← θ − η·v."""

    def __init__(
        self, parameters: Iterable[torch.Tensor], rate: float, decay: float = 0.0, momentum: float = 0.9
    ) -> None:
        self.parameters, self.rate, self.decay, self.momentum = list(parameters), rate, decay, momentum
        self.velocity = [torch.zeros_like(p) for p in self.parameters]

    @torch.no_grad()
    def step(self, gradients: Sequence[torch.Tensor]) -> None:
        for p, g, v in zip(self.parameters, gradients, self.velocity, strict=True):
            v.mul_(self.momentum).add_(g)
            if self.decay:
                v.add_(p, alpha=self.decay)
            p.sub_(v, alpha=self.rate)


class Adam:
    """Kingma and Ba 2015, with bias correction: θ ← θ − η·m̂ / (√v̂ + τ)."""

    def __init__(self, parameters: Iterable[torch.Tensor], rate: float, decay: float = 0.0) -> None:
        self.parameters, self.rate, self.decay = list(parameters), rate, decay
        self.m = [torch.zeros_like(p) for p in self.parameters]
        self.v = [torch.zeros_like(p) for p in self.parameters]
        self.t = 0

    @torch.no_grad()
    def step(self, gradients: Sequence[torch.Tensor]) -> None:
        beta1, beta2, tau = 0.9, 0.999, 1e-8
        self.t += 1
        correct1, correct2 = 1 - beta1**self.t, 1 - beta2**self.t
        for p, g, m, v in zip(self.parameters, gradients, self.m, self.v, strict=True):
            if self.decay:
                g = g.add(p, alpha=self.decay)
            m.mul_(beta1).add_(g, alpha=1 - beta1)
            v.mul_(beta2).addcmul_(g, g, value=1 - beta2)
            p.addcdiv_(m, v.sqrt().div_(correct2**0.5).add_(tau), value=-self.rate / correct1)

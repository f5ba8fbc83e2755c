"""Update leaks (Salem et al. 2020; B7): what a model learned anew shows in how its answers changed.

A model is updated on one record. The attacker asks about the same probe pictures before and after, and from the change
of the answers tells the record's label and draws its picture. He learns to do so from *shadow updates*: the model
before the update, updated once on each of his own records. The published code tells the label, the paper draws the
picture; here both are done.
"""

import torch
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.nn import functional as F

from dpmia_lab.stages import Progress, Stage
from dpmia_lab.training.bottleneck import place_of, with_given_noise

AT_ONCE = 25  # updates side by side


class Updates:
    """Updates of one model, each on a single record: steps of gradient descent on its cross-entropy.

    ``clip`` and ``sigma``: each step's gradient is clipped to that norm and noise N(0, σ²·clip²) is added (DP-SGD).
    """

    def __init__(
        self, model: nn.Sequential, *, rate: float, steps: int, clip: float = torch.inf, sigma: float = 0.0
    ) -> None:
        self.rate, self.steps, self.clip, self.sigma = rate, steps, clip, sigma
        self.model, self.place = with_given_noise(model).eval(), place_of(model)
        self.weights = {name: p.detach() for name, p in self.model.named_parameters()}
        self.code = None if self.place is None else model[self.place].code

    # ---- one update, as a function of its draws; vmap makes many of it
    def answers(self, weights: dict, x: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
        """(n, classes): logits; noise: (n, code) draws for the code, if the model has one."""
        given = weights if self.code is None else {**weights, f"{self.place}.noise": noise}
        return functional_call(self.model, given, (x,))

    def updated(self, x: torch.Tensor, y: torch.Tensor, noise: torch.Tensor, private: dict) -> dict:
        """The weights after the update.  noise: (steps, 1, code);  private: (steps, …) draws for each weight."""

        def loss(weights: dict, draws: torch.Tensor) -> torch.Tensor:
            return F.cross_entropy(self.answers(weights, x[None], draws), y[None])

        weights = self.weights
        for step in range(self.steps):
            gradients = grad(loss)(weights, noise[step])
            norm = torch.stack([g.square().sum() for g in gradients.values()]).sum().sqrt()
            scale = 1.0 if self.clip == torch.inf else (self.clip / norm.clamp_min(1e-12)).clamp_max(1.0)
            if self.sigma:
                gradients = {n: scale * g + self.sigma * self.clip * private[n][step] for n, g in gradients.items()}
            else:
                gradients = {name: scale * g for name, g in gradients.items()}
            weights = {name: w - self.rate * gradients[name] for name, w in weights.items()}
        return weights

    # ---- many
    def draws(self, count: int, probes: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor, dict]:
        """All the random numbers of so many updates, and of answers about so many probes after each."""
        code = self.code or 1
        training = torch.randn(count, self.steps, 1, code, generator=generator)
        answering = torch.randn(count, probes, code, generator=generator)
        kept = self.weights if self.sigma else {}
        private = {n: torch.randn(count, self.steps, *w.shape, generator=generator) for n, w in kept.items()}
        return training, answering, private

    def answers_after(
        self, x: torch.Tensor, y: torch.Tensor, probes: torch.Tensor, generator: torch.Generator
    ) -> Stage[torch.Tensor]:
        """(updates, probes, classes): confidences about the probes after an update on each record by itself."""

        def one(x, y, training, answering, private):
            return F.softmax(self.answers(self.updated(x, y, training, private), probes, answering), dim=1)

        found = []
        for start in range(0, len(x), AT_ONCE):
            some = slice(start, start + AT_ONCE)
            draws = self.draws(len(y[some]), len(probes), generator)
            with torch.no_grad():
                found.append(vmap(one)(x[some], y[some], *draws))
            yield Progress(min(start + AT_ONCE, len(x)), len(x), "updating shadow models")
        return torch.cat(found)

    @torch.no_grad()
    def answers_before(self, probes: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
        """(probes, classes)."""
        noise = torch.randn(len(probes), self.code or 1, generator=generator)
        return F.softmax(self.answers(self.weights, probes, noise), dim=1)


def changes(before: torch.Tensor, after: torch.Tensor) -> torch.Tensor:
    """(updates, probes·classes): after (updates, probes, classes) minus before (probes, classes)."""
    return (after - before).flatten(1)

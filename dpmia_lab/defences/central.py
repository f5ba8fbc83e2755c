"""Central noise: DP-SGD for a record (paper C, 2.3; paper A, Algorithm 2). Whoever trains sees the records."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dpmia_lab.checks import Mistake, between, not_negative, positive
from dpmia_lab.defences.base import Defence, Recipe, Task, TrainingSet, new_model
from dpmia_lab.options import number_text, option
from dpmia_lab.own_code import is_own
from dpmia_lab.privacy.accounting import Guarantee, sigma_for
from dpmia_lab.privacy.dp_sgd import DpSgd, of_epochs
from dpmia_lab.privacy.units import Units, units_from
from dpmia_lab.stages import Stage

if TYPE_CHECKING:
    import torch
    from torch import nn

    from dpmia_lab.training.span import Span


@dataclass(frozen=True)
class Central(Defence):
    title: ClassVar[str] = "central: noise on gradients"

    sigma: float = option(1.0, "central: noise multiplier", called="z")
    clip: float = option(4.0, "central: C, the norm a record's gradient is clipped to")
    q: float = 0.0  # each unit's chance to join a step (0: the recipe's batch over all)
    steps: int = 0  # T, asked for with q (else the recipe's epochs)
    delta: float = 0.0  # δ (0: 1/units, as in paper C)
    neighbours: str = "add-remove"
    epsilon: float = option(0.0, "central: ε of a record, for which z is found (0: z as it is given)")

    def __post_init__(self) -> None:
        between(0.01, 1000, z=self.sigma)
        positive(clip=self.clip)
        not_negative(epsilon=self.epsilon)

    def words(self) -> str:
        strength = f"ε = {number_text(self.epsilon)} for a record" if self.epsilon else f"z = {number_text(self.sigma)}"
        return f"central, {strength}, clip {number_text(self.clip)}"

    def fits(self, task: Task) -> str:
        return why_not_private(task)

    # ---- training
    def train(
        self, model: "nn.Module", records: TrainingSet, recipe: Recipe, generator: "torch.Generator"
    ) -> Stage[None]:
        from dpmia_lab.training import private

        units = records.units or (yield from self.divided(records, generator))
        yield from private.train(
            model,
            records.x.float(),
            records.y,
            units,
            self.dp_sgd(recipe, units.count),
            rate=recipe.rate,
            generator=generator,
            adam=recipe.optimizer == "adam",
            momentum=0.9 if recipe.optimizer == "momentum" else 0.0,
        )

    def train_many(
        self,
        models: "Sequence[nn.Module]",
        sets: Sequence[TrainingSet],
        recipe: Recipe,
        generators: "Sequence[torch.Generator]",
    ) -> Stage[None]:
        from dpmia_lab.training import stacked

        dp = self.dp_sgd(recipe, len(sets[0]))
        yield from stacked.train_privately(
            models,
            [(own.x, own.y) for own in sets],
            dp,
            rate=recipe.rate,
            generators=generators,
            adam=recipe.optimizer == "adam",
        )

    def span_weights(
        self, span: "Span", y: "torch.Tensor", classes: int, recipe: Recipe, generators: "Sequence[torch.Generator]"
    ) -> "Stage[torch.Tensor]":
        """Softmax regressions by the hundred, as weights (models, r + 1, classes) in the span of their inputs."""
        from dpmia_lab.training.span import train

        dp = self.dp_sgd(recipe, len(y))
        return (yield from train(span, y, classes, dp, rate=recipe.rate, generators=generators))

    def divided(self, records: TrainingSet, generator: "torch.Generator") -> Stage[Units]:
        """What is hidden: here each record by itself."""
        return units_from(np.arange(len(records)))
        yield  # a stage, as other units take time to be found

    # ---- what is promised
    def hidden(self) -> str:
        """The name of one unit."""
        return "record"

    def dp_sgd(self, recipe: Recipe | None, units: int) -> DpSgd:
        delta = self.delta or 1 / units
        if self.q:
            dp = DpSgd(self.sigma, self.q, self.clip, self.steps, delta, self.neighbours)
        else:
            dp = of_epochs(self.sigma, self.clip, recipe.epochs, recipe.batch, units, delta, self.neighbours)
        return within(dp, self.epsilon) if self.epsilon else dp

    def promise(self, task: Task, recipe: Recipe, units: int) -> Guarantee:
        return self.dp_sgd(recipe, units).guarantee(self.hidden())


def why_not_private(task: Task) -> str:
    """Of a user's own model: the sentence that names the layer whose gradients cannot be clipped record by record."""
    if not is_own(task.model):
        return ""
    import torch

    from dpmia_lab.privacy.clipping import Clipper
    from dpmia_lab.privacy.groups import Groups

    model = new_model(task, torch.Generator().manual_seed(0)).train()
    x, y = torch.zeros(2, *task.shape), torch.zeros(2, dtype=torch.long)
    try:
        Clipper(model).clipped_sum(x, y, Groups(torch.ones(2, dtype=torch.long)), 1.0)
    except Mistake as mistake:
        return f"DP-SGD does not fit {task.model}: {mistake}"
    return ""


@cache
def within(dp: DpSgd, epsilon: float) -> DpSgd:
    """With the least noise that the moments accountant lets pass for that ε; the tight one promises a little more."""
    return replace(dp, sigma=sigma_for("moments", epsilon, dp.q, dp.steps, dp.delta, dp.neighbours))

"""What defences share that steer ordinary training by a rule: one model or many, the same few lines."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dpmia_lab.checks import Mistake
from dpmia_lab.defences.base import Defence, Recipe, TrainingSet
from dpmia_lab.stages import Stage

if TYPE_CHECKING:
    import torch
    from torch import nn

    from dpmia_lab.training.adversarial import Aside
    from dpmia_lab.training.course import Rule

FED = 2 / 3  # of the records held aside, what feeds steps; the others only tell how an epoch went
LEAST_ASIDE = 12


class Steered(Defence):
    """A subclass says its rule."""

    def rule(
        self, sets: Sequence[TrainingSet], generators: "Sequence[torch.Generator]", recipe: Recipe, *usual
    ) -> "Rule":
        """``sets`` and ``generators`` are those of one group of models; ``usual`` is what every rule is made with."""
        raise NotImplementedError

    def train(
        self, model: "nn.Module", records: TrainingSet, recipe: Recipe, generator: "torch.Generator"
    ) -> Stage[None]:
        yield from self.train_many([model], [records], recipe, [generator])

    def train_many(
        self,
        models: "Sequence[nn.Module]",
        sets: Sequence[TrainingSet],
        recipe: Recipe,
        generators: "Sequence[torch.Generator]",
    ) -> Stage[None]:
        from dpmia_lab.training import course

        recipe = self.changed(recipe)
        batch = min(recipe.batch, len(sets[0]))
        steps = course.Steps(recipe.epochs, recipe.rate, batch, recipe.optimizer == "adam", recipe.decay)

        def new_rule(group, members, records, steps, own: slice) -> "Rule":
            return self.rule(sets[own], generators[own], recipe, group, members, records, steps)

        yield from course.train(models, [(one.x, one.y) for one in sets], steps, generators, new_rule)


def aside_of(records: TrainingSet, whose: str) -> "Aside":
    """Records held aside, as those that feed steps and those that judge epochs."""
    from dpmia_lab.training.adversarial import Aside

    x, y = held_aside(records.held, whose)
    fed = round(FED * len(y))
    return Aside((x[:fed], y[:fed]), (x[fed:], y[fed:]))


def held_aside(held: "tuple[torch.Tensor, torch.Tensor] | None", whose: str) -> "tuple[torch.Tensor, torch.Tensor]":
    count = 0 if held is None else len(held[1])
    if count < LEAST_ASIDE:
        raise Mistake(f"{whose} must have {LEAST_ASIDE} records held aside; there are {count}.")
    return held

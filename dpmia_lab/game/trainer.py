"""Trains the models of a game, one or many at once: the target and, by the very same functions, all shadow models.

So an attacker's models have the target's own defence (paper C, 3.3).
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.data.population import Population
from dpmia_lab.defences.base import Defence, Recipe, Task, TrainingSet
from dpmia_lab.game.outputs import Outputs, outputs_of
from dpmia_lab.game.records import Records
from dpmia_lab.game.settings import Settings, check_fit, defence_of, recipe_of, task_of
from dpmia_lab.seeds import derived_seed, numpy_generator, torch_generator
from dpmia_lab.stages import Progress, Stage, part

if TYPE_CHECKING:  # torch is loaded by a run, not by the page that merely shows the controls
    import torch
    from torch import nn

AT_ONCE = 16  # models in memory, with their training sets
TRAINING_SHARE = 0.9  # of the time a shadow model takes; the rest is asking it


class Trainer:
    """Trains models of one task under one defence, and looks at records through them.

    ``path`` names the model (("target",), ("shadow", 3), …): it fixes start, order, noise and perturbation.
    ``core``: a public network that pictures go through first.
    """

    def __init__(
        self, defence: Defence, task: Task, recipe: Recipe, seed: int, core: "nn.Module | None" = None
    ) -> None:
        from dpmia_lab.devices import best_device

        self.defence, self.task, self.recipe, self.seed = defence, task, recipe, seed
        self.core, self.device = core, best_device()

    def fresh(self, *path: str | int) -> "nn.Module":
        """An untrained model."""
        return self.defence.fresh_model(self.task, torch_generator(self.seed, *path, "start")).to(self.device)

    # ---- records
    def inputs(self, x: np.ndarray) -> "torch.Tensor":
        """What a model is given of records x: bits as they are, pictures perhaps through the public core."""
        import torch

        return torch.from_numpy(core_features(self.core, x)).to(self.device)

    def outputs(self, model: "nn.Module", records: Records) -> Outputs:
        """The model is asked about records as they are: never about perturbed ones."""
        return outputs_of(model, self.inputs(records.x), records.y)

    def training_set(self, records: Records, held: Records, *path: str | int) -> TrainingSet:
        """The records as their owners release them, anew for every model."""
        x = self.defence.released(records.x, self.task.kind, numpy_generator(self.seed, *path, "local"))
        aside = (self.inputs(held.x).float(), self.labels(held.y)) if self.recipe.patience else None
        return TrainingSet(self.inputs(x), self.labels(records.y), aside)

    def labels(self, y: np.ndarray) -> "torch.Tensor":
        import torch

        return torch.from_numpy(y).to(self.device)

    # ---- training
    def train(self, model: "nn.Module", records: Records, held: Records, *path: str | int) -> Stage[None]:
        """One model, in place; one event a step. ``held``: records held aside for that."""
        training = self.training_set(records, held, *path)
        yield from self.defence.train(model, training, self.recipe, torch_generator(self.seed, *path, "order"))

    def train_many(self, sets: list[tuple[Records, Records]], paths: list[tuple]) -> "Stage[list[nn.Module]]":
        """Fresh models, all at once; each set is records and those held aside."""
        models = [self.fresh(*path) for path in paths]
        training = [self.training_set(*own, *path) for own, path in zip(sets, paths, strict=True)]
        order = [torch_generator(self.seed, *path, "order") for path in paths]
        yield from self.defence.train_many(models, training, self.recipe, order)
        return models

    def ask_many(
        self, sets: Iterable[tuple[Records, Records]], count: int, ask: "Callable[[int, nn.Module], None]", *path: str
    ) -> Stage[None]:
        """Train ``count`` models on their ``sets`` of (records, held aside), together where their shape allows.

        ``ask(number, model)`` is called with each; then the model is let go, so that memory stays bounded.
        """
        stack, sets = self.defence.stacks(self.fresh(*path, 0)), iter(sets)
        few = AT_ONCE if stack else 1
        for start in range(0, count, few):
            numbers = range(start, min(start + few, count))
            chosen, paths = [next(sets) for _ in numbers], [(*path, number) for number in numbers]
            training = self.train_many(chosen, paths) if stack else self._alone(*chosen[0], *paths[0])
            most = start + TRAINING_SHARE * len(numbers)
            models = yield from part(training, start / count, most / count)
            for done, (number, model) in enumerate(zip(numbers, models, strict=True), 1):
                ask(number, model)
                yield Progress(most + (1 - TRAINING_SHARE) * done, count, "asking shadow models")

    def _alone(self, records: Records, held: Records, *path: str | int) -> "Stage[list[nn.Module]]":
        model = self.fresh(*path)
        yield from self.train(model, records, held, *path)
        return [model]


def core_features(core: "nn.Module | None", x: np.ndarray) -> np.ndarray:
    """What a public core makes of pictures; records themselves where there is none."""
    if core is None:
        return x
    from dpmia_lab.training.transfer import features

    return features(core, x)


def trainer_of(config: Settings, population: Population) -> Stage[Trainer]:
    """With the public core where pictures go through one."""
    check_fit(config, population)
    core = (yield from public_core(config, population)) if config.model == "transfer" else None
    features = () if core is None else tuple(core_features(core, population.x[:1]).shape[1:])
    task = task_of(config, population, features)
    return Trainer(defence_of(config), task, recipe_of(config), config.seed, core)


def public_core(config: Settings, population: Population) -> "Stage[nn.Module]":
    from pathlib import Path

    from dpmia_lab.training import transfer

    if not config.weights:
        return (yield from transfer.public_core(population.shape, derived_seed(config.seed, "core")))
    yield Progress(0, 1, "reading the weights")
    return transfer.torchvision_core("resnet18", Path(config.weights))

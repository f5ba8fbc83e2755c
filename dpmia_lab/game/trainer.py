"""Trains the models of a game, one or many at once: the target and, by the very same functions, all shadow models.

So an attacker's models have the target's own defence (paper C, 3.3).
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from dpmia_lab.data.population import Population
from dpmia_lab.defences.base import Defence, Recipe, Task, TrainingSet
from dpmia_lab.defences.dap import Dap
from dpmia_lab.defences.undefended import Undefended
from dpmia_lab.game.outputs import Outputs, outputs_of
from dpmia_lab.game.records import Records
from dpmia_lab.game.settings import Settings, check_fit, defence_of, recipe_of, task_of
from dpmia_lab.seeds import derived_seed, numpy_generator, torch_generator
from dpmia_lab.stages import Progress, Stage, part

if TYPE_CHECKING:  # torch is loaded by a run, not by the page that merely shows the controls
    import torch
    from torch import nn

    from dpmia_lab.training.discriminator import Discriminator

AT_ONCE = 16  # models in memory, with their training sets
T = TypeVar("T")
PREPARING = 0.4  # of the time of the first model, what is made before it
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
        self.ready, self.prepared, self.aside = False, None, None
        self.discriminator: Any = None  # paper D's, once somebody has taught one

    def without_defence(self) -> "Trainer":
        """The same task, recipe and seed; models start alike where the defence does not change how they are made."""
        return Trainer(Undefended(), self.task, self.recipe, self.seed, self.core)

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
        return outputs_of(model, self.inputs(records.x), records.y, self.answers)

    def answers(self, model: "nn.Module", x: "torch.Tensor") -> "torch.Tensor":
        """What the defence lets a model say."""
        return self.defence.answers(model, x, self.task)

    def training_set(self, records: Records, held: Records, *path: str | int) -> TrainingSet:
        """The records as their owners release them, anew for every model."""
        x = self.defence.released(records.x, self.task.kind, numpy_generator(self.seed, *path, "local"))
        wanted = self.recipe.patience or self.defence.holds_aside
        aside = self.held_aside(held) if wanted else None
        return TrainingSet(self.inputs(x), self.labels(records.y), aside, prepared=self.prepared)

    def held_aside(self, held: Records) -> "tuple[torch.Tensor, torch.Tensor]":
        """The same tensors whenever the same records are asked for."""
        if self.aside is None or self.aside[0] is not held:
            self.aside = held, (self.inputs(held.x).float(), self.labels(held.y))
        return self.aside[1]

    @property
    def prepares(self) -> bool:
        """Whether there is still something to make before the first model is trained."""
        return not self.ready and type(self.defence).prepare is not Defence.prepare

    def prepare(self, held: Records) -> Stage[None]:
        """What all models share, made once."""
        if self.prepares:
            generator = torch_generator(self.seed, "prepared")
            self.prepared = yield from self.defence.prepare(self.task, self.held_aside(held), self.recipe, generator)
            self.ready = True

    def taught_discriminator(self, held: Records) -> "Stage[Discriminator]":
        """Paper D's: the one that the defence fools, or one taught likewise for whoever wants to attack with it."""
        from dpmia_lab.training.discriminator import Discriminator

        if isinstance(self.prepared, Discriminator):
            return self.prepared
        if self.discriminator is None:
            generator, held_aside = torch_generator(self.seed, "prepared"), self.held_aside(held)
            self.discriminator = yield from Dap().prepare(self.task, held_aside, self.recipe, generator)
        return self.discriminator

    def after_preparing(self, held: Records, training: "Callable[[], Stage[T]]") -> "Stage[T]":
        if not self.prepares:
            return (yield from training())
        yield from part(self.prepare(held), 0.0, PREPARING)
        return (yield from part(training(), PREPARING, 1.0))

    def labels(self, y: np.ndarray) -> "torch.Tensor":
        import torch

        return torch.from_numpy(y).to(self.device)

    # ---- training
    def train(self, model: "nn.Module", records: Records, held: Records, *path: str | int) -> Stage[None]:
        """One model, in place; one event a step. ``held``: records held aside for that."""
        yield from self.train_these([model], [(records, held)], [path])

    def train_many(self, sets: list[tuple[Records, Records]], paths: list[tuple]) -> "Stage[list[nn.Module]]":
        """Fresh models, all at once; each set is records and those held aside."""
        models = [self.fresh(*path) for path in paths]
        yield from self.train_these(models, sets, paths)
        return models

    def train_these(
        self, models: "list[nn.Module]", sets: list[tuple[Records, Records]], paths: list[tuple]
    ) -> Stage[None]:
        """The same of models that are there, in place; a single one may be of any kind."""
        order = [torch_generator(self.seed, *path, "order") for path in paths]

        def training() -> Stage[None]:
            own = [self.training_set(*own, *path) for own, path in zip(sets, paths, strict=True)]
            if len(models) == 1:
                yield from self.defence.train(models[0], own[0], self.recipe, order[0])
            else:
                yield from self.defence.train_many(models, own, self.recipe, order)

        yield from self.after_preparing(sets[0][1], training)

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

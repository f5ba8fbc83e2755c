"""What a defence is: its fields are its hyper-parameters, its methods all that it changes.

What a subclass leaves alone stays as it is without any defence: records are handed over as they are, a model is trained
plainly, nothing is promised.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.local import LocalGuarantee
from dpmia_lab.privacy.units import Units
from dpmia_lab.stages import Stage

if TYPE_CHECKING:  # torch is loaded by a run, not by the page that merely shows the controls
    import torch
    from torch import nn

    from dpmia_lab.training.plain import Augment, Objective


@dataclass(frozen=True, eq=False)
class Task:
    """What is learned from what."""

    kind: str  # bits, pictures or graphs
    shape: tuple[int, ...]  # of a record
    classes: int
    model: str  # softmax, mlp, cnn or graph
    width: int = 128  # of the hidden layer
    features: tuple[int, ...] = ()  # shape of what the model gets of a record, where that is not the record itself
    centre: np.ndarray | None = None  # a public picture that all pictures are centred on
    data: str = "the data"  # what they are called


@dataclass(frozen=True)
class Recipe:
    """How a model is trained where nothing protects it."""

    epochs: float
    rate: float  # η
    batch: float = 64  # records a step; their mean where steps draw each by chance
    optimizer: str = "adam"  # adam, momentum or sgd; plain training takes sgd with momentum
    decay: float = 0.0
    patience: int = 0  # epochs without a lower loss on records held aside that end training (0: never)


@dataclass(frozen=True)
class TrainingSet:
    """What one model is trained on, on its device, and what is held aside for that."""

    x: "torch.Tensor"  # (n, …), as released
    y: "torch.Tensor"  # (n,)
    held: "tuple[torch.Tensor, torch.Tensor] | None" = None  # x and y
    units: Units | None = None  # what is hidden, if it has been worked out already
    prepared: Any = None  # what the defence made of the records held aside, before any model

    def __len__(self) -> int:
        return len(self.y)


class Defence:
    """Subclasses are frozen dataclasses; ``title`` is what a menu calls them."""

    title: ClassVar[str]
    holds_aside: ClassVar[bool] = False  # whether it always wants records held aside

    def words(self) -> str:
        """Its name with the settings that matter, such as "central, z = 1, clip 4"."""
        raise NotImplementedError

    def fits(self, task: Task) -> str:
        """"" or the sentence why it cannot be used for that."""
        return ""

    def released(self, x: np.ndarray, kind: str, rng: np.random.Generator) -> np.ndarray:
        """Records (n, …) as they leave their owners' hands."""
        return x

    def fresh_model(self, task: Task, generator: "torch.Generator") -> "nn.Module":
        return new_model(task, generator)

    def answers(self, model: "nn.Module", x: "torch.Tensor", task: Task) -> "torch.Tensor":
        """Log-probabilities or logits (n, classes) that whoever asks about x (n, …) is told; the model in eval()."""
        return model(x)

    def tells_all(self) -> bool:
        """Whether ``answers`` are the model's own: then logits say more than rounded probabilities."""
        return type(self).answers is Defence.answers

    # ---- training
    def prepare(
        self, task: Task, held: "tuple[torch.Tensor, torch.Tensor]", recipe: Recipe, generator: "torch.Generator"
    ) -> Stage[Any]:
        """What all models trained with it share, made once from x and y held aside; ``TrainingSet`` carries it."""
        return None
        yield  # a stage, as shadow models may have to be trained

    def train(
        self, model: "nn.Module", records: TrainingSet, recipe: Recipe, generator: "torch.Generator"
    ) -> Stage[None]:
        """One model, in place; one event a step."""
        from dpmia_lab.training import plain

        recipe = self.changed(recipe)
        yield from plain.train(
            model,
            records.x.float(),
            records.y,
            epochs=recipe.epochs,
            rate=recipe.rate,
            batch=recipe.batch,
            generator=generator,
            adam=recipe.optimizer == "adam",
            decay=recipe.decay,
            augment=self.augmentation(),
            patience=recipe.patience,
            validation=records.held,
            objective=self.objective(),
        )

    def train_many(
        self,
        models: "Sequence[nn.Module]",
        sets: Sequence[TrainingSet],
        recipe: Recipe,
        generators: "Sequence[torch.Generator]",
    ) -> Stage[None]:
        """Many at once, each as ``train`` would train it alone; only models that ``stacks`` allows."""
        yield from self.train_stacked(models, sets, recipe, generators)

    def train_stacked(
        self,
        models: "Sequence[nn.Module]",
        sets: Sequence[TrainingSet],
        recipe: Recipe,
        generators: "Sequence[torch.Generator]",
        information: float = 0.0,
    ) -> Stage[None]:
        """Plainly. ``information``: λ, weight of the KL of bottlenecks."""
        from dpmia_lab.training import stacked

        recipe = self.changed(recipe)
        yield from stacked.train(
            models,
            [(own.x, own.y) for own in sets],
            epochs=recipe.epochs,
            rate=recipe.rate,
            batch=min(recipe.batch, len(sets[0])),
            generators=generators,
            adam=recipe.optimizer == "adam",
            decay=recipe.decay,
            augment=self.augmentation(),
            patience=recipe.patience,
            validations=[own.held for own in sets] if recipe.patience else None,
            information=information,
        )

    def stacks(self, model: "nn.Module") -> bool:
        """Whether many such models can be trained at once.

        A defence that trains in a way of its own must say itself how that is done for many: what it inherits would
        train as its parent does.
        """
        from dpmia_lab.training.stacked import can_stack

        def place(method: str) -> int:
            """Of the class that says how, among its parents."""
            return next(place for place, kind in enumerate(type(self).__mro__) if method in vars(kind))

        own_way = min(place("train"), place("objective"))
        return place("train_many") <= own_way and can_stack(model)

    def changed(self, recipe: Recipe) -> Recipe:
        """The recipe as this defence wants it."""
        return recipe

    def augmentation(self) -> "Augment | None":
        return None

    def objective(self) -> "Objective":
        """What training lowers; where that is not the cross-entropy, models are trained one by one."""
        from dpmia_lab.training.plain import cross_entropy

        return cross_entropy

    # ---- what is promised
    def dp_sgd(self, recipe: Recipe | None, units: int) -> DpSgd | None:
        """How it descends, where noise on the gradients does the hiding; None for a recipe it need not ask."""
        return None

    def promise(self, task: Task, recipe: Recipe, units: int) -> Guarantee | LocalGuarantee | None:
        """units: how many there are of what is hidden; records, for most defences."""
        return None


def new_model(task: Task, generator: "torch.Generator", dropout: float = 0.0) -> "nn.Module":
    """An untrained model for the task."""
    import torch

    from dpmia_lab import graph_net, models

    if task.model == "graph":
        return graph_net.new_graph_net(task.shape[0], task.classes, generator)
    shape = task.features or task.shape
    model = models.new_model(task.model, shape, task.classes, generator, width=task.width, dropout=dropout)
    return model if task.centre is None else models.centred(model, torch.from_numpy(task.centre))

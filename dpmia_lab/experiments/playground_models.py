"""The models of one slider position: the target with its partner first, then all the others side by side.

Every model is a softmax regression, or comes down to one: MID's code is a linear map of the record, so whoever has the
weights runs it without noise and sees W·x + b. Drawings and likelihood ratios are taken from that form, for all models
at once; accuracy from what the model really answers.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.defences.base import TrainingSet
from dpmia_lab.defences.dap import Dap
from dpmia_lab.defences.units import LargerUnits
from dpmia_lab.experiments.playground_config import PLAIN, Config, defence_of, recipe_of
from dpmia_lab.experiments.playground_people import Prepared
from dpmia_lab.game.candidates import candidate_halves
from dpmia_lab.privacy.units import subclass_labels, units_from
from dpmia_lab.seeds import derived_seed, numpy_generator, torch_generator
from dpmia_lab.stages import Once, Stage, part

if TYPE_CHECKING:
    import torch
    from torch import nn

    from dpmia_lab.training.discriminator import Discriminator


@dataclass(frozen=True)
class Linear:
    """W·(x − centre) + b of several models, without any noise.  weight: (M, classes, d);  bias: (M, classes)."""

    weight: "torch.Tensor"
    bias: "torch.Tensor"

    def joined(self, other: "Linear") -> "Linear":
        import torch

        return Linear(torch.cat([self.weight, other.weight]), torch.cat([self.bias, other.bias]))


class Models:
    """Trains the models of one position. Number 0 is the target, of which the drawings are shown."""

    def __init__(self, config: Config, people: Prepared) -> None:
        import torch

        import dpmia_lab.devices  # noqa: F401 (one thread; models this small stay on the processor)

        self.people, self.seed = people, config.seed
        self.defence, self.recipe = defence_of(config, people), recipe_of(config)
        halves = numpy_generator(config.seed, "playground", "halves")
        self.inside = candidate_halves(config.shadows, len(people.candidates), halves)  # (M, k)
        self.tensor, self.y = torch.from_numpy, torch.from_numpy(people.candidates.y)

    def trained(self, numbers: range, together: bool = True) -> "Stage[list[nn.Module]]":
        """Those models, together where that can be done."""

        def generator(number: int, what: str) -> "torch.Generator":
            return torch_generator(self.seed, "playground", number, what)

        shared = yield from self.shared()
        sets = [self.training_set(number, *shared) for number in numbers]
        models = [self.defence.fresh_model(self.people.task, generator(number, "start")) for number in numbers]
        orders = [generator(number, "order") for number in numbers]
        if together and self.defence.stacks(models[0]):
            yield from self.defence.train_many(models, sets, self.recipe, orders)
            return models
        for place, (model, own, order) in enumerate(zip(models, sets, orders, strict=True)):
            stage = self.defence.train(model, own, self.recipe, order)
            yield from part(stage, place / len(models), (place + 1) / len(models))
        return models

    def training_set(self, number: int, held: tuple | None, prepared: object, units: np.ndarray | None) -> TrainingSet:
        own = self.inside[number]
        noise = numpy_generator(self.seed, "playground", number, "local")
        x = self.defence.released(self.people.candidates.x[own], self.people.task.kind, noise)
        divided = None if units is None else units_from(units[own])
        return TrainingSet(self.tensor(x), self.y[own], held, divided, prepared)

    # ---- what all models share
    def shared(self) -> Stage[tuple]:
        """Records held aside, what was prepared from them, and each candidate's unit; None where none is needed."""
        held = held_aside(self.people) if self.defence.holds_aside else None
        prepared = (yield from taught_discriminator(self.people, self.seed)) if isinstance(self.defence, Dap) else None
        units = None
        if isinstance(self.defence, LargerUnits):
            units = yield from unit_labels(self.people, self.defence.unit, self.defence.k_sub, self.seed)
        return held, prepared, units


def held_aside(people: Prepared) -> "tuple[torch.Tensor, torch.Tensor]":
    import torch

    return torch.from_numpy(people.aside.x).float(), torch.from_numpy(people.aside.y)


def taught_discriminator(people: Prepared, seed: int) -> "Stage[Discriminator]":
    """Taught once, whatever r is."""

    def make() -> "Stage[Discriminator]":
        generator = torch_generator(seed, "playground", "prepared")
        return Dap().prepare(people.task, held_aside(people), PLAIN, generator)

    return (yield from people.once.setdefault("discriminator", Once(make)).result())


def unit_labels(people: Prepared, unit: str, k_sub: int, seed: int) -> Stage[np.ndarray]:
    """(k,): the unit of each candidate, member or not, so that it is the same in every model. Clustered once."""
    x, y = people.candidates.x, people.candidates.y
    if unit == "class":
        return y

    def make() -> Stage[np.ndarray]:
        flat = np.ascontiguousarray(x.reshape(len(y), -1), dtype=np.float32)
        return subclass_labels(flat, y, min(k_sub, len(y)), derived_seed(seed, "playground", "subclasses"))

    return (yield from people.once.setdefault(("subclasses", k_sub), Once(make)).result())


# ---- what comes out
def linear_form(people: Prepared, models: "list[nn.Module]") -> Linear:
    import torch

    from dpmia_lab.training.bottleneck import place_of

    def one(model: "nn.Module") -> "tuple[torch.Tensor, torch.Tensor]":
        last, place = model[-1], place_of(model)
        if place is None:
            return last.weight, last.bias
        code, head = model[place].code, model[place].head
        return last.weight @ head.weight[:code], last.weight @ head.bias[:code] + last.bias

    with torch.no_grad():
        pairs = [one(model) for model in models]
        return Linear(*(torch.stack(each) for each in zip(*pairs, strict=True)))

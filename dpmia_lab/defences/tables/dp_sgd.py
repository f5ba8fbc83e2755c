"""DP-SGD for the network: clipped gradients and noise, as much as ε asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import positive
from dpmia_lab.defences.base import Recipe, TrainingSet
from dpmia_lab.defences.central import Central
from dpmia_lab.defences.tables.base import TableDefence
from dpmia_lab.options import number_text
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.privacy.dp_sgd import of_epochs
from dpmia_lab.stages import Stage

if TYPE_CHECKING:
    import torch
    from torch import nn


@dataclass(frozen=True)
class TableDpSgd(TableDefence):
    title: ClassVar[str] = "DP-SGD: noise on the gradients"
    models: ClassVar[tuple[str, ...]] = ("mlp",)

    epsilon: float = 1.0
    delta: float = 1e-5
    clip: float = 1.0

    def __post_init__(self) -> None:
        positive(epsilon=self.epsilon, clip=self.clip)
        accounting.check_delta(self.delta)

    def words(self) -> str:
        return f"DP-SGD, ε = {number_text(self.epsilon)} for a record"

    def promise(self, people: int) -> Guarantee:
        return Guarantee(self.epsilon, "record", "add-remove", self.delta, "tight")

    def train_networks(
        self,
        models: "Sequence[nn.Module]",
        sets: Sequence[TrainingSet],
        recipe: Recipe,
        generators: "Sequence[torch.Generator]",
    ) -> Stage[None]:
        sigma = sigma_of(self.epsilon, self.delta, recipe.epochs, recipe.batch, len(sets[0]))
        central = Central(sigma=sigma, clip=self.clip, delta=self.delta)
        yield from central.train_many(models, sets, recipe, generators)


@cache
def sigma_of(epsilon: float, delta: float, epochs: float, batch: float, people: int) -> float:
    """The least noise multiplier that keeps the whole training within ε."""
    dp = of_epochs(1.0, 1.0, epochs, batch, people, delta)
    return accounting.sigma_for("tight", epsilon, dp.q, dp.steps, delta, dp.neighbours)

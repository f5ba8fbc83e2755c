"""Training ends early: the cheapest way to know less."""

from dataclasses import dataclass, replace
from typing import ClassVar

from dpmia_lab.checks import between
from dpmia_lab.defences.base import Recipe
from dpmia_lab.defences.networks.base import NetworkDefence
from dpmia_lab.options import option


@dataclass(frozen=True)
class EarlyStopping(NetworkDefence):
    title: ClassVar[str] = "early stopping"

    kept: float = option(0.2, "early_stopping: share of the epochs that are trained (at least one epoch)")

    def __post_init__(self) -> None:
        between(0.01, 1, kept=self.kept)

    def words(self) -> str:
        return f"stopped after {self.kept:.0%} of the training"

    def changed(self, recipe: Recipe) -> Recipe:
        return replace(recipe, epochs=max(1, round(self.kept * recipe.epochs)))

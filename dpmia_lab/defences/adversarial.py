"""Adversarial regularisation (Nasr, Shokri & Houmansadr 2018): an attacker learns beside the model, which pays for it.

It promises nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import between
from dpmia_lab.defences.base import Recipe, Task, TrainingSet
from dpmia_lab.defences.steered import Steered, aside_of
from dpmia_lab.options import number_text, option

if TYPE_CHECKING:
    import torch

    from dpmia_lab.training.course import Rule


@dataclass(frozen=True)
class Adversarial(Steered):
    title: ClassVar[str] = "adversarial regularisation"
    holds_aside: ClassVar[bool] = True

    weight: float = option(1.0, "adversarial: λ, what the attacker's gain costs", called="adversary")

    def __post_init__(self) -> None:
        between(0, 1000, adversary=self.weight)

    def words(self) -> str:
        return f"adversarial regularisation, λ = {number_text(self.weight)}"

    def prepare(self, task: Task, held, recipe: Recipe, generator: "torch.Generator"):
        """The number of classes, which the attacker's network is made for."""
        return task.classes
        yield

    def rule(
        self, sets: Sequence[TrainingSet], generators: "Sequence[torch.Generator]", recipe: Recipe, *usual
    ) -> "Rule":
        from dpmia_lab.training.adversarial import AdversarialRule

        return AdversarialRule(aside_of(sets[0], "adversarial"), self.weight, generators, sets[0].prepared, *usual)

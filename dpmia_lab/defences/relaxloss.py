"""RelaxLoss (Chen, Yu & Fritz 2022): training is not to push the loss below α. It promises nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import between
from dpmia_lab.defences.base import Recipe, TrainingSet
from dpmia_lab.defences.steered import Steered
from dpmia_lab.options import number_text, option

if TYPE_CHECKING:
    import torch

    from dpmia_lab.training.course import Rule


@dataclass(frozen=True)
class RelaxLoss(Steered):
    title: ClassVar[str] = "RelaxLoss"

    alpha: float = option(1.0, "relaxloss: α, the loss that training is to leave", called="alpha")

    def __post_init__(self) -> None:
        between(0, 100, alpha=self.alpha)

    def words(self) -> str:
        return f"RelaxLoss, α = {number_text(self.alpha)}"

    def rule(
        self, sets: Sequence[TrainingSet], generators: "Sequence[torch.Generator]", recipe: Recipe, *usual
    ) -> "Rule":
        from dpmia_lab.training.course import OtherLoss
        from dpmia_lab.training.losses import relaxed_loss

        return OtherLoss(partial(relaxed_loss, alpha=self.alpha), *usual)

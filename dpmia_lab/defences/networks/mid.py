"""Paper B's MID for networks: a noisy code between the picture and the answer (eq. 5)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import between, whole
from dpmia_lab.defences.base import Recipe, Task, TrainingSet, new_model
from dpmia_lab.defences.networks.base import NetworkDefence
from dpmia_lab.options import number_text, option
from dpmia_lab.stages import Stage

if TYPE_CHECKING:
    import torch
    from torch import nn

    from dpmia_lab.training.plain import Objective


@dataclass(frozen=True)
class Mid(NetworkDefence):
    title: ClassVar[str] = "MID: a noisy code (information bottleneck)"
    draws_anew: ClassVar[bool] = True

    lam: float = option(0.03, "mid: λ, weight of the KL, which is a sum over the code")
    code: int = option(16, "mid: k, numbers in the code")
    draws: int = option(1, "mid: codes drawn a picture for each step of training")

    def __post_init__(self) -> None:
        between(0, 100, lam=self.lam)
        whole(1, 1024, code=self.code)
        whole(1, 64, draws=self.draws)

    def words(self) -> str:
        return f"MID, λ = {number_text(self.lam)}"

    def fresh_model(self, task: Task, generator: "torch.Generator") -> "nn.Module":
        from dpmia_lab.training.bottleneck import with_bottleneck

        return with_bottleneck(new_model(task, generator), self.code, generator)

    def objective(self) -> "Objective":
        from dpmia_lab.training.bottleneck import bottleneck_objective

        return bottleneck_objective(self.lam, self.draws)

    def stacks(self, model: "nn.Module") -> bool:
        """With one code a picture; more of them are drawn by one model alone."""
        return self.draws == 1 and super().stacks(model)

    def train_many(
        self,
        models: "Sequence[nn.Module]",
        sets: Sequence[TrainingSet],
        recipe: Recipe,
        generators: "Sequence[torch.Generator]",
    ) -> Stage[None]:
        yield from self.train_stacked(models, sets, recipe, generators, information=self.lam)

"""DP-SGD: clipped gradients and noise, for a record."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import between, positive
from dpmia_lab.defences.base import Recipe, Task, TrainingSet
from dpmia_lab.defences.central import Central
from dpmia_lab.defences.networks.base import NetworkDefence
from dpmia_lab.options import number_text, option
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.stages import Stage

if TYPE_CHECKING:
    import torch
    from torch import nn


@dataclass(frozen=True)
class DpSgd(NetworkDefence):
    title: ClassVar[str] = "DP-SGD: noise on the gradients"

    sigma: float = option(0.5, "dp_sgd: noise multiplier")
    clip: float = option(1.0, "dp_sgd: the norm a record's gradient is clipped to")

    def __post_init__(self) -> None:
        between(0.01, 1000, sigma=self.sigma)
        positive(clip=self.clip)

    def words(self) -> str:
        return f"DP-SGD, σ = {number_text(self.sigma)}"

    def fits(self, task: Task) -> str:
        return self.central().fits(task)

    def central(self) -> Central:
        return Central(sigma=self.sigma, clip=self.clip)

    def train(
        self, model: "nn.Module", records: TrainingSet, recipe: Recipe, generator: "torch.Generator"
    ) -> Stage[None]:
        yield from self.central().train(model, records, recipe, generator)

    def update_noise(self) -> tuple[float, float]:
        return self.clip, self.sigma

    def promise(self, task: Task, recipe: Recipe, units: int) -> Guarantee:
        return self.central().promise(task, recipe, units)

"""HAMP (Chen & Pattabiraman 2024): unsure on purpose, and every answer's numbers taken from another record's.

Training: labels of high entropy, and a reward for unsure answers. Asked about a record, the model's confidences keep
their order alone: the numbers are those it gives some record of pure chance. It promises nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import between, not_negative, true_or_false
from dpmia_lab.defences.base import Recipe, Task, TrainingSet
from dpmia_lab.defences.steered import Steered
from dpmia_lab.options import number_text, option

if TYPE_CHECKING:
    import torch
    from torch import nn

    from dpmia_lab.training.course import Rule

DONORS = 256  # records of pure chance whose confidences are handed out


@dataclass(frozen=True)
class Hamp(Steered):
    title: ClassVar[str] = "HAMP: unsure on purpose"

    entropy: float = option(0.8, "hamp: entropy of labels, of 1 for uniform ones", called="hamp_entropy")
    weight: float = option(0.01, "hamp: α, the reward for unsure answers", called="hamp_weight")
    reorder: bool = option(True, "hamp: answers keep their order alone", called="hamp_reorder")

    def __post_init__(self) -> None:
        between(0, 1, hamp_entropy=self.entropy)
        not_negative(hamp_weight=self.weight)
        true_or_false(hamp_reorder=self.reorder)

    def words(self) -> str:
        order = ", answers reordered" if self.reorder else ""
        return f"HAMP, entropy {number_text(self.entropy)}, α = {number_text(self.weight)}{order}"

    def rule(
        self, sets: Sequence[TrainingSet], generators: "Sequence[torch.Generator]", recipe: Recipe, *usual
    ) -> "Rule":
        from dpmia_lab.training.course import OtherLoss
        from dpmia_lab.training.losses import high_entropy_loss, own_share

        classes = sets[0].prepared
        loss = partial(high_entropy_loss, own=own_share(self.entropy, classes), weight=self.weight)
        return OtherLoss(loss, *usual)

    def prepare(self, task: Task, held, recipe: Recipe, generator: "torch.Generator"):
        """The number of classes, on which the labels depend."""
        return task.classes
        yield

    def tells_all(self) -> bool:
        return not self.reorder

    def answers(self, model: "nn.Module", x: "torch.Tensor", task: Task) -> "torch.Tensor":
        own = model(x)
        if not self.reorder:
            return own
        donors = model(chance_records(task).to(x.device)).log_softmax(1).sort(1).values
        return reordered(own, donors[donor_of(x)])


def reordered(own: "torch.Tensor", donors: "torch.Tensor") -> "torch.Tensor":
    """(n, C): the numbers of ``donors`` (each row rising) in the order of ``own``."""
    return donors.gather(1, own.argsort(1).argsort(1))


def donor_of(x: "torch.Tensor") -> "torch.Tensor":
    """(n,): a number below ``DONORS`` that looks random but is the same whenever a record is asked about again."""
    import torch

    flat = x.flatten(1).double()
    weights = torch.rand(flat.shape[1], generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return ((flat @ weights.to(x.device) * 1e4) % 1 * DONORS).long().clamp(max=DONORS - 1)


def chance_records(task: Task) -> "torch.Tensor":
    """(DONORS, …): every number drawn by itself, as the model takes records; graphs stay graphs."""
    import torch

    generator = torch.Generator().manual_seed(0)
    if task.features:
        return torch.randn(DONORS, *task.features, generator=generator)  # a core's features have mean 0, deviation 1
    drawn = torch.rand(DONORS, *task.shape, generator=generator)
    if task.kind == "pictures":
        return drawn
    bits = (drawn < 0.5).float()
    if task.kind == "bits":
        return bits
    upper = bits.triu(1)
    return upper + upper.mT + torch.eye(task.shape[0])

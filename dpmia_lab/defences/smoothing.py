"""Label smoothing: labels less sure than they are (positive) or more than sure (negative). It promises nothing."""

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
class Smoothing(Steered):
    title: ClassVar[str] = "label smoothing"

    share: float = option(0.1, "smoothing: s of labels (1 - s)·1 + s/C; below 0 more than sure", called="smoothing")

    def __post_init__(self) -> None:
        between(-1, 0.95, smoothing=self.share)

    def words(self) -> str:
        return f"label smoothing {number_text(self.share)}"

    def rule(
        self, sets: Sequence[TrainingSet], generators: "Sequence[torch.Generator]", recipe: Recipe, *usual
    ) -> "Rule":
        from dpmia_lab.training.course import OtherLoss
        from dpmia_lab.training.losses import smoothed_loss

        return OtherLoss(partial(smoothed_loss, share=self.share), *usual)

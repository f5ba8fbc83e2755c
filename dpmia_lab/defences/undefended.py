"""No defence: what all others are compared with."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.defences.base import Defence, Recipe
from dpmia_lab.privacy.dp_sgd import of_epochs
from dpmia_lab.stages import Stage

if TYPE_CHECKING:
    import torch

    from dpmia_lab.training.span import Span


@dataclass(frozen=True)
class Undefended(Defence):
    title: ClassVar[str] = "none"

    def words(self) -> str:
        return "none"

    def span_weights(
        self, span: "Span", y: "torch.Tensor", classes: int, recipe: Recipe, generators: "Sequence[torch.Generator]"
    ) -> "Stage[torch.Tensor]":
        """Softmax regressions by the hundred, as weights (models, r + 1, classes) in the span of their inputs."""
        from dpmia_lab.training.span import train

        plain = of_epochs(0.0, math.inf, recipe.epochs, recipe.batch, len(y))
        return (yield from train(span, y, classes, plain, rate=recipe.rate, generators=generators))

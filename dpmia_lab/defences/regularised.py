"""The usual remedies against overfitting: dropout, weight decay, augmentation. They help, and promise nothing."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import between, not_negative, true_or_false
from dpmia_lab.defences.base import Defence, Recipe, Task, new_model, why_nothing_goes_between
from dpmia_lab.options import number_text, option

if TYPE_CHECKING:
    import torch
    from torch import nn

    from dpmia_lab.training.plain import Augment


@dataclass(frozen=True)
class Regularised(Defence):
    title: ClassVar[str] = "regularisation, no promise"

    dropout: float = option(0.0, "regularised: share of hidden units dropped a step")
    decay: float = option(0.0, "regularised: weight decay")
    augment: bool = option(False, "regularised: move and turn training pictures at random")

    def __post_init__(self) -> None:
        between(0, 0.95, dropout=self.dropout)
        not_negative(decay=self.decay)
        true_or_false(augment=self.augment)

    def words(self) -> str:
        parts = [f"dropout {self.dropout:g}"] if self.dropout else []
        parts += [f"decay {number_text(self.decay)}"] if self.decay else []
        parts += ["moved pictures"] if self.augment else []
        return ", ".join(["regularisation", *parts])

    def fits(self, task: Task) -> str:
        if self.augment and task.kind != "pictures":
            return f"augment must be false unless the data are pictures; {task.data} are {task.kind}."
        return why_nothing_goes_between(task, "dropout") if self.dropout else ""

    def fresh_model(self, task: Task, generator: "torch.Generator") -> "nn.Module":
        return new_model(task, generator, self.dropout)

    def changed(self, recipe: Recipe) -> Recipe:
        return replace(recipe, decay=recipe.decay + self.decay)

    def augmentation(self) -> "Augment | None":
        if not self.augment:
            return None
        from dpmia_lab.training.augmentation import moved

        return moved

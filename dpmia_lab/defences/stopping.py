"""Early stopping: the undefended model of an earlier epoch. The honest rival of every empirical defence."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import between, whole
from dpmia_lab.defences.base import Recipe, TrainingSet
from dpmia_lab.defences.steered import Steered, aside_of
from dpmia_lab.options import number_text, option

if TYPE_CHECKING:
    import torch

    from dpmia_lab.training.course import Rule


@dataclass(frozen=True)
class Stopping(Steered):
    """After so many epochs; or, as DAP chooses, that of the highest AOP(λ) on records held aside, where the attack is
    a threshold on the loss."""

    title: ClassVar[str] = "early stopping"
    holds_aside: ClassVar[bool] = True

    lam: float = option(2.0, "stopping: λ of the AOP whose best epoch is kept", called="stop_lam")
    after: int = option(0, "stopping: end after so many epochs (0: keep the best by AOP)", called="stop_after")

    def __post_init__(self) -> None:
        between(0, 1000, stop_lam=self.lam)
        whole(0, 1000, stop_after=self.after)

    def words(self) -> str:
        return f"early stopping, {f'{self.after} epochs' if self.after else f'best AOP({number_text(self.lam)})'}"

    def changed(self, recipe: Recipe) -> Recipe:
        return replace(recipe, epochs=min(recipe.epochs, self.after)) if self.after else recipe

    def rule(
        self, sets: Sequence[TrainingSet], generators: "Sequence[torch.Generator]", recipe: Recipe, *usual
    ) -> "Rule":
        from dpmia_lab.training.adversarial import Watching

        return Watching(aside_of(sets[0], "stopping"), None if self.after else self.lam, *usual)

"""What a defence of a model of tables is: its fields are its hyper-parameters, its methods all that it changes.

What a subclass leaves alone stays as it is without any defence. Every method serves all splits at once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dpmia_lab.defences.base import Recipe, TrainingSet
from dpmia_lab.privacy.accounting import NEIGHBOURS, Guarantee, epsilon_text, short
from dpmia_lab.stages import Stage
from dpmia_lab.training import id3
from dpmia_lab.training.id3 import Categories, Choose, Trees
from dpmia_lab.training.regression import Problem, least_squares

if TYPE_CHECKING:
    import torch
    from torch import nn

MODELS = {"regression": "a linear regression", "tree": "a decision tree", "mlp": "a network with one hidden layer"}


@dataclass(frozen=True)
class Growth:
    """How a tree grows where nothing protects it."""

    criterion: str = "gain"  # or gini
    leaf: int = 20  # a node of fewer people is not divided
    depth: int = 20  # most questions on a path


class TableDefence:
    """Subclasses are frozen dataclasses; ``title`` is what a menu calls them."""

    title: ClassVar[str]
    models: ClassVar[tuple[str, ...]] = tuple(MODELS)  # what it can be used for
    uses_secret: ClassVar[bool] = True  # whether the model is given the sensitive column at all

    def words(self) -> str:
        """Its name with the settings that matter."""
        raise NotImplementedError

    def fits(self, model: str) -> str:
        """"" or the sentence why it cannot be used for that."""
        if model in self.models:
            return ""
        return f"model must be {' or '.join(self.models)} for this defence ({self.title}); it is {model!r}."

    def promise(self, people: int) -> Guarantee | None:
        """people: how many are trained on."""
        return None

    # ---- training
    def coefficients(self, problem: Problem, rng: np.random.Generator) -> Stage[np.ndarray]:
        """(S, d), of regressions."""
        return least_squares(problem)
        yield  # a stage, as others take time

    def choose(self, growth: Growth) -> Choose:
        """What a node of a tree asks."""
        return id3.purest(growth.criterion, growth.leaf)

    def trees(self, data: Categories, growth: Growth, rng: np.random.Generator) -> Stage[Trees]:
        return (yield from id3.grown(data, self.choose(growth), growth.depth))

    def train_networks(
        self,
        models: "Sequence[nn.Module]",
        sets: Sequence[TrainingSet],
        recipe: Recipe,
        generators: "Sequence[torch.Generator]",
    ) -> Stage[None]:
        from dpmia_lab.defences.undefended import Undefended

        yield from Undefended().train_many(models, sets, recipe, generators)

    # ---- answering
    def released(self, answers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """What is told of the model's answers: numbers, or confidences (…, K)."""
        return answers

    def blur(self) -> float:
        """The standard deviation of the noise in an answer, which everybody may know."""
        return 0.0


@dataclass(frozen=True)
class ComposedGuarantee(Guarantee):
    """An ε that is the plain sum of its parts; ``accountant`` says of which, in words."""

    def words(self) -> str:
        details = (NEIGHBOURS[self.neighbours], f"δ = {short(self.delta)}", self.accountant)
        return f"ε = {epsilon_text(self.epsilon)} for a {self.unit} ({'; '.join(details)})"

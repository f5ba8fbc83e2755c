"""Local noise: every record is changed by its owner before anybody sees it (paper C, 2.2); training is ordinary."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpmia_lab.checks import between, whole
from dpmia_lab.defences.base import Defence, Recipe, Task
from dpmia_lab.options import number_text, option
from dpmia_lab.privacy import local


@dataclass(frozen=True)
class Local(Defence):
    title: ClassVar[str] = "local: noise on the data"

    epsilon_i: float = option(1.0, "local: ε of one bit, of one edge, or of any m pixel values")
    cell: int = option(1, "local, pictures: b, side of a pixel cell")
    reach: int = option(1, "local, pictures: m, pixels in which neighbours may differ")

    def __post_init__(self) -> None:
        between(0.001, 1_000_000, epsilon_i=self.epsilon_i)
        whole(1, 64, cell=self.cell)
        whole(1, 1_000_000, reach=self.reach)

    def words(self) -> str:
        return f"local, ε = {number_text(self.epsilon_i)} each"

    def released(self, x: np.ndarray, kind: str, rng: np.random.Generator) -> np.ndarray:
        if kind == "bits":
            return local.randomised_response(x, self.epsilon_i, rng)
        if kind == "graphs":
            return local.randomised_edges(x, self.epsilon_i, rng)
        return local.pixelated(x, self.cell, self.reach, self.epsilon_i, rng)

    def promise(self, task: Task, recipe: Recipe, units: int) -> local.LocalGuarantee:
        if task.kind == "bits":
            return local.bits_guarantee(task.shape[0], self.epsilon_i)
        if task.kind == "graphs":
            return local.edges_guarantee(task.shape[0], self.epsilon_i)
        return local.picture_guarantee(task.shape, self.reach, self.epsilon_i)

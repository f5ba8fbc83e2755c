"""DP-SGD that hides a subclass or a class instead of a record (paper A, IV): the same algorithm, larger units."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dpmia_lab.checks import one_of, whole
from dpmia_lab.defences.base import Recipe, TrainingSet
from dpmia_lab.defences.central import Central
from dpmia_lab.options import number_text
from dpmia_lab.privacy.accounting import default_delta
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.units import UNITS, Units, divided
from dpmia_lab.stages import Stage, part

if TYPE_CHECKING:
    import torch
    from torch import nn


@dataclass(frozen=True)
class LargerUnits(Central):
    """Its δ, if not given, is the largest power of ten below 1/units."""

    title: ClassVar[str] = "central, for whole classes or subclasses"

    unit: str = "class"  # or subclass
    k_sub: int = 10  # clusters a class is divided into (subclasses only)

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of([unit for unit in UNITS if unit != "record"], unit=self.unit)
        whole(1, 100_000, k_sub=self.k_sub)

    def words(self) -> str:
        return f"{self.unit}-level, σ = {number_text(self.sigma)}, clip {number_text(self.clip)}"

    def hidden(self) -> str:
        return self.unit

    def divided(self, records: TrainingSet, generator: "torch.Generator") -> Stage[Units]:
        """The clustering looks at the private records, and no ε accounts for that."""
        import torch

        seed = int(torch.randint(2**31, (), generator=generator))
        x, y = np.ascontiguousarray(records.x.float().cpu().numpy()), records.y.cpu().numpy()
        return (yield from divided(self.unit, x, y, min(self.k_sub, len(y)), seed))

    def train_many(
        self,
        models: "Sequence[nn.Module]",
        sets: Sequence[TrainingSet],
        recipe: Recipe,
        generators: "Sequence[torch.Generator]",
    ) -> Stage[None]:
        """Together where all take as many steps with one chance to join; else one after another."""
        from dpmia_lab.training import stacked

        own = []
        for records, generator in zip(sets, generators, strict=True):
            units = records.units or (yield from part(self.divided(records, generator), 0.0, 0.0))
            own.append(replace(records, units=units))
        how = [self.dp_sgd(recipe, records.units.count) for records in own]
        if recipe.optimizer == "momentum" or len({(dp.sigma, dp.q, dp.steps) for dp in how}) > 1:
            for place, (model, records, generator) in enumerate(zip(models, own, generators, strict=True)):
                stage = self.train(model, records, recipe, generator)
                yield from part(stage, place / len(models), (place + 1) / len(models))
            return
        yield from stacked.train_privately(
            models,
            [(records.x, records.y) for records in own],
            how[0],
            rate=recipe.rate,
            generators=generators,
            adam=recipe.optimizer == "adam",
            units=[records.units for records in own],
        )

    def dp_sgd(self, recipe: Recipe | None, units: int) -> DpSgd:
        return replace(super().dp_sgd(recipe, units), delta=self.delta or default_delta(units))

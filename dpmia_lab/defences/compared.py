"""Every defence under one name space, so that all can be played against all: the general ones, those of a network's
answers and those that only tables have.

A defence that several tables know by several names has one here: dropout and decay are ``regularised``, rounding and
the label alone are ``masking``, DP-SGD is ``central``.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from dpmia_lab.checks import between, whole
from dpmia_lab.defences import DEFENCES
from dpmia_lab.defences.base import Defence, Recipe, Task
from dpmia_lab.defences.networks.mid import Mid
from dpmia_lab.defences.networks.uniform_noise import UniformNoise
from dpmia_lab.defences.tables import AdaSsp, DpId3, Priority, Ridge
from dpmia_lab.defences.tables import Mid as TableMid
from dpmia_lab.defences.tables.base import TableDefence
from dpmia_lab.defences.tables.undefended import Undefended as UndefendedTable
from dpmia_lab.defences.units import LargerUnits
from dpmia_lab.options import option
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.seeds import numpy_generator

if TYPE_CHECKING:
    import torch
    from torch import nn

LEAST = 1e-30  # a confidence of 0 has a logarithm nevertheless


@dataclass(frozen=True)
class Units(LargerUnits):
    """``LargerUnits`` with options of its own names: a whole class (a person, of faces) or a part of one is hidden."""

    sigma: float = option(1.0, "units: noise multiplier", called="unit_sigma")
    clip: float = option(1.0, "units: the norm a unit's gradient is clipped to", called="unit_clip")
    epsilon: float = 0.0
    unit: str = option("class", "units: what is hidden, class or subclass")
    k_sub: int = option(10, "units: clusters a class is divided into (subclass)")

    def count(self, task: Task) -> int:
        """There are as many units as classes, or as parts of classes."""
        return task.classes * (1 if self.unit == "class" else self.k_sub)

    def promise(self, task: Task, recipe: Recipe, units: int) -> Guarantee:
        return super().promise(task, recipe, self.count(task))


@dataclass(frozen=True)
class Bottleneck(Mid):
    lam: float = option(0.03, "mid: λ, weight of the KL, which is a sum over the code", called="mid_lam")
    code: int = option(16, "mid: k, numbers in the code", called="mid_code")
    draws: int = option(1, "mid: codes drawn a record for each step of training", called="mid_draws")

    def __post_init__(self) -> None:
        between(0, 100, mid_lam=self.lam)
        whole(1, 1024, mid_code=self.code)
        whole(1, 64, mid_draws=self.draws)

    def tells_all(self) -> bool:
        return False


@dataclass(frozen=True)
class NoisyAnswers(UniformNoise):
    """The noise has a stream of its own, of a seed that the run gives: a defence is made anew for every run."""

    noise: float = option(0.1, "uniform_noise: at most so much is added to a confidence, or taken away", called="noise")
    stream: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "rng", numpy_generator(self.stream, "answers"))

    def tells_all(self) -> bool:
        return False

    def answers(self, model: "nn.Module", x: "torch.Tensor", task: Task) -> "torch.Tensor":
        import torch

        told = self.told(model(x).double().softmax(1).cpu().numpy(), self.rng)
        return torch.from_numpy(told).clamp(min=LEAST).log().to(x.device)


@dataclass(frozen=True)
class Drop(Defence):
    """The model is never given the sensitive column, whose bits are ``columns``, from the one to before the other."""

    title: ClassVar[str] = "the sensitive column left out"
    columns: tuple[int, int] = (0, 0)

    def words(self) -> str:
        return "the sensitive column left out"

    def fits(self, task: Task) -> str:
        return "" if self.columns != (0, 0) else f"drop: there must be a sensitive column; {task.data} have none."

    def released(self, x: np.ndarray, kind: str, rng: np.random.Generator) -> np.ndarray:
        return self.without(x.copy())

    def answers(self, model: "nn.Module", x: "torch.Tensor", task: Task) -> "torch.Tensor":
        return model(self.without(x.clone()))

    def without(self, x):
        x[:, slice(*self.columns)] = 0
        return x


COMPARED: dict[str, type[Defence]] = {
    **DEFENCES,
    "units": Units,
    "mid": Bottleneck,
    "uniform_noise": NoisyAnswers,
    "drop": Drop,
}
TABLE_ONLY = {  # of models that only tables have, and the field that says how strong each is
    "ridge": (Ridge, "ridge"),
    "adassp": (AdaSsp, "epsilon"),
    "table_mid": (TableMid, "lam"),
    "dp_id3": (DpId3, "epsilon"),
    "priority": (Priority, "priority"),
}
EVERY = (*COMPARED, *TABLE_ONLY)


def table_defence(name: str, strength: float) -> TableDefence:
    """One of ``TABLE_ONLY``, or "none"."""
    if name == "none":
        return UndefendedTable()
    kind, field = TABLE_ONLY[name]
    return kind(**{field: round(strength) if field == "priority" else strength})


def titles() -> dict[str, str]:
    """What menus and tables call each."""
    kinds = COMPARED | {name: kind for name, (kind, _) in TABLE_ONLY.items()}
    return {name: kind.title for name, kind in kinds.items()}


def draws_anew(defence: Defence) -> bool:
    """Whether the same question may be answered differently the next time."""
    return getattr(defence, "draws_anew", False)

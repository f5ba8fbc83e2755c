"""Dropout: while it trains, the last layer sees a part of its inputs only. Answers are made with all of them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import between
from dpmia_lab.defences.base import Task, new_model, why_nothing_goes_between
from dpmia_lab.defences.networks.base import NetworkDefence
from dpmia_lab.options import option

if TYPE_CHECKING:
    import torch
    from torch import nn


@dataclass(frozen=True)
class Dropout(NetworkDefence):
    title: ClassVar[str] = "dropout"

    dropout: float = option(0.5, "dropout: share of the last layer's inputs left out a step")

    def __post_init__(self) -> None:
        between(0, 0.95, dropout=self.dropout)

    def words(self) -> str:
        return f"dropout {self.dropout:g}"

    def fits(self, task: Task) -> str:
        return why_nothing_goes_between(task, "dropout")

    def fresh_model(self, task: Task, generator: "torch.Generator") -> "nn.Module":
        return new_model(task, generator, self.dropout)

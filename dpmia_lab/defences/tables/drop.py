"""The model is never given the sensitive column."""

from dataclasses import dataclass
from typing import ClassVar

from dpmia_lab.defences.tables.base import TableDefence


@dataclass(frozen=True)
class Drop(TableDefence):
    title: ClassVar[str] = "the sensitive column left out"
    uses_secret: ClassVar[bool] = False

    def words(self) -> str:
        return "the sensitive column left out"

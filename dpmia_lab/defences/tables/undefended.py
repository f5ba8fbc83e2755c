"""No defence."""

from dataclasses import dataclass
from typing import ClassVar

from dpmia_lab.defences.tables.base import TableDefence


@dataclass(frozen=True)
class Undefended(TableDefence):
    title: ClassVar[str] = "no defence"

    def words(self) -> str:
        return "no defence"

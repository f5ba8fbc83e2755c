"""No defence."""

from dataclasses import dataclass
from typing import ClassVar

from dpmia_lab.defences.networks.base import NetworkDefence


@dataclass(frozen=True)
class Undefended(NetworkDefence):
    title: ClassVar[str] = "no defence"
    changes_training: ClassVar[bool] = False

    def words(self) -> str:
        return "no defence"

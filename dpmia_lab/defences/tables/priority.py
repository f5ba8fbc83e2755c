"""Priority (Fredrikson, Jha & Ristenpart 2015): the tree asks the sensitive question at one depth only, or never."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpmia_lab.checks import whole
from dpmia_lab.defences.tables.base import Growth, TableDefence
from dpmia_lab.training.id3 import Choose, Level, purities


@dataclass(frozen=True)
class Priority(TableDefence):
    title: ClassVar[str] = "priority: the sensitive question at one depth"
    models: ClassVar[tuple[str, ...]] = ("tree",)

    priority: int = 0

    def __post_init__(self) -> None:
        whole(-1, 20, priority=self.priority)

    def words(self) -> str:
        return "the sensitive question never asked" if self.priority < 0 else f"priority, depth {self.priority}"

    def choose(self, growth: Growth) -> Choose:
        def choose(level: Level) -> np.ndarray:
            gain = purities(level, growth.criterion)
            own = gain[:, level.secret].copy()
            gain[:, level.secret] = -np.inf
            best, worth = gain.argmax(1), gain.max(1) > 1e-12
            if level.depth == self.priority:
                forced = own > -np.inf
                best, worth = np.where(forced, level.secret, best), forced | worth
            return np.where(worth & (level.people >= growth.leaf), best, -1)

        return choose

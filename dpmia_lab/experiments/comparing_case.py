"""Who is asked about, whatever the defence: candidates among whom are canaries, and which model is trained on whom.

Every defence of a seed meets the same people, halves, canaries and varied copies.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpmia_lab.defences.base import Task
from dpmia_lab.experiments.comparing_config import Config
from dpmia_lab.experiments.comparing_patients import Patients
from dpmia_lab.game.canaries import KINDS, Planted, with_canaries
from dpmia_lab.game.candidates import Asked, Candidates, candidate_halves
from dpmia_lab.game.picture_roles import Roles
from dpmia_lab.game.records import Records
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Once, Stage


@dataclass(frozen=True, eq=False)
class Case:
    task: Task
    people: Records  # the k candidates
    what: np.ndarray  # (k,): ordinary, mislabelled or atypical, a place in ``KINDS``
    inside: np.ndarray  # (models, k): who is trained on whom
    held: Records  # in nobody's training set
    roles: Roles | None = None  # of pictures, who has which besides
    patients: Patients | None = None  # of a table, its people
    copies: tuple[np.ndarray, ...] = ()  # varied copies of all candidates, (k, …) each
    made: dict[Any, Once] = field(default_factory=dict)  # what else is made once: judges, undefended models

    def places(self, *kinds: str) -> np.ndarray:
        """(k,) bool."""
        return np.isin(self.what, [KINDS.index(kind) for kind in kinds])

    @property
    def ordinary(self) -> np.ndarray:
        return self.places("ordinary")

    def once(self, name: Any, make: Callable[[], Stage]) -> Stage:
        return self.made.setdefault(name, Once(make)).result()


def with_halves(config: Config, task: Task, people: Records, held: Records, **more: Any) -> Case:
    """Canaries are planted, and every candidate is in one of each pair of models."""
    planted = planted_among(people, config, task)
    inside = candidate_halves(config.shadows, len(people), numpy_generator(config.seed, "inside"))
    return Case(task, planted.candidates.alike.records, planted.kind, inside, held, **more)


def planted_among(people: Records, config: Config, task: Task) -> Planted:
    nobody = people.at(np.arange(0))
    everyone = Candidates(Asked(people, np.zeros(len(people), dtype=bool)), None, nobody, nobody, nobody, nobody, None)
    return with_canaries(everyone, config.canaries, task.kind, task.classes, numpy_generator(config.seed, "canaries"))

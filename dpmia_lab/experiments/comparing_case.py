"""Who is asked about, whatever the defence: candidates among whom are canaries, and which model is trained on whom.

Every defence of a seed meets the same people, halves, canaries and varied copies. What does not depend on the defence
is made once and kept, for a worker's next cell often shares it.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.data.population import Population, load_population
from dpmia_lab.defences.base import Task
from dpmia_lab.experiments.comparing_config import Config, is_table, shared
from dpmia_lab.game.canaries import KINDS, Planted, with_canaries
from dpmia_lab.game.candidates import Asked, Candidates, candidate_halves
from dpmia_lab.game.labels import LEVELS, varied
from dpmia_lab.game.records import Records
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Once, Progress, Stage

if TYPE_CHECKING:
    from dpmia_lab.experiments.comparing_attributes import Patients
    from dpmia_lab.experiments.comparing_pictures import Gallery

HELD = 2  # records held aside: so many times as many as a model is trained on, at most
KEPT = 2  # cases in memory


@dataclass(frozen=True, eq=False)
class Case:
    task: Task
    people: Records  # the k candidates
    what: np.ndarray  # (k,): ordinary, mislabelled or atypical, a place in ``KINDS``
    inside: np.ndarray  # (models, k): who is trained on whom
    held: Records  # in nobody's training set
    gallery: "Gallery | None" = None  # of pictures, what inversion is judged by
    patients: "Patients | None" = None  # of a table, what attribute inference is judged by
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


KEPT_CASES: "OrderedDict[tuple, Once[Case]]" = OrderedDict()


def case_of(config: Config) -> Stage[Case]:
    """Made anew, or the very same one if it is still kept; which of the two makes no difference to any number."""
    key = shared(config)
    if key not in KEPT_CASES:
        KEPT_CASES[key] = Once(lambda: new_case(config))
        while len(KEPT_CASES) > KEPT:
            KEPT_CASES.popitem(last=False)
    KEPT_CASES.move_to_end(key)
    return KEPT_CASES[key].result()


def new_case(config: Config) -> Stage[Case]:
    yield Progress(0, 1, "loading data")
    if is_table(config.data):
        from dpmia_lab.experiments.comparing_attributes import table_case

        case = table_case(config)
    else:
        population = load_population(
            config.data, classes=config.classes, records=(2 + HELD) * config.records, people=config.people,
            pictures=config.pictures, height=config.height, seed=config.seed,
        )  # fmt: skip
        if population.kind == "pictures":
            from dpmia_lab.experiments.comparing_pictures import picture_case

            case = yield from picture_case(config, population)
        else:
            case = plain_case(config, population)
    return replace(case, copies=copies_of(config, case))


def plain_case(config: Config, population: Population) -> Case:
    """Bits or graphs: candidates and records held aside, at random."""
    total = len(population.y)
    n = enough(config, total, total // 3)
    order = numpy_generator(config.seed, "split").permutation(total)
    everyone = Records(population.x, population.y)
    model = "graph" if population.kind == "graphs" else config.model
    task = Task(population.kind, population.shape, population.classes, model, config.width, data=population.name)
    return with_halves(config, task, everyone.at(order[: 2 * n]), everyone.at(order[2 * n : (2 + HELD) * n]))


def enough(config: Config, total: int, most: int) -> int:
    if config.records > most:
        raise Mistake(f"records must be at most {most}, as {config.data} has {total}; it is {config.records}.")
    return config.records


def with_halves(config: Config, task: Task, people: Records, held: Records, **more: Any) -> Case:
    """Canaries are planted, and every candidate is in one of each pair of models."""
    planted = planted_among(people, config, task)
    inside = candidate_halves(config.shadows, len(people), numpy_generator(config.seed, "inside"))
    return Case(task, planted.candidates.alike.records, planted.kind, inside, held, **more)


def planted_among(people: Records, config: Config, task: Task) -> Planted:
    nobody = people.at(np.arange(0))
    everyone = Candidates(Asked(people, np.zeros(len(people), dtype=bool)), None, nobody, nobody, nobody, nobody, None)
    return with_canaries(everyone, config.canaries, task.kind, task.classes, numpy_generator(config.seed, "canaries"))


def copies_of(config: Config, case: Case) -> tuple[np.ndarray, ...]:
    rng, x = numpy_generator(config.seed, "copies"), case.people.x
    return tuple(varied(x, case.task.kind, LEVELS[copy % len(LEVELS)], rng) for copy in range(config.queries))

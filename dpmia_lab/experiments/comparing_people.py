"""Whom a comparison asks about: carts and other bits, graphs, pictures, tables; each made once and kept.

What does not depend on the defence is kept, for a worker's next cell often shares it.
"""

from collections import OrderedDict
from dataclasses import replace

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.data.population import Population, load_population
from dpmia_lab.data.table_files import load_table
from dpmia_lab.data.tables import in_bands
from dpmia_lab.defences.base import Task
from dpmia_lab.experiments.comparing_case import Case, with_halves
from dpmia_lab.experiments.comparing_config import TABLE_MODELS, Config, is_table, shared
from dpmia_lab.experiments.comparing_patients import Patients, at_rows
from dpmia_lab.experiments.comparing_patients import with_canaries as canaries_among
from dpmia_lab.game.candidates import candidate_halves
from dpmia_lab.game.labels import LEVELS, varied
from dpmia_lab.game.picture_roles import Roles, generated_strangers
from dpmia_lab.game.records import Records
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Once, Progress, Stage

HELD = 2  # records held aside: so many times as many as a model is trained on, at most
KEPT = 2  # cases in memory
SHARES = {"held": 0.25, "auxiliary": 0.15, "test": 0.25, "judge": 0.35}  # of the pictures that are no candidates
LEAST = 8  # pictures a class, so that everybody has some
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
        case = table_case(config)
    else:
        population = load_population(
            config.data, classes=config.classes, records=(2 + HELD) * config.records, people=config.people,
            pictures=config.pictures, height=config.height, seed=config.seed,
        )  # fmt: skip
        if population.kind == "pictures":
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


def table_case(config: Config) -> Case:
    table = load_table(config.data, config.outcome, config.sensitive, (2 + HELD) * config.records, seed=config.seed)
    n = enough(config, len(table), len(table) // 3)
    order = numpy_generator(config.seed, "split").permutation(len(table))[: (2 + HELD) * n]
    chosen = at_rows(table, order)
    what, planted = canaries_among(chosen, 2 * n, config.canaries, numpy_generator(config.seed, "canaries"))
    inside = candidate_halves(config.shadows, 2 * n, numpy_generator(config.seed, "inside"))
    patients = Patients(planted, inside, what == 0, config.seed)
    everyone, classes = Records(patients.x, patients.y), in_bands(planted.target).width
    model = "mlp" if config.model in TABLE_MODELS else config.model
    task = Task("bits", patients.x.shape[1:], classes, model, config.width, data=table.name)
    people, held = everyone.at(np.arange(2 * n)), everyone.at(np.arange(2 * n, len(order)))
    return Case(task, people, what, inside, held, patients=patients)


def picture_case(config: Config, population: Population) -> Stage[Case]:
    """Of every class about as many pictures are candidates; the others are shared out among the other roles."""
    everyone, rng = Records(population.x, population.y), numpy_generator(config.seed, "roles")
    counts = np.bincount(population.y, minlength=population.classes)
    share = 2 * config.records / len(everyone)
    least = int(np.floor(counts.min() * (1 - share)))
    if counts.min() < LEAST or least < len(SHARES):
        most = int(len(everyone) * (1 - len(SHARES) / counts.min()) / 2)
        raise Mistake(f"records must be at most {max(most, 0)} for these pictures; it is {config.records}.")
    places: dict[str, list[np.ndarray]] = {"candidates": [], **{role: [] for role in SHARES}}
    for label in range(population.classes):
        own = rng.permutation(np.flatnonzero(population.y == label))
        few = round(share * len(own))
        ends = few + np.cumsum([max(1, round(part * (len(own) - few))) for part in list(SHARES.values())[:-1]])
        for role, some in zip(places, np.split(own, [few, *ends]), strict=True):
            places[role].append(some)
    parts = {role: everyone.at(np.concatenate(some)) for role, some in places.items()}
    people, held = parts.pop("candidates"), parts.pop("held")
    people = people.at(rng.permutation(len(people))[: 2 * (len(people) // 2)])
    others = config.data == "faces"
    public = (yield from generated_strangers(population.shape, config.seed)) if others else parts["auxiliary"].x
    whom = "other generated people" if others else "other pictures of the same classes"
    shown = {"public": public, "public_is": whom, "others": others}
    roles, centre = Roles(population.name, population.class_names, people, **parts, **shown), public.mean(0)
    task = Task("pictures", population.shape, population.classes, config.model, config.width, (), centre, roles.name)
    return with_halves(config, task, people, held, roles=roles)


def enough(config: Config, total: int, most: int) -> int:
    if config.records > most:
        raise Mistake(f"records must be at most {most}, as {config.data} has {total}; it is {config.records}.")
    return config.records


def copies_of(config: Config, case: Case) -> tuple[np.ndarray, ...]:
    rng, x = numpy_generator(config.seed, "copies"), case.people.x
    return tuple(varied(x, case.task.kind, LEVELS[copy % len(LEVELS)], rng) for copy in range(config.queries))

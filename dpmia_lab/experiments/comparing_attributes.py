"""Tables in a comparison: people as bits for networks, as columns for regressions and trees; secrets guessed.

Every number is cut into bands, so that a network gets bits and every general defence applies. Canaries are made column
by column: a mislabelled person has somebody else's outcome, an atypical one values drawn by pure chance.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.attributes import ATTRIBUTE_ATTACKS, attacks_on
from dpmia_lab.attacks.attributes.imputation import imputer, log_chances
from dpmia_lab.data.table_files import load_table
from dpmia_lab.data.tables import Column, Splits, Table, columns_as_numbers, in_bands
from dpmia_lab.defences.base import Task
from dpmia_lab.defences.tables.undefended import Undefended
from dpmia_lab.experiments.comparing_case import HELD, Case, enough
from dpmia_lab.experiments.comparing_config import TABLE_MODELS, Config
from dpmia_lab.experiments.comparing_models import Said, answered, softmax, trainer_for, ways_of
from dpmia_lab.game.candidates import candidate_halves
from dpmia_lab.game.records import Records
from dpmia_lab.game.table_models import TableModels, evidence_of
from dpmia_lab.game.table_people import GROUPS, TablePeople
from dpmia_lab.metrics.attributes import guess_accuracy
from dpmia_lab.rows import Row
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Stage

if TYPE_CHECKING:
    from torch import nn

    from dpmia_lab.game.trainer import Trainer

KNOWN = 100  # people held aside by whom the calibrating attacker refits
NOTHING = "nothing"  # what a comparison calls the guess of the commonest value, which is chance level here
BASELINES = (NOTHING, "imputation", "imputation_outcome")  # guesses that need no model
REPEATED = ("map", "calibrated", "imputation_map")  # attacks also made on averaged answers, or through the mean code
WAYS = {"averaged": "answers averaged", "mean": "through the mean code", "weights": "past the mask on answers"}
ATTACKS = {name: attack.words for name, attack in ATTRIBUTE_ATTACKS.items() if name != "prior"} | {
    f"{name}_{way}": f"{ATTRIBUTE_ATTACKS[name].words}, {words}" for way, words in WAYS.items() for name in REPEATED
}
MEASURES = ("attack_accuracy", "attack_over_imputation")


@dataclass(frozen=True, eq=False)
class Patients:
    """The people of a table, candidates first, then those held aside."""

    table: Table
    inside: np.ndarray  # (models, k)
    ordinary: np.ndarray  # (k,)
    seed: int

    @property
    def features(self) -> tuple[Column, ...]:
        """As categories, the sensitive one last."""
        return tuple(in_bands(column) for column in (*self.table.others, self.table.secret))

    @cached_property
    def x(self) -> np.ndarray:
        """(n, bits): one bit for each value of each column."""
        return np.concatenate([np.eye(c.width, dtype=np.uint8)[c.values] for c in self.features], 1)

    @cached_property
    def y(self) -> np.ndarray:
        return in_bands(self.table.target).values.astype(np.int64)

    @property
    def bits(self) -> tuple[int, int]:
        """The sensitive column's: from the one to before the other."""
        return self.x.shape[1] - self.table.secret.width, self.x.shape[1]

    @cached_property
    def people(self) -> TablePeople:
        """Of each model those trained on, those not, and the public ones, who are held aside."""
        people = TablePeople(self.table, len(self.inside), KNOWN, self.seed)
        k, models = self.inside.shape[1], len(self.inside)
        tested = (~self.inside & self.ordinary).sum(1).min()
        trained = [np.lexsort((~self.ordinary, ~own))[: own.sum()] for own in self.inside]  # ordinary ones first
        test = [np.flatnonzero(~own & self.ordinary)[:tested] for own in self.inside]
        public = np.tile(np.arange(k, len(self.table)), (models, 1))
        people.splits = Splits(np.stack(trained), public, np.stack(test))
        people.known = public[:, :KNOWN]
        return people

    def impute(self) -> Stage[None]:
        """Fitted once on those held aside, who are the same for every model."""
        people, k = self.people, self.inside.shape[1]
        if people.imputed:
            return
        alone = np.concatenate([np.ones((len(self.table), 1)), columns_as_numbers(self.table.others)], 1)
        both = np.concatenate([alone, people.outcome_numbers()], 1)
        found = []
        for x in (alone, both):
            w = yield from imputer(x[None, k:], people.secret[None, k:], people.values)
            found.append(log_chances(x[None], w)[0])
        people.imputed = {group: tuple(told[people.places(group)] for told in found) for group in GROUPS}


# ---- who they are
def table_case(config: Config) -> Case:
    table = load_table(config.data, config.outcome, config.sensitive, (2 + HELD) * config.records, seed=config.seed)
    n = enough(config, len(table), len(table) // 3)
    order = numpy_generator(config.seed, "split").permutation(len(table))[: (2 + HELD) * n]
    chosen = at_rows(table, order)
    what, planted = with_canaries(chosen, 2 * n, config.canaries, numpy_generator(config.seed, "canaries"))
    inside = candidate_halves(config.shadows, 2 * n, numpy_generator(config.seed, "inside"))
    patients = Patients(planted, inside, what == 0, config.seed)
    everyone, classes = Records(patients.x, patients.y), in_bands(planted.target).width
    model = "mlp" if config.model in TABLE_MODELS else config.model
    task = Task("bits", patients.x.shape[1:], classes, model, config.width, data=table.name)
    people, held = everyone.at(np.arange(2 * n)), everyone.at(np.arange(2 * n, len(order)))
    return Case(task, people, what, inside, held, patients=patients)


def at_rows(table: Table, rows: np.ndarray) -> Table:
    return replace(table, columns=tuple(replace(column, values=column.values[rows]) for column in table.columns))


def with_canaries(table: Table, k: int, each: int, rng: np.random.Generator) -> tuple[np.ndarray, Table]:
    """What each of the first k people is (0 ordinary, 1 mislabelled, 2 atypical), and the table with them."""
    what = np.zeros(k, dtype=np.int64)
    wrong, odd = np.split(rng.permutation(k)[: 2 * each], [each])
    what[wrong], what[odd] = 1, 2
    columns = []
    for column in table.columns:
        values = column.values.copy()
        if column.name == table.outcome:
            values[wrong] = [another_outcome(table.target, person, rng) for person in wrong]
        elif column.kind == "category":
            values[odd] = rng.integers(column.width, size=len(odd))
        else:
            values[odd] = rng.uniform(column.low, column.high, len(odd))
        columns.append(replace(column, values=values))
    return what, replace(table, columns=tuple(columns))


def another_outcome(target: Column, person: int, rng: np.random.Generator):
    """That of somebody of another class."""
    classes = in_bands(target).values
    return target.values[rng.choice(np.flatnonzero(classes != classes[person]))]


# ---- guessing secrets
class AskedNetworks(TableModels):
    """A cell's networks, asked about people had they each value; answers are as told, one by one or averaged."""

    def __init__(self, config: Config, case: Case, trainer: "Trainer", models: "list[nn.Module]", way: str) -> None:
        super().__init__(case.patients.people, Undefended())
        self.config, self.patients, self.trainer, self.models, self.way = config, case.patients, trainer, models, way

    def asked(self, places: np.ndarray) -> np.ndarray:
        first, last = self.patients.bits
        found = []
        for model, own in zip(self.models, places, strict=True):
            x = np.repeat(self.patients.x[own][:, None], self.people.values, 1)  # (P, V, bits)
            x[:, :, first:last] = np.eye(self.people.values, dtype=x.dtype)
            given = self.trainer.inputs(x.reshape(-1, x.shape[-1])).float()
            said = answered(self.trainer, model, given, self.way, self.config.answers)
            found.append(softmax(said).reshape(*x.shape[:2], -1))
        return np.stack(found)


def attribute_rows(config: Config, case: Case, said: Said) -> Stage[list[Row]]:
    """Of every attack that fits the model, about people trained on and others; mean and spread over models."""
    yield from case.patients.impute()
    if config.model in TABLE_MODELS:
        return guessed_rows(said.others["models"], config.model, tuple(attacks_on(config.model)), "", config.seed)
    trainer, rows = trainer_for(config, case), []
    for place, way in enumerate(ways := ways_of(config, trainer.defence)):
        models = AskedNetworks(config, case, trainer, said.models, way)
        names, ending = (tuple(attacks_on("mlp")), "") if way == "one" else (REPEATED, f"_{way}")
        rows += guessed_rows(models, "mlp", names, ending, config.seed)
        yield Progress(place + 1, len(ways), "guessing secrets")
    return rows


def guessed_rows(models: TableModels, kind: str, names: tuple[str, ...], ending: str, seed: int) -> list[Row]:
    rows = []
    for group in GROUPS:
        evidence, truth = evidence_of(models, group, seed), models.people.secret[models.people.places(group)]
        found = {name: guess_accuracy(attacks_on(kind)[name].scores(evidence), truth) for name in names}
        known = guess_accuracy(attacks_on(kind)["imputation_outcome"].scores(evidence), truth)
        for name, accuracy in found.items():
            for measure, values in zip(MEASURES, (accuracy, accuracy - known), strict=True):
                spread = float(values.std(ddof=1))
                called = NOTHING if name == "prior" else name + ending
                rows.append(Row(measure, float(values.mean()), "", called, group, spread=spread))
    return rows

"""The people of a table in a comparison: bits for networks, columns for regressions and trees, and who is a canary.

Every number is cut into bands, so that a network gets bits and every general defence applies. Canaries are made column
by column: a mislabelled person has somebody else's outcome, an atypical one values drawn by pure chance.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpmia_lab.attacks.attributes.imputation import imputer, log_chances
from dpmia_lab.data.tables import Column, Splits, Table, columns_as_numbers, in_bands
from dpmia_lab.game.table_people import GROUPS, TablePeople
from dpmia_lab.stages import Stage

KNOWN = 100  # people held aside by whom the calibrating attacker refits


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


# ---- canaries
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

"""A table's people in all their splits, and what an attacker knows of them before any model is asked.

Made once, it serves every defence and strength: none of this depends on the attacked model.
"""

from functools import cached_property

import numpy as np

from dpmia_lab.attacks.attributes.imputation import imputer, log_chances
from dpmia_lab.data.tables import Table, columns_as_numbers, design_of, in_bands, one_hot, split_people
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Stage, part
from dpmia_lab.training.id3 import Categories
from dpmia_lab.training.regression import Problem

GROUPS = ("test", "train")  # whose secrets are guessed


class TablePeople:
    """``known``: public people by whom the calibrating attacker refits."""

    def __init__(self, table: Table, splits: int, known: int, seed: int) -> None:
        self.table, self.secret = table, table.secret.values
        self.values = table.secret.width
        self.splits = split_people(len(table), splits, numpy_generator(seed, "splits"))
        self.design = design_of(table)
        self.known = self.splits.public[:, :known]
        self.imputed: dict[str, tuple[np.ndarray, np.ndarray]] = {}

    def places(self, group: str) -> np.ndarray:
        """(S, P): those of a group whose secrets are guessed; of training people as many as of test people."""
        tested = self.splits.test
        return tested if group == "test" else self.splits.train[:, : tested.shape[1]]

    # ---- what models get
    @cached_property
    def classes(self):
        """The outcome as a category, for classifiers."""
        return in_bands(self.table.target)

    @cached_property
    def codes(self) -> np.ndarray:
        """(n, F): all attributes as categories, the secret last."""
        return np.stack([in_bands(column).values for column in (*self.table.others, self.table.secret)], 1)

    @cached_property
    def features(self) -> tuple:
        """The columns that ``codes`` are of."""
        return tuple(in_bands(column) for column in (*self.table.others, self.table.secret))

    def rows(self, places: np.ndarray, uses_secret: bool) -> np.ndarray:
        """(S, P, d): people as numbers."""
        x = self.design.x[places]
        return x + self.design.secret[self.secret[places]] if uses_secret else x

    def problem(self, uses_secret: bool) -> Problem:
        target, train = self.table.target, self.splits.train
        return Problem(self.rows(train, uses_secret), target.values[train], self.design.norm, target.low, target.high)

    def categories(self, uses_secret: bool) -> Categories:
        train, last = self.splits.train, len(self.features) - 1
        kept = slice(None) if uses_secret else slice(last)
        widths = tuple(column.width for column in self.features)[kept]
        y = self.classes.values[train]
        return Categories(self.codes[train][..., kept], y, widths, self.classes.width, last if uses_secret else -1)

    # ---- what the attacker knows
    @cached_property
    def prior(self) -> np.ndarray:
        """(S, V): logarithm of each value's share among public people."""
        counts = (self.secret[self.splits.public][..., None] == np.arange(self.values)).sum(1) + 1.0
        return np.log(counts / counts.sum(1, keepdims=True))

    def impute(self) -> Stage[None]:
        """Fit imputation on public people, without and with the outcome, and ask it about everybody."""
        if self.imputed:
            return
        n = len(self.table)
        alone = np.concatenate([np.ones((n, 1)), columns_as_numbers(self.table.others)], 1)
        both = np.concatenate([alone, self.outcome_numbers()], 1)
        found = []
        for place, x in enumerate((alone, both)):
            public = self.splits.public
            stage = imputer(x[public], self.secret[public], self.values)
            w = yield from part(stage, place / 2, (place + 1) / 2)
            found.append({group: log_chances(x[self.places(group)], w) for group in GROUPS})
        self.imputed = {group: (found[0][group], found[1][group]) for group in GROUPS}

    def outcome_numbers(self) -> np.ndarray:
        """(n, …): the outcome as imputation gets it; of a number also the square, as its pull need not be even."""
        target = self.table.target
        if target.kind == "category":
            return one_hot(target)
        y = (target.values - target.values.mean()) / target.values.std()
        return np.stack([y, y**2], 1)

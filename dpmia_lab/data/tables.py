"""Tables: people in rows, columns of categories or numbers, of which one is the outcome and one is sensitive."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..checks import Mistake, did_you_mean

LEAST_ROWS = 40
MOST_CATEGORIES = 30
BANDS = 4  # what a number is cut into, where only categories will do


@dataclass(frozen=True, eq=False)
class Column:
    """``values``: (n,) codes 0, 1, … into ``labels`` for a category, float64 for a number.

    ``low``, ``high``: within which a number lies; every promise asks that they are ``public``, not read off the data.
    """

    name: str
    kind: str  # "category" or "number"
    values: np.ndarray
    labels: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0
    unit: str = ""
    public: bool = True  # whether the bounds are; else they were read off the data

    @property
    def width(self) -> int:
        return len(self.labels)


@dataclass(frozen=True, eq=False)
class Table:
    """``guesses``: what was guessed about the columns, one sentence each, for the reader to check."""

    name: str
    columns: tuple[Column, ...]
    outcome: str
    sensitive: str
    note: str  # where the people come from, and the terms, in one line
    guesses: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.columns[0].values)

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)

    @property
    def target(self) -> Column:
        return self.column(self.outcome)

    @property
    def secret(self) -> Column:
        """The sensitive column; a number as the bands it was cut into."""
        return self.column(self.sensitive)

    @property
    def others(self) -> tuple[Column, ...]:
        """What an attacker knows of everybody."""
        return tuple(column for column in self.columns if column.name not in (self.outcome, self.sensitive))


def category(name: str, values: Sequence, labels: Sequence[str] = ()) -> Column:
    """A column of words; ``labels`` fixes their order, which else is the alphabet's."""
    words = np.asarray(values).astype(str)
    order = np.array(labels or np.unique(words))
    codes = {label: code for code, label in enumerate(order)}
    return Column(name, "category", np.array([codes[word] for word in words], dtype=np.int64), tuple(map(str, order)))


def number(name: str, values: np.ndarray, low: float, high: float, unit: str = "") -> Column:
    """A column of numbers, each moved into the public bounds."""
    return Column(name, "number", np.clip(np.asarray(values, dtype=np.float64), low, high), (), low, high, unit)


def in_bands(column: Column, bands: int = BANDS) -> Column:
    """A number as a category: so many groups of about equal size, cut at quantiles of all people, taken as known."""
    if column.kind == "category":
        return column
    cuts = np.unique(np.quantile(column.values, np.arange(1, bands) / bands))
    cuts = cuts[cuts > column.values.min()]
    ends = ["", *(f"{cut:.4g}" for cut in cuts), ""]
    labels = [f"{low} to {high}" if low and high else f"{low} or more" if low else f"below {high}"
              for low, high in zip(ends, ends[1:], strict=False)]  # fmt: skip
    return Column(column.name, "category", np.searchsorted(cuts, column.values, side="right"), tuple(labels))


def checked(table: Table) -> Table:
    """The table if a model can be learnt and attacked on it; else one sentence. A sensitive number is cut in bands."""
    names = [column.name for column in table.columns]
    for role, name in (("outcome", table.outcome), ("sensitive", table.sensitive)):
        if name not in names:
            rule = f"a column of {table.name} ({', '.join(names)})"
            raise Mistake(f"{role} must be {rule}; it is {name!r}{did_you_mean(name, names)}.")
    if table.outcome == table.sensitive:
        raise Mistake(f"sensitive must be another column than the outcome; both are {table.outcome!r}.")
    if not table.others:
        raise Mistake(f"{table.name}: there must be a column besides outcome and sensitive one; there are 2 columns.")
    if len(table) < LEAST_ROWS:
        raise Mistake(f"{table.name}: there must be at least {LEAST_ROWS} people; there are {len(table)}.")
    for column in table.columns:
        check_column(column, table.name)
    secret = table.secret
    if secret.kind == "category":
        return table
    cut = in_bands(secret, 3)
    told = f"{secret.name}: sensitive numbers are guessed by band: {', '.join(cut.labels)}."
    columns = tuple(cut if column.name == secret.name else column for column in table.columns)
    return replace(table, columns=columns, guesses=(*table.guesses, told))


def check_column(column: Column, source: str) -> None:
    values = np.unique(column.values)
    if len(values) < 2:
        only = column.labels[values[0]] if column.kind == "category" else f"{values[0]:g}"
        raise Mistake(f"{source}: {column.name} must have at least 2 different values; all are {only!r}.")
    if column.kind == "category" and column.width > MOST_CATEGORIES:
        rule = f"at most {MOST_CATEGORIES} different values, as it is no number"
        raise Mistake(f"{source}: {column.name} must have {rule}; it has {column.width}.")


# ---- splits
@dataclass(frozen=True, eq=False)
class Splits:
    """Who is who in each of S splits: places of people, no two alike within a split."""

    train: np.ndarray  # (S, n): the model's
    public: np.ndarray  # (S, m): the attacker knows all about them
    test: np.ndarray  # (S, t): never seen by anybody


def split_people(people: int, splits: int, rng: np.random.Generator) -> Splits:
    """Half are trained on, a quarter is public, a quarter is for testing, anew in each split."""
    order = rng.permuted(np.tile(np.arange(people), (splits, 1)), axis=1)
    half, quarter = people // 2, people // 4
    return Splits(*np.split(order[:, : half + 2 * quarter], [half, half + quarter], axis=1))


# ---- as numbers
@dataclass(frozen=True, eq=False)
class Design:
    """A table as the numbers a regression or a network gets.

    x: (n, d), 1 and then the columns: a category as one 0/1 number for each label but the first, a number scaled to
    −1 … 1 by its public bounds. secret: (V, d), what the sensitive column's values look like, 0 elsewhere.
    ``x`` holds 0 where the sensitive column is, so that a person with value v is ``x + secret[v]``.
    """

    x: np.ndarray
    secret: np.ndarray
    norm: float  # no row is longer, whatever the data


def scaled(column: Column, values: np.ndarray) -> np.ndarray:
    """Numbers of this column to −1 … 1 by its public bounds."""
    return (2 * values - column.low - column.high) / (column.high - column.low)


def one_hot(column: Column) -> np.ndarray:
    """(n, labels − 1)."""
    return np.eye(column.width)[column.values][:, 1:]


def columns_as_numbers(columns: Sequence[Column]) -> np.ndarray:
    """(n, …) side by side."""
    parts = [one_hot(c) if c.kind == "category" else scaled(c, c.values)[:, None] for c in columns]
    return np.concatenate(parts, axis=1)


def design_of(table: Table) -> Design:
    others, secret = columns_as_numbers(table.others), table.secret
    wide = secret.width - 1
    x = np.concatenate([np.ones((len(table), 1)), np.zeros((len(table), wide)), others], axis=1)
    codes = np.zeros((secret.width, x.shape[1]))
    codes[1:, 1 : 1 + wide] = np.eye(wide)
    return Design(x, codes, float(np.sqrt(2 + len(table.others))))

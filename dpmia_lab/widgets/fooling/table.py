"""The shipped table of all defences over several seeds: its rows, its values seed by seed, and intervals over seeds."""

from dataclasses import dataclass
from functools import cache

import numpy as np

from dpmia_lab.experiments.fooling_table import COLUMNS, rows_of
from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, epsilon_text
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.rows import Row, Rows

DATA = {"carts": "shopping carts", "digits": "MNIST digits"}
LITTLE = "dp_little"  # DP-SGD whose ε is no promise
ACCOUNTED = f"for a record ({NEIGHBOURS['add-remove']}; δ = 1/n; {ACCOUNTANTS['moments'].words})"  # the ε asked for


@dataclass(frozen=True)
class Table:
    """``columns``: rows by defence. ``points``: accuracy, auc (the best likelihood ratio's) and matched_auc (early
    stopping's), (seeds, columns).
    """

    columns: dict[str, Rows]
    points: dict[str, np.ndarray]
    seeds: int
    records: int
    classes: int | None  # of generated records

    def by_seed(self, column: str, measure: str) -> np.ndarray:
        """(seeds,)."""
        return self.points[measure][:, list(self.columns).index(column)]

    def row(self, column: str, measure: str, **of: str) -> Row | None:
        there = self.columns[column].where(measure=measure, **of).rows
        return there[0] if there else None

    def half(self, row: Row) -> float:
        return half_width(row.spread, self.seeds)

    def words(self, data: str) -> str:
        classes = "" if self.classes is None else f"{self.classes} classes, "
        return f"{DATA[data]}, {classes}n about {self.records}, {self.seeds} seeds"


@cache
def table(data: str) -> Table | None:
    """None where it has not been computed."""
    record = shipped_or_nothing("fooling_table").get(data)
    if record is None:
        return None
    config = record["config"]
    points = {name: np.array(values, dtype=float) for name, values in record["points"].items()}
    classes = config["classes"] if config["data"] == "purchases_like" else None
    return Table(by_column(rows_of(record["results"])), points, config["repeats"], config["records"], classes)


def by_column(rows: Rows) -> dict[str, Rows]:
    return {name: own for name in COLUMNS if len(own := rows.where(defence=name))}


# ---- over seeds
def half_width(spread: float | None, seeds: int) -> float:
    """Half of Student's 95 % interval of a mean over seeds; NaN of one seed, which tells none."""
    from scipy.special import stdtrit

    if spread is None or seeds < 2:
        return np.nan
    return float(stdtrit(seeds - 1, 0.975) * spread / np.sqrt(seeds))


def mean_and_half(values: np.ndarray) -> tuple[float, float]:
    """Of a value a seed."""
    return float(values.mean()), half_width(float(values.std(ddof=1)) if len(values) > 1 else None, len(values))


def give_or_take(value: float, half: float, form: str = "{:.3f}") -> str:
    return form.format(value) + (f" ± {form.format(half)}" if np.isfinite(half) else "")


# ---- words that some columns need
def told_apart(found: Table, column: str) -> Row | None:
    """Where people held aside for a defence can be told from outsiders: it has made members of them too."""
    row = found.row(column, "auc", protocol="held")
    return row if row is not None and row.value - found.half(row) > 0.5 else None


def notes(found: Table) -> str:
    """What the names in a ranking leave out."""
    said = [f"DP-SGD's ε is {ACCOUNTED}."]
    if LITTLE in found.columns:
        little = found.row(LITTLE, "epsilon_tight")
        said.append(
            f"With little noise it is {epsilon_text(little.value)} ({ACCOUNTANTS['tight'].words}): no promise worth "
            "the name."
        )
    for name in found.columns:
        if (held := told_apart(found, name)) is not None:
            said.append(
                f"† {COLUMNS[name].words} learns from people held aside too: they can be told from outsiders with AUC "
                f"{give_or_take(held.value, found.half(held), '{:.2f}')}, which its line does not count."
            )
    return " ".join(said)

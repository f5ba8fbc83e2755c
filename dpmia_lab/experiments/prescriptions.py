"""A few patients of the generated clinic, and what whoever holds its model believes of their VKORC1, dose by dose.

Small enough to be computed while a page opens: one split, one regression, Bayes' rule.
"""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.attacks.attributes.naive_map import gaussian
from dpmia_lab.data.tables import Table
from dpmia_lab.experiments.attributes import Config, Prepared
from dpmia_lab.stages import drain

PATIENTS = 12
CLINIC = Config(splits=1, people=3400, seed=7)


@dataclass(frozen=True, eq=False)
class Clinic:
    """``asked``: (P, V), the dose the model says were the gene v. ``alone``: (P, V), log-chances from attributes."""

    labels: tuple[str, ...]
    words: tuple[str, ...]  # of each patient
    dose: np.ndarray  # (P,)
    truth: np.ndarray  # (P,)
    asked: np.ndarray
    alone: np.ndarray
    spread: float  # of the model's errors, mg a week
    commonest: float  # share of the commonest gene

    def described(self, place: int) -> str:
        return self.words[place]

    def belief(self, place: int, dose: float | None) -> np.ndarray:
        """(V,): from the other attributes (imputation), and by Bayes' rule with the dose, if there is one."""
        scores = self.alone[place]
        if dose is not None:
            errors = dose - self.asked[None, [place]]
            scores = scores + gaussian(errors, np.array([self.spread]))[0, 0]
        chances = np.exp(scores - scores.max())
        return chances / chances.sum()


def most_telling(made: Clinic) -> int:
    """The patient of whom the dose teaches an attacker most: a good one to begin with."""
    gains = [made.belief(place, dose)[gene] - made.belief(place, None)[gene]
             for place, (dose, gene) in enumerate(zip(made.dose, made.truth, strict=True))]  # fmt: skip
    return int(np.argmax(gains))


def clinic(config: Config = CLINIC) -> Clinic:
    """New patients, whom the model never saw, in the order of the split."""
    prepared = Prepared(config)
    people = prepared.people
    drain(people.impute())
    models = drain(prepared.plain_models(config))
    table, places = people.table, people.places("test")[:, :PATIENTS]
    train = people.splits.train
    errors = models.outcome[train] - models.answers(train)
    shown = places[0]
    counts = np.bincount(people.secret, minlength=people.values)
    return Clinic(
        labels=table.secret.labels,
        words=tuple(described(table, int(place)) for place in shown),
        dose=table.target.values[shown],
        truth=people.secret[shown],
        asked=models.asked(places)[0],
        alone=people.imputed["test"][0][0, :PATIENTS],
        spread=float(errors.std()),
        commonest=float(counts.max() / counts.sum()),
    )


def described(table: Table, place: int) -> str:
    """A patient in a line."""
    of = {column.name: column for column in table.others}

    def value(name: str) -> str:
        column = of[name]
        return column.labels[column.values[place]] if column.kind == "category" else f"{column.values[place]:.0f}"

    return f"{value('ancestry')} ancestry, aged {value('age')}, {value('height')} cm, {value('weight')} kg"

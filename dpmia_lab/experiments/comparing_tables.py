"""Regressions and trees of a comparison: trained on the same halves as networks, and what they say about everybody."""

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.data.tables import Column, in_bands
from dpmia_lab.defences.compared import table_defence
from dpmia_lab.experiments.comparing_case import Case
from dpmia_lab.experiments.comparing_config import Config, undefended
from dpmia_lab.experiments.comparing_models import Said
from dpmia_lab.game.table_models import TableModels, TableRecipe, trained_models
from dpmia_lab.stages import Stage

LEAST = 1e-3  # of the share of a leaf that has an outcome: nobody is certain


def table_models_said(config: Config, case: Case) -> Stage[Said]:
    """Of a tree log-odds and confidences; of a regression, which says a number, minus the squared error."""
    table = case.patients.table
    if config.model == "regression" and table.target.kind != "number":
        raise Mistake(f"model must be tree where the outcome ({table.outcome}) is no number; it is 'regression'.")
    defence = table_defence(config.defence, config.strength)
    if complaint := defence.fits(config.model):
        raise Mistake(complaint)
    models = yield from trained_models(config.model, case.patients.people, defence, TableRecipe(), config.seed)
    said = regression_said(case, models) if config.model == "regression" else tree_said(case, models)
    said.others["models"] = models
    return said


def table_models_without_defence(config: Config, case: Case) -> Stage[Said]:
    plain = undefended(config)
    return (yield from case.once(("said", config.model), lambda: table_models_said(plain, case)))


def everybody(case: Case) -> np.ndarray:
    """(M, k): places of all candidates, for every model."""
    return np.tile(np.arange(len(case.people)), (len(case.inside), 1))


def tree_said(case: Case, models: TableModels) -> Said:
    shares = np.clip(models.answers(everybody(case)), LEAST, 1 - LEAST)  # (M, k, K)
    own = np.take_along_axis(shares, case.people.y[None, :, None], 2)[..., 0]
    right = shares.argmax(2) == case.people.y
    return Said(case.inside, {"one": np.log(own / (1 - own))}, right, (shares / shares.sum(2, keepdims=True)))


def regression_said(case: Case, models: TableModels) -> Said:
    """Named right: the number lies in the band of the true outcome."""
    target, k = case.patients.table.target, len(case.people)
    said = models.answers(everybody(case))  # (M, k)
    right = bands_of(target, said) == case.people.y
    return Said(case.inside, {"one": -((said - target.values[:k]) ** 2)}, right)


def bands_of(column: Column, numbers: np.ndarray) -> np.ndarray:
    """Which band of the column's each number lies in, as ``in_bands`` cuts them."""
    bands = in_bands(column).values
    starts = np.array([column.values[bands == band].min() for band in range(1, bands.max() + 1)])
    return np.searchsorted(starts, numbers, side="right")

"""What a column promises, if anything: as rows of numbers, and with the words that give an ε its meaning."""

import math
from typing import Any

from dpmia_lab.defences.compared import Units, table_defence
from dpmia_lab.experiments.comparing_case import Case
from dpmia_lab.experiments.comparing_config import TABLE_MODELS, Config, recipe_of
from dpmia_lab.experiments.comparing_models import trainer_for
from dpmia_lab.privacy.risk import risk_of
from dpmia_lab.rows import Row

NUMBERS = ("epsilon", "delta", "mu", "sigma", "q", "steps")


def promise_of(config: Config, case: Case) -> dict[str, Any]:
    """ε, δ, unit, neighbours, accountant and its words; μ of the Gaussian trade-off curve; σ, q and T of DP-SGD.

    Empty where nothing is promised.
    """
    members = int(case.inside[0].sum())
    dp = None
    if config.model in TABLE_MODELS:
        promised = table_defence(config.defence, config.strength).promise(members)
    else:
        trainer = trainer_for(config, case)
        promised = trainer.defence.promise(case.task, trainer.recipe, members)
        units = trainer.defence.count(case.task) if isinstance(trainer.defence, Units) else members
        dp = trainer.defence.dp_sgd(recipe_of(config), units)
    if promised is None:
        return {}
    found = {
        "epsilon": float(promised.epsilon), "delta": float(promised.delta), "unit": promised.unit,
        "neighbours": promised.neighbours, "accountant": promised.accountant, "words": promised.words(),
    }  # fmt: skip
    mu = risk_of(promised, dp).mu
    found |= {"mu": float(mu)} if math.isfinite(mu) else {}
    return found | ({} if dp is None else {"sigma": float(dp.sigma), "q": float(dp.q), "steps": int(dp.steps)})


def promise_rows(config: Config, case: Case) -> list[Row]:
    promised = promise_of(config, case)
    return [Row(name, float(promised[name])) for name in NUMBERS if name in promised]

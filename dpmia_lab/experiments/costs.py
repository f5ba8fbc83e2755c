"""What any configuration would cost, by the name of its experiment, and which of its options weigh most."""

import contextlib
from collections.abc import Callable
from dataclasses import Field, fields, replace
from typing import Any

from dpmia_lab.checks import Mistake
from dpmia_lab.cost import Budget, Cost, page_budget
from dpmia_lab.experiments.cost_answers import confidences_cost
from dpmia_lab.experiments.cost_answers import curves_cost as confidence_curves_cost
from dpmia_lab.experiments.cost_comparing import comparing_cost
from dpmia_lab.experiments.cost_evaluation import evaluation_cost
from dpmia_lab.experiments.cost_games import fooling_cost, mechanisms_cost, membership_cost, table_cost
from dpmia_lab.experiments.cost_pictures import (
    comparison_cost,
    hiding_cost,
    inversion_cost,
    privacy_sweep_cost,
    published_cost,
    training_cost,
)
from dpmia_lab.experiments.cost_playground import playground_cost
from dpmia_lab.experiments.cost_tables import attributes_cost
from dpmia_lab.experiments.cost_tables import curves_cost as attribute_curves_cost

COSTS = {
    "inversion": inversion_cost,
    "inversion_comparison": comparison_cost,
    "private_training": training_cost,
    "hiding": hiding_cost,
    "as_published": published_cost,
    "privacy_sweep": privacy_sweep_cost,
    "membership": membership_cost,
    "mechanisms": mechanisms_cost,
    "evaluation": evaluation_cost,
    "attributes": attributes_cost,
    "attribute_curves": attribute_curves_cost,
    "confidences": confidences_cost,
    "confidence_curves": confidence_curves_cost,
    "fooling": fooling_cost,
    "fooling_table": table_cost,
    "comparing": comparing_cost,
    "playground": playground_cost,
}
MOST_NAMED = 2
WORTH_NAMING = 0.75  # an option is named if less of it brings the cost below so much


def cost_of(experiment: str, config: Any) -> Cost:
    return COSTS[experiment](config)


def check_affordable(experiment: str, *configs: Any, called: Callable[[str], str] = str) -> None:
    """Of a page that is to run these one after another: one sentence if that is more than a page may take.

    ``called``: what the page calls an option.
    """
    budget, total = page_budget(), sum((cost_of(experiment, config) for config in configs), Cost())
    if budget.allows(total):
        return
    last = configs[-1]
    named = [f"{called(name)} (now {getattr(last, name):,g})" for name in heaviest(experiment, last, budget)]
    advice = f"less of {' or '.join(named)} would bring it down, and " if named else ""
    raise Mistake(
        f"This would take {total.words()} here, where a page may take {budget.words()}; "
        f"{advice}the command line has no such limit."
    )


def heaviest(experiment: str, config: Any, budget: Budget) -> list[str]:
    """Of a cost above the budget, the options of which less would bring it down most, the heaviest first."""
    total, shares = burden(cost_of(experiment, config), budget), {}
    for option in fields(config):
        with contextlib.suppress(Mistake):  # of some options there can be no less
            less = replace(config, **{option.name: less_of(option, getattr(config, option.name))})
            shares[option.name] = burden(cost_of(experiment, less), budget) / total
    named = sorted((share, name) for name, share in shares.items() if share < WORTH_NAMING)
    return [name for _, name in named[:MOST_NAMED]]


def less_of(option: Field, value: Any) -> Any:
    """As much as is usual, or half; of what is no number, the same."""
    if isinstance(value, bool | str):
        return value
    half = value // 4 * 2 or 1 if isinstance(value, int) else value / 2  # even, where pairs are wanted
    return option.default if value > option.default else half


def burden(cost: Cost, budget: Budget) -> float:
    """In budgets: of time or memory, whichever is worse."""
    return max(cost.seconds_here / budget.seconds, cost.bytes / budget.bytes)

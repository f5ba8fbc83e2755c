"""What a position of the playground's sliders costs: some softmax regressions, and what all positions share."""

from dpmia_lab.cost import Cost, summed
from dpmia_lab.data.sizes import population_size
from dpmia_lab.experiments.cost_parts import SLOWER
from dpmia_lab.experiments.playground_config import Config
from dpmia_lab.experiments.playground_people import (
    CARTS,
    HEIGHT,
    MOST_CANDIDATES,
    MOST_RECORDS,
    PEOPLE,
    PICTURES,
    STYLES,
)

SECONDS = {
    "load": 5e-09,
    "models": 0.0079,
    "start": 0.02,
    "weights": 2e-10,
}
BYTES = {
    "start": 4.7e+07,
    "trained on": 4,
    "values": 6,
    "weights": 56,
}


def playground_cost(config: Config) -> Cost:
    size = population_size(config.data, STYLES, CARTS, PEOPLE, PICTURES, HEIGHT)
    records = min(size.records, MOST_RECORDS)  # of more it is refused
    candidates = min(MOST_CANDIDATES, records)
    weights = config.shadows * size.values * size.classes
    work = {"start": 1, "load": records * size.values, "models": SLOWER.get(config.defence, 1.0) * config.shadows,
            "weights": SLOWER.get(config.defence, 1.0) * weights}  # fmt: skip
    held = {"start": 1, "values": records * size.values, "weights": weights,
            "trained on": config.shadows * candidates * size.values}  # fmt: skip
    return Cost(summed(work, SECONDS), summed(held, BYTES))

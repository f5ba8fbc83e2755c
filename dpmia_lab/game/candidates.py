"""Who may have been trained on: candidates, and what the attacker has besides.

About 2n records are candidates; a fair coin for each says whether it is a member. So the number of members varies a
little, and a one-run audit of ε is valid. Where records are *tested* from another distribution (Skewed Purchases),
paper C takes its outsiders from there; a second set of people asked about holds those.
A defence that learns from records held aside has its own, which are nobody else's.
"""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.data.population import Population, split_population
from dpmia_lab.defences import DEFENCES
from dpmia_lab.game.records import Records
from dpmia_lab.game.settings import Settings
from dpmia_lab.seeds import numpy_generator

MOST_RESERVED = 1000
ASIDE = 2  # of a defence that learns from records held aside: so many times as many as are trained on, at most


@dataclass(frozen=True)
class Asked:
    """Records the attacker asks about, and the answers."""

    records: Records
    member: np.ndarray  # (k,) bool

    @property
    def members(self) -> Records:
        return self.records.at(np.flatnonzero(self.member))


@dataclass(frozen=True)
class Candidates:
    alike: Asked  # members, and outsiders of the same distribution
    shifted: Asked | None  # the same members, and outsiders of the distribution that is tested on (paper C)
    test: Records  # for test accuracy
    reserve: Records  # of the training distribution, in nobody's training set: validation, and RMIA's population
    validation: Records  # held aside by whoever trains; of the distribution that is tested on
    pool: Records  # the attacker's own
    shifted_pool: Records | None

    @property
    def protocols(self) -> dict[str, Asked]:
        """Who is asked about, by the name of the protocol."""
        return {"alike": self.alike} | ({} if self.shifted is None else {"shifted": self.shifted})


def candidates_of(config: Settings, population: Population) -> Candidates:
    split = split_population(population, config.records, numpy_generator(config.seed, "split"))
    everyone = Records(population.x, population.y)
    both = everyone.at(np.concatenate([split.members, split.outsiders]))
    alike = Asked(both, numpy_generator(config.seed, "coins").random(len(both)) < 0.5)
    kept = min(MOST_RESERVED, len(split.pool) // 5)
    reserve, left = everyone.at(split.pool[:kept]), split.pool[kept:]
    aside = min(ASIDE * config.records, len(left) // 3) if DEFENCES[config.defence].holds_aside else 0
    held, pool = everyone.at(left[:aside]), everyone.at(left[aside:])
    if population.test_x is None:
        outsiders = both.at(np.flatnonzero(~alike.member))
        return Candidates(alike, None, outsiders, reserve, held if aside else reserve, pool, None)
    others = Records(population.test_x, population.test_y)
    test = others.at(split.test)
    rest = np.setdiff1d(np.arange(len(others)), split.test)
    answers = np.repeat([True, False], [alike.member.sum(), len(test)])
    shifted = Asked(alike.members.joined(test), answers)
    validation = held if aside else others.at(rest[:kept])
    return Candidates(alike, shifted, test, reserve, validation, pool, others.at(rest[kept:]))


def shadow_halves(count: int, size: int, most: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each shadow model its own training records and as many others, places in a pool of ``size``."""
    n = min(most, size // 2)
    orders = [rng.permutation(size) for _ in range(count)]
    return [(order[:n], order[n : 2 * n]) for order in orders]


def candidate_halves(count: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """(count, size) bool: which candidates each model trains on; in every pair of models each candidate is in one."""
    inside = np.zeros((count, size), dtype=bool)
    for model in range(0, count, 2):
        inside[model, rng.permutation(size)[: size // 2]] = True
        if model + 1 < count:
            inside[model + 1] = ~inside[model]
    return inside

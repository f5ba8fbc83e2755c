"""The attacks on one sensitive attribute, by name: scores (S, P, V) of people's possible values, higher is likelier."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dpmia_lab.attacks.attributes.answer import map_answer_scores
from dpmia_lab.attacks.attributes.calibrated import calibrated_scores
from dpmia_lab.attacks.attributes.counts import map_counts_scores
from dpmia_lab.attacks.attributes.csmia import csmia_scores
from dpmia_lab.attacks.attributes.evidence import Evidence
from dpmia_lab.attacks.attributes.imputation import imputation_outcome_scores, imputation_scores
from dpmia_lab.attacks.attributes.naive_map import imputation_map_scores, map_scores
from dpmia_lab.attacks.attributes.prior import prior_scores

EVERY = frozenset({"regression", "tree", "mlp"})


@dataclass(frozen=True)
class AttributeAttack:
    words: str
    scores: Callable[[Evidence], np.ndarray]
    models: frozenset[str] = EVERY  # what it can attack
    asks: bool = True  # whether it uses the model at all


ATTRIBUTE_ATTACKS = {
    "prior": AttributeAttack("the commonest value (no model)", prior_scores, asks=False),
    "imputation": AttributeAttack("imputation from other attributes (no model)", imputation_scores, asks=False),
    "imputation_outcome": AttributeAttack(
        "imputation from other attributes and the outcome (no model)", imputation_outcome_scores, asks=False
    ),
    "map": AttributeAttack("naive maximum a posteriori (paper B)", map_scores),
    "map_counts": AttributeAttack("maximum a posteriori with counts (paper B)", map_counts_scores, frozenset({"tree"})),
    "csmia": AttributeAttack("confidence-based attack (CSMIA)", csmia_scores, frozenset({"tree", "mlp"})),
    "calibrated": AttributeAttack("calibrating attacker", calibrated_scores),
    "imputation_map": AttributeAttack("imputation × model", imputation_map_scores),
    "map_answer": AttributeAttack("attacker who sees the model's own answer", map_answer_scores),
}


def attacks_on(model: str) -> dict[str, AttributeAttack]:
    return {name: attack for name, attack in ATTRIBUTE_ATTACKS.items() if model in attack.models}

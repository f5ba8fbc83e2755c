"""Hospital stays of patients who do not exist: sparse codes in groups, after the Texas set of paper C, section 4.1."""

import numpy as np

from ..checks import whole
from ..seeds import numpy_generator
from .blocks import drawn_in_blocks, drawn_labels, zipf_shares

GROUPS = 40  # of diagnoses
CODES = 24  # in each group
BITS = GROUPS * (1 + CODES)  # a group's own bit, then its codes
CONDITIONS = 6  # hidden, of a patient: age, heart, sugar…
MOST_PROCEDURES = 300
RARITY = (-2.2, 0.6)  # mean and spread over groups of a healthy patient's leaning towards a group
COMORBIDITY = 0.8  # standard deviation of what the conditions add
REASONS = (3, 1.9)  # groups a procedure is done for, and how much it adds to their leaning
SPECIALITY = 0.7  # log standard deviation of a procedure's liking of single codes


def hospital_like(classes: int, records: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """x (records, 1000) uint8 and y (records,): sparse, hierarchical, correlated codes in very unequal classes.

    40 groups of diagnoses; a group has one bit of its own, which is 1 exactly where any of its 24 codes is. The class
    is the procedure, with sizes falling as 1/rank. A patient has 6 hidden conditions (standard normal); a group's
    leaning is its rarity, plus what the conditions add (groups with like loadings are comorbid), plus 1.9 for each of
    the 3 groups the procedure is done for; the group is present if leaning + standard normal noise is above 0 (a
    probit). A present group's codes are independent, with chances falling as 1/rank times the procedure's liking of
    that code (log-normal).

    The hospital and its procedures are fixed (procedure c is the same for every C); ``seed`` draws the patients.
    """
    whole(2, MOST_PROCEDURES, classes=classes)
    rarity, loadings, reasons, chance = _hospital()
    shares = zipf_shares(classes, 1.0)

    def draw(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        y = drawn_labels(count, shares, rng)
        conditions = rng.standard_normal((count, CONDITIONS))
        leaning = rarity + conditions @ loadings + reasons[y]
        present = leaning + rng.standard_normal((count, GROUPS)) > 0  # (count, groups)
        codes = rng.random((count, GROUPS, CODES), dtype=np.float32) < chance[y]
        codes &= present[:, :, None]
        bits = np.concatenate([codes.any(2, keepdims=True), codes], axis=2)  # (count, groups, 1 + codes)
        return bits.reshape(count, BITS).astype(np.uint8), y

    return drawn_in_blocks(draw, records, seed, "hospital_like", classes)


def _hospital() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Rarity (groups,), loadings (conditions, groups), reasons (procedures, groups), chance (…, groups, codes)."""
    rng = numpy_generator(0, "hospital_like", "hospital")
    rarity = RARITY[0] + RARITY[1] * rng.standard_normal(GROUPS)
    loadings = COMORBIDITY / np.sqrt(CONDITIONS) * rng.standard_normal((CONDITIONS, GROUPS))
    reasons = np.zeros((MOST_PROCEDURES, GROUPS))
    for row in reasons:
        row[rng.choice(GROUPS, REASONS[0], replace=False)] = REASONS[1]
    usual = 0.5 / np.arange(1, CODES + 1)
    liking = np.exp(SPECIALITY * rng.standard_normal((MOST_PROCEDURES, GROUPS, CODES)))
    return rarity, loadings, reasons, np.minimum(usual * liking, 0.9).astype(np.float32)

"""Patients who do not exist, and the weekly dose of warfarin each needs.

After the International Warfarin Pharmacogenetics Consortium (N Engl J Med 2009): the square root of the dose is linear
in age, height, weight, ancestry, two other medicines and the genotypes of CYP2C9 and VKORC1. Shares of ancestries and
alleles are of the order published for that cohort; what is left over is Student's t with 5 degrees of freedom.
"""

import numpy as np

from .tables import Table, category, number

ANCESTRIES = ("White", "Asian", "Black")
SHARES = (0.56, 0.34, 0.10)
A_ALLELE = np.array([0.39, 0.91, 0.10])  # VKORC1 −1639 A, by ancestry
STAR_2 = np.array([0.13, 0.002, 0.02])  # CYP2C9*2
STAR_3 = np.array([0.07, 0.04, 0.01])
AGES = tuple(f"{decade}0 to {decade}9" for decade in range(2, 9))
VKORC1 = ("G/G", "A/G", "A/A")
CYP2C9 = ("*1/*1", "*1/*2", "*1/*3", "*2/*2", "*2/*3", "*3/*3")
HEIGHT = np.array([[171.0, 10.5], [161.0, 8.5], [170.0, 10.0]])  # cm, mean and spread by ancestry
WEIGHT = np.array([[83.0, 19.0], [61.0, 12.0], [88.0, 22.0]])  # kg
AGE = np.array([[6.1, 1.4], [5.9, 1.4], [5.4, 1.5]])  # decades
# The published formula's coefficients of √(mg a week)
START, PER_DECADE, PER_CM, PER_KG = 5.6044, -0.2614, 0.0087, 0.0128
OF_VKORC1 = np.array([0.0, -0.8677, -1.6974])
OF_CYP2C9 = np.array([0.0, -0.5211, -0.9357, -1.0616, -1.9206, -2.3312])
OF_ANCESTRY = np.array([0.0, -0.1092, -0.2760])
OF_INDUCER, OF_AMIODARONE = 1.1816, -0.5503
NOISE = 1.0  # standard deviation of what the formula leaves over
LEAST, MOST = 2.0, 120.0  # mg a week: no stable dose lies outside


def warfarin_like(people: int, rng: np.random.Generator) -> Table:
    """The outcome is the dose, the sensitive column VKORC1."""
    ancestry = rng.choice(3, people, p=SHARES)
    vkorc1 = rng.binomial(2, A_ALLELE[ancestry])  # Hardy–Weinberg: two alleles, drawn apart
    cyp2c9 = cyp2c9_of(ancestry, rng)
    age = np.clip(np.rint(drawn(AGE[ancestry], rng)), 2, 8).astype(int)
    tall = rng.standard_normal(people)
    height = HEIGHT[ancestry, 0] + HEIGHT[ancestry, 1] * tall
    heavy = 0.45 * tall + np.sqrt(1 - 0.45**2) * rng.standard_normal(people)
    weight = np.maximum(WEIGHT[ancestry, 0] + WEIGHT[ancestry, 1] * heavy, 35.0)
    inducer, amiodarone = rng.random(people) < 0.012, rng.random(people) < 0.06
    root = START + PER_DECADE * age + PER_CM * height + PER_KG * weight
    root += OF_VKORC1[vkorc1] + OF_CYP2C9[cyp2c9] + OF_ANCESTRY[ancestry]
    root += OF_INDUCER * inducer + OF_AMIODARONE * amiodarone
    root += NOISE * rng.standard_t(5, people) / np.sqrt(5 / 3)  # of standard deviation NOISE
    yes_no = np.array(["no", "yes"])
    columns = (
        category("ancestry", np.array(ANCESTRIES)[ancestry], ANCESTRIES),
        category("age", np.array(AGES)[age - 2], AGES),
        number("height", height, 120, 210, "cm"),
        number("weight", weight, 30, 180, "kg"),
        category("inducer", yes_no[inducer.astype(int)], ("no", "yes")),
        category("amiodarone", yes_no[amiodarone.astype(int)], ("no", "yes")),
        category("cyp2c9", np.array(CYP2C9)[cyp2c9], CYP2C9),
        category("vkorc1", np.array(VKORC1)[vkorc1], VKORC1),
        number("dose", np.maximum(root, 0) ** 2, LEAST, MOST, "mg a week"),
    )
    note = "Patients who do not exist, after the published warfarin formula; no terms attached."
    return Table("warfarin_like", columns, "dose", "vkorc1", note)


def drawn(mean_and_spread: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return mean_and_spread[:, 0] + mean_and_spread[:, 1] * rng.standard_normal(len(mean_and_spread))


def cyp2c9_of(ancestry: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """(n,) codes into ``CYP2C9``: two alleles drawn apart, in either order."""
    draws = rng.random((2, len(ancestry)))
    two = STAR_2[ancestry]
    alleles = np.sort(np.where(draws < two, 1, np.where(draws < two + STAR_3[ancestry], 2, 0)), axis=0)
    codes = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])
    return codes[alleles[0], alleles[1]]

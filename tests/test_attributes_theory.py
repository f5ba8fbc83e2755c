"""Paper B's theorems, computed without overflow, and what differential privacy bounds instead."""

import math

import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.population import (
    advantage_bound,
    distinguishing_bound,
    distinguishing_gain,
    epsilon_for_advantage,
    imputation_advantage,
    most_with_person,
    semantic_gain,
    shuffled,
)

JOINT = np.array([[0.3, 0.1], [0.1, 0.5]])  # secret × what else is known


def as_printed(n, epsilon, delta):
    grown = math.exp(n * epsilon)
    return grown / (grown + 1) + (grown - 1) / ((grown + 1) * (math.exp(epsilon) - 1)) * delta


@pytest.mark.parametrize(("n", "epsilon", "delta"), [(1, 1.0, 0.0), (10, 0.1, 1e-3), (3, 2.0, 1e-5), (50, 0.01, 1e-4)])
def test_theorem_2_is_the_printed_formula_where_that_can_be_computed(n, epsilon, delta):
    assert distinguishing_bound(n, epsilon, delta) == pytest.approx(as_printed(n, epsilon, delta), rel=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("n", "epsilon"), [(10**9, 5.0), (1, 1e4), (10**15, 1e-300), (10**6, 1e-6), (1, 0.0)])
def test_it_never_overflows(n, epsilon):
    assert 0.5 <= distinguishing_bound(n, epsilon, 1e-9) <= 1


def test_without_epsilon_only_delta_is_left():
    """The limit ε → 0 is ½ + nδ/2; no ε, no δ: pure guessing."""
    assert distinguishing_bound(1000, 0.0, 1e-5) == pytest.approx(0.505)
    assert distinguishing_bound(1000, 1e-9, 1e-5) == pytest.approx(0.505, abs=1e-6)
    assert distinguishing_bound(1000, 0.0) == 0.5 and advantage_bound(1000, 0.0) == 0


def test_it_says_nothing_at_any_usual_epsilon_and_something_at_about_one_over_n():
    assert advantage_bound(1700, 0.1) == pytest.approx(1, abs=1e-12)
    small = epsilon_for_advantage(1700, 0.05)
    assert advantage_bound(1700, small) == pytest.approx(0.05)
    assert small == pytest.approx(0.1 / 1700, rel=1e-2)


@pytest.mark.parametrize("wrong", [(0, 1.0, 0.0), (10, -1.0, 0.0), (10, 1.0, 2.0)])
def test_nonsense_is_refused(wrong):
    with pytest.raises(Mistake):
        distinguishing_bound(*wrong)


# ---- the games
def test_the_best_guess_needs_no_model():
    assert semantic_gain(JOINT) == pytest.approx(0.8)
    assert semantic_gain(shuffled(JOINT)) == pytest.approx(0.6)  # the prior


def test_imputation_refutes_theorem_1_as_printed():
    """A model that says nothing cannot be told apart (gain ½), so the theorem promises an advantage of 0."""
    promised = 2 * distinguishing_gain([1.0], [1.0]) - 1
    assert promised == 0 and imputation_advantage(JOINT) == pytest.approx(0.8 - 0.52)


def test_the_second_game_by_drawing():
    """The best guess follows the larger chance; 40,000 rounds within four standard errors, 0.01."""
    one, other = np.array([0.6, 0.3, 0.1]), np.array([0.2, 0.3, 0.5])
    draw = np.random.default_rng(0)
    coin = draw.integers(0, 2, 40_000)
    seen = np.where(coin == 0, draw.choice(3, 40_000, p=one), draw.choice(3, 40_000, p=other))
    right = ((one < other)[seen] == coin).mean()
    assert distinguishing_gain(one, other) == pytest.approx(right, abs=0.01)


# ---- one person
def test_randomised_response_reaches_the_persons_bound():
    """A person's bit told truly with chance e^ε/(1 + e^ε), or without them a fair coin: no more than bounded.

    With (ε, 0) the bound at a chance b without is min(e^ε b, 1 − e^−ε (1 − b)), which the pure formula gives too.
    """
    for epsilon in (0.1, 1.0, 3.0):
        without = np.array([0.343, 0.5, 0.62])
        most = most_with_person(without, [epsilon], [0.0])
        pure = np.minimum(np.exp(epsilon) * without, 1 - np.exp(-epsilon) * (1 - without))
        assert most == pytest.approx(pure)
        assert np.exp(epsilon) / (1 + np.exp(epsilon)) <= most_with_person(0.5, [epsilon], [0.0])[0]


def test_nothing_promised_nothing_bounded():
    assert most_with_person(0.62, [800.0], [0.0])[0] == pytest.approx(1)
    assert most_with_person(0.62, [0.0], [0.0])[0] == pytest.approx(0.62)

"""Trade-off curves: against the exact Gaussian one, and the laws every such curve obeys."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from dpmia_lab.privacy.tight import tight_profile
from dpmia_lab.privacy.tradeoff import highest_belief, most_often_right, tradeoff_curve

RATES = np.linspace(0, 1, 501)
SETTINGS = [(1.0, 0.01, 1000), (1.6, 0.2, 100), (0.6, 0.05, 20), (5.0, 1.0, 30), (50.0, 0.5, 1)]
neighbours_and_settings = [(n, s) for n in ("add-remove", "replace-one") for s in SETTINGS]


def gaussian_tradeoff(mu: float, false_positive_rates: np.ndarray) -> np.ndarray:
    """Φ(Φ⁻¹(1 − α) − μ), the exact curve for telling N(0, 1) from N(μ, 1) (Dong, Roth & Su 2022)."""
    return ndtr(-ndtri(np.asarray(false_positive_rates, dtype=float)) - mu)


def most_caught(rates: np.ndarray, *profile: np.ndarray) -> np.ndarray:
    """The largest true-positive rate of any attacker."""
    return 1 - tradeoff_curve(rates, *profile)


def test_a_pure_guarantee_by_hand():
    """ε = ln 3, δ = 0: f falls from (0, 1) to (¼, ¼) and on to (1, 0)."""
    curve = tradeoff_curve(np.array([0, 0.1, 0.25, 0.4, 1]), np.array([math.log(3)]), np.array([0.0]))
    assert curve == pytest.approx([1, 0.7, 0.25, 0.2, 0])


def test_a_delta_alone_by_hand():
    """ε = 0, δ = 0.2: a fifth is given away, the rest is guessing."""
    assert tradeoff_curve(np.array([0, 0.3, 0.9]), np.zeros(1), np.array([0.2])) == pytest.approx([0.8, 0.5, 0])


def test_perfect_privacy_is_guessing_and_none_is_none():
    assert tradeoff_curve(RATES, np.zeros(1), np.zeros(1)) == pytest.approx(1 - RATES)
    assert tradeoff_curve(RATES, np.zeros(1), np.ones(1)) == pytest.approx(0 * RATES)


@pytest.mark.parametrize("neighbours", ["add-remove", "replace-one"])
@pytest.mark.parametrize(("sigma", "steps"), [(2.0, 1), (5.0, 30), (30.0, 400), (1.0, 4)])
def test_without_sampling_the_curve_is_gaussian(sigma, steps, neighbours):
    """μ = √T/σ, twice that when replacing; between 200 values of ε the polygon lies below by at most 3e-4."""
    mu = math.sqrt(steps) / sigma * (2 if neighbours == "replace-one" else 1)
    curve = tradeoff_curve(RATES, *tight_profile(sigma, 1.0, steps, neighbours))
    exact = gaussian_tradeoff(mu, RATES)
    assert (curve <= exact + 1e-9).all() and (curve >= exact - 3e-4).all()


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
def test_the_gaussian_curve_by_a_threshold_test(mu):
    """An attacker who accuses above t: α = P(N(0,1) > t) and misses P(N(μ,1) ≤ t); here by the error function."""
    for t in (-2.0, 0.0, 1.5):
        alpha = math.erfc(t / math.sqrt(2)) / 2
        assert gaussian_tradeoff(mu, alpha) == pytest.approx(math.erfc((mu - t) / math.sqrt(2)) / 2)
    assert gaussian_tradeoff(mu, np.array([0.0, 1.0])).tolist() == [1, 0]


@pytest.mark.parametrize(("neighbours", "setting"), neighbours_and_settings, ids=str)
def test_laws_of_a_curve(neighbours, setting):
    profile = tight_profile(*setting, neighbours)
    curve = tradeoff_curve(RATES, *profile)
    assert ((0 <= curve) & (curve <= 1 - RATES + 1e-12)).all()
    assert (np.diff(curve) <= 1e-12).all()
    assert (np.diff(curve, 2) >= -1e-12).all()
    again = tradeoff_curve(curve, *profile)  # symmetric: f(f(α)) = α while f > 0, and never above
    assert (again <= RATES + 1e-9).all() and again[curve > 0] == pytest.approx(RATES[curve > 0], abs=1e-9)


@pytest.mark.parametrize(("neighbours", "setting"), neighbours_and_settings, ids=str)
def test_a_profile_falls_from_the_distance_to_nothing(neighbours, setting):
    epsilons, deltas = tight_profile(*setting, neighbours)
    assert epsilons[0] == 0 and (np.diff(deltas) <= 0).all()
    assert 0 < deltas[-1] < 1e-8 < deltas[0] < 1


def test_replacing_gives_more_away_than_adding():
    added, replaced = (most_caught(RATES, *tight_profile(1.0, 0.05, 100, n)) for n in ("add-remove", "replace-one"))
    assert (replaced >= added - 1e-4).all() and replaced.max() > added[1] > RATES[1]


def test_without_noise_everything_is_caught():
    assert (most_caught(RATES, *tight_profile(0.0, 0.5, 3, "add-remove")) == 1).all()


def test_an_attack_that_knows_all_stays_below_the_bound():
    """Simulated likelihood-ratio test of one sampled step, at its own false-positive rates (±4 standard errors)."""
    generator, n, sigma, q = np.random.default_rng(7), 100_000, 1.0, 0.5
    without = generator.normal(0, sigma, n)
    with_unit = generator.normal(0, sigma, n) + (generator.random(n) < q)
    thresholds = np.linspace(-1, 3, 9)
    accused, caught = ((x[:, None] > thresholds).mean(0) for x in (without, with_unit))
    bound = most_caught(accused, *tight_profile(sigma, q, 1, "add-remove"))
    errors = 4 * np.sqrt(0.5 / n)
    assert (caught <= bound + errors).all() and (caught >= bound - 0.05).any()


@settings(max_examples=100)
@given(st.floats(0, 1), st.floats(0, 50))
def test_beliefs(prior, epsilon):
    odds = math.exp(epsilon) * prior / (1 - prior) if prior < 1 else math.inf
    expected = odds / (1 + odds) if odds < math.inf else 1.0
    assert highest_belief(prior, epsilon) == pytest.approx(expected)


def test_beliefs_at_the_ends():
    assert highest_belief(0.5, 0.0) == 0.5
    assert highest_belief(0.0, math.inf) == 0 and highest_belief(0.01, math.inf) == 1
    assert highest_belief(0.5, 1e5) == 1


@settings(max_examples=50)
@given(st.floats(0, 20), st.floats(0, 0.5))
def test_right_at_most_is_the_best_sum_of_two_errors(epsilon, delta):
    """On a fine grid of false alarms around the two errors that are alike, (1 − δ)/(1 + e^ε) each."""
    corner = (1 - delta) / (1 + math.exp(epsilon))
    rates = np.append(np.linspace(0, 1, 501), corner)
    misses = tradeoff_curve(rates, np.array([epsilon]), np.array([delta]))
    assert most_often_right(epsilon, delta) == pytest.approx(1 - (rates + misses).min() / 2)


def test_right_at_most_at_the_ends():
    assert most_often_right(0.0) == 0.5 and most_often_right(0.0, 1.0) == 1 and most_often_right(math.inf, 0.1) == 1

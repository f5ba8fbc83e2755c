"""Lower bounds on ε: never above the truth more often than they say, and not vacuous, on mechanisms of known ε."""

import math

import numpy as np
import pytest
from scipy import stats

from dpmia_lab.checks import Mistake
from dpmia_lab.metrics import audit
from dpmia_lab.seeds import numpy_generator

AUDITS = 200
ALLOWED = stats.binom.ppf(0.999, AUDITS, 0.05)  # 5 % and the luck of 200 draws
BOUNDS = {"many": audit.epsilon_lower_bound, "one_run": audit.one_run_lower_bound}
every_bound = pytest.mark.parametrize("name", BOUNDS)


def coins(name, rng, n):
    """Membership as each bound assumes it: fair coins for the one-run audit, else half of the records."""
    return rng.random(n) < 0.5 if name == "one_run" else rng.permutation(n) < n // 2


def randomised_response(rng, member, epsilon):
    """Says who is a member, truly with probability e^ε/(1 + e^ε): exactly ε-private for adding or removing a record."""
    return np.where(rng.random(len(member)) < 1 / (1 + math.exp(-epsilon)), member, ~member).astype(float)


def gaussian_delta(epsilon, sigma):
    """The exact δ of the Gaussian mechanism with sensitivity 1 (Balle & Wang 2018)."""
    a, b = 1 / (2 * sigma), epsilon * sigma
    return stats.norm.cdf(a - b) - math.exp(epsilon) * stats.norm.cdf(-a - b)


def bound(name, seed, n, mechanism, delta):
    rng = numpy_generator(seed, name, "audit")
    member = coins(name, rng, n)
    return BOUNDS[name](mechanism(rng, member), member, delta, rng)


@every_bound
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0])
def test_randomised_response_is_not_accused_of_more_than_it_leaks(name, epsilon):
    bounds = [bound(name, seed, 300, lambda r, m: randomised_response(r, m, epsilon), 0.0) for seed in range(AUDITS)]
    assert min(bounds) >= 0
    assert sum(b > epsilon for b in bounds) <= ALLOWED


@every_bound
@pytest.mark.parametrize("sigma", [0.5, 1.5])
def test_the_gaussian_mechanism_is_not_accused_of_more_than_it_leaks(name, sigma):
    """At points (ε, δ) of its exact profile."""
    profile = {epsilon: gaussian_delta(epsilon, sigma) for epsilon in (1.0, 3.0, 8.0)}
    worth_it = {epsilon: delta for epsilon, delta in profile.items() if 1e-9 < delta < 0.2}
    assert worth_it
    for epsilon, delta in worth_it.items():
        bounds = [bound(name, seed, 300, lambda r, m: m + sigma * r.normal(size=300), delta) for seed in range(AUDITS)]
        assert sum(b > epsilon for b in bounds) <= ALLOWED


@every_bound
@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0])
def test_with_many_records_the_bound_reaches_at_least_half(name, epsilon):
    found = bound(name, 0, 40_000, lambda r, m: randomised_response(r, m, epsilon), 1e-6)
    assert 0.5 * epsilon <= found <= epsilon


@every_bound
def test_the_order_of_records_tells_nothing(name):
    """Members first and all scores equal: sorted as they come, every guess would be right."""
    member = np.arange(400) < 200
    assert BOUNDS[name](np.ones(400), member, 0.0, numpy_generator(0)) == 0


@every_bound
def test_records_without_a_score_are_left_out(name):
    rng = numpy_generator(0, "nan")
    member = coins(name, rng, 600)
    scores = randomised_response(rng, member, 3.0)
    hidden = np.arange(600) % 3 == 0
    a = BOUNDS[name](np.where(hidden, np.nan, scores), member, 1e-5, numpy_generator(1))
    assert a == BOUNDS[name](scores[~hidden], member[~hidden], 1e-5, numpy_generator(1)) > 0


@every_bound
def test_a_larger_delta_or_confidence_never_raises_the_bound(name):
    rng = numpy_generator(2, "monotone")
    member = coins(name, rng, 2000)
    scores = randomised_response(rng, member, 2.0)
    by_delta = [BOUNDS[name](scores, member, delta, numpy_generator(0)) for delta in (0.0, 1e-5, 1e-3, 0.1)]
    by_confidence = [BOUNDS[name](scores, member, 0.0, numpy_generator(0), confidence=c) for c in (0.8, 0.95, 0.999)]
    assert by_delta == sorted(by_delta, reverse=True) and by_confidence == sorted(by_confidence, reverse=True)
    assert by_confidence[0] > by_confidence[2] > 0


# ---- the formulas by hand


def test_threshold_bound_by_hand_in_both_directions():
    low, high = (stats.binomtest(90, 100).proportion_ci(0.95).low, stats.binomtest(5, 100).proportion_ci(0.95).high)
    expected = max(math.log((low - 0.01) / high), math.log((1 - high - 0.01) / (1 - low)))
    assert audit.threshold_bounds(90, 100, 5, 100, 0.01, 0.95) == pytest.approx(expected)
    # a threshold that misses hardly any member says as much as one that accuses hardly any outsider
    assert audit.threshold_bounds(500, 500, 400, 500, 0, 0.95) == pytest.approx(
        float(audit.threshold_bounds(100, 500, 0, 500, 0, 0.95))
    )
    assert audit.threshold_bounds(5, 100, 90, 100, 0, 0.95) == 0


def slow_p_value(v, r, delta, n, epsilon):
    q = math.exp(epsilon) / (1 + math.exp(epsilon))
    pmf = [math.comb(r, k) * q**k * (1 - q) ** (r - k) for k in range(r + 1)]
    alpha = max((sum(pmf[max(0, v - i) : v]) / i for i in range(1, n + 1)), default=0)
    return min(1, sum(pmf[v:]) + 2 * n * delta * alpha)


@pytest.mark.parametrize(("v", "r", "n"), [(0, 0, 5), (0, 8, 8), (1, 1, 9), (7, 10, 10), (10, 10, 30), (31, 40, 60)])
def test_one_run_p_value_equals_a_slow_reading(v, r, n):
    for delta in (0.0, 1e-3, 0.05):
        for epsilon in (0.0, 0.7, 3.0):
            assert audit.one_run_p_value(v, r, delta, n, epsilon) == pytest.approx(
                slow_p_value(v, r, delta, n, epsilon)
            )


def test_one_run_epsilon_stands_where_the_p_value_is_one_in_twenty():
    found = audit.one_run_epsilon(90, 100, 1e-5, 500)
    assert audit.one_run_p_value(90, 100, 1e-5, 500, found) == pytest.approx(0.05, abs=1e-4)
    assert audit.one_run_epsilon(100, 100, 0.0, 100) == pytest.approx(math.log(1 / (0.05**-0.01 - 1)), abs=1e-5)
    assert audit.one_run_epsilon(50, 100, 0.0, 100) == audit.one_run_epsilon(0, 0, 0.0, 100) == 0
    with pytest.raises(Mistake, match="guesses at most n"):
        audit.one_run_epsilon(5, 4, 0.0, 10)


def test_at_a_large_delta_right_guesses_prove_nothing_and_at_a_small_one_they_do():
    """400 right guesses of 400 among 2,000 records, one of four audits: nothing at δ = 1/1,000, 4.39 at δ = 1e-5."""
    each = audit.each_of(4, 0.95)
    assert audit.one_run_epsilon(400, 400, 1 / 1000, 2000, each) == 0
    assert audit.one_run_epsilon(400, 400, 1e-5, 2000, each) == pytest.approx(4.39, abs=0.005)


@pytest.mark.parametrize(("n", "delta"), [(300, 1e-5), (2000, 1e-5), (2000, 1e-3)])
def test_no_attack_proves_more_than_the_limit_and_a_perfect_one_reaches_it(n, delta):
    rng = numpy_generator(3, "limit")
    member = np.arange(n) < n // 2
    perfect = audit.one_run_lower_bound(member.astype(float), member, delta, rng)
    assert perfect == audit.one_run_limit(n, delta)
    for wrong in (0.01, 0.1):
        scores = np.where(rng.random(n) < wrong, ~member, member).astype(float)
        assert audit.one_run_lower_bound(scores, member, delta, rng) <= perfect
    assert audit.one_run_limit(20, 1 / 20) == 0


def test_the_best_of_many_attacks_is_right_as_often_as_one():
    """Nine guessers on coins: the best of them, each audited at its share of the confidence, seldom proves anything.

    Without the correction the best of nine would exceed the truth, 0, several times as often.
    """
    attacks, n, exceeded = 9, 200, {"corrected": 0, "one by one": 0}
    for seed in range(AUDITS):
        rng = numpy_generator(seed, "nine")
        member, scores = rng.random(n) < 0.5, rng.normal(size=(attacks, n))
        for how, confidence in (("corrected", audit.each_of(attacks, 0.95)), ("one by one", 0.95)):
            bounds = [audit.one_run_lower_bound(own, member, 0.0, rng, confidence) for own in scores]
            exceeded[how] += max(bounds) > 0
    assert exceeded["corrected"] <= ALLOWED < exceeded["one by one"]


def test_delta_is_paid_for():
    """A mechanism that names a record outright with probability δ is (0, δ)-private; δ = 0 would accuse it."""
    exceeded = dict.fromkeys(("with", "without"), 0)
    for seed in range(60):
        rng = numpy_generator(seed, "naming")
        member = rng.random(500) < 0.5
        named = rng.random(500) < 0.1
        scores = np.where(named, np.where(member, 2.0, -2.0), rng.normal(size=500) / 10)
        exceeded["with"] += audit.one_run_lower_bound(scores, member, 0.1, rng) > 0
        exceeded["without"] += audit.one_run_lower_bound(scores, member, 0.0, rng) > 0
    assert exceeded["with"] <= 8 and exceeded["without"] == 60

"""What a promise means for one person: by hand, against another library's figures, and the laws it obeys."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.local import bits_guarantee
from dpmia_lab.privacy.risk import Risk, bound_text, risk_of

# riskcal 1.5.1 on dp-accounting's grid of 1e-4: the least share missed at false alarms of 1, 10 and 50 %, and the
# advantage. Ours is from 200 pairs (ε, δ), a polygon below the curve: never more private, by less than .001.
RISKCAL = {
    (1.0, 0.01, 1000): ([0.9709003, 0.8058213, 0.3414338], 0.1610184),
    (1.6, 0.2, 100): ([0.8334674, 0.4834446, 0.0926686], 0.4851281),
    (0.6, 0.05, 20): ([0.9276376, 0.7281692, 0.2879611], 0.2120393),
}


def pure(epsilon: float) -> Risk:
    return risk_of(Guarantee(epsilon, "record", "add-remove", 0.0, "tight"))


def of_descent(sigma: float, q: float, steps: int, delta: float = 1e-5, neighbours: str = "add-remove") -> Risk:
    dp = DpSgd(sigma, q, 1.0, steps, delta, neighbours)
    return risk_of(dp.guarantee(), dp)


@pytest.mark.parametrize("setting", RISKCAL, ids=str)
def test_the_same_as_another_library(setting):
    missed, advantage = RISKCAL[setting]
    risk = of_descent(*setting)
    own = 1 - np.array([risk.most_success(rate) for rate in (0.01, 0.1, 0.5)])
    assert (own <= np.array(missed) + 1e-6).all() and own == pytest.approx(missed, abs=1e-3)
    assert advantage - 1e-6 <= 2 * risk.most_right - 1 <= advantage + 1e-3


def test_a_pure_promise_by_hand():
    """ε = ln 3: a tenth becomes three tenths, even odds three quarters; at the corner μ = 2Φ⁻¹(¾)."""
    risk = pure(math.log(3))
    assert risk.most_success(0.1) == pytest.approx(0.3)
    assert risk.most_caught == pytest.approx(0.03)
    assert risk.most_right == pytest.approx(0.75)
    assert risk.mu == pytest.approx(2 * ndtri(0.75), abs=0.01)


def test_no_epsilon_leaves_guessing_and_an_infinite_one_leaves_nothing():
    nothing, everything = pure(0.0), pure(math.inf)
    for rate in (0.0, 0.01, 0.3, 1.0):
        assert nothing.most_success(rate) == pytest.approx(rate)
    assert nothing.mu == pytest.approx(0, abs=1e-9)
    assert everything.most_success(0.01) == 1 and everything.most_right == 1 and everything.mu == math.inf


@pytest.mark.parametrize(("sigma", "steps", "neighbours"), [(2.0, 1, "add-remove"), (5.0, 30, "replace-one")])
def test_without_sampling_mu_is_the_shift_of_one_gaussian(sigma, steps, neighbours):
    """μ = √T/σ, twice that when replacing; the polygon through 200 pairs costs less than 1 %."""
    mu = (2 if neighbours == "replace-one" else 1) * math.sqrt(steps) / sigma
    found = of_descent(sigma, 1.0, steps, neighbours=neighbours).mu
    assert mu - 1e-9 <= found <= 1.01 * mu


@pytest.mark.parametrize("setting", RISKCAL, ids=str)
def test_the_gaussian_of_mu_promises_no_more_than_the_curve(setting):
    """An attacker against N(0, 1) and N(μ, 1) does at least as well at every rate at which μ was compared."""
    risk = of_descent(*setting)
    for rate in (0.001, 0.01, 0.1, 0.5, 0.9):
        assert risk.most_success(rate) <= ndtr(ndtri(rate) + risk.mu) + 1e-6


def test_a_smaller_epsilon_can_leave_more_risk():
    """Nearly the same ε at δ = 1e-5, and the larger μ catches twice as many: that is why μ is shown beside ε."""
    few_steps, many_steps = of_descent(0.6, 0.05, 20), of_descent(1.65, 0.2, 100)
    assert DpSgd(1.65, 0.2, 1.0, 100, 1e-5).epsilon() < DpSgd(0.6, 0.05, 1.0, 20, 1e-5).epsilon()
    assert many_steps.mu > few_steps.mu and many_steps.most_caught > 2 * few_steps.most_caught


def test_risk_falls_with_noise_and_rises_with_what_is_known():
    noises = [of_descent(sigma, 0.05, 100) for sigma in (0.7, 1.0, 2.0, 8.0)]
    assert all(a.most_caught > b.most_caught and a.mu > b.mu for a, b in zip(noises, noises[1:], strict=False))
    guessed = [noises[1].most_success(rate) for rate in np.linspace(0, 1, 11)]
    assert all(a <= b for a, b in zip(guessed, guessed[1:], strict=False)) and guessed[-1] == 1


def test_noise_on_the_data_counts_for_the_whole_record():
    risk = risk_of(bits_guarantee(10, math.log(3) / 10))
    assert risk.most_right == pytest.approx(0.75) and risk.unit == "record"


def test_words_name_the_unit_and_never_round_a_bound_down():
    words = Risk(np.array([1.0]), np.array([1e-5]), "class").words(guessed=0.2)
    assert "a whole class" in words and "without that class" in words and "20 % of cases" in words
    assert "2.8 % of members" in words  # e·1 % + 1e-5 = 2.72 %
    assert bound_text(0.1201) == "12.1 %" and bound_text(0.12) == "12.0 %" and bound_text(1.0) == "100.0 %"


def test_a_rate_must_be_one():
    with pytest.raises(Mistake, match="baseline must be .*it is 1.5"):
        pure(1.0).most_success(1.5)

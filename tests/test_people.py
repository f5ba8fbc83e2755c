"""A person with several records: ε of all of them together, against dp-accounting's own mixtures and limits."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm

from dpmia_lab.checks import Mistake
from dpmia_lab.privacy import accounting, tight
from dpmia_lab.privacy.accounting import NEIGHBOURS
from dpmia_lab.privacy.people import composed_group_losses, group_epsilon, textbook_epsilon

with warnings.catch_warnings():  # what these libraries say while they load is not ours to mend
    warnings.simplefilter("ignore")
    from dp_accounting.gaussian_mechanism import get_epsilon_gaussian
    from dp_accounting.pld import privacy_loss_distribution

both = pytest.mark.parametrize("neighbours", NEIGHBOURS)
CASES = {"faces": (2.0, 0.1, 1276, 1e-3), "specification": (1.0, 0.01, 1000, 1e-5), "one step": (1.0, 0.1, 1, 1e-3)}
all_cases = pytest.mark.parametrize("setting", CASES.values(), ids=CASES)


@both
@all_cases
def test_one_record_is_the_tight_accountant(setting, neighbours):
    """Exactly at the front door; and the mixture of two says the same on its own grid (0.2 %, as each grid is)."""
    alone = accounting.epsilon("tight", *setting, neighbours)
    assert group_epsilon(1, *setting, neighbours) == alone
    composed = composed_group_losses(1, *setting[:3], neighbours)
    assert composed.get_epsilon_for_delta(setting[3]) == pytest.approx(alone, rel=0.002)


def test_seven_pictures_cost_far_more_than_seven_times_one():
    """Faces of paper E: 7.15 for one picture, 117 to 129 for seven, by mixtures that were computed elsewhere."""
    setting = (2.0, 0.1, 1276, 1e-3, "add-remove")
    one, seven = group_epsilon(1, *setting), group_epsilon(7, *setting)
    assert one == pytest.approx(7.15, rel=0.002) and 117 < seven < 130
    assert 7 * one < seven / 2 < textbook_epsilon(7, *setting) / 7


@pytest.mark.parametrize(
    ("name", "records", "interval"), [("faces", 7, 0.02), ("specification", 2, 0.003), ("one step", 3, 0.01)]
)
def test_the_library_has_the_same_mixture(name, records, interval):
    """Within 0.5 %: dp-accounting inverts the losses by bisection, on a grid of its own."""
    sigma, q, steps, delta = CASES[name]
    ours = group_epsilon(records, *CASES[name], "add-remove")
    counts = list(range(records + 1))
    one_step = privacy_loss_distribution.from_mixture_gaussian_mechanism(
        sigma, counts, binom.pmf(counts, records, q).tolist(), value_discretization_interval=interval
    )
    assert ours == pytest.approx(tight.repeated(one_step, steps).get_epsilon_for_delta(delta), rel=0.005)


@pytest.mark.parametrize("records", [2, 5])
def test_one_step_of_replacement_is_a_plain_sum(records):
    """δ of one step: the sum of what one density exceeds e^ε times the other by, on a fine grid (1 %)."""
    sigma, q, delta = 1.5, 0.3, 1e-3
    epsilon = group_epsilon(records, sigma, q, 1, delta, "replace-one")
    x = np.linspace(-30, 30, 200_001)[:, None]
    counts = np.arange(records + 1)
    weights = binom.pmf(counts, records, q)
    first, second = ((weights * norm.pdf(x, sign * counts, sigma)).sum(1) for sign in (1, -1))
    excess = np.maximum(first - math.exp(epsilon) * second, 0).sum() * (x[1, 0] - x[0, 0])
    assert excess == pytest.approx(delta, rel=0.01)


@both
def test_all_records_in_every_batch_are_one_larger_shift(neighbours):
    """q = 1: k records of σ are one of σ/k, whose ε is known exactly (Balle & Wang 2018)."""
    noise = 20.0 / 3 / 5 / (2 if neighbours == "replace-one" else 1)  # 25 steps: 5 times; three records
    exact = get_epsilon_gaussian(noise, 1e-5)
    assert group_epsilon(3, 20.0, 1.0, 25, 1e-5, neighbours) == pytest.approx(exact, rel=2e-6)


@both
@settings(max_examples=5, deadline=None)
@given(
    sigma=st.floats(0.5, 8), q=st.floats(1e-3, 0.5), steps=st.integers(1, 3000), delta=st.sampled_from([1e-3, 1e-5])
)
def test_more_records_never_cost_less(sigma, q, steps, delta, neighbours):
    """Each k on its own grid: 0.3 % of room; the textbook's bound is above them all."""
    costs = [group_epsilon(k, sigma, q, steps, delta, neighbours) for k in (1, 3, 12)]
    assert all(less <= 1.003 * more for less, more in zip(costs, costs[1:], strict=False))
    assert costs[1] <= textbook_epsilon(3, sigma, q, steps, delta, neighbours)


@both
def test_far_outside_the_usual_range_there_is_still_a_bound(neighbours):
    """Hardly any noise, tiny chances and very many steps: finite, and not below one record's."""
    extremes = [(40, 0.05, 0.2, 50, 1e-5), (40, 1.0, 1e-13, 10**6, 1e-12), (40, 50.0, 1e-4, 10**8, 1e-9)]
    for records, *setting in [*extremes, (1000, 0.05, 0.1, 1276, 1e-5)]:
        value = group_epsilon(records, *setting, neighbours)
        assert accounting.epsilon("tight", *setting, neighbours) <= value < math.inf


def test_nothing_done_costs_nothing_and_no_noise_protects_nobody():
    assert group_epsilon(5, 1.0, 0.1, 0, 1e-5, "add-remove") == group_epsilon(5, 1.0, 0.0, 9, 1e-5, "add-remove") == 0
    assert group_epsilon(5, 1.0, 1e-9, 10, 1e-5, "add-remove") == 0
    assert group_epsilon(5, 0.0, 0.1, 9, 1e-5, "add-remove") == math.inf


@pytest.mark.parametrize("records", [0, 2.5, 1001])
def test_a_number_of_records_that_cannot_be(records):
    with pytest.raises(Mistake, match="records"):
        group_epsilon(records, 1.0, 0.1, 10, 1e-5, "add-remove")

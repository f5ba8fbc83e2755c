"""Privacy accounting: every accountant against figures, slow integrals and libraries that we did not write."""

import functools
import math
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad

from dpmia_lab.privacy import accounting, moments, paper, tight
from dpmia_lab.privacy.accounting import NEIGHBOURS
from dpmia_lab.privacy.moments import Spending

with warnings.catch_warnings():  # what these libraries say while they load is not ours to mend
    warnings.simplefilter("ignore")
    import dp_accounting
    from dp_accounting.gaussian_mechanism import get_epsilon_gaussian
    from dp_accounting.pld import privacy_loss_distribution
    from opacus.accountants import RDPAccountant
    from opacus.accountants.analysis import rdp as opacus_rdp

both = pytest.mark.parametrize("neighbours", NEIGHBOURS)
SETTINGS = {  # σ, q, T
    "digits": (0.7, 0.004, 11_250),
    "digits, more noise": (1.3, 0.004, 3_750),
    "specification": (1.0, 0.01, 1000),
    "subclasses": (1.6, 0.2, 1000),
    "classes": (3.0, 0.33, 200),
    "faces": (4.0, 0.1, 500),
    "one step": (1.0, 0.1, 1),
    "three steps": (1.0, 0.1, 3),
    "little noise": (0.5, 0.05, 30),
}
all_settings = pytest.mark.parametrize(("sigma", "q", "steps"), SETTINGS.values(), ids=SETTINGS)
sigmas = st.floats(0.3, 30)
rates = st.floats(1e-4, 0.9)
lengths = st.integers(1, 20_000)
deltas = st.floats(1e-9, 1e-2)
relations = st.sampled_from(list(NEIGHBOURS))


# ---- figures of the specification


@pytest.mark.parametrize(
    ("sigma", "epochs", "classic", "improved", "added", "replaced"),
    [(0.7, 45, 6.86, 6.09, 5.43, 7.76), (1.1, 60, 2.91, 2.50, 2.31, 4.07), (1.3, 15, 1.16, 0.92, 0.84, 1.50)],
)
def test_figures_of_the_design(sigma, epochs, classic, improved, added, replaced):
    """Within 1 %: they have three digits, and the PLD ones come from a coarser grid (0.84 for a true 0.834)."""
    setting = (sigma, 0.004, round(epochs / 0.004), 1e-5)
    assert accounting.epsilon("moments-classic", *setting, "add-remove") == pytest.approx(classic, rel=0.01)
    assert accounting.epsilon("moments", *setting, "add-remove") == pytest.approx(improved, rel=0.01)
    assert accounting.epsilon("tight", *setting, "add-remove") == pytest.approx(added, rel=0.01)
    assert accounting.epsilon("tight", *setting, "replace-one") == pytest.approx(replaced, rel=0.01)


def test_the_specifications_example():
    """Replacing costs more than adding, and far less than twice the sensitivity would say (0.5 %: three digits)."""
    assert accounting.epsilon("tight", 1.0, 0.01, 1000, 1e-5, "add-remove") == pytest.approx(1.83, rel=0.005)
    assert accounting.epsilon("tight", 1.0, 0.01, 1000, 1e-5, "replace-one") == pytest.approx(2.84, rel=0.005)
    assert accounting.epsilon("tight", 0.5, 0.01, 1000, 1e-5, "add-remove") == pytest.approx(13.4, rel=0.005)


# ---- one step's divergences


def binomial_divergence(sigma, q, order):
    """Mironov, Talwar & Zhang 2019, section 3.3, for whole orders, in forty digits."""
    with mpmath.workdps(40):
        sigma, q = mpmath.mpf(sigma), mpmath.mpf(q)
        terms = (
            mpmath.binomial(order, k) * (1 - q) ** (order - k) * q**k * mpmath.exp((k * k - k) / (2 * sigma**2))
            for k in range(order + 1)
        )
        return float(mpmath.log(mpmath.fsum(terms)) / (order - 1))


@pytest.mark.parametrize("q", [1e-5, 0.004, 0.2, 0.9])
@pytest.mark.parametrize("sigma", [0.3, 0.7, 1.0, 1.4, 3.0, 20.0])
def test_add_remove_is_the_binomial_formula(sigma, q):
    orders = np.array([2, 3, 5, 8, 13, 30, 64])
    by_formula = [binomial_divergence(sigma, q, int(order)) for order in orders]
    assert moments.step_divergences(sigma, q, orders, "add-remove") == pytest.approx(by_formula, rel=1e-9)


def log_normal(x, mean, sigma):
    return -((x - mean) ** 2) / (2 * sigma**2) - math.log(sigma * math.sqrt(2 * math.pi))


def log_mixed(x, q, mean, sigma):
    return np.logaddexp(math.log1p(-q) + log_normal(x, 0, sigma), math.log(q) + log_normal(x, mean, sigma))


def worlds(name, sigma, q):
    """Logs of the two densities, the first in the numerator."""
    alone, one = (lambda x: log_normal(x, 0, sigma)), (lambda x: log_mixed(x, q, 1, sigma))
    return {
        "add-remove": (one, alone),
        "removed": (alone, one),
        "replace-one": (one, lambda x: log_mixed(x, q, -1, sigma)),
        "paper": (lambda x: log_mixed(x, q, 2, sigma), alone),
        "paper, other way": (alone, lambda x: log_mixed(x, q, 2, sigma)),
    }[name]


def slow_log_moment(name, sigma, q, order):
    """log ∫ P^α Q^(1−α), piece by piece."""
    first, second = worlds(name, sigma, q)
    edges = np.arange(-2 * order - 12 * sigma, 2 * order + 12 * sigma + 1, 2 * min(1.0, sigma))

    def log_value(x):
        return order * first(x) - (order - 1) * second(x)

    peak = max(log_value(x) for x in edges)
    pieces = (
        quad(lambda x: math.exp(log_value(x) - peak), a, b, epsabs=0, epsrel=1e-10)[0]
        for a, b in zip(edges, edges[1:], strict=False)
        if max(log_value(a), log_value(b), log_value((a + b) / 2)) > peak - 45
    )
    return peak + math.log(sum(pieces))


@both
@pytest.mark.parametrize(("sigma", "q"), [(0.3, 0.05), (0.8, 0.004), (1.0, 0.5), (1.4, 0.97), (5.0, 0.2)])
def test_divergences_are_slow_integrals(sigma, q, neighbours):
    """To 1e-7, what a moment of 1 + 1e-5 leaves of the integral's own precision."""
    orders = np.array([1.2, 2.0, 3.7, 9.5])
    slow = [slow_log_moment(neighbours, sigma, q, order) / (order - 1) for order in orders]
    assert moments.step_divergences(sigma, q, orders, neighbours) == pytest.approx(slow, rel=1e-7)


@pytest.mark.parametrize(("sigma", "q"), [(0.4, 0.05), (0.8, 0.9), (2.0, 0.3)])
def test_the_other_direction_is_never_the_worse_one(sigma, q):
    for order in (1.3, 2.0, 6.0):
        shown = moments.step_divergences(sigma, q, np.array([order]), "add-remove")[0]
        assert slow_log_moment("removed", sigma, q, order) / (order - 1) <= shown * (1 + 1e-9)


@both
@settings(max_examples=30, deadline=None)
@given(sigma=sigmas, q=rates)
def test_divergences_rise_with_the_order_and_stay_below_no_sampling(sigma, q, neighbours):
    orders = moments.orders_for(sigma)
    values = moments.step_divergences(sigma, q, orders, neighbours)
    assert (values > 0).all() and (np.diff(values) > -1e-9 * values[1:]).all()
    assert (values <= moments.step_divergences(sigma, 1.0, orders, neighbours) * (1 + 1e-9)).all()


@both
def test_nearly_certain_joining_is_joining(neighbours):
    orders = np.array([1.5, 4.0])
    nearly, surely = (moments.step_divergences(2.0, q, orders, neighbours) for q in (1 - 1e-8, 1.0))
    assert nearly == pytest.approx(surely, rel=1e-3)


# ---- the moments accountant against other libraries


@all_settings
def test_moments_agree_with_opacus(sigma, q, steps):
    """Not above it by more than 4 %; below only where it has no order as good (its conversion is the same)."""
    orders = RDPAccountant.DEFAULT_ALPHAS
    curve = opacus_rdp.compute_rdp(q=q, noise_multiplier=sigma, steps=steps, orders=orders)
    theirs, best = opacus_rdp.get_privacy_spent(orders=orders, rdp=curve, delta=1e-5)
    ours = accounting.epsilon("moments", sigma, q, steps, 1e-5, "add-remove")
    assert ours <= 1.04 * theirs
    assert ours >= 0.97 * theirs or best in (orders[0], orders[-1])


@all_settings
def test_conversions_agree_with_dp_accounting(sigma, q, steps):
    """At whole orders; at fractional ones it takes an upper bound of the series."""
    orders = [2, 3, 4, 6, 20]
    theirs = dp_accounting.rdp.RdpAccountant(orders)
    theirs.compose(dp_accounting.PoissonSampledDpEvent(q, dp_accounting.GaussianDpEvent(sigma)), steps)
    composed = steps * moments.step_divergences(sigma, q, np.array(orders), "add-remove")
    ours = max(0.0, (composed + moments.conversions(np.array(orders), 1e-5)).min())
    assert ours == pytest.approx(theirs.get_epsilon(1e-5), rel=1e-6)


@all_settings
def test_fractional_orders_agree_with_opacus(sigma, q, steps):
    orders = [1.1, 1.5, 2.7, 5.5, 9.3]
    theirs = opacus_rdp.compute_rdp(q=q, noise_multiplier=sigma, steps=1, orders=orders)
    assert moments.step_divergences(sigma, q, np.array(orders), "add-remove") == pytest.approx(theirs, rel=1e-6)


@both
@all_settings
def test_deltas_are_the_other_side_of_epsilons(sigma, q, steps, neighbours):
    for delta in (1e-3, 1e-6):
        epsilon = moments.moments_epsilon(sigma, q, steps, delta, neighbours)
        back = moments.moments_deltas(np.array([epsilon]), sigma, q, steps, neighbours)[0]
        assert back == pytest.approx(delta, rel=1e-6) if epsilon > 0 else back <= delta


@both
@all_settings
def test_spending_counts_like_the_front_door(sigma, q, steps, neighbours):
    spending = Spending(sigma, q, 1e-5, neighbours)
    for done in (0, 1, steps):
        assert spending.epsilon(done) == accounting.epsilon("moments", sigma, q, done, 1e-5, neighbours)
    for budget in (0.5, 3.0, 40.0):
        longest = spending.steps(budget)
        assert spending.epsilon(longest) <= budget < spending.epsilon(longest + 1)


def test_spending_without_noise_or_without_sampling():
    assert Spending(0.0, 0.1, 1e-5, "add-remove").epsilon(0) == 0
    assert Spending(0.0, 0.1, 1e-5, "add-remove").epsilon(1) == math.inf
    assert Spending(0.0, 0.1, 1e-5, "add-remove").steps(100.0) == 0
    assert Spending(1.0, 1e-9, 1e-5, "add-remove").steps(1.0) == 10**9


# ---- the tight accountant


@functools.cache
def fine_distribution(sigma, q, steps, neighbours):
    relation = dp_accounting.NeighboringRelation
    one = privacy_loss_distribution.from_gaussian_mechanism(
        sigma,
        value_discretization_interval=4e-4,
        sampling_prob=q,
        neighboring_relation=relation.REPLACE_ONE if neighbours == "replace-one" else relation.ADD_OR_REMOVE_ONE,
    )
    return one.self_compose(steps)


@both
@pytest.mark.parametrize("name", ["digits, more noise", "specification", "classes", "three steps"])
def test_tight_equals_a_fine_grid(name, neighbours):
    """Within 0.5 %, mostly above: our grid is the coarser one, and errs on the safe side."""
    fine = fine_distribution(*SETTINGS[name], neighbours).get_epsilon_for_delta(1e-5)
    ours = tight.tight_epsilon(*SETTINGS[name], 1e-5, neighbours)
    assert 0.9995 * fine <= ours <= 1.005 * fine


@both
def test_tight_deltas_equal_a_fine_grid(neighbours):
    epsilons = np.array([3.0, 0.0, 1.0, 2.0])
    fine = [fine_distribution(*SETTINGS["specification"], neighbours).get_delta_for_epsilon(e) for e in epsilons]
    ours = tight.tight_deltas(epsilons, *SETTINGS["specification"], neighbours)
    assert ours == pytest.approx(fine, rel=0.02) and (ours >= 0.9999 * np.array(fine)).all()


@both
@all_settings
def test_the_distribution_itself_is_below_the_moments(sigma, q, steps, neighbours):
    """Not by a minimum of the two: asked directly, at a δ well above its rounding."""
    composed = tight.composed_losses(sigma, q, steps, neighbours)
    assert composed.get_epsilon_for_delta(1e-5) < moments.moments_epsilon(sigma, q, steps, 1e-5, neighbours)


@both
@pytest.mark.parametrize(("sigma", "steps"), [(1.0, 1), (20.0, 100), (0.5, 10), (100.0, 7), (3.0, 10_000)])
def test_without_sampling_it_is_the_analytic_gaussian_mechanism(sigma, steps, neighbours):
    """Balle & Wang 2018, as dp-accounting computes it: T steps of σ are one of σ/√T."""
    noise = sigma / math.sqrt(steps) / (2 if neighbours == "replace-one" else 1)
    for delta in (1e-2, 1e-5, 1e-20):
        exact = get_epsilon_gaussian(noise, delta)
        assert tight.tight_epsilon(sigma, 1.0, steps, delta, neighbours) == pytest.approx(exact, rel=2e-6, abs=1e-9)
        assert moments.moments_epsilon(sigma, 1.0, steps, delta, neighbours) >= exact


def test_nearly_no_sampling_is_close_to_none():
    """The grid and the exact formula meet."""
    nearly, surely = (tight.tight_epsilon(2.0, q, 50, 1e-5, "add-remove") for q in (0.99999, 1.0))
    assert nearly == pytest.approx(surely, rel=0.005)


def test_a_unit_that_hardly_ever_joins_needs_no_epsilon():
    assert tight.tight_epsilon(0.5, 1e-9, 1000, 1e-5, "replace-one") == 0
    assert tight.tight_deltas(np.zeros(1), 0.01, 1e-9, 1000, "add-remove") == pytest.approx(1e-6)


def test_a_small_step_repeated_often_is_not_a_power_of_its_size():
    """Small single steps are dictionaries in dp-accounting, whose size it raises to the T: here that would hang."""
    assert 2 < tight.tight_epsilon(20.0, 0.01, 999_999, 1e-5, "add-remove") < 3


def test_a_grid_that_would_not_fit_is_not_begun():
    """Here rounding alone would make the composed grid of 10⁹ points; the moments accountant answers."""
    setting = (1.4, 7.8e-12, 7_272_332)
    assert tight.composed_losses(*setting, "replace-one") is None
    assert tight.tight_epsilon(*setting, 1e-6, "replace-one") == moments.moments_epsilon(*setting, 1e-6, "replace-one")


# ---- properties


def shifted(setting, name, factor):
    """The same setting with one value made larger."""
    values = dict(setting)
    values[name] = max(values[name] + 1, round(values[name] * factor)) if name == "steps" else values[name] * factor
    return values


falls = {"sigma": 1, "delta": 1, "q": -1, "steps": -1}


@pytest.mark.parametrize("name", falls)
@pytest.mark.parametrize("accountant", ["moments", "moments-classic", "paper-moments"])
@settings(max_examples=20, deadline=None)
@given(sigma=sigmas, q=rates, steps=lengths, delta=deltas, neighbours=relations, factor=st.floats(1.01, 1.1))
def test_more_noise_less_joining_fewer_steps_cost_less(accountant, name, sigma, q, steps, delta, neighbours, factor):
    setting = {"sigma": sigma, "q": q, "steps": steps, "delta": delta}
    before = accounting.epsilon(accountant, **setting, neighbours=neighbours)
    after = accounting.epsilon(accountant, **shifted(setting, name, factor), neighbours=neighbours)
    assert falls[name] * (before - after) >= -1e-9 * before - 1e-12


@pytest.mark.parametrize("name", falls)
@settings(max_examples=4, deadline=None)
@given(sigma=st.floats(0.6, 5), q=st.floats(0.003, 0.5), steps=st.integers(1, 3000), neighbours=relations)
def test_the_tight_accountant_falls_and_rises_likewise(name, sigma, q, steps, neighbours):
    """By a tenth at once, and to 0.5 %, since each setting has a grid of its own."""
    setting = {"sigma": sigma, "q": q, "steps": steps, "delta": 1e-5}
    before = accounting.epsilon("tight", **setting, neighbours=neighbours)
    after = accounting.epsilon("tight", **shifted(setting, name, 1.1), neighbours=neighbours)
    assert falls[name] * (before - after) >= -0.005 * before


@settings(max_examples=10, deadline=None)
@given(sigma=sigmas, q=rates, steps=lengths, delta=deltas, neighbours=relations)
def test_tight_is_below_moments_is_below_classic(sigma, q, steps, delta, neighbours):
    order = [accounting.epsilon(n, sigma, q, steps, delta, neighbours) for n in ("tight", "moments", "moments-classic")]
    assert order == sorted(order)


@settings(max_examples=30, deadline=None)
@given(sigma=sigmas, q=rates, steps=lengths, delta=deltas)
def test_replacing_costs_at_least_as_much_as_adding(sigma, q, steps, delta):
    for accountant in ("moments", "moments-classic", "paper-moments"):
        added, replaced = (accounting.epsilon(accountant, sigma, q, steps, delta, n) for n in NEIGHBOURS)
        assert added <= replaced * (1 + 1e-9)


@settings(max_examples=30, deadline=None)
@given(sigma=sigmas, q=rates)
def test_the_papers_shift_of_two_is_sound_for_replacement(sigma, q):
    """At every order, its worlds are told apart at least as easily as the true ones."""
    orders = moments.orders_for(sigma / 2)
    shift_of_two = moments.step_divergences(sigma / 2, q, orders, "add-remove")
    assert (shift_of_two >= moments.step_divergences(sigma, q, orders, "replace-one") * (1 - 1e-9)).all()


# ---- paper A


@pytest.mark.parametrize(("sigma", "q"), [(0.9, 0.02), (1.6, 0.2), (4.0, 0.6)])
@both
def test_the_papers_moments_are_slow_integrals(sigma, q, neighbours):
    """α(κ) = log max(E1, E2), by the definition in Lemma 3, composed and converted by Lemmas 1 and 2."""
    names = ("paper", "paper, other way") if neighbours == "replace-one" else ("add-remove", "removed")
    kappas = range(1, 8)
    alphas = [max(slow_log_moment(name, sigma, q, kappa + 1) for name in names) for kappa in kappas]
    slow = min((300 * a + math.log(1e5)) / kappa for a, kappa in zip(alphas, kappas, strict=True))
    ours = paper.paper_epsilon(sigma, q, 300, 1e-5, neighbours)
    assert ours == pytest.approx(slow, rel=1e-7) or ours < slow and sigma == 4.0  # there κ > 7 is better


def test_the_closed_forms_by_hand():
    """σ² = 16q²T ln(1/δ)/ε²; with ln(1/δ) = 9, T = 10⁴, q = 0.001: σ = 1.2/ε. Remark 1 has a quarter of the σ²."""
    delta = math.exp(-9)
    assert paper.closed_form(2.4, 0.001, 10**4, delta, "replace-one").epsilon == pytest.approx(0.5)
    assert paper.closed_form(2.4, 0.001, 10**4, delta, "add-remove").epsilon == pytest.approx(0.25)
    assert paper.closed_form_sigma(0.5, 0.001, 10**4, delta, "replace-one") == pytest.approx(2.4)
    assert paper.closed_form_steps(0.25, 2.4, 0.001, delta, "add-remove") == pytest.approx(10**4)


def test_the_conditions_by_hand():
    """The same setting: κ = 18/ε = 36 and σ² ln(1/(qσ)) = 5.76 · 6.0323; q < 1/38.4 and q < √(0.5/(64 · 300))."""
    conditions = paper.closed_form(2.4, 0.001, 10**4, math.exp(-9), "replace-one").conditions
    theorem, lemma, kappa, noise, slack = conditions
    assert (theorem.left_value, theorem.right_value) == pytest.approx((0.001, math.sqrt(0.5 / 19200)))
    assert (lemma.left_value, lemma.right_value) == pytest.approx((0.001, 1 / 38.4))
    assert (kappa.left_value, kappa.right_value) == pytest.approx((36, 34.746), rel=1e-4)
    assert (noise.left_value, noise.right_value) == (2.4, 1.79)
    y = 4 / 5.76
    assert (slack.left_value, slack.right_value) == pytest.approx((37 * math.expm1(y), 72 * y * 0.999))
    assert [condition.met for condition in conditions] == [True, True, False, True, True]


@pytest.mark.parametrize(("sigma", "q"), [(1.6, 0.2), (1.0, 0.33)])
def test_the_papers_own_experiments_break_its_conditions(sigma, q):
    answer = paper.closed_form(sigma, q, 1000, 1e-5, "replace-one")
    assert not answer.holds and not answer.conditions[1].met and not answer.conditions[3].met
    assert accounting.epsilon("paper-closed-form", sigma, q, 1000, 1e-5, "replace-one") == math.inf


def test_the_slack_of_two_ends_where_the_constant_says():
    y = paper.LARGEST_Y
    assert math.expm1(y) == pytest.approx(2 * y) and 2 / math.sqrt(y) == pytest.approx(1.784, abs=1e-3)


def test_without_the_lemmas_condition_the_theorem_is_false():
    """One step, q = 0.001: Theorem 1's own condition is met, and its ε = 1 is far below the truth."""
    answer = paper.closed_form(0.0136, 0.001, 1, 1e-5, "replace-one")
    assert answer.conditions[0].met and not answer.holds and answer.epsilon < 1.01
    assert tight.tight_epsilon(0.0136, 0.001, 1, 1e-5, "replace-one") > 1000


@settings(max_examples=300, deadline=None)
@given(
    st.floats(0.9, 30),
    st.floats(1e-4, 0.03),
    st.integers(1, 10**6),
    st.floats(1e-8, 1e-2),
    st.sampled_from([*NEIGHBOURS]),
)
def test_where_all_conditions_are_met_the_closed_form_is_sound(sigma, q, steps, delta, neighbours):
    answer = paper.closed_form(sigma, q, steps, delta, neighbours)
    if answer.holds and answer.epsilon < moments.moments_epsilon(sigma, q, steps, delta, neighbours):
        assert answer.epsilon >= 0.999 * tight.tight_epsilon(sigma, q, steps, delta, neighbours)

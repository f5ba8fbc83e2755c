"""σ and T from ε, extremes, mistakes, and the words every ε carries."""

import math
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_accounting import both, deltas, lengths, rates, relations, sigmas

from dpmia_lab.checks import Mistake
from dpmia_lab.privacy import accounting
from dpmia_lab.privacy.accounting import ACCOUNTANTS, Guarantee, Unreachable
from dpmia_lab.privacy.search import first_within

# ---- inverses


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
@both
@pytest.mark.parametrize(("budget", "q", "steps"), [(2.0, 0.02, 200), (60.0, 0.3, 100)])
def test_sigma_is_the_smallest_that_keeps_within_the_budget(accountant, budget, q, steps, neighbours):
    try:
        sigma = accounting.sigma_for(accountant, budget, q, steps, 1e-5, neighbours)
    except Unreachable as refusal:
        assert accountant == "paper-closed-form" and "no guarantee" in str(refusal)
        return
    before = accounting.sigma_at(round(accounting.place_of(sigma)) - 1)
    assert before < sigma == float(f"{sigma:.4g}")
    assert accounting.epsilon(accountant, sigma, q, steps, 1e-5, neighbours) <= budget
    assert accounting.epsilon(accountant, before, q, steps, 1e-5, neighbours) > budget


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
@both
@pytest.mark.parametrize(("budget", "sigma", "q"), [(3.0, 2.2, 0.05), (5.0, 1.1, 0.05)])
def test_steps_are_the_most_that_keep_within_the_budget(accountant, budget, sigma, q, neighbours):
    try:
        steps = accounting.steps_for(accountant, budget, sigma, q, 1e-5, neighbours)
    except Unreachable as refusal:
        assert accountant == "paper-closed-form" and "no guarantee" in str(refusal)
        return
    assert accounting.epsilon(accountant, sigma, q, steps, 1e-5, neighbours) <= budget
    assert accounting.epsilon(accountant, sigma, q, steps + 1, 1e-5, neighbours) > budget


def test_inverses_of_the_closed_form_where_it_holds():
    """σ = 4 · 0.01 · √(1000 · 11.5129) / 2 = 2.14597, rounded up."""
    setting = (0.01, 1000, 1e-5, "replace-one")
    assert accounting.sigma_for("paper-closed-form", 2.0, *setting) == 2.146
    assert accounting.epsilon("paper-closed-form", 2.146, *setting) <= 2
    assert accounting.steps_for("paper-closed-form", 2.0, 2.146, 0.01, 1e-5, "replace-one") == 1000
    assert accounting.steps_for("paper-closed-form", 2.0, 2.145, 0.01, 1e-5, "replace-one") == 999


@settings(max_examples=15, deadline=None)
@given(sigma=sigmas, q=rates, steps=lengths, delta=deltas, neighbours=relations)
def test_inverses_come_back(sigma, q, steps, delta, neighbours):
    spent = accounting.epsilon("moments", sigma, q, steps, delta, neighbours)
    if spent > 0:
        assert accounting.sigma_for("moments", spent, q, steps, delta, neighbours) <= sigma * 1.0011
        assert accounting.steps_for("moments", spent, sigma, q, delta, neighbours) >= steps


@settings(max_examples=200)
@given(st.integers(-50, 5000), st.integers(1, 10_000), st.floats(0.1, 3))
def test_the_search_finds_the_first(place, span, power):
    """The smallest i with (100/(i − low + 1))^power ≤ limit, counted instead of searched."""

    def cost(i):
        return (100 / (i - place + 1)) ** power

    limit = cost(place + span // 3)
    expected = next(i for i in range(place, place + span + 1) if cost(i) <= limit)
    assert first_within(cost, limit, place, place + span) == expected
    assert first_within(cost, cost(place + span) / 2, place, place + span) is None


# ---- extremes, and mistakes


def answered(find, *arguments):
    try:
        return find(*arguments)
    except Unreachable as refusal:
        assert str(refusal).endswith(".") and "\n" not in str(refusal)
        return None


EXTREMES = [
    (0.01, 0.5, 10**8, 1e-5),
    (0.01, 1e-9, 1, 1e-300),
    (1e4, 1e-9, 10**8, 1e-5),
    (1e4, 0.5, 10**8, 1e-12),
    (1e6, 1.0, 10**9, 0.999999),
    (1.0, 1 - 1e-12, 10**6, 1e-5),
    (1.0, 5e-324, 10**9, 5e-324),
    (1.0, 1e-4, 10**6, 1e-5),
]


@both
@pytest.mark.parametrize(("sigma", "q", "steps", "delta"), EXTREMES, ids=str)
@pytest.mark.parametrize("accountant", ACCOUNTANTS)
def test_extremes_have_an_answer(accountant, sigma, q, steps, delta, neighbours):
    """Warnings are errors here, so nothing overflows on the way."""
    assert accounting.epsilon(accountant, sigma, q, steps, delta, neighbours) >= 0
    longest = answered(accounting.steps_for, accountant, 1e4, sigma, q, delta, neighbours)
    assert longest is None or 0 <= longest <= 10**9
    for budget in (1e4, 1e-9):
        noise = answered(accounting.sigma_for, accountant, budget, q, steps, delta, neighbours)
        assert noise is None or 0.01 <= noise <= 1e6


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
def test_nothing_done_or_nobody_joining_costs_nothing(accountant):
    for sigma in (0.0, 1.0):
        assert accounting.epsilon(accountant, sigma, 0.5, 0, 1e-5, "add-remove") == 0
        assert accounting.epsilon(accountant, sigma, 0.0, 5, 1e-5, "replace-one") == 0
    assert accounting.sigma_for(accountant, 1.0, 0.0, 10, 1e-5, "add-remove") == 0
    assert accounting.steps_for(accountant, 1.0, 0.0, 0.0, 1e-5, "add-remove") == 10**9


@pytest.mark.parametrize("accountant", ACCOUNTANTS)
def test_no_noise_is_no_guarantee(accountant):
    assert accounting.epsilon(accountant, 0.0, 0.1, 1, 1e-5, "add-remove") == math.inf
    assert accounting.steps_for(accountant, 9.0, 0.0, 0.1, 1e-5, "add-remove") == 0


def test_what_cannot_be_reached_is_said_in_one_sentence():
    with pytest.raises(Unreachable, match=r"^moments-classic: no sigma up to 1e\+06 keeps within epsilon 0\.0\.$"):
        accounting.sigma_for("moments-classic", 0.0, 0.1, 100, 1e-5, "add-remove")
    assert accounting.steps_for("tight", 1e-9, 0.5, 0.5, 1e-5, "add-remove") == 0


MISTAKES = [
    ("sigma", -1.0, "sigma must be from 0 to 1000000.0; it is -1.0."),
    ("sigma", math.nan, "sigma must be from 0 to 1000000.0; it is nan."),
    ("sigma", 0.005, "sigma must be 0 or at least 0.01, as less noise protects nothing; it is 0.005."),
    ("q", 1.5, "q must be from 0 to 1; it is 1.5."),
    ("steps", 1.5, "steps must be a whole number from 0 to 1000000000; it is 1.5."),
    ("steps", 10**10, "steps must be a whole number from 0 to 1000000000; it is 10000000000."),
    ("delta", 0, "delta must be greater than 0 and less than 1; it is 0."),
    ("delta", 1.0, "delta must be greater than 0 and less than 1; it is 1.0."),
    ("neighbours", "both", "neighbours must be one of add-remove, replace-one; it is 'both'."),
    ("accountant", "mine", f"accountant must be one of {', '.join(ACCOUNTANTS)}; it is 'mine'."),
]


@pytest.mark.parametrize(("name", "value", "sentence"), MISTAKES, ids=str)
def test_mistakes_are_named(name, value, sentence):
    good = {"accountant": "moments", "sigma": 1.0, "q": 0.1, "steps": 10, "delta": 1e-5, "neighbours": "add-remove"}
    with pytest.raises(Mistake) as refusal:
        accounting.epsilon(**{**good, name: value})
    assert str(refusal.value) == sentence


@pytest.mark.parametrize("find", [accounting.sigma_for, accounting.steps_for])
def test_a_negative_budget_is_a_mistake(find):
    rest = {"steps": 10} if find is accounting.sigma_for else {"sigma": 1.0}
    with pytest.raises(Mistake, match=r"^epsilon must be 0 or more; it is -1\.$"):
        find(accountant="moments", epsilon=-1, q=0.1, delta=1e-5, neighbours="add-remove", **rest)


@pytest.mark.parametrize(
    ("units", "delta"), [(1, 0.1), (9, 0.1), (10, 0.01), (40, 0.01), (60_000, 1e-5), (10**5, 1e-6)]
)
def test_the_default_delta_is_below_one_in_all_units(units, delta):
    assert accounting.default_delta(units) == delta < 1 / units <= 10 * delta * (1 + 1e-12)


# ---- words


def test_a_guarantee_says_all_of_it():
    words = Guarantee(2.3051, "record", "add-remove", 1e-5, "tight").words()
    assert words == "ε = 2.31 for a record (add or remove one; δ = 1e-5; tight accountant, PLD)"
    words = Guarantee(math.inf, "class", "replace-one", 0.01, "paper-closed-form").words()
    assert words == "ε = ∞ (no guarantee) for a class (replace one; δ = 0.01; paper A's closed form)"


@settings(max_examples=200)
@given(st.floats(1e-6, 1e12))
def test_an_epsilon_is_never_understated(value):
    assert value * (1 - 1e-9) <= float(accounting.rounded_up(value)) <= value * 1.0101


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "0"), (2.31, "2.31"), (2.311, "2.32"), (99.95, "100"), (12345, "12400")]
)
def test_rounding_up(value, shown):
    assert accounting.rounded_up(value) == shown


def test_the_instant_accountant_needs_numpy_only():
    source = sys.modules["dpmia_lab.privacy.moments"].__file__
    with open(source, encoding="utf-8") as file:
        imports = {line.split()[1] for line in file if line.startswith(("import", "from", "    import", "    from"))}
    assert imports == {"math", "numpy"}

"""Measures of membership scores, against scikit-learn, a bootstrap and cases worked by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import balanced_accuracy_score, roc_auc_score, roc_curve

from dpmia_lab.checks import Mistake
from dpmia_lab.metrics import membership
from dpmia_lab.metrics.intervals import clopper_pearson
from dpmia_lab.seeds import numpy_generator

few_values = st.lists(st.tuples(st.integers(-4, 4), st.booleans()), min_size=2, max_size=40).filter(
    lambda rows: len({kind for _, kind in rows}) == 2
)


def split(rows):
    return np.array([value for value, _ in rows], dtype=float), np.array([kind for _, kind in rows])


def drawn(seed, n=400, shift=1.0, decimals=9):
    rng = numpy_generator(seed, "scores")
    member = rng.permutation(n) < n // 2
    return np.round(rng.normal(size=n) + shift * member, decimals), member


@given(few_values)
def test_roc_and_auc_are_scikit_learn_s_also_with_ties(rows):
    scores, member = split(rows)
    for ours, theirs in zip(
        membership.roc(scores, member), roc_curve(member, scores, drop_intermediate=False), strict=True
    ):
        assert ours == pytest.approx(theirs)
    assert membership.auc(scores, member) == pytest.approx(roc_auc_score(member, scores))


@given(few_values)
def test_auc_is_blind_to_monotone_changes_and_turns_with_the_sign(rows):
    scores, member = split(rows)
    value = membership.auc(scores, member)
    for change in (np.arctan, np.exp, lambda s: s**3 - 7):
        assert membership.auc(change(scores), member) == pytest.approx(value)
    assert membership.auc(-scores, member) == pytest.approx(1 - value)
    assert membership.auc(scores, ~member) == pytest.approx(1 - value)


def test_records_without_a_score_are_left_out():
    scores, member = drawn(0)
    spoilt = scores.copy()
    spoilt[::3] = np.nan
    kept = np.arange(400) % 3 != 0
    assert membership.auc(spoilt, member) == pytest.approx(roc_auc_score(member[kept], scores[kept]))
    assert membership.auc_interval(spoilt, member) == membership.auc_interval(scores[kept], member[kept])
    assert membership.tpr_at_fpr(spoilt, member, 0.1) == membership.tpr_at_fpr(scores[kept], member[kept], 0.1)
    with pytest.raises(Mistake, match="members and of outsiders"):
        membership.auc(np.where(member, np.nan, scores), member)


def test_auc_by_hand():
    assert membership.auc([3, 1, 2, 2], [True, False, True, False]) == pytest.approx(3.5 / 4)


# ---- intervals


def test_delong_s_spread_is_that_of_a_bootstrap():
    scores, member = drawn(1, n=300, decimals=1)
    rng = numpy_generator(1, "bootstrap")
    inside, outside = scores[member], scores[~member]
    again = []
    for _ in range(1500):
        a, b = rng.choice(inside, len(inside)), np.sort(rng.choice(outside, len(outside)))
        again.append((np.searchsorted(b, a) + np.searchsorted(b, a, "right")).mean() / (2 * len(b)))
    found = membership.auc_interval(scores, member)
    assert found.value == membership.auc(scores, member)
    assert (found.high - found.low) / (2 * 1.959964) == pytest.approx(np.std(again), rel=0.08)


def slow_delong_variance(scores, member):
    def psi(a, b):
        return 1.0 if a > b else 0.5 if a == b else 0.0

    inside, outside = scores[member], scores[~member]
    v10 = [np.mean([psi(a, b) for b in outside]) for a in inside]
    v01 = [np.mean([psi(a, b) for a in inside]) for b in outside]
    return np.var(v10, ddof=1) / len(v10) + np.var(v01, ddof=1) / len(v01)


def test_delong_equals_a_slow_reading():
    scores, member = drawn(2, n=60, decimals=1)
    found = membership.auc_interval(scores, member, confidence=0.9)
    half = stats.norm.ppf(0.95) * np.sqrt(slow_delong_variance(scores, member))
    assert (found.low, found.high) == pytest.approx((found.value - half, found.value + half))


@pytest.mark.parametrize(("shift", "truth"), [(0.0, 0.5), (1.0, stats.norm.cdf(1 / np.sqrt(2)))])
def test_the_interval_covers_the_truth_nineteen_times_in_twenty(shift, truth):
    missed = 0
    for seed in range(200):
        found = membership.auc_interval(*drawn(seed, n=200, shift=shift))
        missed += not found.low <= truth <= found.high
    low, high = stats.binom.ppf([0.0005, 0.9995], 200, 0.05)
    assert low <= missed <= high


def test_perfect_separation_still_has_an_interval():
    member = np.arange(40) < 20
    found = membership.auc_interval(member.astype(float), member)
    assert found.value == found.high == 1 and found.low == pytest.approx(0.025 ** (1 / 20))
    assert membership.auc_interval(-1.0 * member, member)[:2] == (0, 0)
    assert membership.auc_interval(np.ones(40), member) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(("k", "n"), [(0, 10), (3, 10), (10, 10), (1, 1), (517, 2000)])
def test_clopper_pearson_is_scipy_s_exact_interval(k, n):
    exact = stats.binomtest(k, n).proportion_ci(0.95, "exact")
    assert clopper_pearson(k, n, 0.95) == pytest.approx((exact.low, exact.high))


# ---- true positives where false alarms are rare, and accuracy


def test_true_positives_at_a_rate_are_not_interpolated():
    scores = np.array([9, 8, 7, 6, 5, 4, 3, 2, 1, 0.0])
    member = np.array([1, 1, 0, 1, 1, 0, 0, 0, 1, 0], dtype=bool)
    rates = {0.0: 2 / 5, 0.19: 2 / 5, 0.2: 4 / 5, 0.39: 4 / 5, 0.4: 4 / 5, 0.8: 1.0, 1.0: 1.0}
    for fpr, expected in rates.items():
        assert membership.tpr_at_fpr(scores, member, fpr).value == pytest.approx(expected)
    exact = stats.binomtest(2, 5).proportion_ci(0.95, "exact")
    assert membership.tpr_at_fpr(scores, member, 0.1)[1:] == pytest.approx((exact.low, exact.high))


def test_ties_are_never_split_to_catch_members():
    member = np.array([True, True, False, True, False])
    assert membership.tpr_at_fpr(np.array([5, 4, 4, 4, 0.0]), member, 0.2).value == pytest.approx(1 / 3)


def test_accuracy_is_measured_where_the_threshold_was_not_chosen():
    scores, member = drawn(3, n=2000, shift=2.0)
    found = membership.balanced_accuracy(scores, member, numpy_generator(0))
    assert found.low < stats.norm.cdf(1.0) < found.high and found.low < found.value < found.high
    null = [
        membership.balanced_accuracy(*drawn(seed, n=40, shift=0), numpy_generator(seed)).value for seed in range(200)
    ]
    assert abs(np.mean(null) - 0.5) < 0.03  # chosen and measured on the same records it is .6


def test_balanced_accuracy_counts_both_kinds_alike():
    """200 outsiders, 40 members; the halves and the threshold done over by hand."""
    rng = numpy_generator(4)
    member = np.arange(240) < 40
    scores = rng.normal(size=240) + 3 * member
    found = membership.balanced_accuracy(scores, member, numpy_generator(7))
    first, second = membership.halves(member, numpy_generator(7))
    assert not set(first) & set(second) and len(first) + len(second) == 240
    assert member[first].sum() == member[second].sum() == 20
    cuts = np.append(scores[first], np.inf)
    best = max(balanced_accuracy_score(member[first], scores[first] >= cut) for cut in cuts)
    cut = max(c for c in cuts if balanced_accuracy_score(member[first], scores[first] >= c) == pytest.approx(best))
    assert found.value == pytest.approx(balanced_accuracy_score(member[second], scores[second] >= cut))


# ---- the error of an AUC of which only the value is known
def test_the_error_of_an_auc_is_exact_where_scores_tell_nothing():
    """There it is the null variance of Mann and Whitney's U, (m + n + 1)/(12 m n)."""
    assert membership.auc_error(0.5, 30, 70) == pytest.approx(np.sqrt(101 / (12 * 30 * 70)))


def test_the_error_of_an_auc_is_that_of_exponential_scores():
    """2,000 draws know a standard deviation to 1.6 %; 6 % is four times that."""
    rng, scale = numpy_generator(0, "exponential"), 3.0  # AUC 3/4
    scores = np.concatenate([rng.exponential(scale, (2000, 40)), rng.exponential(1.0, (2000, 60))], axis=1)
    member = np.arange(100) < 40
    found = [membership.auc(row, member) for row in scores]
    assert np.mean(found) == pytest.approx(0.75, abs=0.005)
    assert np.std(found) == pytest.approx(membership.auc_error(0.75, 40, 60), rel=0.06)


# ---- attacks that failed
def test_ties_are_counted_among_records_that_have_a_score():
    assert membership.tied_share(np.array([1.0, 1, 1, 2, np.nan, np.nan])) == 0.75
    assert membership.tied_share(np.arange(10.0)) == 0.1


@pytest.mark.parametrize(
    ("scores", "how"),
    [
        (lambda rng, member: np.ones(len(member)), "tied"),
        (lambda rng, member: np.where(rng.random(len(member)) < 0.6, 1.0, rng.random(len(member))), "tied"),
        (lambda rng, member: rng.random(len(member)), "guessing"),
        (lambda rng, member: rng.random(len(member)) - member, "guessing"),  # the wrong way round
        (lambda rng, member: rng.random(len(member)) + 0.3 * member, ""),
        (lambda rng, member: member.astype(float), ""),  # two scores are enough where they are right
        (lambda rng, member: np.where(member & (rng.random(len(member)) < 0.05), 2, rng.random(len(member))), ""),
    ],
)
def test_a_failed_attack_is_known_by_its_scores(scores, how):
    """The last one catches one member in twenty for certain and guesses about the others: that is no failure."""
    rng = numpy_generator(1, "failed")
    member = rng.random(2000) < 0.5
    own = scores(rng, member)
    auc, caught = membership.auc_interval(own, member), membership.tpr_at_fpr(own, member, 0.01)
    assert membership.failure(membership.tied_share(own), auc.low, caught.low) == how

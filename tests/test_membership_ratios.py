"""LiRA and RMIA against slow readings of their papers, on simulated records each with a level of its own."""

import math

import numpy as np
import pytest

from dpmia_lab.attacks.membership import lira, rmia
from dpmia_lab.checks import Mistake
from dpmia_lab.metrics.membership import auc, auc_interval, tpr_at_fpr
from dpmia_lab.seeds import numpy_generator

# ---- LiRA


def slow_normal(values):
    mean = sum(values) / len(values)
    return mean, sum((v - mean) ** 2 for v in values)


def slow_lira(target, shadows, inside, fixed):
    def kind(wanted):
        rows = [[shadows[m, i] for m in range(len(shadows)) if inside[m, i] == wanted] for i in range(len(target))]
        fits = [slow_normal(row) if row else None for row in rows]
        pooled = sum(f[1] for f in fits if f) / sum(len(r) - 1 for r in rows if r)
        own = [f[1] / (len(r) - 1) if len(r) > 1 else pooled for f, r in zip(fits, rows, strict=True)]
        return [f and f[0] for f in fits], [pooled if fixed else v for v in own]

    mean_in, var_in = kind(True)
    mean_out, var_out = kind(False)
    both = [a - b for a, b in zip(mean_in, mean_out, strict=True) if a is not None and b is not None]
    typical = sum(both) / len(both)
    scores = []
    for i, t in enumerate(target):
        a = mean_out[i] + typical if mean_in[i] is None else mean_in[i]
        b = mean_in[i] - typical if mean_out[i] is None else mean_out[i]
        scores.append(
            math.log(math.exp(-((t - a) ** 2) / (2 * var_in[i])) / math.sqrt(2 * math.pi * var_in[i]))
            - math.log(math.exp(-((t - b) ** 2) / (2 * var_out[i])) / math.sqrt(2 * math.pi * var_out[i]))
        )
    return scores


@pytest.mark.parametrize("fixed", [True, False])
def test_lira_equals_a_slow_reading(fixed):
    rng = numpy_generator(0, "lira")
    target, shadows = rng.normal(size=30), rng.normal(size=(8, 30))
    inside = rng.random((8, 30)) < 0.5
    inside[:, 0], inside[:, 1] = False, True  # in no model, in all
    inside[:, 2], inside[0, 2] = False, True  # in one
    scores = lira.lira_scores(target, shadows, inside, fixed_variance=fixed)
    assert scores == pytest.approx(slow_lira(target, shadows, inside, fixed))


@pytest.mark.parametrize("fixed", [True, False])
def test_offline_lira_equals_a_slow_reading(fixed):
    rng = numpy_generator(1, "lira")
    target, shadows = rng.normal(size=20), rng.normal(size=(6, 20))
    fits = [slow_normal(list(column)) for column in shadows.T]
    pooled = sum(f[1] for f in fits) / (5 * 20)
    scores = lira.offline_lira_scores(target, shadows, fixed_variance=fixed)
    for score, t, (mean, squares) in zip(scores, target, fits, strict=True):
        spread = math.sqrt(pooled if fixed else squares / 5)
        chance = 0.5 * math.erfc(-(t - mean) / spread / math.sqrt(2))  # Pr[N ≤ t], the paper's score
        assert 0.5 * math.erfc(-score / math.sqrt(2)) == pytest.approx(chance)


def test_lira_stays_finite_and_in_order_far_out():
    shadows = np.tile(numpy_generator(2).normal(size=(10, 1)), 6)
    target = np.array([-1e4, -100, -30, 0, 5, 30])
    offline = lira.offline_lira_scores(target, shadows, fixed_variance=False)
    assert np.isfinite(offline).all() and (np.diff(offline) > 0).all()
    inside = np.tile(np.arange(10)[:, None] % 2 == 0, 6)
    assert np.isfinite(lira.lira_scores(target, np.ones((10, 6)), inside, fixed_variance=False)).all()
    with pytest.raises(Mistake, match="two models of each kind"):
        lira.lira_scores(target, shadows, np.ones((10, 6), dtype=bool), fixed_variance=True)


def leaking_signals(rng, n=2000, models=32, shift=3.0):
    """Each record has its own level (how easy it is), far wider than the shift that membership makes."""
    level = 6 * rng.normal(size=n)
    member, inside = rng.random(n) < 0.5, rng.random((models, n)) < 0.5
    return (
        level + shift * member + rng.normal(size=n),
        level + shift * inside + rng.normal(size=(models, n)),
        inside,
        member,
    )


@pytest.mark.parametrize("seed", range(5))
def test_lira_beats_a_global_threshold_where_false_alarms_are_rare(seed):
    target, shadows, inside, member = leaking_signals(numpy_generator(seed, "leak"))
    plain = tpr_at_fpr(target, member, 0.01).value
    out_only = np.where(inside, shadows - 3.0, shadows)  # what those models would say without the record
    for fixed in (True, False):
        assert (
            tpr_at_fpr(lira.lira_scores(target, shadows, inside, fixed_variance=fixed), member, 0.01).value
            > plain + 0.3
        )
        assert (
            tpr_at_fpr(lira.offline_lira_scores(target, out_only, fixed_variance=fixed), member, 0.01).value
            > plain + 0.3
        )


def test_lira_without_leak_only_guesses():
    target, shadows, inside, member = leaking_signals(numpy_generator(9, "leak"), shift=0.0)
    found = auc_interval(lira.lira_scores(target, shadows, inside, fixed_variance=True), member, 0.999)
    assert found.low < 0.5 < found.high


# ---- RMIA


def slow_rmia(target, prior, population, population_prior, gamma):
    """How many of the population each record dominates, from probabilities p(x) and the averages P(x)."""
    return [
        sum((p / own) / (q / other) >= gamma for q, other in zip(population, population_prior, strict=True))
        for p, own in zip(target, prior, strict=True)
    ]


def logit(p):
    return np.log(p / (1 - p))


def assert_counts_and_order(scores, expected, ratios, population):
    """The whole part of score·(z + 1) is the paper's count; records of one count keep the order of their ratios."""
    counted = np.floor(scores * (population + 1) + 1e-9)
    assert counted.tolist() == expected
    assert np.argsort(scores).tolist() == np.argsort(ratios).tolist() and len(np.unique(scores)) == len(scores)


@pytest.mark.parametrize(("gamma", "a"), [(1.0, 0.3), (2.0, 1.0), (1.3, 0.0)])
def test_offline_rmia_equals_a_slow_reading(gamma, a):
    rng = numpy_generator(0, "rmia")
    target, reference = rng.random(25), rng.random((4, 25))
    others, others_reference = rng.random(40), rng.random((4, 40))
    scores = rmia.rmia_scores(
        logit(target), logit(reference), logit(others), logit(others_reference), gamma=gamma, a=a
    )
    prior, others_prior = ([0.5 * ((1 + a) * sum(column) / 4 + (1 - a)) for column in some.T]
                           for some in (reference, others_reference))  # fmt: skip
    expected = slow_rmia(target, prior, others, others_prior, gamma)
    assert_counts_and_order(scores, expected, target / np.array(prior), 40)


@pytest.mark.parametrize("gamma", [1.0, 2.0])
def test_online_rmia_divides_record_and_population_by_the_same_average(gamma):
    """P = ½(mean with + mean without) of both; the population is the records themselves."""
    rng = numpy_generator(0, "rmia", "online")
    target, reference = rng.random(30), rng.random((6, 30))
    inside = np.tile(np.arange(6)[:, None] % 3 == 0, 30) ^ (rng.random(30) < 0.5)  # two models with, four without
    scores = rmia.online_rmia_scores(logit(target), logit(reference), inside, gamma=gamma)
    prior = []
    for column, with_x in zip(reference.T, inside.T, strict=True):
        kinds = [[p for p, one in zip(column, with_x, strict=True) if one == kind] for kind in (True, False)]
        prior.append(sum(sum(kind) / len(kind) for kind in kinds) / 2)
    assert_counts_and_order(scores, slow_rmia(target, prior, target, prior, gamma), target / np.array(prior), 30)


def test_online_rmia_does_not_tie_where_models_tell_nothing():
    """Models that are unsure of everybody, with or without them: divided unequally, all 400 came out on top."""
    rng = numpy_generator(2, "rmia")
    target, reference = rng.normal(size=400) - 2, rng.normal(size=(16, 400)) - 2
    scores = rmia.online_rmia_scores(target, reference, np.tile(np.arange(16)[:, None] % 2 == 0, 400))
    assert len(np.unique(scores)) == 400 and scores.min() < 0.01 and scores.max() > 0.99
    with pytest.raises(Mistake, match="a model that was trained on it and one that was not"):
        rmia.online_rmia_scores(target, reference, np.ones((16, 400), dtype=bool))


def test_rmia_tells_records_apart_where_every_probability_has_rounded_to_one():
    target, reference = np.array([40.0, 50, 60]), np.full((2, 3), 45.0)
    for scores in (
        rmia.rmia_scores(target, reference, np.array([47.0]), np.full((2, 1), 45.0)),
        rmia.online_rmia_scores(target, reference, np.array([[True] * 3, [False] * 3])),
    ):
        assert (np.diff(scores) > 0).all()


def test_rmia_finds_members_with_two_reference_models():
    rng = numpy_generator(1, "rmia")
    target, shadows, inside, member = leaking_signals(rng, models=2, shift=4.0)
    target_z, shadows_z, *_ = leaking_signals(rng, models=2, shift=0.0)
    out = np.where(inside, shadows - 4.0, shadows)
    scores = rmia.rmia_scores(target, out, target_z, shadows_z)
    assert auc(scores, member) > auc(target, member) + 0.05
    pair = np.stack([inside[0], ~inside[0]])  # a model with each record and one without
    shadows = np.where(inside == pair, shadows, shadows + np.where(pair, 4.0, -4.0))
    online = rmia.online_rmia_scores(target, shadows, pair)
    assert auc(online, member) > auc(target, member) + 0.05


def test_rmia_takes_probabilities_of_zero_and_one():
    never, always = np.full(3, -1e3), np.full(3, 1e3)
    for target in (never, always):
        for reference in (np.full((2, 3), -1e3), np.full((2, 3), 1e3)):
            assert np.isfinite(rmia.rmia_scores(target, reference, never, reference, a=1.0)).all()
            assert np.isfinite(rmia.online_rmia_scores(target, reference, np.array([[True] * 3, [False] * 3]))).all()

"""Larger units and bottlenecks, many models at once: each must be the very model that training it alone would give."""

import numpy as np
import pytest
import torch
from test_stacked import CLIP, HOW, SAME, SIGMA, M, N, double, either, every_model, orders, some_sets, start, weights

from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.units import units_from
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.training import plain, private, stacked
from dpmia_lab.training.bottleneck import bottleneck_objective, information, with_bottleneck

__all__ = ["double"]  # a fixture


# ---- larger units


def some_units(kind, sets):
    """Classes; or unlike many units of unlike sizes, some of a single record."""
    if kind == "classes":
        return [units_from(y.numpy()) for _, y in sets]
    drawn = [torch.randint(7 + 3 * i, (len(y),), generator=torch_generator(i)) for i, (_, y) in enumerate(sets)]
    return [units_from(own.numpy()) for own in drawn]


@either
@every_model
@pytest.mark.parametrize("kind", ["classes", "unlike units"])
def test_each_model_with_larger_units_is_the_one_trained_alone(kind, name, adam, double):
    dp, sets = DpSgd(SIGMA, 0.4, CLIP, 9), some_sets()
    units = some_units(kind, sets)
    found, alone = start(name), start(name)
    how = {"rate": HOW["rate"], "adam": adam}
    drain(stacked.train_privately(found, sets, dp, generators=orders(), units=units, **how))
    for model, own, divided, order in zip(alone, sets, units, orders(), strict=True):
        drain(private.train(model, *own, divided, dp, generator=order, **how))
    assert torch.allclose(weights(found), weights(alone), **SAME)
    assert (weights(found) - weights(start(name))).norm(dim=1).min() > 0.05


@pytest.mark.parametrize("q", [0.02, 1.0])
def test_units_that_nobody_or_everybody_draws(q, double):
    """At 0.02 of 4 classes most draws are empty; at 1 each class is larger than a Gram matrix is worth."""
    dp, sets = DpSgd(SIGMA, q, CLIP, 6), some_sets(n=200)
    units, found, alone = some_units("classes", sets), start("softmax"), start("softmax")
    drain(stacked.train_privately(found, sets, dp, rate=0.5, generators=orders(), adam=False, units=units))
    for model, own, divided, order in zip(alone, sets, units, orders(), strict=True):
        drain(private.train(model, *own, divided, dp, rate=0.5, generator=order))
    assert torch.allclose(weights(found), weights(alone), **SAME)


def test_single_records_as_units_are_what_is_trained_without_units(double):
    dp, sets = DpSgd(SIGMA, 0.3, CLIP, 8), some_sets()
    found, other = start(), start()
    drain(stacked.train_privately(found, sets, dp, rate=0.1, generators=orders()))
    units = [units_from(np.arange(N))] * M
    drain(stacked.train_privately(other, sets, dp, rate=0.1, generators=orders(), units=units))
    assert torch.allclose(weights(found), weights(other), **SAME)


def test_units_must_name_every_record():
    dp, units = DpSgd(SIGMA, 0.3, CLIP, 8), [units_from(np.arange(3))] * M
    with pytest.raises(Mistake, match="an owner for each of the 50 records; it names 3"):
        next(stacked.train_privately(start(), some_sets(), dp, rate=0.1, generators=orders(), units=units))


# ---- bottlenecks


def coded(name, count=M):
    """The models with a noisy code of 3 numbers before the last layer."""
    return [with_bottleneck(model, 3, torch_generator(i, "code")) for i, model in enumerate(start(name, count))]


@either
@pytest.mark.parametrize("name", ["softmax", "mlp", "tower"])
@pytest.mark.parametrize("lam", [0.0, 0.3])
def test_each_model_with_a_bottleneck_is_the_one_trained_alone(lam, name, adam, double):
    found, alone = coded(name), coded(name)
    drain(stacked.train(found, some_sets(), generators=orders(), **HOW, adam=adam, information=lam))
    for model, own, order in zip(alone, some_sets(), orders(), strict=True):
        drain(plain.train(model, *own, generator=order, **HOW, adam=adam, objective=bottleneck_objective(lam, 1)))
    assert torch.allclose(weights(found), weights(alone), **SAME)
    x = some_sets()[0][0]
    assert torch.equal(found[0](x).round(decimals=6), alone[0](x).round(decimals=6))  # generators stand alike too


def test_a_bottleneck_learns_less_about_records_where_that_weighs_more():
    told = []
    for lam in (0.0, 0.1, 1.0):
        found = coded("mlp")
        drain(stacked.train(found, some_sets(), generators=orders(), **HOW | {"epochs": 20}, information=lam))
        told.append(information(found[0], some_sets()[0][0]))
    assert told[0] > told[1] > told[2] > 0


def test_bottlenecks_stop_early_and_train_privately_as_alone(double):
    how = {"epochs": 12, "rate": 0.3, "batch": 16, "patience": 2, "adam": True}
    others = some_sets(n=30, seed=1)
    found, alone = coded("mlp"), coded("mlp")
    drain(stacked.train(found, some_sets(), generators=orders(), validations=others, **how))
    for model, own, order, validation in zip(alone, some_sets(), orders(), others, strict=True):
        drain(plain.train(model, *own, generator=order, validation=validation, **how))
    assert torch.allclose(weights(found), weights(alone), rtol=1e-6, atol=1e-7)
    found, alone, dp = coded("mlp"), coded("mlp"), DpSgd(SIGMA, 0.3, CLIP, 8)
    drain(stacked.train_privately(found, some_sets(), dp, rate=0.1, generators=orders()))
    for model, own, order in zip(alone, some_sets(), orders(), strict=True):
        drain(private.train(model, *own, units_from(np.arange(N)), dp, rate=0.1, generator=order, adam=True))
    assert torch.allclose(weights(found), weights(alone), **SAME)

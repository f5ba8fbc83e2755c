"""Engines refuse what cannot be meant, in one sentence that names the parameter, the rule and the value."""

import math

import numpy as np
import pytest
import torch

from dpmia_lab import models
from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.units import units_from
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.training import plain, private, span, stacked

N, CLASSES = 100, 3
DP = {"sigma": 1.0, "q": 0.5, "clip": 1.0, "steps": 1}


def records(n=N):
    return torch.randn(n, 8, generator=torch_generator(0)), torch.arange(n) % CLASSES


def fresh():
    return models.new_model("softmax", (8,), CLASSES, torch_generator(0))


def privately(x=None, y=None, owners=None, rate=0.1, momentum=0.0, **dp):
    owners = np.arange(N) if owners is None else owners
    x, y = records()[0] if x is None else x, records()[1] if y is None else y
    how = {"rate": rate, "momentum": momentum, "generator": torch_generator(0)}
    return private.train(fresh(), x, y, units_from(owners), DpSgd(**DP | dp), **how)


def plainly(x=None, y=None, **how):
    x, y = records()[0] if x is None else x, records()[1] if y is None else y
    return plain.train(fresh(), x, y, **{"epochs": 1, "rate": 0.1, "generator": torch_generator(0)} | how)


def in_span(y=None, rate=0.1, **dp):
    x, labels = records()
    labels = labels if y is None else y
    return span.train(span.span_of(x), labels, CLASSES, DpSgd(**DP | dp), rate=rate, generators=[torch_generator(0)])


def many(x=None, y=None, **how):
    x, y = records()[0] if x is None else x, records()[1] if y is None else y
    usual = {"epochs": 1, "rate": 0.1, "batch": 10, "generators": [torch_generator(0)]}
    return stacked.train([fresh()], [(x, y)], **usual | how)


def many_privately(x=None, y=None, rate=0.1, **dp):
    x, y = records()[0] if x is None else x, records()[1] if y is None else y
    return stacked.train_privately([fresh()], [(x, y)], DpSgd(**DP | dp), rate=rate, generators=[torch_generator(0)])


ENGINES = {"private": privately, "plain": plainly, "span": in_span, "stacked": many, "stacked private": many_privately}
PRIVATE = ("private", "span", "stacked private")


def refusal(engine, **given):
    """The sentence; training must not have begun."""
    with pytest.raises(Mistake) as refused:
        drain(ENGINES[engine](**given), on_event=lambda _: pytest.fail("it trained"))
    return str(refused.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_what_can_be_meant_is_trained(engine):
    drain(ENGINES[engine]())


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("rate", [0, -1, math.nan], ids=str)
def test_a_rate_is_positive(engine, rate):
    assert refusal(engine, rate=rate) == f"rate must be greater than 0; it is {rate}."


@pytest.mark.parametrize("engine", ENGINES)
def test_a_rate_is_finite(engine):
    assert refusal(engine, rate=math.inf) == "rate must be finite; it is inf."


@pytest.mark.parametrize("engine", PRIVATE)
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"sigma": -1}, "sigma must be 0 or more; it is -1."),
        ({"sigma": math.nan}, "sigma must be 0 or more; it is nan."),
        ({"q": 5}, "q must be from 0 to 1; it is 5."),
        ({"q": 0}, "q must be greater than 0; it is 0."),
        ({"q": math.nan}, "q must be from 0 to 1; it is nan."),
        ({"clip": 0}, "clip must be greater than 0; it is 0."),
        ({"clip": math.nan}, "clip must be greater than 0; it is nan."),
        ({"clip": math.inf}, "clip must be a number where there is noise; it is inf."),
        ({"steps": -1}, "steps must be a whole number from 0 to"),
    ],
    ids=str,
)
def test_the_noise_is_one_that_can_be_accounted_for(engine, given, words):
    assert refusal(engine, **given).startswith(words)


@pytest.mark.parametrize("owners", [3, 99, 101, 0])
def test_every_record_has_an_owner(owners):
    said = refusal("private", owners=np.arange(owners))
    assert said == f"units must name an owner for each of the 100 records; it names {owners}."


@pytest.mark.parametrize("engine", ENGINES)
def test_every_record_has_a_label(engine):
    assert refusal(engine, y=torch.zeros(3, dtype=torch.long)).startswith("y must have a label for each of the 100")


@pytest.mark.parametrize("engine", [engine for engine in ENGINES if engine != "span"])
def test_records_are_numbers(engine):
    x = records()[0]
    x[7, 2], x[9, 0] = math.nan, math.inf
    assert refusal(engine, x=x) == "x must hold finite numbers only; 2 of its 100 records do not."


@pytest.mark.parametrize("momentum", [-0.1, 1.5, math.nan], ids=str)
def test_momentum_is_a_share(momentum):
    assert refusal("private", momentum=momentum) == f"momentum must be from 0 to 1; it is {momentum}."


@pytest.mark.parametrize("engine", ["plain", "stacked"])
@pytest.mark.parametrize("given", [{"epochs": 0}, {"epochs": 2.5}, {"batch": 0}, {"decay": -1.0}], ids=str)
def test_plain_training_has_its_own_numbers(engine, given):
    (name, value), *_ = given.items()
    assert refusal(engine, **given).startswith(f"{name} must be ") and f"it is {value}." in refusal(engine, **given)

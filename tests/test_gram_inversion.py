"""Inversion on the Gram matrix draws the very pictures of the plain attack."""

import pytest
import torch
from torch import nn

from dpmia_lab import devices, models  # noqa: F401 (devices: one thread)
from dpmia_lab.attacks.inversion import gram, original
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import Progress, drain

MODELS, CLASSES, SHAPE = 3, 5, (1, 6, 7)


@pytest.fixture
def double():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def victims(scale):
    generator = torch_generator(0, "victims")
    weights = scale * torch.randn(MODELS, CLASSES, 42, generator=generator)
    return weights, torch.randn(MODELS, CLASSES, generator=generator), torch.rand(SHAPE, generator=generator)


def as_model(weight, bias, mean=None) -> nn.Sequential:
    model = models.softmax_regression(SHAPE, CLASSES)
    model[1].weight.data, model[1].bias.data = weight, bias
    return model if mean is None else models.centred(model, mean)


ATTACKS = {
    "to the last step": {"steps": 30, "rate": 0.01, "patience": 50},
    "to its goal": {"steps": 200, "rate": 0.3, "patience": 50, "goal": 0.2},
    "out of patience": {"steps": 200, "rate": 2.0, "patience": 5},
}


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("how", ATTACKS.values(), ids=ATTACKS)
@pytest.mark.parametrize("scale", [0.1, 2.0])  # gentle, and so steep that costs jump up and down
def test_it_is_the_plain_attack(double, scale, how, centred):
    weights, bias, mean = victims(scale)
    start = bias - weights @ mean.flatten() if centred else bias
    found = drain(gram.fredrikson(weights @ weights.mT, start, **how))
    pictures = found.a @ weights
    for i in range(MODELS):
        model = as_model(weights[i], bias[i], mean if centred else None)
        plain = drain(original.fredrikson(model, torch.arange(CLASSES), SHAPE, **how))
        assert torch.equal(found.steps[i], plain.steps)
        assert torch.allclose(found.cost[i], plain.cost, rtol=0, atol=1e-10)
        assert torch.allclose(pictures[i], plain.x.flatten(1), rtol=0, atol=1e-9)


def test_the_cases_stop_for_different_reasons(double):
    def stops(name, scale):
        weights, bias, _ = victims(scale)
        return drain(gram.fredrikson(weights @ weights.mT, bias, **ATTACKS[name]))

    assert (stops("to the last step", 0.1).steps == 30).all()
    at_goal = stops("to its goal", 0.1)
    assert at_goal.steps.median() < 200 and len(at_goal.steps.unique()) > 3
    impatient = stops("out of patience", 2.0)
    assert ((impatient.steps < 200) & (impatient.cost > 0)).any()


def test_costs_fall_and_the_least_is_kept():
    weights, bias, _ = victims(0.3)
    products, events = weights @ weights.mT, []
    found = drain(gram.fredrikson(products, bias, steps=60, rate=0.05), events.append)
    confidence = [event.values["confidence"] for event in events if isinstance(event, Progress)]
    assert confidence == sorted(confidence)
    again, _ = gram.cost_and_step(found.a, products, bias)
    assert torch.allclose(again, found.cost, atol=1e-5)
    assert events[-1].done == events[-1].total == 60

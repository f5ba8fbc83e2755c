"""Training: optimizers against torch.optim, and what a trained model can do."""

import numpy as np
import pytest
import torch
from torch.nn import functional as F

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab import models
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import Progress, drain
from dpmia_lab.training.optimizers import Adam, Momentum
from dpmia_lab.training.plain import confidences, train

THEIRS = {
    "momentum": (Momentum, lambda p, rate, decay: torch.optim.SGD(p, rate, momentum=0.9, weight_decay=decay)),
    "adam": (Adam, lambda p, rate, decay: torch.optim.Adam(p, rate, weight_decay=decay)),
}


def random_batch(seed, shape=(1, 8, 8), n=32, classes=4):
    generator = torch_generator(seed, "batch")
    x = torch.rand(n, *shape, generator=generator)
    return x, torch.randint(classes, (n,), generator=generator)


@pytest.mark.parametrize("decay", [0.0, 0.05])
@pytest.mark.parametrize("name", THEIRS)
def test_optimizers_equal_those_of_pytorch(name, decay):
    ours, theirs = THEIRS[name]
    one, other = (models.mlp((1, 8, 8), 4, torch_generator(0, "start")) for _ in range(2))
    mine, yours = ours(one.parameters(), 0.05, decay), theirs(other.parameters(), 0.05, decay)
    for step in range(20):
        x, y = random_batch(step)
        mine.step(torch.autograd.grad(F.cross_entropy(one(x), y), mine.parameters))
        yours.zero_grad()
        F.cross_entropy(other(x), y).backward()
        yours.step()
    for a, b in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", [Momentum, Adam])
def test_decay_pulls_weights_towards_zero(kind):
    weight = torch.ones(3)
    optimizer = kind([weight], 0.1, decay=1.0)
    for _ in range(5):
        optimizer.step([torch.zeros(3)])
    assert (weight < 1).all()


@pytest.mark.parametrize("kind", [Momentum, Adam])
def test_without_gradient_and_decay_nothing_moves(kind):
    weight = torch.ones(3)
    kind([weight], 0.1).step([torch.zeros(3)])
    assert torch.equal(weight, torch.ones(3))


@pytest.mark.parametrize("kind", [Momentum, Adam])
def test_an_optimizer_wants_one_gradient_a_parameter(kind):
    with pytest.raises(ValueError):
        kind([torch.ones(3), torch.ones(2)], 0.1).step([torch.zeros(3)])


def trained(adam=False, seed=0, epochs=4, events=None, **how):
    x, y = random_batch(0, n=50)
    model = models.mlp((1, 8, 8), 4, torch_generator(seed, "start"))
    order = torch_generator(seed, "order")
    stage = train(model, x, y, epochs=epochs, rate=0.01, generator=order, batch=16, adam=adam, **how)
    return drain(stage, (events if events is not None else []).append)


@pytest.mark.parametrize("adam", [False, True])
def test_training_is_the_textbook_loop(adam):
    """The same with torch.optim and indices written out; the last batch of an epoch is a small one."""
    x, y = random_batch(0, n=50)
    model = models.mlp((1, 8, 8), 4, torch_generator(0, "start"))
    optimizer = THEIRS["adam" if adam else "momentum"][1](model.parameters(), 0.01, 0.001)
    order = torch_generator(0, "order")
    for _ in range(4):
        shuffled = torch.randperm(50, generator=order).tolist()
        for batch in (shuffled[:16], shuffled[16:32], shuffled[32:48], shuffled[48:]):
            optimizer.zero_grad()
            F.cross_entropy(model(x[batch]), y[batch]).backward()
            optimizer.step()
    for a, b in zip(trained(adam, decay=0.001).parameters(), model.parameters(), strict=True):
        assert torch.allclose(a, b, rtol=1e-4, atol=1e-6)


def test_there_is_one_event_a_mini_batch():
    events = []
    trained(events=events)
    assert [event.done for event in events] == list(range(1, 17))
    assert all(isinstance(event, Progress) and event.total == 16 for event in events)
    assert [event.values["epoch"] for event in events] == np.repeat([1, 2, 3, 4], 4).tolist()
    assert all(type(event.values["loss"]) is float for event in events)


def test_training_leaves_no_gradients_behind():
    assert all(p.grad is None and p.requires_grad for p in trained().parameters())


def test_training_twice_gives_the_same_bits_and_another_seed_others():
    one, same, other = trained(), trained(), trained(seed=1)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), same.parameters(), strict=True))
    assert not any(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


@pytest.mark.parametrize("adam", [False, True])
def test_a_separable_set_is_learnt(adam):
    y = torch.arange(40) % 4
    x = torch.zeros(40, 1, 8, 8)
    x[torch.arange(40), 0, y, y] = 1.0
    model = models.softmax_regression((1, 8, 8), 4)
    drain(train(model, x, y, epochs=30, rate=0.1, generator=torch_generator(0), batch=8, adam=adam))
    assert (confidences(model, x).argmax(1) == y).all()


def test_confidences_are_the_softmax_whatever_the_batch():
    model, (x, _) = trained(), random_batch(5, n=11)
    whole = confidences(model, x)
    assert torch.allclose(whole, F.softmax(model(x), dim=1).detach(), atol=1e-6)
    assert torch.allclose(whole, confidences(model, x, batch=4), atol=1e-6)
    assert torch.allclose(whole.sum(1), torch.ones(11))
    assert not whole.requires_grad

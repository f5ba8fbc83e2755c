"""One step taken apart: against autograd, against the photograph itself, and against simulated observers."""

from statistics import NormalDist

import numpy as np
import pytest
import torch
from torch import nn

from dpmia_lab.data import load, public_mean
from dpmia_lab.experiments import one_step as o
from dpmia_lab.stages import Progress, drain


@pytest.fixture(scope="module")
def step():
    events = []
    made = drain(o.one_step(), events.append)
    assert events and all(isinstance(event, Progress) for event in events)
    return made


def autograd_gradient(picture, label, mean, classes):
    """(classes, pixels + 1) of one photograph's cross-entropy at weights 0, by PyTorch's own differentiation."""
    weight = torch.zeros(classes, picture.size, requires_grad=True)
    bias = torch.zeros(classes, requires_grad=True)
    logits = weight @ torch.from_numpy((picture - mean).ravel()) + bias
    nn.functional.cross_entropy(logits[None], torch.tensor([label])).backward()
    return torch.cat([weight.grad, bias.grad[:, None]], 1).numpy()


def test_the_sum_is_that_of_clipped_autograd_gradients():
    data = load("faces", people=5, height=24, seed=1)
    mean = public_mean("faces", data.shape)
    total, norms = o.clipped_sum(data.train_x, data.train_y, mean, data.classes)
    each = [autograd_gradient(x, int(y), mean, data.classes) for x, y in zip(data.train_x, data.train_y, strict=True)]
    lengths = np.array([np.linalg.norm(g) for g in each])
    wanted = sum(g * min(1, o.CLIP / length) for g, length in zip(each, lengths, strict=True))
    np.testing.assert_allclose(norms, lengths, rtol=1e-4)  # sums of some hundred 32-bit products
    np.testing.assert_allclose(total, wanted, atol=1e-5)


def test_what_differs_is_the_clipped_gradient_of_the_photograph(step):
    for who in range(o.SHOWN):
        own = autograd_gradient(step.photographs[who], who, step.mean, o.PEOPLE)
        length = np.linalg.norm(own)
        assert step.norms[who] == pytest.approx(length, rel=1e-4)
        wanted = own[who] * min(1, o.CLIP / length)
        # A difference of two sums over some 70 rows keeps about five digits of its largest entries.
        np.testing.assert_allclose(step.with_them[who] - step.without_them[who], wanted, atol=2e-5)


def test_without_noise_the_photograph_is_read_off_exactly(step):
    for who in range(o.SHOWN):
        own = step.with_them[who] - step.without_them[who]
        seen = o.observed_picture(own, own, step.mean)
        assert np.abs(seen - step.photographs[who]).max() < 1e-3  # a quarter of a grey level


def test_a_little_noise_drowns_the_face(step):
    def likeness(sigma):
        own = step.with_them[0] - step.without_them[0]
        seen = o.observed_picture(own + sigma * o.unit_noise(len(own), 0), own, step.mean)
        return np.corrcoef(seen.ravel(), step.photographs[0].ravel())[0, 1]

    values = [likeness(sigma) for sigma in (0.0, 0.01, 0.03, 0.1, 1.0)]
    assert values == sorted(values, reverse=True)
    assert values[0] > 0.999 and values[-1] < 0.1


def test_every_shown_person_is_in_the_step(step):
    assert len(step.names) == o.SHOWN and step.joined < 7 * o.PEOPLE
    labels = np.repeat(np.arange(10), 3)
    for seed in range(20):
        joined = o.joined_records(labels, np.random.default_rng(seed))
        assert set(range(o.SHOWN)) <= set(labels[joined])


@pytest.mark.parametrize("sigma", [0.3, 0.5, 1.0, 3.0])
def test_the_best_chance_is_that_of_a_simulated_observer(sigma):
    rng = np.random.default_rng(7)
    tries = 40_000
    there = rng.random(tries) < 0.5
    length = there + sigma * rng.standard_normal(tries)  # along the photograph's own direction, in units of S
    right = np.mean((length > 0.5) == there)
    assert right == pytest.approx(o.best_chance(sigma), abs=0.0125)  # five standard errors
    assert o.best_chance(sigma) == pytest.approx(NormalDist().cdf(1 / (2 * sigma)), rel=1e-12)


def test_the_best_chance_goes_from_certainty_to_guessing():
    values = [o.best_chance(sigma) for sigma in (0.0, 0.1, 1.0, 10.0, 1e6)]
    assert values[0] == 1 and values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(0.5, abs=1e-6)


def test_pictures_stay_between_black_and_white(step):
    row = step.with_them[0] + 5 * o.unit_noise(step.with_them.shape[1], 1)
    for picture in (
        o.sent_picture(row, step.mean.shape),
        o.observed_picture(row, step.with_them[0], step.mean),
        o.sent_picture(np.zeros_like(row), step.mean.shape),
    ):
        assert picture.shape == step.mean.shape
        assert picture.min() >= 0 and picture.max() <= 1


def test_the_same_seed_gives_the_same_step(step):
    again = drain(o.one_step())
    assert np.array_equal(step.with_them, again.with_them) and np.array_equal(step.without_them, again.without_them)
    assert np.array_equal(o.unit_noise(5, 3), o.unit_noise(5, 3))
    assert not np.array_equal(o.unit_noise(5, 3), o.unit_noise(5, 4))

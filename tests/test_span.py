"""Training in the span of the inputs is DP-SGD itself: the same weights from the same noise, the same distribution."""

import math

import pytest
import torch

from dpmia_lab import devices, models  # noqa: F401 (devices: one thread)
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.units import units_from
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.training import private, span
from dpmia_lab.training.span import Descent, Draws, across_deviation, full_weights, span_of, train

N, D, CLASSES = 12, 30, 4


def inputs(n=N, d=D, dtype=torch.float64, classes=CLASSES):
    generator = torch_generator(0, "inputs")
    return torch.randn(n, d, generator=generator, dtype=dtype), torch.arange(n) % classes


def trained_in_full(x, y, dp, rate, generator, classes=CLASSES):
    """By the lab's ordinary private training: weights (classes, d) and bias."""
    model = models.softmax_regression(x.shape[1:], classes).to(x.dtype)
    drain(private.train(model, x, y, units_from(range(len(x))), dp, rate=rate, generator=generator))
    return model[1].weight.detach(), model[1].bias.detach()


@pytest.mark.parametrize("clip", [0.5, 4.0, 100.0])  # all gradients clipped, some, none
@pytest.mark.parametrize("q", [0.1, 0.5, 1.0])  # with q = .1 a step may have nobody
def test_the_same_noise_gives_the_same_weights(clip, q):
    (x, y), dp, rate = inputs(), DpSgd(0.7, q, clip, steps=25), 0.3
    weight, bias = trained_in_full(x, y, dp, rate, torch_generator(1))
    own, basis = torch_generator(1), span_of(x).basis
    descent = Descent(span_of(x), y, CLASSES, dp, rate, models=1)
    across = torch.zeros(CLASSES, D, dtype=torch.float64)
    for _ in range(dp.steps):
        joins = torch.rand(N, generator=own, dtype=torch.float64) < q
        noise = torch.randn(CLASSES, D, generator=own, dtype=torch.float64)
        noise_bias = torch.randn(CLASSES, generator=own, dtype=torch.float64)
        within = torch.cat([(noise @ basis).T, noise_bias[None]])
        descent.step(*span.packed(joins[None]), within[None])
        across -= descent.scale * dp.sigma * dp.clip * (noise - noise @ basis @ basis.T)
    found, found_bias = full_weights(span_of(x), descent.weights, 0.0, [own])
    assert torch.allclose(found[0] + across, weight, rtol=0, atol=1e-11)
    assert torch.allclose(found_bias[0], bias, rtol=0, atol=1e-11)


def test_many_models_at_once_are_each_as_alone(monkeypatch):
    (x, y), dp = inputs(dtype=torch.float32), DpSgd(1.0, 0.3, 2.0, steps=40)

    def trained(numbers):
        own = [torch_generator(2, i) for i in numbers]
        return drain(train(span_of(x), y, CLASSES, dp, rate=0.1, generators=own))

    together = trained(range(5))
    for i in range(5):
        assert torch.allclose(together[i], trained([i])[0], atol=1e-5)
    monkeypatch.setattr(span, "AT_ONCE", 2 * N * CLASSES)
    assert torch.allclose(together, trained(range(5)), atol=1e-5)
    assert (together[0] - together[1]).abs().max() > 0.1


def test_noise_across_the_span_adds_up_to_what_is_drawn_once():
    """Its variance after T ordinary steps, 1185 numbers: one in a hundred thousand would be further off."""
    x, y = inputs(5, 400, classes=3)
    dp, rate = DpSgd(1.5, 0.4, 2.0, steps=20), 0.2
    deviation, basis = across_deviation(dp, 5, rate), span_of(x).basis
    weight, _ = trained_in_full(x, y, dp, rate, torch_generator(3), classes=3)
    drawn, _ = full_weights(span_of(x), torch.zeros(1, 6, 3, dtype=torch.float64), deviation, [torch_generator(4)])
    for full in (weight, drawn[0]):
        across = full - full @ basis @ basis.T
        assert float(across.square().sum()) / (3 * 395) == pytest.approx(deviation**2, rel=0.18)
        assert abs(across.sum() / math.sqrt(3 * 395)) < 4.5 * deviation
    assert deviation == pytest.approx(math.sqrt(20) * 0.2 * 1.5 * 2.0 / (0.4 * 5))


def test_within_the_span_the_distribution_is_that_of_ordinary_training():
    """Mean and spread of one logit over 300 models, half trained in full: within five standard errors."""
    x, y = inputs(6, 20, torch.float32, classes=3)
    dp, rate = DpSgd(1.0, 0.5, 1.0, steps=6), 0.5
    own = [torch_generator(5, i) for i in range(150)]
    there = drain(train(span_of(x), y, 3, dp, rate=rate, generators=own))
    ours = (span_of(x).coordinates[0] @ there)[:, 0]
    full = [trained_in_full(x, y, dp, rate, torch_generator(6, i), classes=3) for i in range(150)]
    theirs = torch.stack([weight[0] @ x[0] + bias[0] for weight, bias in full])
    error = math.hypot(ours.std() / 150**0.5, theirs.std() / 150**0.5)
    assert abs(ours.mean() - theirs.mean()) < 5 * error
    assert float(ours.std()) == pytest.approx(float(theirs.std()), rel=0.4)


def test_weights_put_back_keep_their_part_within_the_span():
    x, _ = inputs()
    one = span_of(x)
    weights = torch.randn(2, one.size, CLASSES, generator=torch_generator(7), dtype=torch.float64)
    full, bias = full_weights(one, weights, 3.0, [torch_generator(8, i) for i in range(2)])
    assert torch.allclose(full @ one.basis, weights[:, :-1].mT, atol=1e-10)
    assert torch.equal(bias, weights[:, -1])
    logits = x @ full.mT + bias[:, None]
    assert torch.allclose(logits, one.coordinates @ weights, atol=1e-9)
    assert (full[0] - full[1]).std() > 1


def test_the_span_of_the_inputs():
    x, _ = inputs()
    one = span_of(x)
    assert one.basis.shape == (D, N) and one.size == N + 1
    assert torch.allclose(one.basis.T @ one.basis, torch.eye(N, dtype=torch.float64), atol=1e-12)
    assert torch.allclose(one.coordinates[:, :-1] @ one.basis.T, x, atol=1e-10)
    assert torch.equal(one.coordinates_of(x)[:, -1], torch.ones(N, dtype=torch.float64))
    assert torch.allclose(one.coordinates_of(x), one.coordinates, atol=1e-10)
    twice = span_of(torch.cat([x, x[:3]]))  # pictures that occur twice add no dimension
    assert twice.basis.shape == (D, N)
    assert span_of(x[:, :8]).basis is None and span_of(x[:, :8]).size == 9


def test_a_step_without_noise_moves_by_the_clipping_norm_bias_included():
    (x, y), dp, rate = inputs(), DpSgd(0.0, 1.0, 0.5, steps=1), 0.1
    descent = Descent(span_of(x), y, CLASSES, dp, rate, models=1)
    descent.step(torch.tensor([[3]]), torch.tensor([[True]]), None)
    assert float(descent.weights.norm()) == pytest.approx(rate * 0.5 / N)
    before = descent.weights.clone()
    descent.step(torch.tensor([[3]]), torch.tensor([[False]]), None)  # padding does nothing
    descent.step(torch.zeros(1, 0, dtype=torch.long), torch.zeros(1, 0, dtype=torch.bool), None)  # nor does nobody
    assert torch.equal(descent.weights, before)


def test_everybody_joins_with_chance_q_by_the_models_own_generators():
    draws = Draws([torch_generator(9, i) for i in range(3)], 50, 0.2, (2, 2))
    steps = [step for step, _ in zip(draws.joined(), range(200), strict=False)]
    counts = torch.zeros(3, 50)
    for chosen, present in steps:
        for model in range(3):
            records = chosen[model][present[model]]
            assert len(records.unique()) == len(records)
            counts[model, records] += 1
    assert float(counts.mean()) / 200 == pytest.approx(0.2, abs=0.012)  # five standard errors
    assert (counts / 200 - 0.2).abs().max() < 0.15
    assert len({tuple(row.tolist()) for row in counts}) == 3
    assert draws.noise().shape == (3, 2, 2) and draws.noise().unique().numel() == 12

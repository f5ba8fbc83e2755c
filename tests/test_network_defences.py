"""Defences of a network's answers: MID against its closed forms and its limits, and what each rival tells."""

import math
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab import devices, models  # noqa: F401 (one thread)
from dpmia_lab.checks import Mistake
from dpmia_lab.defences.base import Recipe, Task, TrainingSet
from dpmia_lab.defences.networks import (
    NETWORK_DEFENCES,
    DpSgd,
    Dropout,
    EarlyStopping,
    LabelOnly,
    LabelSmoothing,
    Mid,
    Rounding,
    Undefended,
    UniformNoise,
)
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.training import bottleneck, plain

TASK = Task("pictures", (1, 8, 8), 4, "mlp", width=10)
RECIPE = Recipe(epochs=6, rate=0.02, batch=8)
every_defence = pytest.mark.parametrize("defence", [kind() for kind in NETWORK_DEFENCES.values()], ids=NETWORK_DEFENCES)


def some_records(n=32):
    x = torch.rand(n, 1, 8, 8, generator=torch_generator(0))
    return TrainingSet(x, torch.arange(n) % 4)


def trained(defence, recipe=RECIPE, task=TASK, seed=1):
    model = defence.fresh_model(task, torch_generator(seed, "start"))
    drain(defence.train(model, some_records(), recipe, torch_generator(seed, "order")))
    return model.eval()


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


CONFIDENCES = np.array([[0.62, 0.3, 0.05, 0.03], [0.1, 0.2, 0.3, 0.4]], dtype=np.float32)


# ---- the contract
@every_defence
def test_a_defence_is_frozen_and_says_what_it_is(defence):
    assert defence.title and defence.words() and "\n" not in defence.words()
    for name in ([f.name for f in fields(defence)] or ["anything"])[:1]:
        with pytest.raises((FrozenInstanceError, TypeError)):
            setattr(defence, name, 1)


def test_no_two_defences_say_the_same():
    kinds = NETWORK_DEFENCES.values()
    assert len({kind().words() for kind in kinds}) == len({kind.title for kind in kinds}) == len(NETWORK_DEFENCES)


@every_defence
def test_training_changes_the_network_only_where_the_defence_says_so(defence):
    same = len(weights(trained(defence))) == len(weights(trained(Undefended()))) and torch.equal(
        weights(trained(defence)), weights(trained(Undefended()))
    )
    assert same != defence.changes_training


@every_defence
def test_the_same_seed_gives_the_same_bits(defence):
    assert torch.equal(weights(trained(defence)), weights(trained(defence)))


@every_defence
def test_what_is_told_keeps_its_shape_and_is_told_anew_only_where_the_defence_says_so(defence):
    rng = numpy_generator(0)
    one, other = defence.told(CONFIDENCES, rng), defence.told(CONFIDENCES, rng)
    assert one.shape == CONFIDENCES.shape and one.dtype == np.float32 and one.min() >= 0
    model = trained(defence)
    said = [model(some_records().x) for _ in range(2)]
    assert (not np.array_equal(one, other) or not torch.equal(*said)) == defence.draws_anew


WRONG = [
    (Mid, {"lam": -1.0}, "lam must be from 0 to 100; it is -1.0."),
    (Mid, {"code": 0}, "code must be a whole number from 1 to 1024; it is 0."),
    (Mid, {"draws": 0}, "draws must be a whole number from 1 to 64; it is 0."),
    (DpSgd, {"sigma": 0.0}, "sigma must be from 0.01 to 1000; it is 0.0."),
    (DpSgd, {"clip": 0.0}, "clip must be greater than 0; it is 0.0."),
    (EarlyStopping, {"kept": 0.0}, "kept must be from 0.01 to 1; it is 0.0."),
    (Dropout, {"dropout": 1.0}, "dropout must be from 0 to 0.95; it is 1.0."),
    (LabelSmoothing, {"smoothing": -0.6}, "smoothing must be from -0.5 to 0.95; it is -0.6."),
    (Rounding, {"rounding": 0.0}, "rounding must be from 1e-09 to 0.5; it is 0.0."),
    (UniformNoise, {"noise": 1.5}, "noise must be from 0 to 1; it is 1.5."),
]


@pytest.mark.parametrize(("kind", "wrong", "sentence"), WRONG)
def test_nonsense_is_refused_in_one_sentence(kind, wrong, sentence):
    with pytest.raises(Mistake) as refusal:
        kind(**wrong)
    assert str(refusal.value) == sentence


# ---- MID
def test_kl_in_closed_form_is_that_of_monte_carlo():
    mean, deviation = torch.tensor([[0.5, -1.0, 0.0]]), torch.tensor([[0.3, 1.5, 1.0]])
    z = mean + deviation * torch.randn(400_000, 3, generator=torch_generator(0))
    own = torch.distributions.Normal(mean, deviation, validate_args=False).log_prob(z).sum(1)
    standard = torch.distributions.Normal(0.0, 1.0, validate_args=False).log_prob(z).sum(1)
    exact = float(bottleneck.kl_to_standard(mean, deviation)[0])
    assert exact == pytest.approx(float((own - standard).mean()), abs=0.01)
    assert float(bottleneck.kl_to_standard(torch.zeros(1, 4), torch.ones(1, 4))[0]) == 0.0


@pytest.mark.parametrize("name", ["softmax", "mlp", "cnn"])
def test_without_noise_and_weight_the_bottleneck_is_a_plain_network(name):
    """λ = 0 and s → 0: the same loss, the same gradient, hence the same training, as of layers without any draw."""
    task = Task("pictures", (1, 8, 8), 4, name, width=10)
    model = Mid(lam=0.0).fresh_model(task, torch_generator(1))
    place = bottleneck.place_of(model)
    with torch.no_grad():
        model[place].head.bias[model[place].code :] = -200.0
        model[place].head.weight[model[place].code :] = 0.0
    plain_one, records = bottleneck.through_mean(model), some_records()
    parameters = list(model.parameters())
    losses = [
        bottleneck.bottleneck_loss(model, records.x, records.y, weight=0.0, draws=1),
        F.cross_entropy(plain_one(records.x), records.y),
    ]
    assert float(losses[0].detach()) == pytest.approx(float(losses[1].detach()), abs=1e-6)
    ours, theirs = (torch.autograd.grad(loss, parameters, allow_unused=True) for loss in losses)
    for a, b in zip(ours, theirs, strict=True):
        assert torch.allclose(a, b, atol=1e-6)
    assert torch.allclose(model(records.x), plain_one(records.x), atol=1e-6)


def test_the_mean_path_shares_its_weights_and_a_plain_network_is_its_own():
    model = Mid().fresh_model(TASK, torch_generator(1))
    ours = {id(p) for p in model.parameters()}
    assert {id(p) for p in bottleneck.through_mean(model).parameters()} == ours
    plain_one = Undefended().fresh_model(TASK, torch_generator(1))
    assert bottleneck.through_mean(plain_one) is plain_one


def test_noise_is_small_at_the_start_and_drawn_in_eval_mode_too():
    model = Mid().fresh_model(TASK, torch_generator(1)).eval()
    place, x = bottleneck.place_of(model), some_records().x
    _, deviation = model[place].distribution(model[:place](x))
    assert 0.003 < float(deviation.detach().mean()) < 0.02
    assert not torch.equal(model(x), model(x))


def test_more_weight_lets_a_code_tell_less_and_more_draws_change_only_the_noise():
    x = some_records().x
    longer = replace(RECIPE, epochs=40)
    told = [bottleneck.information(trained(Mid(lam=lam), longer), x) for lam in (0.0, 0.1, 1.0)]
    assert told[0] > told[1] > told[2] >= 0
    model = Mid().fresh_model(TASK, torch_generator(1))
    one, many = (
        np.mean([float(bottleneck.bottleneck_loss(model, x, some_records().y, weight=0.1, draws=draws).detach())
                 for _ in range(20)]) for draws in (1, 8)
    )  # fmt: skip
    assert one == pytest.approx(many, rel=0.01)


def test_mid_is_stacked_where_it_draws_one_code():
    assert Mid().stacks(Mid().fresh_model(TASK, torch_generator(0)))
    assert not Mid(draws=2).stacks(Mid().fresh_model(TASK, torch_generator(0)))
    assert not LabelSmoothing().stacks(Undefended().fresh_model(TASK, torch_generator(0)))
    assert Undefended().stacks(Undefended().fresh_model(TASK, torch_generator(0)))


# ---- rivals
@pytest.mark.parametrize("smoothing", [0.0, 0.3, -0.05])
def test_smoothed_labels(smoothing):
    model = nn.Sequential(nn.Flatten(), models.initialised(nn.Sequential(models.Linear(64, 4)), torch_generator(0))[0])
    records = some_records()
    wanted = (1 - smoothing) * np.eye(4)[records.y.numpy()] + smoothing / 4
    log_p = F.log_softmax(model(records.x), dim=1).detach().numpy()
    ours = float(plain.smoothed_cross_entropy(model, records.x, records.y, smoothing=smoothing).detach())
    assert ours == pytest.approx(-(wanted * log_p).sum(1).mean(), rel=1e-5)
    if smoothing >= 0:
        theirs = F.cross_entropy(model(records.x), records.y, label_smoothing=smoothing)
        assert ours == pytest.approx(float(theirs.detach()), rel=1e-5)


def test_answers_that_are_rounded_noisy_or_a_label():
    rng = numpy_generator(0)
    assert Rounding(0.5).told(CONFIDENCES, rng) == pytest.approx(np.array([[0.5, 0.5, 0, 0], [0, 0, 0.5, 0.5]]))
    assert LabelOnly().told(CONFIDENCES, rng).tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]
    noisy = np.stack([UniformNoise(0.02).told(CONFIDENCES, rng) for _ in range(200)])
    assert np.abs(noisy - CONFIDENCES).max() <= 0.02 and noisy.mean(0) == pytest.approx(CONFIDENCES, abs=0.005)
    assert UniformNoise(1.0).told(np.zeros((50, 4), np.float32), rng).min() == 0.0


def test_early_stopping_keeps_its_share_of_the_epochs():
    assert EarlyStopping(0.5).changed(RECIPE).epochs == 3
    assert EarlyStopping(0.01).changed(RECIPE).epochs == 1


def test_only_dp_sgd_promises_and_disturbs_later_updates():
    for kind in NETWORK_DEFENCES.values():
        promise, noise = kind().promise(TASK, RECIPE, 32), kind().update_noise()
        if kind is DpSgd:
            assert (promise.unit, promise.delta) == ("record", 1 / 32) and noise == (1.0, 0.5)
        else:
            assert promise is None and noise == (math.inf, 0.0)

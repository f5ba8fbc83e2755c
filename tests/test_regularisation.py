"""Ordinary remedies against overfitting: dropout, early stopping, augmentation, frozen layers."""

import copy
import subprocess
import sys

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab import models
from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.clipping import Clipper
from dpmia_lab.privacy.groups import Groups
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import drain
from dpmia_lab.training.augmentation import TOGETHER, moved
from dpmia_lab.training.plain import confidences, train
from dpmia_lab.training.stopping import Stopping

CLASSES = 3


def small_set(n=40, shape=(6,), seed=0):
    generator = torch_generator(seed, "set")
    return torch.rand(n, *shape, generator=generator), torch.randint(CLASSES, (n,), generator=generator)


def start(dropout=0.0, seed=0):
    return models.new_model("mlp", (6,), CLASSES, torch_generator(seed, "start"), width=16, dropout=dropout)


def weights(model):
    return torch.cat([p.detach().flatten() for p in model.parameters()])


def trained(model, epochs=3, events=None, **how):
    order = torch_generator(0, "order")
    stage = train(model, *small_set(), epochs=epochs, rate=0.05, batch=8, adam=True, generator=order, **how)
    return drain(stage, (events if events is not None else []).append)


# ---- models


def test_width_and_shape_are_free():
    model = models.new_model("mlp", (600,), 7, torch_generator(0), width=32)
    assert [tuple(p.shape) for p in model.parameters()] == [(32, 600), (32,), (7, 32), (7,)]
    assert model(torch.rand(2, 600)).shape == (2, 7)


def test_the_start_does_not_depend_on_dropout():
    assert torch.equal(weights(start()), weights(start(dropout=0.5)))


@pytest.mark.parametrize("name", ["softmax", "mlp", "cnn"])
def test_every_model_can_have_dropout_before_its_last_layer(name):
    model = models.new_model(name, (1, 8, 8), CLASSES, torch_generator(0), dropout=0.2)
    assert isinstance(model[-2], models.Dropout) and model(torch.rand(2, 1, 8, 8)).shape == (2, CLASSES)


# ---- dropout


def test_dropout_leaves_out_a_share_and_keeps_the_mean():
    layer, n = models.Dropout(0.3, torch_generator(0)), 200_000
    x = layer(torch.ones(n))
    assert x.unique().tolist() == [0.0, pytest.approx(1 / 0.7)]
    assert float((x == 0).float().mean()) == pytest.approx(0.3, abs=5 * (0.3 * 0.7 / n) ** 0.5)
    assert float(x.mean()) == pytest.approx(1, abs=5 * (0.3 / 0.7 / n) ** 0.5)


def test_dropout_draws_from_its_generator_and_only_in_training():
    before, x = torch.random.get_rng_state(), torch.rand(50, generator=torch_generator(1))
    one, same, other = (models.Dropout(0.5, torch_generator(seed)) for seed in (0, 0, 1))
    first = one(x)
    assert torch.equal(first, same(x)) and not torch.equal(first, other(x)) and not torch.equal(first, one(x))
    assert torch.equal(one.eval()(x), x)
    assert torch.equal(before, torch.random.get_rng_state())


def test_a_copy_has_a_generator_of_its_own():
    layer = models.Dropout(0.5, torch_generator(0))
    layer(torch.ones(9))
    again = copy.deepcopy(layer)
    assert torch.equal(layer(torch.ones(99)), again(torch.ones(99)))


def test_dropout_must_be_a_share():
    with pytest.raises(Mistake, match="dropout must be"):
        models.Dropout(1.0, torch_generator(0))


def test_training_uses_dropout_and_ends_without():
    before = torch.random.get_rng_state()
    model, again, without = trained(start(0.5)), trained(start(0.5)), trained(start())
    assert torch.equal(weights(model), weights(again)) and not torch.isclose(weights(model), weights(without)).all()
    assert not any(layer.training for layer in model.modules())
    assert torch.equal(before, torch.random.get_rng_state())


def test_confidences_are_without_dropout_whatever_the_mode():
    model, (x, _) = start(0.5), small_set()
    model[1].eval()
    modes = [layer.training for layer in model.modules()]
    assert torch.equal(confidences(model, x), confidences(model, x))
    assert [layer.training for layer in model.modules()] == modes


def test_private_training_accepts_it_as_each_record_has_its_own_mask():
    """Every record's gradient, under the mask it was given, is clipped by its own norm."""
    (x, y), clip = small_set(7), 0.3
    model = start(0.5)
    reference = copy.deepcopy(model)
    found = Clipper(model).clipped_sum(x, y, Groups(torch.ones(7, dtype=torch.long)), clip)
    losses = F.cross_entropy(reference(x), y, reduction="none")
    rows = [torch.autograd.grad(loss, list(reference.parameters()), retain_graph=True) for loss in losses]
    each = torch.stack([torch.cat([g.flatten() for g in row]) for row in rows])
    assert torch.allclose(found.norms, each.norm(dim=1), rtol=1e-4)
    wanted = (each * (clip / each.norm(dim=1, keepdim=True)).clamp(max=1)).sum(0)
    assert torch.allclose(torch.cat([g.flatten() for g in found.gradients]), wanted, atol=1e-5)


# ---- early stopping


def test_the_weights_of_the_best_epoch_come_back_by_hand():
    """Two models, patience 2. The second stops first, and what it would have reached later does not count."""
    weight = torch.zeros(2, 1)
    stopping = Stopping([weight], patience=2)
    ends = []
    for epoch, losses in enumerate([[3, 1], [2, 2], [4, 1.5], [1, 0.5], [1, 0.1], [1.5, 0.1]], 1):
        weight.fill_(epoch)
        ends.append(stopping.after_epoch(torch.tensor(losses)))
    assert ends == [False] * 5 + [True]
    stopping.restore()
    assert weight.flatten().tolist() == [4, 1]


def test_losses_that_are_no_numbers_never_improve():
    weight = torch.ones(1, 2)
    stopping = Stopping([weight], patience=2)
    weight.fill_(torch.nan)
    assert [stopping.after_epoch(torch.tensor([torch.nan])) for _ in range(2)] == [False, True]
    stopping.restore()
    assert torch.equal(weight, torch.ones(1, 2))


def test_training_stops_and_goes_back_to_its_best_epoch():
    """Random labels, so validation soon gets worse; the same run cut at the best epoch is the same model."""
    validation, seen, events = small_set(seed=1), [], []
    for epochs in range(1, 13):
        model = trained(start(), epochs=epochs).eval()
        seen.append(float(F.cross_entropy(model(validation[0]), validation[1]).detach()))
    best = next(e for e in range(12) if seen[e] == min(seen[: e + 4]))
    found = trained(start(), epochs=200, patience=3, validation=validation, events=events)
    assert torch.equal(weights(found), weights(trained(start(), epochs=best + 1)))
    assert len(events) == (best + 4) * 5 + 1 and events[-1].done == events[-1].total == 1000


def test_patience_zero_never_stops_and_patience_wants_a_validation_set():
    assert torch.equal(weights(trained(start(), validation=small_set(seed=1))), weights(trained(start())))
    with pytest.raises(Mistake, match="patience must be 0"):
        trained(start(), patience=1)


# ---- frozen layers


def test_frozen_layers_stay_as_they_are():
    model = nn.Sequential(nn.Flatten(), models.Linear(6, 4), nn.BatchNorm1d(4), models.Linear(4, CLASSES))
    models.initialised(model, torch_generator(0))
    model[:3].requires_grad_(False)
    before = copy.deepcopy(model.state_dict())
    after = trained(model).state_dict()
    assert all(torch.equal(before[name], after[name]) == (not name.startswith("3.")) for name in before)


# ---- augmentation


def pictures(n=20):
    x = torch.zeros(n, 1, 28, 28)
    x[:, :, 8:20, 10:14] = 1
    return x


def test_pictures_are_varied_group_by_group_from_the_generator():
    x, before = pictures(), torch.random.get_rng_state()
    one, same, other = (moved(x, torch_generator(seed)) for seed in (0, 0, 1))
    assert torch.equal(one, same) and not torch.equal(one, other)
    assert torch.equal(x, pictures()) and torch.equal(before, torch.random.get_rng_state())
    assert one.shape == x.shape and 0 <= float(one.min()) and float(one.max()) <= 1
    groups = one.split(TOGETHER)
    assert all(torch.equal(group, group[:1].expand_as(group)) for group in groups)
    assert not torch.equal(groups[0][0], groups[1][0]) and not torch.equal(groups[0][0], x[0])


def test_movements_stay_within_their_bounds():
    """Only shifted, by at most a tenth of 28 pixels; the ink and its spread stay."""
    x = pictures(800)
    found = moved(x, torch_generator(0), angle=0, shift=0.1, scale=0)
    place = torch.arange(28.0)
    for axis in (2, 3):
        centres = [(p.sum((1, 5 - axis)) * place).sum(1) / p.sum((1, 2, 3)) for p in (x, found)]
        shift = centres[1] - centres[0]
        assert 2 < shift.abs().max() <= 2.8 + 1e-3 and abs(float(shift.mean())) < 5 * 1.62 / (800 / TOGETHER) ** 0.5
    assert torch.allclose(found.sum((1, 2, 3)), x.sum((1, 2, 3)), rtol=1e-3)


def test_without_movement_half_of_the_pictures_are_flipped():
    x = pictures(400)
    found = moved(x, torch_generator(0), angle=0, shift=0, scale=0, flip=True)
    flipped = (found - x.flip(3)).abs().amax((1, 2, 3)) < 1e-5
    kept = (found - x).abs().amax((1, 2, 3)) < 1e-5
    assert (flipped ^ kept).all() and 150 < int(flipped.sum()) < 250


def test_training_augments_its_batches_and_torchvision_is_loaded_only_then():
    code = "import sys, dpmia_lab.training.augmentation; sys.exit('torchvision' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    seen = []

    def kept(x, generator):
        seen.append(len(x))
        return x + 0.1 * torch.rand(x.shape, generator=generator)

    found = trained(start(), augment=kept)
    assert seen == [8] * 15 and not torch.equal(weights(found), weights(trained(start())))

"""Many models at once: each must be the very model that training it alone would give."""

import copy
import math
from itertools import zip_longest

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab import models
from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.dp_sgd import DpSgd, of_epochs
from dpmia_lab.privacy.units import units_from
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import Progress, drain
from dpmia_lab.training import plain, private, stacked
from dpmia_lab.training.augmentation import moved
from dpmia_lab.training.stacked import can_stack
from dpmia_lab.training.stacked_layers import Stack

M, N, SHAPE, CLASSES = 5, 50, (1, 4, 3), 4
HOW = {"epochs": 3, "rate": 0.05, "batch": 16}  # 16, 16, 16 and 2 records an epoch
SIGMA, CLIP = 0.7, 0.5
SAME = {"rtol": 1e-9, "atol": 1e-10}  # in double precision, where nothing but the order of sums differs


@pytest.fixture
def double():
    """Double precision throughout, so that "equal" can mean 1e-10."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def tanh_tower(generator):
    """Three layers, another activation each, dropout before, between and after."""
    return models.initialised(
        nn.Sequential(
            models.Centre(torch.rand(SHAPE[1:], generator=generator)),
            models.Dropout(0.1, torch_generator(generator.initial_seed(), "first")),
            nn.Flatten(),
            models.Linear(12, 9),
            nn.Tanh(),
            models.Dropout(0.3, torch_generator(generator.initial_seed(), "second")),
            models.Linear(9, 8),
            nn.ReLU(),
            models.Dropout(0.0, torch_generator(0)),
            models.Linear(8, CLASSES),
        ),
        generator,
    )


BUILDERS = {
    "softmax": lambda generator: models.new_model("softmax", SHAPE, CLASSES, generator),
    "mlp": lambda generator: models.new_model("mlp", SHAPE, CLASSES, generator, width=7),
    "mlp with dropout": lambda generator: models.new_model("mlp", SHAPE, CLASSES, generator, width=7, dropout=0.4),
    "tower": tanh_tower,
}
every_model = pytest.mark.parametrize("name", BUILDERS)
either = pytest.mark.parametrize("adam", [False, True], ids=["descent", "adam"])


def start(name="mlp", count=M):
    return [BUILDERS[name](torch_generator(i, "start")) for i in range(count)]


def some_sets(count=M, n=N, seed=0):
    generators = [torch_generator(seed, "set", i) for i in range(count)]
    return [(torch.randn(n, *SHAPE, generator=g), torch.randint(CLASSES, (n,), generator=g)) for g in generators]


def orders(count=M):
    return [torch_generator(i, "order") for i in range(count)]


def weights(found):
    return torch.stack([torch.cat([p.detach().flatten() for p in model.parameters()]) for model in found])


def at_once(name="mlp", sets=None, events=None, **how):
    found, sets = start(name), some_sets() if sets is None else sets
    stage = stacked.train(found, sets, generators=orders(), **HOW | how)
    drain(stage, (events if events is not None else []).append)
    return found


def at_once_privately(name="mlp", adam=True, batch=HOW["batch"]):
    found, dp = start(name), of_epochs(SIGMA, CLIP, HOW["epochs"], batch, N)
    drain(stacked.train_privately(found, some_sets(), dp, rate=HOW["rate"], generators=orders(), adam=adam))
    return found


def one_by_one(name="mlp", **how):
    found = start(name)
    validations = how.pop("validations", [None] * M)
    for model, own, order, validation in zip(found, some_sets(), orders(), validations, strict=True):
        drain(plain.train(model, *own, generator=order, validation=validation, **HOW | how))
    return found


def one_by_one_privately(name, adam, batch=HOW["batch"]):
    found, units = start(name), units_from(np.arange(N))
    dp = DpSgd(sigma=SIGMA, q=batch / N, clip=CLIP, steps=round(HOW["epochs"] * N / batch))
    for model, own, order in zip(found, some_sets(), orders(), strict=True):
        drain(private.train(model, *own, units, dp, rate=HOW["rate"], generator=order, adam=adam))
    return found


TRAINED = {"plain": at_once, "private": at_once_privately}
either_way = pytest.mark.parametrize("how", TRAINED)


# ---- equal to one by one


@either
@every_model
@pytest.mark.parametrize("decay", [0.0, 0.01])
def test_each_model_is_the_one_trained_alone(name, adam, decay, double):
    found = at_once(name, adam=adam, decay=decay)
    assert torch.allclose(weights(found), weights(one_by_one(name, adam=adam, decay=decay)), **SAME)
    assert (weights(found) - weights(start(name))).norm(dim=1).min() > 0.1


@either
@every_model
def test_each_private_model_is_the_one_trained_alone(name, adam, double):
    found = at_once_privately(name, adam)
    assert torch.allclose(weights(found), weights(one_by_one_privately(name, adam)), **SAME)


def test_without_noise_clip_and_chance_it_is_gradient_descent(double):
    found, dp = start(), DpSgd(sigma=0.0, q=1.0, clip=math.inf, steps=4)
    drain(stacked.train_privately(found, some_sets(), dp, rate=0.1, generators=orders(), adam=False))
    for alone, (x, y), model in zip(start(), some_sets(), found, strict=True):
        optimizer = torch.optim.SGD(alone.parameters(), lr=0.1)
        for _ in range(4):
            optimizer.zero_grad()
            F.cross_entropy(alone(x), y).backward()
            optimizer.step()
        assert torch.allclose(weights([model]), weights([alone]), **SAME)


@either
def test_single_precision_differs_by_rounding_only(adam):
    assert torch.allclose(weights(at_once(adam=adam)), weights(one_by_one(adam=adam)), atol=1e-4)
    found, alone = at_once_privately("mlp", adam), one_by_one_privately("mlp", adam)
    assert torch.allclose(weights(found), weights(alone), atol=1e-4)


@pytest.mark.parametrize("room", [stacked.AT_ONCE, 1], ids=["one stack", "stacks of one model"])
def test_draws_of_any_size_are_padded_and_an_empty_one_is_noise_alone(room, double, monkeypatch):
    """One record expected of 50: a third of the draws is empty, and so is a third of the stacks of one model."""
    monkeypatch.setattr(stacked, "AT_ONCE", room)
    found = at_once_privately("mlp with dropout", adam=False, batch=1)
    assert torch.allclose(weights(found), weights(one_by_one_privately("mlp with dropout", False, batch=1)), **SAME)


@pytest.mark.parametrize("name", ["softmax", "mlp"])
def test_record_norms_are_those_of_each_records_own_gradient(name, double):
    found, sets = start(name), some_sets(n=6)
    stack = Stack(found, SHAPE)
    x, y = (torch.stack(each) for each in zip(*sets, strict=True))
    logits = stack.forward(x.flatten(2)).requires_grad_()
    (error,) = torch.autograd.grad(F.cross_entropy(logits.flatten(0, 1), y.flatten(), reduction="sum"), logits)
    norms = stack.record_norms(stack.errors(error))
    for i, model in enumerate(model.eval() for model in found):
        for j in range(6):
            loss = F.cross_entropy(model(x[i, j : j + 1]), y[i, j : j + 1])
            own = torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(model.parameters()))])
            assert torch.allclose(norms[i, j], own.norm(), **SAME)


@either_way
def test_how_many_are_stacked_changes_nothing(how, double, monkeypatch):
    whole = weights(TRAINED[how]("tower"))
    monkeypatch.setattr(stacked, "AT_ONCE", 2 * 2300)
    places = [range(M)[own] for own in stacked.chunks(start("tower"), HOW["batch"])]
    assert 1 < len(places[0]) < M and [i for own in places for i in own] == list(range(M))
    assert torch.allclose(weights(TRAINED[how]("tower")), whole, **SAME)


def test_bits_may_be_bytes():
    bits = [((x > 0).to(torch.uint8), y) for x, y in some_sets()]
    numbers = [(x.float(), y) for x, y in bits]
    assert torch.equal(weights(at_once(sets=bits)), weights(at_once(sets=numbers)))


def test_augmented_pictures_too(double):
    found = at_once(augment=moved, adam=True)
    assert torch.allclose(weights(found), weights(one_by_one(augment=moved, adam=True)), **SAME)


def test_early_stopping_is_each_models_own(double):
    """Random labels: a model soon only learns by heart, each from another epoch on."""
    how = {"epochs": 40, "rate": 0.5, "patience": 3, "validations": some_sets(n=30, seed=1), "adam": True}
    events = []
    found = at_once("mlp with dropout", events=events, **how)
    assert torch.allclose(weights(found), weights(one_by_one("mlp with dropout", **how)), rtol=1e-6, atol=1e-7)
    assert len(events) < 40 * 4 and events[-1].done == events[-1].total


# ---- manners


@either_way
def test_the_same_seed_gives_the_same_bits_and_nothing_global_is_touched(how):
    before = torch.random.get_rng_state()
    one, again = (TRAINED[how]("mlp with dropout") for _ in range(2))
    assert torch.equal(weights(one), weights(again))
    assert torch.equal(before, torch.random.get_rng_state())


def test_models_come_back_trainable_in_eval_mode_and_sets_stay_as_they_are():
    sets = some_sets()
    kept = copy.deepcopy(sets)
    found = at_once("tower", sets, patience=2, validations=sets)
    assert not any(layer.training for model in found for layer in model.modules())
    assert all(p.requires_grad and p.grad is None for model in found for p in model.parameters())
    assert all(torch.equal(x, a) and torch.equal(y, b) for (x, y), (a, b) in zip(sets, kept, strict=True))


def test_progress_rises_and_grad_mode_is_left_alone(monkeypatch):
    monkeypatch.setattr(stacked, "AT_ONCE", 1)
    events = []
    for event in stacked.train(start(), some_sets(), generators=orders(), **HOW, patience=2, validations=some_sets()):
        assert torch.is_grad_enabled() and not torch.is_inference_mode_enabled()
        events.append(event)
    done = [event.done / event.total for event in events]
    assert done == sorted(done) and done[-1] == pytest.approx(1) and len(done) == M * 3 * 4
    assert all(isinstance(event, Progress) and type(event.values["loss"]) is float for event in events)
    assert [event.values["epoch"] for event in events] == np.tile(np.repeat([1, 2, 3], 4), M).tolist()


def test_two_interleaved_runs_do_not_disturb_each_other():
    found = [start("mlp with dropout"), start("tower")]
    list(zip_longest(*(stacked.train(each, some_sets(), generators=orders(), **HOW) for each in found)))
    for each, name in zip(found, ["mlp with dropout", "tower"], strict=True):
        assert torch.equal(weights(each), weights(at_once(name)))


# ---- what can be stacked


def small(*layers):
    return nn.Sequential(nn.Flatten(), *layers)


REFUSED = {
    "convolution": lambda: models.small_cnn((1, 8, 8), 3, torch_generator(0)),
    "another activation": lambda: small(models.Linear(12, 3), nn.GELU()),
    "PyTorch's dropout": lambda: small(models.Linear(12, 3), nn.Dropout(0.1)),
    "no bias": lambda: small(models.Linear(12, 3, bias=False)),
    "not flat": lambda: nn.Sequential(models.Linear(3, 3), nn.Flatten()),
    "flat too late": lambda: nn.Sequential(nn.ReLU()),
    "centred late": lambda: small(models.Linear(12, 3), models.Centre(torch.zeros(3))),
    "partly frozen": lambda: small(models.Linear(12, 3).requires_grad_(False), models.Linear(3, 3)),
    "not a sequence": lambda: models.Linear(12, 3),
}


@every_model
def test_the_labs_small_models_can_be_stacked(name):
    assert can_stack(start(name)[0])
    assert can_stack(models.centred(start("mlp")[0], torch.zeros(SHAPE)))


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_stacked_is_refused(name):
    model = REFUSED[name]()
    assert not can_stack(model)
    with pytest.raises(Mistake, match="number 0 is not"):
        next(stacked.train([model], some_sets(1), generators=orders(1), **HOW))
    with pytest.raises(Mistake, match="number 0 is not"):
        dp = of_epochs(SIGMA, CLIP, 3, 16, N)
        next(stacked.train_privately([model], some_sets(1), dp, rate=0.05, generators=orders(1)))


MISTAKES = {
    "two kinds": ({"models": [start("mlp")[0], start("softmax")[0]]}, "same layers"),
    "one set": ({"sets": some_sets(1)}, "as many models"),
    "one generator": ({"generators": [torch_generator(0)] * 2}, "as generators"),
    "sizes": ({"sets": [some_sets(1)[0], some_sets(1, n=20)[0]]}, "same size; theirs go from 20 to 50"),
    "batch": ({"batch": 51}, "batch must be"),
    "patience": ({"patience": 2}, "patience must be 0"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_named(name):
    given, words = MISTAKES[name]
    usual = {"models": start(count=2), "sets": some_sets(2), "generators": orders(2), **HOW}
    with pytest.raises(Mistake, match=words):
        next(stacked.train(**usual | given))


@pytest.mark.parametrize("name", ["two kinds", "one set", "one generator", "sizes"])
def test_mistakes_are_named_in_private_training_too(name):
    given, words = MISTAKES[name]
    usual = {"models": start(count=2), "sets": some_sets(2), "generators": orders(2), "rate": 0.05}
    with pytest.raises(Mistake, match=words):
        next(stacked.train_privately(**usual | given, dp=of_epochs(SIGMA, CLIP, 3, 16, N)))

"""Private training: its steps by hand, its draws and its noise as statistics, and runs that must be the same run."""

import copy
import math
import random
from dataclasses import asdict, replace
from itertools import zip_longest

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab import models
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.units import divided, units_from
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Progress, drain
from dpmia_lab.training import private
from dpmia_lab.training.private import Drawing, train

SHAPE, CLASSES = (1, 6, 5), 3
DP, RATE = DpSgd(sigma=0.7, q=0.4, clip=0.9, steps=1), 0.3
# Units of 1, 2, 3 and 6 records, their records lying anywhere among the others.
UNITS = units_from(np.array([3, 0, 3, 1, 3, 2, 2, 3, 2, 3, 1, 3]))


def small_set(n=12, seed=0, shape=SHAPE):
    generator = torch_generator(seed, "set")
    return torch.randn(n, *shape, generator=generator), torch.arange(n) % CLASSES


def start(name="mlp", shape=SHAPE):
    return models.new_model(name, shape, CLASSES, torch_generator(0, "weights"))


def staged(model, x, y, units=UNITS, seed=0, rate=RATE, adam=False, momentum=0.0, **dp):
    """Private training as by ``DP``, but for what is given of it."""
    how = {"rate": rate, "generator": torch_generator(seed, "private"), "adam": adam, "momentum": momentum}
    return train(model, x, y, units, replace(DP, **dp), **how)


def trained(units=UNITS, name="mlp", seed=0, events=None, data=None, model=None, **how):
    x, y = small_set() if data is None else data
    model = start(name) if model is None else model
    return drain(staged(model, x, y, units, seed, **how), (events if events is not None else []).append)


def flat(parameters):
    return torch.cat([p.detach().flatten() for p in parameters])


def weights(model):
    return flat(model.parameters())


def members(units):
    return np.split(units.members, units.starts[1:-1])


@pytest.fixture
def double():
    """Double precision throughout, so that "equal" can mean 1e-10."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


# ---- one step by hand


def by_hand(model, x, y, units, joined, noise, sigma, q, clip, rate, **_):
    """θ − η (Σ_u g_u·min(1, S/‖g_u‖) + σS·noise) / (qK), with the K of all units, joined or not."""
    total = sigma * clip * flat(noise)
    for own in (own for own, joins in zip(members(units), joined, strict=True) if joins):
        g = flat(torch.autograd.grad(F.cross_entropy(model(x[own]), y[own]), list(model.parameters())))
        total += g * min(1.0, clip / float(g.norm()))
    return weights(model) - rate * total / (q * units.count)


def known_draw(model, units, q, seed=0):
    """What the generator will give a step: who joins, then the noise of each parameter."""
    generator = torch_generator(seed, "private")
    joined = torch.rand(units.count, generator=generator, dtype=torch.float64) < q
    return joined.tolist(), [torch.randn(p.shape, generator=generator, dtype=p.dtype) for p in model.parameters()]


@pytest.mark.parametrize("name", ["softmax", "mlp", "cnn"])
@pytest.mark.parametrize("seed", range(6))
def test_a_step_is_the_formula(name, seed, double):
    """The seeds draw one to three of the four units; 1e-10 as in any sum of a few hundred doubles."""
    x, y = small_set()
    joined, noise = known_draw(start(name), UNITS, DP.q, seed)
    expected = by_hand(start(name), x, y, UNITS, joined, noise, rate=RATE, **asdict(DP))
    events = []
    assert torch.allclose(weights(trained(name=name, seed=seed, events=events)), expected, rtol=1e-10, atol=1e-10)
    assert events[0].values["joined"] == sum(joined)


def test_the_seeds_above_draw_one_to_three_units():
    assert {sum(known_draw(start(), UNITS, DP.q, seed)[0]) for seed in range(6)} == {1, 2, 3}


def test_the_sum_is_divided_by_those_expected_not_by_those_who_joined(double):
    """One class of identical units, no noise: who joins moves the weights in proportion to their number."""
    x, y = torch.ones(10, *SHAPE), torch.zeros(10, dtype=torch.long)
    moved = {}
    for seed in range(8):
        events = []
        model = trained(units_from(np.arange(10)), "softmax", seed, events, (x, y), sigma=0.0)
        moved[events[0].values["joined"]] = float(weights(model).norm())
    assert len(moved) > 3
    assert all(step == pytest.approx(0.3 * count * 0.9 / (0.4 * 10)) for count, step in moved.items())


@pytest.mark.parametrize("clip", [1e9, math.inf])
@pytest.mark.parametrize("name", ["softmax", "cnn"])
def test_without_noise_clip_and_chance_it_is_gradient_descent(name, clip, double):
    """σ = 0, q = 1, S huge or ∞, a unit a record: full batches, mean gradient."""
    data = x, y = small_set(20)
    model = start(name)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
    for _ in range(12):
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        optimizer.step()
    records = units_from(np.arange(20))
    found = trained(records, name, data=data, sigma=0.0, q=1.0, clip=clip, steps=12)
    assert torch.allclose(weights(found), weights(model), rtol=1e-9, atol=1e-10)


# ---- the noise


def noise_of(sigma, clip, q, units=UNITS, **how):
    """(all parameters,): what noise adds to the sum: runs with it and without, from the same draw."""
    big = small_set(shape=(1, 40, 40))
    runs = [
        weights(trained(units, data=big, model=start("mlp", (1, 40, 40)), sigma=s, clip=clip, q=q, **how)).double()
        for s in (sigma, 0.0)
    ]
    return (runs[1] - runs[0]) * q * units.count / RATE


@pytest.mark.parametrize("q", [1e-6, 0.4, 1.0])
@pytest.mark.parametrize(("sigma", "clip"), [(0.7, 3.0), (2.0, 0.1)])
def test_noise_has_the_standard_deviation_sigma_times_clip(sigma, clip, q):
    """Among 205,315 numbers: deviation within 1 % (six standard errors), mean within 0.011 (five); nobody, some, all.

    Without σ it would be off by a factor of at least 1.4, without S by one of at least 3.
    """
    noise = noise_of(sigma, clip, q) / (sigma * clip)
    assert float(noise.std()) == pytest.approx(1, abs=0.01)
    assert abs(float(noise.mean())) < 0.011
    assert float((noise.abs() < 0.6745).double().mean()) == pytest.approx(0.5, abs=0.006)  # half of a normal lies there


def test_noise_is_drawn_afresh_each_step():
    """Two steps' noise adds up like independent numbers: √2 wide, not 2."""
    assert float(noise_of(1.0, 1.0, 1e-6, steps=2).std()) == pytest.approx(2**0.5, abs=0.014)


def test_an_empty_draw_still_adds_noise(double):
    joined, noise = known_draw(start(), UNITS, 1e-6)
    events = []
    found = weights(trained(events=events, q=1e-6))
    assert not any(joined) and events[0].values == {"joined": 0}
    expected = weights(start()) - 0.3 * 0.7 * 0.9 * flat(noise) / (1e-6 * 4)
    assert torch.allclose(found, expected, rtol=1e-10)


def test_frozen_parameters_get_no_noise():
    model = start("cnn")
    model[0].requires_grad_(False)
    before = copy.deepcopy(model)
    trained(model=model, steps=3)
    same = [torch.equal(a, b) for a, b in zip(model.parameters(), before.parameters(), strict=True)]
    assert same == [True, True] + [False] * 6


# ---- the draw

DRAWS = 2000


def joins(q, labels, seed=0):
    """(draws, units): who joined; and that the records come unit after unit, whole."""
    units = units_from(labels)
    draw, generator, own = Drawing(units, torch.device("cpu")), torch_generator(seed, "draw"), members(units)
    table = np.zeros((DRAWS, units.count))
    for row in table:
        records, groups = draw.joined(q, generator)
        chosen = list(dict.fromkeys(units.of_records()[records.numpy()]))
        row[chosen] = 1
        assert records.tolist() == [i for unit in chosen for i in own[unit]]
        assert groups.sizes.tolist() == [len(own[unit]) for unit in chosen]
    return table


@pytest.mark.parametrize("q", [0.05, 0.3, 0.9])
def test_every_unit_joins_on_its_own_with_chance_q(q):
    """Five standard errors each; a fixed number of units would have no variance, joining in blocks too much."""
    table = joins(q, numpy_generator(0, "labels").integers(12, size=60))
    k, v = table.shape[1], q * (1 - q)
    assert k == 12
    counts = table.sum(1)
    assert counts.mean() == pytest.approx(k * q, abs=5 * (k * v / DRAWS) ** 0.5)
    assert counts.var() == pytest.approx(k * v, rel=5 * ((2 + (1 - 6 * v) / (k * v)) / DRAWS) ** 0.5)
    assert np.abs(table.mean(0) - q).max() < 5 * (v / DRAWS) ** 0.5
    together = np.cov(table.T, bias=True) - np.diag(table.var(0))
    assert np.abs(together).max() < 5 * v / DRAWS**0.5


def test_draws_do_not_depend_on_those_before():
    table = joins(0.3, np.arange(12))
    assert np.abs(((table[1:] - 0.3) * (table[:-1] - 0.3)).mean(0)).max() < 5 * 0.21 / DRAWS**0.5


def test_chance_one_draws_every_unit_every_time():
    assert joins(1.0, np.array([2, 0, 2, 1])).all()


# ---- optimizers

THEIRS = {
    "descent": ({}, lambda p: torch.optim.SGD(p, 0.05)),
    "momentum": ({"momentum": 0.8}, lambda p: torch.optim.SGD(p, 0.05, momentum=0.8)),
    "adam": ({"adam": True}, lambda p: torch.optim.Adam(p, 0.05)),
}


@pytest.mark.parametrize("name", THEIRS)
def test_optimizers_are_pytorchs_fed_with_the_same_gradients(name, double, monkeypatch):
    sums, original = [], private.private_gradients

    def kept(*given):
        gradients, values = original(*given)
        sums.append([g.clone() for g in gradients])
        return gradients, values

    monkeypatch.setattr(private, "private_gradients", kept)
    ours, theirs = THEIRS[name]
    found, model = trained(steps=15, rate=0.05, **ours), start()
    optimizer = theirs(model.parameters())
    for gradients in sums:
        for p, g in zip(model.parameters(), gradients, strict=True):
            p.grad = g / (DP.q * UNITS.count)
        optimizer.step()
    assert len(sums) == 15
    assert torch.allclose(weights(found), weights(model), rtol=1e-9, atol=1e-10)


# ---- runs that must be the same run


def units_of(unit, data, subclasses=1):
    x, y = data
    return drain(divided(unit, x.numpy(), y.numpy(), subclasses, 0))


@pytest.mark.parametrize("name", ["mlp", "cnn"])
def test_subclasses_end_in_class_and_in_record_privacy(name):
    """One a class, and as many as a class has records: not only as private but the very same run, bit for bit."""
    data = small_set(30)
    runs = {
        key: weights(trained(units_of(unit, data, k), name, data=data, steps=8, clip=0.5))
        for key, unit, k in [("class", "class", 1), ("one", "subclass", 1), ("half", "subclass", 5)]
        + [("all", "subclass", 10), ("record", "record", 1)]
    }
    assert torch.equal(runs["one"], runs["class"])
    assert torch.equal(runs["all"], runs["record"])
    distances = [float((runs[a] - runs[b]).norm()) for a, b in [("class", "half"), ("half", "record")]]
    assert min(distances) > 0.01


def test_the_same_seed_gives_the_same_bits_and_another_seed_others():
    one, again, other = (weights(trained(name="cnn", seed=seed, steps=5)) for seed in (0, 0, 1))
    assert torch.equal(one, again) and not torch.isclose(one, other).all()


def test_two_interleaved_runs_do_not_disturb_each_other():
    x, y = small_set()
    found = [start(), start("cnn")]
    list(zip_longest(*(staged(model, x, y, steps=4) for model in found)))
    for model, name in zip(found, ["mlp", "cnn"], strict=True):
        assert torch.equal(weights(model), weights(trained(name=name, steps=4)))


# ---- events and manners


def test_progress_rises_by_one_a_step_and_tells_plain_numbers():
    events = []
    model = trained(events=events, steps=9, q=0.7, clip=0.5)
    assert [(e.done, e.total) for e in events] == [(step, 9) for step in range(1, 10)]
    assert all(isinstance(e, Progress) and e.label == "training privately" for e in events)
    kinds = [{name: type(value) for name, value in e.values.items()} for e in events if e.values["joined"]]
    assert kinds and all(kind == {"joined": int, "clipped": float, "loss": float} for kind in kinds)
    assert all(p.grad is None and p.requires_grad for p in model.parameters())


@pytest.mark.parametrize(("clip", "share"), [(1e-6, 1.0), (1e6, 0.0)])
def test_the_share_of_clipped_units_is_told(clip, share):
    events = []
    trained(events=events, q=1.0, clip=clip)
    assert events[0].values["clipped"] == share


def test_the_loss_told_is_the_mean_over_units_before_the_step():
    x, y = small_set()
    with torch.no_grad():
        losses = [F.cross_entropy(start()(x[own]), y[own]).item() for own in members(UNITS)]
    events = []
    trained(events=events, q=1.0)
    assert events[0].values["loss"] == pytest.approx(np.mean(losses), rel=1e-6)


def surroundings():
    _, key, place, *_ = np.random.get_state()
    generators = random.getstate(), key.tobytes(), place, torch.get_rng_state().tolist()
    return torch.is_grad_enabled(), torch.get_default_dtype(), generators


@pytest.mark.parametrize("grad", [True, False])
def test_global_random_numbers_and_grad_mode_are_left_alone_at_every_event(grad):
    x, y = small_set()
    stage = staged(start("cnn"), x, y, steps=4, adam=True)
    with torch.set_grad_enabled(grad):
        before, seen = surroundings(), []
        drain(stage, lambda event: seen.append(surroundings()))
        assert seen == [before] * 4 and surroundings() == before


class WordCounter(nn.Module):
    """A model of somebody's own: sentences of seven words to classes."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(20, 8)
        self.even = nn.LayerNorm(8)
        self.out = nn.Linear(8, CLASSES)
        generator = torch_generator(0, "words")
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=0.5, generator=generator)

    def forward(self, x):
        return self.out(self.even(self.words(x)).mean(1))


@pytest.mark.parametrize("unit", ["record", "subclass", "class"])
def test_a_model_of_ones_own_learns(unit):
    """Each class says its own word three times; noise is there, yet far below the gradients' sum."""
    y = torch.arange(90) % CLASSES
    x = torch.randint(CLASSES, 20, (90, 7), generator=torch_generator(0, "sentences"))
    x[:, :3] = y[:, None]
    model = WordCounter()
    before = float(F.cross_entropy(model(x), y).detach())
    trained(units_of(unit, (x, y), 10), data=(x, y), model=model, sigma=0.05, q=0.5, clip=1.0, steps=60, rate=1.0)
    after = float(F.cross_entropy(model(x), y).detach())
    assert after < before / 2
    assert float((model(x).argmax(1) == y).float().mean()) > 0.9

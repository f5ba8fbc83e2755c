"""Clipped sums of unit gradients: against a slow loop over units, against Opacus, and as what privacy needs of them."""

import copy
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from opacus import GradSampleModule
from opacus.optimizers import DPOptimizer
from torch import nn
from torch.nn import functional as F

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab import models
from dpmia_lab.privacy import clipping, layers
from dpmia_lab.privacy.clipping import Clipper
from dpmia_lab.privacy.groups import Groups
from dpmia_lab.seeds import torch_generator

# PyTorch remarks once that it must copy: true, and of no interest here.
pytestmark = pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel lengths:UserWarning")
CLASSES = 3
# In double precision sums of some thousand products of order 1 are right to ~1e-13, and the root of a Gram sum in
# which most cancels keeps half the digits of its smallest part: 1e-10 leaves room for both, and for no mistake.
EXACT = {"rtol": 1e-10, "atol": 1e-10}
SINGLES, EVEN, ONE = (1,) * 8, (3, 3, 3), (5,)
UNEVEN = (1, 30, 2, 3, 4)  # units of 3 and 4 lie side by side, so that there is padding
every_size = pytest.mark.parametrize("sizes", [SINGLES, EVEN, UNEVEN, ONE], ids=lambda sizes: "-".join(map(str, sizes)))


def slow_gradients(model, x, y, sizes):
    """The definition: one unit after the other, the gradient of its mean loss by autograd."""
    parameters = [p for p in model.parameters() if p.requires_grad]
    for own in torch.arange(len(x)).split(list(sizes)):
        loss = F.cross_entropy(model(x[own]), y[own])
        yield torch.autograd.grad(loss, parameters, allow_unused=True, materialize_grads=True)


def slow_sum(gradients, norms, clip):
    factors = [min(1.0, clip / float(norm)) for norm in norms]
    return [sum(f * g for f, g in zip(factors, own, strict=True)) for own in zip(*gradients, strict=True)]


def flat(gradients):
    return torch.cat([g.flatten() for g in gradients])


def assert_equal_to_slow(model, x, y, sizes):
    """With every unit clipped, some clipped, none clipped."""
    gradients = list(slow_gradients(model, x, y, sizes))
    norms = torch.stack([flat(own).norm() for own in gradients])
    for clip in (float(norms.min()) / 2, float(norms.median()) * (1 + 1e-6), float(norms.max()) * 2):
        found = clipped(model, x, y, sizes, clip)
        assert torch.allclose(found.norms, norms, **EXACT)
        for mine, slow in zip(found.gradients, slow_sum(gradients, norms, clip), strict=True):
            assert mine.shape == slow.shape and torch.allclose(mine, slow, **EXACT)


def clipped(model, x, y, sizes, clip=1.0):
    return Clipper(model).clipped_sum(x, y, Groups(torch.tensor(sizes)), clip)


@pytest.fixture
def double():
    """Double precision throughout, so that "equal" can mean 1e-10."""
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def filled(model, seed=0, scale=0.5):
    """Every parameter normal, also scales and shifts, which PyTorch starts at 1 and 0."""
    generator = torch_generator(seed, "weights")
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=scale, generator=generator)
    return model


def batch(shape, n, seed=0, entries=0):
    """x: (n, *shape) normal numbers, or whole numbers below ``entries``;  y: (n,)."""
    generator = torch_generator(seed, "batch")
    whole = torch.randint(entries, (n, *shape), generator=generator) if entries else None
    x = torch.randn(n, *shape, generator=generator) if whole is None else whole
    return x, torch.randint(CLASSES, (n,), generator=generator)


def headed(layer, shape, entries=0):
    """The layer, a bend, and a linear layer to the classes, through which its errors come."""
    width = layer(batch(shape, 1, entries=entries)[0]).numel()
    return filled(nn.Sequential(layer, nn.Tanh(), nn.Flatten(), nn.Linear(width, CLASSES)))


# ---- every kind of layer

LAYERS = {  # how to make it, and the shape of a record
    "linear": (lambda: nn.Linear(5, 4), (5,)),
    "linear, no bias": (lambda: nn.Linear(5, 4, bias=False), (5,)),
    "linear on a sequence": (lambda: nn.Linear(5, 4), (6, 5)),
    "linear on a grid": (lambda: nn.Linear(5, 4), (2, 3, 5)),
    "convolution": (lambda: nn.Conv2d(2, 3, 3), (2, 6, 5)),
    "convolution, no bias": (lambda: nn.Conv2d(2, 3, 3, bias=False), (2, 6, 5)),
    "convolution, 1x1": (lambda: nn.Conv2d(2, 3, 1), (2, 4, 5)),
    "convolution, stride": (lambda: nn.Conv2d(2, 3, 3, stride=2), (2, 8, 7)),
    "convolution, uneven stride": (lambda: nn.Conv2d(1, 3, 2, stride=(1, 3)), (1, 5, 8)),
    "convolution, padding": (lambda: nn.Conv2d(2, 3, 3, padding=(2, 1), stride=2), (2, 5, 6)),
    "convolution, same": (lambda: nn.Conv2d(2, 3, (4, 3), padding="same"), (2, 5, 6)),
    "convolution, same and dilated": (lambda: nn.Conv2d(2, 3, 2, padding="same", dilation=3), (2, 5, 6)),
    "convolution, dilated": (lambda: nn.Conv2d(2, 3, 3, dilation=(2, 1)), (2, 7, 6)),
    "convolution, wide filter": (lambda: nn.Conv2d(2, 3, (1, 4)), (2, 4, 6)),
    "convolution, filter as large as the picture": (lambda: nn.Conv2d(2, 3, (4, 5)), (2, 4, 5)),
    "convolution, grouped": (lambda: nn.Conv2d(4, 6, 3, groups=2, stride=2, padding=1), (4, 5, 6)),
    "convolution, depthwise": (lambda: nn.Conv2d(3, 3, 3, groups=3, bias=False), (3, 5, 4)),
    "convolution, reflected edge": (lambda: nn.Conv2d(2, 3, 3, padding=2, padding_mode="reflect"), (2, 5, 6)),
    "convolution, edge wrapped round": (lambda: nn.Conv2d(2, 3, 3, padding=(0, 1), padding_mode="circular"), (2, 5, 6)),
    "group norm": (lambda: nn.GroupNorm(2, 6), (6, 4, 3)),
    "group norm without places": (lambda: nn.GroupNorm(2, 6), (6,)),
    "layer norm": (lambda: nn.LayerNorm(6), (6,)),
    "layer norm on a sequence": (lambda: nn.LayerNorm(6), (4, 6)),
    "layer norm on a grid": (lambda: nn.LayerNorm(6), (2, 3, 6)),
    "layer norm on several dimensions": (lambda: nn.LayerNorm((3, 4)), (3, 4)),
    "layer norm on several dimensions of a grid": (lambda: nn.LayerNorm((3, 4), bias=False), (2, 3, 4)),
}
WAYS = {"Gram": 0, "direct": 10**12}  # pairs of rows, as the choice between the ways is told


@pytest.mark.parametrize("way", WAYS)
@every_size
@pytest.mark.parametrize("name", LAYERS)
def test_every_layer_equals_the_slow_loop_both_ways(name, sizes, way, double, monkeypatch):
    monkeypatch.setattr(Groups, "pairs", lambda groups, rows: WAYS[way])
    make, shape = LAYERS[name]
    assert_equal_to_slow(headed(make(), shape), *batch(shape, sum(sizes)), sizes)


@every_size
@pytest.mark.parametrize("padding", [None, 0, 2])
@pytest.mark.parametrize("shape", [(1,), (7,), (2, 3)])
def test_an_embedding_equals_the_slow_loop(shape, padding, sizes, double):
    """Seven places and four entries: every record looks some entry up again."""
    model = headed(nn.Embedding(4, 3, padding_idx=padding), shape, entries=4)
    assert_equal_to_slow(model, *batch(shape, sum(sizes), entries=4), sizes)


def lab_model(name, shape=(1, 9, 8)):
    model = models.new_model(name, shape, CLASSES, torch_generator(0, "weights"))
    return filled(model) if name == "softmax" else model


@every_size
@pytest.mark.parametrize("shape", [(1, 9, 8), (3, 8, 8)])
@pytest.mark.parametrize("name", ["softmax", "mlp", "cnn"])
def test_the_labs_models_equal_the_slow_loop(name, shape, sizes, double):
    assert_equal_to_slow(lab_model(name, shape), *batch(shape, sum(sizes)), sizes)


@every_size
@pytest.mark.parametrize("few", [1, 40, 500])
def test_work_cut_into_small_pieces_gives_the_same(few, sizes, double, monkeypatch):
    """Pieces of one record, of parts of units, and of several units."""
    monkeypatch.setattr(layers, "AT_A_TIME", few)
    monkeypatch.setattr(Groups, "pairs", lambda groups, rows: WAYS["direct"])
    assert_equal_to_slow(lab_model("cnn"), *batch((1, 9, 8), sum(sizes)), sizes)


@every_size
@pytest.mark.parametrize("few", [1, 6, 35])
def test_units_that_go_through_some_at_a_time_give_the_same(few, sizes, double, monkeypatch):
    """A unit at a time, though most are larger than asked for; two or three; nearly all."""
    monkeypatch.setattr(clipping, "AT_ONCE", few)
    model, (x, y) = lab_model("cnn"), batch((1, 9, 8), sum(sizes))
    assert_equal_to_slow(model, x, y, sizes)
    own = [F.cross_entropy(model(a), b).item() for a, b in zip(x.split(sizes), y.split(sizes), strict=True)]
    assert float(clipped(model, x, y, sizes).loss) == pytest.approx(sum(own) / len(sizes), rel=1e-12)


@given(some.lists(some.integers(1, 20), min_size=1, max_size=12), some.integers(1, 60))
def test_parts_hold_every_unit_once_and_no_more_records_than_asked_for(sizes, most):
    start, seen = 0, []
    for records, part in Groups(torch.tensor(sizes)).parts(most):
        assert records.start == start and records.stop - start == int(part.sizes.sum())
        assert part.count == 1 or records.stop - start <= most
        start, seen = records.stop, seen + part.sizes.tolist()
    assert seen == sizes


@pytest.fixture
def ways_taken(monkeypatch):
    """The names of the ways, in the order in which layers went them."""
    taken = []
    for way, name in (("Gram", "gram_squares"), ("direct", "unit_products")):
        original = getattr(layers, name)
        monkeypatch.setattr(layers, name, lambda *a, way=way, original=original: taken.append(way) or original(*a))
    return taken


@pytest.mark.parametrize(
    ("model", "shape", "sizes", "expected"),
    [
        (nn.Linear(50, CLASSES), (50,), SINGLES, ["Gram"]),  # outer products: two lengths suffice
        (nn.Linear(50, 40), (50,), EVEN, ["Gram"]),  # 3·3·(50 + 40) pairs against 3·50·40 products
        (nn.Linear(50, CLASSES), (50,), (30,), ["direct"]),  # 30·30·53 against 30·150
        (nn.Conv2d(1, 4, 3), (1, 9, 9), SINGLES, ["direct"]),  # 49² pairs a record
        (nn.Conv2d(8, 64, 3), (8, 3, 3), SINGLES, ["Gram"]),  # one place only
        (nn.Conv2d(8, 64, 3, groups=2), (8, 3, 3), SINGLES, ["direct"]),  # grouped: always
        (lab_model("cnn", (1, 28, 28)), (1, 28, 28), SINGLES, ["direct", "direct", "Gram", "Gram"]),
    ],
)
def test_the_cheaper_way_is_taken(model, shape, sizes, expected, ways_taken):
    model = nn.Sequential(model, nn.Flatten())
    x, y = batch(shape, sum(sizes))
    clipped(model, x, y, sizes)
    assert ways_taken == expected


def test_forcing_a_way_forces_it(ways_taken, monkeypatch):
    """What the comparisons with the slow loop rest on."""
    for way, pairs in WAYS.items():
        monkeypatch.setattr(Groups, "pairs", lambda groups, rows, pairs=pairs: pairs)
        clipped(lab_model("cnn"), *batch((1, 9, 8), 6), (2, 4))
        assert ways_taken == [way] * 4
        ways_taken.clear()


@given(some.lists(some.integers(1, 20), min_size=1, max_size=12))
def test_every_record_lies_in_just_one_block_beside_its_unit(sizes):
    groups = Groups(torch.tensor(sizes))
    found = {}
    for units, records, there in groups.blocks:
        assert there.sum(1).tolist() == [sizes[u] for u in units]
        assert there.shape[1] < 2 * min(sizes[u] for u in units)  # at most every second place is padding
        for unit, own, real in zip(units.tolist(), records, there, strict=True):
            assert found.setdefault(unit, own[real].tolist()) == own[real].tolist()
    assert sum((found[u] for u in range(len(sizes))), []) == list(range(sum(sizes)))
    assert groups.of_records.tolist() == [u for u, size in enumerate(sizes) for _ in range(size)]


# ---- which parameters


def convolutional():
    return filled(
        nn.Sequential(nn.Conv2d(1, 4, 3), nn.GroupNorm(2, 4), nn.Tanh(), nn.Flatten(), nn.Linear(4 * 5 * 4, CLASSES))
    )


@pytest.mark.parametrize("sizes", [SINGLES, UNEVEN])
@pytest.mark.parametrize(
    "frozen", [["0.weight"], ["0.bias"], ["0."], ["1.weight"], ["1.bias"], ["1."], ["4.weight"], ["4."], ["0.", "1."]]
)
def test_frozen_parameters_have_no_part(frozen, sizes, double):
    model = convolutional()
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(not name.startswith(tuple(frozen)))
    assert_equal_to_slow(model, *batch((1, 7, 6), sum(sizes)), sizes)


class Winding(nn.Module):
    """Layers named in another order than they are used, one used in vain and one not at all."""

    def __init__(self):
        super().__init__()
        self.last = nn.Linear(4, CLASSES)
        self.vain = nn.Linear(4, 2)
        self.idle = nn.Linear(3, 3)
        self.first = nn.Linear(5, 4)

    def forward(self, x):
        inner = torch.tanh(self.first(x))
        self.vain(inner)
        return self.last(inner)


@pytest.mark.parametrize("sizes", [SINGLES, UNEVEN])
def test_layers_that_do_not_reach_the_loss_have_no_gradient_and_the_order_is_the_models(sizes, double):
    model = filled(Winding())
    x, y = batch((5,), sum(sizes))
    assert_equal_to_slow(model, x, y, sizes)
    found = clipped(model, x, y, sizes).gradients
    assert [g.shape for g in found] == [p.shape for p in model.parameters()]
    assert [bool(g.any()) for g in found] == [True, True, False, False, False, False, True, True]


def test_a_model_that_is_a_single_layer(double):
    assert_equal_to_slow(filled(nn.Linear(5, CLASSES)), *batch((5,), 6), (2, 4))


def test_the_loss_is_the_mean_over_units(double):
    model, (x, y) = lab_model("mlp"), batch((1, 9, 8), sum(UNEVEN))
    own = [
        F.cross_entropy(model(a), b).item() for a, b in zip(x.split(list(UNEVEN)), y.split(list(UNEVEN)), strict=True)
    ]
    assert float(clipped(model, x, y, UNEVEN).loss) == pytest.approx(sum(own) / 5, rel=1e-12)


@pytest.mark.parametrize("sizes", [SINGLES, UNEVEN])
def test_units_without_any_gradient_add_nothing(sizes):
    """With one class the model is always right: ‖g‖ = 0, and S / ‖g‖ must not become a number that is none."""
    x, _ = batch((5,), sum(sizes))
    found = clipped(filled(nn.Linear(5, 1)), x, torch.zeros(len(x), dtype=torch.long), sizes)
    assert not found.norms.any() and not any(g.any() for g in found.gradients)


@pytest.mark.parametrize("name", ["softmax", "mlp", "cnn"])
def test_single_precision_is_as_good_as_it_can_be(name):
    """1e-5: a hundred roundings of 6e-8 in a row."""
    model, (x, y) = lab_model(name), batch((1, 9, 8), sum(UNEVEN))
    found = clipped(model, x, y, UNEVEN)
    gradients = list(slow_gradients(model.double(), x.double(), y, UNEVEN))
    norms = torch.stack([flat(own).norm() for own in gradients])
    assert torch.allclose(found.norms.double(), norms, rtol=1e-5)
    for mine, slow in zip(found.gradients, slow_sum(gradients, norms, 1.0), strict=True):
        assert float((mine - slow).norm()) <= 1e-5 * float(slow.norm())


# ---- what privacy needs of it

some_units = some.lists(some.integers(1, 6), min_size=1, max_size=5)
some_clip = some.floats(1e-3, 20)
some_seed = some.integers(0, 10**6)
few_examples = settings(max_examples=25, deadline=None)


def random_case(sizes, seed):
    """Double precision by hand: hypothesis and fixtures do not mix."""
    model = filled(nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(2 * 3 * 2, CLASSES)), seed).double()
    x, y = batch((1, 5, 4), sum(sizes), seed)
    return model, x.double(), y


@few_examples
@given(some_units, some_clip, some_seed)
def test_no_unit_moves_the_sum_by_more_than_the_clip(sizes, clip, seed):
    """The sensitivity itself: the sum with a unit and without it."""
    model, x, y = random_case(sizes, seed)
    everyone = flat(clipped(model, x, y, sizes, clip).gradients)
    assert everyone.norm() <= len(sizes) * clip * (1 + 1e-9)
    for left_out in range(len(sizes)):
        start, size = sum(sizes[:left_out]), sizes[left_out]
        own = slice(start, start + size)
        alone = flat(clipped(model, x[own], y[own], [size], clip).gradients)
        assert alone.norm() <= clip * (1 + 1e-9)
        others = torch.cat([torch.arange(start), torch.arange(start + size, len(x))])
        if len(others):
            rest = flat(clipped(model, x[others], y[others], sizes[:left_out] + sizes[left_out + 1 :], clip).gradients)
            assert torch.allclose(everyone - rest, alone, **EXACT)


@pytest.mark.parametrize("clip", [1.0, 1e-2, 1e-4])
@pytest.mark.parametrize("size", [2, 6])
def test_records_that_nearly_cancel_are_clipped_all_the_same(size, clip, ways_taken):
    """Almost equal records of opposite labels, single precision: rounding must not hide what their sum leaves.

    1e-6: the rounding of the sum itself. A Gram sum alone would miss the smallest clip fifty times over.
    """
    generator, model = torch_generator(0, "cancel"), nn.Linear(1000, 50)
    nn.init.zeros_(model.weight)
    model.bias.data = 20.0 * (torch.arange(50) < 2)
    for digits in range(2, 8):
        x = torch.randn(1, 1000, generator=generator) + 10.0**-digits * torch.randn(size, 1000, generator=generator)
        found = clipped(model, x, torch.arange(size) % 2, (size,), clip)
        assert float(flat(found.gradients).double().norm()) <= clip * (1 + 1e-6)
    assert set(ways_taken) == {"Gram"}


@few_examples
@given(some_units, some_seed, some.randoms(use_true_random=False))
def test_the_order_of_units_permutes_norms_and_keeps_the_sum(sizes, seed, shuffler):
    model, x, y = random_case(sizes, seed)
    order = list(range(len(sizes)))
    shuffler.shuffle(order)
    parts = torch.arange(len(x)).split(sizes)
    rows = torch.cat([parts[u] for u in order])
    one, other = clipped(model, x, y, sizes), clipped(model, x[rows], y[rows], [sizes[u] for u in order])
    assert torch.allclose(one.norms[order], other.norms, **EXACT)
    assert torch.allclose(flat(one.gradients), flat(other.gradients), **EXACT)


@few_examples
@given(some_units, some_seed, some.sampled_from([1e9, math.inf]))
def test_without_a_clip_it_is_the_plain_sum_of_mean_gradients(sizes, seed, clip):
    model, x, y = random_case(sizes, seed)
    losses = [F.cross_entropy(model(a), b) for a, b in zip(x.split(sizes), y.split(sizes), strict=True)]
    plain = torch.autograd.grad(sum(losses), list(model.parameters()))
    assert torch.allclose(flat(clipped(model, x, y, sizes, clip).gradients), flat(plain), **EXACT)


@few_examples
@given(some_units, some_seed)
def test_a_unit_counts_once_however_often_its_records_are_repeated(sizes, seed):
    """The gradient of a unit is a mean: every record twice changes nothing."""
    model, x, y = random_case(sizes, seed)
    twice = torch.cat([part.repeat(2) for part in torch.arange(len(x)).split(sizes)])
    one, other = clipped(model, x, y, sizes), clipped(model, x[twice], y[twice], [2 * size for size in sizes])
    assert torch.allclose(one.norms, other.norms, **EXACT)
    assert torch.allclose(flat(one.gradients), flat(other.gradients), **EXACT)


# ---- against Opacus

# Opacus 1.6.0 takes every edge for zeros, so its gradients are wrong there, and a layer norm always to have a bias.
BEYOND_THEM = ("convolution, reflected", "convolution, edge wrapped", "layer norm on several dimensions of a grid")
THEIRS = {name: (make, shape, 0) for name, (make, shape) in LAYERS.items() if not name.startswith(BEYOND_THEM)}
THEIRS |= {"embedding": (lambda: nn.Embedding(4, 3), (7,), 4)}


@pytest.mark.filterwarnings("ignore:Full backward hook is firing:UserWarning")  # its hooks, at the first layer
@pytest.mark.parametrize("name", THEIRS)
def test_records_are_clipped_as_opacus_clips_them(name):
    """Single precision; they divide by ‖g‖ + 1e-6, so 1e-4 where norms are of order 1."""
    make, shape, entries = THEIRS[name]
    model, (x, y) = headed(make(), shape, entries), batch(shape, 12, entries=entries)
    theirs = GradSampleModule(copy.deepcopy(model), loss_reduction="sum")
    F.cross_entropy(theirs(x), y, reduction="sum").backward()
    norms = torch.stack([p.grad_sample.flatten(1).norm(dim=1) for p in theirs.parameters()]).norm(dim=0)
    clip = float(norms.median())
    mine = clipped(model, x, y, [1] * 12, clip)
    assert torch.allclose(mine.norms, norms, rtol=1e-4)
    optimizer = DPOptimizer(
        torch.optim.SGD(theirs.parameters(), 1.0),
        noise_multiplier=0.0,
        max_grad_norm=clip,
        expected_batch_size=None,
        loss_reduction="sum",
    )
    optimizer.clip_and_accumulate()
    for ours, p in zip(mine.gradients, theirs.parameters(), strict=True):
        assert torch.allclose(ours, p.summed_grad, rtol=1e-4, atol=1e-5)

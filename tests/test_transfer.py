"""Faces by transfer: a public core, frozen, and what is trained behind it."""

import numpy as np
import pytest
import torch
from torch import nn

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab import models
from dpmia_lab.checks import Mistake
from dpmia_lab.data.faces import generated_faces
from dpmia_lab.privacy.dp_sgd import DpSgd
from dpmia_lab.privacy.units import units_from
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import Progress, drain
from dpmia_lab.torchvision_shim import import_torchvision
from dpmia_lab.training import plain, private, transfer

SHAPE = (1, 20, 16)
PEOPLE = 12


@pytest.fixture(scope="module")
def core():
    return drain(transfer.public_core(SHAPE, seed=0, people=60, pictures=10))


def few_pictures(people, seed):
    """Two pictures of each person to train on, six to test: x, y, test_x, test_y."""
    x, y = generated_faces(people, 8, *SHAPE[1:], seed)
    first = np.arange(len(y)) % 8 < 2
    return x[first], torch.from_numpy(y[first]), x[~first], y[~first]


@pytest.fixture(scope="module")
def private_faces():
    return few_pictures(PEOPLE, 0)


def head(seed=0):
    return models.mlp((128,), PEOPLE, torch_generator(seed, "head"))


def accuracy(model, x, y):
    return (plain.confidences(model, torch.from_numpy(x)).argmax(1).numpy() == y).mean()


# ---- the core
def test_a_core_is_frozen_and_says_128_numbers_of_a_picture(core):
    assert not core.training and not any(p.requires_grad for p in core.parameters())
    found = transfer.features(core, np.random.default_rng(0).random((5, *SHAPE), dtype=np.float32))
    assert found.shape == (5, 128) and found.dtype == np.float32
    assert np.allclose(found.mean(1), 0, atol=1e-5) and np.allclose(found.std(1, ddof=1), 1, atol=1e-3)


def test_features_do_not_depend_on_the_batch(core, private_faces):
    x = private_faces[0]
    assert np.allclose(transfer.features(core, x), transfer.features(core, x, batch=7), atol=1e-5)


def small_core(seed, shape=SHAPE, events=None):
    stage = transfer.public_core(shape, seed, people=5, pictures=3)
    return drain(stage, (events if events is not None else []).append)


def test_the_same_seed_trains_the_same_core_and_another_another():
    one, same, other = small_core(0), small_core(0), small_core(1)
    for a, b, c in zip(one.parameters(), same.parameters(), other.parameters(), strict=True):
        assert torch.equal(a, b) and not torch.equal(a, c)


def test_progress_rises_to_its_end_and_the_global_generator_is_left_alone():
    events, before = [], torch.random.get_rng_state()
    small_core(0, events=events)
    done = [event.done / event.total for event in events if isinstance(event, Progress)]
    assert done == sorted(done) and done[-1] == pytest.approx(1)
    assert torch.equal(before, torch.random.get_rng_state())


def test_colour_pictures_have_a_core_too():
    core = small_core(0, shape=(3, 20, 16))
    assert transfer.features(core, np.zeros((2, 3, 20, 16), np.float32)).shape == (2, 128)


def test_public_people_are_not_the_private_ones():
    """Nobody's picture is among the private pictures of the same seed, drawn by the same hand."""
    x, y = drain(transfer.public_people(SHAPE, 0, 6, 3))
    private_x, _ = generated_faces(6, 3, *SHAPE[1:], seed=0)
    apart = np.abs(x.numpy()[:, None] - private_x[None]).mean((2, 3, 4))
    assert x.shape == (18, *SHAPE) and y.tolist() == np.repeat(range(6), 3).tolist()
    assert apart.min() > 0.02
    albums = x.reshape(6, -1)
    assert len(albums.unique(dim=0)) == 6


def test_a_core_helps_where_pictures_are_few(core):
    """Mean over three sets of 20 people: from one set to the next either network varies by .08 (deviation)."""
    found = np.array([transferred_and_from_scratch(core, seed) for seed in (1, 2, 3)])
    transferred, scratch = found.mean(0)
    assert transferred > scratch + 0.02 and transferred > 0.75


def transferred_and_from_scratch(core, seed, people=20):
    """Test accuracies after training on two pictures of each person."""
    x, y, test_x, test_y = few_pictures(people, seed)
    how = {"epochs": 60, "adam": True, "batch": 20}
    behind = models.softmax_regression((128,), people)
    seen = torch.from_numpy(transfer.features(core, x))
    drain(plain.train(behind, seen, y, rate=0.01, generator=torch_generator(seed, "order"), **how))
    scratch = models.small_cnn(SHAPE, people, torch_generator(seed, "start"))
    drain(plain.train(scratch, torch.from_numpy(x), y, rate=0.002, generator=torch_generator(seed, "order"), **how))
    return accuracy(behind, transfer.features(core, test_x), test_y), accuracy(scratch, test_x, test_y)


# ---- last layers behind a frozen core, and a small model on its features
def same_weights(one, other):
    return all(torch.allclose(a, b, rtol=1e-4, atol=1e-5) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("adam", [False, True])
def test_training_behind_the_core_is_training_on_its_features(core, private_faces, adam):
    x, y, *_ = private_faces
    how = {"epochs": 5, "rate": 0.003 if adam else 0.05, "adam": adam, "batch": 10}
    small, last = head(), head()
    drain(plain.train(small, torch.from_numpy(transfer.features(core, x)), y, generator=torch_generator(1), **how))
    whole, before = nn.Sequential(core, last), [p.clone() for p in core.parameters()]
    drain(plain.train(whole, torch.from_numpy(x), y, generator=torch_generator(1), **how))
    assert same_weights(small.parameters(), last.parameters())
    assert not same_weights(small.parameters(), head().parameters())
    assert all(torch.equal(a, b) for a, b in zip(before, core.parameters(), strict=True))


def test_and_so_it_is_with_private_training(core, private_faces):
    x, y, *_ = private_faces
    dp = DpSgd(sigma=1.0, q=0.3, clip=1.0, steps=10)
    units, small, last = units_from(np.arange(len(y))), head(), head()
    seen, whole = torch.from_numpy(transfer.features(core, x)), nn.Sequential(core, last)
    drain(private.train(small, seen, y, units, dp, rate=0.5, generator=torch_generator(1)))
    drain(private.train(whole, torch.from_numpy(x), y, units, dp, rate=0.5, generator=torch_generator(1)))
    assert same_weights(small.parameters(), last.parameters())


# ---- torchvision's networks
def resnet(name="resnet18", classes=1000):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return getattr(import_torchvision().models, name)(weights=None, num_classes=classes).eval()


@pytest.fixture(scope="module")
def theirs():
    return resnet(classes=7)


@pytest.fixture(scope="module")
def weights_file(tmp_path_factory, theirs):
    file = tmp_path_factory.mktemp("weights") / "resnet18.pth"
    torch.save(theirs.state_dict(), file)
    return file


def test_a_torchvision_core_is_the_network_without_its_last_layer(weights_file, theirs):
    """Pictures large enough to be left as they are; its input standardised by hand."""
    before = torch.random.get_rng_state()
    core = transfer.torchvision_core("resnet18", weights_file)
    assert torch.equal(before, torch.random.get_rng_state())
    x = torch.rand(3, 3, 64, 70, generator=torch_generator(0))
    mean, deviation = (torch.tensor(v).view(3, 1, 1) for v in (transfer.MEAN, transfer.DEVIATION))
    with torch.no_grad():
        inner = core[1](core[0](x))
        assert torch.allclose(theirs.fc(inner), theirs((x - mean) / deviation), atol=1e-4)
    found = transfer.features(core, x.numpy())
    assert np.allclose(found, models.Standardise()(inner).numpy(), atol=1e-4) and found.shape == (3, 512)
    assert not core.training and not any(p.requires_grad for p in core.parameters())


@pytest.mark.parametrize(
    ("shape", "sides"), [((1, 32, 24), (85, 64)), ((3, 8, 8), (64, 64)), ((1, 100, 80), (100, 80))], ids=str
)
def test_small_grey_pictures_become_larger_colour_ones(shape, sides):
    tone = transfer.ImageNetInput()(torch.full((2, *shape), 0.5))
    assert tone.shape == (2, 3, *sides)
    expected = (0.5 - torch.tensor(transfer.MEAN)) / torch.tensor(transfer.DEVIATION)
    assert torch.allclose(tone.mean((0, 2, 3)), expected, atol=1e-5)


def test_a_missing_file_is_answered(tmp_path):
    with pytest.raises(Mistake, match="the file of weights must exist; there is none at"):
        transfer.torchvision_core("resnet18", tmp_path / "none.pth")


@pytest.mark.parametrize("length", [0, 100, 50_000])
def test_a_damaged_file_is_answered(tmp_path, weights_file, length):
    file = tmp_path / "damaged.pth"
    file.write_bytes(weights_file.read_bytes()[:length])
    with pytest.raises(Mistake, match="it cannot be read"):
        transfer.torchvision_core("resnet18", file)


@pytest.mark.parametrize("content", [[1, 2], {"epoch": 3}, torch.zeros(2)])
def test_a_file_of_something_else_is_answered(tmp_path, content):
    file = tmp_path / "else.pth"
    torch.save(content, file)
    with pytest.raises(Mistake, match="it holds something else"):
        transfer.torchvision_core("resnet18", file)


def test_weights_of_another_network_are_answered(weights_file, tmp_path):
    with pytest.raises(Mistake, match="must be those of resnet34; their names or shapes differ"):
        transfer.torchvision_core("resnet34", weights_file)
    torch.save({"conv1.weight": torch.zeros(2)}, tmp_path / "few.pth")
    with pytest.raises(Mistake, match="must be those of resnet18"):
        transfer.torchvision_core("resnet18", tmp_path / "few.pth")


def test_a_network_nobody_knows_is_answered(weights_file):
    with pytest.raises(Mistake, match="name must be one of resnet18, resnet34, resnet50; it is 'vgg99'"):
        transfer.torchvision_core("vgg99", weights_file)

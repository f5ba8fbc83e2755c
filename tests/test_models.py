"""The models: shapes, and a start that depends on the passed generator and nothing else."""

import pytest
import torch
from torch import nn

from dpmia_lab import models
from dpmia_lab.seeds import torch_generator

SHAPES = [(1, 8, 8), (1, 28, 28), (1, 56, 46), (3, 32, 32), (3, 6, 7)]
BUILDERS = {
    "softmax": lambda shape, generator: models.new_model("softmax", shape, 7, generator),
    "mlp": lambda shape, generator: models.new_model("mlp", shape, 7, generator),
    "cnn": lambda shape, generator: models.new_model("cnn", shape, 7, generator),
    "judge": lambda shape, generator: models.evaluation_cnn(shape, 7, generator),
}
every_model = pytest.mark.parametrize("name", BUILDERS)


def layers(model, kind):
    return [layer for layer in model if isinstance(layer, kind)]


@every_model
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_pictures_become_one_logit_a_class(name, shape):
    model = BUILDERS[name](shape, torch_generator(0, "model"))
    assert model(torch.rand(5, *shape, generator=torch_generator(0, "x"))).shape == (5, 7)


@every_model
def test_building_draws_nothing_from_the_global_generator(name):
    before = torch.random.get_rng_state()
    BUILDERS[name]((1, 28, 28), torch_generator(0, "model"))
    assert torch.equal(before, torch.random.get_rng_state())


@every_model
def test_nothing_is_left_uninitialised(name, monkeypatch):
    """Memory that nobody fills is NaN here, so it would show in the weights."""
    empty = torch.empty
    monkeypatch.setattr(torch, "empty", lambda *size, **how: empty(*size, **how).fill_(torch.nan))
    model = BUILDERS[name]((1, 12, 10), torch_generator(0, "model"))
    monkeypatch.undo()
    tensors = [*model.parameters(), *model.buffers()]
    assert tensors and all(torch.isfinite(t).all() for t in tensors)


@every_model
def test_the_same_generator_builds_the_same_weights(name):
    one, same = (BUILDERS[name]((1, 12, 10), torch_generator(4, "model")) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), same.parameters(), strict=True))


@pytest.mark.parametrize("name", ["mlp", "cnn", "judge"])
def test_another_generator_builds_other_weights(name):
    one, other = (BUILDERS[name]((1, 12, 10), torch_generator(seed, "model")) for seed in (4, 5))
    assert all(not torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


@pytest.mark.parametrize("name", ["mlp", "cnn", "judge"])
def test_weights_spread_as_pytorch_spreads_its_own(name):
    model = BUILDERS[name]((1, 28, 28), torch_generator(0, "model"))
    for layer in layers(model, nn.Linear | nn.Conv2d):
        bound = layer.weight[0].numel() ** -0.5
        assert layer.weight.abs().max() <= bound
        assert layer.weight.std().item() == pytest.approx(bound / 3**0.5, rel=0.1)


def test_softmax_regression_starts_at_zero():
    model = models.softmax_regression((1, 8, 8), 10)
    assert all(not parameter.any() for parameter in model.parameters())
    assert [tuple(p.shape) for p in model.parameters()] == [(10, 64), (10,)]


def test_the_tanh_network_has_the_size_it_is_said_to_have_and_refuses_nothing_it_can_take():
    """Two convolutions and two full layers; 16·64 + 16, 32·256 + 32, 32·512 + 32, 10·32 + 10."""
    model = models.tanh_cnn((1, 28, 28), 10, torch_generator(0))
    assert len(layers(model, nn.Conv2d)) == len(layers(model, nn.Linear)) == 2
    assert sum(p.numel() for p in model.parameters()) == 1040 + 8224 + 16416 + 330 == 26_010
    for shape in ((1, 14, 14), (3, 32, 27)):
        assert models.tanh_cnn(shape, 7, torch_generator(0))(torch.zeros(2, *shape)).shape == (2, 7)


def test_the_small_network_has_two_convolutions_and_two_full_layers():
    model = models.small_cnn((1, 28, 28), 10, torch_generator(0))
    assert len(layers(model, nn.Conv2d)) == len(layers(model, nn.Linear)) == 2


def test_the_hidden_layer_has_128_sigmoid_units():
    model = models.mlp((1, 8, 8), 10, torch_generator(0))
    assert [tuple(layer.weight.shape) for layer in layers(model, nn.Linear)] == [(128, 64), (10, 128)]
    assert len(layers(model, nn.Sigmoid)) == 1


def test_the_judge_has_the_layers_of_paper_e():
    model = models.evaluation_cnn((1, 56, 46), 40, torch_generator(0))
    kinds = [type(layer).__mro__ for layer in model if not isinstance(layer, nn.Flatten)]
    wanted = [models.Standardise, nn.Conv2d, nn.MaxPool2d, nn.ReLU]
    wanted += [nn.Linear, nn.ReLU, nn.Linear, nn.ReLU, nn.Linear]
    assert len(kinds) == len(wanted) and all(w in mro for w, mro in zip(wanted, kinds, strict=True))
    (convolution,), (pool,) = layers(model, nn.Conv2d), layers(model, nn.MaxPool2d)
    assert (convolution.out_channels, convolution.kernel_size, convolution.stride) == (30, (5, 5), (1, 1))
    assert pool.kernel_size == 2
    assert [layer.out_features for layer in layers(model, nn.Linear)] == [100, 100, 40]


def test_an_unknown_model_has_no_builder():
    with pytest.raises(KeyError):
        models.new_model("forest", (1, 8, 8), 2, torch_generator(0))


@pytest.mark.parametrize("shape", [(1, 8, 8), (3, 9, 7)], ids=str)
def test_standardised_pictures_have_mean_0_and_deviation_1(shape):
    x = torch.rand(4, *shape, generator=torch_generator(0, "x"))
    flat = models.Standardise()(x).flatten(1)
    assert torch.allclose(flat.mean(1), torch.zeros(4), atol=1e-5)
    assert torch.allclose(flat.std(1), torch.ones(4), atol=1e-4)


def test_standardising_forgets_brightness_and_contrast_but_not_the_picture():
    standardise, x = models.Standardise(), torch.rand(4, 1, 8, 8, generator=torch_generator(0, "x"))
    assert torch.allclose(standardise(x), standardise(0.3 * x + 0.5), atol=1e-4)
    assert not torch.allclose(standardise(x), standardise(1 - x), atol=1e-2)


@pytest.mark.parametrize("tone", [0.0, 0.1, 0.5, 1.0])
def test_a_flat_picture_standardises_to_nothing(tone):
    out = models.Standardise()(torch.full((2, 1, 8, 8), tone))
    assert torch.isfinite(out).all()
    assert out.abs().max() < 0.05


def test_a_centred_model_sees_the_difference_from_the_picture():
    generator = torch.Generator().manual_seed(1)
    model = models.mlp((1, 3, 3), 4, generator)
    x, middle = torch.rand(5, 1, 3, 3, generator=generator), torch.rand(1, 3, 3, generator=generator)
    centred = models.centred(model, middle)
    assert torch.equal(centred(x), model(x - middle))
    assert len(list(centred.parameters())) == len(list(model.parameters()))  # the picture is none

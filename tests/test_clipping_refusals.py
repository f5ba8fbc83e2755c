"""What cannot be trained privately is refused in one sentence, and clipping leaves nothing behind."""

import pytest
import torch
from test_clipping import batch, clipped, convolutional
from torch import nn

from dpmia_lab.checks import Mistake
from dpmia_lab.privacy.clipping import Clipper

# ---- refusals


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.again = nn.Linear(5, 5)

    def forward(self, x):
        return self.again(self.again(x))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.other = nn.Linear(5, 5), nn.Linear(5, 5)
        self.other.weight = self.one.weight

    def forward(self, x):
        return self.other(self.one(x))


class Bare(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.scale = nn.Linear(5, 5), nn.Parameter(torch.ones(5))

    def forward(self, x):
        return self.layer(x) * self.scale


class Scaled(nn.Linear):
    """A linear layer with a parameter of its own, whose gradient nobody would compute."""

    def __init__(self):
        super().__init__(5, 5)
        self.gain = nn.Parameter(torch.ones(5))


class Folded(nn.Module):
    """Rows of a sequence passed as if each were a record."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 2)

    def forward(self, x):
        return self.inner(x.reshape(-1, 1)).reshape(len(x), -1)


class Residual(nn.Module):
    """Changes what its layer was given, after the layer has seen it."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(5, 5)

    def forward(self, x):
        x = x.clone()
        x += self.step(x)
        return x


def with_inner(layer):
    return nn.Sequential(nn.Linear(5, 4), nn.Sequential(layer))


REFUSED = {  # the model, and what the sentence must hold
    "batch norm": (lambda: with_inner(nn.BatchNorm1d(4)), ["batch normalisation", "mixes records", "1.0 is a"]),
    "batch norm of pictures": (lambda: with_inner(nn.BatchNorm2d(4, affine=False)), ["GroupNorm", "1.0 is a"]),
    "recurrent": (lambda: with_inner(nn.LSTM(4, 3)), ["Linear, Conv2d,", "1.0 is a LSTM"]),
    "transposed": (lambda: with_inner(nn.ConvTranspose2d(4, 3, 3)), ["must be one of", "1.0 is a ConvTranspose2d"]),
    "instance norm": (lambda: with_inner(nn.InstanceNorm2d(4, affine=True)), ["1.0 is a InstanceNorm2d"]),
    "bends with parameters": (lambda: with_inner(nn.PReLU()), ["1.0 is a PReLU"]),
    "bare parameter": (Bare, ["the model itself is a Bare"]),
    "bare parameter inside": (lambda: with_inner(Bare()), ["1.0 is a Bare"]),
    "parameter added to a layer": (lambda: with_inner(Scaled()), ["1.0 is a Scaled"]),
    "dropout": (lambda: with_inner(nn.Dropout(0.5)), ["dropout", "same seed", "1.0 is a Dropout"]),
    "tied": (Tied, ["must not share parameters", "one and other do"]),
    "max_norm": (lambda: with_inner(nn.Embedding(5, 2, max_norm=1.0)), ["max_norm", "1.0 has"]),
    "by frequency": (
        lambda: with_inner(nn.Embedding(5, 2, scale_grad_by_freq=True)),
        ["scale_grad_by_freq", "1.0 has"],
    ),
}
REFUSED_RUNNING = {
    "twice": (Twice, ["used once", "again is used again"]),
    "in-place ReLU": (lambda: with_inner(nn.ReLU(inplace=True)), ["in place", "inplace=False", "0's was"]),
    "input changed": (Residual, ["in place", "step's was"]),
    "folded": (Folded, ["one row a record", "inner's has 20 for 4"]),
}


def assert_one_sentence(refusal, parts):
    text = str(refusal.value)
    assert text.endswith(".") and ". " not in text and "\n" not in text
    assert all(part in text for part in parts), text


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_private_is_refused_in_one_sentence_that_names_the_layer(name):
    make, parts = REFUSED[name]
    with pytest.raises(Mistake) as refusal:
        Clipper(make())
    assert_one_sentence(refusal, parts)


@pytest.mark.parametrize("name", REFUSED_RUNNING)
def test_what_only_running_shows_is_refused_likewise(name):
    make, parts = REFUSED_RUNNING[name]
    with pytest.raises(Mistake) as refusal:
        clipped(make(), torch.ones(4, 5), torch.zeros(4, dtype=torch.long), (1, 3))
    assert_one_sentence(refusal, parts)


@pytest.mark.parametrize(
    "layer", [nn.Dropout(0.0), nn.Dropout(0.5).eval(), nn.ReLU(), nn.InstanceNorm1d(4), nn.LSTM(4, 3)]
)
def test_what_does_no_harm_is_accepted(layer):
    """Among them a recurrent layer that is not trained."""
    Clipper(with_inner(layer.requires_grad_(False)))


# ---- manners


def state_of(model):
    """All that a passing gradient may not change."""
    hooks = [list(layer._forward_hooks.values()) + list(layer._backward_hooks.values()) for layer in model.modules()]
    flags = [(p.requires_grad, p.grad, p._version) for p in model.parameters()]
    generator = torch.get_rng_state().tolist()
    return hooks, flags, [layer.training for layer in model.modules()], torch.is_grad_enabled(), generator


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("grad", [True, False])
def test_nothing_is_left_behind(grad, training):
    model = convolutional().train(training)
    model[0].register_forward_hook(lambda *_: None)
    with torch.set_grad_enabled(grad):
        before = state_of(model)
        found = clipped(model, *batch((1, 7, 6), 6), (2, 4))
        assert state_of(model) == before
    assert not any(t.requires_grad for t in [*found.gradients, found.norms, found.loss])


@pytest.mark.parametrize("make", [Twice, Folded, Residual, convolutional])
@pytest.mark.parametrize("grad", [True, False])
def test_nothing_is_left_behind_by_a_failure(make, grad):
    """Three refusals, and pictures of a shape that the model cannot take."""
    model = make()
    with torch.set_grad_enabled(grad):
        before = state_of(model)
        with pytest.raises((Mistake, RuntimeError)):
            clipped(model, torch.ones(4, 5), torch.zeros(4, dtype=torch.long), (1, 3))
        assert state_of(model) == before


def test_a_model_with_nothing_to_train_is_refused():
    with pytest.raises(Mistake, match="must have a parameter to train; it has none"):
        Clipper(nn.Flatten())

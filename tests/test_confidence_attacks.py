"""The attacks on confidences against what must come out: toy maps, closed forms, one by one."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from dpmia_lab import devices, models  # noqa: F401 (one thread)
from dpmia_lab.attacks.confidences import gmi as generative
from dpmia_lab.attacks.confidences import views
from dpmia_lab.attacks.confidences.alignment import decoder_layers, trained_decoder
from dpmia_lab.attacks.confidences.discriminator import Discriminator
from dpmia_lab.attacks.confidences.side_by_side import copies, logits_of_all
from dpmia_lab.attacks.confidences.update_leaks import Update, answers_after, answers_before, changes, comparable
from dpmia_lab.attacks.inversion.public_prior import PictureGaussian, picture_gaussian
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import Progress, Snapshot, Stopped, drain
from dpmia_lab.training.bottleneck import with_bottleneck
from dpmia_lab.training.optimizers import Adam

SHAPE = (1, 8, 8)


def some_pictures(n, seed=0, rank=4):
    """Pictures that differ in ``rank`` directions, around mid-grey."""
    generator = torch_generator(seed, "pictures")
    directions = 0.1 * torch.randn(rank, 64, generator=torch_generator(0, "directions"))
    z = torch.randn(n, rank, generator=generator).clamp(-2, 2)
    return (0.5 + z @ directions).clamp(0, 1).view(n, *SHAPE)


# ---- what the decoder sees
def test_views_of_confidences():
    p = np.array([[0.7, 0.2, 0.1, 0.0], [0.1, 0.1, 0.2, 0.6]])
    assert views.seen(p, "full") == pytest.approx(p)
    assert views.seen(p, "log")[:, 0] == pytest.approx(np.log(p[:, 0]))
    assert views.seen(p, "log")[0, 3] == pytest.approx(np.log(views.FLOOR))
    assert views.seen(p, "top", 2) == pytest.approx(
        np.log(np.maximum([[0.7, 0.2, 0, 0], [0, 0, 0.2, 0.6]], views.FLOOR))
    )
    assert views.seen(p, "top", 9) == pytest.approx(views.seen(p, "log"))
    assert views.label_alone(p).tolist() == [[1, 0, 0, 0], [0, 0, 0, 1]]


# ---- knowledge alignment
def decoded(inputs, pictures, asked, steps=800, seed=0):
    basis = picture_gaussian(pictures, 20)
    decoder = drain(trained_decoder(inputs, pictures, basis, steps=steps, generator=torch_generator(seed)))
    return decoder.pictures(asked)


def test_a_decoder_inverts_a_map_that_can_be_inverted():
    """The softmax of four directions' coordinates and one more: its logarithm tells them exactly."""
    known, new = some_pictures(600, 1), some_pictures(100, 2)
    basis = picture_gaussian(known, 4)
    readout = basis.directions.T / basis.directions.square().sum(1)  # pixels to coordinates

    def logarithms(x):
        z = (x - basis.mean).flatten(1) @ readout
        return F.log_softmax(torch.cat([z, torch.zeros(len(z), 1)], 1), dim=1)

    drawn = decoded(logarithms(known), known, logarithms(new))
    error, usual = ((a - new).square().mean() for a in (drawn, known.mean(0)))
    assert error < 0.03 * usual


def test_a_decoder_that_is_told_nothing_draws_the_mean():
    known = some_pictures(300)
    drawn = decoded(torch.zeros(300, 5), known, torch.zeros(3, 5))
    assert torch.allclose(drawn, known.mean(0).expand(3, *SHAPE), atol=0.02)


def test_an_error_over_pixels_is_a_weighted_error_over_components():
    known = some_pictures(50)
    basis = picture_gaussian(known, 4)
    z = torch.randn(7, 4, generator=torch_generator(3))
    weights = basis.directions.square().sum(1) / 64
    assert (weights * z.square()).sum(1) == pytest.approx((basis.pictures(z) - basis.mean).square().mean((1, 2, 3)))


def test_a_decoder_shows_pictures_on_the_way_and_the_same_seed_gives_the_same_bits():
    known, inputs, events = some_pictures(40), torch.randn(40, 3, generator=torch_generator(0)), []
    basis = picture_gaussian(known, 4)

    def run():
        stage = trained_decoder(inputs, known, basis, steps=30, generator=torch_generator(1), shown=inputs[:2])
        return drain(stage, events.append).pictures(inputs)

    assert torch.equal(run(), run())
    shown = [event.array for event in events if isinstance(event, Snapshot)]
    assert all(array.shape == (2, *SHAPE) and 0 <= array.min() and array.max() <= 1 for array in shown) and shown
    assert len([event for event in events if isinstance(event, Progress)]) == 60


# ---- with a discriminator
def decoded_with(weight, asked, steps=30, on_event=None, should_stop=None):
    """A decoder whose inputs say nothing of the pictures: by the squared error alone it draws their mean."""
    known, inputs = some_pictures(2000), torch.randn(2000, 3, generator=torch_generator(0))
    stage = trained_decoder(
        inputs, known, picture_gaussian(known, 4), steps=steps, generator=torch_generator(1), adversarial=weight
    )
    return drain(stage, on_event, should_stop).pictures(asked)


def test_with_a_discriminator_drawings_differ_more_like_real_pictures_do():
    """Of the real pictures' variance a hundredth without it; with it a good part, if not all.

    Measured from five starts: .007 to .009 without it, .24 to .56 with it. Two such networks drive one another, so that
    another processor, which rounds otherwise, ends elsewhere among these.
    """
    asked = torch.randn(200, 3, generator=torch_generator(7))
    real = float(some_pictures(200, 3).var(0).mean())
    without, with_it = (float(decoded_with(weight, asked, 600).var(0).mean()) for weight in (0.0, 0.1))
    assert without < 0.02 * real < 0.06 * real < with_it < 1.5 * real


def test_with_a_discriminator_the_same_seed_gives_the_same_bits():
    asked = torch.randn(5, 3, generator=torch_generator(7))
    one = decoded_with(0.1, asked)
    assert torch.equal(one, decoded_with(0.1, asked)) and not torch.equal(one, decoded_with(0.0, asked))


def test_without_weight_a_decoder_is_bit_for_bit_one_that_knows_no_discriminator():
    """Written out once more, with the squared error alone."""
    known, inputs = some_pictures(2000), torch.randn(2000, 3, generator=torch_generator(0))
    asked, generator = torch.randn(5, 3, generator=torch_generator(7)), torch_generator(1)
    basis = picture_gaussian(known, 4)
    layers, lengths = decoder_layers(3, 256, 4, generator), basis.directions.square().sum(1)
    wanted, optimizer = (known - basis.mean).flatten(1) @ basis.directions.T / lengths, Adam(layers.parameters(), 2e-3)
    given = (inputs - inputs.mean(0)) / inputs.std(0)
    for step in range(30):
        chosen = torch.randint(2000, (64,), generator=generator)
        loss = (lengths / 64 * (layers(given[chosen]) - wanted[chosen]).square()).sum(1).mean()
        optimizer.rate = 2e-3 * (1 - step / 30)
        optimizer.step(torch.autograd.grad(loss, optimizer.parameters))
    plain = basis.pictures(layers((asked - inputs.mean(0)) / inputs.std(0))).clamp(0, 1)
    assert torch.equal(decoded_with(0.0, asked), plain.detach())


def test_a_decoder_with_a_discriminator_stops_when_asked():
    events = []
    with pytest.raises(Stopped):
        decoded_with(0.1, torch.zeros(1, 3), on_event=events.append, should_stop=lambda: len(events) > 3)
    assert len(events) == 4


def test_a_discriminator_learns_to_tell_drawn_from_real():
    real, drawn = some_pictures(200), 0.7 * some_pictures(200, 5)
    discriminator = Discriminator(real, torch_generator(0))
    for _ in range(300):
        discriminator.learn(drawn[:64])
    new = some_pictures(100, 6), 0.7 * some_pictures(100, 8)
    taken_for_real = [(discriminator.layers(x) > 0).float().mean() for x in new]
    assert taken_for_real[0] > 0.9 > 0.2 > taken_for_real[1]


# ---- GMI
def linear_model(classes=2, seed=0):
    layer = models.Linear(64, classes)
    with torch.no_grad():
        layer.weight.copy_(torch.randn(classes, 64, generator=torch_generator(seed)))
        layer.bias.zero_()
    return nn.Sequential(nn.Flatten(), layer)


def test_gmi_on_a_linear_model_is_its_closed_form():
    """Of two classes the margin is (w_ℓ − w_o)·x(z): λ·margin − ½‖z‖² is highest at z = λ·D(w_ℓ − w_o)."""
    model, prior = linear_model(), picture_gaussian(some_pictures(100), 4)
    prior = PictureGaussian(prior.mean, 0.1 * prior.directions)  # so that no picture is cut to black or white
    found = drain(
        generative.gmi(
            model, torch.arange(2), prior, identity=generative.margin, weight=0.5, steps=600, rate=0.05, restarts=2,
            generator=torch_generator(1),
        )
    )  # fmt: skip
    w = model[1].weight.detach()
    best = prior.pictures(0.5 * torch.stack([w[0] - w[1], w[1] - w[0]]) @ prior.directions.T)
    assert 0 < best.min() and best.max() < 1
    assert torch.allclose(found.x, best, atol=1e-3)


@pytest.mark.parametrize("identity", [generative.log_confidence, generative.margin])
def test_the_gradient_of_prior_and_identity_is_that_of_finite_differences(identity):
    model, labels = linear_model(3).double(), torch.tensor([0, 2])
    gaussian = picture_gaussian(some_pictures(50).double(), 4)
    z = torch.randn(2, 4, generator=torch_generator(1), dtype=torch.float64)

    def value(z):
        return (gaussian.energy(z) - 3 * identity(model(gaussian.pictures(z)), labels)).sum()

    gradient, _ = generative.descent_and_confidence(model, z, labels, gaussian, identity, 3.0)
    for place in np.ndindex(2, 4):
        step = torch.zeros_like(z)
        step[place] = 1e-5
        slope = float((value(z + step) - value(z - step)).detach()) / 2e-5
        assert float(gradient[place]) == pytest.approx(slope, rel=1e-4)


def test_batched_latents_are_each_as_alone_and_the_surest_restart_is_kept():
    model, prior = linear_model(3), picture_gaussian(some_pictures(100), 4)
    how = {"identity": generative.log_confidence, "weight": 5.0, "steps": 40, "rate": 0.1}

    class Given(PictureGaussian):
        """Starts where it is told."""

        def starts(self, count, generator):
            return first[:count].clone()

    given, labels = Given(prior.mean, prior.directions), torch.arange(3)
    starts = torch.randn(6, 4, generator=torch_generator(1))
    first = starts
    together = drain(generative.gmi(model, labels, given, restarts=2, generator=torch_generator(0), **how))
    for label in range(3):
        alone = []
        for place in (label, 3 + label):
            first = starts[place : place + 1]
            one = generative.gmi(model, labels[[label]], given, restarts=1, generator=torch_generator(0), **how)
            alone.append(drain(one))
        best = min(alone, key=lambda one: float(one.cost[0]))
        assert torch.allclose(together.x[label], best.x[0], atol=1e-5)
        assert float(together.cost[label]) == pytest.approx(float(best.cost[0]), abs=1e-5)


def test_a_margin_goes_on_rising_where_the_confidence_is_flat():
    logits = torch.tensor([[50.0, 0.0, 1.0]], requires_grad=True)
    label = torch.tensor([0])
    (flat,) = torch.autograd.grad(generative.log_confidence(logits, label).sum(), logits)
    (steep,) = torch.autograd.grad(generative.margin(logits, label).sum(), logits)
    assert flat.abs().max() < 1e-6 and steep.tolist() == [[1.0, 0.0, -1.0]]
    assert generative.margin(logits, label).tolist() == [49.0]


# ---- update leaks
def network(name, noisy):
    generator = torch_generator(4, name)
    model = models.new_model(name, SHAPE, 5, generator, width=12)
    model = models.centred(model, torch.full(SHAPE, 0.3))
    return (with_bottleneck(model, 3, generator) if noisy else model).eval()


@pytest.mark.parametrize("noisy", [False, True])
@pytest.mark.parametrize("name", ["softmax", "mlp", "cnn"])
def test_networks_side_by_side_answer_as_each_alone(name, noisy):
    model, x = network(name, noisy), some_pictures(6).view(2, 3, *SHAPE)
    noise = torch.zeros(2, 3, 3)
    from dpmia_lab.training.bottleneck import through_mean

    alone = torch.stack([through_mean(model)(pictures) for pictures in x])
    assert torch.allclose(logits_of_all(model, copies(model, 2), x, noise), alone, atol=1e-5)


@pytest.mark.parametrize("update", [Update(0.5), Update(0.5, clip=0.1), Update(0.5, clip=1.0, sigma=0.3)])
@pytest.mark.parametrize(("name", "noisy"), [("mlp", False), ("cnn", False), ("cnn", True)])
def test_shadow_updates_batched_are_each_as_alone(name, noisy, update):
    model, x, y = network(name, noisy), some_pictures(7), torch.arange(7) % 5
    probes = some_pictures(4, 9)

    def run(at_once):
        return drain(answers_after(model, update, x, y, probes, torch_generator(2), at_once))

    assert torch.allclose(run(7), run(1), atol=1e-5)
    assert torch.allclose(run(7), run(3), atol=1e-5)


def test_an_update_is_a_step_of_gradient_descent():
    """Against autograd and the model itself, one record after another."""
    model, x, y, probes = network("cnn", False), some_pictures(3), torch.tensor([0, 1, 4]), some_pictures(4, 9)
    found = drain(answers_after(model, Update(0.5), x, y, probes, torch_generator(0)))
    for record in range(3):
        weights = [p.detach().clone() for p in model.parameters()]
        loss = F.cross_entropy(model(x[record : record + 1]), y[record : record + 1])
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        with torch.no_grad():
            for p, g in zip(model.parameters(), gradients, strict=True):
                p.sub_(0.5 * g)
            assert torch.allclose(found[record], F.softmax(model(probes), dim=1), atol=1e-5)
            for p, w in zip(model.parameters(), weights, strict=True):
                p.copy_(w)


def test_a_clipped_update_moves_no_further_than_its_bound():
    model, x, probes = network("mlp", False), some_pictures(3), some_pictures(4, 9)
    y = torch.tensor([0, 1, 4])
    near, far = (
        changes(answers_before(model, probes, torch_generator(0)),
                drain(answers_after(model, update, x, y, probes, torch_generator(1))))
        for update in (Update(0.5, clip=1e-4), Update(0.5))
    )  # fmt: skip
    assert near.abs().max() < 0.01 * far.abs().max()
    assert near.shape == (3, 4 * 5)


def test_answers_that_no_shadow_update_moved_are_left_out():
    shadows = torch.randn(50, 3, generator=torch_generator(0)) * torch.tensor([1.0, 0.0, 2.0])
    own, other = comparable(shadows, torch.tensor([[0.0, 7.0, 1e6]]))
    assert own.shape == (50, 2) and own.std(0) == pytest.approx(torch.ones(2), abs=0.05)
    assert other.shape == (1, 2) and float(other[0, 1]) == 5.0


def test_changes_of_answers_that_never_move_say_nothing():
    own, other = comparable(torch.zeros(50, 3), torch.tensor([[0.0, 7.0, 1e6]]))
    assert own.shape == (50, 3) and other.shape == (1, 3)
    assert not own.any() and not other.any()

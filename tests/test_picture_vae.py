"""The autoencoder as GMI's prior: its bound, its pictures, its gradient, chance without a network, and what ships."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from dpmia_lab import devices, models  # noqa: F401 (one thread)
from dpmia_lab.attacks.confidences import gmi as generative
from dpmia_lab.attacks.inversion import picture_vae
from dpmia_lab.experiments import confidences, public_vaes
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import Progress, Stopped, drain
from dpmia_lab.training.optimizers import Adam

SHAPE = (1, 8, 8)


def low_rank_pictures(n, seed):
    """Pictures that differ in three directions, around mid-grey."""
    directions = 0.1 * torch.randn(3, 64, generator=torch_generator(0, "directions"))
    z = torch.randn(n, 3, generator=torch_generator(seed, "pictures")).clamp(-2, 2)
    return (0.5 + z @ directions).clamp(0, 1).view(n, *SHAPE)


def quick_vae(seed=0, steps=400, on_event=None):
    stage = picture_vae.trained_vae(
        low_rank_pictures(300, 1), generator=torch_generator(seed), steps=steps, code=4, width=24, rate=5e-3
    )
    return drain(stage, on_event)


@pytest.fixture(scope="module")
def vae():
    return quick_vae()


def test_the_bounds_kl_in_closed_form_is_that_of_monte_carlo():
    """Mean of log q(z) − log p(z) over z ~ q = N(μ, s²), p = N(0, I)."""
    generator = torch_generator(3)
    encoder, decoder = (
        models.initialised(picture_vae.layers(*sizes), generator) for sizes in ((64, 16, 8), (4, 16, 64))
    )
    x = low_rank_pictures(5, 2).flatten(1)
    with torch.no_grad():
        encoder[-1].bias += torch.linspace(-2, 2, 8)  # codes that are clearly not N(0, I)
        _, kl = picture_vae.error_and_kl(encoder, decoder, x, x.mean(0), torch.zeros(5, 4))
        mu, s = picture_vae.code_distribution(encoder, x - x.mean(0))
    draws = torch.randn(100_000, 5, 4, generator=generator)
    z = mu + s * draws
    log_ratio = (0.5 * z.square() - 0.5 * draws.square() - s.log()).sum(2)  # (draws, n)
    assert kl.min() > 1 and kl.numpy() == pytest.approx(log_ratio.mean(0).numpy(), abs=0.05)


def test_the_decoder_draws_pictures_it_never_saw_better_than_their_mean(vae):
    new = low_rank_pictures(40, 9)
    z = torch.zeros(40, 4, requires_grad=True)
    optimizer = Adam([z], 0.1)
    for _ in range(100):
        error = (vae.pictures(z) - new).square().mean()
        optimizer.step(torch.autograd.grad(error, z))
    assert error < 0.2 * (vae.mean - new).square().mean()


def test_what_it_draws_is_between_black_and_white_and_scatters_as_the_pictures_do(vae):
    drawn, real = vae.pictures(vae.starts(500, torch_generator(5))), low_rank_pictures(500, 9)
    assert drawn.shape == real.shape and 0 <= drawn.min() and drawn.max() <= 1
    assert 0.5 < float(drawn.var(0).mean() / real.var(0).mean()) < 1.5


@pytest.mark.parametrize("identity", [generative.log_confidence, generative.margin])
def test_the_gradient_of_energy_and_identity_is_that_of_finite_differences(vae, identity):
    prior = picture_vae.from_arrays(picture_vae.as_arrays(vae), torch.device("cpu"))
    prior = replace(prior, decoder=prior.decoder.double())
    model = nn.Sequential(nn.Flatten(), models.Linear(64, 3)).double()
    with torch.no_grad():
        model[1].weight.copy_(torch.randn(3, 64, generator=torch_generator(0)))
        model[1].bias.zero_()
    labels, z = torch.tensor([0, 2]), torch.randn(2, 4, generator=torch_generator(1), dtype=torch.float64)

    def value(z):
        return float((prior.energy(z) - 3 * identity(model(prior.pictures(z)), labels)).sum().detach())

    gradient, _ = generative.descent_and_confidence(model, z, labels, prior, identity, 3.0)
    for place in np.ndindex(2, 4):
        step = torch.zeros_like(z)
        step[place] = 1e-6
        slope = (value(z + step) - value(z - step)) / 2e-6
        assert float(gradient[place]) == pytest.approx(slope, rel=1e-4, abs=1e-6)


def test_the_same_seed_gives_the_same_bits_and_every_step_tells_of_itself():
    events = []
    one, two, other = quick_vae(steps=20, on_event=events.append), quick_vae(steps=20), quick_vae(seed=1, steps=20)
    z = one.starts(3, torch_generator(0))
    assert torch.equal(one.pictures(z), two.pictures(z)) and not torch.equal(one.pictures(z), other.pictures(z))
    assert [event.done for event in events] == list(range(1, 21)) and all(isinstance(e, Progress) for e in events)
    assert not one.pictures(z).requires_grad


# ---- in the experiment
SMALL = replace(confidences.SMALL, model="softmax", prior="vae", updates=0)


@pytest.fixture(scope="module")
def prepared():
    return confidences.Prepared(SMALL)


def test_gmi_draws_with_it_and_without_the_network_it_is_at_chance(prepared):
    """Of ten classes; the interval of as many drawings as there are test pictures."""
    labels = []
    result = drain(
        confidences.run(SMALL, prepared), lambda e: isinstance(e, Progress) and labels.append((e.label, e.done))
    )
    assert result.rows.value("recognised", attack="gmi_adapted") >= 0.5
    assert result.rows.row("recognised", attack="prior_alone").low <= 0.1
    assert "training an autoencoder" in {label for label, _ in labels}
    done = [share for _, share in labels]
    assert done == sorted(done)


def test_it_is_learnt_once_and_can_be_stopped(prepared):
    drain(prepared.vae.result())
    events = []
    drain(prepared.vae.result(), events.append)
    assert not events
    with pytest.raises(Stopped):
        fresh = confidences.Prepared(SMALL).vae.result()
        drain(fresh, events.append, lambda: len(events) > 5)
    assert len(events) == 6


# ---- what ships
@pytest.mark.parametrize("preset", public_vaes.SHIPPED)
def test_what_ships_is_small_and_as_the_command_would_write_it(preset, tmp_path, monkeypatch):
    stored = public_vaes.stored_vae(preset)
    shipped = public_vaes.file_of(preset)
    assert shipped.stat().st_size < 200_000
    public = np.random.default_rng(0).random((70, *stored.mean.shape), dtype=np.float32)
    again = drain(picture_vae.trained_vae(torch.from_numpy(public), generator=torch_generator(0), steps=1))
    monkeypatch.setattr(public_vaes, "FOLDER", tmp_path)
    public_vaes.write_vae(preset, again)
    with np.load(shipped) as theirs, np.load(public_vaes.file_of(preset)) as ours:
        assert {name: (theirs[name].shape, theirs[name].dtype) for name in theirs.files} == {
            name: (ours[name].shape, ours[name].dtype) for name in ours.files
        }
    z = again.starts(4, torch_generator(0))
    assert torch.allclose(public_vaes.stored_vae(preset).pictures(z), again.pictures(z), atol=2e-3)


def test_a_stored_one_serves_the_very_pictures_it_learnt_from_and_no_others():
    """Of digits, those that are public under one seed are attacked under another."""
    stored = public_vaes.stored_vae("digits")
    publics = [
        drain(confidences.Prepared(replace(confidences.PRESETS["digits"], seed=seed)).roles.result()).public
        for seed in (0, 1)
    ]
    assert [stored.learnt_from(public) for public in publics] == [True, False]
    labels = []
    drain(public_vaes.public_vae(publics[0], 0), lambda event: labels.append(event.label))
    assert labels == ["loading an autoencoder"]

"""The attacker with a prior of public pictures: the prior against scikit-learn, the attack against its closed form."""

import numpy as np
import pytest
import torch
from sklearn.decomposition import PCA

import dpmia_lab.devices  # noqa: F401 (one thread, as everywhere in the lab)
from dpmia_lab import models
from dpmia_lab.attacks.inversion.public_prior import log_odds, picture_gaussian, with_public_prior
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Snapshot, drain

SHAPE = (1, 5, 4)


@pytest.fixture
def public():
    """60 pictures that differ in a few directions, strongly, and a little in all."""
    rng = numpy_generator(0, "public")
    x = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 20)) + 0.1 * rng.normal(size=(60, 20))
    return torch.from_numpy(0.5 + 0.05 * x).float().view(60, *SHAPE)


def softmax_of(weights):
    model = models.softmax_regression(SHAPE, len(weights))
    with torch.no_grad():
        model[1].weight.copy_(weights)
    return model


def test_the_prior_is_the_principal_components_with_their_deviations(public):
    prior, flat = picture_gaussian(public, 6), public.flatten(1).numpy()
    known = PCA(6, svd_solver="full").fit(flat)
    assert prior.mean.flatten().numpy() == pytest.approx(known.mean_, abs=1e-6)
    covariance = prior.directions.T @ prior.directions
    theirs = known.components_.T @ np.diag(known.explained_variance_) @ known.components_
    assert covariance.numpy() == pytest.approx(theirs, abs=1e-6)


def test_there_are_no_more_components_than_pictures_tell_of(public):
    assert len(picture_gaussian(public[:4], 40).directions) == 3
    assert len(picture_gaussian(public, 40).directions) == 20


def test_log_odds_are_those_of_the_confidence(public):
    model = softmax_of(torch.randn(3, 20, generator=torch_generator(0, "w")))
    labels = torch.tensor([0, 1, 2])
    p = model(public[:3]).softmax(1)[torch.arange(3), labels]
    assert log_odds(model, public[:3], labels).detach().numpy() == pytest.approx((p / (1 - p)).log().detach().numpy())


@pytest.mark.parametrize("weight", [0.5, 2.0])
def test_two_linear_classes_have_a_closed_form(public, weight):
    """Of two classes the log odds are (w_1 − w_0)·x: the best z is directions·(w_1 − w_0)/λ. Adam stops within 1 %."""
    w = 3 * torch.randn(2, 20, generator=torch_generator(1, "w"))
    prior = picture_gaussian(public, 5)
    found = drain(with_public_prior(softmax_of(w), torch.arange(2), prior, steps=600, rate=0.02, weight=weight))
    best = prior.directions @ torch.stack([w[0] - w[1], w[1] - w[0]]).T / weight  # (5, 2)
    expected = prior.pictures(best.T).clamp(0, 1)
    assert found.x.numpy() == pytest.approx(expected.numpy(), abs=0.01)


def test_a_model_that_knows_nothing_gives_the_mean_picture(public):
    """Zero weights: no label pulls anywhere, and the prior is densest at its mean."""
    prior = picture_gaussian(public, 5)
    model = softmax_of(torch.zeros(4, 20))
    found = drain(with_public_prior(model, torch.arange(4), prior, steps=5, rate=0.1, weight=1))
    assert found.x.numpy() == pytest.approx(prior.mean.expand(4, *SHAPE).clamp(0, 1).numpy(), abs=1e-6)


def test_labels_attacked_together_come_out_as_alone(public):
    model = softmax_of(3 * torch.randn(4, 20, generator=torch_generator(2, "w")))
    prior, how, events = picture_gaussian(public, 5), {"steps": 30, "rate": 0.1, "weight": 1.0}, []
    together = drain(with_public_prior(model, torch.arange(4), prior, **how), events.append)
    alone = drain(with_public_prior(model, torch.tensor([2]), prior, **how))
    assert together.x[2].numpy() == pytest.approx(alone.x[0].numpy(), abs=1e-6)
    assert together.cost[2].item() == pytest.approx(alone.cost[0].item(), abs=1e-6)
    drawn = [event for event in events if isinstance(event, Snapshot)]
    assert drawn and 0 <= min(e.array.min() for e in drawn) and max(e.array.max() for e in drawn) <= 1

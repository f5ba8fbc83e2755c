"""The judge that only correlates: against theory, against a library, on noise, and on people whom it should know."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import norm

from dpmia_lab.data import load
from dpmia_lab.metrics.matched_filter import gallery_of, matched_labels, nearest_labels
from dpmia_lab.metrics.recognition import impacts
from dpmia_lab.seeds import numpy_generator

NAMED = {"matched": matched_labels, "nearest": nearest_labels}


@pytest.fixture(scope="module")
def faces():
    return load("faces", people=20, pictures=10, height=32)


@pytest.fixture(scope="module")
def gallery(faces):
    return gallery_of(faces.test_x, faces.test_y)


def noise(*shape, seed=0):
    return numpy_generator(seed, "noise").standard_normal(shape).astype(np.float32)


# ---- against theory and a library
@pytest.mark.parametrize("deviation", [0.5, 1.0, 3.0])
def test_of_two_people_in_white_noise_it_is_right_as_often_as_any_test_can_be(deviation):
    """Shapes ±d: the best test of one against the other (Neyman and Pearson's) is right with chance Φ(‖d‖/s)."""
    d = noise(1, 1, 6, 5, seed=1)
    d -= d.mean()
    d *= 2 / np.linalg.norm(d)
    gallery = gallery_of(np.concatenate([5 + d, 5 - d]), np.array([0, 1]))
    drawn = d + deviation * noise(20_000, 1, 6, 5, seed=2)
    right = (matched_labels(drawn, gallery) == 0).mean()
    assert right == pytest.approx(norm.cdf(2 / deviation), abs=4 * 0.5 / 20_000**0.5)  # four standard errors


def test_whose_picture_is_nearest_is_what_scipy_says(faces, gallery):
    x = noise(200, *faces.shape)
    flat = (x.reshape(200, -1), (faces.test_x - gallery.mean).reshape(len(faces.test_x), -1))
    assert (nearest_labels(x, gallery) == faces.test_y[cdist(*flat, "correlation").argmin(1)]).all()


def test_everybody_counts_alike_in_the_mean():
    """Also who is in more pictures than others."""
    pictures, labels = noise(5, 1, 4, 4), np.array([0, 1, 1, 1, 1])
    gallery = gallery_of(pictures, labels)
    assert gallery.mean == pytest.approx((pictures[0] + pictures[1:].mean(0)) / 2, abs=1e-6)
    assert gallery.people.sum(0) == pytest.approx(np.zeros((1, 4, 4)), abs=1e-5)


# ---- what it must and must not know
@pytest.mark.parametrize("judge", NAMED)
def test_in_pure_noise_it_is_right_as_often_as_chance(judge, gallery, faces):
    named = NAMED[judge](noise(8000, *faces.shape), gallery).reshape(400, 20)
    found = impacts(named)
    assert abs(found.mean() - 1 / 20) < 4 * found.std() / 400**0.5 and 0.02 < found.std() < 0.08


@pytest.mark.parametrize("judge", NAMED)
def test_people_are_known_in_pictures_it_never_held(judge, gallery, faces):
    named = NAMED[judge](faces.train_x - gallery.mean, gallery)
    assert (named == faces.train_y).mean() > 0.75  # guessing: 5 %
    assert (NAMED[judge](gallery.people, gallery) == np.arange(20)).mean() > 0.9


def test_it_finds_people_in_noise_in_which_the_eye_finds_nobody(gallery, faces):
    """Each pixel's noise ten times what sets people apart there; the chance to be right is 5 %."""
    size = gallery.people.std()
    people = np.stack([faces.train_x[faces.train_y == person].mean(0) for person in range(20)]) - gallery.mean
    drawn = np.tile(people, (50, 1, 1, 1)) + 10 * size * noise(1000, *faces.shape)
    assert impacts(matched_labels(drawn, gallery).reshape(50, 20)).mean() > 0.3  # six times chance


@pytest.mark.parametrize("judge", NAMED)
def test_neither_brightness_nor_contrast_matters_but_a_negative_does(judge, gallery, faces):
    x = noise(300, *faces.shape).astype(np.float64)
    named = NAMED[judge](x, gallery)
    assert (NAMED[judge](0.01 * x + 40, gallery) == named).all() and (NAMED[judge](900 * x - 7, gallery) == named).all()
    assert (NAMED[judge](-x, gallery) == named).mean() < 0.1

"""Measures against libraries that somebody else wrote, and by hand."""

import math
import os
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from skimage.metrics import structural_similarity

from dpmia_lab.metrics import classification, reconstruction
from dpmia_lab.seeds import numpy_generator


def pictures(n, channels=1, height=8, width=8, seed=0):
    return numpy_generator(seed, "pictures", n).random((n, channels, height, width)).astype(np.float32)


def test_accuracy_by_hand():
    confidences = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])
    assert classification.accuracy(confidences, np.array([0, 1, 1, 1])) == 0.75


@pytest.mark.parametrize("channels", [1, 3])
def test_distances_are_scipys(channels):
    x, others = pictures(4, channels), pictures(6, channels)
    expected = cdist(x.reshape(4, -1).astype(float), others.reshape(6, -1).astype(float))
    assert reconstruction.euclidean_distances(x, others) == pytest.approx(expected, abs=1e-6)


def test_distances_by_hand():
    black, white = np.zeros((1, 1, 2, 2), np.float32), np.ones((1, 1, 2, 2), np.float32)
    assert reconstruction.euclidean_distances(black, white).item() == pytest.approx(2)
    assert reconstruction.euclidean_distances(white, white).item() == pytest.approx(0, abs=1e-6)


def test_correlations_are_numpys():
    x, others = pictures(4), pictures(6)
    expected = np.corrcoef(x.reshape(4, -1), others.reshape(6, -1))[:4, 4:]
    assert reconstruction.correlations(x, others) == pytest.approx(expected, abs=1e-6)


def test_correlation_forgets_brightness_and_contrast_but_not_sign():
    x = pictures(3)
    assert np.diag(reconstruction.correlations(x, 0.2 * x + 0.5)) == pytest.approx([1, 1, 1])
    assert np.diag(reconstruction.correlations(x, 1 - x)) == pytest.approx([-1, -1, -1])


@pytest.mark.parametrize("tone", [0.0, 0.1, 1.0])
def test_a_flat_picture_correlates_with_nothing(tone):
    flat = np.full((1, 1, 8, 8), tone, np.float32)
    assert reconstruction.correlations(flat, pictures(3)).tolist() == [[0, 0, 0]]
    assert reconstruction.correlations(flat, flat).item() == 0


@pytest.mark.parametrize(
    ("channels", "height", "width"), [(1, 8, 8), (3, 8, 8), (1, 20, 15), (3, 7, 9), (1, 6, 6), (1, 5, 9)]
)
def test_similarity_is_that_of_scikit_image(channels, height, width):
    x, others = pictures(3, channels, height, width), pictures(4, channels, height, width)
    others[0] = x[0]
    others[1] = np.clip(x[1] + 0.1, 0, 1)
    window = {5: 5, 6: 5}.get(min(height, width), 7)
    expected = [
        [structural_similarity(a, b, data_range=1.0, channel_axis=0, win_size=window) for b in others] for a in x
    ]
    assert reconstruction.ssim_values(x, others) == pytest.approx(np.array(expected), abs=1e-6)


def test_the_least_similarity_distance_is_to_the_most_similar_picture():
    x, others = pictures(1), pictures(5)
    others[3] = np.clip(x[0] + 0.05, 0, 1)
    all_of_them = [1 - structural_similarity(x[0], o, data_range=1.0, channel_axis=0) for o in others]
    least = reconstruction.least_ssim_distance(x, others)
    assert least == pytest.approx(min(all_of_them)) == pytest.approx(all_of_them[3])
    assert reconstruction.least_ssim_distance(x, x) == pytest.approx(0, abs=1e-9)


def test_the_nearest_of_a_class_by_hand():
    """The nearest column of all is often of another label, and must not count."""
    distances = np.array([[5.0, 1.0, 4.0], [3.0, 2.0, 0.5]])
    least, column = reconstruction.nearest_of_class(distances, np.array([7, 8]), np.array([7, 8, 7]))
    assert least.tolist() == [4.0, 2.0]
    assert column.tolist() == [2, 1]


def test_what_can_be_shown_is_left_alone_and_what_cannot_is_stretched():
    x = np.array([[0.25, 0.75], [-1.0, 3.0], [0.0, 1.0], [0.5, 1.5]], np.float32).reshape(4, 1, 1, 2)
    shown = reconstruction.viewable(x).reshape(4, 2)
    assert shown.tolist() == [[0.25, 0.75], [0, 1], [0, 1], [0, 1]]
    assert shown.dtype == np.float32


def test_a_flat_picture_outside_the_range_can_still_be_shown():
    shown = reconstruction.viewable(np.full((1, 1, 2, 2), 7.0, np.float32))
    assert np.isfinite(shown).all() and shown.min() >= 0 and shown.max() <= 1


def test_mean_and_spread_by_hand():
    assert reconstruction.mean_and_spread([1, 2, 3]) == (2.0, 1.0)
    mean, spread = reconstruction.mean_and_spread([4])
    assert mean == 4.0 and math.isnan(spread)


def test_a_black_picture_is_nearer_to_the_digits_than_published_attacks():
    """The specification's figures for all of MNIST, digits 0 to 9: the distance alone cannot tell success."""
    if not os.environ.get("DPMIA_DATA"):
        pytest.skip("DPMIA_DATA is not set: no copy of the whole MNIST to measure")
    with np.load(Path(os.environ["DPMIA_DATA"]) / "mnist.npz") as mnist:
        x, y = mnist["x_train"], mnist["y_train"]
    flat = x.reshape(len(x), 1, 1, -1) / np.float32(255)
    distances = reconstruction.euclidean_distances(np.zeros((10, 1, 1, flat.shape[-1]), np.float32), flat)
    least, _ = reconstruction.nearest_of_class(distances, np.arange(10), y)
    assert least == pytest.approx([5.65, 3.57, 4.80, 4.73, 4.69, 4.59, 5.13, 4.87, 4.98, 5.08], abs=0.01)


def test_rank_correlation_is_spearman_s():
    from scipy.stats import spearmanr

    rng = np.random.default_rng(0)
    for _ in range(20):
        a, b = rng.integers(0, 6, 15), rng.random(15)  # with ties
        assert reconstruction.rank_correlation(a, b) == pytest.approx(spearmanr(a, b).statistic, abs=1e-12)
    rising = np.arange(6).reshape(2, 3)
    assert reconstruction.rank_correlation(rising, np.exp(rising)) == pytest.approx(1)
    assert reconstruction.rank_correlation(np.ones(5), np.arange(5)) == 0


# ---- what the eye sees


def test_faint_pictures_are_stretched_and_flat_ones_left_alone():
    x = np.full((2, 1, 2, 2), 0.5)
    x[0, 0, 0, 0] = 0.51
    seen = reconstruction.stretched_pictures(x)
    assert seen[0].min() == 0 and seen[0].max() == 1
    assert (seen[1] == 0.5).all()


def test_a_picture_is_blank_if_its_greys_hardly_differ():
    """Half of the pixels lighter by d have a standard deviation of d/2: 1 % is reached at d = 2 %."""
    x = np.full((3, 1, 4, 4), 0.5)
    x[0, :, :2] += 0.018
    x[1, :, :2] += 0.022
    assert reconstruction.is_blank(x).tolist() == [True, False, True]

"""Generated faces: always the same people, and a task of the same difficulty as the AT&T faces."""

import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.data import load
from dpmia_lab.data.faces import generated_faces


def test_same_seed_same_bits_and_another_seed_other_people():
    x, y = generated_faces(3, 2, 56, 46, seed=5)
    again, _ = generated_faces(3, 2, 56, 46, seed=5)
    other, _ = generated_faces(3, 2, 56, 46, seed=6)
    assert np.array_equal(x, again)
    assert np.abs(x - other).mean() > 0.05
    assert y.tolist() == [0, 0, 1, 1, 2, 2]


def test_a_person_and_a_picture_do_not_depend_on_how_many_there_are():
    few, _ = generated_faces(2, 3, 28, 23, seed=1)
    many, _ = generated_faces(5, 7, 28, 23, seed=1)
    assert np.array_equal(few.reshape(2, 3, 28, 23), many.reshape(5, 7, 28, 23)[:2, :3])


@pytest.mark.parametrize(("height", "width"), [(16, 16), (33, 40), (112, 92)])
def test_any_size_gives_finite_float32_pictures_from_0_to_1(height, width):
    x, y = generated_faces(6, 2, height, width, seed=0)
    assert x.shape == (12, 1, height, width) and x.dtype == np.float32 and x.flags.c_contiguous
    assert y.dtype == np.int64
    assert np.isfinite(x).all() and x.min() >= 0 and x.max() <= 1


def test_larger_pictures_show_the_same_faces():
    """Every second pixel's neighbourhood of a picture twice as large has about the tone of the small one."""
    small, _ = generated_faces(8, 2, 56, 46, seed=0)
    large, _ = generated_faces(8, 2, 112, 92, seed=0)
    shrunk = large.reshape(-1, 1, 56, 2, 46, 2).mean(axis=(3, 5))
    assert np.abs(small - shrunk).mean() < 0.03


def test_pictures_of_a_person_vary_yet_less_than_people_do():
    x, _ = generated_faces(20, 10, 56, 46, seed=0)
    albums = x.reshape(20, 10, -1)
    within = albums.std(axis=1).mean()
    between = albums.mean(axis=1).std(axis=0).mean()
    assert 0.05 < within < between


@pytest.mark.parametrize("seed", [0, 1])
def test_recognition_is_about_as_hard_as_on_real_faces(seed):
    """Softmax regression finds the person in 88 to 99 of 100 new pictures, the nearest neighbour in fewer."""
    from sklearn.linear_model import LogisticRegression
    from threadpoolctl import threadpool_limits

    faces = load("faces", seed=seed)
    train, test = faces.train_x.reshape(280, -1), faces.test_x.reshape(120, -1)
    mean = train.mean(axis=0)
    with threadpool_limits(1):  # threads that wait for each other on a busy machine take ten times as long
        model = LogisticRegression(tol=3e-4, max_iter=300).fit(train - mean, faces.train_y)
    assert 0.88 <= model.score(test - mean, faces.test_y) < 1
    distances = (train**2).sum(axis=1) - 2 * test @ train.T  # (120, 280), up to a constant a row
    nearest = faces.train_y[distances.argmin(axis=1)]
    assert 0.75 < (nearest == faces.test_y).mean() < 0.98


def test_load_splits_seven_and_three_a_person():
    faces = load("faces", people=4, height=28, seed=2)
    assert faces.shape == (1, 28, 23) and faces.classes == 4
    assert np.bincount(faces.train_y).tolist() == [7] * 4
    assert np.bincount(faces.test_y).tolist() == [3] * 4
    assert faces.class_names[0] == "person 1" and "not exist" in faces.note


@pytest.mark.parametrize("wrong", [{"people": 1}, {"pictures": 0}, {"height": 3}, {"people": 2.5}])
def test_wrong_sizes_are_refused_by_name(wrong):
    with pytest.raises(Mistake, match=f"{next(iter(wrong))} must be a whole number"):
        load("faces", **wrong)

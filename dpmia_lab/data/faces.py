"""Generated faces: pictures of people who do not exist, so that nobody's face is exposed in a lesson."""

from functools import lru_cache
from types import SimpleNamespace

import numpy as np

from ..checks import whole
from ..seeds import numpy_generator
from .dataset import Dataset, split_per_class
from .face_drawing import draw
from .face_people import random_change, random_person

ASPECT = 92 / 112  # width over height, as in the AT&T faces
TRAIN_SHARE = 0.7
NOISE = 0.012  # of the sensor, in tones
FEW_PIXELS = 4_000_000  # so many may be kept, for a slider that asks for the same faces again and again
AT_A_TIME = 30_000  # pixels drawn together: as many as the processor's cache holds comfortably


def load_faces(people: int, pictures: int, height: int, seed: int) -> Dataset:
    width = round(height * ASPECT)
    x, y = generated_faces(people, pictures, height, width, seed)
    halves = split_per_class(x, y, TRAIN_SHARE, numpy_generator(seed, "faces", "split"))
    names = tuple(f"person {i + 1}" for i in range(people))
    return Dataset("faces", *halves, names, "Generated faces of people who do not exist; no terms attached.")


def generated_faces(people: int, pictures: int, height: int, width: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """x (people*pictures, 1, height, width) float32 in [0, 1], grouped by person, and y (people*pictures,).

    Person i and their picture j are the same whatever the number of people or pictures.
    """
    whole(2, 1000, people=people)
    whole(2, 1000, pictures=pictures)
    whole(16, 512, height=height)
    whole(12, 512, width=width)
    wanted = (people, pictures, height, width, seed)
    x = _kept(*wanted).copy() if people * pictures * height * width <= FEW_PIXELS else _drawn(*wanted)
    return x, np.repeat(np.arange(people), pictures)


@lru_cache(maxsize=2)  # one lesson's people, and those whose mean is public
def _kept(people: int, pictures: int, height: int, width: int, seed: int) -> np.ndarray:
    return _drawn(people, pictures, height, width, seed)


def _drawn(people: int, pictures: int, height: int, width: int, seed: int) -> np.ndarray:
    albums = [_album(person, pictures, height, width, seed) for person in range(people)]
    return np.concatenate(albums)[:, None]


def _album(number: int, pictures: int, height: int, width: int, seed: int) -> np.ndarray:
    """The pictures of one person, (pictures, height, width) float32, drawn a few at a time."""
    person = random_person(numpy_generator(seed, "faces", number))
    generators = [numpy_generator(seed, "faces", number, picture) for picture in range(pictures)]
    few = max(1, AT_A_TIME // (height * width))
    parts = [generators[start : start + few] for start in range(0, pictures, few)]
    return np.concatenate([_pictures(person, part, height, width) for part in parts])


def _pictures(person: SimpleNamespace, generators: list, height: int, width: int) -> np.ndarray:
    """One picture for each generator, (len(generators), height, width) float32."""
    changes = [random_change(person, rng) for rng in generators]
    now = {name: np.array([c[name] for c in changes], dtype=np.float32)[:, None, None] for name in changes[0]}
    drawn = draw(person, SimpleNamespace(**now), height, width)
    noise = np.stack([rng.standard_normal((height, width), dtype=np.float32) for rng in generators])
    return np.clip(drawn + NOISE * noise, 0, 1)

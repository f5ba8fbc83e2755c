"""The public pictures of an attacker who knows what such pictures look like: none that the model was trained on.

Of generated faces they show other generated people, of the AT&T faces the people who are left out. Of digits, and of
your own pictures, every second test picture of a class is public, and the judge holds the others only.
"""

from dataclasses import dataclass, replace

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.data import Dataset, load
from dpmia_lab.data.att_faces import PEOPLE
from dpmia_lab.game.picture_roles import generated_strangers, mirrored
from dpmia_lab.stages import Progress, Stage

LEAST_STRANGERS = 10  # AT&T people: fewer would say little about faces


@dataclass(frozen=True)
class PutAside:
    """``data``: without the public pictures (m, channels, height, width); None where the attacker has none."""

    data: Dataset
    public: np.ndarray | None = None


def put_aside(data: Dataset, source: str, seed: int) -> Stage[PutAside]:
    """``source``: what the data were loaded as."""
    yield Progress(0, 1, "collecting public pictures")
    match source.split(":")[0]:
        case "faces":
            return PutAside(data, (yield from generated_strangers(data.shape, seed)))
        case "att_faces":
            return PutAside(data, left_out(data, source, seed))
    return every_second_test_picture(data)


def left_out(data: Dataset, source: str, seed: int) -> np.ndarray:
    """The AT&T people beyond those trained on, each picture also with left and right swapped."""
    most = PEOPLE - LEAST_STRANGERS
    if data.classes > most:
        rule = f"people must be at most {most} where the attacker has pictures of the AT&T people who are left out"
        raise Mistake(f"{rule}; it is {data.classes}.")
    everybody = load(source, people=PEOPLE, height=data.shape[1], seed=seed)
    x, y = np.concatenate([everybody.train_x, everybody.test_x]), np.concatenate([everybody.train_y, everybody.test_y])
    return mirrored(x[y >= data.classes])


def every_second_test_picture(data: Dataset) -> PutAside:
    """Of each class the first, third, … test picture; so the judge's share has every class too."""
    counts = np.bincount(data.test_y, minlength=data.classes)
    if counts.min() < 2:
        rule = f"{data.name}: every class must have at least 2 test pictures, one public and one for the judge"
        raise Mistake(f"{rule}; {data.class_names[int(counts.argmin())]} has {counts.min()}.")
    number = np.zeros(len(data.test_y), dtype=int)  # of each picture within its class
    for label in range(data.classes):
        number[data.test_y == label] = np.arange(counts[label])
    public = number % 2 == 0
    rest = replace(data, test_x=data.test_x[~public], test_y=data.test_y[~public])
    return PutAside(rest, data.test_x[public])

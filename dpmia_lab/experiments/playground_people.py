"""Who is who in the playground: candidates, whom nobody trains on, and what a judge of drawings holds.

Each class's records are dealt out once per (data, seed), so that a slider position only trains. One candidate in twenty
has a wrong label, as in data that people collect: those are learnt by heart or not at all, and make a tail that an
average hides. Whatever is expensive and the same at every position (what DAP's discriminator learns, subclasses, the
undefended model's numbers) is kept here too, and made when it is first asked for.
"""

from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.data.faces import generated_faces
from dpmia_lab.data.population import Population, load_population
from dpmia_lab.data.public import public_mean
from dpmia_lab.defences.base import Task
from dpmia_lab.game.records import Records
from dpmia_lab.metrics.matched_filter import Gallery, gallery_of
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Once

PEOPLE, HEIGHT, WIDTH, PICTURES = 20, 16, 14, 50
STYLES, CARTS = 10, 1200
SHARES = {"candidates": 0.36, "gallery": 0.16, "test": 0.28, "aside": 0.2}  # of each class's records
WRONG = 0.05  # of the candidates' labels
MOST_CANDIDATES = 400
MOST_RECORDS, MOST_NUMBERS, MOST_WEIGHTS, LEAST_OF_CLASS = 5000, 4096, 60_000, 7  # of a set of one's own
KEPT = 3  # sets of people kept at once


@dataclass(frozen=True, eq=False)
class Prepared:
    """All that is the same at every slider position of one set of data and one seed."""

    name: str
    task: Task
    class_names: tuple[str, ...]
    candidates: Records  # of whom each model is trained on a half
    wrong: np.ndarray  # (k,) bool: which of them have a wrong label
    test: Records  # in nobody's training set: accuracy is measured here
    aside: Records  # held aside, for defences that learn from such
    gallery: Gallery  # what the judge of drawings has: further records of the same people
    truth: np.ndarray  # (classes, …): each class's mean in the gallery
    once: dict[Any, Once] = field(default_factory=dict)  # what is made when it is first asked for

    @property
    def classes(self) -> int:
        return self.task.classes

    @property
    def members(self) -> int:
        """Records that each model is trained on."""
        return len(self.candidates) // 2

    @property
    def pictured(self) -> bool:
        return self.task.kind == "pictures"

    def shown(self, x: np.ndarray) -> np.ndarray:
        """(classes, h, w) of pictures, (classes, bits) of carts."""
        return x.reshape(len(x), *self.task.shape[-2:]) if self.pictured else x.reshape(len(x), -1)


class Shelf:
    """The last few sets of people, whoever asks; the oldest goes when there is no room."""

    def __init__(self, most: int) -> None:
        self.most, self.lock, self.kept = most, Lock(), OrderedDict()

    def get(self, data: str, seed: int) -> Prepared:
        key = (data, seed, changed_at(data))
        with self.lock:
            if key not in self.kept:
                self.kept[key] = new_people(data, seed)
            self.kept.move_to_end(key)
            while len(self.kept) > self.most:
                self.kept.popitem(last=False)
            return self.kept[key]


def changed_at(data: str) -> int:
    """When a file of one's own was written last, so that another under the same name is another."""
    place = Path(data).expanduser()
    return place.stat().st_mtime_ns if place.is_file() else 0


SHELF = Shelf(KEPT)


def new_people(data: str, seed: int) -> Prepared:
    population = loaded(data, seed)
    roles = dealt(population, numpy_generator(seed, "playground", "roles"))
    everyone = Records(population.x, population.y)
    own = {name: everyone.at(places) for name, places in roles.items()}
    rng = numpy_generator(seed, "playground", "labels")
    candidates, wrong = mislabelled(own["candidates"], population.classes, rng)
    gallery = gallery_of(as_pictures(own["gallery"].x), own["gallery"].y)
    centre = public_mean(data, population.shape) if population.kind == "pictures" else None
    task = Task(population.kind, population.shape, population.classes, "softmax", centre=centre, data=population.name)
    truth = gallery.people + gallery.mean
    parts = candidates, wrong, own["test"], own["aside"], gallery
    return Prepared(population.name, task, population.class_names, *parts, truth.astype(np.float32))


def mislabelled(records: Records, classes: int, rng: np.random.Generator) -> tuple[Records, np.ndarray]:
    wrong = np.zeros(len(records), dtype=bool)
    wrong[rng.permutation(len(records))[: round(WRONG * len(records))]] = True
    others = (records.y + rng.integers(1, classes, len(records))) % classes
    return Records(records.x, np.where(wrong, others, records.y)), wrong


def as_pictures(x: np.ndarray) -> np.ndarray:
    """Carts as pictures one pixel high, so that one judge serves both."""
    return x if x.ndim == 4 else x.reshape(len(x), 1, 1, -1).astype(np.float32)


# ---- where they come from
def loaded(data: str, seed: int) -> Population:
    if data == "faces":
        x, y = generated_faces(PEOPLE, PICTURES, HEIGHT, WIDTH, seed)
        names = tuple(f"person {number + 1}" for number in range(PEOPLE))
        return Population("faces", "pictures", x, y, names, "Generated faces of people who do not exist.")
    if data == "purchases_like":
        return load_population(data, classes=STYLES, records=CARTS, seed=seed)
    return checked(load_population(data, seed=seed))


def checked(population: Population) -> Population:
    """A set of one's own, colours made grey; too large a one is refused, since every position trains 16 models."""
    name, counts = population.name, np.bincount(population.y, minlength=population.classes)
    numbers = int(np.prod(population.shape[-2:] if population.kind == "pictures" else population.shape))
    for what, count, most in (
        ("records", len(population.y), MOST_RECORDS),
        ("numbers a record", numbers, MOST_NUMBERS),
        ("numbers a record times classes", numbers * population.classes, MOST_WEIGHTS),
    ):
        if count > most:
            raise Mistake(f"{name}: the playground takes at most {most:,} {what}; there are {count:,}.")
    if population.kind == "graphs":
        raise Mistake(f"{name}: the playground takes pictures and bits; these are graphs.")
    if counts.min() < LEAST_OF_CLASS:
        scarce = f"{population.class_names[counts.argmin()]} has {counts.min()}"
        raise Mistake(f"{name}: every class must have at least {LEAST_OF_CLASS} records; {scarce}.")
    grey = population.x.mean(1, keepdims=True) if population.kind == "pictures" else population.x
    return Population(name, population.kind, grey, population.y, population.class_names, population.note)


def dealt(population: Population, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Places of each role's records, in random order; every class is in all of them."""
    most = MOST_CANDIDATES / population.classes / SHARES["candidates"]  # records of a class that are used at all
    hands: dict[str, list] = {name: [] for name in SHARES}
    ends = np.cumsum([0.0, *SHARES.values()])
    for label in range(population.classes):
        own = rng.permutation(np.flatnonzero(population.y == label))
        own = own[: max(LEAST_OF_CLASS, int(most))]
        cuts = np.rint(ends * len(own)).astype(int)
        for name, start, stop in zip(SHARES, cuts, cuts[1:], strict=False):
            hands[name].append(own[start:stop])
    shuffled = {name: rng.permutation(np.concatenate(places)) for name, places in hands.items()}
    even = len(shuffled["candidates"]) // 2 * 2  # so that both halves have as many
    return {**shuffled, "candidates": shuffled["candidates"][:even]}

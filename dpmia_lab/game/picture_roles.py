"""Who has which pictures when confidences are attacked: nobody's pictures are another's.

Of every class some pictures train the network, some are the attacker's, some are the ones attacked, and some teach the
judge. Public pictures show other people: other generated people, the other half of the AT&T people. Of digits and of
your own pictures the attacker's share is the public one: the same classes by other hands.
"""

from dataclasses import dataclass, replace

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.data import Dataset, load
from dpmia_lab.data.faces import generated_faces
from dpmia_lab.game.records import Records
from dpmia_lab.seeds import derived_seed, numpy_generator
from dpmia_lab.stages import Progress, Stage

SHARES = {"train": 0.4, "auxiliary": 0.2, "test": 0.2, "judge": 0.2}
PUBLIC_PEOPLE, PUBLIC_PICTURES = 200, 5  # generated, who appear nowhere else
AT_A_TIME = 10  # people drawn between two events


@dataclass(frozen=True)
class Roles:
    """Pictures by who has them."""

    name: str
    class_names: tuple[str, ...]
    train: Records  # the network's
    auxiliary: Records  # the attacker's, of the same people
    test: Records  # attacked
    judge: Records  # the judge's
    public: np.ndarray  # (m, channels, height, width)
    public_is: str  # whom they show, in words
    others: bool  # whether that is other people than the network knows

    @property
    def shape(self) -> tuple[int, int, int]:
        return self.train.x.shape[1:]

    @property
    def classes(self) -> int:
        return len(self.class_names)

    def first_of_all(self, role: str, most: int) -> Records:
        """At most so many pictures of a role, in rounds: one of every class, then another of every class, …"""
        own: Records = getattr(self, role)
        rounds = [np.arange(count) for count in np.bincount(own.y, minlength=self.classes)]
        order = np.lexsort((own.y, np.concatenate(rounds)))  # pictures of a class are together
        return own.at(order[:most])


def shared_out(data: str, people: int, pictures: int, height: int, seed: int) -> Stage[Roles]:
    yield Progress(0, 1, "loading data")
    everything = load(data, people=people, pictures=pictures, height=height, seed=seed)
    name = data.split(":")[0]
    if name == "att_faces":
        known, strangers = halves_of_people(everything)
        return roles_of(known, mirrored(strangers), "other people of the same set", True, seed)
    if name == "faces":
        public = yield from generated_strangers(everything.shape, seed)
        return roles_of(everything, public, "other generated people", True, seed)
    return roles_of(everything, None, "other pictures of the same classes", False, seed)


def generated_strangers(shape: tuple[int, int, int], seed: int) -> Stage[np.ndarray]:
    """(m, …): ``PUBLIC_PICTURES`` of each of ``PUBLIC_PEOPLE``."""
    found = []
    for first in range(0, PUBLIC_PEOPLE, AT_A_TIME):
        stream = derived_seed(seed, "public people", first)
        found.append(generated_faces(AT_A_TIME, PUBLIC_PICTURES, *shape[1:], stream)[0])
        yield Progress(first + AT_A_TIME, PUBLIC_PEOPLE, "drawing public pictures")
    return np.concatenate(found)


def halves_of_people(data: Dataset) -> tuple[Dataset, np.ndarray]:
    """The first half of the people, rounded up, and the pictures of the others."""
    count = (data.classes + 1) // 2
    train, test = data.train_y < count, data.test_y < count
    known = replace(
        data,
        train_x=data.train_x[train],
        train_y=data.train_y[train],
        test_x=data.test_x[test],
        test_y=data.test_y[test],
        class_names=data.class_names[:count],
    )
    return known, np.concatenate([data.train_x[~train], data.test_x[~test]])


def mirrored(x: np.ndarray) -> np.ndarray:
    """Every picture, and every picture with left and right swapped."""
    return np.concatenate([x, x[..., ::-1]])


def roles_of(data: Dataset, public: np.ndarray | None, public_is: str, others: bool, seed: int) -> Roles:
    """``public``: None where the attacker's share of the pictures is public."""
    everybody = Records(np.concatenate([data.train_x, data.test_x]), np.concatenate([data.train_y, data.test_y]))
    counts = np.bincount(everybody.y, minlength=data.classes)
    if counts.min() < len(SHARES):
        rule = f"{data.name}: every class must have at least {len(SHARES)} pictures"
        raise Mistake(f"{rule}; {data.class_names[int(counts.argmin())]} has {counts.min()}.")
    rng = numpy_generator(seed, "roles")
    places: dict[str, list[np.ndarray]] = {role: [] for role in SHARES}
    for label in range(data.classes):
        own = rng.permutation(np.flatnonzero(everybody.y == label))
        ends = np.cumsum([max(1, round(share * len(own))) for share in list(SHARES.values())[1:]])
        rest = np.split(own, ends)  # the three small shares first: training has what is left
        for role, some in zip([*list(SHARES)[1:], "train"], rest, strict=True):
            places[role].append(some)
    parts = {role: everybody.at(np.concatenate(some)) for role, some in places.items()}
    own_public = parts["auxiliary"].x if public is None else public
    return Roles(data.name, data.class_names, **parts, public=own_public, public_is=public_is, others=others)

"""All the records there are, of any kind, and who of them is a member: what membership inference is played with."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..checks import Mistake, whole
from . import Source, load
from .bit_files import bits_from_arrays, read_purchases, read_texas
from .blocks import MOST_RECORDS
from .dataset import Dataset
from .graphs import FIELDS, collaboration_graphs, read_graphs
from .hospital import hospital_like
from .objects import load_objects, read_cifar
from .own import check_values, file_content, read_npz
from .purchases import TEST_NOISE, TRAIN_NOISE, purchases_like, skewed_purchases

DEFAULT_BITS, DEFAULT_GRAPHS, DEFAULT_OBJECTS = 20_000, 5_000, 5_000  # records made where none are asked for
SMALLEST_POOL = 4
PICTURES = ("digits", "mnist", "faces", "att_faces")
NAMES = (
    "skewed_purchases, purchases_without_skew, purchases_like, hospital_like, collaboration, digits, mnist, faces, "
    "att_faces, objects, purchases:FILE, texas:FOLDER, cifar10:FOLDER, or the path of an .npz, a .zip, a folder of "
    "pictures or a .txt of graphs"
)


@dataclass(frozen=True)
class Population:
    """Records with labels, not yet split.

    x: bits (n, features) uint8; pictures (n, channels, height, width) float32 in [0, 1]; graphs (n, N, N) float32,
    symmetric, 1 where two nodes are joined and on the diagonal where a node exists.  y: (n,) int64.
    test_x, test_y: records of the distribution the model is tested on, where that is another one (paper C's Skewed
    Purchases); else None.
    """

    name: str
    kind: str  # "bits", "pictures" or "graphs"
    x: np.ndarray
    y: np.ndarray
    class_names: tuple[str, ...]
    note: str  # where the records come from, and their terms, in one line for the page
    test_x: np.ndarray | None = None
    test_y: np.ndarray | None = None

    @property
    def classes(self) -> int:
        return len(self.class_names)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.x.shape[1:]


@dataclass(frozen=True)
class Split:
    """Places of records, no two alike among members, outsiders and pool."""

    members: np.ndarray  # (n,) into x: trained on
    outsiders: np.ndarray  # (n,) into x: of the same distribution, never trained on
    pool: np.ndarray  # into x: all the others, what an attacker may have
    test: np.ndarray  # (n,) into test_x; where that is None, the outsiders themselves


def split_population(population: Population, records: int, rng: np.random.Generator) -> Split:
    """``records`` members and as many outsiders, at random; the pool keeps at least ``SMALLEST_POOL`` records."""
    total = len(population.y)
    most = (total - SMALLEST_POOL) // 2
    if most < 1:
        raise Mistake(f"{population.name}: there must be at least {SMALLEST_POOL + 2} records; there are {total}.")
    whole(1, most, records=records)
    members, outsiders, pool = np.split(rng.permutation(total), [records, 2 * records])
    if population.test_y is None:
        return Split(members, outsiders, pool, outsiders)
    whole(1, len(population.test_y), records=records)
    return Split(members, outsiders, pool, rng.permutation(len(population.test_y))[:records])


def load_population(
    data: str,
    *,
    classes: int = 10,
    records: int = 0,
    people: int = 40,
    pictures: int = 20,
    height: int = 28,
    seed: int = 0,
) -> Population:
    """The population called ``data``: one of ``NAMES``.

    ``classes`` applies to generated bits, and to the real Purchases and Texas files, of which it keeps the most common
    labels. ``records`` is how many of each distribution the generators make (0: 20,000 of bits, 5,000 graphs); other
    sets have what they have. ``people``, ``pictures`` (of each person) and ``height`` are those of the faces.
    """
    whole(0, MOST_RECORDS, records=records)
    name, _, place = data.partition(":")
    if place and name in ("purchases", "texas"):
        return _from_real_files(name, place, classes)
    if name == "cifar10" and place:
        return _joined(read_cifar(place))
    if data == "objects":
        return _joined(load_objects(records or DEFAULT_OBJECTS, seed))
    if name in PICTURES:
        return _from_pictures(data, people=people, pictures=pictures, height=height, seed=seed)
    match data:
        case "skewed_purchases" | "purchases_without_skew":
            return _skewed(data, classes, records or DEFAULT_BITS, seed)
        case "purchases_like" | "hospital_like":
            return _lifelike(data, classes, records or DEFAULT_BITS, seed)
        case "collaboration":
            x, y = collaboration_graphs(records or DEFAULT_GRAPHS, seed)
            note = "Collaboration networks of researchers who do not exist; no terms attached."
            return Population(data, "graphs", x, y, FIELDS, note)
    return _from_own_file(data, seed)


def population_catalogue() -> list[Source]:
    """What membership inference can be played with besides pictures."""
    made = "made up; no terms"
    own = "your own copy"
    rows = [
        ("purchases_like", "Shopping carts", "600 sparse, correlated bits, classes of unequal size", made),
        ("hospital_like", "Hospital stays", "1,000 sparse bits, classes of very unequal size", made),
        ("skewed_purchases", "Skewed Purchases", "600 bits, tested on another distribution (paper C)", made),
        ("purchases_without_skew", "Skewed Purchases without skew", "tested as it was trained", made),
        ("collaboration", "Collaboration graphs", "10 to 40 researchers each, three fields", made),
        ("objects", "Coloured objects", "ten simple shapes in colour, 32 x 32", made),
        ("cifar10:FOLDER", "CIFAR-10", "the six files of its binary version", own),
        ("purchases:FILE", "Purchases", "the text file of 600 bits a line", own),
        ("texas:FOLDER", "Texas hospital stays", "the folder with feats and labels", own),
        ("FILE.txt", "Graphs of yours", "count; then for each graph 'n label' and a line a node", own),
        ("FILE.npz", "Bits of yours", "arrays X (n, features) of 0 and 1, and y", own),
    ]
    return [Source(*row, available=True, why_not="") for row in rows]


def _skewed(data: str, classes: int, records: int, seed: int) -> Population:
    x, y = skewed_purchases(classes, records, TRAIN_NOISE, seed, "train")
    names = tuple(f"group {i + 1}" for i in range(classes))
    if data == "purchases_without_skew":
        note = "Skewed Purchases (Bernau et al. 2020) without the skew: tested as it was trained; generated."
        return Population(data, "bits", x, y, names, note)
    test = skewed_purchases(classes, records, TEST_NOISE, seed, "test")
    note = "Skewed Purchases (Bernau et al. 2020): carts of nobody, tested on others than trained on; generated."
    return Population(data, "bits", x, y, names, note, *test)


def _lifelike(data: str, classes: int, records: int, seed: int) -> Population:
    if data == "purchases_like":
        make, word, what = purchases_like, "style", "Shopping carts of customers"
    else:
        make, word, what = hospital_like, "procedure", "Hospital stays of patients"
    x, y = make(classes, records, seed)
    names = tuple(f"{word} {i + 1}" for i in range(classes))
    return Population(data, "bits", x, y, names, f"{what} who do not exist; no terms attached.")


def _from_real_files(name: str, place: str, classes: int) -> Population:
    if name == "purchases":
        records, note = read_purchases(place, classes), "Purchases (Acquire Valued Shoppers, after Shokri et al. 2017)"
    else:
        records, note = read_texas(place, classes), "Texas hospital stays (after Shokri et al. 2017)"
    return Population(name, "bits", *records, f"{note}, from your own copy.")


def _from_pictures(data: str, **options: int) -> Population:
    return _joined(load(data, **options))


def _joined(halves: Dataset) -> Population:
    """Both halves of a set of pictures as one."""
    x = np.concatenate([halves.train_x, halves.test_x])
    y = np.concatenate([halves.train_y, halves.test_y])
    return Population(halves.name, "pictures", x, y, halves.class_names, halves.note)


def _from_own_file(data: str, seed: int) -> Population:
    path = Path(data).expanduser()
    ending = path.suffix.lower()
    if ending == ".txt":
        return Population(path.name, "graphs", *read_graphs(data), f"Your own graphs, from {path.name}.")
    if ending == ".npz":
        arrays = read_npz(file_content(data), path.name, needed=("X", "y"))
        check_values(arrays["X"].size, path.name)
        if arrays["X"].ndim == 2:
            records = bits_from_arrays(arrays["X"], arrays["y"], path.name)
            return Population(path.name, "bits", *records, f"Your own records, from {path.name}.")
    if ending in (".npz", ".zip") or path.is_dir():
        return _from_pictures(data, seed=seed)
    raise Mistake(f"data must be {NAMES}; it is {data!r}.")

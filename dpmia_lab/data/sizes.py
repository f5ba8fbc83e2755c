"""How large a data set is, told without making or reading it: what a run costs has to be known before it starts."""

import contextlib
import math
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from .faces import ASPECT
from .own import ENDINGS

LABEL_BYTES = 10_000_000  # of an array of labels that is read, to count them
FIXED = {  # training and test records, shape, classes
    "digits": (1258, 539, (1, 8, 8), 10),
    "mnist": (4000, 1000, (1, 28, 28), 10),
    "mnist_varied": (12_000, 1000, (1, 28, 28), 10),
    "whole mnist": (60_000, 10_000, (1, 28, 28), 10),
    "cifar10": (50_000, 10_000, (3, 32, 32), 10),
}
BITS = {"hospital_like": 1000, "texas": 6170}  # others have 600
NODES = 40


@dataclass(frozen=True)
class Size:
    train: int
    test: int
    shape: tuple[int, ...]
    classes: int

    @property
    def records(self) -> int:
        return self.train + self.test

    @property
    def values(self) -> int:
        """Numbers a record."""
        return math.prod(self.shape)

    @property
    def kind(self) -> str:
        return {1: "bits", 2: "graphs", 3: "pictures"}[len(self.shape)]


def picture_size(data: str, people: int = 40, pictures: int = 10, height: int = 56) -> Size:
    """Of what ``data.load`` would load."""
    name, _, place = data.partition(":")
    if name == "mnist" and place:
        name = "whole mnist"
    if name in FIXED:
        return Size(*FIXED[name])
    if name in ("faces", "att_faces"):
        count = people * (pictures if name == "faces" else 10)
        train = round(0.7 * count)
        return Size(train, count - train, (1, height, round(height * ASPECT)), people)
    return own_size(data)


def population_size(data: str, classes: int, records: int, people: int, pictures: int, height: int) -> Size:
    """Of what ``load_population`` would load; ``records`` is how many are generated."""
    name, _, place = data.partition(":")
    if name in ("skewed_purchases", "purchases_without_skew", "purchases_like", "hospital_like"):
        return Size(records, records if name == "skewed_purchases" else 0, (BITS.get(name, 600),), classes)
    if name in ("purchases", "texas") and place:
        bits = BITS.get(name, 600)
        return Size(file_bytes(place) // (2 * bits) + 1, 0, (bits,), classes)
    if name == "collaboration":
        return Size(records, 0, (NODES, NODES), 3)
    if name == "objects":
        return Size(records, 0, (3, 32, 32), 10)
    return picture_size(data, people, pictures, height)


def file_bytes(place: str) -> int:
    path = Path(place).expanduser()
    files = path.rglob("*") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


# ---- a file of one's own
def own_size(data: str) -> Size:
    """From the head of the file; what cannot be told is taken for small, and refused in a sentence when it is read."""
    path = Path(data).expanduser()
    with contextlib.suppress(OSError, ValueError, KeyError, IndexError, zipfile.BadZipFile):
        return _own_size(path, path.stat().st_mtime_ns)
    return Size(100, 50, (1, 8, 8), 10)


@cache
def _own_size(path: Path, changed: int) -> Size:
    """Read once for each state of the file."""
    if path.is_dir():
        return _size_of_pictures([file for file in path.rglob("*") if file.suffix.lower() in ENDINGS], open)
    if path.suffix.lower() == ".txt":
        graphs = int(path.open().readline())
        nodes = file_bytes(str(path)) / (10 * graphs)  # a line a node
        return Size(graphs, 0, (math.ceil(2 * nodes),) * 2, 3)
    with zipfile.ZipFile(path) as archive:
        if path.suffix.lower() == ".npz":
            return _size_of_arrays(archive)
        inside = [name for name in archive.namelist() if name.lower().endswith(ENDINGS)]
        return _size_of_pictures([Path(name) for name in inside], lambda name, _: archive.open(name.as_posix()))


def _size_of_arrays(archive: zipfile.ZipFile) -> Size:
    with archive.open("X.npy") as file:
        shape = _array_shape(file)
    count = shape[0]
    with archive.open("y.npy") as file:
        small = archive.getinfo("y.npy").file_size < LABEL_BYTES
        classes = len(np.unique(np.lib.format.read_array(file, allow_pickle=False))) if small else count
    train = round(0.7 * count)
    return Size(train, count - train, _record_shape(shape[1:]), classes)


def _record_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Bits as they are, pictures as they will be; ValueError for what is neither."""
    if len(shape) == 3 and shape[0] not in (1, 3):
        return shape[2], shape[0], shape[1]
    if not 1 <= len(shape) <= 3:
        raise ValueError(shape)
    return (1, *shape) if len(shape) == 2 else shape


def _array_shape(file) -> tuple[int, ...]:
    major = np.lib.format.read_magic(file)[0]
    read = np.lib.format.read_array_header_1_0 if major == 1 else np.lib.format.read_array_header_2_0
    return read(file)[0]


def _size_of_pictures(files: list[Path], opened) -> Size:
    """All have the size of the first, else they are refused; a class is a folder."""
    from PIL import Image

    with opened(files[0], "rb") as content, Image.open(content) as image:
        shape = (3 if image.mode not in ("1", "L", "LA") else 1, image.height, image.width)
    train = round(0.7 * len(files))
    return Size(train, len(files) - train, shape, len({file.parent for file in files}))

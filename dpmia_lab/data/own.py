"""A visitor's own pictures: an npz with X and y, a folder of class folders, or a zip of such a folder.

Everything is read in memory, nothing of an archive is ever written to disk, nothing is unpickled, and
sizes are checked before anything is unpacked.
"""

import io
import zipfile
import zlib
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath

import numpy as np

from ..checks import Mistake
from ..seeds import numpy_generator
from .dataset import Dataset, checked_pictures, split_per_class
from .limits import limits

MOST_FILES = 100_000
MOST_PIXELS = 4_000_000  # of one picture
ENDINGS = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".pgm", ".ppm", ".tif", ".tiff", ".webp")
UNREADABLE = (OSError, ValueError, EOFError, KeyError, MemoryError, RuntimeError, NotImplementedError,
              SyntaxError, zipfile.BadZipFile, zlib.error)  # fmt: skip
TRAIN_SHARE = 0.7


def load_own(path: str, seed: int) -> Dataset:
    """The pictures at a path: a folder, or an .npz or .zip file."""
    place = Path(path).expanduser()
    if place.is_dir():
        return _from_pictures(_files_of_folder(place), place.name, seed)
    return from_upload(place.name, file_content(path), seed)


def file_content(path: str) -> bytes:
    place = Path(path).expanduser()
    if not place.is_file():
        raise Mistake(f"data must be the path of a file or folder that exists; there is no {path}.")
    size, most = place.stat().st_size, limits().bytes
    if size > most:
        raise Mistake(f"{place.name}: a file may have at most {most:,} bytes; it has {size:,}.")
    return place.read_bytes()


def from_upload(name: str, content: bytes, seed: int) -> Dataset:
    """The pictures in an .npz or .zip file, given as its name and its bytes."""
    if name.lower().endswith(".npz"):
        return _from_npz(name, content, seed)
    if name.lower().endswith(".zip"):
        return _from_pictures(_files_of_zip(name, content), name, seed)
    raise Mistake(f"a file of your own must end in .npz or .zip; its name is {name!r}.")


def read_npz(content: bytes, source: str, needed: Collection[str]) -> dict[str, np.ndarray]:
    """All arrays of an npz, which must have those ``needed``."""
    try:
        _check_sizes(zipfile.ZipFile(io.BytesIO(content)).infolist(), source)
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
    except Mistake:
        raise
    except UNREADABLE as error:
        why = "it is damaged or of another kind"
        if "Object arrays" in str(error):
            why = "it holds pickled objects, which are never loaded"
        raise Mistake(f"{source} must be an npz file of plain arrays; {why}.") from error
    for key in needed:
        if key not in arrays:
            found = ", ".join(sorted(arrays)) or "nothing"
            raise Mistake(f"{source} must hold the arrays {', '.join(needed)}; it holds {found}.")
        if arrays[key].ndim == 0:
            raise Mistake(f"{source}: {key} must hold one entry a record; it is a single value.")
    return arrays


def _from_npz(name: str, content: bytes, seed: int) -> Dataset:
    arrays = read_npz(content, name, needed=("X", "y"))
    x, y = arrays["X"], arrays["y"]
    check_values(x.size, name)
    if "X_test" not in arrays and "y_test" not in arrays:
        return _split(*checked_pictures(x, y, name), class_names(y), name, seed)
    if "X_test" not in arrays or "y_test" not in arrays:
        raise Mistake(f"{name} must hold both X_test and y_test or neither; it holds only one of them.")
    return _with_own_test(x, y, arrays["X_test"], arrays["y_test"], name)


def _with_own_test(x, y, test_x, test_y, name: str) -> Dataset:
    if x.shape[1:] != test_x.shape[1:] or x.dtype != test_x.dtype:
        given = f"X is {x.shape} {x.dtype}, X_test is {test_x.shape} {test_x.dtype}"
        raise Mistake(f"{name}: X and X_test must hold pictures of one size and type; {given}.")
    known = set(y.ravel().tolist())
    unknown = [label for label in test_y.ravel().tolist() if label not in known]
    if unknown:
        raise Mistake(f"{name}: y_test may only name classes that y names too; it names {unknown[0]!r}.")
    names = class_names(y)
    train_x, train_y = checked_pictures(x, y, name)
    both_x, both_y = checked_pictures(np.concatenate([x, test_x]), np.concatenate([y, test_y]), name)
    test = both_x[len(train_x) :], both_y[len(train_x) :]
    return Dataset(name, train_x, train_y, *test, names, f"Your own pictures, from {name}.")


def class_names(y: np.ndarray) -> tuple[str, ...]:
    values = np.unique(y)
    if values.dtype.kind == "f" and (values == np.round(values)).all():
        values = values.astype(np.int64)
    return tuple(v.decode("utf-8", "replace") if isinstance(v, bytes) else str(v) for v in values.tolist())


def _split(x, y, names: tuple[str, ...], source: str, seed: int) -> Dataset:
    scarce = np.flatnonzero(np.bincount(y, minlength=len(names)) < 2)
    if len(scarce):
        raise Mistake(f"{source}: every class must have at least 2 pictures; {names[scarce[0]]} has 1.")
    halves = split_per_class(x, y, TRAIN_SHARE, numpy_generator(seed, "own", "split"))
    return Dataset(source, *halves, names, f"Your own pictures, from {source}.")


def _check_sizes(entries: list[zipfile.ZipInfo], source: str) -> None:
    """Refuse what would unpack to something absurd; zipfile never unpacks more than an entry declares."""
    size, most = sum(entry.file_size for entry in entries), limits().bytes
    if size > most or len(entries) > MOST_FILES:
        rule = f"at most {most:,} bytes in {MOST_FILES:,} files"
        raise Mistake(f"{source} may unpack to {rule}; it has {size:,} bytes in {len(entries):,} files.")


def _is_picture(path: PurePosixPath | Path) -> bool:
    """By its ending; hidden files are not, nor are paths that lead out of the archive."""
    hidden = any(part.startswith((".", "/", "__MACOSX")) for part in path.parts)
    return path.suffix.lower() in ENDINGS and not hidden


def _files_of_folder(folder: Path) -> list[tuple[str, str, bytes]]:
    """(class, file, content) of every picture one folder down."""
    paths = [path for path in sorted(folder.glob("*/*")) if path.is_file()]
    paths = [path for path in paths if _is_picture(path.relative_to(folder))]
    size, most = sum(path.stat().st_size for path in paths), limits().bytes
    if size > most or len(paths) > MOST_FILES:
        rule = f"at most {most:,} bytes in {MOST_FILES:,} pictures"
        raise Mistake(f"{folder.name} may hold {rule}; it has {size:,} bytes in {len(paths):,} pictures.")
    return [(path.parent.name, f"{path.parent.name}/{path.name}", path.read_bytes()) for path in paths]


def _files_of_zip(name: str, content: bytes) -> list[tuple[str, str, bytes]]:
    """(class, file, content) of every picture in the archive; the class is the folder it lies in."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check_sizes(archive.infolist(), name)
            paths = sorted(entry.filename for entry in archive.infolist() if not entry.is_dir())
            paths = [path for path in paths if _is_picture(PurePosixPath(path))]
            return [(str(PurePosixPath(path).parent), path, archive.read(path)) for path in paths]
    except Mistake:
        raise
    except UNREADABLE as error:
        rule = "a whole zip file without a password"
        raise Mistake(f"{name} must be {rule}; it is damaged or of another kind.") from error


def _from_pictures(files: list[tuple[str, str, bytes]], source: str, seed: int) -> Dataset:
    if not files:
        raise Mistake(f"{source} must hold a folder of pictures for each class; no picture was found in any.")
    pictures = _equal_pictures(files, source)
    grey = all(picture.ndim == 2 for picture in pictures)
    x = np.stack(pictures if grey else [_coloured(picture) for picture in pictures])
    labels = np.array(_short_names([label for label, _, _ in files]))
    return _split(*checked_pictures(x, labels, source), class_names(labels), source, seed)


def _equal_pictures(files: list[tuple[str, str, bytes]], source: str) -> list[np.ndarray]:
    """Every picture's pixels; each is compared with the first before the next is unpacked."""
    pictures: list[np.ndarray] = []
    for _, file, content in files:
        pictures.append(_pixels(content, file))
        (height, width), (h, w) = pictures[0].shape[:2], pictures[-1].shape[:2]
        if (h, w) != (height, width):
            first = f"{files[0][1]} is {width} x {height}"
            raise Mistake(f"{source}: all pictures must have one size; {first}, {file} is {w} x {h}.")
        check_values(pictures[0].size * len(files), source)
    return pictures


def check_values(count: int, source: str) -> None:
    most = limits().values
    if count > most:
        raise Mistake(f"{source}: all records may have {most:,} values together; they have {count:,}.")


def _pixels(content: bytes, file: str) -> np.ndarray:
    """(h, w) or (h, w, 3) uint8."""
    from PIL import Image

    try:
        image = Image.open(io.BytesIO(content))
        width, height = image.size
        if width * height > MOST_PIXELS:
            raise Mistake(f"{file} may have at most {MOST_PIXELS:,} pixels; it is {width} x {height}.")
        if image.mode[0] in "IF":
            raise Mistake(f"{file} must have 8 bits a channel; its pixels are of the kind {image.mode}.")
        return np.asarray(image.convert("L" if image.mode in ("1", "L", "LA") else "RGB"))
    except Mistake:
        raise
    except (*UNREADABLE, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise Mistake(f"{file} must be a readable picture; it is damaged or of another kind.") from error


def _coloured(picture: np.ndarray) -> np.ndarray:
    return picture if picture.ndim == 3 else np.repeat(picture[..., None], 3, axis=2)


def _short_names(folders: Iterable[str]) -> list[str]:
    """Folder paths without the outer folders that all of them share."""
    parts = [PurePosixPath(folder).parts for folder in folders]
    shared = 0
    while all(len(p) > shared + 1 for p in parts) and len({p[shared] for p in parts}) == 1:
        shared += 1
    return ["/".join(p[shared:]) or "pictures" for p in parts]

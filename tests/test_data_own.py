"""A visitor's own pictures: what is accepted, and the one sentence for each thing that is not."""

import io
import zipfile

import numpy as np
import pytest
from PIL import Image

from dpmia_lab.checks import Mistake
from dpmia_lab.data import from_upload, load
from dpmia_lab.data import own as own_module
from dpmia_lab.data.limits import Limits

X = np.random.default_rng(0).integers(0, 256, (12, 6, 5), dtype=np.uint8)
Y = np.repeat([3, 7, 9], 4)


def npz(**arrays) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def picture(width=5, height=6, tone=9, mode="L", kind="PNG") -> bytes:
    file = io.BytesIO()
    Image.new(mode, (width, height), tone).save(file, kind)
    return file.getvalue()


def zipped(files: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


GOOD = {f"{name}/{i}.png": picture(tone=10 * i) for name in ("cat", "dog") for i in range(3)}


def test_npz_is_split_and_its_labels_become_places():
    data = from_upload("mine.npz", npz(X=X, y=Y), seed=0)
    assert data.class_names == ("3", "7", "9") and data.shape == (1, 6, 5)
    assert np.bincount(data.train_y).tolist() == [3, 3, 3] and np.bincount(data.test_y).tolist() == [1, 1, 1]
    assert data.train_x.dtype == np.float32 and data.train_x.max() <= 1
    assert "mine.npz" in data.note


def test_words_can_be_labels():
    words = np.array(["b", "a"] * 6)
    data = from_upload("mine.npz", npz(X=X, y=words), seed=0)
    assert data.class_names == ("a", "b")


def test_own_test_pictures_are_kept():
    content = npz(X=X / 255, y=Y, X_test=X[:2] / 255, y_test=np.array([9, 3]))
    data = from_upload("mine.npz", content, seed=0)
    assert len(data.train_x) == 12 and data.test_y.tolist() == [2, 0]
    assert np.allclose(data.test_x[:, 0], X[:2] / 255, atol=1e-6)


@pytest.mark.parametrize("shape", [(12, 6, 5, 3), (12, 3, 6, 5), (12, 6, 5, 1), (12, 1, 6, 5), (12, 6, 5)])
def test_shapes_that_are_understood(shape):
    data = from_upload("mine.npz", npz(X=np.zeros(shape), y=Y), seed=0)
    assert data.shape == (3 if 3 in shape else 1, 6, 5)


BROKEN = X.astype(float) / 255
NAN, INFINITE = BROKEN.copy(), BROKEN.copy()
NAN[0, 0, 0], INFINITE[0, 0, 0] = np.nan, np.inf


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        ({"X": X}, "must hold the arrays X, y; it holds X"),
        ({"pixels": X}, "must hold the arrays X, y; it holds pixels"),
        ({"X": X[:, 0, 0], "y": Y}, "X must have the shape"),
        ({"X": np.zeros((12, 4, 4, 4)), "y": Y}, "X must have the shape"),
        ({"X": X, "y": Y[:-1]}, "one label per picture"),
        ({"X": X, "y": Y[:, None]}, "one label per picture"),
        ({"X": NAN, "y": Y}, "finite numbers only"),
        ({"X": INFINITE, "y": Y}, "finite numbers only"),
        ({"X": X * 1.0, "y": Y}, "values of X must lie"),
        ({"X": X.astype(int) - 300, "y": Y}, "values of X must lie"),
        ({"X": X.astype(str), "y": Y}, "X must hold numbers"),
        ({"X": X, "y": Y * np.nan}, "NaN or infinite"),
        ({"X": X, "y": Y * 0}, "at least 2 classes; there is 1"),
        ({"X": X[:0], "y": Y[:0]}, "X must have the shape"),
        ({"X": X[:5], "y": Y[:5]}, "at least 2 pictures; 7 has 1"),
        ({"X": X, "y": Y.astype(object)}, "pickled objects, which are never loaded"),
        ({"X": X, "y": Y, "X_test": X}, "both X_test and y_test"),
        ({"X": X, "y": Y, "X_test": X[:, :5], "y_test": Y}, "one size and type"),
        ({"X": X, "y": Y, "X_test": X, "y_test": Y + 1}, "only name classes that y names too; it names 4"),
    ],
)
def test_npz_that_cannot_be_used(arrays, sentence):
    with pytest.raises(Mistake, match=sentence) as raised:
        from_upload("mine.npz", npz(**arrays), seed=0)
    assert "mine.npz" in str(raised.value) and "\n" not in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"not a zip", npz(X=X, y=Y)[:300]])
@pytest.mark.parametrize("name", ["mine.npz", "mine.zip"])
def test_broken_archives(name, content):
    with pytest.raises(Mistake, match=f"{name} must be .*damaged or of another kind"):
        from_upload(name, content, seed=0)


def test_zip_of_class_folders_with_outer_folder_and_other_files():
    files = {f"my pictures/{name}": content for name, content in GOOD.items()}
    extra = {"my pictures/readme.txt": b"hello", "__MACOSX/cat/._0.png": b"?", "my pictures/cat/.0.png": b"?"}
    data = from_upload("pets.zip", zipped(files | extra), seed=0)
    assert data.class_names == ("cat", "dog") and len(data.train_y) + len(data.test_y) == 6


def test_one_coloured_picture_makes_all_coloured():
    data = from_upload("pets.zip", zipped(GOOD | {"cat/9.png": picture(tone=(1, 2, 3), mode="RGB")}), seed=0)
    assert data.shape == (3, 6, 5)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({}, "no picture was found"),
        ({"cat/notes.txt": b"hello"}, "no picture was found"),
        ({"0.png": picture(), "1.png": picture()}, "at least 2 classes"),
        (GOOD | {"dog/z.png": picture(width=7)}, "cat/0.png is 5 x 6, dog/z.png is 7 x 6"),
        (GOOD | {"dog/z.png": b"no picture"}, "dog/z.png must be a readable picture"),
        (GOOD | {"dog/z.png": picture(40, 40)[:-30]}, "dog/z.png must be a readable picture"),
        (GOOD | {"dog/z.png": picture(mode="I;16")}, "dog/z.png must have 8 bits"),
        (GOOD | {"emu/0.png": picture()}, "at least 2 pictures; emu has 1"),
        (GOOD | {"dog/z.png": picture(3000, 3000)}, "dog/z.png may have at most 4,000,000 pixels"),
    ],
)
def test_zips_that_cannot_be_used(files, sentence):
    with pytest.raises(Mistake, match=sentence):
        from_upload("pets.zip", zipped(files), seed=0)


def test_a_zip_bomb_is_refused_before_anything_is_unpacked(monkeypatch):
    monkeypatch.setattr(own_module, "limits", lambda: Limits(10_000, 10_000))
    bomb = zipped(GOOD | {"cat/bomb.png": bytes(1_000_000)})
    monkeypatch.setattr(zipfile.ZipFile, "read", None)
    with pytest.raises(Mistake, match="pets.zip may unpack to at most 10,000 bytes"):
        from_upload("pets.zip", bomb, seed=0)
    with pytest.raises(Mistake, match="may unpack to at most 10,000 bytes"):
        from_upload("mine.npz", npz(X=np.zeros((4, 100, 100)), y=Y[:4]), seed=0)


def test_pictures_that_are_too_many_together_are_refused(monkeypatch):
    monkeypatch.setattr(own_module, "limits", lambda: Limits(10_000_000, 100))
    with pytest.raises(Mistake, match="100 values together; they have 180"):
        from_upload("pets.zip", zipped(GOOD), seed=0)


def test_paths_in_a_zip_are_never_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    evil = {f"../../{name}": content for name, content in GOOD.items()}
    data = from_upload("pets.zip", zipped(GOOD | evil | {"/tmp/emu/0.png": picture()}), seed=0)
    assert data.class_names == ("cat", "dog")
    assert not list(tmp_path.rglob("*")) and not (tmp_path.parent / "cat").exists()


def test_folder_of_class_folders(tmp_path):
    with pytest.raises(Mistake, match="no picture was found"):
        load(str(tmp_path))
    for name, content in GOOD.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    (tmp_path / "cat" / "notes.txt").write_text("not a picture")
    data = load(str(tmp_path), seed=3)
    assert data.class_names == ("cat", "dog") and len(data.train_y) == 4 and len(data.test_y) == 2


def test_files_on_disk(tmp_path):
    (tmp_path / "mine.npz").write_bytes(npz(X=X, y=Y))
    assert load(str(tmp_path / "mine.npz")).classes == 3
    with pytest.raises(Mistake, match="there is no .*absent.npz"):
        load(str(tmp_path / "absent.npz"))
    with pytest.raises(Mistake, match="must end in .npz or .zip; its name is 'mine.rar'"):
        from_upload("mine.rar", b"", seed=0)


def test_a_served_page_takes_less_than_a_persons_own_machine(monkeypatch):
    """A tenth of a megabyte that unpacks to a hundred; nothing of it is unpacked to find that out."""
    file = io.BytesIO()
    np.savez_compressed(file, X=np.zeros((2000, 28, 28 * 8)), y=np.arange(2000) % 2)
    bomb = file.getvalue()
    assert len(bomb) < 200_000
    monkeypatch.setattr(np, "load", None)
    monkeypatch.setenv("DPMIA_SERVED", "1")
    with pytest.raises(Mistake, match="mine.npz may unpack to at most 100,000,000 bytes.*it has 100,3"):
        from_upload("mine.npz", bomb, seed=0)


@pytest.mark.parametrize("missing", ["X", "y"])
def test_a_single_value_is_no_array_of_records(missing):
    arrays = {"X": np.zeros((4, 8, 8)), "y": np.arange(4)} | {missing: np.array(1.0)}
    with pytest.raises(Mistake, match=f"mine.npz: {missing} must hold one entry a record; it is a single value"):
        from_upload("mine.npz", npz(**arrays), seed=0)

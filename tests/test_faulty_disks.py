"""Full disks, homes that may only be read, damaged files, what a killed server leaves: results come all the same."""

import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from conftest import NOTEBOOKS
from lesson_pages import expect, open_lesson, run_to_end
from test_serving import ask, open_page, run_cells

from dpmia_lab import turns
from dpmia_lab.checks import Mistake
from dpmia_lab.data.cache import cached_arrays
from dpmia_lab.stages import Progress, drain
from dpmia_lab.store import Result, Store
from dpmia_lab.widgets.kit.upload import kept

SMALL = {"index": ["# A lab", "1 + 1"]}
LESSON, PANEL = "voila/render/01_model_inversion.ipynb", ".dp-inversion"

def test_what_a_killed_server_left_is_cleared_by_the_next(open_lab):
    """Also what its pages kept: a visitor's upload must not outlive the page."""
    with tempfile.TemporaryDirectory() as short:  # paths of sockets must be
        here, folders = ("env", f"TMPDIR={short}"), Path(short).glob
        left, living = open_lab(SMALL, before=here), open_lab(SMALL, before=here)
        both = set(folders("dpmia_*"))
        page = open_page(left)
        (kept,) = folders("*/page_*")
        assert ask(left, f"/voila/api/shutdown/{page}", "POST")[0] == 204 and not kept.exists()
        left.process.kill(), left.process.wait()
        assert set(folders("dpmia_*")) == both and len(both) == 2
        third = open_lab(SMALL, before=here)
        now = set(folders("dpmia_*"))
        assert len(now) == 2 and len(now & both) == 1
        run_cells(living, open_page(living))
        for lab in (living, third):
            lab.process.terminate(), lab.process.wait()
        assert list(folders("*")) == []


def test_a_home_that_may_only_be_read(page, open_lab, tmp_path):
    """Pages open and run all the same."""
    (tmp_path / "file").write_text("no folder can be made below a file")
    home = tmp_path / "file" / "home"
    settings = [f"{name}={home}" for name in ("HOME", "DPMIA_CACHE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")]
    lab = open_lab(NOTEBOOKS, before=("env", *settings))
    assert f"Results will not be kept between visits: {home} cannot be written" in lab.said.read_text()
    runs(page, lab)


def test_a_full_disk_costs_what_is_kept_and_nothing_else(page, open_lab, tmp_path):
    lab = open_lab(NOTEBOOKS, before=(*small_disk(tmp_path), "env", f"DPMIA_CACHE={tmp_path}"))
    assert "Results will not be kept between visits" in lab.said.read_text()
    for _ in range(2):  # also the second time, for nothing was kept
        runs(page, lab)
    cache = Path(f"/proc/{lab.process.pid}/root{tmp_path}")  # as the server sees it
    assert [file for file in cache.rglob("*") if file.is_file()] == []


def runs(page, lab) -> None:
    """Lesson 1, to its end, and not from the store."""
    open_lesson(page, lab.address + LESSON, PANEL, preset="faces", people=5, steps=20)
    run_to_end(page, PANEL)
    expect(page.locator(f"{PANEL} .dp-status")).to_contain_text(" s, ")
    assert page.locator(".dp-error").count() == 0


def small_disk(place: Path) -> tuple[str, ...]:
    """The start of a command for which a disk of 16 kB is mounted there; where nobody may mount, no file is larger."""
    mount = f"mount -t tmpfs -o size=16k none {place}"
    if subprocess.run(["unshare", "-rm", "sh", "-c", mount], capture_output=True).returncode == 0:
        return "unshare", "-rm", "sh", "-c", f'{mount} && exec "$@"', "sh"
    return "sh", "-c", 'ulimit -f 16; exec "$@"', "sh"


def test_the_command_line_says_that_a_disk_is_full(tmp_path):
    file = tmp_path / "result"
    command = [sys.executable, "-m", "dpmia_lab.commands.command_line", "run", "inversion", "--steps", "20"]
    full = f'head -c 16000 /dev/zero > {tmp_path}/taken; "$@"; code=$?; ls -A {tmp_path}; exit $code'
    watched = [*small_disk(tmp_path), "sh", "-c", full, "sh", *command, "--json", file]
    done = subprocess.run(watched, capture_output=True, text=True)
    assert done.returncode == 2
    assert re.search(rf"^{file} could not be written: [\w ]+\.$", done.stderr, re.MULTILINE)
    assert done.stdout.splitlines()[-1] == "taken" and "Traceback" not in done.stderr


def test_a_file_that_cannot_be_kept_is_refused_in_a_sentence(tmp_path):
    """Which names the file, and not the place on the server."""
    with pytest.raises(Mistake, match=r"^mine\.npz could not be kept here: [\w ]+\.$"):
        kept(tmp_path / "nowhere" / "mine.npz", b"content")


def test_a_run_that_gets_no_ticket_does_not_wait_for_ever(monkeypatch, tmp_path):
    def counting():
        yield Progress(0, 1, "counting")
        return "done"

    monkeypatch.setenv(turns.FOLDER, str(tmp_path / "nowhere"))
    assert drain(turns.in_turn(counting())) == "done"


# ---- files that are damaged

DAMAGE = {
    "cut short": lambda file: file.write_bytes(file.read_bytes()[:100]),
    "noise": lambda file: file.write_bytes(random.Random(0).randbytes(5000)),
    "empty": lambda file: file.write_bytes(b""),
    "a folder": lambda file: (file.unlink(), file.mkdir(), (file / "inside").write_text("not ours")),
}


def broken(file: Path, how: str) -> None:
    """Damage it, and be sure that it is."""
    before = file.read_bytes()
    DAMAGE[how](file)
    assert file.is_dir() or file.read_bytes() != before


@pytest.mark.parametrize("how", DAMAGE)
def test_damaged_data_in_the_cache_are_made_again(monkeypatch, tmp_path, how):
    monkeypatch.setenv("DPMIA_CACHE", str(tmp_path))
    made = []

    def numbers() -> np.ndarray:
        return cached_arrays("numbers", lambda: made.append(1) or {"x": np.arange(1000)})["x"]

    numbers()
    broken(tmp_path / "numbers.npz", how)
    for _ in range(2):
        assert np.array_equal(numbers(), np.arange(1000))
    assert len(made) == 2 and [file.name for file in tmp_path.iterdir()] == ["numbers.npz"]


@pytest.mark.parametrize("name", ["arrays.npz", "record.json"])
@pytest.mark.parametrize("how", DAMAGE)
def test_a_damaged_result_is_none_and_is_replaced(tmp_path, how, name):
    store, result = Store(tmp_path), Result({"share": 0.5}, {"x": np.arange(1000)})
    store.put("inversion", {"seed": 1}, result, {"seconds": 1.0})
    (place,) = tmp_path.iterdir()
    broken(place / name, how)
    assert store.get("inversion", {"seed": 1}) is None
    store.put("inversion", {"seed": 1}, result)
    assert store.get("inversion", {"seed": 1})[0].numbers == {"share": 0.5}


def test_a_file_in_the_place_of_a_result_is_replaced(tmp_path):
    store, result = Store(tmp_path), Result({"share": 0.5})
    store.put("inversion", {"seed": 1}, result)
    (place,) = tmp_path.iterdir()
    shutil.rmtree(place)
    place.write_text("not ours")
    assert store.get("inversion", {"seed": 1}) is None and store.records() == []
    store.put("inversion", {"seed": 1}, result)
    assert store.get("inversion", {"seed": 1})[0].numbers == {"share": 0.5}

"""Sweeps: every cell once and only once, whatever is stopped, killed or full in between."""

import errno
import os
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from dpmia_lab import store as stores
from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import private_training
from dpmia_lab.options import as_dict
from dpmia_lab.stages import Progress, Stopped, drain
from dpmia_lab.store import Result, Store
from dpmia_lab.sweeps import sweep
from dpmia_lab.sweeps.cell import Outcome, outcome_of

NAME, BASE = "private_training", private_training.SMALL
GRID = {"sigma": [1.0, 2.0], "q": [0.05, 0.1]}


def made_up(name, config):
    """An outcome that costs nothing, and tells its configuration."""
    numbers = {"test_accuracy": config["sigma"] / 10, "steps": float(config["seed"])}
    return Outcome(Result(numbers, {"x": np.arange(3) * config["q"]}), {"seconds": 0.5, "device": "none"})


class Here:
    """Workers that are threads of this process."""

    def __init__(self, compute=made_up, room=2):
        self.compute, self.room = compute, room
        self.pool, self.asked, self.closed = ThreadPoolExecutor(room), [], False

    def submit(self, name, config):
        self.asked.append(config)
        return self.pool.submit(self.compute, name, config)

    def under_way(self):
        return 0.0

    def close(self):
        self.pool.shutdown(cancel_futures=True)
        self.closed = True


def swept(store, workers, configs=None, on_event=None, should_stop=None):
    configs = configs or sweep.configurations(BASE, GRID, 2)
    return drain(sweep.swept(NAME, configs, store, lambda: workers), on_event, should_stop)


def assert_same(one: Result, other: Result):
    """Bit for bit."""
    assert one.numbers == other.numbers and one.arrays.keys() == other.arrays.keys()
    assert all(array.tobytes() == other.arrays[name].tobytes() for name, array in one.arrays.items())


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "sweep", most=None)


# ---- the grid


def test_cells_are_the_grid_times_the_seeds_each_once():
    configs = sweep.configurations(replace(BASE, seed=3), {**GRID, "rate": [1.0, 1.0]}, 2)
    settings = [(config.sigma, config.q, config.seed) for config in configs]
    assert settings == [(s, q, seed) for s in (1.0, 2.0) for q in (0.05, 0.1) for seed in (3, 4)]
    assert {config.data for config in configs} == {"digits"}


def test_without_a_grid_there_are_still_seeds():
    assert [config.seed for config in sweep.configurations(BASE, {}, 3)] == [0, 1, 2]
    assert sweep.configurations(BASE, {"seed": [5, 9]}, 1) == [replace(BASE, seed=5), replace(BASE, seed=9)]


@pytest.mark.parametrize(
    ("grid", "seeds", "rule"),
    [
        ({"sigma": [1.0, -1.0]}, 1, "sigma must be from 0.01 to 1000; it is -1.0."),
        ({"colour": ["red"]}, 1, "option must be one of data, people"),
        ({"sigma": []}, 1, "sigma must have at least one value in the grid; it has none."),
        ({"sigma": [1.0]}, 0, "seeds must be a whole number from 1 to 100000; it is 0."),
        ({"seed": [1, 2]}, 2, "seeds must be 1 where the grid lists seeds; it is 2."),
        ({"sigma": [1.0]}, 2**31, "seeds must be a whole number from 1 to 100000; it is 2147483648."),
    ],
)
def test_a_bad_grid_is_refused_before_the_work_in_one_sentence(grid, seeds, rule, tmp_path):
    with pytest.raises(Mistake) as refusal:
        sweep.run(NAME, BASE, grid, seeds, folder=tmp_path / "x")
    assert str(refusal.value).startswith(rule)
    assert list(tmp_path.iterdir()) == []


def test_unknown_experiments_and_workers_are_refused():
    with pytest.raises(Mistake, match="^experiment must be one of inversion"):
        sweep.run("nothing", BASE, {})
    with pytest.raises(Mistake, match="^workers must be a whole number from 1 to 1000; it is 0.$"):
        sweep.run(NAME, BASE, {}, workers=0)


# ---- the stage


def test_every_cell_is_computed_stored_and_told(store):
    workers = Here()
    cells = swept(store, workers)
    assert [cell.config for cell in cells] == sweep.configurations(BASE, GRID, 2)
    assert workers.closed and len(workers.asked) == 8
    for cell in cells:
        kept, record = store.get(NAME, as_dict(cell.config))
        assert_same(kept, made_up(NAME, as_dict(cell.config)).result)
        assert record["device"] == "none" and cell.numbers == kept.numbers and not cell.problem


def test_progress_rises_to_its_total_and_carries_all_cells_so_far(store):
    events = []
    swept(store, Here(), on_event=events.append)
    shares = [event.done / event.total for event in events]
    assert shares[0] == 0 and shares[-1] == 1 and (np.diff(shares) >= 0).all()
    assert all(isinstance(event, Progress) for event in events)
    told = [len(event.values["cells"]) for event in events if event.values]
    assert set(told) == set(range(9)) and told == sorted(told)
    assert events[-1].label == "8 of 8 cells"


def test_stored_cells_are_not_run_again(store):
    swept(store, Here(), sweep.configurations(BASE, GRID, 1))
    events, workers = [], Here()
    cells = swept(store, workers, on_event=events.append)
    assert {config["seed"] for config in workers.asked} == {1} and len(workers.asked) == 4
    assert len(cells) == 8 and events[-1].values["stored"] == 4
    assert events[-1].label == "4 of 4 cells left to do, 4 stored before"
    assert max(event.total for event in events) == 4  # the time left is that of the others


def test_with_everything_stored_nobody_is_hired(store):
    cells = swept(store, Here())
    events = []
    assert swept(store, None, on_event=events.append) == cells
    assert events[-1].done == events[-1].total


def test_a_sweeps_folder_forgets_nothing(store):
    """An ordinary store would keep but the 200 used last."""
    configs = sweep.configurations(BASE, {}, 205)
    swept(store, Here(room=1), configs)
    assert len(store.records()) == 205
    cells = drain(sweep.run(NAME, BASE, {}, 205, folder=store.root))
    assert len(cells) == 205 and len(store.records()) == 205


def test_a_damaged_cell_is_computed_again(store):
    config = sweep.configurations(BASE, {}, 1)[0]
    swept(store, Here(), [config])
    (place,) = store.root.iterdir()
    (place / "arrays.npz").write_bytes(b"half")
    workers = Here()
    swept(store, workers, [config])
    assert len(workers.asked) == 1 and store.get(NAME, as_dict(config)) is not None


def test_only_a_few_cells_are_handed_out_at_a_time(store):
    """So memory holds a few results, however large the grid: never more than room of them are not yet stored."""
    unstored, workers = [], Here(room=2)
    submit = workers.submit
    workers.submit = lambda *cell: (submit(*cell), unstored.append(len(workers.asked) - len(store.records())))[0]
    swept(store, workers)
    assert len(unstored) == 8 and max(unstored) <= 2


# ---- what goes wrong


def failing(name, config):
    if config["sigma"] == 2.0 and config["q"] == 0.1:
        raise RuntimeError("the accelerator is on fire")
    return made_up(name, config)


def test_a_failing_cell_is_told_with_its_configuration_and_ends_no_other(store):
    events = []
    cells = swept(store, Here(failing), on_event=events.append)
    failed = [cell for cell in cells if cell.problem]
    assert [(cell.config.sigma, cell.config.q) for cell in failed] == [(2.0, 0.1)] * 2
    assert {cell.problem for cell in failed} == {"RuntimeError: the accelerator is on fire"}
    assert events[-1].values["failed"] == 2 and events[-1].label == "8 of 8 cells, 2 failed"
    assert len(store.records()) == 6
    again = Here()
    assert not any(cell.problem for cell in swept(store, again)) and len(again.asked) == 2


def test_whatever_an_experiment_raises_becomes_a_sentence(monkeypatch):
    assert outcome_of(NAME, {**as_dict(BASE), "data": "cats"}).problem.startswith("data must be")
    assert outcome_of("nothing", {}).problem == "KeyError: 'nothing'"
    assert outcome_of(NAME, as_dict(BASE), should_stop=lambda: True).problem == "it was stopped."
    monkeypatch.setattr(private_training, "run", lambda config: (_ for _ in [0 / 0]))
    assert outcome_of(NAME, as_dict(BASE)).problem == "ZeroDivisionError: division by zero"


def test_a_worker_with_other_code_is_not_believed(store):
    other = replace(made_up(NAME, as_dict(BASE)), code="another")
    (cell,) = swept(store, Here(lambda *_: other), [BASE])
    assert cell.problem == "its worker runs another version of this package." and store.records() == []


def test_a_full_disk_is_told_and_the_next_sweep_completes(store, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(stores.np, "savez_compressed", full)
        cells = swept(store, Here())
    assert {cell.problem for cell in cells} == {"its result could not be stored: No space left on device."}
    assert list(store.root.iterdir()) == []
    assert not any(cell.problem for cell in swept(store, Here()))


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 256 KB of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    try:
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], capture_output=True)
    except OSError:
        mounted = None
    if mounted is None or mounted.returncode != 0:
        pytest.skip("may not mount a small disk here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_disk_that_is_really_full(small_disk):
    def large(name, config):
        noise = np.random.default_rng(config["seed"]).random(10_000)  # 80 KB that no compression shrinks
        return replace(made_up(name, config), result=Result({"seed": 1.0 * config["seed"]}, {"x": noise}))

    store, configs = Store(small_disk / "sweep", most=None), sweep.configurations(BASE, {}, 4)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(100_000))
    cells = swept(store, Here(large, room=1), configs)
    assert [bool(cell.problem) for cell in cells].count(True) >= 2 and not cells[0].problem
    assert {cell.problem for cell in cells} == {"", "its result could not be stored: No space left on device."}
    for cell in cells:  # what is there is whole, and what failed left nothing
        assert (store.get(NAME, as_dict(cell.config)) is None) == bool(cell.problem)
    assert all(place.name.startswith(NAME) for place in store.root.iterdir())
    ballast.unlink()
    subprocess.run(["mount", "-o", "remount,size=1m", small_disk], check=True)
    again = Here(large, room=1)
    assert not any(cell.problem for cell in swept(store, again, configs))
    assert len(again.asked) == sum(bool(cell.problem) for cell in cells)


def test_another_sweep_may_store_the_same_cell_meanwhile(store, monkeypatch):
    """Two machines on one folder: whoever comes second finds the folder there and is content."""
    put = Store.put

    def beaten(self, *given):
        put(self, *given)
        raise OSError(errno.ENOTEMPTY, os.strerror(errno.ENOTEMPTY))

    monkeypatch.setattr(Store, "put", beaten)
    assert not any(cell.problem for cell in swept(store, Here()))
    assert len(store.records()) == 8


def test_old_leftovers_of_a_killed_sweep_are_removed_and_young_ones_left(store):
    for name, age in ((".new-old", 7200), (".new-young", 10)):
        (store.root / name).mkdir(parents=True)
        os.utime(store.root / name, (time.time() - age,) * 2)
    swept(store, Here(), [BASE])
    assert sorted(place.name[:9] for place in store.root.iterdir()) == [".new-youn", "private_t"]
    assert len(store.records()) == 1


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(Mistake, match="could not be made: .*directory"):
        drain(sweep.run(NAME, BASE, {}, folder=tmp_path / "file" / "x"))


# ---- stopping


def test_a_stopped_sweep_keeps_its_finished_cells_and_goes_on(store):
    gate, count = threading.Event(), []

    def third_waits(name, config):
        count.append(config)
        if len(count) > 2:
            gate.wait(10)
        return made_up(name, config)

    workers = Here(third_waits, room=1)
    closing, workers.close = workers.close, lambda: (gate.set(), closing())
    with pytest.raises(Stopped):
        swept(store, workers, should_stop=lambda: len(count) > 2)
    assert len(store.records()) == 2
    workers = Here()
    assert len(swept(store, workers)) == 8 and len(workers.asked) == 6

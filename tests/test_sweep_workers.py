"""A sweep's real workers, processes and a Dask cluster: killed and stopped in the middle."""

import contextlib
import os
import signal
import threading
from dataclasses import replace
from functools import cache

import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments import private_training
from dpmia_lab.options import as_dict
from dpmia_lab.stages import drain
from dpmia_lab.store import Result, Store
from dpmia_lab.sweeps import sweep
from dpmia_lab.sweeps.cluster import ClusterWorkers
from dpmia_lab.sweeps.local import LocalWorkers

NAME, BASE = "private_training", private_training.SMALL


def assert_same(one: Result, other: Result):
    """Bit for bit."""
    assert one.numbers == other.numbers and one.arrays.keys() == other.arrays.keys()
    assert all(array.tobytes() == other.arrays[name].tobytes() for name, array in one.arrays.items())


def assert_as_run_directly(store, configs):
    assert len([place for place in store.root.iterdir() if place.is_dir()]) == len(configs)
    for config in configs:
        kept, record = store.get(NAME, as_dict(config))
        assert_same(kept, run_directly(config))
        assert record["seconds"] > 0 and record["device"]


@cache
def run_directly(config):
    return drain(private_training.run(config))


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "sweep", most=None)


def test_a_sweep_stopped_before_its_processes_are_up_does_not_wait_for_them(tmp_path):
    """They are held in their tracks, and would never be up."""
    workers = LocalWorkers(2)
    stage = sweep.swept(NAME, sweep.configurations(BASE, {}, 2), Store(tmp_path, most=None), lambda: workers)
    while len(workers.all) < 2:
        next(stage)
    children = list(workers.all)
    for child in children:
        os.kill(child.process.pid, signal.SIGSTOP)
    closing = threading.Thread(target=stage.close, daemon=True)
    closing.start()
    closing.join(60)
    assert not closing.is_alive()
    assert [child.process.returncode for child in children] == [-signal.SIGKILL] * 2
    assert list(tmp_path.iterdir()) == []


def kill_when(stage, condition):
    """Run the stage to its end; as soon as ``condition()`` names a process, kill it."""
    victim, result = None, None
    while True:
        try:
            next(stage)
        except StopIteration as end:
            result = end.value
            break
        if victim is None and (victim := condition()):
            os.kill(victim, signal.SIGKILL)
    assert victim is not None
    return result


def test_a_killed_worker_process_costs_nothing_but_time(store):
    """The process is killed in the middle of a cell; a new one takes over: the bits of direct runs."""
    configs = sweep.configurations(replace(BASE, steps=100), {}, 2)
    workers = LocalWorkers(1)

    def in_the_middle():
        return next((child.process.pid for child in list(workers.all) if child.share > 0), None)

    cells = kill_when(sweep.swept(NAME, configs, store, lambda: workers), in_the_middle)
    assert [cell.problem for cell in cells] == ["", ""]
    assert_as_run_directly(store, configs)


def test_a_cell_that_kills_every_worker_is_given_up(store, monkeypatch):
    monkeypatch.setenv("PYTHONHOME", "/nowhere")  # with it no Python process starts
    (cell,) = drain(sweep.swept(NAME, [BASE], store, lambda: LocalWorkers(1)))
    assert cell.problem.startswith("its worker process died 3 times (the last time with exit code 1")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    from distributed import LocalCluster

    folder = str(tmp_path_factory.mktemp("dask"))
    how = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "local_directory": folder}
    with LocalCluster(processes=True, silence_logs=50, **how) as cluster:
        yield cluster


def test_a_killed_worker_of_a_cluster_costs_nothing_but_time(cluster, store):
    """A real Dask cluster: a worker killed in the middle of a cell. Nothing is lost, nothing there twice."""
    base = replace(BASE, steps=100)
    configs = sweep.configurations(base, {}, 4)
    stage = sweep.run(NAME, base, {}, 4, folder=store.root, scheduler=cluster.scheduler_address)

    def in_the_middle():
        if not store.root.exists() or not store.records():
            return None
        busy = {worker.address for worker in cluster.scheduler.workers.values() if worker.processing}
        return next((nanny.pid for nanny in cluster.workers.values() if nanny.worker_address in busy), None)

    cells = kill_when(stage, in_the_middle)
    assert [cell.config for cell in cells] == configs and not any(cell.problem for cell in cells)
    assert_as_run_directly(store, configs)


def test_a_stopped_sweep_leaves_the_cluster_free(cluster, store):
    """Cells of minutes are at work; after the stop they end at their next event, and others' work is done."""
    address, long = cluster.scheduler_address, replace(BASE, steps=100_000)
    stage = sweep.run(NAME, long, {}, 8, folder=store.root, scheduler=address)
    with contextlib.closing(ClusterWorkers(address)) as others:
        while not (busy := [worker.address for worker in cluster.scheduler.workers.values() if worker.processing]):
            next(stage)
        for _ in range(5):  # half a second of work
            next(stage)
        stage.close()
        assert others.client.submit(os.getpid, workers=busy[:1]).result(timeout=60) > 0
    assert store.records() == []


def test_an_address_without_a_scheduler_is_a_mistake(store, monkeypatch):
    monkeypatch.setattr("dpmia_lab.sweeps.cluster.PATIENCE", 0.3)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(Mistake, match="^scheduler must be the address of a running Dask scheduler; it is"):
            drain(sweep.run(NAME, BASE, {}, folder=store.root, scheduler=address))

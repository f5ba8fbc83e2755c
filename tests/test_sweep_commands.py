"""``dpmia-lab sweep`` and ``dpmia-lab table``: what they print and write, and Ctrl-C and kill -9 in the middle."""

import contextlib
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas
import psutil
import pytest
from conftest import has_ended, heed_ctrl_c, wait_until

from dpmia_lab.checks import Mistake
from dpmia_lab.commands.command_line import main
from dpmia_lab.experiments import EXPERIMENTS, private_training
from dpmia_lab.options import as_dict
from dpmia_lab.stages import drain
from dpmia_lab.store import Result, Store
from dpmia_lab.sweeps import sweep
from dpmia_lab.sweeps.cell import Outcome

NAME = "private_training"
COMMAND = [sys.executable, "-m", "dpmia_lab.commands.command_line"]
SWEEP = ["sweep", NAME, "--set", "data=digits", "--grid", "sigma=1,2", "--seeds", "2"]


class Here:
    """Workers that compute nothing: threads of this process."""

    def __init__(self, room, asked=None):
        self.room, self.pool, self.asked = room, ThreadPoolExecutor(1), [] if asked is None else asked

    def submit(self, name, config):
        self.asked.append(config)
        return self.pool.submit(self.outcome, config)

    def outcome(self, config):
        if config["q"] == 0.5:
            return Outcome(problem="q must be another; it is 0.5.")
        numbers = {"test_accuracy": config["sigma"] / 3, "steps": float(config["steps"]), "seen": float(config["seed"])}
        if config["sigma"] == 2.0:
            numbers = {"epsilon": 1.5, **numbers}
        return Outcome(Result(numbers, {"x": np.zeros(2)}), {"seconds": 0.25, "device": "a machine"})

    def under_way(self):
        return 0.0

    def close(self):
        self.pool.shutdown()


@pytest.fixture
def here(monkeypatch):
    monkeypatch.setattr(sweep, "LocalWorkers", Here)


@pytest.fixture
def filled(here, tmp_path, capsys):
    """The folder of a finished sweep."""
    assert main([*SWEEP, "--folder", str(tmp_path / "cells")]) == 0
    capsys.readouterr()
    return tmp_path / "cells"


def refused(capsys, *arguments):
    """The one sentence with which these arguments are refused."""
    assert main(list(arguments)) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.count("\n") == 1
    return said.err.strip()


def test_a_sweep_says_where_its_results_are_and_how_to_see_them(here, capsys):
    assert main(SWEEP) == 0
    said = capsys.readouterr()
    folder = os.path.join(os.environ["DPMIA_CACHE"], "sweeps", NAME)
    assert said.out.splitlines() == [
        f"Results are stored in {folder}",
        f"All 4 cells are stored; see them with: dpmia-lab table {folder}",
    ]
    assert "100 % 4 of 4 cells" in said.err


def test_a_preset_is_the_start_set_changes_it_and_the_grid_varies_it(here, tmp_path, capsys):
    given = ["--preset", "digits-cnn", "--set", "clip=2", "--set", "steps=7", "--grid", "optimizer=sgd,adam"]
    assert main(["sweep", NAME, *given, "--grid", "q=0.1,0.2", "--folder", str(tmp_path)]) == 0
    table = sweep.table(tmp_path)
    preset = as_dict(private_training.PRESETS["digits-cnn"])
    pairs = zip(table.optimizer, table.q, strict=True)
    assert sorted(pairs) == [("adam", 0.1), ("adam", 0.2), ("sgd", 0.1), ("sgd", 0.2)]
    for name, value in {**preset, "clip": 2.0, "steps": 7}.items():
        assert name in ("optimizer", "q") or set(table[name]) == {value}


def test_a_failing_cell_is_told_as_the_command_that_runs_it_alone(here, tmp_path, capsys):
    assert main([*SWEEP, "--grid", "q=0.1,0.5", "--folder", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    alone = f"failed: dpmia-lab run {NAME} --data digits --sigma 2.0 --q 0.5 --seed 1\n"
    alone += "        q must be another; it is 0.5.\n"
    assert alone in said and said.count("failed: ") == 4 and "Traceback" not in said
    assert said.endswith("4 of 8 cells failed, as told above; the same command tries them again.\n")
    assert len(sweep.table(tmp_path)) == 4


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        (["--grid", "sigma=1,0"], "sigma must be from 0.01 to 1000; it is 0.0."),
        (["--grid", "sigma=1,much"], "sigma must be a number; it is 'much'."),
        (["--grid", "sigma=1,"], "sigma must be a number; it is ''."),
        (["--grid", "unit=record,planet"], "unit must be one of record, subclass, class; it is 'planet'."),
        (["--grid", "steps=10,1.5"], "steps must be a whole number; it is '1.5'."),
        (["--grid", "colour=red"], "option must be one of data, people"),
        (["--grid", "sigma"], "grid must be given as FIELD=VALUE; it is 'sigma'."),
        (["--grid", "q=0.1", "--grid", "q=0.2"], "grid must name each setting once; it names q again."),
        (["--set", "sigma=-1"], "sigma must be from 0.01 to 1000; it is -1.0."),
        (["--set", "sigma"], "set must be given as FIELD=VALUE; it is 'sigma'."),
        (["--seeds", "some"], "seeds must be a whole number; it is 'some'."),
        (["--seeds", "0"], "seeds must be a whole number from 1 to 100000; it is 0."),
        (["--workers", "0"], "workers must be a whole number from 1 to 1000; it is 0."),
        (["--workers", "all"], "workers must be a whole number; it is 'all'."),
    ],
)
def test_a_bad_value_is_refused_in_one_sentence(arguments, rule, here, capsys):
    assert refused(capsys, "sweep", NAME, *arguments).startswith(rule)


def test_help_explains_a_sweep(capsys):
    for name in EXPERIMENTS:
        with pytest.raises(SystemExit):
            main(["sweep", name, "--help"])
        said = capsys.readouterr().out
        assert all(option in said for option in ("--grid", "--seeds", "--workers", "--scheduler", "--folder", "--set"))


# ---- tables


def test_the_table_has_a_row_a_cell_with_settings_numbers_and_circumstances(filled):
    table = sweep.table(filled)
    assert list(zip(table.sigma, table.seed, strict=True)) == [(1.0, 0), (1.0, 1), (2.0, 0), (2.0, 1)]
    settings = ["experiment", *as_dict(private_training.Config())]
    assert list(table)[: len(settings)] == settings
    assert sorted(list(table)[len(settings) : -3]) == ["epsilon", "seen", "steps_result", "test_accuracy"]
    assert list(table)[-3:] == ["seconds", "device", "code"]
    assert table.test_accuracy.tolist() == [1 / 3, 1 / 3, 2 / 3, 2 / 3]
    assert table.epsilon.isna().tolist() == [True, True, False, False]
    assert set(table.steps) == set(table.steps_result) == {300} and set(table.seconds) == {0.25}


def test_the_table_is_printed_with_what_varies_and_written_whole(filled, tmp_path, capsys):
    assert main(["table", str(filled), "--csv", str(tmp_path / "a.csv")]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"The same in all 4 cells: experiment {NAME}, data digits,")
    assert "sigma" in said.splitlines()[2] and "data" not in said.splitlines()[2] and "nan" not in said.lower()
    pandas.testing.assert_frame_equal(pandas.read_csv(tmp_path / "a.csv", dtype={"code": str}), sweep.table(filled))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "cells"]


def test_the_table_is_printed_as_mean_and_deviation_over_seeds(filled, capsys):
    """Seeds 0 and 1 "saw" 0 and 1: mean 0.5, deviation √½. Both have one accuracy, so its deviation is 0."""
    assert main(["table", str(filled)]) == 0
    head, *lines = [line.split() for line in capsys.readouterr().out.splitlines()[2:5]]
    assert head == ["sigma", "seeds", "test_accuracy", "seen", "epsilon"]
    assert [" ".join(line) for line in lines] == [
        "1.0 2 0.3333 ± 0 0.5 ± 0.71",
        "2.0 2 0.6667 ± 0 0.5 ± 0.71 1.5 ± 0",
    ]


def test_one_seed_has_no_deviation(here, tmp_path, capsys):
    assert main([*SWEEP[:-2], "--folder", str(tmp_path)]) == 0
    capsys.readouterr()
    assert main(["table", str(tmp_path)]) == 0
    assert "±" not in "".join(capsys.readouterr().out.splitlines()[2:5])


def test_python_gets_means_and_deviations_too(filled):
    cells = sweep.table(filled)
    means, spreads = sweep.over_seeds(cells, ["experiment", *as_dict(private_training.Config())])
    assert means.seeds.tolist() == [2, 2] and means.seen.tolist() == [0.5, 0.5] and "seed" not in means
    assert spreads.seen.tolist() == pytest.approx([0.5**0.5] * 2)


def test_of_two_versions_of_the_code_the_newer_result_is_shown(filled, monkeypatch, capsys):
    monkeypatch.setattr("dpmia_lab.store.code_fingerprint", lambda: "later")
    record = Store(filled).records()[0]
    Store(filled, most=None).put(NAME, record["config"], Result({"test_accuracy": 0.99}), {"code": "later"})
    table = sweep.table(filled)
    assert len(table) == 4 and sorted(table.test_accuracy)[-1] == 0.99 and "later" in set(table.code)


def test_a_folder_without_results_or_a_file_that_cannot_be_written_is_refused(filled, tmp_path, capsys):
    for folder in (tmp_path / "nowhere", tmp_path):
        assert refused(capsys, "table", str(folder)).startswith("folder must be one that a sweep has filled; it is")
    assert "must exist and be writable" in refused(capsys, "table", str(filled), "--csv", str(tmp_path / "x" / "a"))


def test_python_is_told_the_same(tmp_path):
    with pytest.raises(Mistake, match="^folder must be one that a sweep has filled"):
        sweep.table(tmp_path)


# ---- Ctrl-C and kill -9


@contextlib.contextmanager
def running(arguments):
    """A sweep in a process of its own."""
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    run = subprocess.Popen(COMMAND + arguments, **pipes, preexec_fn=heed_ctrl_c)
    try:
        yield run
    finally:
        run.kill()
        run.communicate()


def test_a_sweep_that_is_stopped_and_then_killed_goes_on_where_it_was(tmp_path):
    """First Ctrl-C, then kill -9, each in the middle; the last start computes only what is missing."""
    grid = ["sweep", NAME, "--set", "data=digits", "--set", "steps=60", "--seeds", "40"]
    grid += ["--workers", "1", "--folder", str(tmp_path)]
    store = Store(tmp_path, most=None)
    with running(grid) as run:
        assert wait_until(lambda: len(store.records()) >= 1, 120), run.stderr.read()
        (worker,) = psutil.Process(run.pid).children()
        run.send_signal(signal.SIGINT)
        printed, said = run.communicate(timeout=30)
    assert run.returncode == 130 and "Traceback" not in said
    assert said.endswith("\nStopped; finished cells are kept, and the same command goes on from there.\n")
    assert wait_until(lambda: has_ended(worker), 30)
    after_stop = {place.name: place.stat().st_ino for place in tmp_path.iterdir()}
    with running(grid) as run:
        assert wait_until(lambda: len(store.records()) > len(after_stop), 120), run.stderr.read()
        (worker,) = psutil.Process(run.pid).children()
        run.kill()
        run.wait()
    assert wait_until(lambda: has_ended(worker), 20)  # it notices at its next event
    after_kill = {place.name: place.stat().st_ino for place in tmp_path.glob(f"{NAME}-*")}
    assert after_stop.items() <= after_kill.items() and len(after_kill) < 40

    seeds, asked = len(after_kill) + 1, []
    base = private_training.Config(data="digits", steps=60)
    stage = sweep.swept(NAME, sweep.configurations(base, {}, seeds), store, lambda: Here(1, asked))
    cells = drain(stage)
    assert [config["seed"] for config in asked] == [seeds - 1] and len(cells) == seeds
    assert after_kill.items() <= {place.name: place.stat().st_ino for place in tmp_path.iterdir()}.items()
    assert cells[0].numbers == drain(private_training.run(base)).numbers

"""Turns: a few runs at a time over all processes, in the order they came, and nobody waits for the dead."""

import os
import signal
import subprocess
import sys
import time

import pytest

from dpmia_lab import turns
from dpmia_lab.stages import Progress, Stopped, drain
from dpmia_lab.turns import Ticket, in_turn

HOLDER = """
import sys, time
from pathlib import Path
from dpmia_lab.turns import Ticket
ticket = Ticket(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


@pytest.fixture
def shared(tmp_path, monkeypatch):
    monkeypatch.setenv(turns.FOLDER, str(tmp_path))
    monkeypatch.setenv(turns.AT_ONCE, "2")
    monkeypatch.setattr(turns, "PAUSE", 0.001)
    return tmp_path


def counting(steps: int = 3):
    for step in range(steps):
        yield Progress(step, steps, "counting")
    return steps


def tickets(folder) -> list[str]:
    return sorted(os.listdir(folder))


def test_without_a_server_a_run_goes_at_once(monkeypatch):
    monkeypatch.delenv(turns.FOLDER, raising=False)
    assert drain(in_turn(counting())) == 3


def test_so_many_at_once_and_the_others_in_their_order(shared):
    runs = [in_turn(counting()) for _ in range(4)]
    first = [next(run) for run in runs]
    assert [event.values.get("waiting", 0) for event in first] == [0, 0, 1, 2]
    assert first[3].label == "waiting for 2 runs of other readers" and first[2].label.startswith("waiting for 1 run of")
    runs[1].close()  # stopped: the third goes, the fourth is next
    assert next(runs[2]).label == "counting" and next(runs[3]).values == {"waiting": 1}
    assert drain(runs[0]) == 3 and next(runs[3]).label == "counting"
    drain(runs[2]), drain(runs[3])
    assert tickets(shared) == []


def test_a_waiting_run_can_be_stopped_and_leaves_nothing(shared):
    holders = [Ticket(shared) for _ in range(2)]
    seen = []
    with pytest.raises(Stopped):
        drain(in_turn(counting()), seen.append, lambda: len(seen) > 3)
    assert all(event.values["waiting"] for event in seen) and len(tickets(shared)) == 2
    for holder in holders:
        holder.close()


def test_a_run_that_fails_gives_its_ticket_back(shared):
    def failing():
        yield Progress(0, 1, "failing")
        raise ValueError

    with pytest.raises(ValueError):
        drain(in_turn(failing()))
    assert tickets(shared) == []


def test_nobody_waits_for_a_process_that_was_killed(shared):
    process = subprocess.Popen([sys.executable, "-c", HOLDER, str(shared)], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "held\n"
    own, third = Ticket(shared), in_turn(counting())
    assert next(third).values == {"waiting": 1}
    process.send_signal(signal.SIGKILL)
    process.communicate()
    deadline = time.monotonic() + 10
    while next(third).label != "counting":
        assert time.monotonic() < deadline
    assert len(tickets(shared)) == 2  # the dead one's is gone
    own.close(), third.close()

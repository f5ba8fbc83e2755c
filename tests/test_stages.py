"""Stages: results, events, stopping, nesting, and the time that is left."""

import threading
import time

import numpy as np
import pytest

from dpmia_lab.stages import Once, Progress, Snapshot, Stopped, TimeLeft, drain, part, stretches


def counting(steps, log=None, label="counting"):
    """Count up to ``steps``; the result is their number, the last entry of ``log`` says it was closed."""
    try:
        for step in range(1, steps + 1):
            yield Progress(step, steps, label)
    finally:
        if log is not None:
            log.append("closed")
    return steps


def failing():
    yield Progress(1, 2, "about to fail")
    raise ZeroDivisionError("inside")


def test_drain_returns_the_result():
    assert drain(counting(3)) == 3


def test_a_stage_without_events_still_has_a_result():
    assert drain(counting(0)) == 0


def test_drain_passes_every_event_in_order():
    seen = []
    drain(counting(3), seen.append)
    assert seen == [Progress(step, 3, "counting") for step in (1, 2, 3)]


def test_drain_stops_on_request_and_runs_finally_blocks():
    seen, log = [], []
    with pytest.raises(Stopped):
        drain(counting(100, log), seen.append, lambda: len(seen) == 2)
    assert len(seen) == 2
    assert log == ["closed"]


def test_a_stop_asked_before_the_start_lets_nothing_run():
    stage = counting(1)
    with pytest.raises(Stopped):
        drain(stage, should_stop=lambda: True)
    assert next(stage, "closed") == "closed"


def test_drain_closes_the_stage_when_a_listener_fails():
    def broken(event):
        raise KeyError(event.done)

    log = []
    with pytest.raises(KeyError):
        drain(counting(3, log), broken)
    assert log == ["closed"]


def test_an_exception_of_the_stage_reaches_the_caller():
    with pytest.raises(ZeroDivisionError, match="inside"):
        drain(failing())


def test_part_scales_progress_into_its_stretch():
    seen = []
    assert drain(part(counting(4), 0.5, 0.9), seen.append) == 4
    assert [event.done for event in seen] == pytest.approx([0.6, 0.7, 0.8, 0.9])
    assert {event.total for event in seen} == {1.0}


@pytest.mark.parametrize(("label", "shown"), [("", "counting"), ("loading", "loading")])
def test_part_may_rename_the_work(label, shown):
    assert next(part(counting(4), 0, 1, label)).label == shown


def test_part_leaves_snapshots_and_values_alone():
    def stage():
        yield Snapshot("picture", 7, np.ones(2))
        yield Progress(1, 2, "x", {"loss": 0.25})

    snapshot, progress = part(stage(), 0.0, 0.5)
    assert (snapshot.name, snapshot.step, snapshot.array.tolist()) == ("picture", 7, [1, 1])
    assert progress == Progress(0.25, 1.0, "x", {"loss": 0.25})


def nested(log):
    first = yield from part(counting(2, log), 0.0, 0.5)
    second = yield from part(part(counting(2, log), 0.0, 0.5), 0.5, 1.0)
    return first + second


def test_stages_nest():
    seen = []
    assert drain(nested([]), seen.append) == 4
    assert [event.done for event in seen] == pytest.approx([0.25, 0.5, 0.625, 0.75])


@pytest.mark.parametrize("events", [1, 3])
def test_stopping_reaches_the_innermost_stage(events):
    log, seen = [], []
    with pytest.raises(Stopped):
        drain(nested(log), seen.append, lambda: len(seen) == events)
    assert log == ["closed"] * (1 if events == 1 else 2)


def test_a_closed_part_closes_its_stage_and_does_not_leave_that_to_chance():
    inner = counting(5)
    outer = part(inner, 0, 1)
    next(outer)
    outer.close()
    assert next(inner, "closed") == "closed"


def test_an_exception_in_a_part_closes_it_and_passes_through():
    with pytest.raises(ZeroDivisionError):
        drain(part(failing(), 0, 1))


def test_stretches_share_the_whole_by_cost():
    assert stretches(1, 0, 3) == [(0.0, 0.25), (0.25, 0.25), (0.25, 1.0)]
    assert stretches(0, 0) == [(0, 0), (0, 0)]


# ---- work that several ask for


def test_what_is_asked_for_twice_is_computed_once():
    made = []
    kept = Once(lambda: counting(3, made))
    assert drain(kept.result()) == drain(kept.result()) == 3
    assert made == ["closed"]
    assert list(kept.result()) == []


def test_who_is_stopped_leaves_the_work_to_the_next():
    seen, made = [], []
    kept = Once(lambda: counting(5, made))
    with pytest.raises(Stopped):
        drain(kept.result(), seen.append, lambda: len(seen) == 2)
    assert made == []  # not closed: it goes on
    assert drain(kept.result(), seen.append) == 5
    assert [event.done for event in seen] == [1, 2, 3, 4, 5]


def test_after_a_failure_it_begins_anew():
    tries = []

    def second_time_lucky():
        tries.append(1)
        return failing() if len(tries) == 1 else counting(2)

    kept = Once(second_time_lucky)
    with pytest.raises(ZeroDivisionError):
        drain(kept.result())
    assert drain(kept.result()) == 2


def test_threads_that_ask_together_take_each_step_once():
    """Each of four has the result, and the steps that all of them saw together are those of one run."""
    kept, seen, found = Once(lambda: counting(200)), [], []

    def ask():
        found.append(drain(kept.result(), lambda event: (seen.append(event.done), time.sleep(0.0005))))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [200] * 4 and sorted(seen) == list(range(1, 201))


# ---- the time that is left


def told(pace, seconds, every=0.2, start=0.0):
    """What is told while a run goes on: pairs of seconds spent and time left. ``pace(t)`` is the share done at t."""
    now = [start]
    left = TimeLeft(lambda: now[0])
    found = []
    for i in range(round(seconds / every) + 1):
        now[0] = start + i * every
        found.append((i * every, left.after(Progress(pace(i * every), 1.0, ""))))
    return found


def slow_then_fast(seconds, share):
    """A pace that needs so many of a hundred seconds for its first ``share``, after ten for the first tenth."""
    return lambda t: np.interp(t, [0, 10, 10 + seconds, 100], [0, 0.1, 0.1 + share, 1])


def test_time_left_follows_the_share_done():
    """At an even pace it is right to the second as soon as it is told, from whatever time the clock counts."""
    found = [(spent, left) for spent, left in told(lambda t: t / 40, 40, start=1000.0) if left is not None]
    assert found[0][0] < 2.5 and all(left == pytest.approx(40 - spent, abs=0.01) for spent, left in found)
    assert found[-1] == (40, 0)


def test_time_left_does_not_grow_for_minutes():
    """A stretch that was planned as 2 % of the work takes half of the time: from the share alone the time left would
    rise from 90 to 440 s while it lasts. What is told rises by a quarter of the whole at most, then is not told."""
    found = told(slow_then_fast(50, 0.02), 100)
    naive = [spent * (1 - share) / share for spent in (10, 60) for share in [slow_then_fast(50, 0.02)(spent)]]
    assert naive == pytest.approx([90, 440])
    before = [left for spent, left in found if spent <= 14 and left is not None]
    after = [left for spent, left in found if spent >= 60 and left is not None]
    assert max(before) <= 1.25 * 100 and after == sorted(after, reverse=True)
    assert all(left is None for spent, left in found if 14 < spent < 60)
    assert all(left is not None for spent, left in found if spent > 75)


def test_time_left_may_fall():
    """A stretch that was faster than planned brings the end nearer, and that is told at once."""
    found = dict(told(lambda t: np.interp(t, [0, 40, 60], [0, 0.2, 1]), 60))
    assert found[40.0] == pytest.approx(160) and found[50.0] == pytest.approx(50 * 0.4 / 0.6)


def test_waiting_before_the_work_does_not_count():
    """Loading for 30 s, then ten seconds of work at an even pace."""
    found = [(spent, left) for spent, left in told(lambda t: max(0.0, (t - 30) / 10), 40) if left is not None]
    assert found[0][0] < 31.5 and all(left == pytest.approx(40 - spent, abs=0.3) for spent, left in found)


@pytest.mark.parametrize(("seconds", "done"), [(100.0, 0.01), (100.0, 0.0), (0.1, 0.5), (100.0, 0.5)])
def test_time_left_is_unknown_at_the_beginning(seconds, done):
    """Too small a share, too little time, or a first event, which cannot tell whether the pace is even."""
    now = [0.0]
    left = TimeLeft(lambda: now[0])
    now[0] = seconds
    assert left.after(Progress(done, 1.0, "")) is None


def test_a_run_of_hours_is_remembered_in_few_numbers():
    now = [0.0]
    left = TimeLeft(lambda: now[0])
    for i in range(1, 20_000):
        now[0] = float(i)
        left.after(Progress(i, 20_000, ""))
    assert len(left.expected) < 500

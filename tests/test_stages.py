"""Stages: results, events, stopping, nesting, and the time that is left."""

import numpy as np
import pytest

from dpmia_lab.stages import Progress, Snapshot, Stopped, TimeLeft, drain, part


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


def test_time_left_follows_the_share_done():
    now = [10.0]
    left = TimeLeft(lambda: now[0])
    now[0] = 12.0
    assert left.after(Progress(1, 4, "")) == pytest.approx(6.0)
    assert left.after(Progress(0.5, 1.0, "")) == pytest.approx(2.0)
    assert left.after(Progress(4, 4, "")) == 0


@pytest.mark.parametrize(("seconds", "done"), [(100.0, 0.01), (100.0, 0.0), (0.1, 0.5)])
def test_time_left_is_unknown_at_the_beginning(seconds, done):
    now = [0.0]
    left = TimeLeft(lambda: now[0])
    now[0] = seconds
    assert left.after(Progress(done, 1.0, "")) is None

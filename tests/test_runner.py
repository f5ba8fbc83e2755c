"""The page's thread: results, problems, stops and reports reach the page, and only while they matter."""

import queue
import threading

import numpy as np
import pytest

from dpmia_lab.checks import Mistake
from dpmia_lab.stages import Progress, Snapshot
from dpmia_lab.widgets.kit.runner import PAUSE, Reporter, Runner


class Page:
    """Stands for the kernel's loop: calls wait in a queue until the page gets round to them."""

    def __init__(self):
        self.waiting = queue.Queue()
        self.runner = Runner(self.waiting.put)
        self.ended, self.events = [], []

    def start(self, stage):
        self.runner.start(stage, self.events.extend, lambda *end: self.ended.append(end))

    def until(self, condition):
        while not condition():
            self.waiting.get(timeout=10)()

    def rest(self):
        while not self.waiting.empty():
            self.waiting.get()()


def counting(steps=3):
    for step in range(steps):
        yield Progress(step + 1, steps, "counting")
    return steps


def waiting_for(gate, started=None, log=None):
    """A stage that stands still after its first event until the gate opens, then goes on for ever."""
    try:
        yield Progress(0, 1, "waiting")
        if started:
            started.set()
        gate.wait(10)
        while True:
            yield Progress(0.5, 1, "going on")
    finally:
        if log is not None:
            log.append(threading.current_thread())


def test_a_result_is_delivered_to_the_page():
    page = Page()
    page.start(counting)
    assert page.runner.running and page.ended == []
    page.until(lambda: page.ended)
    assert page.ended == [(3, None)]
    assert page.events[-1] == Progress(3, 3, "counting")
    assert not page.runner.running


def test_the_page_works_also_where_calls_are_made_at_once():
    done = threading.Event()
    ends = []
    Runner(lambda call: call()).start(counting, lambda _: None, lambda *end: (ends.append(end), done.set()))
    assert done.wait(10) and ends == [(3, None)]


def mistaken():
    yield Progress(0, 1, "x")
    raise Mistake("steps must be greater than 0; it is 0.")


def broken():
    yield Progress(0, 1, "x")
    raise ZeroDivisionError("division by zero")


def broken_at_once():
    raise Mistake("no stage was made.")


@pytest.mark.parametrize(
    ("stage", "sentence"),
    [
        (mistaken, "steps must be greater than 0; it is 0."),
        (broken, "Something went wrong inside the lab (ZeroDivisionError: division by zero)."),
        (broken_at_once, "no stage was made."),
    ],
)
def test_a_problem_reaches_the_page_as_one_sentence(stage, sentence):
    page = Page()
    page.start(stage)
    page.until(lambda: page.ended)
    assert page.ended == [(None, sentence)]
    assert not page.runner.running


def test_stop_tells_the_page_at_once_and_what_comes_later_is_dropped():
    page, gate, started, log = Page(), threading.Event(), threading.Event(), []
    page.start(lambda: waiting_for(gate, started, log))
    thread = page.runner._current.thread
    assert started.wait(10)
    page.runner.stop()
    assert page.ended == [(None, None)] and not page.runner.running
    gate.set()
    thread.join(10)
    page.rest()
    assert page.ended == [(None, None)] and page.events == []
    assert log == [thread]  # closed by the thread that ran it


def test_a_stop_just_after_the_end_still_ends_only_once():
    page = Page()
    page.start(counting)
    page.runner._current.thread.join(10)
    page.runner.stop()
    page.rest()
    assert page.ended == [(None, None)]


def test_stopping_nothing_does_nothing():
    page = Page()
    page.runner.stop()
    assert page.ended == []


def test_a_new_run_may_start_while_the_stopped_one_is_still_busy():
    page, gate, started = Page(), threading.Event(), threading.Event()
    page.start(lambda: waiting_for(gate, started))
    old = page.runner._current.thread
    assert started.wait(10)
    page.runner.stop()
    page.start(lambda: counting(5))
    page.until(lambda: len(page.ended) == 2)
    gate.set()
    old.join(10)
    page.rest()
    assert page.ended == [(None, None), (5, None)]
    assert {event.label for event in page.events} == {"counting"}


def test_a_second_start_while_running_is_ignored():
    page, gate = Page(), threading.Event()
    page.start(lambda: waiting_for(gate))
    thread = page.runner._current.thread
    page.start(counting)
    assert page.runner._current.thread is thread
    page.runner.stop()
    gate.set()
    thread.join(10)


def test_the_work_is_done_in_a_thread_that_does_not_hold_the_kernel_up():
    seen = []

    def stage():
        seen.append(threading.current_thread())
        yield Progress(1, 1, "x")

    page = Page()
    page.start(stage)
    page.until(lambda: page.ended)
    assert seen[0] is not threading.main_thread() and seen[0].daemon


def test_reports_come_at_most_ten_times_a_second_with_the_newest_of_each_kind():
    now, reports = [100.0], []
    reporter = Reporter(lambda events: reports.append((now[0], events)), lambda: now[0])
    for step in range(1, 1001):  # a second, in milliseconds
        now[0] = 100 + step / 1000
        reporter.take(Progress(step, 1000, "x"))
        if step % 50 == 0:
            reporter.take(Snapshot("picture", step, np.zeros(1)))
    reporter.flush()
    times = [time for time, _ in reports]
    assert 9 <= len(reports) <= 12
    assert min(np.diff(times[:-1])) >= PAUSE - 1e-9
    newest = {type(event).__name__: event for _, events in reports for event in events}
    assert newest["Progress"].done == 1000 and newest["Snapshot"].step == 1000
    assert all(len(events) <= 2 for _, events in reports)
    assert all(event.done == round((time - 100) * 1000) for time, (event, *_) in reports[1:])


def test_snapshots_of_different_names_do_not_replace_each_other():
    now, reports = [0.0], []
    reporter = Reporter(reports.append, lambda: now[0])
    reporter.take(Progress(0, 1, "x"))
    for name in ("truth", "reconstruction", "reconstruction"):
        reporter.take(Snapshot(name, len(reporter.waiting), np.zeros(1)))
    now[0] = 1.0
    reporter.take(Progress(1, 1, "x"))
    assert [getattr(event, "name", "progress") for event in reports[1]] == ["truth", "reconstruction", "progress"]


def test_a_flush_without_news_is_silent():
    reports = []
    reporter = Reporter(reports.append)
    reporter.flush()
    assert reports == []

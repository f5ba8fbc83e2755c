"""Faults in real processes: killed and stopped ones, lost networks. Pages say what is wrong and come back."""

import contextlib
import json
import signal
import socket
import time

import psutil
import pytest
from bad_line import BadLine
from conftest import NOTEBOOKS, has_ended, kernels_of, new_page, wait_until
from lesson_pages import WAIT, address_has, expect, open_lesson, press, readout, says, turn_off_live
from test_crowd import Visitor
from test_serving import SLIDER, alive, ask, channels, connect, open_page, run_cells

LOST = 20  # seconds without a network
# A run of so many seconds, and what came out of it.
RUNS = """
import time, ipywidgets as widgets
from dpmia_lab.stages import Progress
from dpmia_lab.widgets.kit.stage_run import StageRun
def ticking():
    for step in range(20 * SECONDS):
        yield Progress(step, 20 * SECONDS, "ticking")
        time.sleep(0.05)
    return "the whole run"
said = widgets.HTML("nothing yet")
run = StageRun(ticking, lambda result: setattr(said, "value", f"Done: {result}"), button="Go", loading="")
widgets.VBox([run.bar, said]).add_class("dp-card")
"""
FREEZES = """
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
"""
SMALL = {
    "index": ["# A lab", SLIDER],
    "runs": ["# Runs", RUNS.replace("SECONDS", "600")],
    "short": ["# A short run", RUNS.replace("SECONDS", "12"), SLIDER],
    "freezes": ["# Stops itself", FREEZES],
}
ELSEWHERE = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 21\r\n\r\n<h1>Here at last</h1>"
LESSON, PANEL = "voila/render/01_model_inversion.ipynb", ".dp-inversion"


@pytest.fixture(scope="module")
def lab(open_lab):
    return open_lab(SMALL, training=1, pages=3, each=3)


@pytest.fixture
def pages(browser):
    """Two readers."""
    with new_page(browser) as first, new_page(browser) as second:
        yield first, second


def opened(page, lab, name: str, address: str = "") -> psutil.Process:
    """Open a page of the lab; the process behind it."""
    before = set(kernels_of(lab))
    page.goto(f"{address or lab.address}voila/render/{name}.ipynb")
    page.wait_for_selector("#lab-starting", state="hidden", timeout=WAIT)
    (kernel,) = set(kernels_of(lab)) - before
    return kernel


def start_run(page) -> None:
    page.get_by_role("button", name="Go").click()


def notice(page, words: str, seconds: float) -> None:
    page.locator("#lab-notice[role=alert]").get_by_text(words).wait_for(timeout=1000 * seconds)


def no_notice(page, seconds: float = 30) -> None:
    page.wait_for_selector("#lab-notice", state="detached", timeout=1000 * seconds)


def move_slider(page) -> None:
    """And see that Python heard of it."""
    handle = page.locator(".count .noUi-handle")
    value = int(float(handle.get_attribute("aria-valuenow")))
    handle.press("ArrowRight")
    page.get_by_text(f"Python saw {value + 1}").wait_for(timeout=WAIT)


# ---- processes that end


def test_a_killed_kernel_is_reported_and_takes_nothing_from_the_others(pages, lab):
    page, other = pages
    kernel = opened(page, lab, "runs")
    opened(other, lab, "runs")
    third = Visitor(lab)
    kept = third.opens()
    start_run(page)
    page.get_by_text("ticking").wait_for(timeout=WAIT)
    start_run(other)
    other.get_by_text("waiting for 1 run of other readers").wait_for(timeout=WAIT)
    assert not Visitor(lab).at_the_door()["open"]
    page.wait_for_timeout(2500)  # shorter runs are not worth a word
    kernel.kill()
    other.get_by_text("ticking").wait_for(timeout=20_000)  # its turn
    notice(page, "has ended", 30)
    assert wait_until(lambda: Visitor(lab).at_the_door()["open"], 20)  # its place
    assert other.locator("#lab-notice").count() == 0
    page.get_by_role("button", name="Reload the page").click()
    page.get_by_role("button", name="Go").wait_for(timeout=WAIT)
    says(page, "#lab-left", "It ended with the page, unfinished.")
    third.leaves(kept)


def test_pages_outlive_a_killed_server(pages, open_lab):
    """In the middle of a run: they say so, and come back with settings and predictions, also the one at the door."""
    reader, waiting = pages
    lab = open_lab(NOTEBOOKS, pages=1)
    open_lesson(reader, lab.address + LESSON, PANEL, preset="faces", steps=5000)
    waiting.goto(lab.address)
    waiting.get_by_text("number 1 in the queue").wait_for(timeout=WAIT)
    reader.locator(".dp-predict button").nth(0).click()
    says(reader, ".dp-predict", "Noted.")
    turn_off_live(reader, PANEL)
    press(reader, PANEL, "people", "ArrowLeft")
    people = readout(reader, PANEL, "people").inner_text()
    address_has(reader, f"people={people}")
    reader.locator(f"{PANEL} .dp-run-button").click()
    expect(reader.locator(f"{PANEL} .dp-stop-button")).to_be_enabled()
    time.sleep(3)
    processes = psutil.Process(lab.process.pid).children(recursive=True)
    lab.process.kill()
    assert processes and wait_until(lambda: all(map(has_ended, processes)), 30)
    notice(reader, "cannot be reached", 30)
    again = open_lab(NOTEBOOKS, port=int(lab.address.split(":")[2].strip("/")), pages=2)
    assert again.address == lab.address
    for page, what in ((reader, f"{PANEL} .dp-run-button"), (waiting, ".dp-lessons a")):
        no_notice(page, 60)
        page.wait_for_selector(what, timeout=WAIT)
    expect(readout(reader, PANEL, "people")).to_have_text(people)
    says(reader, ".dp-predict", "Noted.")
    says(reader, "#lab-left", "The same settings are set")


# ---- processes that stop


def test_a_stopped_kernel_does_not_answer_and_goes_on_later(pages, lab):
    """Here before the page has asked for the first time."""
    page, other = pages
    opened(other, lab, "index")
    kernel = opened(page, lab, "index")
    kernel.send_signal(signal.SIGSTOP)
    try:
        notice(page, "Python does not answer", 20)
        start = time.monotonic()
        assert alive(lab, json.loads(other.locator("#jupyter-config-data").inner_text())["kernelId"])
        assert time.monotonic() - start < 3  # for so long a page waits for an answer
        move_slider(other)
    finally:
        kernel.send_signal(signal.SIGCONT)
    no_notice(page)
    move_slider(page)


def test_a_page_that_is_left_ends_its_stopped_kernel(page, lab):
    kernel = opened(page, lab, "index")
    kernel.send_signal(signal.SIGSTOP)
    page.goto("about:blank")
    assert wait_until(lambda: has_ended(kernel), 20)


def test_a_kernel_that_is_stopped_when_busy_is_ended_in_time(open_lab):
    lab = open_lab(SMALL, idle_seconds=2, check_seconds=1)
    kernel = open_page(lab, "freezes")
    run = connect(lab, f"voila/execution/{kernel}")
    with contextlib.closing(channels(lab, kernel)), contextlib.closing(run):
        run.send(json.dumps({"action": "execute", "payload": {"kernel_id": kernel}}))
        (process,) = kernels_of(lab)
        assert wait_until(lambda: process.status() == psutil.STATUS_STOPPED)
        assert wait_until(lambda: not alive(lab, kernel, "?reader=1"), 20)
    assert has_ended(process)


# ---- pages that are left


def test_a_page_that_is_left_for_a_slow_one_does_not_come_back(page, lab):
    """Its line is closed by then, while its kernel may still live: nothing to mend."""
    opened(page, lab, "index")
    page.route("**/api/shutdown/**", lambda route: route.abort())
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as slow:
        elsewhere = f"http://127.0.0.1:{slow.getsockname()[1]}/"
        page.evaluate("address => { location.href = address; }", elsewhere)
        line, _ = slow.accept()
        with contextlib.closing(line):
            line.recv(10_000)
            page.wait_for_timeout(6000)  # three questions of the page
            line.sendall(ELSEWHERE)
            page.get_by_text("Here at last").wait_for(timeout=15_000)


# ---- networks that fail


def test_a_lost_network_comes_back_with_all_that_happened_meanwhile(pages, lab):
    """Cut on one page, silent on the other: both say so, and show the run that ended meanwhile."""
    port = int(lab.address.split(":")[2].strip("/"))
    with contextlib.closing(BadLine(port)) as cut, contextlib.closing(BadLine(port)) as mute:
        for page, line in zip(pages, (cut, mute), strict=True):
            opened(page, lab, "short", line.address)
        start_run(pages[0])
        pages[0].get_by_text("ticking").wait_for(timeout=WAIT)
        start_run(pages[1])
        pages[1].get_by_text("waiting for 1 run").wait_for(timeout=WAIT)
        cut.cut(), mute.mute()
        lost = time.monotonic()
        for page in pages:
            notice(page, "cannot be reached", 30)
        time.sleep(max(0.0, lost + LOST - time.monotonic()))
        for line in (cut, mute):
            line.mend()
        for page in pages:
            no_notice(page)
            page.get_by_text("Done: the whole run").wait_for(timeout=WAIT)
            move_slider(page)


# ---- readers who leave


def memory_of(lab) -> float:
    """Megabytes of the server and all its processes; what several share is counted once."""
    processes = [psutil.Process(lab.process.pid), *psutil.Process(lab.process.pid).children(recursive=True)]
    return sum(process.memory_full_info().pss for process in processes) / 1e6


def settled(lab) -> float:
    """Its memory once it no longer changes: the parent of kernels imports for a while."""
    last = [0.0, memory_of(lab)]

    def unchanged() -> bool:
        time.sleep(1)
        last.append(memory_of(lab))
        return abs(last[-1] - last[-2]) + abs(last[-2] - last[-3]) < 1

    assert wait_until(unchanged, 60), last
    return last[-1]


def test_memory_comes_back_when_readers_leave(open_lab):
    """Up to 10 MB, which the server itself may have learnt; a first reader has made it import what it needs."""
    lab = open_lab(SMALL)

    def visit(readers: int) -> float:
        """How much they took while they were there."""
        kernels = [open_page(lab) for _ in range(readers)]
        lines = [channels(lab, kernel) for kernel in kernels]
        for kernel in kernels:
            assert len(run_cells(lab, kernel)) == 2
        taken = memory_of(lab)
        for line, kernel in zip(lines, kernels, strict=True):
            line.close()
            ask(lab, f"/voila/api/shutdown/{kernel}", "POST")
        assert wait_until(lambda: kernels_of(lab) == [])
        return taken

    visit(1)
    before = settled(lab)
    assert visit(6) > before + 60
    assert settled(lab) < before + 10

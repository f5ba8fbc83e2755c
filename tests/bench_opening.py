"""What it takes to open a page, by three ways of starting its kernel: how soon it answers, and what memory it has.

A fork of a warm parent is how the lab is served on Linux, a Python for each page how it is elsewhere. Voilà's own
preheating keeps kernels ready that have run a page's cells before anybody asks; it is measured on a plain Voilà, since
it does not go together with pages that come at once and fill while they are read. Memory is what a kernel shares with
no other process, of a page that has not trained yet and of one that has.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from playwright.sync_api import Browser, Page
from playwright.sync_api import TimeoutError as PageTimeout

from tests.bench_rows import Row
from tests.conftest import NOTEBOOKS, SERVE, Lab, free_port, kernels_of
from tests.lesson_pages import WAIT, press
from tests.load import Reader
from tests.served import chromium

OPENINGS = 3
# seconds, of a parent that imports everything, of nothing, of six kernels that run the cells of a page
WARMS_UP = {"forked": 30, "a Python each": 10, "preheated": 60}
SETTLES = 8  # seconds, until what was freed is given back
LESSONS = {"03_hiding_a_class": (".dp-hiding", "accuracy"), "04_were_you_in": (".dp-membership", "epochs")}
OWN_PYTHON = "import dpmia_lab.serve.app as app\napp.CAN_FORK = False\n" + SERVE
TARGETS = {"opened until Python answers": ("ms", 2000), "memory when opened": ("MB", 60), "after a run": ("MB", 250)}


def commands(port: int, folder: Path) -> dict[str, list[str]]:
    """How the server is started, by what its kernels are; ``folder`` holds the two lessons and nothing else.

    All that lies beside them Voilà would preheat, too.
    """
    pools = {f"{name}.ipynb": {"pool_size": OPENINGS} for name in LESSONS}
    voila = ["-m", "voila", str(folder), f"--port={port}", "--no-browser", "--template=lab", "--preheat_kernel=True"]
    return {
        "forked": [sys.executable, "-c", SERVE, str(NOTEBOOKS), str(port), "{}"],
        "a Python each": [sys.executable, "-c", OWN_PYTHON, str(NOTEBOOKS), str(port), "{}"],
        "preheated": [sys.executable, *voila, f"--VoilaKernelManager.kernel_pools_config={pools!r}"],
    }


@contextmanager
def started(way: str) -> Iterator[Lab]:
    port = free_port()
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as folder:
        place = {**os.environ, "DPMIA_CACHE": cache}
        for name in LESSONS:
            shutil.copy(NOTEBOOKS / f"{name}.ipynb", folder)
        said = Path(cache) / "said"
        with (
            said.open("w") as output,
            subprocess.Popen(commands(port, Path(folder))[way], env=place, stdout=output, stderr=output) as process,
        ):
            try:
                time.sleep(WARMS_UP[way])
                yield Lab(f"http://127.0.0.1:{port}/", process, said)
            finally:
                process.terminate()


def opening_rows() -> Iterator[Row | str]:
    with chromium() as browser:
        if browser is None:
            yield "(opening: skipped, no Chromium found)"
            return
        for way in WARMS_UP:
            with started(way) as lab:
                for lesson in LESSONS:
                    try:
                        yield from rows_of(way, lesson, lab, browser)
                    except PageTimeout:
                        yield f"(lesson {int(lesson[:2])}, {way}: a page did not come up, or its run did not end)"


def rows_of(way: str, lesson: str, lab: Lab, browser: Browser) -> Iterator[Row]:
    if way != "preheated":
        alone = [without_browser(lab, lesson) for _ in range(OPENINGS)]
        yield Row(f"lesson {int(lesson[:2])}, {way}: all cells ran, browser elsewhere", alone, unit="ms")
    measured = zip(*(visit(lab, lesson, browser) for _ in range(OPENINGS)), strict=True)
    for (what, (unit, target)), values in zip(TARGETS.items(), measured, strict=True):
        yield Row(f"lesson {int(lesson[:2])}, {way}: {what}", list(values), unit=unit, target=target, sign="≤")


def without_browser(lab: Lab, lesson: str) -> float:
    """Milliseconds from the request until all cells have run, with both cores for the lab: readers bring their own."""
    reader, start = Reader(lab, lesson, 0), time.monotonic()
    kernel = reader.opened(start)
    reader.run_cells(lab.address.replace("http", "ws", 1), kernel)
    reader.ask(f"/voila/api/shutdown/{kernel}", "POST")
    return 1000 * (reader.cells_ran - start)


def visit(lab: Lab, lesson: str, browser: Browser) -> tuple[float, float, float]:
    """Milliseconds until a key on a slider is answered, megabytes of its kernel then and after a run."""
    page, (panel, slider) = browser.new_page(viewport={"width": 1280, "height": 720}), LESSONS[lesson]
    start = time.monotonic()
    page.goto(f"{lab.address}voila/render/{lesson}.ipynb", timeout=WAIT)
    until_answered(page, panel, slider)
    answered = 1000 * (time.monotonic() - start)
    time.sleep(SETTLES)
    kernel = max(kernels_of(lab), key=lambda one: one.cpu_times().user)  # of a pool, the one that is used
    opened = own_megabytes(kernel)
    page.locator(f"{panel} .dp-run-button").click()
    page.locator(f"{panel} .dp-stop-button:not([disabled])").wait_for(timeout=WAIT)
    page.locator(f"{panel} .dp-stop-button[disabled]").wait_for(timeout=10 * WAIT)
    time.sleep(SETTLES)
    trained = own_megabytes(kernel)
    page.goto("about:blank")
    page.close()
    with suppress(psutil.NoSuchProcess):
        kernel.kill()  # a plain Voilà would keep it
    shutil.rmtree(lab.said.parent / "results", ignore_errors=True)  # the next visitor trains, too
    return answered, opened, trained


def until_answered(page: Page, panel: str, slider: str) -> None:
    """Until Python has answered a key pressed on a slider: the page's link follows its settings."""
    page.locator(f"{panel} .dp-{slider} [role=slider]").wait_for(timeout=WAIT)
    press(page, panel, slider, "ArrowRight")
    has_it = "name => document.querySelector('[data-lab-link]')?.dataset.labLink.includes(name)"
    page.wait_for_function(has_it, arg=slider, timeout=WAIT)


def own_megabytes(kernel) -> float:
    """Written to, and so shared with no other; of code in files all pages have the same copy."""
    return sum(place.private_dirty for place in kernel.memory_maps()) / 1e6

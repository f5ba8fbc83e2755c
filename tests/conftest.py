"""A real lab server and a real browser, one of each for all tests that ask for them."""

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import nbformat
import psutil
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

pytest.register_assert_rewrite("lesson_pages")  # its assertions, too, say what they found
NOTEBOOKS = Path(__file__).parent.parent / "notebooks"
SERVE = """
import json, sys
from pathlib import Path
from dpmia_lab.serve.app import serve
sys.exit(serve(Path(sys.argv[1]), int(sys.argv[2]), **json.loads(sys.argv[3])))
"""
BROWSER_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]


def group_of(test: str) -> str:
    """Tests of a group look at the same page: those of a file, and for a lesson's file its share of the contract.

    What a lesson looks like when it opens is a group for each lesson.
    """
    file, _, name = test.partition("::")
    shared = re.search(r"test_lesson_(contract|screen)\.py$", file)
    lesson = re.match(r"\w+\[([a-z]+)", name) if shared else None
    if lesson is None:
        return file
    return file.replace("contract", lesson[1]) if shared[1] == "contract" else f"{file}[{lesson[1]}]"


def pytest_collection_modifyitems(items):
    """Browser tests come last: playwright leaves an event loop running that would be in others' way.

    Of those, the group with the most tests first: two workers then end at about the same time. Within a group the
    contract comes first, since a lesson's own tests leave their page as they like.
    """
    for item in items:
        if "browser" in item.fixturenames:
            item.add_marker("browser")
    groups = {item: group_of(item.nodeid) for item in items}
    counts = Counter(groups.values())

    def place(item) -> tuple:
        if "browser" not in item.fixturenames:
            return (0,)
        return 1, -counts[groups[item]], groups[item], not item.path.match("*_contract.py")

    items.sort(key=place)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A group stays together, in one worker."""
    from xdist.scheduler import LoadFileScheduling

    class GroupScheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return GroupScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


@dataclass
class Lab:
    """A lab server in its own process; ``said`` is the file with what it printed."""

    address: str
    process: subprocess.Popen
    said: Path


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def wait_until(condition, seconds: float = 20) -> bool:
    """Whether the condition came true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def has_ended(process: psutil.Process) -> bool:
    """Also one that its new parent has not taken note of yet: a zombie runs nothing."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def heed_ctrl_c() -> None:
    """For a process that is being started: tests that run in the background may have been told to ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def on_a_page(work: Coroutine):
    """What the coroutine returns, run where widgets run: on a loop, in another thread: this may have playwright's."""
    with ThreadPoolExecutor() as threads:
        return threads.submit(asyncio.run, work).result()


def listens(lab: Lab) -> bool:
    assert lab.process.poll() is None, lab.said.read_text()
    with contextlib.suppress(OSError), urllib.request.urlopen(lab.address + "alive", timeout=5):
        return True
    return False


def kernels_of(lab: Lab) -> list[psutil.Process]:
    """The processes behind its pages, forked or started the usual way."""
    from dpmia_lab.serve.warm import KERNEL

    others = psutil.Process(lab.process.pid).children(recursive=True)
    return [other for other in others if other.name() == KERNEL or "ipykernel_launcher" in other.cmdline()]


def write_notebook(path: Path, cells: list[str]) -> None:
    """Cells that begin with "#" and a blank are prose, the others code."""
    made = [new_markdown_cell(cell) if cell.startswith("# ") else new_code_cell(cell) for cell in cells]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(new_notebook(cells=made, metadata={"kernelspec": kernel}), path)


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Tests neither read nor leave anything in the reader's cache."""
    os.environ["DPMIA_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def open_lab(tmp_path_factory):
    """A function that starts a server on a folder of notebooks, or on ``{"name": [cell, …]}``.

    ``before`` is a command that starts it under other circumstances (``env HOME=…``).
    """
    with contextlib.ExitStack() as closing:

        def start(notebooks: Path | dict, port: int = 0, before: tuple[str, ...] = (), **settings) -> Lab:
            folder = notebooks
            if isinstance(notebooks, dict):
                folder = tmp_path_factory.mktemp("notebooks")
                for name, cells in notebooks.items():
                    write_notebook(folder / f"{name}.ipynb", cells)
            port = port or free_port()
            said = tmp_path_factory.mktemp("lab") / "said"
            output = closing.enter_context(said.open("w"))
            command = [*before, sys.executable, "-c", SERVE, str(folder), str(port), json.dumps(settings)]
            process = closing.enter_context(
                subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
            )
            closing.callback(process.terminate)
            prefix = settings.get("base_url", "").strip("/")
            lab = Lab(f"http://127.0.0.1:{port}/{prefix}{'/' if prefix else ''}", process, said)
            assert wait_until(lambda: listens(lab), seconds=60), said.read_text()
            return lab

        yield start


@pytest.fixture(scope="session")
def lab_server(open_lab) -> Lab:
    """The lab with its real lessons."""
    return open_lab(NOTEBOOKS)


def find_chromium() -> str | None:
    names = [os.environ.get("CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
    return next((path for path in map(shutil.which, filter(None, names)) if path), None)


@pytest.fixture(scope="session")
def browser():
    path = find_chromium()
    if path is None:
        reason = "no Chromium found: install it, or name it in the environment variable CHROMIUM"
        pytest.fail(reason) if os.environ.get("CI") else pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=BROWSER_FLAGS)
        yield chromium
        chromium.close()


@contextlib.contextmanager
def new_page(browser):
    """A fresh page; ``page.complaints`` is what its console said; leaving fails if it asked another host."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.complaints, outside = [], []
    ours = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:")
    page.on("request", lambda request: request.url.startswith(ours) or outside.append(request.url))
    page.on("console", lambda message: message.type == "error" and page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    yield page
    # Left as a person leaves it, a page ends its kernel; a closed context does not.
    page.goto("about:blank")
    context.close()
    assert not outside, f"the page asked other hosts: {outside}"


@pytest.fixture
def page(browser):
    with new_page(browser) as page:
        yield page


@pytest.fixture(scope="session")
def finished_lesson(browser, lab_server):
    """A function: the page of a lesson (see lessons.py) with one finished run; one is open at a time.

    Its window's ``heard`` is what the run said meanwhile, ``progress`` how far it was, in percent.
    """
    from lesson_pages import (
        LISTEN,
        WAIT,
        assert_everything_has_a_name,
        assert_nothing_went_wrong,
        open_settings,
        run_to_end,
        turn_off_live,
    )
    from lessons import LESSONS, link

    with contextlib.ExitStack() as closing:
        pages = {}

        def of(name: str):
            if name in pages:
                return pages[name]
            pages.clear()
            closing.pop_all().close()
            lesson = LESSONS[name]
            page = closing.enter_context(new_page(browser))
            page.goto(f"{lab_server.address}voila/render/{lesson.notebook}.ipynb?{link(lesson.quick)}")
            page.wait_for_selector(f"{lesson.panel} .dp-run-button", timeout=WAIT)
            page.wait_for_selector(lesson.opened, timeout=WAIT)
            if lesson.predicts is not None:
                page.locator(".dp-predict button").nth(lesson.predicts).click()
                page.wait_for_selector(".dp-predict .dp-note", timeout=WAIT)
            open_settings(page, lesson.panel)
            turn_off_live(page, lesson.panel)
            page.evaluate(LISTEN, lesson.panel)
            run_to_end(page, lesson.panel)
            closing.callback(assert_everything_has_a_name, page)  # also after all that its tests did to it
            closing.callback(assert_nothing_went_wrong, page)
            pages[name] = page
            return page

        yield of

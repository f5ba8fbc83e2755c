"""What the checks of hosting share (``make hub``, ``make nginx``, ``make binder``): a list of what was found, processes
that end with the check, and a reader who opens lesson 1 and runs it."""

import contextlib
import json
import os
import signal
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import websocket
from jupyter_client.session import Session
from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1
from playwright.sync_api import Browser, Page

from tests.conftest import has_ended, wait_until
from tests.lesson_pages import WAIT, run_to_end
from tests.lessons import LESSONS, link

LESSON = LESSONS["inversion"]
ENOUGH = 20_000_000  # bytes of a large upload


@dataclass
class Findings:
    """Every check is told at once; one that fails does not keep the others from being made."""

    failed: list[str] = field(default_factory=list)

    def check(self, what: str, test: Callable[[], object]) -> None:
        """``test`` returns what to say about it, and raises where it does not hold."""
        start = time.monotonic()
        try:
            said, good = test(), True
        except Exception as problem:
            said, good = f"{type(problem).__name__}: {problem}", False
            self.failed.append(what)
        took = f"{'ok  ' if good else 'FAIL'} {time.monotonic() - start:6.1f} s"
        print(f"{took}  {what}{f': {said}' if said else ''}", flush=True)

    def exit_code(self) -> int:
        print(f"failed: {', '.join(self.failed)}" if self.failed else "all of it holds")
        return bool(self.failed)


@contextlib.contextmanager
def running(command: list[str], log: Path, **settings) -> Iterator[subprocess.Popen]:
    """A program in a session of its own; it and all it started have ended when this is left."""
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True, **settings)
        try:
            yield process
        finally:
            family = family_of(process.pid)
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)
            wait_until(lambda: process.poll() is not None, 20)
            for one in family:
                with contextlib.suppress(psutil.NoSuchProcess):
                    one.kill()
            process.wait()


def answers(address: str) -> bool:
    with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=5):
        return True
    return False


def family_of(pid: int) -> list[psutil.Process]:
    """That process and all it started, directly or not."""
    with contextlib.suppress(psutil.NoSuchProcess):
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    return []


def megabytes(family: list[psutil.Process]) -> float:
    """What is shared counts once (proportional set size)."""
    total = 0.0
    for one in family:
        with contextlib.suppress(psutil.Error):
            total += one.memory_full_info().pss / 1e6
    return total


def all_ended(family: list[psutil.Process], seconds: float = 30) -> str:
    assert wait_until(lambda: all(map(has_ended, family)), seconds), [one for one in family if not has_ended(one)]
    return f"{len(family)} processes"


@contextlib.contextmanager
def reader(browser: Browser, **settings) -> Iterator[Page]:
    """A page in a browser of its own; ``page.asked`` are the hosts it asked, ``page.lines`` its websockets."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, **settings)
    page = context.new_page()
    page.asked, page.lines = set(), []
    page.on("request", lambda request: page.asked.add(request.url.split("/")[2]) if "://" in request.url else None)
    page.on("websocket", lambda line: page.lines.append(line.url))
    yield page
    context.close()


def run_lesson(page: Page, lab: str, folder: str = "") -> str:
    """Lesson 1, with few people and steps, to its result."""
    start = time.monotonic()
    page.goto(f"{lab}voila/render/{folder}{LESSON.notebook}.ipynb?{link(LESSON.quick)}")
    page.wait_for_selector(LESSON.opened, timeout=WAIT)
    page.wait_for_selector(f"{LESSON.panel} .dp-run-button", timeout=WAIT)
    opened = time.monotonic() - start
    run_to_end(page, LESSON.panel)
    place, words = LESSON.shows
    page.wait_for_selector(f"{LESSON.panel} {place} >> text={words}", timeout=WAIT)
    return f"open after {opened:.1f} s, result after {time.monotonic() - start:.1f} s"


def asked_only(page: Page, host: str) -> str:
    assert page.asked == {host}, page.asked
    return host


def kernel_of(page: Page) -> str:
    return page.evaluate("JSON.parse(document.getElementById('jupyter-config-data').textContent).kernelId")


def connect(page: Page, lab: str, **options) -> websocket.WebSocket:
    """A line of our own to the kernel of an open page, with that page's cookies unless told otherwise."""
    cookies = "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies(lab))
    address = f"{lab.replace('http', 'ws', 1)}api/kernels/{kernel_of(page)}/channels"
    own_certificate = {"cert_reqs": 0, "check_hostname": False}
    usual = {"cookie": cookies, "origin": "/".join(lab.split("/")[:3]), "sslopt": own_certificate}
    protocols = ["v1.kernel.websocket.jupyter.org"]
    return websocket.create_connection(address, 60, subprotocols=protocols, **(usual | options))


def large_upload(page: Page, lab: str) -> str:
    """The kernel still answers after it, on the same line."""
    session, kind = Session(), ""
    with contextlib.closing(connect(page, lab)) as line:
        for content in ("comm_msg", {"comm_id": "none", "data": "x" * ENOUGH}), ("kernel_info_request", {}):
            line.send_binary(serialize_msg_to_ws_v1(session.msg(*content), "shell", session.pack))
        while kind != "kernel_info_reply":
            kind = json.loads(deserialize_msg_from_ws_v1(line.recv())[1][0])["msg_type"]
    return f"{ENOUGH / 1e6:.0f} MB in one message"


def refused(open_line: Callable[[], websocket.WebSocket]) -> str:
    try:
        open_line().close()
    except websocket.WebSocketBadStatusException as no:
        return f"status {no.status_code}"
    raise AssertionError("it was let in")

"""More readers than the machine bears: a door with a queue, turns for runs, and a page's share of the memory."""

import http.client
import json
import re
from contextlib import closing

import pytest
from conftest import wait_until
from test_serving import channels, run_cells

HUNGRY = """
import numpy, torch
from dpmia_lab.memory import is_want_of_memory, want_of_memory
for ask in (lambda: torch.ones(10**9), lambda: numpy.ones(10**9), lambda: numpy.ones(10**6)):
    try:
        print("has", len(ask()))
    except Exception as error:
        print(is_want_of_memory(error), want_of_memory())
"""
RUNS = """
import threading, time, ipywidgets as widgets
from dpmia_lab.stages import Progress
from dpmia_lab.widgets.kit.stage_run import StageRun
def ticking():
    for step in range(600):
        yield Progress(step, 600, "ticking")
        time.sleep(0.05)
    return 1
run = StageRun(ticking, print, button="Go", loading="")
run.bar
"""
NOTEBOOKS = {"index": ["# A lab", "1 + 1"], "hungry": ["# Hungry", HUNGRY], "runs": ["# Runs", RUNS]}


class Visitor:
    """A browser that keeps its cookies and no more."""

    def __init__(self, lab) -> None:
        self.lab, self.cookie = lab, ""

    def asks(self, path: str, method: str = "GET") -> tuple[int, str]:
        with closing(http.client.HTTPConnection(self.lab.address.split("/")[2], timeout=20)) as connection:
            connection.request(method, path, headers={"Cookie": self.cookie})
            answer = connection.getresponse()
            given = [value.partition(";")[0] for value in answer.headers.get_all("Set-Cookie", [])]
            self.cookie = next((value for value in given if value.startswith("lab_visitor=")), self.cookie)
            return answer.status, answer.read().decode()

    def opens(self, name: str = "index") -> str:
        """The kernel of a page, connected; "" where it has to wait."""
        status, text = self.asks(f"/voila/render/{name}.ipynb")
        if status == 503:
            return ""
        kernel = re.search(r'"kernelId": "([\w-]+)"', text)[1]
        channels(self.lab, kernel, cookie=self.cookie).close()
        return kernel

    def leaves(self, kernel: str) -> None:
        assert self.asks(f"/voila/api/shutdown/{kernel}", "POST")[0] == 204

    def at_the_door(self) -> dict:
        return json.loads(self.asks("/door")[1])


@pytest.fixture(scope="module")
def small_lab(open_lab):
    return open_lab(NOTEBOOKS, pages=2, each=2, training=1, memory=300)


@pytest.fixture
def empty(small_lab):
    """The lab without a page of an earlier test."""
    assert wait_until(lambda: Visitor(small_lab).at_the_door()["open"])
    return small_lab


def test_whoever_finds_it_full_waits_and_is_let_in(empty):
    first, second = Visitor(empty), Visitor(empty)
    kernels = [first.opens(), first.opens()]
    assert all(kernels) and second.opens() == ""
    status, text = second.asks("/voila/render/index.ipynb")
    assert status == 503 and "2 pages are open" in text and "number 1 in the queue" in text
    assert second.at_the_door()["open"] is False
    first.leaves(kernels[0])
    assert wait_until(lambda: second.at_the_door()["open"])
    kernels[0] = second.opens()
    assert kernels[0]
    for kernel in kernels:
        first.leaves(kernel)


def test_the_waiting_page_opens_by_itself(page, empty):
    reader = Visitor(empty)
    kernels = [reader.opens(), reader.opens()]
    page.goto(empty.address + "voila/render/index.ipynb")
    page.get_by_text("number 1 in the queue").wait_for()
    for kernel in kernels:
        reader.leaves(kernel)
    page.get_by_role("heading", name="A lab").wait_for(timeout=15_000)
    page.wait_for_selector("#lab-starting", state="hidden")
    page.goto("about:blank")  # left, so that its kernel ends


def test_a_page_gets_its_share_of_the_memory_and_no_more(empty):
    reader = Visitor(empty)
    kernel = reader.opens("hungry")
    _, printed = run_cells(empty, kernel)
    torch_said, numpy_said, small = printed["output_cell"]["outputs"][0]["text"].splitlines()
    refusal = "True This run needs more memory than the 300 MB that a page may have here"
    assert torch_said.startswith(refusal) and numpy_said.startswith(refusal) and small == "has 1000000"
    reader.leaves(kernel)


def test_runs_of_two_pages_take_turns(browser, empty):
    """The second waits, says so, and goes when the first is stopped."""
    pages = [browser.new_context().new_page() for _ in range(2)]
    for page in pages:
        page.goto(empty.address + "voila/render/runs.ipynb")
        page.get_by_role("button", name="Go").click()
    pages[0].get_by_text("ticking").wait_for()
    pages[1].get_by_text("waiting for 1 run of other readers").wait_for()
    pages[0].get_by_role("button", name="Stop").click()
    pages[1].get_by_text("ticking").wait_for()
    for page in pages:
        page.goto("about:blank")
        page.context.close()

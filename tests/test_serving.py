"""The lab's server, asked over real HTTP and websockets: what it gives, what it refuses, when kernels end."""

import asyncio
import gc
import http.client
import json
import re
import select
import signal
import socket
import subprocess
import sys
from contextlib import closing
from types import SimpleNamespace

import psutil
import pytest
import websocket
from conftest import has_ended, on_a_page, wait_until
from jupyter_client.session import Session
from jupyter_server._tz import utcnow
from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1
from tornado.web import HTTPError
from tornado.websocket import WebSocketClosedError
from voila.tornado.execution_request_handler import ExecutionRequestHandler

from dpmia_lab.serve import pulse
from dpmia_lab.serve.handlers import PROTOCOL, Channels, Line, RunCells
from dpmia_lab.serve.scripts import NAMES, place_of, scripts_name, scripts_text

SLIDER = """
import ipywidgets as widgets, numpy
slider, answer = widgets.IntSlider(3), widgets.HTML("none yet")
slider.add_class("count"), answer.add_class("answer")
slider.observe(lambda change: setattr(answer, "value", f"Python saw {change['new']}"), "value")
widgets.VBox([slider, answer])
"""
# A worker that reports for six seconds, as experiments do: from a thread, through the kernel's loop.
WORKER = """
import asyncio, threading, time, ipywidgets as widgets
loop, progress = asyncio.get_running_loop(), widgets.HTML("not begun")
def work():
    for step in range(60):
        time.sleep(0.1)
        loop.call_soon_threadsafe(setattr, progress, "value", f"step {step}")
threading.Thread(target=work, daemon=True).start()
progress
"""
THREE = """
from IPython.display import HTML, display
import ipywidgets as widgets
display(HTML("<p class='first'>first</p>"))
display(widgets.HTML("<p class='widget'>a widget</p>"))
display(HTML("<p class='last'>last</p>"))
"""
# What the kernel says about widgets reaches the page half a second late.
LATE_WIDGETS = """
window.WebSocket = new Proxy(WebSocket, { construct(target, given) {
  const line = new target(...given);
  if (given[0].includes("/channels")) Object.defineProperty(line, "onmessage", {
    set(call) { line.addEventListener("message", (event) => setTimeout(() => call.call(line, event), 500)); },
  });
  return line;
} });
"""
NOTEBOOKS = {
    "index": ["# A small *lab*\n\nProse with a formula, $x^2$.", SLIDER],
    "worker": ["# Working", WORKER],
    "three": ["# Three outputs", THREE],
    "query": ["# Asked", "import os\nprint(os.environ['QUERY_STRING'], os.environ['DPMIA_SERVED'])"],
    "slow": ["# Slow", "print('at once')", "import time; time.sleep(5)", "1"],
    "large": ["# Large", "print('x' * 20_000_000)", "1"],
    "broken": ["# Broken", "raise ValueError('a sec' + 'ret path')", "print('what comes after')"],
}
CLOSED = """
/voila/files/index.ipynb /voila/files/../secret.ipynb /voila/files/..%2Fsecret.ipynb
/voila/render/nothing.ipynb /voila/render/.hidden.ipynb /voila/render/%2Fetc%2Fpasswd
/voila/render/../secret.ipynb /voila/render/..%2Fsecret.ipynb
/voila/templates/dpmia/static/../conf.json /voila/templates/dpmia/static/..%2Fconf.json
/voila/static/..%2F..%2Fconf.json /voila/labextensions/../../../../../../../../../etc/passwd
/voila/labextensions/..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2F..%2Fetc%2Fpasswd
/voila/api/contents /api /api/contents /api/contents/index.ipynb /api/kernels /api/kernelspecs /api/sessions
/api/terminals /files/index.ipynb /index.ipynb /lab /login /nbconvert/html/index.ipynb /tree
""".split()


@pytest.fixture(scope="module")
def lab(open_lab, tmp_path_factory):
    lab = open_lab(NOTEBOOKS)
    # Something worth stealing, just outside the folder that is served.
    (tmp_path_factory.getbasetemp() / "secret.ipynb").write_text('{"secret": 1}')
    return lab


def ask(lab, path: str, method: str = "GET"):
    """The answer's status, headers and text; the path goes out as it is, dots and all."""
    host = lab.address.split("/")[2]
    with closing(http.client.HTTPConnection(host, timeout=20)) as connection:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def open_page(lab, name: str = "index", query: str = "") -> str:
    """Fetch a page as a browser would, and return its kernel's name."""
    status, _, text = ask(lab, f"/voila/render/{name}.ipynb{query}")
    assert status == 200
    return re.search(r'"kernelId": "([\w-]+)"', text)[1]


def alive(lab, kernel: str, question: str = "") -> bool:
    return json.loads(ask(lab, f"/alive/{kernel}{question}")[2])["alive"]


def connect(lab, path: str, **options):
    return websocket.create_connection(lab.address.replace("http", "ws", 1) + path, timeout=20, **options)


def channels(lab, kernel: str, **options):
    protocols = {"subprotocols": ["v1.kernel.websocket.jupyter.org"]}
    return connect(lab, f"api/kernels/{kernel}/channels", **(protocols | options))


def send(line, kind: str, content: dict) -> None:
    session = Session()
    line.send_binary(serialize_msg_to_ws_v1(session.msg(kind, content), "shell", session.pack))


def kinds_until(line, last: str) -> set[str]:
    """The kinds of all messages that arrive, up to the first of the kind ``last``."""
    kinds = set()
    while last not in kinds:
        _, parts = deserialize_msg_from_ws_v1(line.recv())
        kinds.add(json.loads(parts[0])["msg_type"])
    return kinds


def answer(line) -> set[str]:
    """Ask the kernel how it is; the kinds of all messages that came up to its answer."""
    send(line, "kernel_info_request", {})
    return kinds_until(line, "kernel_info_reply")


def run_cells(lab, kernel: str) -> list[dict]:
    """Have the page's cells run, as its script does, and return what each gave."""
    cells = []
    with closing(connect(lab, f"voila/execution/{kernel}")) as line:
        line.send(json.dumps({"action": "execute", "payload": {"kernel_id": kernel}}))
        while not cells or cells[-1]["cell_index"] + 1 < cells[-1]["total_cell"]:
            message = json.loads(line.recv())
            if message["action"] == "execution_result":
                cells.append(message["payload"])
    return cells


@pytest.mark.parametrize("path", ["/", "/voila", "/voila/", "/voila/tree", "/voila/tree/anything"])
def test_the_landing_page_is_where_one_arrives(lab, path):
    status, headers, _ = ask(lab, path)
    assert (status, headers["Location"]) == (302, "/voila/render/index.ipynb")


def test_the_page_has_its_prose_at_once_but_never_its_code(lab):
    _, _, text = ask(lab, "/voila/render/index.ipynb")
    for part in ("Prose with", '<html lang="en">', '<meta name="viewport"', "<title>A small *lab*</title>"):
        assert part in text
    assert "IntSlider" not in text


@pytest.mark.parametrize("path", CLOSED)
def test_closed_doors(lab, path):
    status, _, text = ask(lab, path)
    assert status in (403, 404)
    assert "secret" not in text and "Traceback" not in text and "root:" not in text
    assert "There is no such page" in text or "not open to visitors" in text


def test_a_visitor_can_neither_start_nor_end_kernels_through_the_api(lab):
    kernel = open_page(lab)
    assert ask(lab, "/api/kernels", "POST")[0] == 404
    assert ask(lab, "/api/sessions", "POST")[0] == 404
    assert ask(lab, f"/api/kernels/{kernel}", "DELETE")[0] == 405
    assert alive(lab, kernel)


@pytest.mark.parametrize("path", ["/", "/voila/render/query.ipynb", "/voila/static/voila.js", "/x", "/alive"])
def test_headers(lab, path):
    _, headers, _ = ask(lab, path)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'self'" in headers["Content-Security-Policy"]
    assert "Server" not in headers


def test_a_visitor_cannot_run_code(lab, tmp_path):
    kernel = open_page(lab)
    trace = tmp_path / "trace"
    code = f"open({str(trace)!r}, 'w').write('was here')"
    with closing(channels(lab, kernel)) as line:
        answer(line)
        send(line, "execute_request", {"code": code, "silent": False})
        # The kernel answers in order: if this answer is there, the code would have run before.
        assert "execute_reply" not in answer(line)
    # The line for running the page's own cells takes no code either, and runs them once.
    assert len(run_cells(lab, kernel)) == 2
    with closing(connect(lab, f"voila/execution/{kernel}")) as line:
        line.recv()
        line.send(json.dumps({"action": "execute", "payload": {"kernel_id": kernel, "nb": code}}))
        assert json.loads(line.recv())["action"] == "execution_error"
    assert not trace.exists()


def test_other_sites_cannot_reach_a_kernel(lab):
    kernel = open_page(lab)
    for open_line in (channels, lambda *given, **how: connect(lab, f"voila/execution/{kernel}", **how)):
        with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
            open_line(lab, kernel, origin="http://elsewhere.example")
    channels(lab, kernel, origin=lab.address.rstrip("/")).close()
    # Nor can anyone by the older protocol, in which Voilà would not hold back the code.
    with pytest.raises(websocket.WebSocketBadStatusException, match="403"):
        channels(lab, kernel, subprotocols=[])


def test_an_upload_of_twenty_megabytes_arrives(lab):
    with closing(channels(lab, open_page(lab))) as line:
        send(line, "comm_msg", {"comm_id": "none", "data": "x" * 20_000_000})
        answer(line)


def test_tracebacks_stay_behind(lab):
    kernel = open_page(lab, "broken")
    with closing(channels(lab, kernel)) as line:
        answer(line)
        _, broken, after = run_cells(lab, kernel)
        kinds = kinds_until(line, "stream")
    assert "error" not in kinds and "execute_input" not in kinds
    assert "secret" not in json.dumps(broken)
    assert "This part of the page is missing" in json.dumps(broken)
    assert "what comes after" in json.dumps(after)


def test_the_query_reaches_the_kernel(lab):
    _, printed = run_cells(lab, open_page(lab, "query", "?epsilon=4&seed=1"))
    assert printed["output_cell"]["outputs"][0]["text"] == "epsilon=4&seed=1 1\n"


def processes_of(lab) -> set[psutil.Process]:
    """All that the server has started, directly or not."""
    return set(psutil.Process(lab.process.pid).children(recursive=True))


def test_a_kernel_that_dies_is_known_to_be_dead(lab):
    before = processes_of(lab)
    kernel = open_page(lab)
    (process,) = processes_of(lab) - before
    assert alive(lab, kernel)
    process.kill()
    assert wait_until(lambda: not alive(lab, kernel))
    run_cells(lab, open_page(lab))  # another has started and worked meanwhile: time enough for a restart
    assert not alive(lab, kernel)


def test_an_unread_page_ends_while_a_read_and_a_working_one_stay(open_lab):
    lab = open_lab(NOTEBOOKS, idle_seconds=2, check_seconds=1)
    unread, robots, read, working = (open_page(lab, name) for name in ("index", "index", "index", "worker"))
    run_cells(lab, working)

    def others_have_ended() -> bool:
        """Merely asking does not count, nor does to claim to be a reader without being connected."""
        assert alive(lab, read, "?reader=1")
        return not (alive(lab, unread) or alive(lab, robots, "?reader=1"))

    with closing(channels(lab, read)):
        assert wait_until(others_have_ended)
    assert alive(lab, working)


def test_control_c_ends_the_kernels_quietly(open_lab):
    lab = open_lab(NOTEBOOKS)
    open_page(lab)
    processes = processes_of(lab)
    lab.process.send_signal(signal.SIGINT)
    assert lab.process.wait(15) == 0
    assert processes and all(map(has_ended, processes))
    said = lab.said.read_text()
    assert "The lab is open at " in said and "The lab is closed." in said and "Traceback" not in said


def test_a_page_that_is_left_while_it_fills_is_no_fault(open_lab, page):
    """By a browser, and by one that vanishes in the middle of a message too long to be sent at once."""
    lab = open_lab(NOTEBOOKS)
    page.goto(f"{lab.address}voila/render/slow.ipynb")
    page.get_by_text("at once").wait_for()
    page.goto("about:blank")
    kernel = open_page(lab, "large")
    with closing(connect(lab, f"voila/execution/{kernel}")) as line:
        line.send(json.dumps({"action": "execute", "payload": {"kernel_id": kernel}}))
        while json.loads(line.recv()).get("action") != "execution_result":
            """Before the prose, which comes first of all cells."""
        assert select.select([line.sock], [], [], 20)[0]
        line.shutdown()  # without a goodbye
    run_cells(lab, open_page(lab))  # the server goes on
    lab.process.terminate(), lab.process.wait()
    assert re.fullmatch(r"The lab is open at .*\n\nThe lab is closed\.\n", lab.said.read_text())


def test_what_can_no_longer_be_sent_is_forgotten():
    """Nobody waits for all that is sent; a failure that nobody sees is printed as a fault."""
    faults = []

    class Gone:
        def write_message(self, message, binary):
            async def late():
                raise WebSocketClosedError

            return None if message == "held back" else asyncio.ensure_future(late())

    class Left(Line, Gone):
        """A page's line."""

    async def left():
        asyncio.get_running_loop().set_exception_handler(lambda loop, fault: faults.append(fault))
        assert Left().write_message("held back") is None
        sent = Left().write_message("too late")
        with pytest.raises(WebSocketClosedError):
            await sent
        Left().write_message("unheeded")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        gc.collect()

    on_a_page(left())
    assert faults == []


def test_a_page_that_is_left_before_its_line_is_made_gets_none():
    line = Channels.__new__(Channels)
    line.connection = None
    with pytest.raises(HTTPError, match="404"):
        line.select_subprotocol([PROTOCOL])


def test_a_kernel_that_ends_while_others_are_asked_is_not_lost():
    class Kernels:
        cull_idle_timeout = 60

        def list_kernel_ids(self):
            return ["gone", "dead"]

        def __contains__(self, kernel_id):
            return True

        def get_kernel(self, kernel_id):
            if kernel_id == "gone":
                raise HTTPError(404)
            return SimpleNamespace(last_activity=utcnow(), is_alive=lambda: False)

    assert on_a_page(pulse.lost(Kernels())) == ["dead"]


def test_cells_that_were_never_asked_for_go_with_their_page(monkeypatch):
    cells, lines = {"here": {}, "gone": {}}, {"here": None, "gone": None}
    monkeypatch.setattr(RunCells, "_execution_data", cells)
    monkeypatch.setattr(Channels, "connecting", lines)
    RunCells.forget_all_but(["here"])
    assert cells == {"here": {}} and lines == {"here": None}


def test_cells_run_once_the_page_hears_its_kernel(monkeypatch):
    """What a kernel says before that reaches no page: a widget would be missing."""
    ran = []

    async def run_them(handler, message):
        ran.append(message)

    async def asked():
        monkeypatch.setattr(Channels, "connecting", {"slow": asyncio.Event()})
        monkeypatch.setattr(ExecutionRequestHandler, "on_message", run_them)
        slow, plain = (RunCells.__new__(RunCells) for _ in range(2))
        slow._kernel_id, plain._kernel_id = "slow", "nobody listens to"
        waiting = asyncio.create_task(slow.on_message("slow"))
        await plain.on_message("plain")
        assert ran == ["plain"]
        Channels.connecting["slow"].set()
        await waiting

    on_a_page(asked())
    assert ran == ["plain", "slow"]


def start_on(port: int) -> subprocess.Popen:
    code = f"from pathlib import Path; from dpmia_lab.serve.app import serve; serve(Path('.'), {port})"
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def test_a_port_that_is_taken(lab):
    with start_on(int(lab.address.split(":")[2].strip("/"))) as again:
        assert again.stdout.read() == f"The lab is already open at {lab.address}\n"
    with socket.create_server(("127.0.0.1", 0)) as other, start_on(other.getsockname()[1]) as elsewhere:
        assert "is used by another program, so the lab takes port" in elsewhere.stdout.readline()
        assert "The lab is open at" in elsewhere.stdout.readline()
        elsewhere.terminate()
        elsewhere.communicate()
    assert (again.returncode, elsewhere.returncode) == (0, 0)


def test_the_page_answers(page, lab):
    page.goto(lab.address, wait_until="commit")
    page.get_by_text("Prose with a formula").wait_for()
    handle = page.locator(".count .noUi-handle")
    handle.wait_for()
    handle.press("ArrowRight")
    page.get_by_text("Python saw 4").wait_for()
    assert page.locator("#lab-starting").is_hidden()
    assert page.locator("mjx-container").count() == 1
    assert page.complaints == []


def test_a_page_asks_for_its_scripts_at_once(page, lab):
    """If more: Voilà or ipywidgets has other scripts now; python -m tests.page_scripts finds out which."""
    asked = []
    page.on("request", lambda request: request.resource_type == "script" and asked.append(request.url))
    page.goto(lab.address)
    page.locator(".count .noUi-handle").wait_for()
    assert len(asked) <= 6, asked  # ours, the loader, its style, and an entry for each of two extensions


def test_scripts_that_are_not_there_are_left_out_and_the_rest_is_kept_by_browsers(lab):
    assert place_of("static/voila.js").is_file() and place_of("labextensions/@nobody/nothing.js") is None
    status, headers, text = ask(lab, f"/voila/scripts/{scripts_name()}")
    assert status == 200 and text == scripts_text() and "immutable" in headers["Cache-Control"]
    assert text.count("self.webpackChunk") >= len(NAMES.read_text().split())  # each only puts itself into a list


def test_what_follows_a_late_widget_is_shown_too(page, lab):
    page.add_init_script(LATE_WIDGETS)
    page.goto(lab.address + "voila/render/three.ipynb")
    places = [page.locator(f".{name}") for name in ("first", "widget", "last")]
    for place in places:
        place.wait_for()
    tops = [place.bounding_box()["y"] for place in places]
    assert tops == sorted(tops)


def test_a_working_thread_shows_on_the_page(page, lab):
    page.goto(lab.address + "voila/render/worker.ipynb")
    page.get_by_text(re.compile(r"step \d+")).wait_for()


def test_a_broken_cell_leaves_a_sentence(page, lab):
    page.goto(lab.address + "voila/render/broken.ipynb")
    page.get_by_text("what comes after").wait_for()
    text = page.locator("main").inner_text()
    assert "This part of the page is missing" in text
    assert "secret" not in text and "Traceback" not in text


def test_leaving_a_page_ends_its_kernel(page, lab):
    page.goto(lab.address)
    page.locator(".count .noUi-handle").wait_for()
    kernel = json.loads(page.locator("#jupyter-config-data").inner_text())["kernelId"]
    page.goto(lab.address + "nowhere")
    assert page.get_by_role("heading").inner_text() == "There is no such page in the lab."
    assert wait_until(lambda: not alive(lab, kernel))
    assert wait_until(lambda: ask(lab, f"/voila/api/shutdown/{kernel}", "POST")[0] == 404)

"""What the server answers, beside Voilà's own pages: who is let in, is the kernel alive, end it, plain error pages."""

import asyncio
import contextlib
import re
import secrets
from collections.abc import Iterable

from jupyter_server._tz import utcnow
from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.services.kernels.handlers import KernelHandler
from tornado.web import HTTPError, RequestHandler
from tornado.websocket import WebSocketClosedError
from voila.tornado import kernel_websocket_handler as voila_websocket
from voila.tornado.execution_request_handler import ExecutionRequestHandler
from voila.tornado.handler import TornadoVoilaHandler

from dpmia_lab.serve import pulse
from dpmia_lab.serve.door import Door
from dpmia_lab.serve.language import reader_language
from dpmia_lab.words.said import heard, marked, translated

# The browser itself then refuses anything from outside. Voilà's scripts build functions from text.
POLICY = (
    "default-src 'self' data: blob:; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'self'; base-uri 'self'; form-action 'self'"
)
PROTOCOL = "v1.kernel.websocket.jupyter.org"
SENTENCES = marked({
    403: "This is not open to visitors.",
    404: "There is no such page in the lab.",
    405: "This is not open to visitors.",
})  # fmt: skip
OTHERWISE = marked("Something went wrong in the lab; reloading the page may help.")
TO_START, WAIT = marked("To the start of the lab"), marked("Please wait a moment")


class Plain:
    """Mixed into every handler: safe headers, and errors in one sentence without a traceback."""

    def set_default_headers(self) -> None:
        super().set_default_headers()
        self.clear_header("Server")
        self.set_header("X-Content-Type-Options", "nosniff")
        self.set_header("Referrer-Policy", "same-origin")
        self.set_header("Content-Security-Policy", POLICY)

    def write_error(self, status_code: int, **kwargs) -> None:
        self.set_header("Content-Type", "text/html; charset=UTF-8")
        template = self.settings["voila_jinja2_env"].get_template("error.html")
        language = reader_language(self)
        words = {
            "sentence": translated(SENTENCES.get(status_code, OTHERWISE), language),
            "to_start": translated(TO_START, language),
        }
        self.finish(template.render(language=language, home=self.settings["base_url"], **words))


def plain(handler: type) -> type:
    return type(handler.__name__, (Plain, handler), {})


class NotHere(Plain, RequestHandler):
    """Every address that nothing else answers."""

    def prepare(self) -> None:
        raise HTTPError(404)


# ---- the door
VISITOR = "lab_visitor"  # the cookie by which a browser is known; it says nothing of its owner


def visitor_of(handler: RequestHandler) -> str:
    """"" for one who has never opened a page."""
    given = handler.get_cookie(VISITOR, "")
    return given if re.fullmatch("[0-9a-f]{32}", given) else ""


class Page(Plain, TornadoVoilaHandler):
    """A notebook as a page, if there is room; else the door, which opens by itself."""

    async def get(self, path: str) -> None:
        door, visitor = self.settings["door"], visitor_of(self)
        if not visitor:
            visitor = secrets.token_hex(16)
            self.set_cookie(VISITOR, visitor, path=self.settings["base_url"], httponly=True, samesite="Lax")
        answer = door.asked(visitor)
        if answer.open:
            with door.entering(visitor):
                await super().get(path)
            return
        self.set_status(503)
        self.set_header("Retry-After", "5")
        template = self.settings["voila_jinja2_env"].get_template("wait.html")
        language = reader_language(self)
        words = {"sentence": heard(answer.sentence, language), "wait": translated(WAIT, language)}
        self.finish(template.render(language=language, base_url=self.settings["base_url"], **words))


class AtTheDoor(Plain, RequestHandler):
    """A page that waits asks here whether it may open."""

    def get(self) -> None:
        door: Door = self.settings["door"]
        answer = door.asked(visitor_of(self))
        self.set_header("Cache-Control", "no-store")
        self.finish({"open": answer.open, "sentence": heard(answer.sentence, reader_language(self))})


# ---- kernels
SERVER = secrets.token_hex(8)  # another after a restart, by which pages know that there was one


class Alive(Plain, JupyterHandler):
    """Whether a page's kernel still lives, and answers; ``?reader=1`` says that somebody is reading that page.

    Believed of a page alone that is connected to a kernel that answers.
    """

    async def get(self, kernel_id: str | None) -> None:
        kernels = self.kernel_manager
        alive = await pulse.lives(kernels, kernel_id)
        answers = alive and await pulse.answers(kernels, kernel_id)
        if kernel_id in kernels and not alive:
            await pulse.end(kernels, kernel_id)  # dead already: now its place is free
        connected = kernels._kernel_connections.get(kernel_id, 0) > 0
        if answers and connected and self.get_query_argument("reader", "") == "1":
            kernels.get_kernel(kernel_id).last_activity = utcnow()
        self.set_header("Cache-Control", "no-store")
        self.finish({"lab": "dpmia_lab", "server": SERVER, "alive": alive, "answers": answers})


class KernelModel(Plain, KernelHandler):
    """The page asks once for its kernel's description. It may not end it here: see EndKernel."""

    SUPPORTED_METHODS = ("GET",)


class EndKernel(Plain, JupyterHandler):
    """A page that is left tells so, and its kernel ends."""

    def check_xsrf_cookie(self) -> None:
        """The page has no such cookie to show; knowing the kernel's random name is proof enough."""

    async def post(self, kernel_id: str) -> None:
        if kernel_id not in self.kernel_manager:
            raise HTTPError(404)
        await pulse.end(self.kernel_manager, kernel_id)
        self.set_status(204)


class Line:
    """Mixed into the handlers of websockets: that a page is left while something is sent to it is no error."""

    def write_message(self, message: bytes | dict, binary: bool = False) -> asyncio.Future | None:
        sent = super().write_message(message, binary)
        if sent is not None:  # None of what Voilà holds back
            sent.add_done_callback(lambda done: done.cancelled() or done.exception())  # now it counts as seen
        return sent


class RunCells(Plain, Line, ExecutionRequestHandler):
    """The page asks for its own cells to be run, once; it cannot say which."""

    _executor = None  # a page that is left before it asks has none to stop

    async def on_message(self, message: str) -> None:
        """Until all cells have run, or the page is left. Not before the page hears what its kernel says of them."""
        if (line := Channels.connecting.get(self._kernel_id)) is not None:
            await line.wait()
        with contextlib.suppress(WebSocketClosedError):
            await super().on_message(message)

    def write_message(self, message: dict, binary: bool = False):
        sent = None
        for part in one_output_each(message):
            sent = super().write_message(part, binary)
        return sent

    @classmethod
    def forget_all_but(cls, kernels: Iterable[str]) -> None:
        """The cells of pages that never asked for them and are gone, and the lines of those that are gone."""
        for known in (cls._execution_data, Channels.connecting):
            for kernel in known.keys() - kernels:
                del known[kernel]


def one_output_each(message: dict) -> list[dict]:
    """A cell's result as one message for each of its outputs.

    Voilà's script forgets the outputs that follow a widget in the same message if the widget is not known yet. It
    hangs up after the last cell's message, so all but that cell's last output count as cells with another to come.
    """
    result = message["payload"]
    outputs = result["output_cell"].get("outputs", []) if message["action"] == "execution_result" else []
    if len(outputs) < 2:
        return [message]
    parts = [{**result, "output_cell": {**result["output_cell"], "outputs": [output]}} for output in outputs]
    for part in parts[:-1]:
        part["total_cell"] += 1
    return [{**message, "payload": part} for part in parts]


class Channels(Plain, Line, voila_websocket.VoilaKernelWebsocketHandler):
    """The page's line to its kernel. Code and tracebacks do not pass.

    While it is being connected, what the kernel says is lost: Jupyter then asks it how it is, until it hears it answer.
    """

    connecting: dict[str, asyncio.Event] = {}  # of every kernel that was ever asked for; set once it is heard

    async def get(self, kernel_id: str) -> None:
        # Voilà holds back messages in this protocol only, the one that its pages speak.
        if PROTOCOL not in self.request.headers.get("Sec-WebSocket-Protocol", ""):
            raise HTTPError(403)
        if kernel_id not in self.kernel_manager:
            raise HTTPError(404)
        await super().get(kernel_id)

    def select_subprotocol(self, offered: list[str]) -> str:
        if self.connection is None:
            raise HTTPError(404)  # the page was left before its line was made
        return PROTOCOL

    async def open(self, kernel_id: str) -> None:
        """Only now is somebody there: a plain request for this address is no line."""
        self.settings["door"].reads(kernel_id, visitor_of(self))
        heard = self.connecting[kernel_id] = asyncio.Event()
        try:
            await super().open(kernel_id)
        finally:
            heard.set()

    def write_message(self, message: bytes, binary: bool = True):
        header = voila_websocket.read_header_from_binary_message(message)
        if header and header["msg_type"] == "error":
            return None
        return super().write_message(message, binary)

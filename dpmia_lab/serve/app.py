"""The lab as a web server: Voilà in this process, with fewer doors and one look.

serve(Path("notebooks"), port=8866)
"""

import contextlib
import json
import logging
import os
import re
import shutil
import signal
import socket
import tempfile
import urllib.request
from pathlib import Path

from jupyter_core.utils import run_sync
from jupyter_server.base.handlers import FileFindHandler
from jupyter_server.utils import url_path_join
from nbclient.exceptions import DeadKernelError
from tornado.httpserver import HTTPServer
from tornado.ioloop import IOLoop, PeriodicCallback
from tornado.web import RedirectHandler
from voila.app import Voila
from voila.static_file_handler import MultiStaticFileHandler, TemplateStaticFileHandler

from dpmia_lab import turns
from dpmia_lab.checks import Mistake, whole
from dpmia_lab.cost import SECONDS, USUAL_SECONDS
from dpmia_lab.data.cache import cannot_keep
from dpmia_lab.machine import cores
from dpmia_lab.memory import MEMORY
from dpmia_lab.serve import pulse
from dpmia_lab.serve.door import Door, Room, room_of_this_machine
from dpmia_lab.serve.handlers import (
    Alive,
    AtTheDoor,
    Channels,
    EndKernel,
    KernelModel,
    NotHere,
    Page,
    RunCells,
    plain,
)
from dpmia_lab.serve.scratch import own_scratch
from dpmia_lab.serve.scripts import PageScripts, scripts_name
from dpmia_lab.serve.settings import announce_template, kernel_settings, page_settings
from dpmia_lab.serve.warm import CAN_FORK, PARENT, warm_settings

KERNEL = r"(?P<kernel_id>\w+-\w+-\w+-\w+-\w+)"
# No slash and no leading dot: there is no way to write "outside the folder".
FILE = r"[\w-]+(?:\.[\w-]+)*"
LARGEST_UPLOAD = 30 * 2**20
UNREAD = 60  # seconds after which a page ends that was opened but never connected
LOOK = 10  # seconds between two looks for such pages


class LabServer(Voila):
    """Voilà that answers only what the lab's pages ask for."""

    room: Room
    socket_file = ""  # listened on instead of a port, if given
    teaching: bool  # whether the lecturers' folder is served too

    def load_config_file(self, *args, **kwargs) -> None:
        """Read none: the lab is the same whatever Jupyter settings a person has."""

    def init_settings(self) -> dict:
        settings = super().init_settings()
        # What a page may send to its kernel: moved widgets, never code.
        self.kernel_manager.allowed_message_types = [
            "comm_open",
            "comm_close",
            "comm_msg",
            "comm_info_request",
            "kernel_info_request",
        ]
        settings["default_handler_class"] = NotHere
        settings["door"] = self.door = Door(self.room, self.kernel_manager.list_kernel_ids)
        settings["websocket_max_message_size"] = LARGEST_UPLOAD
        return settings

    def init_handlers(self) -> list:
        landing = {"url": url_path_join(self.base_url, "voila/render/index.ipynb"), "permanent": False}
        notebooks = {
            "template_paths": self.template_paths,
            "config": self.config,
            "voila_configuration": self.voila_configuration,
        }
        folder = "(?:teaching/)?" if self.teaching else ""
        routes = [
            (r"/", plain(RedirectHandler), landing),
            (r"/voila(?:/|/tree.*)?", plain(RedirectHandler), landing),
            (rf"/voila/render/({folder}{FILE}\.ipynb)", Page, notebooks),
            (rf"/voila/execution/{KERNEL}", RunCells, {}),
            (rf"/voila/api/shutdown/{KERNEL}", EndKernel, {}),
            (rf"/voila/templates/(\w+/static/{FILE})", plain(TemplateStaticFileHandler), {}),
            (rf"/voila/static/({FILE})", plain(MultiStaticFileHandler), {"paths": self.static_paths}),
            (r"/voila/labextensions/(.*)", plain(FileFindHandler), {"path": self.labextensions_path}),
            (rf"/api/kernels/{KERNEL}", KernelModel, {}),
            (rf"/api/kernels/{KERNEL}/channels", Channels, {}),
            (rf"/voila/scripts/{scripts_name()}", plain(PageScripts), {}),
            (r"/alive(?:/([\w-]+))?", Alive, {}),
            (r"/door", AtTheDoor, {}),
        ]
        prefix = re.escape(self.server_url)  # a hub puts names of people into it
        return [(url_path_join(prefix, path), handler, given) for path, handler, given in routes]

    def listen(self) -> None:
        """Serve until Ctrl-C or a signal to end, then end the kernels."""
        if self.socket_file:
            from tornado.netutil import bind_unix_socket  # Windows has none

            HTTPServer(self.app).add_socket(bind_unix_socket(self.socket_file, mode=0o600))
        else:
            self.app.listen(self.port, self.ip)
        self.ioloop = IOLoop.current()
        signal.signal(signal.SIGINT, self._handle_signal_stop)
        print(f"The lab is open at {self.socket_file or self.display_url} (Ctrl-C closes it).", flush=True)
        if CAN_FORK:
            PARENT.start()
        PeriodicCallback(self.end_unwanted, 1000 * LOOK).start()
        try:
            self.ioloop.start()
        finally:
            self.stop()
        print("\nThe lab is closed.", flush=True)

    async def end_unwanted(self) -> None:
        """Neither whoever merely fetches addresses nor what has died or hangs keeps others out for long."""
        for kernel in {*self.door.unread(UNREAD), *await pulse.lost(self.kernel_manager)}:
            await pulse.end(self.kernel_manager, kernel)
        RunCells.forget_all_but(self.kernel_manager.list_kernel_ids())

    def stop(self) -> None:
        """Kernels keep nothing that matters, so they need no time to end; asked politely, they complain."""
        run_sync(self.kernel_manager.shutdown_all)(now=True)
        PARENT.end()
        shutil.rmtree(self.connection_dir)
        if self.socket_file:
            Path(self.socket_file).unlink(missing_ok=True)


def is_worth_telling(record: logging.LogRecord) -> bool:
    """Not that a kernel ended in the middle of a cell: its page was left, or says it itself."""
    return not (record.exc_info and isinstance(record.exc_info[1], DeadKernelError))


def is_free(ip: str, port: int) -> bool:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((ip, port))
        except OSError:
            return False
    return True


def is_our_lab(address: str) -> bool:
    try:
        with urllib.request.urlopen(address + "alive", timeout=2) as answer:
            return json.load(answer).get("lab") == "dpmia_lab"
    except (OSError, ValueError, AttributeError):
        return False


def serve(
    notebooks: Path,
    port: int,
    ip: str = "127.0.0.1",
    base_url: str = "/",
    idle_seconds: int = 300,
    check_seconds: int = 30,
    pages: int = 0,
    each: int = 0,
    training: int = 0,
    memory: int = 1000,
    socket_file: str = "",
    minutes: int = USUAL_SECONDS // 60,
    teaching: bool = False,
) -> int:
    """Serve a folder of notebooks as pages until stopped; returns the exit code.

    Behind a proxy, ``base_url`` is the part of the address that all pages share, and ``socket_file`` a place to
    listen instead of a port: other people of this machine cannot reach it.
    ``pages`` open at once, ``each`` of one visitor, ``training`` at once (0: as this machine has memory and cores);
    ``memory``: megabytes that a page may have of its own; ``minutes``: that a run of it may take, as is foreseen.
    ``teaching``: serve the lecturers' pages too, with answers.
    """
    whole(1, 65535, port=port)
    whole(0, 10_000, pages=pages, each=each, training=training)
    whole(100, 1_000_000, memory=memory)
    whole(1, 100_000, minutes=minutes)
    base_url = f"/{base_url.strip('/')}/".replace("//", "/")
    if not is_free(ip, 0):
        raise Mistake(f"ip must be an address of this machine; it is {ip!r}.")
    if socket_file and not Path(socket_file).absolute().parent.is_dir():
        raise Mistake(f"socket must be a file in a folder that exists; it is {socket_file!r}.")
    if not socket_file and not is_free(ip, port):
        address = f"http://{ip}:{port}{base_url}"
        if is_our_lab(address):
            print(f"The lab is already open at {address}")
            return 0
        taken, port = port, next(other for other in range(port + 1, 65536) if is_free(ip, other))
        print(f"Port {taken} is used by another program, so the lab takes port {port}.")
    announce_template()
    # Kernels inherit what follows: that their page is served, and what each may take.
    os.environ["DPMIA_SERVED"] = "1"
    os.environ |= {MEMORY: str(memory * 10**6), SECONDS: str(60 * minutes)}
    config = page_settings()
    config.VoilaConfiguration.resources["lab"]["scripts"] = scripts_name()
    config.merge(kernel_settings(idle_seconds, check_seconds))
    if CAN_FORK:
        config.merge(warm_settings())
    config.Application.log_level = "ERROR"
    logging.getLogger("tornado.general").setLevel(logging.ERROR)  # it warns of how Jupyter sets its pings
    logging.getLogger("tornado.application").addFilter(is_worth_telling)
    usual = room_of_this_machine()
    LabServer.teaching = teaching
    LabServer.room = Room(pages or usual.pages, each or min(usual.each, pages or usual.each))
    LabServer.socket_file = socket_file
    server = LabServer(config=config, root_dir=str(notebooks.resolve()), port=port, ip=ip, base_url=base_url)
    if cannot_keep():
        print(cannot_keep())
    with own_scratch() if CAN_FORK else contextlib.nullcontext():
        if CAN_FORK:  # whose turn it is to train
            os.environ |= {turns.FOLDER: tempfile.mkdtemp(prefix="turns_"), turns.AT_ONCE: str(training or cores())}
        server.initialize([])
        server.start()
    return 0

"""Kernels that are there at once: forks of one process that has imported what pages need.

A new Python spends seconds on imports, for every page again. Here one parent imports them once; a page's kernel is
a fork of it, and shares its memory where neither writes. Server and parent talk over a pair of sockets, a line each
way: what to run, and the number of the process that runs it. The parent has one thread (OpenBLAS stops its own
before a fork) and has computed nothing that anybody sees: a fork is a fresh Python in all but its imports, and
fonts that are open.

On Linux alone: Windows has no fork, and Apple's libraries do not bear one. Elsewhere, and where a parent fails, a
page starts a Python of its own.
"""

import asyncio
import contextlib
import gc
import json
import os
import pkgutil
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import psutil
from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning import KernelProvisionerFactory, LocalProvisioner
from jupyter_server._tz import utcnow
from traitlets.config import Config

from dpmia_lab.memory import MEMORY, give_back_memory, limit_memory
from dpmia_lab.store import code_fingerprint

# What a page needs first comes first; none is forked before. No widgets: some are made when their file is imported, and
# would reach no page.
FIRST = [
    "ipykernel.kernelapp",
    "ipykernel.debugger",
    "IPython.core.completerlib",
    "IPython.core.debugger",
    "IPython.core.oinspect",
    "IPython.extensions.storemagic",
    "sqlite3",
    "tornado.platform.asyncio",
    "ipywidgets",
    "dpmia_lab.devices",
    "matplotlib.backends.backend_svg",
]
ROOMS = ["data", "privacy", "training", "defences", "attacks", "metrics", "game", "experiments", "plots"]
LATER = [  # loaded by functions, in the middle of a run
    "scipy.ndimage",
    "scipy.stats",
    "skimage.metrics",
    "sklearn.cluster",
    "sklearn.datasets",
    "dp_accounting.pld.privacy_loss_distribution",
    "torch.fx.experimental.symbolic_shapes",
]
TO_COME = 300_000_000  # bytes of a page, at most, for what FIRST leaves to be imported: 270 MB
# Where there is a GPU, its driver takes memory of the process for itself, nobody here knows how much: no limit there.
GPU_DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")
CAN_FORK = sys.platform == "linux"
KERNEL = "lab-kernel"  # what a fork is called in lists of processes
NO_HISTORY = "--HistoryManager.enabled=False"  # of what was typed: nobody types
# Threads that ask for memory at the same time get it from pools of their own, and what is free in one serves no other.
ONE_POOL = {"MALLOC_ARENA_MAX": "1"}
PATIENCE = 30  # seconds; in the middle of an import the parent hears nothing, and on a crowded machine that may last
GIVES_BACK = 5  # seconds between two times that a kernel gives back memory
MOST_STARTS = 5  # a parent that has ended so often is given up


# ---- the parent, whose standard input is its end of the pair of sockets


def main() -> None:
    """Import, and between two of the later imports as well as ever after make a kernel of every request."""
    lifeline = int(sys.argv[1])
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a kernel that has ended leaves nothing behind
    sys.modules["debugpy"] = None  # pages have no debugger, and it is large
    gc.disable()  # see gc.freeze in Python's manual: what is shared is best left as it is
    for name in FIRST:
        import_module(name)
    for _ in imports():
        if select.select([0], [], [], 0)[0]:
            fork(lifeline, TO_COME)
    while True:
        fork(lifeline)


def imports() -> Iterator[None]:
    """One import at a time."""
    code_fingerprint()  # remembered: results are those of the code imported now, whatever its files say later
    for room in ROOMS:
        package = import_module(f"dpmia_lab.{room}")
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            yield import_module(module.name)
    for name in LATER:
        yield import_module(name)
    yield import_module("dpmia_lab.plots.first").draw_one()  # late: nothing of this room draws


def fork(lifeline: int, to_come: int = 0) -> None:
    """Wait for a request and answer with the process that fulfils it; only the parent returns."""
    request = sys.stdin.buffer.readline()
    if not request:
        sys.exit()  # the server is gone
    gc.freeze()
    pid = os.fork()
    if pid:
        os.write(0, f"{pid}\n".encode())
        return
    be_kernel(lifeline, to_come, **json.loads(request))
    sys.exit()


def be_kernel(lifeline: int, to_come: int, arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Be what ``python -m ipykernel_launcher`` with these arguments would be, started there.

    ``to_come``: bytes that it may have for imports, beside what pages may have of their own.
    """
    gc.enable()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None  # to be looked for in the new environment
    sys.argv = ["ipykernel_launcher", *arguments, NO_HISTORY]
    if MEMORY in environment and not any(map(os.path.exists, GPU_DRIVERS)):
        limit_memory(int(environment[MEMORY]) + to_come)
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(KERNEL)
    threading.Thread(target=end_with_the_server, args=(lifeline,), daemon=True).start()
    from ipykernel import ipkernel
    from ipykernel.kernelapp import IPKernelApp
    from IPython.core import shellapp

    # ipywidgets was imported before there was a shell and must be told of it. The process to end with, which a kernel
    # would otherwise look for, is no longer its parent: 1 stands for none.
    app = IPKernelApp.instance(extra_extensions=["ipywidgets"], parent_handle=1)
    ipkernel.sys = shellapp.sys = NoModules()
    app.initialize()
    ipkernel.sys = shellapp.sys = sys
    app.start()


class NoModules:
    """``sys`` for a kernel that is being made: with all modules it would list them, for a debugger and a command.

    Pages have neither, and a look at thousands of modules is a copy of all the memory that they lie in: 30 MB a page.
    """

    modules: dict = {}

    def __getattr__(self, name: str):
        return getattr(sys, name)


def end_with_the_server(lifeline: int) -> None:
    """Nobody writes to the lifeline; it can be read when the server, who holds the other end, has ended.

    Meanwhile what Python has freed is given back, which the system's allocator does by itself in part only.
    """
    while not select.select([lifeline], [], [], GIVES_BACK)[0]:
        give_back_memory()
    os._exit(1)


# ---- the server


class WarmParent:
    """The server's side: starts the parent, again if need be, and asks it for kernels."""

    def __init__(self) -> None:
        self.process: subprocess.Popen | None = None
        self.starts = 0
        self.one_at_a_time = asyncio.Lock()

    def start(self) -> None:
        """Returns at once; the parent imports for seconds, but takes requests meanwhile."""
        if self.starts >= MOST_STARTS:
            raise ChildProcessError("it has ended too often")
        if self.starts == 0:
            self.lifeline, self.held = os.pipe()  # kernels outlive a parent, but not the server
        self.starts += 1
        self.line, theirs = socket.socketpair()
        self.line.setblocking(False)
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-P", "-c", "from dpmia_lab.serve.warm import main; main()", str(self.lifeline)],
                stdin=theirs,
                env=os.environ | ONE_POOL,
                pass_fds=[self.lifeline],
                start_new_session=True,  # Ctrl-C is for the server
            )

    async def fork(self, **request) -> int:
        """The number of a new process that is the kernel asked for; OSError if there will be none."""
        async with self.one_at_a_time:
            if self.process is not None and self.process.poll() is not None:
                self.end()
            if self.process is None:
                self.start()
            loop, answer = asyncio.get_running_loop(), b""
            try:
                await loop.sock_sendall(self.line, json.dumps(request).encode() + b"\n")
                answer = await asyncio.wait_for(loop.sock_recv(self.line, 100), PATIENCE)
            finally:
                if not answer:
                    self.end()  # an answer that came later would be taken for the next request's
            if not answer:
                raise ChildProcessError("it ended when it was asked")
            return int(answer)

    def end(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.line.close()
            self.process = None


PARENT = WarmParent()


class Forked:
    """As much of Popen as is asked of a kernel's process, for one that is not this process's own child."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int) -> None:
        self.process = psutil.Process(pid)

    def poll(self) -> int | None:
        """None while it lives. With what code it ended its parent alone could know."""
        with contextlib.suppress(psutil.NoSuchProcess):
            if self.process.is_running() and self.process.status() != psutil.STATUS_ZOMBIE:
                return None
        return 0

    wait = poll  # asked once it has ended

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            self.process.send_signal(number)


class WarmProvisioner(LocalProvisioner):
    """Has a kernel forked, or else starts it the usual way."""

    told, scratch = False, ""

    async def launch_kernel(self, cmd: list[str], **given) -> KernelConnectionInfo:
        self.parent.last_activity = utcnow()  # read by the server, who complains where a kernel has said nothing yet
        self.scratch = tempfile.mkdtemp(prefix="page_")  # a kernel is killed in the end and cannot clear up
        given["env"] = (given.get("env") or dict(os.environ)) | {"TMPDIR": self.scratch}
        folder, environment = given.get("cwd") or os.getcwd(), given["env"]
        try:
            if cmd[:3] != [sys.executable, "-m", "ipykernel_launcher"]:
                raise ChildProcessError(f"{cmd[0]} is not of its kind")
            pid = await PARENT.fork(arguments=cmd[3:], folder=folder, environment=environment)
            self.process, self.pid, self.pgid, self.cwd = Forked(pid), pid, pid, folder
        except (OSError, psutil.NoSuchProcess) as problem:
            if not WarmProvisioner.told:
                self.log.error("The warm parent of kernels cannot help (%r): pages start more slowly.", problem)
            WarmProvisioner.told = True
            return await super().launch_kernel(cmd, **given)
        return self.connection_info

    async def cleanup(self, restart: bool = False) -> None:
        """What visitors uploaded goes with their page."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        await super().cleanup(restart)


def warm_settings() -> Config:
    """Kernels are to be forked."""
    maker = EntryPoint("warm", "dpmia_lab.serve.warm:WarmProvisioner", KernelProvisionerFactory.GROUP_NAME)
    KernelProvisionerFactory.provisioners["warm"] = maker
    config = Config()
    config.KernelProvisionerFactory.default_provisioner_name = "warm"
    return config

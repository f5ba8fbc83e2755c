"""Kernels as forks of a warm parent: as good as a Python of their own, and as easily ended."""

import contextlib
import itertools
import json
import os
import subprocess
import sys
from dataclasses import dataclass

import psutil
import pytest
from conftest import has_ended, wait_until
from jupyter_client import BlockingKernelClient, KernelManager

from dpmia_lab.memory import MEMORY
from dpmia_lab.serve import warm
from dpmia_lab.serve.settings import kernel_settings, page_settings

pytestmark = pytest.mark.skipif(not warm.CAN_FORK, reason="kernels are forked on Linux only")

# What a training computes, to the last bit, and with how many threads: torch's here and in another thread, BLAS's.
TRAINS = """
import hashlib, json, threading
import sklearn.cluster, threadpoolctl, torch
from dpmia_lab.experiments import membership
from dpmia_lab.stages import drain
result, threads = drain(membership.run(membership.SMALL)), [torch.get_num_threads(), torch.get_num_interop_threads()]
other = threading.Thread(target=lambda: threads.append(torch.get_num_threads()))
other.start(); other.join()
threads += sorted([pool["prefix"], pool["num_threads"]] for pool in threadpoolctl.threadpool_info())
digest = hashlib.sha256(b"".join(result.arrays[name].tobytes() for name in sorted(result.arrays)))
print(json.dumps([digest.hexdigest(), sorted(result.numbers.items()), threads]))
"""

# More than a kernel keeps by itself of what nobody has read yet: 1,000, and as much again on the listener's side.
MUCH = 5000
SAYS_MUCH = f"""
from IPython.display import display
for number in range({MUCH}):
    display({{"text/plain": str(number)}}, raw=True)
"""


@dataclass
class Kernel:
    manager: KernelManager
    client: BlockingKernelClient
    process: psutil.Process

    def says(self, code: str) -> str:
        """What the code prints, or the name of its error."""
        said = []

        def hear(message: dict) -> None:
            content = message["content"]
            said.append(content.get("text", content.get("ename", "")))

        self.client.execute_interactive(code, output_hook=hear, timeout=30)
        return "".join(said)

    def ends(self) -> bool:
        """Whether it is known to be dead, and nothing is left of it."""
        return wait_until(lambda: not self.manager.is_alive() and not psutil.pid_exists(self.process.pid))


@pytest.fixture(scope="module")
def parent():
    """One for all; a test that ends it leaves the next to start it again."""
    yield warm.PARENT
    warm.PARENT.end()


@pytest.fixture
def launch(parent, tmp_path):
    """A function that starts a kernel as the server does; not ``forked``, as JupyterLab and Binder do."""
    with contextlib.ExitStack() as closing:
        numbers = itertools.count()

        def start(forked: bool = True, **environment: str) -> Kernel:
            manager = KernelManager(transport="ipc", connection_file=str(tmp_path / f"{next(numbers)}.json"))
            spec = manager.kernel_spec
            if forked:
                manager.provisioner = warm.WarmProvisioner(parent=manager, kernel_id="none", kernel_spec=spec)
            manager.start_kernel(cwd=str(tmp_path), env={**os.environ, **environment})
            closing.callback(manager.shutdown_kernel, now=True)
            client = manager.blocking_client()
            client.start_channels()
            closing.callback(client.stop_channels)
            client.wait_for_ready(timeout=30)
            return Kernel(manager, client, psutil.Process(manager.provisioner.pid))

        yield start


def is_fork(kernel: Kernel) -> bool:
    return kernel.process.name() == warm.KERNEL


def own_megabytes(kernel: Kernel) -> float:
    """What it shares with no other process."""
    return kernel.process.memory_full_info().uss / 1e6


def has_all(kernel: Kernel) -> bool:
    """Whether its parent had imported everything; the kernel is ended."""
    said = kernel.says(f"import sys; print({warm.LATER[-1]!r} in sys.modules)")
    kernel.manager.shutdown_kernel(now=True)
    return said == "True\n"


def test_two_kernels_are_forks_with_a_place_and_a_life_of_their_own(launch, parent, tmp_path):
    one, other = launch(QUERY_STRING="a=1"), launch(QUERY_STRING="a=2")
    asks = "import os; print(os.getcwd(), os.environ['QUERY_STRING'], os.readlink('/proc/self/fd/0'))"
    assert one.says(asks) == f"{tmp_path} a=1 {os.devnull}\n"
    assert other.says(asks) == f"{tmp_path} a=2 {os.devnull}\n"
    assert one.says("mine = 1") == "" and other.says("mine") == "NameError"
    assert {one.process.ppid(), other.process.ppid()} == {parent.process.pid}
    assert is_fork(one) and is_fork(other)
    one.process.kill()
    assert one.ends()
    assert other.manager.is_alive() and other.says("print(2)") == "2\n"


def test_a_fork_trains_with_the_same_bits_and_threads_as_a_python_of_its_own(launch, parent):
    with subprocess.Popen([sys.executable, "-c", TRAINS], stdout=subprocess.PIPE, text=True) as plain:
        assert wait_until(lambda: has_all(launch()), seconds=60)
        assert psutil.Process(parent.process.pid).num_threads() == 1
        kernel = launch()
        # Some widgets are made when their file is imported; made in the parent, they would reach no page.
        assert kernel.says("import sys; print([name for name in sys.modules if 'lab.widgets' in name])") == "[]\n"
        digest, numbers, threads = json.loads(kernel.says(TRAINS))
        assert [digest, numbers, threads] == json.loads(plain.stdout.read())
    assert threads[0] == 1


def test_a_fork_has_little_memory_of_its_own_and_gives_back_what_it_freed(launch, parent):
    """Measured: 22 MB, more than 28 if IPython lists all modules; 250 in a Python of its own with as many imports."""
    assert wait_until(lambda: has_all(launch()), seconds=60)
    kernel = launch()
    assert kernel.says("import sys, ipykernel.ipkernel as its; print(its.sys is sys)") == "True\n"
    little = own_megabytes(kernel)
    assert little < 28
    # Many small pieces, the last of which stays: the allocator by itself keeps what lies below it.
    kernel.says("pieces = [bytes(1000) for _ in range(60_000)]; last = pieces[-1]; del pieces")
    assert wait_until(lambda: own_megabytes(kernel) < little + 10, 3 * warm.GIVES_BACK)


def test_imports_that_are_still_to_come_are_not_of_a_page_s_share(launch, parent):
    """Of a page that is opened with the lab. Where memory has run out, scipy's OpenBLAS would wait for it for ever."""
    parent.end()
    kernel = launch(**{MEMORY: "60_000_000"})
    assert kernel.says("import sys; print([name in sys.modules for name in ('torch', 'scipy')])") == "[True, False]\n"
    code = f"import {', '.join(warm.LATER)}; mine = bytearray(50_000_000); print('fits')"
    assert kernel.says(code) == "fits\n"
    assert kernel.says("mine = bytearray(60_000_000 + 300_000_000)") == "MemoryError"


def test_a_kernel_can_be_interrupted(launch, tmp_path):
    kernel, asleep = launch(), tmp_path / "asleep"
    kernel.client.execute(f"import time; open({str(asleep)!r}, 'w').close(); time.sleep(120)")
    assert wait_until(asleep.exists, 60)
    kernel.manager.interrupt_kernel()
    assert kernel.client.get_shell_msg(timeout=60)["content"]["ename"] == "KeyboardInterrupt"
    assert wait_until(lambda: kernel.says("print(3)") == "3\n")  # for a moment after an error, requests are dropped


def test_a_killed_parent_leaves_its_kernels_and_is_started_again(launch, parent):
    before = launch()
    first = psutil.Process(parent.process.pid)
    first.kill()
    assert wait_until(lambda: parent.process.poll() is not None)
    after = launch()
    assert is_fork(after) and after.process.ppid() == parent.process.pid != first.pid
    assert before.says("print(4)") == "4\n"
    before.manager.shutdown_kernel(now=True)
    assert wait_until(lambda: has_ended(before.process))


def test_a_parent_that_does_not_answer_is_replaced(launch, parent, monkeypatch):
    launch()
    stopped = psutil.Process(parent.process.pid)
    stopped.suspend()
    with monkeypatch.context() as impatient:
        impatient.setattr(warm, "PATIENCE", 0.2)
        assert not is_fork(launch())
    assert has_ended(stopped)
    assert is_fork(launch())


def test_without_a_parent_kernels_start_as_usual_and_it_is_said_once(launch, parent, monkeypatch, caplog):
    launch()
    parent.end()
    monkeypatch.setattr(warm, "MOST_STARTS", 1)
    monkeypatch.setattr(warm.WarmProvisioner, "told", False)
    for kernel in (launch(), launch()):
        assert not is_fork(kernel) and kernel.says("print(5)") == "5\n"
    (said,) = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert "it has ended too often" in said and "pages start more slowly" in said


@pytest.mark.parametrize("forked", [True, False])
def test_nothing_is_lost_that_is_read_late(launch, tmp_path, forked):
    """Read once all has been said."""
    kernel, all_said, heard = launch(forked), tmp_path / "all_said", []
    kernel.says("from dpmia_lab.widgets.kit.parts import start_page; start_page()")  # as every page begins
    kernel.client.execute(f"{SAYS_MUCH}open({str(all_said)!r}, 'w').close()")
    assert wait_until(all_said.exists, 60)
    while len(heard) < MUCH:
        message = kernel.client.get_iopub_msg(timeout=20)
        heard += [message["content"]["data"]["text/plain"]] if message["msg_type"] == "display_data" else []
    assert heard == [str(number) for number in range(MUCH)]


def test_kernels_end_with_the_server(launch, parent):
    kernel = launch()
    os.close(parent.held)  # as happens when a process ends, however it does
    assert kernel.ends()
    parent.line.close()
    assert parent.process.wait(30) == 0


def test_only_the_labs_own_server_forks():
    """Binder and JupyterLab take the look of the pages from here, and start kernels their own way."""
    settings = page_settings()
    settings.merge(kernel_settings(1, 1))
    assert "KernelProvisionerFactory" not in settings
    assert warm.warm_settings().KernelProvisionerFactory.default_provisioner_name == "warm"

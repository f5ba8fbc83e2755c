"""``make load``: many readers at once over real websockets: how long until a page answers, and until its run is done.

    python -m tests.load --readers 30 --pages 28 --training 2

A reader opens a lesson, waits at the door if it is full, has the page's cells run, presses Run, and listens until
the result is there. Prints who finished, who waited, times, memory and errors.
"""

import argparse
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import closing
from dataclasses import dataclass, field

import psutil
import websocket
from jupyter_client.session import Session
from jupyter_server.services.kernels.connection.base import deserialize_msg_from_ws_v1, serialize_msg_to_ws_v1

from tests.conftest import NOTEBOOKS, SERVE, Lab, free_port, listens, wait_until

LESSONS = ("01_model_inversion", "04_were_you_in")  # by turns
PATIENCE = 1800  # seconds, of a reader
DONE = re.compile(r"\d s, |recalled; computed before")  # what a panel says under a finished run


@dataclass
class Reader:
    lab: Lab
    lesson: str
    seed: int
    answered: float = 0.0  # seconds until all cells had run
    finished: float = 0.0  # seconds until the result was there
    at_the_door: float = 0.0  # seconds
    waited: float = 0.0  # seconds for its turn to train
    problem: str = ""
    cookie: str = ""
    session: Session = field(default_factory=Session)

    def read(self) -> None:
        """All of a visit; whatever goes wrong is told and not raised."""
        start = time.monotonic()
        try:
            kernel = self.opened(start)
            self.at_the_door = time.monotonic() - start if self.at_the_door else 0.0
            host = self.lab.address.replace("http", "ws", 1)
            protocols = ["v1.kernel.websocket.jupyter.org"]
            address = f"{host}api/kernels/{kernel}/channels"
            with closing(websocket.create_connection(address, 60, subprotocols=protocols, cookie=self.cookie)) as line:
                threading.Thread(target=self.run_cells, args=(host, kernel), daemon=True).start()
                self.listen(line, start)
            self.ask(f"/voila/api/shutdown/{kernel}", "POST")
        except Exception as error:
            self.problem = f"{type(error).__name__}: {error}"

    def ask(self, path: str, method: str = "GET") -> tuple[int, str]:
        with closing(http.client.HTTPConnection(self.lab.address.split("/")[2], timeout=120)) as connection:
            connection.request(method, path, headers={"Cookie": self.cookie})
            answer = connection.getresponse()
            given = [value.partition(";")[0] for value in answer.headers.get_all("Set-Cookie", [])]
            self.cookie = next((value for value in given if value.startswith("lab_visitor=")), self.cookie)
            return answer.status, answer.read().decode()

    def opened(self, start: float) -> str:
        """The kernel of the page, once there is room."""
        while time.monotonic() - start < PATIENCE:
            status, text = self.ask(f"/voila/render/{self.lesson}.ipynb?seed={self.seed}")
            if status == 200:
                return re.search(r'"kernelId": "([\w-]+)"', text)[1]
            self.at_the_door = 1.0
            while not json.loads(self.ask("/door")[1])["open"]:
                time.sleep(3)
        raise TimeoutError("never let in")

    def run_cells(self, host: str, kernel: str) -> None:
        with closing(websocket.create_connection(f"{host}voila/execution/{kernel}", 300)) as line:
            line.send(json.dumps({"action": "execute", "payload": {"kernel_id": kernel}}))
            while True:
                cell = json.loads(line.recv())
                if cell["action"] == "execution_result":
                    place = cell["payload"]
                    if place["cell_index"] + 1 >= place["total_cell"]:
                        self.cells_ran = time.monotonic()
                        return

    def listen(self, line: websocket.WebSocket, start: float) -> None:
        """Press the first Run button there is once all cells ran, and wait for the words under it."""
        self.cells_ran, run_button, statuses, pressed, waiting_since = 0.0, "", set(), 0.0, 0.0
        line.settimeout(1)
        while time.monotonic() - start < PATIENCE:
            if self.cells_ran and run_button and not pressed:
                self.answered, pressed = self.cells_ran - start, time.monotonic()
                content = {"comm_id": run_button, "data": {"method": "custom", "content": {"event": "click"}}}
                message = self.session.msg("comm_msg", content)
                line.send_binary(serialize_msg_to_ws_v1(message, "shell", self.session.pack))
            try:
                _, parts = deserialize_msg_from_ws_v1(line.recv())
            except websocket.WebSocketTimeoutException:
                continue
            if json.loads(parts[0])["msg_type"] not in ("comm_open", "comm_msg"):
                continue
            content = json.loads(parts[3])
            state = content["data"].get("state", {})
            classes = state.get("_dom_classes", ())
            if "dp-run-button" in classes and not run_button:
                run_button = content["comm_id"]
            if "dp-status" in classes:
                statuses.add(content["comm_id"])
            if pressed and content["comm_id"] in statuses:
                said = state.get("value", "")
                if "waiting for" in said:
                    waiting_since = waiting_since or time.monotonic()
                elif waiting_since and not self.waited:
                    self.waited = time.monotonic() - waiting_since
                if DONE.search(said):
                    self.finished = time.monotonic() - start
                    return
        raise TimeoutError("no result")


def memory_of(process: subprocess.Popen) -> float:
    """Megabytes of the server and all it started; what is shared counts once (proportional set size)."""
    total = 0
    for one in [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]:
        try:
            total += one.memory_full_info().pss
        except psutil.Error:
            continue
    return total / 1e6


def watch(lab: Lab, memory: list[float], pings: list[float], stop: threading.Event) -> None:
    while not stop.wait(2):
        start = time.monotonic()
        asker = Reader(lab, "", 0)
        asker.ask("/alive")
        pings.append(time.monotonic() - start)
        memory.append(memory_of(lab.process))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=30)
    parser.add_argument("--pages", type=int, default=0)
    parser.add_argument("--training", type=int, default=0)
    chosen = parser.parse_args()
    port, said = free_port(), tempfile.NamedTemporaryFile("w+", suffix=".txt")
    settings = json.dumps({"pages": chosen.pages, "training": chosen.training})
    command = [sys.executable, "-c", SERVE, str(NOTEBOOKS), str(port), settings]
    cache = tempfile.TemporaryDirectory()  # nothing was computed before
    place = os.environ | {"DPMIA_CACHE": cache.name}
    with cache, said, subprocess.Popen(command, stdout=said, stderr=said, env=place) as process:
        lab = Lab(f"http://127.0.0.1:{port}/", process, said.name)
        try:
            assert wait_until(lambda: listens(lab), seconds=60)
            time.sleep(20)  # the warm parent has imported everything
            measure(lab, chosen.readers)
        finally:
            process.terminate()


def measure(lab: Lab, count: int) -> None:
    before, memory, pings, stop = memory_of(lab.process), [], [], threading.Event()
    watcher = threading.Thread(target=watch, args=(lab, memory, pings, stop))
    watcher.start()
    readers = [Reader(lab, LESSONS[number % len(LESSONS)], 1000 + number) for number in range(count)]
    threads = [threading.Thread(target=reader.read) for reader in readers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stop.set()
    watcher.join()
    time.sleep(10)
    print_table(readers, before, memory, memory_of(lab.process), pings)


def print_table(
    readers: list[Reader], before: float, memory: list[float], after: float, pings: list[float]
) -> None:
    done = [reader for reader in readers if reader.finished]
    print(f"readers {len(readers)}, finished {len(done)}, errors {len(readers) - len(done)}")
    door, turn = (sum(getattr(reader, what) > 0 for reader in readers) for what in ("at_the_door", "waited"))
    print(f"waited at the door {door}, for a turn {turn}")
    for what in ("answered", "finished", "at_the_door", "waited"):
        values = [getattr(reader, what) for reader in done if getattr(reader, what)]
        if values:
            words = what.replace("_", " ")
            print(f"{words:>12}: median {statistics.median(values):6.1f} s, worst {max(values):6.1f} s")
    print(f"      /alive: median {statistics.median(pings):6.2f} s, worst {max(pings):6.2f} s")
    print(f"      memory: {before:.0f} MB before, {max(memory):.0f} MB at most, {after:.0f} MB after all left")
    for reader in readers:
        if reader.problem:
            print(f"{reader.lesson}, seed {reader.seed}: {reader.problem}")


if __name__ == "__main__":
    main()

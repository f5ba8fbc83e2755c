"""A line between browser and server that fails when it is told to: connections through it end, or say nothing more."""

import contextlib
import socket
import threading


class BadLine:
    """Passes on what it hears, from its own ``address`` to a port of this machine, while it is ``whole``.

    ``cut()``: all connections end, new ones too. ``mute()``: what is sent is swallowed, and nobody is told; those
    connections stay dead when the line is whole again (as behind a router that was switched off meanwhile).
    """

    def __init__(self, port: int) -> None:
        self.port, self.state = port, "whole"
        self.ends: set[socket.socket] = set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}/"
        threading.Thread(target=self.listen, daemon=True).start()

    def cut(self) -> None:
        self.state = "cut"
        for end in list(self.ends):
            hang_up(end)

    def mute(self) -> None:
        self.state = "mute"

    def mend(self) -> None:
        self.state = "whole"

    def close(self) -> None:
        hang_up(self.listener)
        self.cut()

    def listen(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                here, _ = self.listener.accept()
                if self.state == "cut":
                    here.close()
                    continue
                there = socket.create_connection(("127.0.0.1", self.port))
                pair = Pair(self, here, there)
                for source, target in ((here, there), (there, here)):
                    threading.Thread(target=pair.pass_on, args=(source, target), daemon=True).start()


class Pair:
    """Two ends of one connection; ``dead`` once something of it was swallowed."""

    def __init__(self, line: BadLine, *ends: socket.socket) -> None:
        self.line, self.ends, self.dead = line, ends, False
        line.ends.update(ends)

    def pass_on(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                self.dead = self.dead or self.line.state == "mute"
                if not self.dead:
                    target.sendall(data)
        for end in self.ends if not self.dead else [source]:  # of a dead one the other end never hears
            hang_up(end)
            self.line.ends.discard(end)


def hang_up(end: socket.socket) -> None:
    with contextlib.suppress(OSError):
        end.shutdown(socket.SHUT_RDWR)
    end.close()

"""What a kernel says beyond 1,000 messages that nobody has read yet it drops, without a word: half a page of widgets.

A page makes hundreds of widgets, each a message or two, and charts besides, in a few bursts; a busy machine may read
them later than that. Then a part of the page is never shown, or the server waits for ever for a cell that has ended.
"""

from typing import Any

from IPython import get_ipython

NO_LIMIT = 0  # ZeroMQ's word for it


def keep_what_is_unread() -> None:
    """From now on, for whoever listens already, as a page does before its cells run."""
    thread: Any = getattr(getattr(get_ipython(), "kernel", None), "iopub_thread", None)
    if thread is not None:  # else nobody listens: a test, a script
        thread.schedule(lambda: setattr(thread.socket, "sndhwm", NO_LIMIT))  # a socket belongs to its thread

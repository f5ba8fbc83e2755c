"""What a page does by itself once it is up, and no sooner: its first answer must not wait for heavy libraries."""

from collections.abc import Callable
from importlib import import_module

from dpmia_lab.stages import Progress, Stage
from dpmia_lab.widgets.kit.loop import page_loop
from dpmia_lab.widgets.kit.parts import TROUBLE, error_html, guarded, page_poster, page_width
from dpmia_lab.widgets.kit.runner import Runner

AFTER_READY, AT_THE_LATEST = 0.4, 5.0  # seconds
LOADED: set[str] = set()  # what sys.modules holds may still be on its way there


class OnceUp:
    """Makes a call once, soon after the page's script has found the page up; without its script, after a while.

    ``signal`` is what the script writes to; it must be part of the page.
    """

    def __init__(self, call: Callable[[], None]) -> None:
        self.call, self.called = guarded(call), False
        self.signal = page_width(lambda _: self._after(AFTER_READY))
        self._after(AT_THE_LATEST)

    def _after(self, seconds: float) -> None:
        page_loop().call_later(seconds, self._once)

    def _once(self) -> None:
        if not self.called:
            self.called = True
            self.call()


def load(module: str) -> None:
    """Import what takes long; to be called by a thread that has the time."""
    import_module(module)
    LOADED.add(module)


def is_loaded(module: str) -> bool:
    return module in LOADED


def load_in_background(module: str, delay: float, then: Callable[[], None]) -> None:
    """After so many seconds let a thread import what takes long, so that the page goes on answering; then call."""

    def loading() -> Stage[None]:
        yield Progress(0, 1, f"loading {module}")
        load(module)

    def ended(_: None, problem: str | None) -> None:
        if problem is None:
            then()
        else:
            TROUBLE.value = error_html(problem)

    def start() -> None:
        Runner(page_poster()).start(loading, lambda events: None, ended)

    page_loop().call_later(delay, guarded(start))

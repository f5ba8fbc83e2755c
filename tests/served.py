"""The lab in a process of its own and a browser, outside pytest: for what is measured on real pages."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, sync_playwright

from tests.conftest import BROWSER_FLAGS, NOTEBOOKS, SERVE, Lab, find_chromium, free_port, listens, wait_until


@contextmanager
def served() -> Iterator[str]:
    """The address at which it answers."""
    port, said = free_port(), tempfile.NamedTemporaryFile("w+", suffix=".txt")  # noqa: SIM115 (closed below)
    with said, subprocess.Popen([sys.executable, "-c", SERVE, str(NOTEBOOKS), str(port), "{}"], stdout=said) as process:
        lab = Lab(f"http://127.0.0.1:{port}/", process, said.name)
        try:
            assert wait_until(lambda: listens(lab), seconds=60)
            yield lab.address
        finally:
            process.terminate()


@contextmanager
def chromium() -> Iterator[Browser | None]:
    """None where there is none."""
    path = find_chromium()
    if path is None:
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=BROWSER_FLAGS)
        yield browser
        browser.close()

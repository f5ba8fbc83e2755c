"""How soon a page answers, in a real browser: the wall clock of a machine that should do nothing else meanwhile."""

import time
from collections.abc import Iterator

from playwright.sync_api import Page

from tests.bench_opening import until_answered
from tests.bench_rows import Row
from tests.lesson_pages import WAIT, open_lesson, press, says
from tests.served import chromium, served

OPENINGS = 3
MOVES = ("ArrowLeft", "ArrowRight") * 3
INVERSION, EPSILON = "voila/render/01_model_inversion.ipynb", "voila/render/02_what_epsilon_buys.ipynb"
# A panel, what changes in it, and the sliders that are moved.
FACES = ".dp-inversion", ".dp-faces", ("lam", "steps", "people")
MODEL = ".dp-training", ".dp-picture", ("sigma", "q", "steps")
NO_BROWSER = "(pages: skipped, no Chromium found)"

# ``took``: milliseconds until that place of the page changes.
UNTIL_CHANGED = """place => {
  window.took = null;
  const began = performance.now();
  new MutationObserver((_, observer) => { took = performance.now() - began; observer.disconnect(); })
    .observe(document.querySelector(place), { subtree: true, childList: true, characterData: true });
}"""

# ``took``: milliseconds from the click on Stop until the page says that the run has stopped.
UNTIL_STOPPED = """panel => {
  window.took = null;
  let began;
  const status = document.querySelector(panel + ' .dp-status');
  document.querySelector(panel + ' .dp-stop-button')
    .addEventListener('click', () => { began = performance.now(); }, { capture: true, once: true });
  new MutationObserver((_, observer) => {
    if (began === undefined || !status.textContent.includes('stopped')) return;
    took = performance.now() - began;
    observer.disconnect();
  }).observe(status, { subtree: true, childList: true, characterData: true });
}"""


def page_rows() -> Iterator[Row | str]:
    with served() as lab, chromium() as browser:
        if browser is None:
            yield NO_BROWSER
            return
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        answers, faces = zip(*(first_answer_and_face(page, lab) for _ in range(OPENINGS)), strict=True)
        yield in_time("lesson 1 opened until Python answers a slider", answers, 4000)
        yield in_time("lesson 1 opened until the hook's face is drawn", faces, 10_000)
        yield in_time("lesson 1, slider moved until faces change", after_moves(page, *FACES), 500)
        yield in_time("lesson 1, Stop pressed until stopped", stops(page), 300)
        yield in_time("lesson 1, time-lapse moved until pictures change", lapse(page), 100)
        open_lesson(page, lab + EPSILON, ".dp-training")
        yield in_time("lesson 2, slider moved until the model changes", after_moves(page, *MODEL), 500)


def in_time(what: str, waits: list[float], most: float) -> Row:
    return Row(what, list(waits), unit="ms", target=most, sign="≤")


def first_answer_and_face(page: Page, lab: str) -> tuple[float, float]:
    """From opening the page until Python has answered a key pressed on a slider, and until a face appears."""
    start = time.monotonic()
    page.goto(lab + INVERSION)
    until_answered(page, ".dp-inversion", "lam")
    answer = time.monotonic() - start
    says(page, ".dp-hook-picture", "Drawn on this page")
    return 1000 * answer, 1000 * (time.monotonic() - start)


def after_moves(page: Page, panel: str, place: str, controls: tuple[str, ...]) -> list[float]:
    """Of each control moved up and down; the first move trains what later ones have."""
    return [until_changed(page, panel, place, control, key) for control in controls for key in MOVES]


def until_changed(page: Page, panel: str, place: str, control: str, key: str) -> float:
    page.evaluate(UNTIL_CHANGED, f"{panel} {place}")
    press(page, panel, control, key)
    page.wait_for_function("took !== null", timeout=WAIT)
    page.wait_for_timeout(1500)
    return page.evaluate("took")


def lapse(page: Page) -> list[float]:
    page.locator(".dp-inversion .dp-lapse .dp-fold-button").click()
    return [until_changed(page, ".dp-inversion", ".dp-faces", "frame", "ArrowLeft") for _ in range(5)]


def stops(page: Page) -> list[float]:
    """Of a long run."""
    panel, waits = ".dp-inversion", []
    page.locator(f"{panel} .dp-live-switch input").uncheck()
    press(page, panel, "steps", "End")
    for _ in range(5):
        page.locator(f"{panel} .dp-run-button").click()
        says(page, f"{panel} .dp-status", "attacking")
        page.evaluate(UNTIL_STOPPED, panel)
        page.locator(f"{panel} .dp-stop-button").click()
        page.wait_for_function("took !== null", timeout=WAIT)
        waits.append(page.evaluate("took"))
    return waits


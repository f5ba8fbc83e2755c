"""How soon the playground follows a slider, in a real browser: the first new drawing, and everything on screen."""

from collections.abc import Iterator

from playwright.sync_api import Page

from tests.bench_pages import NO_BROWSER, in_time
from tests.bench_rows import Row
from tests.lesson_pages import WAIT, press
from tests.served import chromium, served

PLAYGROUND, PANEL = "voila/render/playground.ipynb", ".dp-play"
# A defence, the slider that is moved, and keys.
MOVES = {
    "": ("sigma", ("ArrowRight",) * 12),
    "?defence=mid": ("lam", ("ArrowRight", "ArrowLeft") * 5),
    "?defence=units&unit=class": ("sigma", ("ArrowRight", "ArrowLeft") * 5),
    "?defence=dap": ("r", ("ArrowRight", "ArrowLeft") * 5),
}

# ``first`` and ``all``: milliseconds from the key until the drawings change, and until the numbers are whole again.
# Drawings that stay the same (DAP may keep the same epoch) count when the numbers are there.
WATCH = """() => {
  window.first = window.all = null;
  const began = performance.now(), panel = document.querySelector('.dp-play');
  const drawings = panel.querySelector('img.dp-mosaic').src;
  let moved = false;
  const look = () => {
    const now = performance.now() - began, moving = panel.classList.contains('dp-play-moving');
    moved ||= moving;
    if (first === null && panel.querySelector('img.dp-mosaic').src !== drawings) first = now;
    if (moved && !moving) [first, all] = [first ?? now, now];
    if (all === null) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}"""


def playground_page_rows() -> Iterator[Row | str]:
    with served() as lab, chromium() as browser:
        if browser is None:
            yield NO_BROWSER
            return
        for query, (slider, keys) in MOVES.items():
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            page.goto(lab + PLAYGROUND + query)
            page.wait_for_selector(f"{PANEL} .dp-play-aloud [role=status]", state="attached", timeout=WAIT)
            first, everything = zip(*(waits(page, slider, key) for key in keys), strict=True)
            what = f"playground, {query.removeprefix('?') or 'DP-SGD for a record'}"
            yield in_time(f"{what}: slider until a new drawing", first, 250)
            yield in_time(f"{what}: slider until all is on screen", everything, 1000)
            page.goto("about:blank")
            page.close()


def waits(page: Page, slider: str, key: str) -> tuple[float, float]:
    page.evaluate(WATCH)
    press(page, PANEL, slider, key)
    page.wait_for_function("all !== null", timeout=WAIT)
    page.wait_for_timeout(300)
    return page.evaluate("first"), page.evaluate("all")


if __name__ == "__main__":
    for row in playground_page_rows():
        print(row, flush=True)

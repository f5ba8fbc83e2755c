"""``python -m tests.soak_playground --minutes 5``: moves the playground's sliders at random.

Ends with exit code 1 if the page or its Python complained, or if Python's memory went on growing.
"""

import argparse
import random
import sys
import time

import psutil
from playwright.sync_api import Page

from tests.lesson_pages import WAIT
from tests.served import chromium, served

PLAYGROUND, PANEL = "voila/render/playground.ipynb", ".dp-play"
KEYS = ("ArrowRight", "ArrowLeft", "ArrowRight", "ArrowLeft", "PageUp", "PageDown", "Home", "End")
PAUSES = (0.02, 0.05, 0.1, 0.3, 1.2)  # seconds: some moves are passed by, some are looked at
GROWTH = 30  # MB that memory may grow from a third of the time to its end
DOTS = "document.querySelectorAll('.dp-play-tradeoff-chart [data-key]').length"


def kernel() -> psutil.Process:
    """The one page's Python: of our children the largest that trains."""
    from dpmia_lab.serve.warm import KERNEL

    children = psutil.Process().children(recursive=True)
    kernels = [child for child in children if child.name() == KERNEL or "ipykernel_launcher" in child.cmdline()]
    return max(kernels, key=lambda process: process.memory_info().rss)


def move(page: Page, rng: random.Random) -> None:
    """Mostly a slider, sometimes another defence, judge or button."""
    what = rng.random()
    if what < 0.06:
        menu = page.locator(f"{PANEL} .dp-defence select")
        menu.select_option(index=rng.randrange(menu.locator("option").count()))
    elif what < 0.08:
        page.locator(f"{PANEL} .dp-judge select").select_option(index=rng.randrange(3))
    elif what < 0.09:
        page.locator(rng.choice([".dp-play-surprise", ".dp-play-replay"])).click()
    elif what < 0.10:
        page.locator(f"{PANEL} .dp-data select").select_option(index=rng.randrange(2))
    else:
        sliders = [one for one in page.locator(f"{PANEL} [role=slider]").all() if one.is_visible()]
        rng.choice(sliders).press(rng.choice(KEYS))
    page.wait_for_timeout(1000 * rng.choice(PAUSES))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    rng, complaints, sizes, moves = random.Random(asked.seed), [], [], 0
    with served() as lab, chromium() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(lab + PLAYGROUND)
        page.wait_for_selector(f"{PANEL} .dp-play-aloud [role=status]", state="attached", timeout=WAIT)
        process, start = kernel(), time.monotonic()
        while (spent := time.monotonic() - start) < 60 * asked.minutes:
            move(page, rng)
            moves += 1
            if spent > 10 * len(sizes):
                sizes.append(process.memory_info().rss / 2**20)
                print(f"{spent:4.0f} s: {moves} moves, Python has {sizes[-1]:.0f} MB", flush=True)
        page.wait_for_timeout(5000)
        said = page.locator(".dp-trouble, .dp-play-problem .dp-error").all_inner_texts()
        complaints += [words for words in said if words.strip()]
        sizes.append(process.memory_info().rss / 2**20)
    grown = sizes[-1] - max(sizes[: max(1, len(sizes) // 3)])
    print(f"{moves} moves, {len(complaints)} complaints {complaints[:3]}; after a third of the time {grown:+.0f} MB")
    return int(bool(complaints) or grown > GROWTH)


if __name__ == "__main__":
    sys.exit(main())

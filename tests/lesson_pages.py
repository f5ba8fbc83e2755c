"""What the browser tests of all lessons do alike.

A page is never read at once: what Python sent may still be on its way to the screen. ``expect`` waits for it.
"""

import io

import numpy as np
from playwright.sync_api import TimeoutError, expect

WAIT = 60_000  # milliseconds
expect.set_options(timeout=WAIT)

NAMELESS = """() => [...document.querySelectorAll('.dp :is([role=slider], select, input:not([type=file]), button)')]
    .filter(e => e.offsetParent && !e.closest('.dp-hidden'))
    .filter(e => !e.getAttribute('aria-label') && !e.textContent.trim() && !e.closest('label')?.textContent.trim())
    .map(e => e.outerHTML.slice(0, 200))"""


# What is said and how far the bar is while a panel runs.
LISTEN = """panel => {
  window.heard = []; window.progress = [];
  const bar = document.querySelector(panel + ' .dp-status');
  const words = document.querySelector(panel + ' .dp-live') ?? bar;
  new MutationObserver(() => heard.push(words.innerText)).observe(words, { subtree: true, childList: true });
  new MutationObserver(() => progress.push(Number(bar.querySelector('[role=progressbar]')?.ariaValueNow ?? 0)))
    .observe(bar, { subtree: true, childList: true });
}"""

# No part is wider than the window, Python knows its width, and every chart was drawn for the width it has.
FITS = """width => {
  const page = document.documentElement;
  const told = [...document.querySelectorAll('.dp-width input')].every(e => e.value === String(page.clientWidth));
  const charts = [...document.querySelectorAll('.dp .dp-plot')].filter(e => e.offsetParent);
  const drawn = charts.every(e => Math.abs(e.firstChild.getAttribute('width') / e.clientWidth - 1) <= 0.1);
  return page.clientWidth === width && told && drawn && page.scrollWidth <= width;
}"""


def open_lesson(page, address: str, panel: str, **settings) -> None:
    """Open a lesson with these settings in its link, and wait until its panel is there."""
    query = "&".join(f"{name}={value}" for name, value in settings.items())
    page.goto(f"{address}?{query}")
    page.wait_for_selector(f"{panel} .dp-run-button", timeout=WAIT)


def run_to_end(page, panel: str) -> None:
    before = page.locator(f"{panel} .dp-run").count()
    page.locator(f"{panel} .dp-run-button").click()
    expect(page.locator(f"{panel} .dp-run")).to_have_count(before + 1)
    expect(page.locator(f"{panel} .dp-stop-button")).to_be_disabled()


def open_settings(page, panel: str) -> None:
    """Unfold what is under "Settings" (on a phone) and "More settings"."""
    for place in (f"{panel} .dp-drawer", f"{panel} .dp-more"):
        head = page.locator(f"{place} > .widget-html .dp-fold-button")
        if head.count() and head.first.is_visible() and head.first.get_attribute("aria-expanded") == "false":
            head.first.click()


def turn_off_live(page, panel: str) -> None:
    """So that moving a slider is not running."""
    switch = page.locator(f"{panel} .dp-live-switch input")
    if switch.is_visible():
        switch.uncheck()


def press(page, panel: str, control: str, *keys: str) -> None:
    for key in keys:
        page.locator(f"{panel} .dp-{control} [role=slider]").press(key)


def choose(page, panel: str, control: str, words: str) -> None:
    page.locator(f"{panel} .dp-{control} select").select_option(words)


def move_to(page, panel: str, control: str, key: str, value: str) -> None:
    """Press the key until the slider shows that value."""
    shown = readout(page, panel, control)
    while (before := shown.inner_text()) != value:
        press(page, panel, control, key)
        expect(shown).not_to_have_text(before)


def address_has(page, words: str) -> None:
    """Wait until the page's address follows a control; a click may overtake a slider."""
    page.wait_for_function("words => location.search.includes(words)", arg=words, timeout=WAIT)


def gone(page, place: str) -> None:
    page.wait_for_selector(place, state="detached", timeout=WAIT)


def type_into(page, panel: str, control: str, words: str) -> None:
    field = page.locator(f"{panel} .dp-{control} input")
    field.fill(words)
    field.press("Enter")


def says(page, place: str, words: str) -> None:
    """Wait until that place of the page says these words."""
    page.wait_for_selector(f"{place} >> text={words}", timeout=WAIT)


def has_chart(page, place: str, *words: str) -> None:
    """Wait until a chart there has all of these in its words for those who cannot see it."""
    for some in words:
        page.wait_for_selector(f'{place} .dp-plot svg[aria-label*="{some}"]', timeout=WAIT)


def readout(page, panel: str, control: str):
    """What a slider shows."""
    return page.locator(f"{panel} .dp-{control} .widget-readout")


def downloaded(page, panel: str, name: str) -> str:
    """The path of a file that the panel offers. A chart that comes meanwhile may push the link away: then once more."""
    for last in (False, False, True):
        try:
            with page.expect_download(timeout=WAIT if last else 5_000) as download:
                page.locator(f"{panel} a[download='{name}']").click()
            return download.value.path()
        except TimeoutError:
            if last:
                raise


def npz(**arrays) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def upload(page, panel: str, name: str, content: bytes) -> None:
    with page.expect_file_chooser() as chooser:
        page.locator(f"{panel} .dp-upload").click()
    chooser.value.set_files({"name": name, "mimeType": "application/zip", "buffer": content})


def assert_everything_has_a_name(page) -> None:
    assert page.evaluate(NAMELESS) == []
    assert page.locator(".dp :is(img:not([alt]), .dp-plot svg:not([aria-label]))").count() == 0


def assert_fits(page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_function(FITS, arg=width, timeout=WAIT)


def assert_nothing_went_wrong(page) -> None:
    expect(page.locator(".dp-trouble")).to_have_text("")
    assert page.complaints == []


def choose_own_records(page, panel: str) -> None:
    """A broken file is refused; then 1,000 records of 24 bits in three classes are taken, as mine.npz."""
    choose(page, panel, "data", "your own file…")
    upload(page, panel, "broken.npz", b"not a zip")
    says(page, f"{panel} .dp-error", "broken.npz")
    rng = np.random.default_rng(0)
    upload(page, panel, "mine.npz", npz(X=rng.integers(0, 2, (1000, 24)), y=rng.integers(0, 3, 1000)))
    says(page, f"{panel} .dp-note", "1,000 records of 3 classes, bits (24)")

"""What the browser tests of all lessons do alike.

A page is never read at once: what Python sent may still be on its way to the screen. ``expect`` waits for it.
"""

import csv

from playwright.sync_api import expect

from dpmia_lab.options import with_text_values
from dpmia_lab.stages import drain

WAIT = 60_000  # milliseconds
expect.set_options(timeout=WAIT)

NAMELESS = """() => [...document.querySelectorAll('.dp :is([role=slider], select, input:not([type=file]), button)')]
    .filter(e => e.offsetParent && !e.closest('.dp-hidden'))
    .filter(e => !e.getAttribute('aria-label') && !e.textContent.trim() && !e.closest('label')?.textContent.trim())
    .map(e => e.outerHTML.slice(0, 200))"""


def open_lesson(page, address: str, panel: str, **settings) -> None:
    """Open a lesson with these settings in its link, and wait until its panel is there."""
    query = "&".join(["preset=faces", *(f"{name}={value}" for name, value in settings.items())])
    page.goto(f"{address}?{query}")
    page.wait_for_selector(f"{panel} .dp-run-button", timeout=WAIT)


def run_to_end(page, panel: str) -> None:
    before = page.locator(f"{panel} .dp-run").count()
    page.locator(f"{panel} .dp-run-button").click()
    expect(page.locator(f"{panel} .dp-run")).to_have_count(before + 1)
    expect(page.locator(f"{panel} .dp-stop-button")).to_be_disabled()


def press(page, panel: str, control: str, *keys: str) -> None:
    for key in keys:
        page.locator(f"{panel} .dp-{control} [role=slider]").press(key)


def type_into(page, panel: str, control: str, words: str) -> None:
    field = page.locator(f"{panel} .dp-{control} input")
    field.fill(words)
    field.press("Enter")


def says(page, place: str, words: str) -> None:
    """Wait until that place of the page says these words."""
    page.wait_for_selector(f"{place} >> text={words}", timeout=WAIT)


def has_alt(page, picture: str, *words: str) -> None:
    """Wait until that picture's words for those who cannot see it hold all of these."""
    for some in words:
        page.wait_for_selector(f'{picture}[alt*="{some}"]', timeout=WAIT)


def readout(page, panel: str, control: str):
    """What a slider shows."""
    return page.locator(f"{panel} .dp-{control} .widget-readout")


def downloaded(page, panel: str, name: str) -> str:
    """The path of a file that the panel offers."""
    with page.expect_download() as download:
        page.locator(f"{panel} a[download='{name}']").click()
    return download.value.path()


def assert_same_bits_as_python(page, panel: str, experiment, settings: dict[str, str]) -> None:
    """The first run's row in the panel's CSV holds the very numbers of the same run from Python."""
    with open(downloaded(page, panel, "dpmia_lab_runs.csv"), encoding="utf-8", newline="") as file:
        row = list(csv.DictReader(file))[0]
    config = with_text_values(experiment.PRESETS["faces"], settings)
    for name, value in drain(experiment.run(config)).numbers.items():
        assert float(row[name]) == value, name


def assert_everything_has_a_name(page) -> None:
    assert page.evaluate(NAMELESS) == []
    assert page.locator(".dp img:not([alt])").count() == 0


def assert_fits(page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(800)  # the charts are drawn anew for the width
    assert page.evaluate("document.documentElement.scrollWidth") <= width

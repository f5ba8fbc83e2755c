"""What the browser tests of all lessons do alike."""

WAIT = 60_000  # milliseconds

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
    page.wait_for_function(f"document.querySelectorAll('{panel} .dp-run').length > {before}", timeout=WAIT)


def press(page, panel: str, control: str, *keys: str) -> None:
    for key in keys:
        page.locator(f"{panel} .dp-{control} [role=slider]").press(key)


def says(page, place: str, words: str) -> None:
    """Wait until that place of the page says these words."""
    page.wait_for_selector(f"{place} >> text={words}", timeout=WAIT)


def assert_everything_has_a_name(page) -> None:
    assert page.evaluate(NAMELESS) == []
    assert page.locator(".dp img:not([alt])").count() == 0


def assert_fits(page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(800)  # the charts are drawn anew for the width
    assert page.evaluate("document.documentElement.scrollWidth") <= width

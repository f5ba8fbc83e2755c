"""What a reader sees when a lesson opens: one screen, nothing empty, nothing that jumps, all of it reachable.

Each lesson is opened as it is, at the size of a small laptop and of a phone; a projector's size comes by enlarging.
"""

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import new_page
from lesson_pages import WAIT, expect
from lessons import LESSONS, Lesson

LAPTOP, PROJECTOR, PHONE = (1280, 720), (1920, 1080), (390, 844)
MOST_CONTROLS = 6
ONLY_COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
BARRIERS = {"resultTypes": ["violations"]}

# Every shift of what stands on the page, unless somebody has just pressed something (CLS, all of it added up).
COUNT_SHIFTS = """window.shifts = []; new PerformanceObserver(list => {
  for (const e of list.getEntries()) if (!e.hadRecentInput) shifts.push([e.value, e.sources.map(s =>
    [s.node?.className ?? String(s.node), s.previousRect.y, s.currentRect.y, s.currentRect.height])]);
}).observe({ type: 'layout-shift', buffered: true })"""

SEEN = """([panel, place]) => [...document.querySelectorAll(`${panel} ${place}`)].filter(e => e.checkVisibility())
  .map(e => e.getBoundingClientRect()).map(r => [r.top, r.bottom])"""

PICTURE = ".dp-picture :is(img, svg)"

# Controls that a reader sees in a panel before anything is unfolded.
CONTROLS = """panel => [...panel.querySelectorAll('.dp-field, .dp-check')].filter(e => e.checkVisibility())
  .map(e => e.innerText.split('\\n')[0])"""

# Stops of the Tab key inside each control.
STOPS = """() => [...document.querySelectorAll('.dp-field, .dp-check')].filter(e => e.checkVisibility()).map(e => [
  e.innerText.split('\\n')[0],
  [...e.querySelectorAll('*')].filter(x => x.tabIndex >= 0 && !x.disabled && x.checkVisibility()).length,
])"""

FOLDED = """() => [...document.querySelectorAll('.dp-fold-body')]
  .filter(e => e.children.length && !e.checkVisibility()).length"""

HEADINGS = """() => [...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(e => e.checkVisibility())
  .map(e => [Number(e.tagName[1]), e.innerText])"""


def opened(browser, lab_server, lesson: Lesson, size: tuple[int, int]):
    """A fresh page of the lesson, as nobody has touched it, once what it shows by itself is there."""
    width, height = size
    opening = new_page(browser)
    page = opening.__enter__()
    page.set_viewport_size({"width": width, "height": height})
    page.add_init_script(COUNT_SHIFTS)
    page.goto(f"{lab_server.address}voila/render/{lesson.notebook}.ipynb")
    page.wait_for_selector(f"{lesson.panel} .dp-run-button", timeout=WAIT)
    page.wait_for_selector(lesson.opened, timeout=WAIT)
    page.wait_for_function(f"args => ({SEEN})(args).length > 0", arg=[lesson.panel, PICTURE], timeout=WAIT)
    page.wait_for_timeout(1000)
    return opening, page


class Pages:
    """One page at a time, kept while tests ask for the same."""

    def __init__(self, browser, lab_server) -> None:
        self.browser, self.lab_server = browser, lab_server
        self.key, self.opening, self.page = None, None, None

    def at(self, lesson: Lesson, size: tuple[int, int]):
        if self.key != (lesson.file, size):
            self.close()
            self.opening, self.page = opened(self.browser, self.lab_server, lesson, size)
            self.key = lesson.file, size
        return self.page

    def close(self) -> None:
        if self.opening is not None:
            self.opening.__exit__(None, None, None)
        self.key, self.opening = None, None


@pytest.fixture(scope="module")
def pages(browser, lab_server):
    made = Pages(browser, lab_server)
    yield made
    made.close()


@pytest.fixture(params=LESSONS.values(), ids=LESSONS.keys(), scope="module")
def lesson(request) -> Lesson:
    return request.param


@pytest.fixture
def laptop(pages, lesson):
    return pages.at(lesson, LAPTOP)


@pytest.fixture
def phone(pages, lesson):
    return pages.at(lesson, PHONE)


def assert_little_moved(page) -> None:
    shifts = page.evaluate("shifts")
    assert sum(value for value, _ in shifts) < 0.05, [shift for shift in shifts if shift[0] > 0.003]


def scroll_to(page, panel: str) -> None:
    page.locator(panel).evaluate("e => e.scrollIntoView()")


def all_inside(page, panel: str, place: str) -> bool:
    """Whether every such part of the panel is wholly in the window."""
    found, height = page.evaluate(SEEN, [panel, place]), page.viewport_size["height"]
    assert found, f"{place} is not there"
    return all(top >= -1 and bottom <= height + 1 for top, bottom in found)


# ---- a laptop


def test_nothing_jumps_while_the_page_opens(lesson, laptop):
    assert_little_moved(laptop)


def test_the_panel_is_not_empty(lesson, laptop):
    expect(laptop.locator(f"{lesson.panel} .dp-shipped")).to_be_visible()
    assert laptop.locator(f"{lesson.panel} {PICTURE}").count() > 0


def test_few_controls_are_visible_at_first(lesson, laptop):
    for panel in laptop.locator(".dp-columns").all():
        seen = panel.evaluate(CONTROLS)
        assert len(seen) <= MOST_CONTROLS, seen


@pytest.mark.parametrize("size", [LAPTOP, PROJECTOR], ids=["laptop", "projector"])
def test_picture_controls_and_run_are_on_one_screen(lesson, laptop, size):
    laptop.set_viewport_size({"width": size[0], "height": size[1]})
    scroll_to(laptop, lesson.panel)
    for place in (".dp-controls .dp-field", ".dp-run-button", ".dp-stop-button", ".dp-status"):
        assert all_inside(laptop, lesson.panel, place), place
    top, bottom = laptop.evaluate(SEEN, [lesson.panel, PICTURE])[0]
    assert 0 <= top and bottom <= size[1]
    laptop.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})


def test_the_controls_stay_in_view_while_results_scroll(lesson, laptop):
    scroll_to(laptop, lesson.panel)
    laptop.evaluate("panel => scrollBy(0, document.querySelector(panel).offsetHeight / 2)", lesson.panel)
    assert all_inside(laptop, lesson.panel, ".dp-run-button")


def test_each_control_is_one_stop_of_the_tab_key(lesson, laptop):
    assert [stop for stop in laptop.evaluate(STOPS) if stop[1] != 1] == []


def test_headings_have_no_gaps(lesson, laptop):
    levels = [level for level, _ in laptop.evaluate(HEADINGS)]
    assert levels[0] == 1
    assert all(below - above <= 1 for above, below in zip(levels, levels[1:], strict=False)), laptop.evaluate(HEADINGS)


@pytest.mark.parametrize("look", ["light", "dark"])
def test_axe_finds_no_serious_barrier(lesson, laptop, look):
    """In the dark only colours are others, and asking for them alone is much quicker."""
    laptop.evaluate("look => document.documentElement.classList.toggle('dp-dark', look === 'dark')", look)
    found = Axe().run(laptop, options=BARRIERS | (ONLY_COLOURS if look == "dark" else {})).response["violations"]
    barriers = [barrier for barrier in found if barrier["impact"] in ("serious", "critical")]
    laptop.evaluate("document.documentElement.classList.remove('dp-dark')")
    assert [(barrier["id"], [node["html"][:160] for node in barrier["nodes"][:4]]) for barrier in barriers] == []


def test_on_paper_everything_is_open_and_fits(lesson, laptop):
    assert laptop.pdf(format="A4").startswith(b"%PDF")  # which also tells the page that it is printed
    laptop.emulate_media(media="print")
    laptop.set_viewport_size({"width": 794, "height": 1123})  # A4 at 96 dots an inch
    assert laptop.locator("details:not([open])").count() == 0
    assert laptop.evaluate(FOLDED) == 0
    assert laptop.evaluate("document.documentElement.scrollWidth") <= 794
    laptop.emulate_media(media="screen")
    laptop.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})


# ---- a phone


def test_nothing_jumps_on_a_phone(lesson, phone):
    assert_little_moved(phone)


def test_on_a_phone_the_picture_comes_first_and_run_is_in_reach(lesson, phone):
    scroll_to(phone, lesson.panel)
    assert all_inside(phone, lesson.panel, ".dp-run-button")
    top, _ = phone.evaluate(SEEN, [lesson.panel, PICTURE])[0]
    assert 0 <= top <= PHONE[1] / 2
    assert phone.locator(f"{lesson.panel} .dp-controls .dp-field").first.is_hidden()
    phone.locator(f"{lesson.panel} .dp-drawer > .widget-html .dp-fold-button").click()
    expect(phone.locator(f"{lesson.panel} .dp-controls .dp-field").first).to_be_visible()
    assert all_inside(phone, lesson.panel, ".dp-run-button")

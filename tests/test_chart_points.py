"""Charts answer the pointer and the keyboard alike, whatever they show: one chart on a page of its own."""

import io

import pytest
from conftest import new_page
from lesson_pages import WAIT, expect, says
from matplotlib.colors import to_rgb
from PIL import Image

from dpmia_lab.plots.style import PROTECTED

CELLS = [
    """
from dpmia_lab.widgets.kit.charts import ChartPlace, width_for
from dpmia_lab.widgets.kit.parts import button, card, start_page, text
start_page()
""",
    """
accuracies = [0.8, 0.5, 0.3]
words = text("", "dp-opened")

def drawn(width):
    from dpmia_lab.plots.privacy import Point, accuracy_chart
    points = [Point(10.0 / (i + 1) ** 2, a, f"run {3 - i}", f"run {3 - i}") for i, a in enumerate(accuracies)]
    return accuracy_chart(None, points, None, "record", width)

def opened(key):
    words.value = f"opened {key}"

def again():
    accuracies[1] -= 0.1
    place.redraw()

place = ChartPlace(drawn, "dpmia_lab.plots.privacy", keep="chart.png", on_pick=opened)
place.redraw()
card(place.view, place.exports, button("Again", again), words, width_for(place))
""",
]
TIP, POINT = ".dp-tip:visible", ".dp-points [role=option]"


@pytest.fixture(scope="module")
def address(open_lab):
    return open_lab({"chart": CELLS}).address + "voila/render/chart.ipynb"


@pytest.fixture(scope="module")
def chart(browser, address):
    with new_page(browser) as page:
        page.goto(address)
        page.wait_for_selector(".dp-plot svg", timeout=WAIT)
        yield page
        assert page.complaints == []


def place_of(page, name: str) -> tuple[float, float]:
    page.locator(".dp-plot").scroll_into_view_if_needed()
    box = page.locator(POINT, has_text=name).bounding_box()
    return box["x"], box["y"]


def walked_to(page, words: str) -> None:
    """Arrow keys have led there: the list says so, and so does the tooltip."""
    expect(page.locator(TIP)).to_contain_text(words)
    active = page.locator(".dp-points").get_attribute("aria-activedescendant")
    expect(page.locator(f"#{active}")).to_contain_text(words)


def test_the_nearest_point_is_read_and_its_marker_is_where_it_says(chart):
    x, y = place_of(chart, "run 2")
    chart.mouse.move(x + 12, y - 12)
    expect(chart.locator(TIP)).to_contain_text("run 2 50% right on new pictures at ε = 2.5")
    expect(chart.locator(TIP)).to_contain_text("Click, or press Enter")
    chart.mouse.move(5, 5)
    expect(chart.locator(TIP)).to_have_count(0)
    x, y = place_of(chart, "run 3")  # opaque
    chart.mouse.move(x + 8, y)
    assert_marked(chart, x, y)


def assert_marked(page, x: float, y: float) -> None:
    """The ring is there, within a pixel, and in its middle the screen has the marker's colour."""
    ring = page.locator(".dp-ring").bounding_box()
    assert (ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2) == pytest.approx((x, y), abs=1)
    shot = page.screenshot(clip={"x": round(x), "y": round(y), "width": 1, "height": 1})
    colour = Image.open(io.BytesIO(shot)).convert("RGB").getpixel((0, 0))
    assert colour == tuple(round(255 * part) for part in to_rgb(PROTECTED))


def test_far_from_every_point_nothing_is_said(chart):
    x, y = place_of(chart, "run 2")
    chart.mouse.move(x, y - 40)
    expect(chart.locator(TIP)).to_have_count(0)


def test_the_ring_is_on_its_point_also_for_a_projector(chart):
    picture = chart.locator(".dp-plot svg")
    before = picture.get_attribute("width")
    chart.keyboard.press("p")
    expect(picture).not_to_have_attribute("width", before)  # drawn for fewer, larger pixels
    x, y = place_of(chart, "run 3")
    chart.mouse.move(x + 8, y)
    expect(chart.locator(TIP)).to_contain_text("run 3")
    assert_marked(chart, x, y)
    chart.keyboard.press("p")
    expect(picture).to_have_attribute("width", before)
    chart.mouse.move(5, 5)


def test_a_click_opens(chart):
    x, y = place_of(chart, "run 2")
    for _ in range(2):  # also a second time
        chart.mouse.click(x + 2, y + 2)
        says(chart, ".dp-opened", "opened run 2")
    chart.mouse.click(*place_of(chart, "run 1"))
    says(chart, ".dp-opened", "opened run 1")
    chart.mouse.move(5, 5)


def test_a_chart_is_one_stop_whose_points_are_walked_and_opened_by_keys(chart):
    assert chart.locator(".dp-plot [tabindex='0']").count() == 1
    chart.locator("a[data-lab-chart]").focus()
    chart.keyboard.press("Shift+Tab")
    expect(chart.locator(".dp-points")).to_be_focused()
    walked_to(chart, "run 1")  # drawn first
    for key, words in (("ArrowRight", "run 2"), ("End", "run 3"), ("ArrowUp", "run 2"), ("ArrowLeft", "run 1")):
        chart.keyboard.press(key)
        walked_to(chart, words)
    chart.keyboard.press("ArrowDown")
    chart.keyboard.press("Enter")
    says(chart, ".dp-opened", "opened run 2")
    chart.keyboard.press("Escape")
    expect(chart.locator(TIP)).to_have_count(0)


def test_a_chart_drawn_anew_keeps_its_place_the_keyboard_and_the_point_and_is_never_gone(chart):
    chart.locator("a[data-lab-chart]").focus()
    chart.keyboard.press("Shift+Tab")
    chart.keyboard.press("ArrowRight")
    walked_to(chart, "50% right")
    chart.evaluate(
        """() => { window.gone = 0; window.frames = 0; const look = () => {
             frames += 1; if (!document.querySelector('.dp-plot svg text')) gone += 1; requestAnimationFrame(look); };
           look(); }"""
    )
    chart.evaluate("[...document.querySelectorAll('button')].find(e => e.textContent === 'Again').click()")
    walked_to(chart, "run 2 40% right")
    expect(chart.locator(".dp-points")).to_be_focused()
    assert chart.evaluate("frames") > 1 and chart.evaluate("gone") == 0
    chart.keyboard.press("Tab")
    expect(chart.locator(TIP)).to_have_count(0)


def test_fields_that_only_the_script_writes_to_are_no_stop_and_have_a_name(chart):
    fields = chart.locator(".dp-hidden input")
    assert fields.count() >= 2
    for field in fields.all():
        expect(field).to_have_attribute("aria-label", "for the page's script")
        assert field.evaluate("e => [e.tabIndex, e.closest('[aria-hidden=true]') !== null]") == [-1, True]


def test_a_chart_can_be_kept_as_a_sharp_picture(chart):
    with chart.expect_download(timeout=WAIT) as download:
        chart.locator("a[download='chart.png']").click()
    with Image.open(download.value.path()) as picture:
        assert picture.width == 3 * float(chart.locator(".dp-plot svg").get_attribute("width"))
        wanted = tuple(round(255 * part) for part in to_rgb(PROTECTED))
        counts = {colour[:3]: count for count, colour in picture.getcolors(1 << 24)}
        assert counts[wanted] > 100 and counts[255, 255, 255] > picture.width * picture.height / 2


def test_on_a_phone_a_tap_shows_within_the_window_and_another_opens(browser, address):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".dp-plot svg[width='330']", timeout=WAIT)
    x, y = place_of(page, "run 3")
    page.touchscreen.tap(x + 3, y)
    expect(page.locator(TIP)).to_contain_text("80% right")
    box = page.locator(TIP).bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert page.locator(".dp-opened").inner_text() == ""
    page.touchscreen.tap(x + 3, y)
    says(page, ".dp-opened", "opened run 3")
    page.goto("about:blank")
    context.close()

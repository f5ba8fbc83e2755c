"""A page on a projector and in the dark: one key each, remembered, and never taken from somebody who types."""

import pytest
from lesson_pages import WAIT, expect

CELLS = [
    "# A page",
    "import ipywidgets as widgets\n"
    "from dpmia_lab.widgets.kit.controls import NumberField, field, scale\n"
    "from dpmia_lab.widgets.kit.parts import panel, start_page, text\n"
    "start_page()",
    "panel('dp-made-up', [field(NumberField('seed'), 'seed')], [text('<p>the picture</p>')], "
    "more=[field(scale('much', (1, 2)), 'much')])",
]


@pytest.fixture(scope="module")
def address(open_lab) -> str:
    return f"{open_lab({'page': CELLS}).address}voila/render/page.ipynb"


@pytest.fixture
def opened(page, address):
    page.goto(address)
    page.wait_for_selector(".dp-made-up .dp-seed", timeout=WAIT)
    return page


def is_on(page, mode: str) -> bool:
    return page.evaluate("mode => document.documentElement.classList.contains(mode)", f"dp-{mode}")


def test_p_is_for_a_projector_larger_and_as_wide_as_the_window(opened):
    opened.set_viewport_size({"width": 1920, "height": 1080})
    text, card = opened.locator(".dp-made-up p"), opened.locator(".dp-made-up")
    before = text.bounding_box()["height"], card.bounding_box()["width"]
    opened.keyboard.press("p")
    assert is_on(opened, "projector")
    assert text.bounding_box()["height"] >= 1.3 * before[0] and card.bounding_box()["width"] > 1800 > before[1]
    opened.keyboard.press("p")
    assert (text.bounding_box()["height"], card.bounding_box()["width"]) == before


def test_d_is_for_dark_and_a_reload_keeps_it(opened):
    light = opened.evaluate("getComputedStyle(document.body).backgroundColor")
    opened.keyboard.press("d")
    dark = opened.evaluate("getComputedStyle(document.body).backgroundColor")
    assert sum(map(int, dark[4:-1].split(","))) < 120 < 600 < sum(map(int, light[4:-1].split(",")))
    expect(opened.locator("#lab-tools [data-mode=dark]")).to_have_attribute("aria-pressed", "true")
    opened.reload()
    opened.wait_for_selector(".dp-made-up .dp-seed", timeout=WAIT)
    assert is_on(opened, "dark")


def test_a_dark_screen_gets_a_dark_page(browser, address):
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#lab-tools", timeout=WAIT)
    assert is_on(page, "dark")
    context.close()


def test_keys_that_are_typed_into_a_field_change_nothing(opened):
    field = opened.locator(".dp-seed input")
    field.click()
    opened.keyboard.type("pd")
    assert not is_on(opened, "projector") and not is_on(opened, "dark")


def test_what_is_folded_opens_without_python(opened):
    much, head = opened.locator(".dp-much"), opened.locator(".dp-more .dp-fold-button")
    expect(much).to_be_hidden()
    expect(head).to_have_attribute("aria-expanded", "false")
    head.click()
    expect(much).to_be_visible()
    expect(head).to_have_attribute("aria-expanded", "true")


def test_at_twice_the_size_the_page_still_fits(opened):
    opened.set_viewport_size({"width": 640, "height": 360})  # 1280 × 720 at 200 %
    assert opened.evaluate("document.documentElement.scrollWidth") <= 640
    expect(opened.locator(".dp-drawer > .widget-html .dp-fold-button")).to_be_visible()

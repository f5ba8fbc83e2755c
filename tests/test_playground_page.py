"""The playground in a browser: no Run button, the newest slider value wins, and all of it on one screen."""

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import new_page
from lesson_pages import (
    WAIT,
    address_has,
    assert_everything_has_a_name,
    assert_fits,
    assert_nothing_went_wrong,
    choose,
    downloaded,
    expect,
    npz,
    press,
    readout,
    says,
    upload,
)
from test_lesson_screen import BARRIERS, COUNT_SHIFTS, assert_little_moved

PANEL, PAGE = ".dp-play", "voila/render/playground.ipynb"
DOTS = ".dp-play-tradeoff-chart [data-key]"


def opened(page, lab_server, query: str = "") -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{lab_server.address}{PAGE}{query}")
    rests_at(page, "recognised")


def rests_at(page, words: str) -> None:
    """Wait until the numbers of such a position are there and were said."""
    expect(page.locator(".dp-play-aloud")).to_contain_text(words)


def picture(page) -> str:
    return page.locator(".dp-play img.dp-mosaic").get_attribute("src")


@pytest.fixture(scope="module")
def played(browser, lab_server):
    """One page for all tests that do not ask for a fresh one."""
    with new_page(browser) as page:
        page.add_init_script(COUNT_SHIFTS)
        page.set_viewport_size({"width": 1280, "height": 720})
        page.goto(f"{lab_server.address}{PAGE}")
        expect(page.locator(".dp-play img.dp-mosaic")).to_be_visible()  # what ships, before anything was trained
        expect(page.locator(".dp-play .dp-play-fact")).to_have_count(6)
        rests_at(page, "σ = 0.3")
        yield page
        assert_everything_has_a_name(page)
        assert_nothing_went_wrong(page)


# ---- as it opens


def test_it_opens_on_one_screen_and_nothing_jumps(played):
    assert_little_moved(played)
    bottom = played.locator(PANEL).evaluate("e => e.getBoundingClientRect().bottom")
    assert bottom <= 720
    for chart in (".dp-play-roc-chart svg", ".dp-play-tradeoff-chart svg"):
        expect(played.locator(chart)).to_be_visible()


def test_no_run_button_and_few_controls(played):
    assert played.locator(f"{PANEL} .dp-run-button").count() == 0
    names = [field.inner_text().split("\n")[0] for field in played.locator(f"{PANEL} .dp-play-controls .dp-field").all()
             if field.is_visible()]  # fmt: skip
    assert names == ["data", "defence", "noise σ", "or its ε (smaller is stricter)", "chance q to join a step"]


def test_axe_finds_no_serious_barrier(played):
    found = Axe().run(played, options=BARRIERS).response["violations"]
    barriers = [barrier for barrier in found if barrier["impact"] in ("serious", "critical")]
    assert [(barrier["id"], [node["html"][:160] for node in barrier["nodes"][:4]]) for barrier in barriers] == []


# ---- moving


def test_a_slider_changes_the_drawings_and_leaves_a_dot(played):
    before, dots = picture(played), played.locator(DOTS).count()
    press(played, PANEL, "sigma", "ArrowRight")
    rests_at(played, "σ = 0.4")
    assert picture(played) != before
    expect(played.locator(DOTS)).to_have_count(dots + 1)


def test_the_newest_value_wins(played):
    dots = played.locator(DOTS).count()
    press(played, PANEL, "sigma", *["ArrowRight"] * 8)
    rests_at(played, f"σ = {readout(played, PANEL, 'sigma').inner_text()}")
    assert played.locator(DOTS).count() - dots < 8  # most of them were passed by


def test_sigma_and_epsilon_follow_one_another(played):
    sigma, epsilon = (readout(played, PANEL, name) for name in ("sigma", "epsilon"))
    # Key by key: a second one waits in the browser for the answer to the first, and would overtake σ's.
    for _ in range(2):
        before = sigma.inner_text()
        press(played, PANEL, "epsilon", "ArrowRight")
        expect(sigma).not_to_have_text(before)
        assert float(sigma.inner_text()) > float(before)
    says(played, f"{PANEL} .dp-play-promise", "for a record (add or remove one; δ = 0.001; moments accountant")
    press(played, PANEL, "sigma", "Home")
    expect(epsilon).to_have_text("≤ 5000")
    rests_at(played, "σ = 0.1")


def test_another_judge_sees_more(played):
    press(played, PANEL, "sigma", "End", "ArrowLeft", "ArrowLeft")
    rests_at(played, "σ = 8")
    before = picture(played)
    choose(played, PANEL, "judge", "… after a blur")
    says(played, ".dp-play-drawn", "after a blur. Chance")
    assert picture(played) != before
    choose(played, PANEL, "judge", "similarity")
    says(played, ".dp-play-drawn", "similarity (SSIM). Chance")


def test_lambda_says_at_once_what_it_is_worth(played):
    press(played, PANEL, "weight", "ArrowRight")
    says(played, ".dp-play-bargain", "λ = 2")
    says(played, ".dp-play-tradeoff-chart", "as good at λ = 2")
    choose(played, PANEL, "leak", "members caught at 1%")
    says(played, ".dp-play-tradeoff-chart", "members caught at 1% false alarms")
    choose(played, PANEL, "leak", "AUC")


def test_a_dot_brings_its_position_back(played):
    first = played.locator(f"{DOTS} >> nth=0")
    words = first.inner_text()
    played.locator(".dp-play-tradeoff-chart .dp-points").focus()
    for key in ("End", *["ArrowLeft"] * (played.locator(DOTS).count() - 1), "Enter"):
        played.keyboard.press(key)
    sigma = words.split("σ = ")[1].split(",")[0]
    expect(readout(played, PANEL, "sigma")).to_have_text(sigma)
    address_has(played, "record")


def test_the_last_minute_is_played_again(played):
    played.locator(".dp-play-replay").click()
    says(played, ".dp-play-told", "the last minute")
    expect(played.locator(".dp-play-told")).to_have_text("")


def test_a_picture_of_it_can_be_kept(played):
    rests_at(played, "σ")
    with open(downloaded(played, PANEL, "dpmia_lab_playground.png"), "rb") as file:
        content = file.read()
    assert content.startswith(b"\x89PNG") and len(content) > 50_000


def test_a_surprise_says_why(played):
    before = played.evaluate("location.search")
    played.locator(".dp-play-surprise").click()
    expect(played.locator(".dp-play-told p")).to_be_visible()
    played.wait_for_function("before => location.search !== before", arg=before, timeout=WAIT)


def test_every_defence_answers(played):
    """One after the other, without waiting: the last one wins."""
    for words in ("MID: a noisy code", "DAP: fools an attacker", "noise on the data", "dropout", "early stopping"):
        choose(played, PANEL, "defence", words)
    rests_at(played, "early stopping")
    says(played, f"{PANEL} .dp-play-promise", "Nothing is promised")


# ---- own records


def test_a_file_of_ones_own(played):
    choose(played, PANEL, "data", "your own file…")
    says(played, f"{PANEL} .dp-error", "none is chosen yet")
    upload(played, PANEL, "broken.npz", b"not a zip")
    says(played, f"{PANEL} .dp-error", "broken.npz")
    rng = np.random.default_rng(0)
    y = np.arange(240) % 4
    upload(played, PANEL, "mine.npz", npz(X=(rng.random((240, 30)) < 0.2 + 0.15 * y[:, None]).astype(int), y=y))
    says(played, f"{PANEL} .dp-note", "mine.npz")
    played.wait_for_function("document.querySelector('img.dp-mosaic').alt.startsWith('4 pairs')", timeout=WAIT)
    choose(played, PANEL, "data", "faces of 20 people")
    played.wait_for_function("document.querySelector('img.dp-mosaic').alt.startsWith('20 pairs')", timeout=WAIT)


# ---- on a phone


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_it_fits_its_window(played, width):
    assert_fits(played, width)
    played.set_viewport_size({"width": 1280, "height": 720})


# ---- links and challenges


def test_a_link_restores_a_position_and_a_challenge_ticks_itself(page, lab_server):
    opened(page, lab_server, "?preset=record&sigma=4.0")
    expect(readout(page, PANEL, "sigma")).to_have_text("4")
    rests_at(page, "σ = 4, q = 0.5")
    expect(page.locator(".dp-play-list li.done")).not_to_have_count(0)
    press(page, PANEL, "sigma", "ArrowRight")
    address_has(page, "sigma=4.8")
    page.reload()
    expect(readout(page, PANEL, "sigma")).to_have_text("4.8")
    rests_at(page, "σ = 4.8, q = 0.5")
    assert_nothing_went_wrong(page)


def test_nonsense_in_a_link_is_answered_in_one_sentence(page, lab_server):
    opened(page, lab_server, "?defence=magic")
    says(page, f"{PANEL} .dp-error", "defence must be one of none, central")

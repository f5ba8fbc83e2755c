"""The course in a browser: the way through it, what a reload leaves, and a record that can be checked."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import new_page
from lesson_pages import (
    WAIT,
    assert_nothing_went_wrong,
    downloaded,
    expect,
    open_lesson,
    run_to_end,
    says,
    turn_off_live,
    type_into,
    upload,
)
from record_parts import signed_anew

from dpmia_lab.commands.command_line import main
from dpmia_lab.widgets.kit.record import file_of

RENDER = "voila/render/"
SECOND = RENDER + "02_what_epsilon_buys.ipynb"
TRAINING = ".dp-training"
# Where the reader is: the section's heading, from the top of the window.
HEADING = "id => document.getElementById(id).getBoundingClientRect().top"


def opened(page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("#references", timeout=WAIT)


def test_a_lesson_leads_home_on_and_through_itself(page, lab_server):
    opened(page, lab_server.address + SECOND)
    names = page.locator(".dp-nav > a").all_inner_texts()
    assert names == ["Home", "← previous lesson", "→ next lesson", "Glossary"]
    links = [page.locator(".dp-nav > a").nth(i).get_attribute("href") for i in range(4)]
    assert links == ["index.ipynb", "01_model_inversion.ipynb", "03_hiding_a_class.ipynb", "glossary.ipynb"]
    page.locator(".dp-contents summary").click()
    anchors = page.locator(".dp-contents a").evaluate_all("links => links.map(a => a.hash.slice(1))")
    missing = page.evaluate("all => all.filter(anchor => !document.getElementById(anchor))", anchors)
    assert len(anchors) >= 7 and missing == []
    page.locator(".dp-contents a", has_text="Three things to remember").click()
    expect(page.locator(".dp-contents ol")).to_be_hidden()
    expect(page.locator(".dp-remember li")).to_have_count(3)
    expect(page.locator(".dp-remember")).to_be_in_viewport()
    expect(page.locator(".dp-references a").first).to_have_attribute(
        "href", "https://ieeexplore.ieee.org/document/9378274"
    )
    page.locator(".dp-nav a", has_text="Home").click()
    page.wait_for_url("**/index.ipynb", timeout=WAIT)
    assert_nothing_went_wrong(page)


def test_a_word_leads_to_its_picture(page, lab_server):
    page.goto(lab_server.address + SECOND)
    word = page.locator("a.dp-term[href*='glossary.ipynb#epsilon']").first
    word.wait_for(timeout=WAIT)
    expect(word).to_have_attribute("title", "How much likelier, at most, any outcome may become through one unit: up "
                                   "to e to the power ε times; small is private, 0 is perfect.")  # fmt: skip
    word.click()
    page.wait_for_selector("#epsilon svg", timeout=WAIT)
    expect(page.locator("#epsilon")).to_be_in_viewport()
    expect(page.locator("#epsilon.dp-here h3")).to_have_text("ε (epsilon)")
    assert_nothing_went_wrong(page)


@pytest.mark.parametrize("name", ["index", "glossary", "findings"])
def test_pages_that_are_no_lesson_have_their_headings_in_order(page, lab_server, name):
    page.goto(f"{lab_server.address}{RENDER}{name}.ipynb")
    page.wait_for_selector("#lab-starting", state="hidden", timeout=WAIT)
    expect(page.locator(".dp-nav")).to_have_count(int(name != "index"))
    levels = page.evaluate("() => [...document.querySelectorAll('h1, h2, h3, h4')].map(e => Number(e.tagName[1]))")
    assert levels[0] == 1 and 2 in levels and 3 in levels
    assert all(after <= before + 1 for before, after in pairwise(levels)), levels


# A page of the kit alone: what a lesson makes of it changes, what is remembered does not.
SMALL_COURSE = {
    "index": [
        "# Home",
        "from dpmia_lab.widgets.kit.parts import start_page\nstart_page()",
        "from dpmia_lab.widgets.landing import lesson_map\nlesson_map()",
        "from dpmia_lab.widgets.kit.take_away import take_away\ntake_away()",
    ],
    "02_what_epsilon_buys": [
        "# A lesson\n\n## A section",
        "from dpmia_lab.experiments import private_training\nfrom dpmia_lab.store import Result\n"
        "from dpmia_lab.widgets.kit.course import end_lesson, start_lesson\n"
        "from dpmia_lab.widgets.kit.questions import Prediction, task\nfrom dpmia_lab.widgets.kit.runs import Run\n"
        "start_lesson(2)",
        "question = Prediction('How many?', ['none', 'half', 'all'])\nquestion.view",
        "run = Run(1, private_training.SMALL, Result({'accuracy': 0.5}), 1.0, '1 s, here')\n"
        "task('Task 1. First.', 'Words.', lambda: (True, 'Well done.'), lambda: [run])",
        "task('Task 2. Second.', 'Words.', lambda: (False, 'Missing.'), lambda: [run])",
        "end_lesson(2)",
    ],
}


def test_predictions_and_tasks_survive_a_reload_and_can_be_handed_in(page, open_lab, capsys):
    lab = open_lab(SMALL_COURSE)
    opened(page, lab.address + SECOND)
    page.locator(".dp-predict button").nth(0).click()
    says(page, ".dp-predict", "Noted.")
    page.locator(".dp-predict button").nth(1).click()
    says(page, ".dp-predict", "Your first answer was “none”")
    for place in (0, 1):
        page.locator(".dp-task .dp-check-button").nth(place).click()
    says(page, ".dp-task", "Not yet.")
    says(page, ".dp-work", "1 of 2 tasks done")

    page.reload()
    says(page, ".dp-work", "1 of 2 tasks done")
    says(page, ".dp-task", "✓ Done on")
    expect(page.locator(".dp-task").nth(1)).not_to_contain_text("Not yet.")
    expect(page.locator(".dp-predict .chosen")).to_have_text("half")
    says(page, ".dp-predict", "Your first answer was “none”")
    page.locator(".dp-predict button").nth(2).click()  # it may still be changed
    expect(page.locator(".dp-predict .chosen")).to_have_text("all")
    expect(page.locator("[data-lab-work]")).to_have_attribute("data-lab-state", re.compile('"now": "all"'))

    path = Path(downloaded(page, ".dp-work", "dpmia_lab_lesson_2_record.json"))
    assert main(["check", str(path), "--read-only"]) == 0
    said = capsys.readouterr().out
    assert "none, later: all" in said and "Task 1. First. done" in said and "Task 2" not in said
    assert "a run of private_training" in said
    content = json.loads(path.read_text())
    content["predictions"][0]["first"] = "all"
    path.write_text(json.dumps(content))
    assert main(["check", str(path)]) == 1 and "changed since" in capsys.readouterr().out

    page.goto(lab.address)
    progress = page.locator("[data-lab-progress='02_what_epsilon_buys.ipynb']")
    expect(progress).to_have_text("1 of 2 tasks done")
    expect(page.locator("[data-lab-progress='01_model_inversion.ipynb']")).to_have_text("")
    assert_nothing_went_wrong(page)


def all_work(page) -> Path:
    """The one file of all lessons."""
    with page.expect_download(timeout=WAIT) as download:
        page.locator("[data-lab-collect]").click()
    assert download.value.suggested_filename == "dpmia_lab_my_work.json"
    return Path(download.value.path())


def test_work_is_taken_to_another_browser(page, browser, open_lab):
    lab = open_lab(SMALL_COURSE)
    opened(page, lab.address + SECOND)
    type_into(page, ".dp-work", "reader", "Ada")
    page.locator(".dp-predict button").nth(1).click()
    page.locator(".dp-task .dp-check-button").nth(0).click()
    says(page, ".dp-work", "1 of 2 tasks done")
    taken = all_work(page)  # at a lesson's end too
    with new_page(browser) as other:
        other.goto(lab.address)
        other.locator("[data-lab-collect]").click()
        says(other, ".dp-take", "Nothing to take away yet")
        other.evaluate("localStorage.setItem('dpmia_lab work 02_what_epsilon_buys.ipynb', JSON.stringify("
                       "{predictions: {}, tasks: {'Task 2. Second.': {said: 'Here.', at: '2026-01-02T10:00:00+00:00',"
                       " behind: []}}, runs: {}, of: 2, summary: '1 of 2 tasks done'}))")  # fmt: skip
        upload(other, ".dp-put-back", "mine.json", taken.read_bytes().replace(b"Ada", b"Eve"))
        says(other, ".dp-put-back .dp-error", "was changed since")
        upload(other, ".dp-put-back", "mine.json", taken.read_bytes())
        says(other, ".dp-put-back", "what was here already stayed")
        expect(other.locator("[data-lab-progress='02_what_epsilon_buys.ipynb']")).to_have_text("2 of 2 tasks done")
        opened(other, lab.address + SECOND)
        says(other, ".dp-work", "2 of 2 tasks done")
        says(other, ".dp-task", "Well done.")
        expect(other.locator(".dp-predict .chosen")).to_have_text("half")
        assert_nothing_went_wrong(other)
    assert_nothing_went_wrong(page)


def test_what_was_done_in_a_lesson_is_taken_from_the_landing_page_and_comes_out_the_same(page, lab_server, capsys):
    open_lesson(page, lab_server.address + SECOND, TRAINING, preset="faces", sigma=5.0, q=0.5, steps=200, seed=0)
    turn_off_live(page, TRAINING)
    run_to_end(page, TRAINING)
    page.locator(".dp-task", has_text="Stay within a budget").locator(".dp-check-button").click()
    says(page, ".dp-work", "1 of 4 tasks done")
    open_lesson(page, lab_server.address + SECOND, TRAINING, preset="faces", seed=3)  # a run that no task rests on
    turn_off_live(page, TRAINING)
    run_to_end(page, TRAINING)
    stored = "() => localStorage.getItem('dpmia_lab work 02_what_epsilon_buys.ipynb').includes('\"seed\": 3')"
    page.wait_for_function(stored, timeout=WAIT)

    page.locator(".dp-nav a", has_text="Home").click()
    page.wait_for_url("**/index.ipynb", timeout=WAIT)
    type_into(page, ".dp-work", "reader", "Ada")
    path = all_work(page)
    assert main(["check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "Reader: Ada" in said and "Task 2. Stay within a budget. done" in said and "2 runs repeated: 2 same." in said

    content = json.loads(path.read_text())
    entry = content["lessons"][0]["tasks"][0]["behind"][0]
    entry["numbers"]["test_accuracy"] = round(entry["numbers"]["test_accuracy"] + 0.01, 4)
    path.write_bytes(file_of(signed_anew(content)))
    assert main(["check", str(path)]) == 1
    said = capsys.readouterr().out
    assert "as the page wrote it" in said and "2 runs repeated: 1 same, 1 differs." in said and "test_accuracy" in said
    assert_nothing_went_wrong(page)


def test_a_reload_keeps_the_place(page, lab_server):
    opened(page, lab_server.address + SECOND)
    anchor = page.locator("#lab-page h2[id]").nth(-5).get_attribute("id")
    page.locator(f"[id='{anchor}']").evaluate("e => window.scrollBy(0, e.getBoundingClientRect().top - 100)")
    page.reload()
    page.wait_for_selector("#lab-starting", state="hidden", timeout=WAIT)
    page.wait_for_timeout(3000)  # the place is held until the page rests
    assert abs(page.evaluate(HEADING, anchor) - 100) < 40


def test_a_page_says_that_a_run_ended_with_it(page, lab_server):
    open_lesson(page, lab_server.address + SECOND, TRAINING, preset="digits", steps=20_000, seed=4)
    run = page.locator(f"{TRAINING} .dp-run-button")
    label = run.inner_text().strip()
    run.click()
    page.wait_for_selector(f"{TRAINING} [role=progressbar]", timeout=WAIT)
    page.wait_for_timeout(2500)  # shorter runs are not worth a word
    expect(page.locator(f"{TRAINING} .dp-stop-button")).to_be_enabled()
    page.reload()
    says(page, "#lab-left", "A run was under way when this page was left")
    says(page, "#lab-left", f"The same settings are set: press “{label}” to start it anew.")
    page.wait_for_selector(f"{TRAINING} .dp-run-button", timeout=WAIT)
    assert "preset=digits" in page.url and "seed=4" in page.url
    page.locator("#lab-left button").click()
    expect(page.locator("#lab-left")).to_have_count(0)
    page.reload()
    page.wait_for_selector(f"{TRAINING} .dp-run-button", timeout=WAIT)
    expect(page.locator("#lab-left")).to_have_count(0)

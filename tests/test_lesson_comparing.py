"""Lesson 10 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import pytest
from lesson_pages import (
    choose,
    choose_own_records,
    downloaded,
    expect,
    has_chart,
    move_to,
    press,
    readout,
    run_to_end,
    says,
)

HOOK, FRONT, RANKING = ".dp-compare-hook", ".dp-comparing-front", ".dp-comparing-ranking"
HEAT, QUESTION, PANEL = ".dp-comparing-heat", ".dp-comparing-question", ".dp-comparing"


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("comparing")


def test_two_models_look_alike_until_one_is_published(lesson):
    expect(lesson.locator(f"{HOOK} .dp-model-card").first).not_to_contain_text("odd members")
    lesson.locator(f"{HOOK} .dp-publish").first.click()
    says(lesson, f"{HOOK} .dp-note", "Nothing on the cards could have told you")
    expect(lesson.locator(f"{HOOK} .dp-model-card").first).to_contain_text("of its odd members are caught")
    assert lesson.locator(f"{HOOK} .dp-odd-people .caught").count() > 0


def test_the_map_follows_its_menus_and_a_dot_opens_its_card(lesson):
    has_chart(lesson, f"{FRONT} .dp-front-chart", "On the front:")
    choose(lesson, FRONT, "who", "canaries")
    has_chart(lesson, f"{FRONT} .dp-front-chart", "among canaries")
    points = lesson.locator(f"{FRONT} .dp-points")
    points.focus()
    points.press("Home")
    points.press("End")
    points.press("Enter")
    opened = lesson.locator(f"{FRONT} [role=option]").last.locator("b").inner_text().removesuffix(" (yours)")
    says(lesson, f"{FRONT} .dp-defence-card h3", opened)
    says(lesson, f"{FRONT} .dp-defence-card", "its worst attack")
    choose(lesson, FRONT, "who", "everybody")


def test_lambda_sorts_the_list_anew(lesson):
    before = lesson.locator(f"{RANKING} tbody").inner_text()
    move_to(lesson, RANKING, "rank-lambda", "ArrowRight", "50")
    says(lesson, f"{RANKING} .dp-ranking-words", "λ = 50")
    expect(lesson.locator(f"{RANKING} tbody")).not_to_have_text(before)
    expect(lesson.locator(f"{RANKING} tbody tr").first).to_contain_text("1. ")


def test_the_table_at_one_accuracy_follows_its_slider_and_gives_reasons(lesson):
    before = readout(lesson, HEAT, "heat-accuracy").inner_text()
    press(lesson, HEAT, "heat-accuracy", "End")
    expect(readout(lesson, HEAT, "heat-accuracy")).not_to_have_text(before)
    says(lesson, f"{HEAT} .dp-heat-words", f"{readout(lesson, HEAT, 'heat-accuracy').inner_text()} right")
    says(lesson, f"{HEAT} .dp-why >> nth=0", "right for")
    assert lesson.locator(f"{HEAT} td[class*='dp-heat-']").count() > 0


def test_the_question_is_answered_at_once_or_nothing_is_here(lesson):
    press(lesson, QUESTION, "most-tpr1", "Home")
    press(lesson, QUESTION, "needed", "End")
    says(lesson, f"{QUESTION} .dp-answer", "Nothing here. Closest is")
    says(lesson, f"{QUESTION} .dp-answer", "unkind end of its interval")
    press(lesson, QUESTION, "most-tpr1", "End")
    press(lesson, QUESTION, "needed", "Home")
    says(lesson, f"{QUESTION} .dp-answer", "Use ")
    says(lesson, f"{QUESTION} .dp-evidence", "not yet broken")
    has_chart(lesson, f"{QUESTION} .dp-asked-chart", "Within what was asked for:")
    says(lesson, f"{QUESTION} .dp-promised", "Promised")


def test_other_data_are_other_harms_everywhere(lesson):
    choose(lesson, QUESTION, "compared-data", "faces")
    expect(lesson.locator(f"{QUESTION} .dp-most-recognised")).to_be_visible()
    expect(lesson.locator(f"{FRONT} .dp-compared-data select")).to_have_value("faces")
    choose(lesson, FRONT, "harm", "people recognised")
    has_chart(lesson, f"{FRONT} .dp-front-chart", "people recognised")
    choose(lesson, QUESTION, "compared-data", "shopping carts")
    expect(lesson.locator(f"{QUESTION} .dp-most-recognised")).to_be_hidden()


def test_an_own_cell_lands_on_the_charts(lesson):
    says(lesson, f"{PANEL} .dp-runs", "of canaries")
    has_chart(lesson, f"{FRONT} .dp-front-chart", "one seed")
    has_chart(lesson, f"{PANEL} .dp-own-chart", "defences and strengths")
    says(lesson, f"{PANEL} .dp-own-attacks", "likelihood ratio")


def test_tasks_know_that_nothing_large_was_run(lesson):
    lesson.locator(".dp-task .dp-check-button").nth(2).click()
    expect(lesson.locator(".dp-task").nth(2)).to_contain_text("There is no run of yours on shopping carts")


def test_the_report_is_one_file(lesson):
    lesson.locator(f"{PANEL} .dp-report-button").click()
    says(lesson, f"{PANEL} .dp-report-place", "needs no network")
    with open(downloaded(lesson, PANEL, "dpmia_lab_report.html"), encoding="utf-8") as file:
        report = file.read()
    assert "<!DOCTYPE html>" in report and "(yours)" in report


def test_own_records_have_charts_of_their_own(lesson):
    choose_own_records(lesson, PANEL)
    run_to_end(lesson, PANEL)
    says(lesson, f"{PANEL} .dp-runs", "mine.npz")
    choose(lesson, FRONT, "compared-data", "your own records")
    has_chart(lesson, f"{FRONT} .dp-front-chart", "1 defences and strengths")
    choose(lesson, FRONT, "compared-data", "shopping carts")

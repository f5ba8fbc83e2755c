"""Lesson 6 as a reader meets it, beyond what all lessons do alike (see test_lesson_contract.py)."""

import pytest
from lesson_pages import address_has, choose, expect, has_chart, move_to, open_settings, press, readout, says, type_into

from dpmia_lab.privacy.accounting import steps_for
from dpmia_lab.widgets.choosing.data import Risk, admissible, most_accurate, reference_grid
from dpmia_lab.widgets.choosing.tasks import ACCEPTED

HOOK, GRID, CELL, SWEEP = ".dp-choosing-hook", ".dp-evaluation-grid", ".dp-cell", ".dp-sweep"
REFERENCE = reference_grid("faces")


@pytest.fixture
def lesson(finished_lesson):
    """One page with one finished run."""
    return finished_lesson("evaluation")


def accept(page, limit: str) -> None:
    """Move the slider of risk there, from its left end."""
    press(page, GRID, "limit", "Home")
    expect(readout(page, GRID, "limit")).to_have_text("0%")
    move_to(page, GRID, "limit", "ArrowRight", limit)


# ---- the reference


def test_the_hook_turns_on_a_better_judge(lesson):
    says(lesson, HOOK, "chance: 2.5%")
    lesson.locator(f"{HOOK} button").nth(1).click()
    says(lesson, HOOK, "A weak judge is a weak attack.")
    expect(lesson.locator(f"{HOOK} img")).to_have_count(6)


def test_the_prediction_is_answered_beside_the_grid(lesson):
    says(lesson, ".dp-predict", "Louder steps are cheaper")
    says(lesson, f"{GRID} .dp-verdict", "Louder steps are cheaper")


def test_the_slider_marks_what_is_admissible_by_the_judge_who_looks(lesson):
    cells = REFERENCE.cells
    for judge, words in (("judge", "paper E's network"), ("matched", "the matched filter")):
        choose(lesson, GRID, "judge", words)
        for limit in ("25%", "50%", "0%"):
            accept(lesson, limit)
            allowed = admissible(cells, Risk(judge=judge), float(limit[:-1]) / 100)
            expect(lesson.locator(f"{GRID} .dp-admissible")).to_have_count(len(allowed))
            best = most_accurate(cells, allowed)
            says(lesson, f"{GRID} .dp-choice-words", f"★ {cells[best].title}" if allowed else "No cell is admissible")
            has_chart(lesson, f"{GRID} .dp-choice-chart", f"you accept {limit}", f"by {words}")


def test_a_cell_is_chosen_by_its_button_also_from_the_keyboard(lesson):
    lesson.get_by_role("button", name="ε = 6, σ = 4", exact=True).press("Enter")
    says(lesson, f"{GRID} .dp-cell-detail", "The cell ε = 6, σ = 4, 100 models, shipped with the lab")
    steps = f"{REFERENCE.cells[2, 1].numbers['steps']:,.0f}"
    says(lesson, f"{GRID} .dp-cell-detail", steps)
    says(lesson, f"{GRID} .dp-cell-detail", "no privacy, stopped at the same accuracy")
    choose(lesson, GRID, "attacker", "as published")
    matched, network = (REFERENCE.cells[2, 1].risk("impact_mean", judge=judge).value for judge in ("matched", "judge"))
    has_chart(lesson, f"{GRID} .dp-groups-chart", f"matched filter {matched:.0%}", f"network {network:.0%}")
    expect(lesson.locator(f"{GRID} .dp-cell-people .dp-person")).to_have_count(6)


def test_other_data_have_their_own_grid(lesson):
    open_settings(lesson, GRID)
    choose(lesson, GRID, "data", "AT&T faces")
    says(lesson, f"{GRID} .dp-results", "do not ship")
    choose(lesson, GRID, "data", "generated faces")
    expect(lesson.locator(f"{GRID} .dp-grid-cell")).to_have_count(12)


# ---- the reader's own cell


def test_a_cell_lands_beside_the_grid(lesson):
    says(lesson, f"{CELL} .dp-cell-first", "The cell ε = 2, σ = 2, 4 models")
    says(lesson, f"{CELL} .dp-runs", "generated faces, ε = 2, σ = 2, q = 0.1, 4 models")
    has_chart(lesson, f"{CELL} .dp-groups-chart", "private models:", "models of pure noise:")
    has_chart(lesson, f"{GRID} .dp-choice-chart", "your run 1 (24 pixels high), ε = 2, σ = 2")
    expect(lesson.locator(f"{CELL} .dp-cell-people .dp-person")).to_have_count(8)


def test_steps_follow_the_sliders_at_once_and_results_go_stale(lesson):
    says(lesson, f"{CELL} .dp-controls", "T = 121 steps")
    press(lesson, CELL, "sigma", "ArrowRight")
    says(lesson, f"{CELL} .dp-controls", f"T = {steps_for('moments', 2.0, 3.0, 0.1, 1e-3, 'add-remove')} steps")
    says(lesson, f"{CELL} .dp-stale", "What you see is for σ, noise multiplier = 2.0")
    address_has(lesson, "sigma=3.0")
    press(lesson, CELL, "sigma", "ArrowLeft")
    says(lesson, f"{CELL} .dp-controls", "T = 121 steps")


# ---- a sweep


def test_a_sweep_fills_its_table_and_is_taken_up_again(lesson):
    press(lesson, CELL, "sigma", "Home")
    address_has(lesson, "sigma=1.0")
    press(lesson, SWEEP, "sweep-models", "Home")
    type_into(lesson, SWEEP, "epsilons", "two")
    says(lesson, f"{SWEEP} .dp-error", "ε must be numbers with commas between them")
    type_into(lesson, SWEEP, "epsilons", "2, 0.001")
    type_into(lesson, SWEEP, "sigmas", "2")
    says(lesson, f"{SWEEP} .dp-command", "--grid epsilon=2,0.001 --grid sigma=2")
    lesson.locator(f"{SWEEP} .dp-run-button").click()
    says(lesson, f"{SWEEP} .dp-status", "2 cells are done, 1 of them failed")
    says(lesson, f"{SWEEP} .dp-sweep-table", "failed: epsilon must pay for at least one step")
    has_chart(lesson, f"{GRID} .dp-choice-chart", "your sweep, ε = 2, σ = 2")
    lesson.locator(f"{SWEEP} .dp-run-button").click()
    says(lesson, f"{SWEEP} .dp-status", "2 cells are done, 1 of them failed")


# ---- tasks


def test_tasks_look_at_what_was_done(lesson):
    checks = lesson.locator(".dp-task .dp-check-button")
    for number in range(3):
        checks.nth(number).click()
        expect(lesson.locator(".dp-task").nth(number)).to_contain_text("Not yet.")
    expect(lesson.locator(".dp-task").nth(1)).to_contain_text("quick settings of the generated faces")


def test_a_release_can_be_signed(lesson):
    choose(lesson, GRID, "attacker", "blurred afterwards")
    choose(lesson, GRID, "judge", "the matched filter")
    accept(lesson, f"{ACCEPTED:.0%}")
    cells = REFERENCE.cells
    best = most_accurate(cells, admissible(cells, Risk(), ACCEPTED))
    says(lesson, f"{GRID} .dp-choice-words", f"★ {cells[best].title}")
    lesson.get_by_role("button", name=cells[best].title, exact=True).click()
    says(lesson, f"{GRID} .dp-cell-detail", f"The cell {cells[best].title}")
    lesson.locator(".dp-task .dp-check-button").nth(0).click()
    expect(lesson.locator(".dp-task").nth(0)).to_contain_text("✓ Done.")

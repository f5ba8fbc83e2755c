"""Lesson 2 without a browser: what the playground, the person and the tasks say, and what they leave alone."""

import asyncio
import json
import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import on_a_page

from dpmia_lab.experiments import spending
from dpmia_lab.experiments.private_training import PRESETS
from dpmia_lab.experiments.spending import RECORDS, Setting
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.privacy.people import group_epsilon
from dpmia_lab.stages import drain
from dpmia_lab.widgets.epsilon import tasks, words
from dpmia_lab.widgets.epsilon.meaning import guesses_html
from dpmia_lab.widgets.epsilon.panel import TrainingPanel
from dpmia_lab.widgets.epsilon.person import PersonPanel
from dpmia_lab.widgets.epsilon.playground import PLOTS, AccountingPanel
from dpmia_lab.widgets.kit import opening
from dpmia_lab.widgets.kit.stage_run import StageRun

NOTEBOOK = Path(__file__).parent.parent / "notebooks" / "02_what_epsilon_buys.ipynb"


def notebook_text() -> str:
    return "".join("".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"])


def playground() -> AccountingPanel:
    async def opened():
        return AccountingPanel(lambda setting: None)

    return on_a_page(opened())


# ---- the playground


def test_it_opens_with_a_tight_answer_and_says_for_what():
    panel = playground()
    assert panel.answer.accountant == "tight"
    said = panel.chart.view.value
    assert epsilon_text(panel.answer.epsilon) in said and "for a record (add or remove one; δ = 0.001; tight" in said
    assert "ε follows" in panel.followed.value


def test_switching_what_follows_leaves_the_reader_s_values_alone():
    async def switched():
        panel = AccountingPanel(lambda setting: None)
        made = panel.controls.made
        made["sigma"].value, made["steps"].value = 3.0, 500
        before = {name: made[name].value for name in ("epsilon", "sigma", "q", "steps")}
        answers = []
        for follows in ("sigma", "steps", "epsilon"):
            made["follows"].value = follows
            while panel.answer.setting.follows != follows:  # once the libraries are there, in a thread
                await asyncio.sleep(0.01)
            answers.append(panel.answer.setting)
        return before, {name: made[name].value for name in before}, answers

    before, after, (by_sigma, by_steps, by_epsilon) = on_a_page(switched())
    assert after == before
    assert (by_sigma.epsilon, by_sigma.steps) == (before["epsilon"], 500)
    assert (by_steps.epsilon, by_steps.sigma) == (before["epsilon"], 3.0)
    assert (by_epsilon.sigma, by_epsilon.steps) == (3.0, 500)


def test_numbers_dot_and_curve_reach_the_page_in_one_piece(monkeypatch):
    """Every value of the one widget that holds them is about one setting, by one accountant."""
    monkeypatch.setattr(opening, "LOADED", {PLOTS})
    monkeypatch.setattr(StageRun, "restart", lambda self: None)  # threads, which would outlive this page

    async def moved():
        panel = AccountingPanel(lambda setting: None)
        panel.chart.come()
        seen = []
        panel.chart.view.observe(lambda change: seen.append((panel.answer, change["new"])), "value")
        for sigma in (2.5, 4.0):
            panel.show(drain(spending.tight_answer(Setting(sigma=sigma))))
        panel.controls.made["follows"].value = "sigma"
        return seen

    seen = on_a_page(moved())
    assert len(seen) == 3
    for answer, html in seen:
        assert words.headline_html(answer) in html
        assert f"ε = {epsilon_text(answer.epsilon)} after {answer.setting.steps} steps" in html


def test_an_accountant_without_a_guarantee_is_not_called_valid():
    tight = drain(spending.tight_answer(Setting(follows="sigma", epsilon=0.7)))
    said = words.answers_html(tight.setting, drain(spending.comparison(tight)).answers)
    assert "σ that keeps ε within 0.7, for a record" in said  # not "σ ε at most 0.7"
    assert "no guarantee" in said and "Each of these numbers is valid" not in said
    assert "where none stands, nothing is proved" in said


def test_conditions_tell_where_their_limits_on_sigma_come_from():
    for neighbours, limit in (("add-remove", "0.90"), ("replace-one", "1.79")):
        setting = Setting(neighbours=neighbours)
        assert f"σ ≥ {limit}" in words.conditions_html(setting, spending.formula(setting))
        assert limit in notebook_text()


# ---- what an ε allows


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.5, "50.0 %"), (0.86567, "86.6 %"), (0.99661, "99.67 %"), (0.99995, "over 99.99 %"), (1e-6, "0.0001 %")],
)
def test_what_is_at_most_so_is_rounded_up(share, said):
    assert words.percent(share) == said


def test_a_hundred_guesses():
    """ε = 1: e/(e + 1) = 73.1 %, so 23 of a hundred more than a coin; ε = 0: none."""
    picture = guesses_html(1.0)
    assert picture.count('class="told"') == 23 and picture.count('class="luck"') == 50 and "73.2 %" in picture
    assert guesses_html(0.0).count('class="told"') == 0


# ---- a person


def test_a_person_s_numbers_say_what_they_are_for():
    epsilons = np.array([9.1743, *[math.nan] * 4, 178.14, *[math.nan] * 5])
    said = words.person_html(Setting(records=7), epsilons)
    assert "9.18" in said and "179" in said and "19 times one picture's, not 7 times" in said
    assert "add or remove one; δ = 0.001; tight accountant" in said
    assert "…" in words.person_html(Setting(records=50), epsilons)


def test_k_moves_along_a_curve_that_is_known():
    async def moved():
        person = PersonPanel()
        person.controls.made["records"].value = 20
        return person

    person = on_a_page(moved())
    assert person.setting.records == 20 and not person.work.running
    assert epsilon_text(person.epsilons[RECORDS.index(20)]) in person.chart.view.value


def test_the_notebook_s_figures_for_a_person_are_the_accountant_s():
    setting = (2.0, 0.1, 1276, 1e-3, "add-remove")
    one, seven = (epsilon_text(group_epsilon(k, *setting)) for k in (1, 7))
    assert f"{one} for one picture, {seven} for all seven" in notebook_text()
    for wrong in ("up to seven times", "no promise at all", "for one person"):
        assert wrong not in notebook_text()


# ---- tasks


def checked(task) -> str:
    """What a task says when it is asked."""
    button = next(child for child in task.children if getattr(child, "description", "") == "Check my work")
    button.click()
    return task.children[-1].value


def test_task_1_wants_a_rate_between_two_limits():
    panel = playground()
    task = tasks.task_sampling(panel)
    assert "ε is 9.18" in checked(task)
    for q, said in ((0.03, "✓"), (0.01, "2.8 records join"), (0.05, "ε is 1.28")):
        panel.answer = drain(spending.tight_answer(Setting(q=q)))
        assert said in checked(task)


def test_task_2_s_hints_know_what_was_tried():
    start = PRESETS["faces"]
    assert "More noise a step" in tasks.cheaper_words(start)
    assert "fewer steps" in tasks.cheaper_words(replace(start, sigma=4.0))
    assert "ε left to spend" in tasks.better_words(start, {"epsilon_tight": 2.0})
    assert "let more join" in tasks.better_words(replace(start, q=0.1), {"epsilon_tight": 4.9})
    assert "has not been tried" in tasks.better_words(start, {"epsilon_tight": 4.9})


def test_task_3_wants_the_smallest_noise_that_hides_a_person():
    person = SimpleNamespace(setting=Setting(), epsilons=np.full(len(RECORDS), 178.14))
    task = tasks.task_person(person)
    assert "ε = 179 at σ = 2" in checked(task)
    for sigma, said in ((50.0, "so does a smaller one"), (20.0, "✓"), (16.0, "more noise")):
        person.setting = Setting(sigma=sigma)
        person.epsilons = np.full(len(RECORDS), group_epsilon(7, **person.setting.how()))
        assert said in checked(task)
    person.setting = Setting(records=5)
    assert "only σ may move" in checked(task)


# ---- what follows a slider


@pytest.mark.parametrize(
    ("changes", "quick"),
    [({}, True), ({"people": 5}, True), ({"steps": 2000}, False), ({"model": "cnn"}, False),
     ({"unit": "subclass"}, False), ({"data": "mnist", "q": 0.06}, True), ({"data": "mnist", "q": 1.0}, False),
     ({"data": "mnist:download"}, False)],
)  # fmt: skip
def test_only_short_trainings_follow_a_slider(changes, quick):
    config = SimpleNamespace(**{**vars(PRESETS["faces"]), **changes})
    assert TrainingPanel.is_quick(None, config) == quick

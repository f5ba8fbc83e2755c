"""The words of lesson 3 follow its numbers: promises, matched or not, who hid more, tasks, the paper's premises."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dpmia_lab.experiments.hiding import Config
from dpmia_lab.privacy import accounting
from dpmia_lab.reference import shipped
from dpmia_lab.store import Result
from dpmia_lab.widgets.hiding import curves_data
from dpmia_lab.widgets.hiding import findings as hiding_findings
from dpmia_lab.widgets.hiding import limits as hiding_limits
from dpmia_lab.widgets.hiding import tasks as hiding_tasks
from dpmia_lab.widgets.hiding import words as hiding_words
from dpmia_lab.widgets.kit.runs import Run

CONFIG = Config(unit="class")


def numbers_of(**changes):
    """A matched run in which the judge recognises half of everything."""
    numbers = {
        "accuracy_vanilla": 0.9,
        "chance": 0.1,
        "judge_accuracy": 0.8,
        "matched_unit": 1.0,
        "matched_record": 1.0,
    }
    for model, epsilon in (("record", 0.3), ("unit", 8.0), ("equal", 0.3)):
        numbers |= {f"accuracy_{model}": 0.65, f"sigma_{model}": 2.0, f"delta_{model}": 1e-3, f"noise_{model}": 0.01}
        numbers |= {f"epsilon_{model}": 1.1 * epsilon, f"epsilon_tight_{model}": epsilon, f"units_{model}": 10.0}
    who = [
        f"{model}_{attacker}" for model in ("vanilla", "record", "unit", "equal") for attacker in ("paper", "stronger")
    ]
    for one in [*who, *hiding_words.BASELINES]:
        numbers |= {f"{measure}_mean_{one}": 0.5 for measure in hiding_words.MEASURES}
    return numbers | changes


def result_of(record, unit, **changes):
    """Correlations class by class of the two private models, for both attackers."""
    arrays = {"names": np.array([str(i) for i in range(len(record))])}
    for attacker in ("paper", "stronger"):
        arrays |= {f"similarity_record_{attacker}": np.array(record), f"similarity_unit_{attacker}": np.array(unit)}
    return Result(numbers_of(**changes), arrays)


def run_of(config=CONFIG, **changes):
    return Run(1, config, result_of([0.5, 0.6], [0.5, 0.6], **changes), 1.0, "")


# ---- promises
def test_a_promise_names_the_unit_it_is_for():
    numbers = numbers_of()
    words = hiding_words.promise_words(numbers, CONFIG, "unit")
    assert words == "ε = 8 for a class (replace one; δ = 0.001; tight accountant, PLD)"
    assert "for a record" in hiding_words.promise_words(numbers, CONFIG, "equal")
    assert "no promise" in hiding_words.promise_words(numbers, CONFIG, "vanilla")


def test_without_a_tight_epsilon_the_moments_accountant_is_named():
    numbers = numbers_of()
    del numbers["epsilon_tight_unit"]
    assert "ε = 8.8 for a class" in hiding_words.promise_words(numbers, CONFIG, "unit")
    assert "moments accountant" in hiding_words.promise_words(numbers, CONFIG, "unit")


# ---- matched or not
def test_a_matched_run_is_called_fair():
    assert "fair comparison" in hiding_words.matched_html(numbers_of(), CONFIG)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"accuracy_unit": 0.3, "sigma_unit": 0.03}, "clipping or too few steps"),
        ({"accuracy_unit": 0.9, "sigma_unit": 400.0}, "try fewer steps"),
        ({"accuracy_unit": 0.6, "sigma_unit": 2.0}, "seven tries"),
    ],
)
def test_an_unmatched_run_says_how_near_it_came_and_why(changes, why):
    words = hiding_words.matched_html(numbers_of(matched_unit=0.0, **changes), CONFIG)
    assert "Not at equal accuracy" in words and why in words
    assert f"{changes['accuracy_unit']:.0%} at σ = {changes['sigma_unit']:g}" in words
    assert "record-level model misses" not in words


# ---- who hid more
@pytest.mark.parametrize(
    ("record", "unit", "verdict"),
    [
        ([0.5, 0.6, 0.4], [0.5, 0.6, 0.4], 2),
        ([0.1, 0.2, 0.1], [0.6, 0.7, 0.7], 0),
        ([0.6, 0.7, 0.7], [0.1, 0.2, 0.1], 1),
        ([0.52, 0.62, 0.42], [0.5, 0.6, 0.4], 2),  # the same little difference everywhere: no eye would see it
        ([0.9, 0.1, 0.9], [0.1, 0.7, 0.2], 2),  # large on average, but it depends on the class
    ],
)
def test_the_verdict_needs_a_difference_that_is_large_and_certain(record, unit, verdict):
    result = result_of(record, unit)
    assert hiding_words.verdict(result) == verdict
    first = ("The record-level model hides more", "The class-level model hides more", "They hide about alike")[verdict]
    assert first in hiding_words.verdict_words(result, CONFIG)


def test_seeds_decide_whether_the_reference_calls_two_models_alike():
    n = {"a": 0.3, "a_sd": 0.01, "b": 0.5, "b_sd": 0.01, "c": 0.5, "c_sd": 0.3}
    assert hiding_findings.hides_words(n, "a", "b", 5) == "better than"
    assert hiding_findings.hides_words(n, "b", "a", 5) == "worse than"
    assert hiding_findings.hides_words(n, "a", "c", 5) == "about as well as"


@pytest.mark.parametrize(
    ("epsilon", "words"), [(0.0, "50%"), (1.0, "73%"), (8.0, "99.97%"), (40.0, "practically 100 %")]
)
def test_what_an_attacker_may_believe(epsilon, words):
    assert hiding_findings.belief_words(epsilon) == words


def test_faint_pictures_are_stretched_and_flat_ones_left_alone():
    faint, flat = np.full((1, 1, 2, 2), 0.5), np.full((1, 1, 2, 2), 0.5)
    faint[0, 0, 0, 0] = 0.51
    seen = hiding_words.stretched_pictures(np.concatenate([faint, flat]))
    assert seen[0].min() == 0 and seen[0].max() == 1
    assert (seen[1] == 0.5).all()


# ---- curves
def test_the_readers_runs_become_points_of_their_own_data_only():
    runs = [run_of(), run_of(replace(CONFIG, data="mnist"))]
    found = curves_data.own_points(runs, "faces", "similarity", "stronger")
    assert found["record"].tolist() == [[0.3, 0.65, 0.5]] and found["unit"].tolist() == [[8.0, 0.65, 0.5]]
    other_unit = curves_data.own_points([run_of(replace(CONFIG, unit="subclass"))], "faces", "similarity", "stronger")
    assert set(other_unit) == {"record"}  # its (sub)class-level model belongs to no curve of the faces


def test_the_papers_points_are_those_it_prints():
    epsilon, accuracy = curves_data.published_points("digits")["unit"]
    assert epsilon.tolist() == [18.6, 8.2, 7] and accuracy.tolist() == [0.96, 0.93, 0.91]
    epsilon, accuracy = curves_data.published_points("digits")["record"]
    assert epsilon.tolist() == [6, 1.6, 0.5] and accuracy.tolist() == [0.96, 0.93, 0.91]
    epsilon, accuracy = curves_data.published_points("faces")["unit"]
    assert epsilon.tolist() == [62, 45.5, 40.5] and accuracy.tolist() == [0.995, 0.992, 0.99]
    epsilon, accuracy = curves_data.published_points("faces")["record"]
    assert epsilon.tolist() == [9.1, 4.2, 2.7] and accuracy.tolist() == [0.995, 0.992, 0.99]


def test_a_missing_reference_leaves_its_place_empty(monkeypatch):
    def nothing(name):
        raise FileNotFoundError(name)

    monkeypatch.setattr("dpmia_lab.reference.shipped", nothing)
    assert curves_data.reference_points("digits") == {}
    assert "not been computed yet" in curves_data.ranks_html({}, "faces", {})
    assert "not been computed yet" in hiding_findings.findings().children[0].value


def test_findings_are_made_from_the_reference(monkeypatch):
    numbers = numbers_of(similarity_mean_unit_paper=0.1, similarity_mean_record_paper=0.6)
    numbers |= {f"{name}_sd": 0.01 for name in numbers}
    kept = {"hiding": {"faces": {"results": numbers, "config": vars(replace(CONFIG, repeats=5))}}}
    monkeypatch.setattr(hiding_findings, "shipped_or_nothing", lambda name: kept[name])
    words = hiding_findings.findings().children[0].value
    assert "class-level hides better than record-level against the enhanced attack" in words
    assert "about as well as it against the stronger one" in words
    assert "ε = 0.3 for a record" in words and "57% sure" in words  # 1 / (1 + e^-0.3)


# ---- the paper's premises
@pytest.mark.parametrize("name", ["hiding_digits", "hiding_faces"])
def test_no_number_of_steps_explains_the_printed_epsilons(name):
    """What the page claims, recomputed: T differs between the rows, and q is above 1/(16σ) in each."""
    unit = shipped("published")[name]["unit"]
    pairs = list(zip(unit["sigma"], unit["epsilon"], strict=True))
    how = unit["q"], unit["delta"], "replace-one"
    for accountant in ("paper-moments", "moments"):
        steps = {accounting.steps_for(accountant, e, s, *how) for s, e in pairs}
        assert len(steps) == len(pairs)
    assert all(unit["q"] > 1 / (16 * sigma) for sigma, _ in pairs)
    rows = hiding_limits.premise_rows(unit)
    assert rows.count("<tr>") == 3 and "<td>0 of 5</td>" not in rows


def test_a_step_that_sees_nobody():
    assert hiding_limits.nobody_drawn(10, 0.2) == pytest.approx(0.8**10)
    assert "11% of all steps" in hiding_limits.small_print().children[0].value.replace("  ", " ")


# ---- tasks: what they say when the work is missing, half done and done
def checked(task, *runs):
    """Press the task's button; the panel has these runs, newest first."""
    panel = SimpleNamespace(last=runs[0] if runs else None, table=SimpleNamespace(runs=list(runs)), listeners=[])
    view = task(panel)
    view.children[-2].click()
    return view.children[-1].value


@pytest.mark.parametrize("task", [hiding_tasks.task_strong_promise, hiding_tasks.task_price])
def test_a_task_without_a_run_says_so(task):
    assert "no run yet" in checked(task)


def test_task_one_wants_a_strong_promise_and_a_visible_class():
    task = hiding_tasks.task_strong_promise
    assert "it is 3" in checked(task, run_of(epsilon_tight_record=3.0))
    assert "70% are needed" in checked(task, run_of(recognised_mean_record_stronger=0.6))
    assert "Done" in checked(task, run_of(recognised_mean_record_stronger=0.8))


def test_task_two_wants_a_promise_and_use():
    task = hiding_tasks.task_price
    assert "it is 8" in checked(task, run_of())
    assert "50% is needed" in checked(task, run_of(epsilon_tight_unit=3.0, accuracy_unit=0.4))
    fine = replace(CONFIG, unit="subclass", k_sub=200)
    assert "at most 50" in checked(task, run_of(fine, epsilon_tight_unit=3.0))
    assert "Done" in checked(task, run_of(epsilon_tight_unit=3.0))


def test_task_three_wants_two_runs_that_differ_in_the_unit_alone():
    task, one = hiding_tasks.task_two_names, run_of()
    other = run_of(replace(CONFIG, unit="subclass", k_sub=1))
    assert "Two runs are needed" in checked(task, one)
    assert "Two runs are needed" in checked(task, run_of(replace(other.config, steps=15)), one)
    assert "Two runs are needed" in checked(task, run_of(replace(other.config, k_sub=2)), one)
    assert "Done" in checked(task, other, one)


def test_the_prediction_is_answered_by_a_matched_run_only():
    panel = SimpleNamespace(listeners=[])
    view = hiding_tasks.predict_hiding(panel)
    view.children[1].children[2].click()
    panel.listeners[0](run_of(matched_unit=0.0))
    assert "Noted." in view.children[2].value
    panel.listeners[0](run_of())
    assert "As you predicted." in view.children[2].value

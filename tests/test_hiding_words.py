"""The words of lesson 3 follow its numbers: promises, matched or not, who hid more, tasks, the paper's premises."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dpmia_lab.experiments import hiding
from dpmia_lab.experiments.hiding import Config, called
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.privacy import accounting
from dpmia_lab.reference import shipped
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.hiding import claims, curves_data, curves_words, findings, limits, tasks, words
from dpmia_lab.widgets.hiding.view import stretched_pictures
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, NOT_CLAIMED, UNDECIDED, checked
from dpmia_lab.widgets.kit.runs import Run

CONFIG = Config(unit="class")


def rows_of(*changed, spread=None):
    """A matched run in which the judge recognises half of everything; ``changed`` rows stand in place of the usual."""
    rows = [Row("accuracy", 0.9, "vanilla"), Row("matched", 1.0, "unit"), Row("matched", 1.0, "record")]
    for model, epsilon in (("record", 0.3), ("unit", 8.0), ("equal", 0.3)):
        said = {"accuracy": 0.65, "sigma": 2.0, "delta": 1e-3, "noise": 0.01, "units": 10.0}
        said |= {"epsilon": 1.1 * epsilon, "epsilon_tight": epsilon}
        rows += [Row(measure, value, model) for measure, value in said.items()]
    subjects = [(model, attacker) for model in hiding.MODELS for attacker in hiding.ATTACKERS]
    subjects += [("", name) for name in BASELINES]
    rows += [Row(measure, 0.5, *subject) for subject in subjects for measure in words.MEASURES]
    made = {row.key: row for row in (*rows, *changed)}
    return Rows(tuple(replace(row, spread=spread) for row in made.values()), hiding.NAMES)


def result_of(record, unit, *changed):
    """Correlations class by class of the two private models, for both attackers."""
    arrays = {"names": np.array([str(i) for i in range(len(record))])}
    for attacker in hiding.ATTACKERS:
        arrays |= {called("similarity", "record", attacker): np.array(record)}
        arrays |= {called("similarity", "unit", attacker): np.array(unit)}
    return Result({"chance": 0.1, "judge_accuracy": 0.8}, arrays, rows_of(*changed))


def run_of(*changed, config=CONFIG):
    return Run(1, config, result_of([0.5, 0.6], [0.5, 0.6], *changed), 1.0, "")


# ---- promises
def test_a_promise_names_the_unit_it_is_for():
    rows = rows_of()
    said = words.promise_words(rows, CONFIG, "unit")
    assert said == "ε = 8 for a class (replace one; δ = 0.001; tight accountant, PLD)"
    assert "for a record" in words.promise_words(rows, CONFIG, "equal")
    assert "no promise" in words.promise_words(rows, CONFIG, "vanilla")


def test_without_a_tight_epsilon_the_moments_accountant_is_named():
    rows = Rows(tuple(row for row in rows_of() if row.measure != "epsilon_tight"))
    assert "ε = 8.8 for a class" in words.promise_words(rows, CONFIG, "unit")
    assert "moments accountant" in words.promise_words(rows, CONFIG, "unit")


# ---- matched or not
def test_a_matched_run_is_called_fair():
    assert "fair comparison" in words.matched_html(rows_of(), CONFIG)


@pytest.mark.parametrize(
    ("accuracy", "sigma", "why"),
    [
        (0.3, 0.03, "clipping or too few steps"),
        (0.9, 400.0, "try fewer steps"),
        (0.6, 2.0, "seven tries"),
    ],
)
def test_an_unmatched_run_says_how_near_it_came_and_why(accuracy, sigma, why):
    changed = Row("matched", 0.0, "unit"), Row("accuracy", accuracy, "unit"), Row("sigma", sigma, "unit")
    said = words.matched_html(rows_of(*changed), CONFIG)
    assert "Not at equal accuracy" in said and why in said
    assert f"{accuracy:.0%} at σ = {sigma:g}" in said
    assert "record-level model misses" not in said


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
    assert words.who_hid_more(result) == verdict
    first = ("The record-level model hides more", "The class-level model hides more", "They hide about alike")[verdict]
    assert first in words.who_hid_more_words(result, CONFIG)


def test_seeds_decide_whether_the_reference_calls_two_models_alike():
    low, high, uncertain = (Row("x", value, spread=spread) for value, spread in ((0.3, 0.01), (0.5, 0.01), (0.5, 0.3)))
    assert words.hides_words(low, high, 5) == "better than"
    assert words.hides_words(high, low, 5) == "worse than"
    assert words.hides_words(low, uncertain, 5) == "about as well as"


@pytest.mark.parametrize(
    ("epsilon", "said"), [(0.0, "50%"), (1.0, "73%"), (8.0, "99.97%"), (40.0, "practically 100 %")]
)
def test_what_an_attacker_may_believe(epsilon, said):
    assert words.belief_words(epsilon) == said


def test_the_table_has_a_row_a_model_and_greys_what_owes_nothing_to_an_attack():
    told = words.models_html(run_of(Row("sigma", 3.0, "equal")).result, CONFIG, "stronger")
    assert "Attacker: stronger: smooth, blurred. Means over 2 classes, one seed." in told
    assert all(f'class="dp-model-{model}"' in told for model in hiding.MODELS)
    assert told.count('class="reference"') == len(BASELINES) and "the very model above" not in told
    assert "the very model above" in words.models_html(run_of().result, CONFIG, "stronger")


def test_the_published_pairs_stand_above_the_run():
    told = words.published_html(rows_of(), CONFIG)
    assert told.count('class="reference"') == 3 and "62" in told
    assert "ε for a class</th>" in told and "ε for a subclass (here: class)</th>" in words.published_html(
        rows_of(), replace(CONFIG, data="mnist")
    )


def test_faint_pictures_are_stretched_and_flat_ones_left_alone():
    faint, flat = np.full((1, 1, 2, 2), 0.5), np.full((1, 1, 2, 2), 0.5)
    faint[0, 0, 0, 0] = 0.51
    seen = stretched_pictures(np.concatenate([faint, flat]))
    assert seen[0].min() == 0 and seen[0].max() == 1
    assert (seen[1] == 0.5).all()


# ---- curves
def test_the_readers_runs_become_points_of_their_own_data_only():
    runs, drawn = [run_of(), run_of(config=replace(CONFIG, data="mnist"))], ("similarity", "stronger")
    found = curves_data.own_points(runs, "faces", *drawn)
    assert found["record"].tolist() == [[0.3, 0.5]] and found["unit"].tolist() == [[8.0, 0.5]]
    assert curves_data.own_points(runs, "faces", "accuracy", "")["unit"].tolist() == [[8.0, 0.65]]
    other_unit = curves_data.own_points([run_of(config=replace(CONFIG, unit="subclass"))], "faces", *drawn)
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
    assert "not been computed yet" in curves_words.ranks_html({}, "faces")
    assert "not been computed yet" in findings.findings().children[0].value
    assert "not been computed yet" in findings.equal_noise_control().children[0].value
    assert "not been computed yet" in findings.results_html()
    assert all(claim.check() == {} for claim in findings.CLAIMS if claim.check is not claims.printed_epsilons)


def kept_as(monkeypatch, *changed):
    """The reference of the faces, and no other."""
    results = rows_of(*changed, spread=0.01).plain()
    kept = {"faces": {"results": results, "config": vars(replace(CONFIG, repeats=5))}}
    monkeypatch.setattr(claims, "shipped_or_nothing", lambda name: kept)


def test_findings_are_made_from_the_reference(monkeypatch):
    kept_as(monkeypatch, Row("similarity_mean", 0.1, "unit", "paper"), Row("similarity_mean", 0.6, "record", "paper"))
    told = findings.findings().children[0].value
    assert "class-level hides better than record-level against the enhanced attack" in told
    assert "about as well as it against the stronger one" in told
    assert "ε = 0.3 for a record" in told and "57% sure" in told  # 1 / (1 + e^-0.3)


# ---- what the paper claims
@pytest.mark.parametrize(
    ("paper", "stronger", "finding"), [(0.1, 0.1, AGREES), (0.5, 0.5, DIFFERS), (0.1, 0.5, UNDECIDED)]
)
def test_hiding_a_class_must_help_against_both_attackers(monkeypatch, paper, stronger, finding):
    unit = Row("similarity_mean", paper, "unit", "paper"), Row("similarity_mean", stronger, "unit", "stronger")
    kept_as(monkeypatch, *unit)
    found = findings.CLAIMS[0].check()
    assert set(found) == {"Generated faces"} and found["Generated faces"].finding == finding
    assert f"correlation {paper:.2f} ± 0.01 against 0.50 ± 0.01" in found["Generated faces"].sentence


@pytest.mark.parametrize(
    ("record", "unit", "finding"), [(0.1, -0.9, AGREES), (0.1, -0.3, DIFFERS), (-0.9, -0.9, DIFFERS)]
)
def test_epsilon_must_go_with_distance_for_a_class_and_not_for_a_record(record, unit, finding):
    def swept(rank):
        ranks = Rows((Row("rank_correlation_distance", rank, attack="paper"),))
        points = Rows(tuple(Row("sigma", float(i), f"sigma {i}") for i in range(5)))
        return curves_data.Points(points, ranks, {"repeats": 3})

    found = claims.distance_follows("faces", {"record": swept(record), "unit": swept(unit)})
    assert found.finding == finding and "±0.52 may be chance" in found.sentence


def test_what_the_shipped_reference_says_of_every_claim():
    """Computed, and as README told it by hand."""
    found = {}
    for one in checked(findings.CLAIMS):
        found.setdefault(one.title, []).append(one)
    findings_of = {title: [one.finding for one in of] for title, of in found.items()}
    assert findings_of == {
        "At equal accuracy, hiding a (sub)class": [DIFFERS, DIFFERS, UNDECIDED],
        "Equal noise": 3 * [NOT_CLAIMED],
        "A stronger attacker": 3 * [NOT_CLAIMED],
        "Accuracy follows ε": [AGREES, AGREES],
        "The drawing follows ε": [DIFFERS, DIFFERS],
        "More subclasses, σ and q fixed": [AGREES],
        "The printed ε": [DIFFERS, DIFFERS],
    }
    assert "correlation 0.17 ± 0.01 against 0.18 ± 0.02" in found["At equal accuracy, hiding a (sub)class"][0].sentence


def test_the_table_of_results_has_three_private_models_a_data_set():
    told = findings.results_html()
    assert told.count("<tr>") == 1 + 3 * 3
    assert "120 generated people, softmax regression, accuracy 65%" in told
    for cell in ("21.8", "65.2% ± 0.4%", "0.18 ± 0.02", "0.55 ± 0.02", "10% → 43%"):  # record-level, faces
        assert f"<td>{cell}</td>" in told


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
    assert len(limits.premise_rows(unit)) == 3
    assert all(0 < one.broken <= one.of == 5 for one in limits.premises_of(unit))


def test_a_step_that_sees_nobody():
    assert limits.nobody_drawn(10, 0.2) == pytest.approx(0.8**10)
    assert "11% of all steps" in limits.small_print().children[0].value.replace("  ", " ")


# ---- tasks: what they say when the work is missing, half done and done
def pressed(task, *runs):
    """Press the task's button; the panel has these runs, newest first."""
    panel = SimpleNamespace(last=runs[0] if runs else None, table=SimpleNamespace(runs=list(runs)), listeners=[])
    view = task(panel)
    view.children[-2].click()
    return view.children[-1].value


@pytest.mark.parametrize("task", [tasks.task_strong_promise, tasks.task_price])
def test_a_task_without_a_run_says_so(task):
    assert "no run yet" in pressed(task)


def test_task_one_wants_a_strong_promise_and_a_visible_class():
    task = tasks.task_strong_promise
    assert "it is 3" in pressed(task, run_of(Row("epsilon_tight", 3.0, "record")))
    assert "70% are needed" in pressed(task, run_of(Row("recognised_mean", 0.6, "record", "stronger")))
    assert "Done" in pressed(task, run_of(Row("recognised_mean", 0.8, "record", "stronger")))


def test_task_two_wants_a_promise_and_use():
    task, promised = tasks.task_price, Row("epsilon_tight", 3.0, "unit")
    assert "it is 8" in pressed(task, run_of())
    assert "50% is needed" in pressed(task, run_of(promised, Row("accuracy", 0.4, "unit")))
    fine = replace(CONFIG, unit="subclass", k_sub=200)
    assert "at most 50" in pressed(task, run_of(promised, config=fine))
    assert "Done" in pressed(task, run_of(promised))


def test_task_three_wants_two_runs_that_differ_in_the_unit_alone():
    task, one = tasks.task_two_names, run_of()
    other = run_of(config=replace(CONFIG, unit="subclass", k_sub=1))
    assert "Two runs are needed" in pressed(task, one)
    assert "Two runs are needed" in pressed(task, run_of(config=replace(other.config, steps=15)), one)
    assert "Two runs are needed" in pressed(task, run_of(config=replace(other.config, k_sub=2)), one)
    assert "Done" in pressed(task, other, one)


def test_the_prediction_is_answered_by_a_matched_run_only():
    panel = SimpleNamespace(listeners=[])
    view = tasks.predict_hiding(panel)
    view.children[1].children[2].click()
    panel.listeners[0](run_of(Row("matched", 0.0, "unit")))
    assert "Noted." in view.children[2].value
    panel.listeners[0](run_of())
    assert "As you predicted." in view.children[2].value

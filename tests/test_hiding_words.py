"""The words of lesson 3 follow its numbers: promises, matched or not, who hid more, tasks, the paper's premises."""

import copy
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dpmia_lab.experiments import hiding
from dpmia_lab.experiments.as_published import ATTACKERS, PRESETS
from dpmia_lab.experiments.hiding import Config, called
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.metrics.reconstruction import stretched_pictures
from dpmia_lab.privacy import accounting
from dpmia_lab.reference import shipped
from dpmia_lab.reference.shipped_runs import shipped_run
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.hiding import claims, curves_data, curves_words, findings, limits, published, tasks, words
from dpmia_lab.widgets.hiding.hook import HidingHook
from dpmia_lab.widgets.hiding.published import PublishedPanel
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
def test_a_matched_run_says_that_equal_accuracy_came_with_equal_noise():
    told = words.matched_html(rows_of(Row("noise", 0.0123, "unit")), CONFIG)
    assert "Equal accuracy" in told and "about equal noise a step: 0.0100 and 0.0123" in told


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
    first = ("the record-level model hides more", "the class-level model hides more", "they hide about alike")[verdict]
    for attacker, called_so in words.ATTACKER_WORDS.items():
        told = words.who_hid_more_words(result, CONFIG, attacker)
        assert told.startswith(f"By the {called_so}, <b>{first}.</b>") and "noise: 50%, 0.50" in told


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
    run = run_of(Row("sigma", 3.0, "equal"), Row("recognised_mean", 0.7, "unit", "stronger"))
    told, all_of_it = words.models_html(run.result, CONFIG), words.measures_html(run.result, CONFIG)
    assert "Means over 2 classes, one seed." in told and "<td>50% → 70%</td>" in told
    assert all(f'class="dp-model-{model}"' in told for model in hiding.MODELS)
    assert told.count('class="reference"') == 1 and "the very model above" not in told
    assert all_of_it.count('class="reference"') == len(BASELINES)
    assert all_of_it.count("<tr") == 1 + len(hiding.MODELS) * len(hiding.ATTACKERS) + len(BASELINES)
    assert "the very model above" in words.models_html(run_of().result, CONFIG)


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
    assert found["record"].tolist() == [[0.3, 0.5, 1]] and found["unit"].tolist() == [[8.0, 0.5, 1]]
    assert curves_data.own_points(runs, "faces", "accuracy", "")["unit"].tolist() == [[8.0, 0.65, 1]]
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
    assert published.shipped_models() == {} and "not been computed yet" in asked(PublishedPanel())
    assert "not been computed yet" in findings.results_html()
    assert all(claim.check() == {} for claim in findings.CLAIMS if claim.check is not claims.printed_epsilons)


def kept_as(monkeypatch, *changed):
    """The reference of the faces, and no other."""
    results = rows_of(*changed, spread=0.01).plain()
    kept = {"faces": {"results": results, "config": vars(replace(CONFIG, repeats=5))}}
    monkeypatch.setattr(claims, "shipped_or_nothing", lambda name: kept)


def asked(panel):
    """What stands in the narrow column."""
    return panel.view.children[0].children[0].children[1].children[0].children[1].value


def test_findings_are_made_from_the_reference(monkeypatch):
    kept_as(monkeypatch, Row("similarity_mean", 0.1, "unit", "paper"), Row("similarity_mean", 0.6, "record", "paper"))
    told = findings.findings().children[0].value
    assert "class-level hides better than record-level against the enhanced attack" in told
    assert "about as well as it against the stronger one" in told
    assert "ε = 0.3 for a record" in told and "57% sure" in told  # 1 / (1 + e^-0.3)


# ---- as published
def shipped_as(monkeypatch, **changed):
    """What ships, with other means over seeds, such as record_correlation_mean_original."""
    records = copy.deepcopy(shipped("as_published"))
    for name, value in changed.items():
        model, _, measure = name.partition("_")
        records[model.replace("only", "only-noise")]["results"][measure] = value
    monkeypatch.setattr(published, "shipped_or_nothing", lambda name: records)


def test_the_three_sentences_hold_the_shipped_numbers():
    told = published.sentences_html(published.shipped_models())
    results = {name: record["results"] for name, record in shipped("as_published").items()}
    for name in ("record", "subclass", "same-noise"):
        mean, spread = (results[name][f"correlation_mean_original{end}"] for end in ("", "_sd"))
        assert f"{mean:.2f} ± {spread:.2f}" in told
        assert f"{results[name]['accumulated']:.3f}" in told
    for words_of in ("The pictures reproduce.", "They come from noise accumulated", "do not survive a better attacker"):
        assert words_of in told
    assert "from noise alone 1 of 10" in told


def test_every_model_stands_beside_every_attacker_and_a_slider_turns_to_another_digit():
    panel = PublishedPanel()
    first = panel.grid.value
    assert first.count("<img") == len(PRESETS) * len(ATTACKERS)
    assert all(f">{words}</th>" in first for words in ATTACKERS.values())
    panel.digit.value = 0
    assert panel.grid.value != first and "0, drawn from the model record-level by: original attack" in panel.grid.value


@pytest.mark.parametrize(
    ("changed", "original", "prior"),
    [
        ({}, AGREES, DIFFERS),
        ({"record_correlation_mean_original": 0.21}, UNDECIDED, DIFFERS),
        ({"record_correlation_mean_original": 0.05}, DIFFERS, DIFFERS),
        ({"subclass_recognised_share_prior": 0.1}, AGREES, UNDECIDED),
        ({"subclass_recognised_share_prior": 0.0, "only_recognised_share_prior": 0.5}, AGREES, AGREES),
    ],
)
def test_a_claim_that_a_model_cannot_be_inverted_is_held_against_both_attackers(monkeypatch, changed, original, prior):
    shipped_as(monkeypatch, **changed)
    assert [one.finding for one in claims.as_published().values()] == [original, prior]


def test_the_hook_reveals_when_asked():
    hook = HidingHook()
    assert hook.rows.value.count("<img") == 10 and hook.rows.value.count("dp-tile") == 10
    hook.ask.click()
    assert hook.rows.value.count("<img") == 20 and "dp-tile" not in hook.rows.value
    assert "From a model of nothing but noise it would be 1 of 10" in hook.answer.value


# ---- what the paper claims
def test_with_everything_shared_equal_noise_is_said_beside_equal_accuracy(monkeypatch):
    kept_as(monkeypatch, Row("similarity_mean", 0.1, "unit", "paper"))
    found = claims.of_each_result(claims.equal_noise)["Generated faces"]
    assert found.finding == NOT_CLAIMED and "(0.0100 ± 0.0100 and 0.0100 ± 0.0100)" in found.sentence
    assert "class-level hides better than record-level against the enhanced attack" in found.sentence
    assert "correlation 0.10 ± 0.01 against 0.50 ± 0.01" in found.sentence


@pytest.mark.parametrize(
    ("record", "unit", "finding"),
    [(0.1, -0.9, AGREES), (0.1, -0.3, UNDECIDED), (0.9, 0.51, UNDECIDED), (-0.9, -0.9, DIFFERS), (0.9, 0.9, DIFFERS)],
)
def test_epsilon_must_go_with_distance_for_a_class_and_not_for_a_record(record, unit, finding):
    def swept(rank):
        of = ("distance", "paper"), ("similarity", "stronger")
        ranks = Rows(tuple(Row(f"rank_correlation_{measure}", rank, attack=attacker) for measure, attacker in of))
        points = Rows(tuple(Row("sigma", float(i), f"sigma {i}") for i in range(5)))
        return curves_data.Points(points, ranks, {"repeats": 3})

    found = claims.distance_follows("faces", {"record": swept(record), "unit": swept(unit)})
    assert found.finding == finding and "±0.52 may be chance" in found.sentence
    assert ("a leak looks like safety" in found.sentence) == (min(record, unit) > 0.52)
    assert (f"{curves_words.signed(unit)} (may be chance)" in found.sentence) == (abs(unit) < 0.52)


def test_what_the_shipped_reference_says_of_every_claim():
    """Computed, and as README told it by hand."""
    found = {}
    for one in checked(findings.CLAIMS):
        found.setdefault(one.title, []).append(one)
    findings_of = {title: [one.finding for one in of] for title, of in found.items()}
    assert findings_of == {
        "At equal accuracy, hiding a (sub)class": [AGREES, DIFFERS],
        "Where the snow comes from": [NOT_CLAIMED],
        "Everything but the unit shared": 3 * [NOT_CLAIMED],
        "A stronger attacker": 3 * [NOT_CLAIMED],
        "Accuracy follows ε": [AGREES, AGREES],
        "The drawing follows ε": [DIFFERS, UNDECIDED],
        "More subclasses, σ and q fixed": [AGREES],
        "The printed ε": [DIFFERS, DIFFERS],
    }
    assert "correlation 0.17 ± 0.01 against 0.18 ± 0.02" in found["Everything but the unit shared"][0].sentence


def test_the_table_of_results_has_three_private_models_a_data_set():
    told = findings.results_html()
    assert told.count("<tr>") == 1 + len(PRESETS) + 1 + 3 * 3
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
    assert "90% are needed" in pressed(task, run_of(Row("recognised_mean", 0.6, "record", "stronger")))
    assert "Done" in pressed(task, run_of(Row("recognised_mean", 0.9, "record", "stronger")))


def test_hints_do_not_advise_what_was_done_already():
    digits, costly = hiding.PRESETS["digits"], Row("epsilon_tight", 3.0, "record")
    said = [pressed(tasks.task_strong_promise, run_of(costly, config=replace(digits, steps=n))) for n in (30, 15)]
    assert "fewer steps" in said[0] and "fewer steps" not in said[1] and "less accuracy" in said[1]
    assert "Take the digits." in pressed(tasks.task_strong_promise, run_of(costly))


@pytest.mark.parametrize("task", [tasks.task_strong_promise, tasks.task_price])
def test_no_preset_does_a_task_by_itself(task):
    """The runs that ship for the presets, as if the reader had made them."""
    for preset in hiding.PRESETS.values():
        if (found := shipped_run("hiding", preset)) is not None:
            assert "Not yet" in pressed(task, Run(1, preset, found[0], 1.0, ""))


def test_task_two_wants_a_promise_and_use():
    task, promised = tasks.task_price, Row("epsilon_tight", 2.0, "unit")
    assert "it is 8" in pressed(task, run_of())
    assert "55% is needed" in pressed(task, run_of(promised, Row("accuracy", 0.4, "unit")))
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
    shown = []
    panel = SimpleNamespace(listeners=[], answers=shown.append)
    view = tasks.predict_hiding(panel)
    view.children[1].children[2].click()
    panel.listeners[0](run_of(Row("matched", 0.0, "unit")))
    assert "Noted." in view.children[2].value
    panel.listeners[0](run_of())
    assert "As you predicted." in view.children[2].value and shown == [view.children[2]]
    assert "By the stronger attacker" in view.children[2].value

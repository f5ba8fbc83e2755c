"""The words of lesson 1 follow its numbers: what a run came to, tables beside the papers, tasks."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dpmia_lab.experiments import inversion, inversion_comparison
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.reference import shipped
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.inversion import findings, tasks, words
from dpmia_lab.widgets.kit.runs import Run

FACES = inversion.Config()
DIGITS = inversion.PRESETS["digits"]
ACCURACIES = {"test_accuracy": 0.93, "train_accuracy": 1.0, "judge_accuracy": 0.8, "chance": 0.25}
DISTANCES = {"noise": 17.0, "blank": 5.0, "class_mean": 4.0, "other_class": 10.0}
VALUES = {"distance_mean": 9.0, "recognised_share": 0.75, "recognised_ssim_share": 0.5, "confidence_mean": 0.95}
VALUES |= {"similarity_mean": 0.5, "ssim_distance_mean": 0.25}


def run_of(config=FACES, **changes):
    """A run on four classes; ``changes``: of what was measured of its own drawings."""
    rows = [Row(measure, value, "none", config.attack) for measure, value in (VALUES | changes).items()]
    for name, distance in DISTANCES.items():
        rows += [Row(m, distance if m == "distance_mean" else 0.0, "none", name) for m in VALUES]
    arrays = {
        "truth": np.zeros((4, 1, 6, 6)),
        "reconstruction": np.linspace(0, 1, 144).reshape(4, 1, 6, 6),
        "names": np.array(["one", "two", "three", "four"]),
        "recognised": np.array([True, True, True, False]),
        "distance": np.array([8.0, 9.0, 9.0, 10.0]),
    }
    named = Rows(tuple(rows), PlainNames(silent=frozenset({"none", config.attack})))
    return Run(1, config, Result(ACCURACIES, arrays, named), 1.0, "")


def panel_with(*runs):
    """What a task looks at; the last run is the first, as the table has the newest first."""
    return SimpleNamespace(last=runs[0] if runs else None, table=SimpleNamespace(runs=list(runs)), listeners=[])


def said(html):
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", html))


# ---- a run
@pytest.mark.parametrize("config", [FACES, inversion.PRESETS["faces-original"]], ids=lambda config: config.attack)
def test_a_run_is_summed_up_by_its_own_attack(config):
    line = words.summary(run_of(config))
    assert f"40 people, {config.attack} attack" in line
    assert "75% recognised" in line and "distance 9.00 (noise 17.00)" in line


def test_a_summary_says_only_what_the_attack_has():
    original = words.summary(run_of(replace(FACES, attack="original", process="denoise", smooth=0.7)))
    assert "denoise" in original and "blur 0.7" in original and "prior" not in original
    enhanced = words.summary(run_of(replace(FACES, prior="none", box=False)))
    assert "prior none, no box" in enhanced and "λ" not in enhanced


def test_the_numbers_of_a_run_stand_beside_its_baselines():
    html = said(words.numbers_html(run_of().result, "enhanced"))
    assert "3 of 4" in html and "2 of 4" in html and "9.00" in html and "0.95" in html
    for name, distance in DISTANCES.items():
        assert f"{BASELINES[name]} {distance:.2f}" in html
    assert "by chance 25%" in html and "93%" in html


def test_two_ways_of_recognising_that_disagree_raise_a_doubt():
    assert "disagree" not in words.numbers_html(run_of().result, "enhanced")
    assert "disagree" in words.numbers_html(run_of(recognised_ssim_share=0.25).result, "enhanced")


def test_a_caption_says_whether_a_picture_is_recognised_or_faint():
    arrays = run_of().result.arrays
    assert said(words.caption(arrays, 0)) == " recognised distance 8.00"
    assert words.caption(arrays, 3) == "not recognised<br>distance 10.00"
    arrays["reconstruction"][3] = 0.5
    assert "not recognised (faint)" in words.caption(arrays, 3)


def test_compared_runs_show_the_same_people():
    html = words.compared_html([run_of(), run_of(replace(FACES, seed=1))])
    assert html.count("dp-strip") == 2 and html.count("<img") == 8 and 'alt="run 1, four"' in html


# ---- the comparison
@pytest.fixture(params=words.SETS)
def which(request):
    return request.param


def test_every_measure_of_every_contender_is_in_the_table(which):
    result, _ = findings.reference(which)
    html = words.measures_html(result, "of the lab & others")
    assert "of the lab &amp; others" in html
    assert html.count("<tr>") == 1 + len(inversion_comparison.CONTENDERS)
    assert html.count('<tr class="reference">') == len(BASELINES)
    for row in result.rows:
        form = words.MEASURES[row.measure][2]
        assert f"<td>{form.format(row.value)} ± {form.format(row.spread)}</td>" in html


def test_one_seed_has_no_spread_in_the_table():
    result, _ = findings.reference("digits")
    alone = replace(result.rows, rows=tuple(replace(row, spread=None) for row in result.rows))
    assert "±" not in words.measures_html(replace(result, rows=alone), "one seed")


@pytest.mark.parametrize(("which", "columns", "form"), [("digits", 10, "{:.2f}"), ("faces", 6, "{:.3f}")])
def test_the_paper_s_table_stands_above_ours(which, columns, form):
    result, _ = findings.reference(which)
    html, paper = words.published_html(which, result), shipped("published")[which]
    lines = [re.findall(r"<td[^>]*>(.*?)</td>", line) for line in html.split("<tr")[2:]]
    assert len(lines) == 7 and {len(line) for line in lines} == {columns + 2}
    assert lines[1] == ["paper A, enhanced", *map(form.format, paper["enhanced"]), lines[1][-1]]
    ours = inversion.by_class(result, words.PRINTED[which])["blank"][:columns]
    assert lines[5][-1] == f"<b>{form.format(ours.mean())}</b>" and lines[5][0] == "a black picture"


def test_at_and_t_s_shares_stand_beside_paper_e_s():
    html = words.published_html("att_faces", findings.reference("att_faces")[0])
    assert "Paper E reports 85%" in html and "77.5% by SSIM" in html
    assert "Here: 87% and 98% for the original attack, 78% and 71% for the enhanced one." in html


def test_strips_show_what_has_been_drawn_so_far():
    html = words.strips_html({"truth": np.zeros((2, 1, 3, 3)), "ours": np.zeros((2, 1, 3, 3))})
    assert re.findall("<h4>(.*?)</h4>", html) == ["training pictures", inversion_comparison.CONTENDERS["ours"]]
    assert 'alt="training pictures, class 2"' in html


# ---- tasks
def press(card):
    """What a task answers when its button is pressed."""
    button = next(child for child in card.children if type(child).__name__ == "Button")
    button.click()
    return said(card.children[-1].value)


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        (None, "There is no run yet"),
        (run_of(DIGITS), "your last run is not"),
        (run_of(), "took up to 300 steps"),
        (run_of(replace(FACES, steps=1), recognised_share=0.5), "50% were recognised; 70 % are needed"),
        (run_of(replace(FACES, steps=1)), "✓ Done. 75% recognised after one step, while the model is 95% sure"),
    ],
)
def test_one_step_must_be_enough(run, answer):
    assert answer in press(tasks.task_few_steps(panel_with(*([run] if run else []))))


@pytest.mark.parametrize(
    ("entered", "answer"),
    [
        (5.01, "✓ Done. 5.00: a black picture is closer than the drawings (9.00)"),
        (9.0, "the distance of the attack's own drawings"),
        (17.0, "the distance of random noise"),
        (4.0, "the distance of the class mean"),
        (10.0, "the distance of another digit"),
        (1.0, "1 is none of the distances of run 1"),
    ],
)
def test_the_black_picture_s_distance_is_asked_for(entered, answer):
    card = tasks.task_null_picture(panel_with(run_of(DIGITS)))
    next(child for child in card.children if type(child).__name__ == "FloatText").value = entered
    assert answer in press(card)
    assert "Run the attack on MNIST digits first" in press(tasks.task_null_picture(panel_with(run_of())))


@pytest.mark.parametrize(
    ("run", "answer"),
    [
        (None, "There is no run yet"),
        (run_of(DIGITS), "your last run used other data"),
        (run_of(confidence_mean=0.5), "The model is 50% sure on average"),
        (run_of(), "75% are still recognised"),
        (run_of(recognised_share=0.25), "✓ Done. The model is 95% sure, the judge recognises 25%."),
    ],
)
def test_a_model_may_be_sure_of_what_nobody_recognises(run, answer):
    assert answer in press(tasks.task_confident_nonsense(panel_with(*([run] if run else []))))


def test_a_prediction_is_answered_by_the_run():
    panel = panel_with()
    view = tasks.predict_recognition(panel)
    panel.listeners[0](run_of(replace(FACES, people=5)))  # not the one that was asked about
    panel.listeners[0](run_of())
    buttons = [child for child in widgets_in(view) if type(child).__name__ == "Button"]
    buttons[3].click()
    assert any("30 of 40, where guessing gives 1" in getattr(child, "value", "") for child in widgets_in(view))


def widgets_in(view):
    yield view
    for child in getattr(view, "children", ()):
        yield from widgets_in(child)

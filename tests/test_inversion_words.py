"""The words of lesson 1 follow its numbers: what a run came to, tables beside the papers, tasks."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from dpmia_lab.experiments import inversion, inversion_comparison, inversion_measures
from dpmia_lab.game.drawing import BASELINES
from dpmia_lab.reference import shipped
from dpmia_lab.rows import PlainNames, Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.inversion import findings, tasks, words
from dpmia_lab.widgets.kit import questions
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
        "recognised_ssim": np.array([True, False, True, False]),
        "similarity": np.array([0.8, 0.7, 0.6, 0.5]),
        "blank": np.array([False, False, False, True]),
    }
    named = Rows(tuple(rows), PlainNames(silent=frozenset({"none", config.attack})))
    return Run(1, config, Result(ACCURACIES, arrays, named), 1.0, "")


def panel_with(*runs):
    """What a task looks at: the newest run first."""
    return SimpleNamespace(tried=list(runs), listeners=[], answers=lambda outcome: None)


def said(html):
    return re.sub(r"\s+", " ", re.sub("<[^>]*>", " ", html))


# ---- a run
@pytest.mark.parametrize("config", [FACES, inversion.PRESETS["faces-original"]], ids=lambda config: config.attack)
def test_a_run_is_summed_up_by_its_own_attack(config):
    line = words.summary(run_of(config))
    assert f"40 people, {config.attack} attack" in line
    assert "75% recognised by the judge, 50% by SSIM" in line and "distance 9.00 (noise 17.00)" in line


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


def test_a_caption_says_who_recognises_a_picture_or_that_there_is_nothing_to_see():
    arrays = run_of().result.arrays
    assert said(words.caption(arrays, 0)) == " judge + SSIM correlation 0.80"
    assert "judge only" in words.caption(arrays, 1)
    assert words.caption(arrays, 3) == "nobody<br>correlation 0.50"
    arrays["reconstruction"][3] = 0.5
    assert words.caption(arrays, 3) == "nobody<br>blank"


def test_the_verdict_has_both_measures_and_what_noise_gets():
    line = said(words.verdict_html(run_of().result, FACES))
    assert "3 of 4 by an independent judge" in line and "2 of 4 by the most similar held-out picture (SSIM)" in line
    assert "Of random noise: 0 and 0" in line and "blank" not in line


@pytest.mark.parametrize(
    ("config", "why"),
    [
        (replace(FACES, lam=0.1), "λ = 0.1 weighs so much that a flat picture is worth more"),
        (replace(FACES, steps=10), "so few small steps hardly leave the mid-grey"),
        (FACES, "the model is so sure of somebody else"),
        (replace(FACES, prior="none", lam=0.1), "the model is so sure of somebody else"),
        (replace(FACES, attack="original"), "the steps are too small to be seen"),
    ],
)
def test_blank_drawings_get_a_word(config, why):
    run = run_of(config)
    run.result.arrays["reconstruction"][:3] = 0.5
    line = said(words.verdict_html(run.result, config))
    assert "3 of 4 are blank to the eye" in line and why in line


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
    ours = inversion_measures.by_class(result, words.PRINTED[which])["blank"][:columns]
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


ONE = replace(FACES, steps=1)
PLAIN = replace(ONE, attack="original", prior="none", box=False)


@pytest.mark.parametrize(
    ("runs", "answer"),
    [
        ([], "There is no run of yours yet"),
        ([run_of(DIGITS)], "your runs are not"),
        (
            [run_of(), run_of(replace(FACES, steps=30))],
            "Your shortest run took 30 steps (the judge names 75%, SSIM 50%)",
        ),
        ([run_of(ONE)], "the judge names 75%, SSIM 50%, and 1 of 40 drawings are blank to the eye"),
        ([run_of(ONE)], "make η larger"),
        ([run_of(ONE), run_of(replace(ONE, rate=1.0))], "Even a step of η = 1 leaves many people grey"),
        ([run_of(replace(PLAIN, smooth=2.0))], "The blur of 2 pixels takes away"),
        ([run_of(replace(PLAIN, process="denoise"))], "The filter (denoise)"),
        ([run_of(PLAIN, recognised_ssim_share=0.6)], "Not yet."),
        (
            [run_of(), run_of(PLAIN, recognised_ssim_share=0.9)],
            "✓ Done. After a single step the judge names 75%, SSIM 90%",
        ),
    ],
)
def test_one_step_must_be_enough_for_both(runs, answer):
    """A run that was the target counts, also if others came after it."""
    assert answer in press(tasks.task_few_steps(panel_with(*runs)))


FLAT = replace(FACES, lam=0.1)
UNSEEN = {"recognised_share": 0.05, "recognised_ssim_share": 0.025}


@pytest.mark.parametrize(
    ("runs", "answer"),
    [
        ([], "There is no run of yours yet"),
        ([run_of(distance_mean=11.0)], "Your closest drawings are at 11.00; 10.4"),
        ([run_of(replace(FACES, rate=1.0), distance_mean=20.0)], "Steps of η = 1 drive pixels to black and white"),
        ([run_of(replace(FACES, prior="l1"), distance_mean=20.0)], "a photograph is not black"),
        ([run_of(distance_mean=9.0)], "but the judge names 75%, SSIM 50%. Take away more"),
        ([run_of(replace(FACES, lam=1e-3), distance_mean=9.0)], "your λ was 0.001 with the prior"),
        ([run_of(replace(FACES, prior="none"), distance_mean=9.0)], "a prior, such as"),
        ([run_of(FLAT, distance_mean=9.2, recognised_share=0.8, recognised_ssim_share=0.0)], "the judge names 80%"),
        ([run_of(FLAT, distance_mean=12.0, **UNSEEN)], "Your closest drawings are at 12.00"),
        ([run_of(), run_of(FLAT, distance_mean=9.2, **UNSEEN)], "✓ Done. Your drawings are at 9.20, closer than 10.4"),
    ],
)
def test_the_distance_can_be_fooled(runs, answer):
    assert answer in press(tasks.task_fool_the_distance(panel_with(*runs)))


def test_the_distance_to_beat_is_that_of_the_page_s_first_pictures():
    """And no baseline is asked for: what is printed elsewhere on the page does not solve the task."""
    goal = tasks.start_distance()
    assert goal == pytest.approx(10.44, abs=0.2)
    assert f"{goal:.2f}" in tasks.task_fool_the_distance(panel_with()).children[0].value


STROKES = replace(FACES, prior="l1", lam=0.001)


@pytest.mark.parametrize(
    ("runs", "answer"),
    [
        ([], "There is no run of yours yet"),
        ([run_of(DIGITS)], "your runs are not"),
        ([run_of(replace(STROKES, lam=0.01), confidence_mean=0.5)], "λ = 0.01 holds it back"),
        ([run_of(replace(FACES, steps=30), confidence_mean=0.5)], "it had only 30 steps"),
        ([run_of()], "“flat areas, edges (BTV)” is not a bad idea of a face"),
        ([run_of(replace(FACES, prior="none"))], "give the attacker a wrong idea of what faces look like: a prior"),
        ([run_of(replace(STROKES, lam=1e-5))], "λ = 1e-5 may be too little"),
        (
            [run_of(STROKES, recognised_share=0.25, recognised_ssim_share=0.6)],
            "At most half may be recognised by either",
        ),
        (
            [run_of(STROKES, recognised_share=0.25)],
            "✓ Done. The model is 95% sure of its drawings, and the judge names 25%",
        ),
    ],
)
def test_a_model_may_be_sure_of_what_nobody_recognises(runs, answer):
    assert answer in press(tasks.task_confident_nonsense(panel_with(*runs)))


def test_nobody_is_told_to_try_what_they_have_tried():
    """A prior to somebody who has one, a larger step to somebody who took the largest."""
    for config in (FACES, STROKES, replace(FACES, prior="l1+tv")):
        assert "a prior, and some weight" not in press(tasks.task_confident_nonsense(panel_with(run_of(config))))
    assert "make η larger" not in press(tasks.task_few_steps(panel_with(run_of(replace(ONE, rate=1.0)))))


@pytest.mark.parametrize(("task", "run"), [
    (tasks.task_few_steps, run_of(PLAIN, recognised_ssim_share=0.9)),
    (tasks.task_fool_the_distance, run_of(FLAT, distance_mean=9.2, **UNSEEN)),
    (tasks.task_confident_nonsense, run_of(STROKES, recognised_share=0.25)),
])  # fmt: skip
def test_a_finished_task_names_the_run_behind_it(task, run, monkeypatch):
    noted = []
    monkeypatch.setattr(questions.WORK, "note", lambda kind, title, entry: noted.append(entry))
    press(task(panel_with(run_of(), run)))
    ((behind,),) = [entry["behind"] for entry in noted]
    assert behind["config"]["lam"] == run.config.lam and behind["numbers"]["distance_mean"] == behind_distance(run)


def behind_distance(run):
    return run.result.numbers["distance_mean"]


def test_a_prediction_is_answered_by_the_run():
    panel = panel_with()
    view = tasks.predict_recognition(panel)
    panel.listeners[0](run_of(replace(FACES, people=5)))  # not the one that was asked about
    panel.listeners[0](run_of())
    buttons = [child for child in widgets_in(view) if type(child).__name__ == "Button"]
    buttons[3].click()
    said = [child.value for child in widgets_in(view) if "guessing gives 1" in getattr(child, "value", "")]
    assert "3 of 4 by the judge (2 by SSIM)" in said[0] and "a mixture of that person's photographs" in said[0]


def widgets_in(view):
    yield view
    for child in getattr(view, "children", ()):
        yield from widgets_in(child)

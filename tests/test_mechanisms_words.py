"""The words of lesson 5 follow its numbers: the noise of a cart, promises, contests, claims, rankings, tasks."""

import json
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from test_plots_mechanisms import sweep_arrays

from dpmia_lab.experiments.mechanism_sweep import sweep_of, sweep_so_far
from dpmia_lab.experiments.mechanisms import ATTACKS, COLUMNS, GRID, PRESETS, column
from dpmia_lab.options import as_dict
from dpmia_lab.reference import shipped
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit import claims as kit_claims
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, NOT_CLAIMED, UNDECIDED
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.mechanisms import claims, data, findings, hook, ranking, tasks, words
from dpmia_lab.widgets.mechanisms.data import contest

CONFIG = replace(PRESETS["skewed-10"], repeats=2)


def points(**changes):
    """Arrays of six points, attacked under both protocols; ``changes`` to the white box's and other values."""
    arrays = sweep_arrays() | {"classes": np.full(6, 10.0)}
    for attack in ATTACKS:
        arrays[column("auc", attack, "shifted")] = np.array([1.0, 0.99, 0.99, 0.98, 0.98, 1.0])
        arrays[column("phi", attack, "shifted")] = arrays[column("phi", "white_box")]
    named = {"white": column("auc", "white_box"), "black": column("auc", "black_box"), "accuracy": "test_accuracy"}
    return arrays | {named[name]: np.array(values) for name, values in changes.items()}


def sweep(config=CONFIG, **changes):
    return sweep_of(points(**changes), config, "reference")


def run_of(**changes):
    return Run(1, CONFIG, Result({"classes": 10.0}, points(**changes)), 1.0, "")


def record_of(arrays):
    """As ``make reference`` writes it: lists, null where there is no number."""
    listed = json.loads(json.dumps({name: values.tolist() for name, values in arrays.items()}).replace("NaN", "null"))
    return {"config": as_dict(CONFIG), "results": {}, "points": listed}


@pytest.fixture
def ship(monkeypatch):
    """Lets these records be what ships with the lab."""

    def records(kept):
        monkeypatch.setattr(data, "shipped_or_nothing", lambda name: kept)
        data.references.cache_clear()

    yield records
    data.references.cache_clear()


@pytest.fixture
def with_reference(ship):
    ship({"skewed-10": record_of(points())})


@pytest.fixture
def without_reference(ship):
    ship({})


# ---- the cart and the picture
def test_a_cart_without_noise_is_sent_as_it_is():
    cart = hook.one_cart()
    assert cart[hook.SECRET] == 1 and cart.shape == (600,)
    words = hook.cart_numbers_html(cart, cart, math.inf)
    assert "100.0%" in words and "no promise" in words and "∞ : 1" in words


def test_the_numbers_of_a_cart_say_both_epsilons():
    cart = hook.one_cart()
    words = hook.cart_numbers_html(cart, 1 - cart, math.log(3))
    assert "75.0%" in words and "3 : 1" in words and "0 of 600 in this draw" in words
    assert "for a record, 1.1 for one bit (replace one; δ = 0" in words


@pytest.mark.parametrize(
    ("epsilon", "yes", "no"), [(math.inf, 1.0, 0.0), (math.log(3), 3 / 102, 1 / 298), (1e-9, 0.01, 0.01)]
)
def test_a_snoop_reasons_by_bayes(epsilon, yes, no):
    assert hook.belief_after(True, epsilon) == pytest.approx(yes)
    assert hook.belief_after(False, epsilon) == pytest.approx(no)


def test_the_numbers_of_a_picture_follow_its_sliders():
    words = hook.picture_numbers_html((1, 56, 46), 2, 4, 10.0)
    assert "25.5" in words and "6,440" in words and "10 for any 4 pixel values" in words
    assert "no promise" in hook.picture_numbers_html((1, 56, 46), 1, 1, math.inf)


# ---- reference and own points
def test_a_reference_is_read_with_its_gaps(with_reference):
    (kept,) = data.references().values()
    assert kept.row("phi", "central 8", "white_box", "alike") is None
    assert np.isnan(kept.at("phi", "central", "white_box", "alike")).tolist() == [False, False, True]
    assert kept.curves["local 3", "white_box", "alike"].shape == (len(GRID),)
    assert kept.config == CONFIG and kept.protocols() == ["alike", "shifted"]
    assert list(data.quick_presets())[0] == "skewed-10"


def test_the_page_does_without_a_reference(without_reference):
    assert data.references() == {}
    assert set(data.quick_presets()) == set(PRESETS)
    assert "has not been computed" in words.sizes_html(None, [])
    shown = (findings.findings().children[0].value, findings.trap().children[0].value, findings.results_html())
    assert all("make reference" in html for html in shown)


def test_quick_sweeps_are_of_the_references_data():
    for name, quick in data.quick_presets().items():
        assert data.preset_of(quick) == name and quick.records <= 1000 and quick.epochs <= 20


def test_rows_become_means_over_the_seeds_there_are():
    config = replace(CONFIG, zs="1", epsilons="1", repeats=2)  # three points a seed
    table = np.full((4, len(COLUMNS)), np.nan)
    table[:, COLUMNS.index("mechanism")] = [0, 1, 2, 0]
    table[:, COLUMNS.index("parameter")] = [np.nan, 1, 1, np.nan]
    table[:, COLUMNS.index("test_accuracy")] = [0.8, 0.5, 0.6, 0.9]
    so_far = sweep_so_far(table, config, "so far")
    assert so_far.defences == ["none", "central 1", "local 1"]
    assert [so_far.value("test_accuracy", one) for one in so_far.defences] == pytest.approx([0.85, 0.5, 0.6])
    assert so_far.row("test_accuracy", "none").spread and so_far.row("test_accuracy", "central 1").spread is None
    first = sweep_so_far(table[:2], config, "so far")
    assert first.defences == ["none", "central 1"] and np.isnan(first.spread("test_accuracy", "none"))


# ---- who is better?
def test_a_contest_is_held_only_where_both_reach():
    found = contest(sweep())
    np.testing.assert_allclose(found.levels, [0.6, 0.7])
    np.testing.assert_allclose(found.central, [0.4, 0.8])
    np.testing.assert_allclose(found.local, [0.7, 0.7 + 0.24 * 10 / 18])
    assert found.verdict == "local" and found.strict is True
    assert "<b>local</b> noise keeps more accuracy, never less" in words.contest_words(found)


def test_mechanisms_that_never_meet_cannot_be_compared():
    assert contest(sweep(white=[0.9, 0.6, 0.55, 0.5, 0.7, 0.8])).verdict == "neither"
    central = sweep_of({name: values[:4] for name, values in points().items()}, CONFIG, "reference")
    found = contest(central)
    assert found.verdict == "neither" and "cannot be compared" in words.contest_words(found)
    assert contest(sweep(white=[np.nan] * 6)).verdict == "neither"


# ---- words and tables
def test_each_epsilon_says_what_it_is_for():
    said = words.axis_words(sweep())
    assert "add or remove one" in said["central"] and "δ = 1/n, tight accountant" in said["central"]
    assert "600 × ε_i of one bit" in said["local"] and "replace one, δ = 0" in said["local"]
    assert "of one edge" in words.axis_words(sweep(PRESETS["graphs"]))["local"]
    assert "added over all" in words.axis_words(None)["local"]


def test_the_table_says_undefined_and_never_nan():
    html = words.numbers_html(sweep(), "alike")
    assert "undefined" in html and "nan" not in html and "0.800 ± 0.020" in html and "<td>1800</td>" in html


# ---- findings
def test_every_claim_is_checked_against_the_numbers(with_reference):
    html = findings.findings().children[0].value
    assert "gone from ε = 1.3 down with central noise, from ε = 300 with local noise: 231 times" in html
    assert "it is higher at 5 of 6 points" in html and "φ above 1 at 2 of 2 strengths" in html
    assert html.count("<h4>") == len(findings.IN_LESSON) and "nan" not in html
    shown = findings.trap().children[0].value
    assert "AUC 1.00 or 0.80, for the same model and attack" in shown


def test_what_cannot_be_said_is_not_said():
    assert claims.epsilon_claim(sweep(white=[0.5] * 6), "alike").finding == UNDECIDED
    assert claims.boxes_claim(sweep(black=[np.nan] * 6), "alike").finding == UNDECIDED


def test_where_nothing_leaks_no_claim_is_judged():
    found = claims.where_it_leaks(claims.boxes_claim, sweep(white=[0.51, 0.7, 0.6, 0.5, 0.6, 0.78]), "alike")
    assert found.finding == UNDECIDED and "AUC is 0.51: there is next to nothing to protect" in found.sentence


def test_claims_beyond_the_lesson_follow_the_numbers():
    found = claims.accuracy_claim(sweep())
    assert found.finding == AGREES and "1 of 3 strengths of central noise and at 2 of 2" in found.sentence
    assert claims.accuracy_claim(sweep(accuracy=[0.9, 0.8, 0.8, 0.8, 0.2, 0.8])).finding == DIFFERS
    said = claims.outsiders_finding(sweep()).sentence
    assert "0.800 ± 0.020 without a defence, 0.500 ± 0.020 at the lowest" in said and "0.980 at the lowest" in said
    ratios = points() | {column("auc", "lira_offline"): np.array([0.9, 0.8, 0.7, 0.6, 0.8, 0.9])}
    found = claims.ratio_finding(sweep_of(ratios, CONFIG, "reference"))
    assert found.finding == NOT_CLAIMED and "at 1 of 5 strengths" in found.sentence
    assert "at most 0.600, where the better of the two has 0.500 ± 0.020 (central, z = 8" in found.sentence


def test_the_shipped_results_are_judged_and_listed():
    """As README once said, and as the page of findings lists them."""
    listed = [*findings.CLAIMS, *findings.ADDED]
    judged = {(one.title, one.data): one for one in kit_claims.checked(listed)}
    assert {title for title, _ in judged} == {claim.title for claim in listed}
    carts = judged["Two attacks are not all attacks", "purchases-like carts, 20 styles"]
    assert "0.558 ± 0.006, where the better of the two has 0.523" in carts.sentence and "ε = 1.9)" in carts.sentence
    orders = [one.finding for (title, _), one in judged.items() if title == "AOP follows from accuracy and AUC"]
    assert orders == [AGREES] * 5 + [DIFFERS]
    html = findings.results_html()
    assert html.count("<tr>") == 1 + 2 * 12 and "nan" not in html and carts.sentence in html
    cells = ("central, z = 0.5", "16.9", "10.8 %", "0.55 / 0.62", "0.69", "0.84 / 0.95")
    assert "".join(f"<td>{cell}</td>" for cell in cells) in html


# ---- AOP
@pytest.mark.parametrize(
    ("lam", "tolerance"), [(1, 0.001), (2, 0.003), (5, 0.005), (10, 0.01), (20, 0.015), (50, 0.021)]
)
def test_paper_d_is_recomputed(lam, tolerance):
    entries = ranking.published_entries(lam)
    assert ranking.farthest(entries) <= tolerance
    assert sorted((entry.score for entry in entries), reverse=True) == [entry.score for entry in entries]
    assert {entry.words for entry in entries} == set(ranking.DEFENCES.values())


def test_lambda_changes_who_wins():
    firsts = [ranking.published_entries(lam)[0].words for lam in (1, 2, 50)]
    assert firsts == ["regularised", "DAP, training data", "DAP, validation data"]
    assert set(map(str, ranking.LAMBDAS)) == set(shipped("published")["dap"]["aop"])
    ours = [ranking.sweep_entries(sweep(), "white_box", "alike", lam, False) for lam in (1, 50)]
    least, most = (max(entries, key=lambda entry: entry.score).words for entries in ours)
    assert least == "local, ε_i = 3 (ε = 1800)" and most == "central, z = 8 (ε = 0.2)"


def test_an_attack_that_was_not_made_is_not_ranked():
    assert ranking.sweep_entries(sweep(), "lira", "alike", 1, True) == []


def test_a_ranking_marks_the_readers_own():
    html = ranking.ranking_html("This lab", "about", ranking.sweep_entries(sweep(), "white_box", "alike", 2, True))
    assert html.count("●") == 6 and "dp-rank-local" in html


# ---- tasks
def checked(view):
    """What a task says when it is checked."""
    view.children[-2].click()
    return view.children[-1].value


@pytest.mark.parametrize(
    ("epsilon", "words"), [(3.0, "at most 5% is asked for"), (0.5, "70% are needed"), (1.0, "the record has ε = 600")]
)
def test_the_cart_can_be_denied(epsilon, words):
    cart = SimpleNamespace(epsilon=SimpleNamespace(value=epsilon))
    assert words in checked(tasks.task_deny(cart))


def test_a_bargain_is_found_or_missed():
    def said(**changes):
        return checked(tasks.task_bargain(SimpleNamespace(last=run_of(**changes))))

    assert "no sweep of yours" in checked(tasks.task_bargain(SimpleNamespace(last=None)))
    assert "Your nearest is" in said()
    good = said(accuracy=[0.95, 0.8, 0.4, 0.1, 0.9, 0.94])
    assert "✓" in good and "local, ε_i = 0.5 keeps 94%" in good
    assert "hardly anything to protect" in said(white=[0.51] * 6)


@pytest.mark.parametrize(("lam", "words"), [(1, "weigh privacy more"), (5, "✓"), (50, "smaller λ on the slider")])
def test_the_weight_of_privacy_is_found(lam, words):
    panel = SimpleNamespace(lam=SimpleNamespace(value=lam))
    assert words in checked(tasks.task_weight(panel))


def test_the_prediction_is_answered_by_reference_and_own_sweep(with_reference):
    panel = SimpleNamespace(listeners=[])
    view = tasks.predict_tradeoff(panel)
    view.children[1].children[0].click()
    panel.listeners[0](run_of())
    said = view.children[2].value
    assert "As you predicted" in said and "Your sweep: at equal AUC" in said and "The reference:" in said

"""The words of lesson 5 follow its numbers: the noise of a cart, promises, contests, claims, rankings, tasks."""

import json
import math
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from test_plots_mechanisms import sweep_arrays

from dpmia_lab.experiments.equal_leak import AucOverEpsilon, contest
from dpmia_lab.experiments.mechanism_sweep import sweep_of, sweep_so_far
from dpmia_lab.experiments.mechanisms import COLUMNS, GRID, PRESETS, column
from dpmia_lab.options import as_dict
from dpmia_lab.reference import shipped
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit import claims as kit_claims
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, NOT_CLAIMED, UNDECIDED
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.mechanisms import bargain, claims, data, findings, hook, ranking, tasks, words
from dpmia_lab.widgets.mechanisms.bargain import Bargain
from dpmia_lab.widgets.mechanisms.words import PAPERS_ATTACKS

CONFIG = replace(PRESETS["skewed-10"], repeats=2)


def points(**changes):
    """Arrays of six points, attacked under both protocols; ``changes`` to the white box's and other values."""
    arrays = sweep_arrays()
    for attack in PAPERS_ATTACKS:
        arrays[column("auc", attack, "shifted")] = np.array([1.0, 0.99, 0.99, 0.98, 0.98, 1.0])
        arrays[column("phi", attack, "shifted")] = arrays[column("phi", "white_box")]
    named = {"white": column("auc", "white_box"), "black": column("auc", "black_box"), "accuracy": "test_accuracy"}
    return arrays | {named[name]: np.array(values) for name, values in changes.items()}


def sweep(config=CONFIG, **changes):
    return sweep_of(points(**changes), config, "reference")


def run_of(**changes):
    return Run(1, CONFIG, Result({"classes": 10.0}, points(**changes)), 1.0, "")


def panel_of(*runs):
    return SimpleNamespace(table=SimpleNamespace(runs=list(runs)), listeners=[], answers=lambda outcome: None)


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
    assert "for a record (features only: labels are not randomised), 1.1 for one bit (replace one; δ = 0" in words


@pytest.mark.parametrize(
    ("epsilon", "yes", "no"), [(math.inf, 1.0, 0.0), (math.log(3), 3 / 102, 1 / 298), (1e-9, 0.01, 0.01)]
)
def test_a_snoop_reasons_by_bayes(epsilon, yes, no):
    assert hook.belief_after(True, epsilon) == pytest.approx(yes)
    assert hook.belief_after(False, epsilon) == pytest.approx(no)


def test_the_numbers_of_a_picture_follow_its_sliders():
    words = hook.picture_numbers_html((1, 56, 46), 2, 4, 10.0)
    assert "25.5" in words and "6440" in words and "10 for any 4 pixel values" in words
    assert "no promise" in hook.picture_numbers_html((1, 56, 46), 1, 1, math.inf)


@pytest.mark.parametrize("reach", hook.REACH)
@pytest.mark.parametrize("epsilon", hook.PIXELS[1:])
def test_a_figure_and_the_sentence_below_it_are_the_same_epsilon(epsilon, reach):
    """As once they were not: "11" above "10.1"."""
    shown = re.search(r'"value">([^<]*)</div><div class="means">ε = (\S+) ', hook.picture_numbers_html((1, 56, 46), 1,
                      reach, epsilon))  # fmt: skip
    assert shown[1] == shown[2] and float(shown[1]) >= 56 * 46 / reach * epsilon * (1 - 1e-9)


# ---- reference and own points
def test_a_reference_is_read_with_its_gaps(with_reference):
    (kept,) = data.references().values()
    assert kept.row("phi", "central 8", "white_box", "alike") is None
    assert np.isnan(kept.at("phi", "central", "white_box", "alike")).tolist() == [False, False, True]
    assert kept.curves["local 3", "white_box", "alike"].shape == (len(GRID),)
    assert kept.config == CONFIG and kept.protocols() == ["alike", "shifted"]
    assert list(data.quick_presets())[0] == "skewed-10"


def test_the_page_begins_with_data_on_which_something_can_be_said():
    first = next(iter(data.quick_presets()))
    kept = data.references()[first]
    assert kept.leaks("white_box", "alike") and contest(kept).verdict != "neither"


def test_the_page_does_without_a_reference(without_reference):
    assert data.references() == {}
    assert set(data.quick_presets()) == set(PRESETS)
    assert "has not been computed" in words.sizes_html(None, [], ("white_box", "alike"))
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
    error = 0.02 / math.sqrt(2)  # of every AUC and accuracy; by the slope of the steeper side the AUC's counts
    lines = [math.hypot(1, 4) * error, math.hypot(1, 0.24 / 0.18) * error]
    np.testing.assert_allclose(found.errors, math.hypot(*lines))
    assert found.clear.tolist() == [True, False] and found.verdict == "local"
    said = words.contest_words(found)
    assert "<b>local</b> noise keeps more accuracy: they differ beyond chance at 1 of the 2 AUC values" in said
    assert "at 0.600 local noise keeps 70.0% right, central noise 40.0% (difference +30.0 ± 12.6 points" in said


def test_mechanisms_that_never_meet_cannot_be_compared():
    assert contest(sweep(white=[0.9, 0.6, 0.55, 0.5, 0.7, 0.8])).verdict == "neither"
    central = sweep_of({name: values[:4] for name, values in points().items()}, CONFIG, "reference")
    found = contest(central)
    assert found.verdict == "neither" and "only one of the mechanisms was tried, so" in words.contest_words(found)
    found = contest(sweep(white=[0.52, 0.515, 0.51, 0.5, 0.5, 0.52]))
    assert found.verdict == "neither" and "does not find members beyond doubt" in words.contest_words(found)


def test_no_winner_is_seen_where_there_is_none():
    """Both mechanisms on one line, with the noise that their errors tell of: two standard errors, at five levels."""
    rng, wins = np.random.default_rng(0), 0
    for _ in range(100):
        auc = np.array([0.8, 0.7, 0.6, 0.5, 0.55, 0.65]) + rng.normal(0, 0.02, 6) / math.sqrt(2)
        accuracy = np.array([0.9, 0.7, 0.5, 0.3, 0.4, 0.6]) + rng.normal(0, 0.02, 6) / math.sqrt(2)
        wins += contest(sweep(white=auc, accuracy=accuracy)).verdict in ("local", "central", "either")
    assert wins <= 20  # at most 5 % a level, levels being far from independent


def test_a_difference_that_only_chance_hides_is_not_called_alike():
    wide = points() | {"test_accuracy_sd": np.full(6, 0.4), f"{column('auc', 'white_box')}_sd": np.full(6, 0.02)}
    assert contest(sweep_of(wide, CONFIG, "reference")).verdict == "unclear"


# ---- ε at equal protection
def test_an_epsilon_between_two_strengths_lies_on_the_line():
    found = AucOverEpsilon(sweep(), "central", "white_box", "alike").crossing(0.65)
    assert found.epsilon == pytest.approx(math.sqrt(1.3 * 20))  # half-way, over log ε
    up = 2 * 0.02 / math.sqrt(2) / 0.1  # two standard errors, in parts of the way
    assert found.high == pytest.approx(1.3 * (20 / 1.3) ** (0.5 + up))
    assert found.low == pytest.approx(1.3 * (20 / 1.3) ** (0.5 - up))


def test_another_point_on_the_line_changes_no_epsilon():
    more = {name: np.insert(values, 2, values[1:3].mean(0), axis=0) for name, values in points().items()}
    more["epsilon"][2] = math.sqrt(1.3 * 20)
    finer = sweep_of(more, CONFIG, "reference")
    for level in (0.55, 0.62, 0.66):
        one, other = (AucOverEpsilon(s, "central", "white_box", "alike").crossing(level) for s in (sweep(), finer))
        assert one.epsilon == pytest.approx(other.epsilon)


def test_what_no_strength_reaches_is_not_made_up():
    central, local = (AucOverEpsilon(sweep(), name, "white_box", "alike") for name in ("central", "local"))
    assert central.crossing(0.75).epsilon == math.inf and local.crossing(0.55).epsilon == 0
    assert claims.halving_text(central, 0.75, 0.0) == "every ε that was tried, up to 20"
    assert claims.halving_text(local, 0.55, 0.0) == "no ε that was tried, down to 300"


def test_half_of_the_advantage_goes_where_the_shipped_rows_say():
    """By hand from its rows: 49 % is gone at central 16.8, 48 % at local 600; not at 0.8 and 300, the next points."""
    kept = data.references()["skewed-50"]
    half = 0.5 + (kept.value("auc", "none", "white_box", "alike") - 0.5) / 2
    central, local = (AucOverEpsilon(kept, name, "white_box", "alike").crossing(half) for name in ("central", "local"))
    assert 12 < central.low < central.epsilon < 16.9 and 500 < local.low < local.epsilon < local.high < 625


# ---- words and tables
def test_each_epsilon_says_what_it_is_for():
    said = words.axis_words(sweep())
    assert "add or remove one" in said["central"] and "δ = 1/n, tight accountant" in said["central"]
    assert "600 × ε_i of one bit" in said["local"] and "replace one, δ = 0" in said["local"]
    assert "labels are not randomised" in said["local"] and "labels are not randomised" in words.epsilon_html(sweep())
    assert "of one edge" in words.axis_words(sweep(PRESETS["graphs"]))["local"]
    assert "added over all" in words.axis_words(None)["local"]


def test_the_table_says_what_is_missing_and_never_nan():
    html = words.numbers_html(sweep(), "alike")
    assert (
        "<td>no φ</td>" in html
        and "<td>not tried</td>" in html
        and "nan" not in html
        and "0.800 ± 0.020" in html
        and "<td>1800</td>" in html
    )


def test_where_there_is_no_phi_the_page_says_why():
    assert words.no_phi_html(sweep(), "white_box", "alike") == ""
    said = words.no_phi_html(sweep(white=[0.511, 0.5, 0.5, 0.5, 0.5, 0.5]), "white_box", "alike")
    assert "AUC is 0.511 (0.483 to 0.539), two standard errors (over 2 seeds)" in said  # ± 2·.02/√2
    assert "only where the lower end is at least 0.53" in said
    shipped_sets = data.references()
    without = {name for name, one in shipped_sets.items() if not one.leaks("white_box", "alike")}
    assert without == {"skewed-10", "graphs"}
    assert all(not shipped_sets[name].rows.has("phi", attack="white_box", protocol="alike") for name in without)
    assert shipped_sets["skewed-10"].rows.has("phi", attack="lira_offline", protocol="alike")


# ---- findings
def test_every_claim_is_checked_against_the_numbers(with_reference):
    html = findings.findings().children[0].value
    assert "at AUC 0.650, in the middle of what both reach, central noise has ε = 5.1 (2.4 to 12), local noise" in html
    assert "higher at 5 of 6 points and lower at 0" in html and "φ above 1 at 2 of 2 strengths" in html
    assert html.count("<table") == 3 and html.count("<details>") == 2 and "nan" not in html
    assert html.count("<th>") == 1 + len(findings.IN_LESSON) + 4 + 3 and "<li>" not in html
    shown = findings.trap().children[0].value
    assert "<td>1.000</td><td>0.800 ± 0.020</td><td>not tried</td>" in shown  # shifted, alike, likelihood ratio


def test_what_cannot_be_said_is_not_said():
    assert claims.epsilon_claim(sweep(white=[0.8, 0.52, 0.51, 0.5, 0.6, 0.78]), "alike").finding == UNDECIDED
    assert claims.boxes_claim(sweep(black=[np.nan] * 6), "alike").finding == UNDECIDED


def test_where_nothing_leaks_no_claim_is_judged():
    found = claims.where_it_leaks(claims.boxes_claim, sweep(white=[0.51, 0.7, 0.6, 0.5, 0.6, 0.78]), "alike")
    assert found.finding == UNDECIDED and "AUC is 0.510 (0.482 to 0.538), too near guessing" in found.sentence
    ratios = points(white=[0.51] * 6) | {column("auc", "lira_offline"): np.full(6, 0.6)}
    found = claims.where_it_leaks(claims.boxes_claim, sweep_of(ratios, CONFIG, "reference"), "alike")
    assert "likelihood ratio has 0.600" in found.sentence and "members can be found, the white box" in found.sentence


def test_each_reason_is_given_once():
    weak = claims.verdict(None, "too near guessing")
    listed = [kit_claims.Claim(title, "C", "so", lambda: {"carts": weak, "faces": weak}) for title in ("one", "two")]
    html = findings.claims_html(listed)
    assert html.count("too near guessing.") == 2 and "one; two" in html  # once for each data set
    assert html.count("cannot be told</td>") == 4


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
    pays = "The two pay alike for protection"
    assert judged[pays, "Skewed Purchases, 50 classes (outsiders like the members)"].finding == DIFFERS
    assert judged[pays, "purchases-like carts, 20 styles"].finding == AGREES
    boxes = judged["The white box beats the black box", "purchases-like carts, 20 styles"]
    assert boxes.finding == DIFFERS and "higher at 3 of 12 points and lower at 9" in boxes.sentence
    ten = judged[pays, "Skewed Purchases, 10 classes (outsiders like the members)"]
    assert ten.finding == UNDECIDED and "has 0.570 (0.560 to 0.580): members can be found" in ten.sentence
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


def test_a_ranking_says_what_chance_can_turn_round():
    """AOP = ACC/(2 AUC)^λ: its relative error is that of accuracy and λ times that of AUC."""
    error = 0.02 / math.sqrt(2)
    for lam in (1, 50):
        entries = ranking.sweep_entries(sweep(), "white_box", "alike", lam, False)
        first = entries[0]
        assert first.error == pytest.approx(first.score * math.hypot(error / 0.95, lam * error / 0.8))
    close = (
        ranking.Entry("a", "local", 0.8, 0.6, 0.50, error=0.02),
        ranking.Entry("b", "local", 0.8, 0.6, 0.45, error=0.02),
    )
    assert ranking.tied_with_first(list(close)) == 1  # .05 apart, two standard errors are .057
    assert "chance alone keeps 1 of the others" in ranking.first_words(list(close))
    apart = [close[0], replace(close[1], score=0.4)]
    assert ranking.tied_with_first(apart) == 0 and "beyond chance" in ranking.first_words(apart)


# ---- tasks
def checked(view):
    """What a task says when it is checked."""
    view.children[-2].click()
    return view.children[-1].value


@pytest.mark.parametrize(
    ("epsilon", "words"),
    [(3.0, "at most 5% is asked for"), (0.5, "70% are needed"), (1.0, "But ε = 600 for a record (features only")],
)
def test_the_cart_can_be_denied(epsilon, words):
    cart = SimpleNamespace(epsilon=SimpleNamespace(value=epsilon))
    assert words in checked(tasks.task_deny(cart))


def test_a_bargain_is_found_or_missed():
    def said(*runs):
        return checked(tasks.task_bargain(panel_of(*runs)))

    assert "no sweep of yours" in said()
    assert "Your nearest is" in said(run_of())
    good = run_of(accuracy=[0.95, 0.8, 0.4, 0.1, 0.9, 0.94])
    for runs in ([good], [run_of(), good]):  # also an earlier one
        found = said(*runs)
        assert "✓" in found and "local, ε_i = 0.5 keeps 94%" in found and "labels are not randomised" in found
    assert "too near guessing" in said(run_of(white=[0.51] * 6))


def tried(*shares):
    """Points of local noise by ε_i: what each keeps and leaves."""
    return [Bargain(f"local {strength:g}", kept, left, 600 * strength, np.nan) for strength, kept, left in shares]


@pytest.mark.parametrize(
    ("points", "words", "is_open"),
    [
        ([], "nothing tried yet", True),
        ([(3, 0.9, 0.8), (1, 0.5, 0.2)], "try between local, ε_i = 3 (keeps 90%, leaves 80%) and local, ε_i = 1", True),
        ([(4, 0.95, 0.9), (3, 0.9, 0.8)], "local, ε_i = 3 (keeps 90%, leaves 80%) leaves too much: try more", True),
        ([(1, 0.5, 0.2), (0.5, 0.3, 0.1)], "ε_i = 1 (keeps 50%, leaves 20%) keeps too little: try less noise", True),
        ([(3, 0.9, 0.8), (2, 0.7, 0.6), (1, 0.5, 0.2)], "ε_i = 2 (keeps 70%, leaves 60%) misses both", False),
        ([(2.1, 0.81, 0.55), (2, 0.79, 0.49)], "only chance decides", False),
    ],
)
def test_the_hint_points_where_a_bargain_can_be(points, words, is_open):
    way = bargain.way_on(tried(*points))
    assert words in way.words and way.is_open == is_open


def test_the_way_on_leads_to_a_bargain_wherever_there_is_one():
    """Curves that fall with the noise; a hint is followed by the middle of what it leaves open."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        at = rng.uniform(0.7, 3)  # where the bargain lies
        low, high = 0.05, 20.0
        for _ in range(12):
            middle = math.sqrt(low * high)
            kept, left = 0.84 - 0.2 * math.log(at / middle), 0.46 - 0.2 * math.log(at / middle)
            (one,) = tried((middle, kept, left))
            if one.useful and one.safe:
                break
            words = bargain.way_on([one]).words
            assert ("more noise" in words) != ("less noise" in words)
            low, high = (low, middle) if "more noise" in words else (middle, high)  # more noise: smaller ε_i
        assert one.useful and one.safe


def test_where_no_strength_does_more_records_are_advised_and_earlier_runs_count():
    poor = run_of(accuracy=[0.95, 0.6, 0.4, 0.1, 0.7, 0.75], white=[0.8, 0.7, 0.6, 0.5, 0.66, 0.78])
    said = checked(tasks.task_bargain(panel_of(poor)))
    assert "does not do it with 8,000 records: take more" in said
    fewer = replace(poor, config=replace(CONFIG, records=600))
    assert "with 600 records" in checked(tasks.task_bargain(panel_of(fewer, poor)))  # other settings do not mix
    assert bargain.only_strengths_differ(replace(poor, config=replace(CONFIG, zs="1", seed=3)), poor)


@pytest.mark.parametrize(("lam", "words"), [(1, "weigh privacy more"), (5, "✓"), (50, "smaller λ on the slider")])
def test_the_weight_of_privacy_is_found(lam, words):
    panel = SimpleNamespace(lam=SimpleNamespace(value=lam))
    assert words in checked(tasks.task_weight(panel))


def test_without_a_reference_the_prediction_is_answered_by_the_readers_own_sweep(without_reference):
    panel = panel_of()
    view = tasks.predict_tradeoff(panel)
    view.children[1].children[1].click()
    panel.listeners[0](run_of())
    assert "You predicted" in view.children[2].value and "Your sweep: <b>local</b> noise" in view.children[2].value


def test_the_prediction_is_answered_by_the_reference(with_reference):
    panel = panel_of()
    view = tasks.predict_tradeoff(panel)
    view.children[1].children[0].click()
    panel.listeners[0](run_of())
    said = view.children[2].value
    assert "As you predicted" in said and "The reference: <b>local</b> noise keeps more accuracy (at AUC 0.600" in said
    assert tasks.REASONS["local"] in said

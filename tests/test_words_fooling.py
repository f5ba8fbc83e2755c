"""Lesson 9 without a browser: charts, words, claims, ranking and tasks from results that are made up."""

from dataclasses import replace

import numpy as np
import pytest

from dpmia_lab.experiments.fooling import CURVE, LAMBDAS, NAMES, PRESETS
from dpmia_lab.plots.fooling import Attacked, Course, attacks_chart, course_chart
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.fooling import findings, ranking, table, tasks, words
from dpmia_lab.widgets.fooling.controls import DEFENCE_WORDS, PRESET_WORDS, STRENGTH, new_controls, reasons
from dpmia_lab.widgets.fooling.data import presets
from dpmia_lab.widgets.fooling.hook import LETTERS, fooled_html, outcome_html, ranks, says_in, stored_six, verdict_html
from dpmia_lab.widgets.fooling.table import Table
from dpmia_lab.widgets.fooling.words import ADAPTED
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS, UNDECIDED
from dpmia_lab.widgets.kit.runs import Run

WIDTHS = pytest.mark.parametrize("width", [320, 774])
CARTS = PRESETS["carts"]


def rows(defence="dap", accuracy=0.4, own_d=0.55, paper=0.6, ratio=0.8, caught=0.2, worst=0.9) -> Rows:
    def one(measure, value, attack="", protocol="", of=defence):
        return Row(measure, value, of, attack, protocol, max(0.0, value - 0.01), min(1.0, value + 0.01))

    made = [one("auc", own_d, "own_d", "alike"), one("tpr1", 0.01, "own_d", "alike"),
            one("tpr01", 0.001, "own_d", "alike")]  # fmt: skip
    for attack in ADAPTED:
        made.append(one("auc", 0.7, attack, "alike"))
    for attack in ("loss", "regression", "forest"):
        made += [one("auc", paper, attack, "alike"), one("tpr1", 0.02, attack, "alike")]
        made += [one("tpr01", 0.001, attack, "alike")]
    for of in dict.fromkeys((defence, "none")):
        right = accuracy if of == defence else 0.6
        made.append(one("accuracy", right, protocol="turns", of=of))
        for attack, value in (("lira_fixed", ratio), ("lira_levelled", ratio - 0.05)):
            made.append(one("auc", value, attack, "turns", of))
            shares = {"turns": caught, "mislabelled": 0.3, "atypical": worst}
            made += [one("tpr1", share, attack, kind, of) for kind, share in shares.items()]
            made += [one("tpr01", 0.01, attack, "turns", of)]
    return Rows(tuple(made), NAMES)


def curve(epochs=6) -> dict[str, np.ndarray]:
    made = {name: np.linspace(0.5, 0.9, epochs) for name in CURVE}
    return made | {"epoch": np.arange(1.0, epochs + 1)}


def result(matched: float | None = 0.85, **of) -> Result:
    numbers = {"chance": 0.05, "kept_epoch": 3.0, "train_accuracy": 0.5, "test_accuracy": 0.4, "members": 600.0}
    numbers |= {} if matched is None else {"matched_auc": matched, "matched_gain": matched - of.get("ratio", 0.8)}
    arrays = {f"curve_{name}": values for name, values in curve().items()}
    looks = {"epoch": np.array([1, 3, 6]), "auc": np.array([0.6, 0.7, 0.9])}
    arrays |= {f"{who}_{name}": values for who in ("look", "stopping") for name, values in looks.items()}
    return Result(numbers, arrays, rows(**of))


def run(config=CARTS, matched: float | None = 0.85, number=1, **of) -> Run:
    return Run(number, config, result(matched, defence=config.defence, **of), 1.0, "")


# ---- charts
@WIDTHS
def test_the_course_of_a_run_says_what_each_attacker_sees(width):
    looks = np.array([1, 3, 6]), np.array([0.6, 0.7, 0.9])
    made = Course(curve(), 6, 2.0, words.scores_at(curve(), 2.0), 3.0, chance=0.05, looks=looks, stopping=looks)
    chart = course_chart(made, width)
    assert "likelihood ratio 0.90" in chart.alt and "picks epoch 3" in chart.alt
    assert {"learning", "fooling D", "β", "D itself", "ratio", "no defence", "seen", "new", "AOP"} == {
        point.name for point in chart.readings()
    }


@WIDTHS
def test_a_run_that_tells_nothing_yet_is_drawn_empty(width):
    nothing = {name: np.zeros(0) for name in CURVE}
    assert course_chart(Course(nothing, 6, 2.0, np.zeros(0)), width).alt == "Nothing is measured yet."


@WIDTHS
def test_a_defence_that_tells_of_no_epoch_has_one_chart(width):
    nothing, end = {name: np.zeros(0) for name in CURVE}, (np.array([6]), np.array([0.7]))
    chart = course_chart(Course(nothing, 6, 2.0, np.zeros(0), looks=end, stopping=end), width)
    assert "at the end 0.70" in chart.alt and {point.name for point in chart.readings()} == {"ratio", "no defence"}


def test_what_a_defence_does_not_tell_has_no_line():
    told = curve() | {name: np.full(6, np.nan) for name in ("auc", "beta", "fooled_loss")}
    chart = course_chart(Course(told, 6, 2.0, np.full(6, np.nan)), 774)
    names = {point.name for point in chart.readings()}
    assert "threshold" in names and not names & {"D itself", "β", "fooling D", "AOP"}
    assert words.picked_epoch(told, 2.0) is None
    assert "does not watch itself" in words.picked_words(CARTS, result(), 2.0, told)


@WIDTHS
def test_every_bar_has_its_interval_and_guessing(width):
    bars = [Attacked("D itself", "fooled", 0.55, 0.5, 0.6), Attacked("RMIA", "strong", 0.8, 0.7, 0.9)]
    chart = attacks_chart(bars, "AUC", 0.5, width)
    assert "guessing 0.500" in chart.alt and "RMIA 0.800" in chart.alt
    assert "95 % between 0.700 and 0.900" in chart.readings()[1].words


# ---- λ
def test_a_larger_weight_of_privacy_picks_an_earlier_epoch():
    made = curve() | {"accuracy": np.linspace(0.2, 0.6, 6), "auc": np.linspace(0.5, 0.9, 6)}
    picked = [words.picked_epoch(made, lam) for lam in (0.0, 1.0, 5.0, 50.0)]
    assert picked == sorted(picked, reverse=True) and picked[0] == 6 and picked[-1] == 1


def test_what_lambda_picks_is_said_with_what_the_stronger_attacker_sees():
    said = words.picked_words(CARTS, result(), 2.0, curve())
    assert "λ = 2 picks epoch" in said and "Likelihood ratios" in said and "17 models" in said


# ---- numbers
def test_each_number_names_its_attacker_and_its_chance_level():
    said = words.headline_html(CARTS, result())
    for some in ("By chance 5%", "of D, which it learns to fool", "ratios", "on D's one 0.70", "AUC 0.85"):
        assert some in said
    assert said.count("Guessing: 0.50") == 3 and "0.05 safer" in said


@pytest.mark.parametrize(
    ("matched", "said"),
    [(0.8, "no more than that"), (0.7, "0.10 worse"), (0.9, "0.10 safer"), (None, "no epoch is as accurate")],
)
def test_early_stopping_is_said_as_it_came_out(matched, said):
    assert said in words.headline_html(CARTS, result(matched))


def test_the_best_likelihood_ratio_counts():
    assert words.ratio_of(rows(ratio=0.8), "dap").attack == "lira_fixed"
    assert words.ratio_of(rows(), "hamp") is None


def test_canaries_stand_beside_everybody():
    table = words.canary_table(CARTS, result())
    assert "everybody" in table and "90%" in table and "no defence" in table
    assert "90% of the atypical canaries" in words.canary_words(CARTS, result())


def test_a_run_is_told_in_a_line_and_compared():
    assert "early stopping as accurate 0.85" in words.summary(run())
    assert "0.80" in words.compared_html([run()]) and words.compared_html([]) == ""
    assert "Nothing is promised" in words.about_html(CARTS, result())


# ---- the shipped table
def table_of(gain=0.02, spread=0.001, held=0.5, own_d=0.55, paper=0.6, without=0.7) -> Table:
    """Two columns that matter, of three seeds."""
    both = [*rows("dap_t", paper=paper, own_d=own_d), *rows("none", paper=without)]
    both += [Row("matched_gain", gain, "dap_t"), Row("auc", held, "dap_t", "lira_offline", "held")]
    both += [Row(f"aop_{lam}", 0.3, name, attack) for lam in LAMBDAS for name in ("none", "dap_t") for attack in
             ("best", "paper")]  # fmt: skip
    spreads = {row.key: replace(row, spread=spread) for row in both}
    points = {"accuracy": 0.4, "auc": 0.8, "matched_auc": 0.8 + gain}
    noise = np.array([[-1.0], [0.0], [1.0]]) * [[0.0, spread]]  # (seeds, columns)
    arrays = {name: value + (noise if name == "auc" else 0 * noise) for name, value in points.items()}
    return Table(table.by_column(Rows(tuple(spreads.values()), NAMES)), arrays, 3, 400, 10)


def test_intervals_over_seeds_are_students():
    assert table.half_width(1.0, 5) == pytest.approx(2.776 / 5**0.5, abs=1e-3)
    assert np.isnan(table.half_width(None, 5)) and np.isnan(table.mean_and_half(np.array([0.3]))[1])
    assert table.give_or_take(0.3, np.nan) == "0.300"


@pytest.mark.parametrize(("data", "little"), [("carts", "478"), ("digits", "414")])
def test_the_tables_that_ship_have_their_words(data, little):
    found = table.table(data)
    assert found.seeds >= 5 and list(found.columns)[:2] == ["none", "reg"]
    said = table.notes(found)
    assert "for a record (add or remove one; δ = 1/n; moments accountant" in said
    assert f"With little noise it is {little} (tight accountant, PLD)" in said
    assert "† DAP_v, r = 2, all layers learns from people held aside too" in said


def test_values_by_seed_are_those_of_their_column():
    for data in table.DATA:
        found = table.table(data)
        for name, own in found.columns.items():
            assert found.by_seed(name, "accuracy").mean() == pytest.approx(words.accuracy_of(own, name), abs=1e-4)


# ---- ranking
def entry(name: str, score: float, **more) -> ranking.Entry:
    return ranking.Entry(name, "other", score, 0.5, (0.8, np.nan), **more)


def test_the_weight_of_privacy_turns_the_ranking_around():
    found = table.table("carts")
    first = [max(ranking.table_entries(found, "ratio", lam), key=lambda one: one.score) for lam in (1, 50)]
    assert first[0].accuracy > first[1].accuracy and first[0].auc > first[1].auc


def test_a_line_has_its_rank_and_its_numbers():
    lines = [entry("private", 0.3, gain=(-0.01, 0.002), own=True), entry("useful", 2e-7, phi=1.5)]
    shown = ranking.ranking_html(lines, "ratio", "")
    assert shown.index("1. ● private") < shown.index("2. useful")
    assert "−0.010 ± 0.002" in shown and "2e−7" in shown and "1.50" in shown
    assert "gain" not in ranking.ranking_html(lines, "paper", "")


@pytest.mark.parametrize("data", table.DATA)
@pytest.mark.parametrize("lam", LAMBDAS)
def test_early_stopping_is_always_in_the_list(data, lam):
    found = table.table(data)
    entries = ranking.table_entries(found, "ratio", lam)
    matched = next(one for one in entries if one.words == "early stopping, as accurate as DAP_t")
    like = next(one for one in entries if one.words == "DAP_t")
    assert matched.accuracy == pytest.approx(like.accuracy, abs=1e-4)
    assert matched.auc[0] == pytest.approx(like.auc[0] + like.gain[0], abs=1e-3)
    assert any(one.kind == "stopping" for one in ranking.table_entries(found, "paper", lam))


@pytest.mark.parametrize(
    ("gain", "spread", "said"),
    [(0.02, 0.5, "cannot be told apart"), (0.02, 0.001, "is better than that"), (-0.02, 0.001, "is worse than that")],
)
def test_two_that_cannot_be_told_apart_are_not_ranked_in_words(gain, spread, said):
    assert said in ranking.apart_words(table_of(gain, spread), 2)


def test_the_readers_runs_join_with_their_own_settings():
    mine = ranking.run_entry(run(), "ratio", 2)
    assert mine.own and mine.gain[0] == pytest.approx(0.05) and mine.caught == 0.2
    assert ranking.run_entry(run(), "paper", 2).auc[0] == 0.6
    found = table.table("carts")
    entries = [*ranking.table_entries(found, "ratio", 2), mine]
    assert "● are your runs" in ranking.ranking_words(found, "carts", entries, "ratio", 2)
    assert [ranking.place_of([entry(str(n), 0) for n in range(1, 24)], str(n)) for n in (1, 2, 3, 11, 21, 23)] == [
        "1st", "2nd", "3rd", "11th", "21st", "23rd",
    ]  # fmt: skip


# ---- claims
@pytest.mark.parametrize(
    ("paper", "spread", "finding"), [(0.6, 0.001, AGREES), (0.8, 0.001, DIFFERS), (0.6, 0.1, UNDECIDED)]
)
def test_a_lower_auc_counts_where_it_is_clear(paper, spread, finding):
    assert findings.lowers_auc(table_of(spread=spread, paper=paper)).finding == finding


@pytest.mark.parametrize(
    ("gain", "spread", "said"),
    [(0.02, 0.001, "lower than that of an undefended model stopped when it was as accurate, so it does"),
     (-0.02, 0.001, "higher than that of an undefended model stopped when it was as accurate, so it hurts"),
     (0.02, 0.1, "which cannot be told from 0")],
)  # fmt: skip
def test_early_stopping_is_compared_with_its_sign_and_its_spread(gain, spread, said):
    assert said in findings.against_stopping(table_of(gain, spread)).sentence


def test_who_makes_members_of_others_is_not_praised():
    useful = {"gain": 0.05}
    assert "DAP_t (0.050 ± 0.002)" not in findings.who_beats_stopping(table_of(**useful, held=0.7)).sentence
    assert table.told_apart(table_of(held=0.7), "dap_t") and not table.told_apart(table_of(held=0.5), "dap_t")


def test_what_d_misses_and_the_worst_case_are_told():
    assert "D itself has AUC 0.55" in findings.what_d_misses(table_of()).sentence
    assert "DAP_t 20% → 30% → 90%" in findings.worst_cases(table_of()).sentence


def test_every_claim_is_checked_on_both_data_sets():
    counts = {claim.title: len(claim.check()) for claim in findings.CLAIMS}
    assert counts.pop("The paper's AOP follows from its own ACC and AUC") == 1
    assert len(counts) == 13 and set(counts.values()) == {2}


# ---- the hook
def test_the_six_of_the_hook_are_half_members_and_the_fooled_attacker_is_unsure_of_them():
    six = stored_six()
    assert six.member.sum() == 3 and len(six.x) == len(LETTERS)
    assert (np.abs(six.fooled - 0.5) <= 0.1).all() and 0.5 < six.fooled_auc < six.strong_auc
    named = np.array([True, False] * 3)
    assert "cannot say" in fooled_html(six)
    said = outcome_html(six, named)
    assert "Guessing gives 3" in said and f"{int((says_in(six.strong) == six.member).sum())} of 6" in said
    assert "In truth" not in verdict_html(six, 0, stronger=False) and "In truth" in verdict_html(six, 0, stronger=True)


def test_ranks_are_shares_below():
    assert ranks(np.array([1.0, 3.0, 2.0]), np.arange(3)) == pytest.approx([0, 2 / 3, 1 / 3])


# ---- controls
def test_every_preset_and_defence_has_words_and_a_strength():
    assert presets().keys() == PRESET_WORDS.keys()
    made = new_controls([("carts", "purchases_like")])
    assert {*STRENGTH.values(), "lam", "feed"} <= made.keys() and reasons().keys() <= made.keys()
    assert STRENGTH.keys() == DEFENCE_WORDS.keys() - {"none"}


# ---- tasks know what was tried
@pytest.mark.parametrize(
    ("of", "changes", "said"),
    [
        ({"accuracy": 0.1, "own_d": 0.6}, {}, "a smaller λ keeps a later epoch"),
        ({"ratio": 0.6}, {}, "really leaks less"),
        ({}, {}, "a larger λ keeps an earlier epoch"),
        ({}, {"lam": 5.0}, "try another r"),
        ({}, {"lam": 5.0, "r": 1.0}, "More records"),
    ],
)
def test_hints_of_the_first_task(of, changes, said):
    of = {"own_d": 0.65, **of}
    runs = [run(replace(CARTS, **changes), **of), run(own_d=0.65)] if changes else [run(**of)]
    assert said in tasks.fool_hint(runs)


@pytest.mark.parametrize(
    ("changes", "matched", "of", "said"),
    [
        ({}, None, {}, "more accurate than"),
        ({}, 0.8, {"accuracy": 0.1}, "a little weaker"),
        ({}, 0.8, {}, "the epoch it keeps"),
        ({"defence": "hamp"}, 0.8, {}, "noise on gradients"),
        ({"defence": "central"}, 0.8, {}, "Try it stronger"),
        ({"defence": "hamp"}, 0.85, {"caught": 0.4}, "40% are caught at 1 %"),
    ],
)
def test_hints_of_the_second_task(changes, matched, of, said):
    assert said in tasks.stopping_hint([run(replace(CARTS, **changes), matched, **of)])


@pytest.mark.parametrize(
    ("changes", "of", "said"),
    [
        ({}, {"accuracy": 0.1}, "a little weaker"),
        ({}, {}, "D never met such records"),
        ({"defence": "hamp"}, {}, "What bounds each record"),
        ({"defence": "central", "z": 0.3}, {}, "With z = 0.3 tried"),
    ],
)
def test_hints_of_the_third_task(changes, of, said):
    assert said in tasks.canary_hint([run(replace(CARTS, **changes), **of)])
    assert tasks.worst(run(worst=0.7)) == 0.7

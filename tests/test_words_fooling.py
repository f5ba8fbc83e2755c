"""Lesson 9 without a browser: charts, words, claims, ranking and tasks from results that are made up."""

from dataclasses import replace

import numpy as np
import pytest

from dpmia_lab.experiments.fooling import CURVE, NAMES, PRESETS
from dpmia_lab.experiments.fooling_table import COLUMNS
from dpmia_lab.plots.fooling import Attacked, Course, attacks_chart, course_chart
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.fooling import findings, ranking, tasks, words
from dpmia_lab.widgets.fooling.controls import DEFENCE_WORDS, PRESET_WORDS, STRENGTH, new_controls, reasons
from dpmia_lab.widgets.fooling.data import presets
from dpmia_lab.widgets.fooling.hook import LETTERS, outcome_html, ranks, says_in, stored_six, verdict_html
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS
from dpmia_lab.widgets.kit.runs import Run

WIDTHS = pytest.mark.parametrize("width", [320, 774])
CARTS = PRESETS["carts"]


def rows(defence="dap", accuracy=0.4, own_d=0.55, paper=0.6, ratio=0.8, caught=0.2, worst=0.9) -> Rows:
    def one(measure, value, attack="", protocol="", of=defence):
        return Row(measure, value, of, attack, protocol, max(0.0, value - 0.01), min(1.0, value + 0.01))

    made = [one("auc", own_d, "own_d", "alike"), one("tpr1", 0.01, "own_d", "alike"),
            one("tpr01", 0.001, "own_d", "alike")]  # fmt: skip
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
    for some in ("By chance 5%", "of D, which it learns to fool", "of likelihood ratios that adapt", "AUC 0.85"):
        assert some in said
    assert said.count("Guessing: 0.50") == 2 and "0.05 safer" in said


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


# ---- ranking
def entry(name: str, accuracy: float, auc: float, kind="other", **more) -> ranking.Entry:
    return ranking.Entry(name, kind, accuracy, auc, **more)


def test_the_weight_of_privacy_turns_the_ranking_around():
    useful, private = entry("useful", 0.6, 0.9), entry("private", 0.3, 0.5)
    assert useful.score(1) > private.score(1) and useful.score(5) < private.score(5)
    table = ranking.ranking_html([private, useful], 5, "ratio")
    assert table.index("1. private") < table.index("2. useful")


def test_early_stopping_is_in_the_list_at_the_same_accuracy():
    made = ranking.matched_entry([entry("DAP_t", 0.4, 0.8, "dap", matched=0.85)], "DAP_t")
    assert made[0].accuracy == 0.4 and made[0].auc == 0.85 and made[0].kind == "stopping"
    assert ranking.matched_entry([entry("DAP_t", 0.4, 0.8)], "DAP_t") == []


def test_shipped_runs_are_ranked_while_there_is_no_table():
    found = ranking.shipped_entries("ratio")
    assert {"dap", "stopping", "other"} <= {one.kind for one in found}
    said = ranking.ranking_words(found, 2, "ratio", whole=False)
    assert "has not been computed yet" in said and "early stopping comes" in said


def test_a_table_is_ranked_by_either_attacker():
    both = [row for name in ("none", "dap_t") for row in rows(name)]
    made = Rows((*both, Row("matched_auc", 0.83, "dap_t")), NAMES)
    made = Rows(tuple({row.key: row for row in made}.values()), NAMES)
    by_ratio, by_paper = (ranking.table_entries(made, who) for who in ("ratio", "paper"))
    assert by_ratio[-1].words == f"early stopping, as accurate as {COLUMNS['dap_t'].words}"
    assert [one.auc for one in by_paper] == [0.6, 0.6]


# ---- claims
def test_claims_are_what_rows_say():
    both = Rows(tuple(rows("dap", paper=0.55)) + tuple(rows("none", paper=0.7)), NAMES)
    both = Rows(tuple({row.key: row for row in both}.values()), NAMES)
    assert findings.lowers_auc(both, "dap", 1).finding == AGREES
    same = Rows(tuple({row.key: row for row in (*rows("dap", paper=0.7), *rows("none", paper=0.7))}.values()), NAMES)
    assert findings.lowers_auc(same, "dap", 1).finding == DIFFERS
    assert "90%" in findings.worst_cases(both, "dap", 1).sentence
    assert "D itself has AUC 0.55" in findings.what_d_misses(both, "dap", 1).sentence


def test_early_stopping_is_compared_with_its_sign():
    for gain, word in ((0.02, "0.020 lower"), (-0.02, "0.020 higher")):
        made = rows() + Rows((Row("matched_gain", gain, "dap"),), NAMES)
        assert word in findings.against_stopping(made, "dap", 1).sentence
    assert findings.against_stopping(rows(), "dap", 1) is None


def test_the_papers_table_follows_from_its_own_columns():
    assert findings.printed_table()["its eight picture sets"].finding == AGREES


def test_every_claim_can_be_checked_on_what_ships():
    assert all(isinstance(claim.check(), dict) for claim in findings.CLAIMS)


# ---- the hook
def test_the_six_of_the_hook_are_half_members_and_the_fooled_attacker_is_unsure_of_them():
    six = stored_six()
    assert six.member.sum() == 3 and len(six.x) == len(LETTERS)
    assert (np.abs(six.fooled - 0.5) <= 0.1).all() and 0.5 < six.fooled_auc < six.strong_auc
    named = np.array([True, False] * 3)
    assert "cannot say" in outcome_html(six, named, ["fooled"])
    said = outcome_html(six, named, ["fooled", "strong"])
    assert "Guessing gives 3" in said and f"{int((says_in(six.strong) == six.member).sum())} of 6" in said
    assert "In truth" not in verdict_html(six, 0, True, ["fooled"])
    assert "In truth" in verdict_html(six, 0, True, ["strong"])


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

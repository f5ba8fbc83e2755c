"""What lesson 10 says: sentences with their evidence, promises, the pair of its hook, tables, tasks, findings."""

import re

import numpy as np
import pytest
from comparing_parts import AUC, CANARY, CAUGHT, GRID, THRESHOLD, grid_with

from dpmia_lab.experiments.comparing_answers import Harm, Limit, Question, answer_to, bargains
from dpmia_lab.experiments.comparing_grid import measured_over
from dpmia_lab.experiments.comparing_risk import at_most_caught, column_risk, promise_words, promises
from dpmia_lab.experiments.comparing_sentences import answer_words, question_words, value_text, with_interval
from dpmia_lab.widgets.comparing import claims, tasks
from dpmia_lab.widgets.comparing.data import kind_of
from dpmia_lab.widgets.comparing.heat import heat_html, heat_rows, heat_words, strength_words
from dpmia_lab.widgets.comparing.hook import alike_pair, caught, outcome_html
from dpmia_lab.widgets.comparing.question import evidence_html, promised_html, sentence_html
from dpmia_lab.widgets.comparing.ranking import best_entries, ranking_html, ranking_words
from dpmia_lab.widgets.comparing.words import attack_name, card_html, front_html

PROMISE = {"epsilon": 2.0, "delta": 1e-3, "unit": "record", "neighbours": "add-remove", "accountant": "tight",
           "mu": 1.0, "sigma": 2.0, "q": 0.1, "steps": 100}  # fmt: skip
LOSS = ("auc", "loss", "alike")


def with_promise():
    told = {"none": {"accuracy": 0.7, CAUGHT: 0.4, CANARY: 0.9, AUC: 0.9, THRESHOLD: 0.1},
            "central": {"accuracy": 0.5, CAUGHT: 0.03, CANARY: 0.05, AUC: 0.55, THRESHOLD: 0.02},
            "relaxloss": {"accuracy": 0.52, CAUGHT: 0.06, CANARY: 0.6, AUC: 0.6, THRESHOLD: 0.02}}  # fmt: skip
    return grid_with(told, promises={"central": PROMISE})


def asked(grid, most: float, right: float, who: str = "everybody"):
    return answer_to(grid, Question((Limit(Harm("tpr1", who), most),), right))


# ---- numbers


def test_numbers_are_told_as_people_say_them():
    assert value_text("auc", 0.931) == "0.93" and value_text("tpr1", 0.032) == "3.2%"
    assert value_text("tpr1", 0.32) == "32%" and value_text("attack_over_imputation", -0.012) == "−1.2 points"
    assert with_interval("tpr1", measured_over(np.array([0.3]))) == "30%"
    assert re.fullmatch(r"30% \(\d+% to \d+%\)", with_interval("tpr1", measured_over(np.array([0.29, 0.3, 0.31]))))


def test_an_interval_stays_within_what_a_share_can_be():
    assert "(0% to" in with_interval("tpr1", measured_over(np.array([0.0, 0.02, 0.0])))
    assert with_interval("tpr1", measured_over(np.array([0.9, 1.0, 1.0]))).endswith("to 100%)")


# ---- the answer


def test_the_answer_names_what_to_use_with_its_evidence():
    said = answer_words(GRID, asked(GRID, 0.25, 0.35), lambda attack: "the ratio")
    assert said.startswith("Use defence weak: 60% (") and "by the ratio" in said and "1 more of the 4" in said
    assert "over 5 seeds" in said


def test_nothing_here_says_what_is_closest_and_by_how_much_it_misses():
    answer = asked(GRID, 0.1, 0.55)
    said = answer_words(GRID, answer, str)
    assert said.startswith("Nothing here. Closest is defence weak") and "misses the limit on members caught by" in said
    assert question_words(answer) == "You accept at most 10% of members caught at 1 % false alarms, and need 55% right"


def test_what_was_not_tried_is_said():
    assert "was not tried on these data" in answer_words(GRID, asked(GRID, 0.5, 0.1, "at risk"), str)


def test_a_kept_promise_and_what_is_merely_not_broken_stand_apart():
    grid = with_promise()
    answer = asked(grid, 0.1, 0.45)
    assert [option.column for option in answer.kept] == ["relaxloss", "central"]
    evidence = evidence_html(grid, answer)
    assert "not yet broken" in evidence and "a promise" in evidence
    said = promised_html(grid, answer, risks=True)
    assert "ε = 2 for a record (add or remove one; δ = 0.001; tight accountant, PLD); μ = 1" in said
    assert "of members are caught (1 % by guessing)" in said and "Not yet broken</b>: defence relaxloss" in said
    assert "follows" in promised_html(grid, answer, risks=False)


def test_the_sentence_is_marked_by_whether_there_is_an_answer():
    assert "dp-note" in sentence_html(GRID, asked(GRID, 0.25, 0.35))
    assert "dp-error" in sentence_html(GRID, asked(GRID, 0.01, 0.9))


# ---- promises


def test_a_promise_that_rules_nothing_out_is_not_called_one():
    large = PROMISE | {"epsilon": 80.0, "mu": 9.0}
    grid = grid_with({"none": {"accuracy": 0.7}, "central": {"accuracy": 0.5}}, promises={"central": large})
    assert not promises(grid, "central") and "which rules nothing out" in promise_words(grid, "central")
    assert kind_of(grid, "central") == "empirical" and promise_words(grid, "none") == ""
    assert kind_of(with_promise(), "central") == "promise" and kind_of(with_promise(), "none") == "none"


def test_the_quick_bound_is_never_below_the_exact_one():
    """By μ, and by ε and δ alone."""
    exact = column_risk(with_promise(), "central").most_caught
    told = {name: value for name, value in PROMISE.items() if name not in ("mu",)}
    mu = column_risk(with_promise(), "central").mu
    assert at_most_caught(PROMISE | {"mu": mu}) >= exact - 1e-6
    assert at_most_caught(told | {"epsilon": 5.0}) == pytest.approx(1 - np.exp(-5) * (0.99 - 1e-3))
    assert at_most_caught(told | {"epsilon": 600.0, "delta": 0.0}) == 1.0


# ---- the map, the ranking, the table


def test_the_words_of_the_front_count_who_is_on_it():
    said = front_html(GRID, Harm("tpr1"), bargains(GRID, Harm("tpr1")))
    assert "<b>3 of 4</b> are on the front" in said and "guessing: 1.0%" in said
    assert "was not tried" in front_html(GRID, Harm("recognised"), [])


def test_a_card_names_the_worst_attack_its_chance_and_what_is_promised():
    grid = with_promise()
    found = bargains(grid, Harm("tpr1"))
    card = card_html(grid, "relaxloss", Harm("tpr1"), found)
    assert "By likelihood ratio, its worst attack. Guessing: 1.0%. Lower is safer." in card
    assert "<b>Promised:</b> nothing" in card and "canaries" in card
    assert "<b>Promised:</b> ε = 2" in card_html(grid, "central", Harm("tpr1"), found)


def test_the_ranking_has_each_defence_once_at_its_best_strength():
    entries = best_entries(GRID, 50)
    assert [one.column for one in entries] == ["strong", "mask", "none"]
    assert "comes first of 3" in ranking_words(GRID, entries, 50)
    assert ranking_html(GRID, entries).count("<tr") == 4


def test_at_equal_accuracy_rows_are_sorted_by_their_worst_attack_and_the_rest_has_a_reason():
    rows = heat_rows(GRID, Harm("tpr1"), 0.55)
    assert [line.words for line, *_ in rows] == ["defence", "defence mask", "defence none"]
    html = heat_html(GRID, Harm("tpr1"), rows)
    assert "it is right for 70% and has no other strength" in html and "dp-hatched" in html
    assert "Least leaks <b>defence</b>" in heat_words(GRID, Harm("tpr1"), 0.55, rows)


def test_strengths_in_between_are_told_shortly():
    assert strength_words(["ε = 2", "ε = 4"]) == "ε = 2 to 4"
    assert strength_words(["after 5 epochs", "after 8 epochs"]) == "after 5 to 8 epochs"
    assert strength_words(["0.3"]) == "0.3" and strength_words(["0.3", "0.6"]) == "0.3 to 0.6"


# ---- the hook


def test_the_hook_is_the_pair_that_looks_alike_and_fares_most_differently():
    def told(accuracy, usual, canary):
        return {"accuracy": accuracy, LOSS: usual, CAUGHT: 0.1, CANARY: canary}

    grid = grid_with({"none": told(0.7, 0.6, 1.0), "a": told(0.6, 0.55, 0.9), "b": told(0.61, 0.56, 0.2),
                      "c": told(0.6, 0.7, 0.0), "d": told(0.3, 0.55, 0.0)})  # fmt: skip
    worse, better = alike_pair(grid)
    assert (worse.words, better.words) == ("defence a", "defence b") and caught(worse) == pytest.approx(0.9)
    assert "You published the safer one" in outcome_html((worse, better), 1)
    assert alike_pair(grid_with({"none": told(0.7, 0.6, 1.0)})) is None


# ---- tasks


def test_a_flattered_defence_is_one_that_only_the_unaware_attack_spares():
    def grid(unaware, worst, accuracy=0.69):
        key = ("tpr1", tasks.UNADAPTED, "turns")
        return grid_with({"none": {"accuracy": 0.7, CAUGHT: 0.7, key: 0.7},
                          "mask": {"accuracy": accuracy, CAUGHT: worst, key: unaware}})  # fmt: skip

    assert tasks.flattered(grid(0.03, 0.5), "mask")[0]
    assert "Not flattered enough" in tasks.flattered(grid(0.4, 0.5), "mask")[1]
    assert "really leaks little" in tasks.flattered(grid(0.02, 0.1), "mask")[1]
    assert "Too little of the accuracy" in tasks.flattered(grid(0.1, 0.5, 0.3), "mask")[1]


def test_the_strictest_limit_is_found_by_searching():
    assert "Accept more" in tasks.tightest_limit(GRID, 0.015, 0.35)[1]
    assert "can be stricter" in tasks.tightest_limit(GRID, 0.5, 0.35)[1]
    done, said = tasks.tightest_limit(GRID, 0.15, 0.35)
    assert done and "defence strong" in said


def test_early_stopping_is_read_where_it_is_as_accurate():
    told = {"none": {"accuracy": 0.7, CANARY: 1.0}}
    told |= {f"stopping_{n}": {"family": "stopping", "accuracy": a, CANARY: c}
             for n, a, c in ((1, 0.3, 0.2), (5, 0.5, 0.6))}  # fmt: skip
    grid = grid_with(told)
    assert tasks.stopping_at(grid, 0.4) == pytest.approx(0.4) and tasks.stopping_at(grid, 0.9) is None


# ---- findings


def test_findings_are_computed_from_a_grid():
    grid = with_promise()
    assert "2 of 3 are on the front" not in claims.front_of_average(grid).sentence
    assert "defence central (5 of 5)" in claims.front_of_average(grid).sentence
    assert claims.front_of_pictures(grid) is None


def test_who_falls_is_told_with_both_numbers():
    key = ("tpr1", "lira_unadapted", "turns")
    grid = grid_with({"none": {"accuracy": 0.7, CAUGHT: 0.7, key: 0.7},
                      "mask": {"accuracy": 0.7, CAUGHT: 0.6, key: 0.1}})  # fmt: skip
    assert "members caught at 1 %: 1 of 1 fall: defence mask (10% → 60%)" in claims.who_falls(grid).sentence


def test_ways_round_a_defence_are_part_of_an_attacks_name():
    assert attack_name("lira_weights") == "likelihood ratio, behind the mask"
    assert attack_name("map_mean") == "maximum a posteriori, through the mean code"
    assert attack_name("gmi_adapted") == "GMI, adapted" and attack_name("new_one") == "new one"

"""Challenges: each can be done, none is done where the page opens, and hints know what was tried."""

from dataclasses import replace
from functools import cache

import pytest

from dpmia_lab.experiments import playground
from dpmia_lab.experiments.playground_challenges import ALIKE, CHALLENGES, TELLING, Tried
from dpmia_lab.rows import Row, Rows
from dpmia_lab.stages import drain

Config = playground.Config
SOLVED = {  # by these of TELLING
    "hide": [Config(defence="central", sigma=2.8)],
    "tail": [Config(defence="units", unit="subclass", k_sub=3, sigma=1.0)],
    "blur": [Config(defence="central", sigma=1.0), Config(defence="mid", lam=0.06)],
    "promise": [Config(defence="central", epsilon=4.0)],
    "stopping": [Config(defence="stopping", after=2), Config(defence="units", unit="class", sigma=0.3)],
}
every_challenge = pytest.mark.parametrize("name", CHALLENGES)


@cache
def played(config):
    return Tried(config, drain(playground.run(config)).rows)


def tried(config, accuracy=0.9, auc=0.8, low=0.1, seen=0.9, filtered=1.0, epsilon=None, judge="filter"):
    of = config.defence
    rows = [
        Row("accuracy", accuracy, of),
        Row("auc", auc, of, "lira", "turns"),
        Row("tpr1", low + 0.01, of, "lira", "turns", low, low + 0.02),
        Row("recognised", filtered, of, "original", "filter"),
        Row("recognised", seen, of, "original", "plain"),
    ]
    rows += [] if epsilon is None else [Row("epsilon", epsilon, of)]
    return Tried(config, Rows(tuple(rows)), judge)


@every_challenge
def test_a_telling_setting_solves_it_and_the_first_position_does_not(name):
    assert set(SOLVED[name]) <= {telling.config for telling in TELLING}
    assert not CHALLENGES[name].done([]) and not CHALLENGES[name].done([played(Config())])
    assert CHALLENGES[name].done([played(Config()), *map(played, SOLVED[name])])


@every_challenge
def test_half_a_solution_is_none(name):
    """Where two positions are compared, either alone does not do."""
    for one in SOLVED[name]:
        assert len(SOLVED[name]) == 1 or not CHALLENGES[name].done([played(one)])


@every_challenge
def test_hints_change_with_what_was_tried(name):
    """From nothing, to something of the wrong kind, to half of it."""
    hint = CHALLENGES[name].hint
    steps = [[], [tried(Config(defence=defence)) for defence in ("central", "stopping", "dropout")]]
    steps.append([tried(Config(defence="central"), 0.3, 0.55, 0.01, 0.2, epsilon=2.0)])
    hints = [hint(step) for step in steps]
    assert all(words.endswith(".") and words[0].isupper() for words in hints if not words.startswith(("ε", "λ")))
    assert len(set(hints)) >= 2


def test_hints_never_fail_on_carts_which_know_one_judge():
    rows = Rows(tuple(row for row in tried(Config()).rows if row.protocol != "plain"))
    history = [Tried(Config(data="purchases_like", defence=name), rows) for name in playground.PLAYED]
    for challenge in CHALLENGES.values():
        assert challenge.hint(history)
    assert not CHALLENGES["hide"].done(history)


def test_hiding_asks_for_both():
    done = CHALLENGES["hide"].done
    assert done([tried(Config(), accuracy=0.8, seen=0.4)])
    assert not done([tried(Config(), accuracy=0.8, seen=0.6), tried(Config(), accuracy=0.6, seen=0.4)])


def test_a_comparison_is_of_equals():
    """Of one seed, one set of data and about one accuracy."""
    mid, central = Config(defence="mid"), Config(defence="central")
    done = CHALLENGES["blur"].done
    assert done([tried(mid, 0.85, seen=0.5), tried(central, 0.85 + 0.9 * ALIKE)])
    assert not done([tried(mid, 0.85, seen=0.5), tried(central, 0.85 + 1.1 * ALIKE)])
    assert not done([tried(mid, 0.85, seen=0.5), tried(replace(central, seed=1), 0.85)])
    assert not done([tried(mid, 0.85, seen=0.5, judge="plain"), tried(central, 0.85)])  # nobody looked again
    assert not done([tried(mid, 0.85, seen=0.5, filtered=0.7), tried(central, 0.85)])  # hidden after all


def test_only_a_record_s_promise_counts():
    done = CHALLENGES["promise"].done
    assert done([tried(Config(defence="central"), 0.7, epsilon=3.9)])
    assert not done([tried(Config(defence="units"), 0.7, epsilon=3.9), tried(Config(defence="mid"), 0.9)])


def test_no_defence_and_stopping_itself_do_not_beat_stopping():
    stopped = tried(Config(defence="stopping"), 0.9, auc=0.8)
    done = CHALLENGES["stopping"].done
    assert not done([stopped, tried(Config(), 0.9, auc=0.6), tried(Config(defence="stopping", after=9), 0.9, auc=0.6)])
    assert done([stopped, tried(Config(defence="dropout"), 0.9, auc=0.7)])

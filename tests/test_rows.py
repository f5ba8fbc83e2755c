"""Rows: found by what they are, and called by plain names that can be taken apart again."""

from dataclasses import replace

import pytest

from dpmia_lab.experiments import (
    EXPERIMENTS,
    evaluation,
    hiding,
    inversion_comparison,
    mechanisms,
    membership,
    privacy_sweep,
)
from dpmia_lab.metrics.reconstruction import mean_and_spread
from dpmia_lab.rows import PlainNames, Row, Rows, averaged_rows, rows_from_lists
from dpmia_lab.stages import drain
from dpmia_lab.store import Result, Store

NAMES = PlainNames(("measure", "end", "attack", "protocol"), frozenset({"alike"}))
ROWS = Rows(
    (
        Row("auc", 0.8, "none", "lira", "alike", low=0.7, high=0.9),
        Row("auc", 0.9, "none", "lira", "shifted", low=0.8, high=1.0),
        Row("auc", 0.6, "none", "loss", "alike", low=0.5, high=0.7),
        Row("epsilon_bound", 1.5, "none", "lira", "alike"),
    ),
    NAMES,
)


def test_a_name_says_what_is_not_usual():
    assert ROWS.plain() == {
        "auc_lira": 0.8, "auc_low_lira": 0.7, "auc_high_lira": 0.9,
        "auc_lira_shifted": 0.9, "auc_low_lira_shifted": 0.8, "auc_high_lira_shifted": 1.0,
        "auc_loss": 0.6, "auc_low_loss": 0.5, "auc_high_loss": 0.7,
        "epsilon_bound_lira": 1.5,
    }  # fmt: skip


def test_names_can_be_taken_apart_again():
    numbers = {**ROWS.plain(), "test_accuracy": 0.5, "auc_of_nobody": 0.1}
    again = NAMES.read(numbers, ("auc", "epsilon_bound"), ("none",), ("lira", "loss"), ("alike", "shifted"))
    assert sorted(again, key=lambda row: row.key) == sorted(ROWS, key=lambda row: row.key)


def test_rows_are_found_by_what_they_are():
    assert ROWS.value("auc", attack="lira", protocol="shifted") == 0.9
    assert ROWS.row("auc", attack="loss") == ROWS.rows[2]
    assert ROWS.best("auc", protocol="alike").attack == "lira"
    assert ROWS.all("attack") == ["lira", "loss"]
    assert ROWS.has("auc", attack="loss") and not ROWS.has("auc", attack="rmia")
    assert len(ROWS.where(measure="auc", protocol="alike")) == 2


def test_a_look_up_that_fits_none_or_two_rows_says_so():
    with pytest.raises(KeyError, match="2 rows of auc"):
        ROWS.value("auc", attack="lira")
    with pytest.raises(KeyError, match="0 rows of tpr1"):
        ROWS.value("tpr1", attack="lira")


def test_seeds_become_means_and_a_spread():
    other = replace(ROWS, rows=tuple(replace(row, value=row.value + 0.2) for row in ROWS))
    both = averaged_rows([ROWS, other], mean_and_spread)
    assert both.value("auc", attack="loss") == pytest.approx(0.7)
    assert both.row("auc", attack="loss").spread == pytest.approx(0.2 / 2**0.5)
    assert both.row("auc", attack="loss").low is None
    assert averaged_rows([ROWS], mean_and_spread).row("auc", attack="loss").spread is None


def test_a_result_holds_its_rows_by_plain_names_too(tmp_path):
    result, store = Result({"test_accuracy": 0.5}, {}, ROWS), Store(tmp_path)
    assert result.numbers == {"test_accuracy": 0.5, **ROWS.plain()}
    store.put("x", {}, result)
    assert store.get("x", {})[0].rows == ROWS == rows_from_lists(ROWS.as_lists())


READ_BACK = {
    "membership": lambda numbers: membership.rows_of(numbers, "none"),
    "hiding": hiding.rows_of,
    "privacy_sweep": privacy_sweep.rows_of,
    "evaluation": evaluation.rows_of,
    "inversion_comparison": inversion_comparison.rows_of,
}


@pytest.mark.parametrize("name", READ_BACK)
def test_an_experiments_rows_come_back_from_its_plain_names(name):
    """So that a shipped reference, which holds plain names, is read as rows."""
    experiment = EXPERIMENTS[name]
    result = drain(experiment.run(experiment.SMALL))
    again = READ_BACK[name](result.numbers)
    assert len(result.rows) > 6
    assert sorted(again, key=lambda row: row.key) == sorted(result.rows, key=lambda row: row.key)


def test_the_points_of_a_sweep_become_rows():
    result = drain(mechanisms.run(mechanisms.SMALL))
    rows = mechanisms.point_rows(result.arrays)
    assert rows.all("defence") == ["none", "central 1", "local 1"]
    found = rows.value("auc", defence="central 1", attack="white_box", protocol="shifted")
    assert found == result.arrays["auc_white_box_shifted"][1]
    assert rows.value("test_accuracy", defence="local 1") == result.arrays["test_accuracy"][2]
    assert not rows.has("phi", defence="none")  # undefined there


def test_the_points_of_a_privacy_sweep_become_rows(monkeypatch):
    monkeypatch.setattr(privacy_sweep, "SUBCLASSES", (1, 3))
    config = replace(privacy_sweep.SMALL, repeats=2)
    arrays = drain(privacy_sweep.run(config)).arrays
    rows = privacy_sweep.point_rows(arrays)
    assert rows.all("defence") == [f"sigma {config.sigma:g}, k_sub 1", f"sigma {config.sigma:g}, k_sub 3"]
    found = rows.where(measure="similarity", attack="stronger").rows
    assert [row.value for row in found] == arrays["similarity_stronger"].tolist()
    assert [row.spread for row in found] == arrays["similarity_stronger_sd"].tolist()
    assert [row.value for row in rows.where(measure="epsilon_paper")] == arrays["epsilon_paper"].tolist()
    assert {row.attack for row in rows if row.measure in privacy_sweep.OF_MODEL} == {""}

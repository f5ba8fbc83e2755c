"""Lesson 6 in words: which cells a risk admits, what is said of them, the paper's table, the tasks."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from test_plots_evaluation import CELL_NUMBERS, EPSILONS, SIGMAS, cell_result, cell_rows

from dpmia_lab.checks import Mistake
from dpmia_lab.commands.reference import listed_values
from dpmia_lab.experiments.evaluation import PRESETS
from dpmia_lab.options import as_dict
from dpmia_lab.rows import Rows
from dpmia_lab.stages import Progress, drain
from dpmia_lab.store import Result, Store
from dpmia_lab.sweeps import evaluation_grid
from dpmia_lab.sweeps.sweep import Cell
from dpmia_lab.widgets.choosing import claims as paper_claims
from dpmia_lab.widgets.choosing import data as grid_data
from dpmia_lab.widgets.choosing import findings as choosing_findings
from dpmia_lab.widgets.choosing import hook as choosing_hook
from dpmia_lab.widgets.choosing import own_words
from dpmia_lab.widgets.choosing import panel as cell_panel
from dpmia_lab.widgets.choosing import sweep as grid_sweep_panel
from dpmia_lab.widgets.choosing import tasks as choosing_tasks
from dpmia_lab.widgets.choosing import view as cell_view
from dpmia_lab.widgets.choosing import words as grid_words
from dpmia_lab.widgets.choosing.data import (
    CellResult,
    Grid,
    Risk,
    admissible,
    hidden,
    most_accurate,
    protection,
    safest,
    strongest,
)
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS
from dpmia_lab.widgets.kit.claims import checked as checked_claims
from dpmia_lab.widgets.kit.runs import Run

FACES = replace(PRESETS["faces"], models=100)


def cells_of_grid() -> list[Result]:
    """Accuracy ε/10; recognised after a blur by the network ε/20 ± 2 %, by the filter 3ε/20; every success is 100 %."""
    return [cell_result(accuracy=e / 10 + s / 1000, private=e / 20) for e in EPSILONS for s in SIGMAS]


def record(config=FACES):
    """As ``make reference`` writes it."""
    arrays = evaluation_grid.gathered(cells_of_grid()).arrays
    points = {n: listed_values(values) for n, values in arrays.items() if not n.startswith("picture_")}
    return {"config": as_dict(config), "points": points}


@pytest.fixture
def ship(monkeypatch):
    """Lets these records, by preset, be what ships."""

    def shipped(records: dict) -> None:
        monkeypatch.setattr(grid_data, "shipped_or_nothing", lambda name: records)
        grid_data.reference_grid.cache_clear()

    yield shipped
    grid_data.reference_grid.cache_clear()


@pytest.fixture
def with_reference(ship, monkeypatch):
    pictures = evaluation_grid.kept_pictures(cells_of_grid())
    monkeypatch.setattr(grid_data, "reference_pictures", lambda preset: pictures)
    ship({"faces": record()})
    return grid_data.reference_grid("faces")


@pytest.fixture
def without_reference(ship):
    ship({})


def cell_of(**changes) -> CellResult:
    return CellResult(FACES, CELL_NUMBERS, cell_rows(**changes), "reference")


def with_rows(cell: CellResult, measure: str, **values: float) -> CellResult:
    """The cell with this measure's rows of the private models changed."""
    found = [replace(row, **values) if (row.measure, row.defence) == (measure, "private") else row for row in cell.rows]
    return replace(cell, rows=Rows(tuple(found)))


def with_measure(grid: Grid, measure: str, **values: float) -> Grid:
    return replace(grid, cells={place: with_rows(cell, measure, **values) for place, cell in grid.cells.items()})


# ---- the grid
def test_cells_become_one_grid_and_its_pictures_stay_small():
    arrays = evaluation_grid.gathered(cells_of_grid()).arrays
    assert arrays["test_accuracy"].shape == (4, 3) and arrays["test_accuracy"][3, 1] == pytest.approx(0.804)
    assert arrays["picture_reconstruction_smoothed"].shape == (4, 3, 6, 1, 8, 6)
    assert arrays["picture_control_reconstruction"].shape == (4, 3, 6, 1, 8, 6)
    assert arrays["picture_noise_reconstruction"].shape == (6, 1, 8, 6)
    assert len(np.unique(arrays["picture_reconstruction"])) <= evaluation_grid.GREYS
    np.testing.assert_array_equal(arrays["picture_recognised"][2, 1], [1, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(arrays["picture_first_right"][2, 1], [1, 0, 0, 0, 0, 0])
    np.testing.assert_array_equal(arrays["picture_recognised_smoothed_matched"][2, 1], [1, 1, 0, 0, 0, 0])
    # of all 28 drawings from pure noise: how often each is given that name, which is its own chance level
    np.testing.assert_allclose(arrays["picture_noise_called"], [1, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(arrays["picture_noise_called_matched"], [6 / 7, 1 / 7, 0, 0, 0, 0], rtol=1e-6)
    assert arrays["picture_shapes"].shape == (6, 1, 8, 6)


def test_a_grid_is_a_sweep_whose_cells_are_gathered(monkeypatch, tmp_path):
    """A sweep that is already done: its cells lie in the folder."""

    def swept(name, base, grid, folder, workers):
        configs = [replace(base, epsilon=e, sigma=s) for e in grid["epsilon"] for s in grid["sigma"]]
        for config, result in zip(configs, cells_of_grid(), strict=True):
            Store(folder).put(name, as_dict(config), result)
        yield Progress(1, 1, "12 of 12 cells")
        return tuple(Cell(config, problem=problem if config.epsilon == 4 else "") for config in configs)

    monkeypatch.setattr(evaluation_grid.sweep, "run", swept)
    problem = ""
    result = drain(evaluation_grid.run(FACES, tmp_path))
    assert result.arrays["test_accuracy"][1].tolist() == pytest.approx([0.402, 0.404, 0.406])
    evaluation_grid.write_pictures(result, tmp_path / "evaluation_faces.npz")
    monkeypatch.setattr(grid_data, "FOLDER", tmp_path)
    assert grid_data.reference_pictures("faces")["names"].tolist() == [f"person {i}" for i in range(1, 7)]
    problem = "its worker died."
    with pytest.raises(Mistake, match="the cell ε = 4, σ = 2 failed: its worker died"):
        drain(evaluation_grid.run(FACES, tmp_path))


def test_a_reference_is_read_cell_by_cell(with_reference):
    cell = with_reference.cells[1, 2]
    assert (cell.config.epsilon, cell.config.sigma) == (4.0, 6.0) and cell.title == "ε = 4, σ = 6"
    assert cell.accuracy() == pytest.approx(0.406) and cell.numbers["steps"] == 1875
    assert cell.risk("impact_mean", "smoothed").high == pytest.approx(0.22)
    assert with_reference.risks("impact_mean", "smoothed", "private")[3].tolist() == pytest.approx([0.4] * 3)
    assert len(with_reference.cells) == 12


def test_pictures_of_real_people_never_ship():
    assert grid_data.reference_pictures("att") == {}


@pytest.mark.parametrize(
    ("changes", "name"),
    [({}, "faces"), ({"epsilon": 3.0, "models": 4}, "faces"), ({"people": 5}, ""), ({"data": "att_faces"}, "att")],
)
def test_a_cell_belongs_beside_the_grid_of_its_people(changes, name):
    assert grid_data.preset_of(replace(FACES, **changes)) == name


# ---- which cells are admissible
def four(*risks: tuple[float, float, float], accuracies=(0.3, 0.5, 0.7, 0.9)) -> dict:
    """A column of cells with these people recognised: value, low, high."""
    return {
        (row, 0): with_rows(cell_of(accuracy=accuracy), "impact_mean", value=value, low=low, high=high)
        for row, ((value, low, high), accuracy) in enumerate(zip(risks, accuracies, strict=True))
    }


NETWORK, MATCHED = Risk(attacker="published", judge="judge"), Risk()
CELLS = four((0.05, 0.02, 0.1), (0.08, 0.05, 0.12), (0.09, 0.02, 0.3), (0.4, 0.35, 0.45))


@pytest.mark.parametrize(
    ("limit", "rows", "best"),
    [(0.05, [], None), (0.1, [0], 0), (0.12, [0, 1], 1), (0.29, [0, 1], 1), (0.3, [0, 1, 2], 2), (1, [0, 1, 2, 3], 3)],
)
def test_the_upper_end_must_be_within_the_limit(limit, rows, best):
    allowed = admissible(CELLS, NETWORK, limit)
    assert [row for row, _ in allowed] == rows
    assert most_accurate(CELLS, allowed) == (None if best is None else (best, 0))


def test_of_two_alike_the_stricter_promise_is_best():
    cells = four(*[(0.1, 0.1, 0.1)] * 4, accuracies=(0.5, 0.7, 0.7, 0.2))
    assert most_accurate(cells, list(cells)) == (1, 0)
    assert safest(CELLS, NETWORK) == (0, 0)


def test_what_is_above_the_limit_by_a_hair_is_neither_admissible_nor_said_to_be_within():
    """10.4 % is not “at most 10 %”, though it rounds to it."""
    cells = four(*[(0.1, 0.096, 0.104)] * 4)
    assert admissible(cells, NETWORK, 0.1) == [] and len(admissible(cells, NETWORK, 0.104)) == 4
    assert "may be as high as 11%; you accept 10%" in grid_words.choice_html(cells, NETWORK, 0.1)
    assert grid_words.with_interval(cells[0, 0].at(NETWORK)) == "10% (9% to 11%)"


@pytest.mark.parametrize(
    ("private", "control", "verdict", "share"),
    [(0.2, 0.6, "protected", 2 / 3), (0.6, 0.61, "alike", 1 / 61), (0.6, 0.2, "worse", -2)],
)
def test_protection_is_told_from_failure_to_learn(private, control, verdict, share):
    cell, blurred = cell_of(private=private, control=control), Risk(judge="judge")
    assert protection(cell, blurred) == verdict and hidden(cell, blurred) == pytest.approx(share)


def test_the_strongest_view_is_that_of_the_filter_after_a_blur(with_reference):
    assert strongest(with_reference.cells) == Risk() == Risk("impact_mean", "smoothed", "matched")


def test_what_a_risk_leaves_is_said_and_what_the_other_judge_would_have_left():
    words = grid_words.choice_html(CELLS, NETWORK, 0.12)
    assert "2 of 4 cells are admissible</b> by paper E's network" in words and "50%" in words
    assert "★ ε = 8, σ = 2" in words and "The matched filter would admit 2</b>" in words
    none = grid_words.choice_html(CELLS, replace(NETWORK, measure="success_rate"), 0.5)
    assert "No cell is admissible" in none and "<b>pure noise</b>" in none and "80%" in none
    assert "The matched filter would admit none either" in none
    assert "pure noise" not in grid_words.choice_html(CELLS, NETWORK, 0.05)
    assert "make reference" in grid_words.choice_html({}, NETWORK, 0.5)


def test_a_weak_judge_admits_what_the_strong_one_refuses(with_reference):
    words = grid_words.choice_html(with_reference.cells, Risk(), 0.45)
    assert "3 of 12 cells are admissible</b> by the matched filter" in words and "★ ε = 2, σ = 6" in words
    assert "Paper E's network would admit 12</b>, up to ε = 8, σ = 6: there it says 40%, the matched filter" in words
    fooled = grid_words.choice_html(with_reference.cells, Risk(judge="judge"), 0.25)
    assert "6 of 12" in fooled and "filter would admit none</b>: at ★ it recognises 60% (58% to 62%)" in fooled


# ---- words
@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0%"), (0.025, "2.5%"), (0.05, "5%"), (0.1, "10%"), (0.384, "38%"), (0.9992, "99.9%"), (1, "100%")],
)
def test_shares_are_short_and_never_too_sure(value, words):
    assert grid_words.share(value) == words


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [(0.0996, "9%", "10%"), (0.104, "10%", "11%"), (0.25, "25%", "25%"), (0.0251, "2.5%", "2.6%"), (0, "0%", "0%"),
     (1, "100%", "100%"), (0.9949, "99%", "100%"), (0.3, "30%", "30%")],
)  # fmt: skip
def test_ends_of_intervals_are_rounded_outwards(value, low, high):
    assert (grid_words.at_least(value), grid_words.at_most(value)) == (low, high)


def test_every_number_says_what_it_means():
    words = grid_words.main_numbers(cell_of(), "smoothed") + grid_words.more_numbers(cell_of())
    assert words.count("lower: safer") == 2 and words.count("(higher:") == 2 and "chance 2.5%" in words
    assert "ε = 8 for a record (add or remove one; δ = 0.001; moments accountant, improved conversion)" in words
    assert "1,875" in words and "N = 280 pictures" in words
    assert "130</div>" in words and "all 7 pictures together; add or remove one; δ = 0.001" in words  # 129.4, up
    judged = grid_words.judge_html(cell_of(), "smoothed")
    assert "names 79% right and the filter 78%" in judged and "at random would reach 65%" in judged
    table = grid_words.judges_table(cell_of(), "smoothed")
    assert table.count("<tr>") == 6 and "SSIM" in table and "60%<br><small>58% to 62%" in table
    assert "1 of 40 people, 2.5%, whoever judges" in table


def test_of_whom_there_are_too_many_pictures_no_person_s_promise_is_told():
    numbers = {name: value for name, value in CELL_NUMBERS.items() if name != "epsilon_person"}
    assert "for a person" not in grid_words.more_numbers(replace(cell_of(), numbers=numbers))


def test_a_cell_shows_its_faces_and_three_numbers(with_reference):
    cell = with_reference.cells[3, 0]
    html = grid_words.cell_html(cell, list(with_reference.pictures["reconstruction"][3, 0][:3]), Risk(), "★ within")
    assert html.count("<img") == 3 and "network ≤ <b class=''>42%</b>" in html  # 40 %, at the upper end
    assert "filter ≤ <b class='dp-exposed'>100%</b>" in html and "★ within" in html
    heads = grid_words.heads_html(with_reference.pictures, slice(0, 3))
    assert heads.count("<img") == 6 and "what the filter looks for" in heads
    assert grid_words.heads_html({}, slice(3)) == ""
    people = cell_view.people_of(with_reference, (3, 0), "smoothed")
    assert "not chosen by result" in people and people.count("<img") == 12 + 24
    assert "filter: <span class='dp-exposed'>yes</span>, 100% (14%)" in people and "share of pure noise" in people


def test_a_grid_without_pictures_says_why(with_reference):
    bare = replace(with_reference, pictures={})
    assert "do not ship" in cell_view.people_of(bare, (0, 0), "published")


def test_the_readers_people_are_judged_one_by_one():
    people = cell_view.own_people(cell_result(), "published")
    assert people.count("network: <span class='dp-protected'>no</span>, 0% (0%)") == 6
    assert people.count("filter: <span class='dp-exposed'>yes") == 2
    assert "network: <span class='dp-exposed'>yes</span>, 100% (100%)" in people  # which it also calls all noise


def test_real_people_of_a_run_that_ships_are_not_shown():
    result = cell_result()
    bare = replace(result, arrays={name: array for name, array in result.arrays.items() if array.ndim < 3})
    assert "do not ship" in cell_view.own_people(bare, "published")


# ---- hook, findings
def test_the_hook_compares_the_strictest_with_the_loosest(with_reference):
    assert choosing_hook.two_places(with_reference) == ((0, 0), (3, 0))
    question, answer = choosing_hook.question_html(with_reference), choosing_hook.answer_html(with_reference)
    assert "ε = 2 for a record" in question and "right for <b>5%</b> at A and <b>20%</b> at B" in question
    assert "It recognises 15% of the people at A and 60% at B" in answer and answer.count("<img") == 4


def test_the_hook_shows_a_chance_level_beside_every_share(with_reference):
    """Of all people for both judges, and of the person shown: how much of pure noise is given that very name."""
    question, answer = choosing_hook.question_html(with_reference), choosing_hook.answer_html(with_reference)
    assert "for 1.5% where the drawings are pure noise (chance: 2.5%)" in question
    assert "in pure noise 1.5% (chance: 2.5%)" in answer and answer.count("of pure noise, 86% is given that name") == 2


def test_the_page_does_without_a_reference(without_reference):
    assert grid_data.reference_grid("faces") is None
    for view in (unfolded(choosing_findings.findings()), unfolded(choosing_findings.comparison())):
        assert "make reference" in view
    assert "make reference" in choosing_hook.ChoosingHook().view.children[0].value


def unfolded(card) -> str:
    """What is under a card's fold."""
    return card.children[0].children[1].children[0].value


def test_our_cells_stand_beside_the_papers(with_reference):
    html = unfolded(choosing_findings.comparison())
    assert html.count("<tr>") == 14 and "≈ 80%" in html and "46%" in html and "nan" not in html
    assert "not computed yet" in html  # generated faces, not the paper's own


def test_every_claim_is_checked_against_the_numbers(with_reference):
    html = unfolded(choosing_findings.findings())
    assert html.count("<h4>") == len(choosing_findings.IN_LESSON) + 1
    assert "impact from 5% to 20% (3 of 3 σ clearly)" in html and "by the matched filter in 12, where" in html
    assert "By the matched filter people recognised from 15% to 60% (3 of 3 σ clearly)" in html
    for check in (paper_claims.success_rises, paper_claims.resists, paper_claims.gives_away_less):
        assert check(with_reference).finding == DIFFERS
    safer = with_measure(with_reference, "impact_highest", value=0.1)
    assert paper_claims.gives_away_less(safer).finding == AGREES


def test_a_claim_about_models_must_hold_for_every_judge(with_reference):
    """By the network alone it would: 25 % of the worst model's people against 40 %."""
    few = with_measure(with_reference, "impact_highest", value=0.15)
    blind = {place: replace(cell, rows=Rows(tuple(
        replace(row, value=0.9) if (row.measure, row.protocol) == ("impact_highest", "matched") else row
        for row in cell.rows))) for place, cell in few.cells.items()}  # fmt: skip
    assert paper_claims.gives_away_less(few).finding == AGREES
    assert paper_claims.gives_away_less(replace(few, cells=blind)).finding == DIFFERS


def test_what_is_found_names_the_judge_who_found_it():
    for one in checked_claims(choosing_findings.CLAIMS):
        if "recognise" in one.sentence or "give" in one.sentence:
            assert "network" in one.sentence or "filter" in one.sentence, one.title


def test_all_that_was_found_is_told_without_a_page(with_reference):
    found = {one.title: one for one in checked_claims(choosing_findings.CLAIMS)}
    assert "The accuracies themselves" not in found  # which are about the paper's own data
    blur = found["A stronger attacker: a blur afterwards"].sentence
    assert "5–20% of the people in the drawings as published, 10–40% in the same drawings" in blur
    weak = found["A weak judge is a weak attack"].sentence
    assert "right for 79%, the matched filter for 78%" in weak and "recognises 20% (after a blur 40%)" in weak
    assert "noise, which never saw anybody, 80%" in found["What a success rate is worth"].sentence
    assert "12 rates 12 lie below" in found["What a success rate is worth"].sentence
    table = choosing_findings.results_html()
    assert table.count("<tr>") == 14 and "<td>20%<br><small>± 3.0 points</small></td>" in table and "1,875" in table


def test_the_shipped_reference_answers_every_claim():
    found = checked_claims(choosing_findings.CLAIMS)
    assert {one.title for one in found} == {claim.title for claim in choosing_findings.CLAIMS}
    assert all("nan" not in one.sentence and not one.sentence.endswith(".") for one in found)
    assert choosing_findings.results_html().count("<tr>") == 14


def test_accuracies_are_held_against_the_papers(with_reference):
    assert "lower than the paper's in 12 of 12 cells, at most by 30 points" in (
        paper_claims.same_accuracies(with_reference).sentence
    )


def test_what_is_said_of_the_paper_is_what_it_printed():
    paper = grid_data.published()
    printed = paper["att_faces"]
    assert (np.array(printed["success_rate"])[3].min(), np.max(printed["success_rate"])) == (0.31, 0.46)
    assert (np.min(printed["test_accuracy"]), np.max(printed["test_accuracy"])) == (0.3, 0.91)
    assert np.min(printed["success_rate"]) == 0 and np.max(printed["success_rate"][:3]) == 0.11
    assert np.max(printed["impact_of_40"]) == 3
    assert printed["non_private"]["impact_of_40"] == 34 and np.max(paper["vggface2"]["impact_of_40"]) == 15
    assert paper["epsilon"] == list(EPSILONS) and paper["sigma"] == list(SIGMAS)


def test_the_effect_of_more_pictures_is_told_once_it_is_known(ship):
    few = record()
    more = {n: (1.5 * np.array(v)).clip(0, 1).tolist() if "impact" in n else v for n, v in few["points"].items()}
    many = {**few, "points": more}
    ship({"small": few})
    assert "make reference" in choosing_findings.size_html() and choosing_findings.MORE_PICTURES.check() == {}
    for small, large, words, finding in ((few, many, "Agrees", AGREES), (many, few, "Does not agree", DIFFERS)):
        ship({"small": small, "large": large})
        assert f"<b>{words}</b>" in choosing_findings.size_html()
        assert [one.finding for one in choosing_findings.MORE_PICTURES.check().values()] == [finding]


# ---- the reader's own
def run_of(**changes) -> Run:
    return Run(1, replace(cell_panel.quick_experiment().PRESETS["faces"], **changes), cell_result(), 1.0, "")


def test_a_run_is_told_in_a_line_and_compared_in_a_table():
    assert "ε = 8, σ = 2, q = 0.1, 16 models, T = 1,875" in own_words.summary(run_of())
    assert own_words.compared_html([]) == "" and "run 1: ε = 3" in own_words.compared_html([run_of(epsilon=3.0)])


def test_steps_are_told_before_the_run():
    config = run_of().config
    assert "T = 1,276 steps" in own_words.steps_html(config)
    assert "must pay for at least one step" in own_words.steps_html(replace(config, epsilon=0.01))
    assert "when the run begins" in own_words.steps_html(replace(config, accountant="tight"))


def test_a_sweep_is_shown_with_its_failures_and_as_a_command():
    done, failed = Cell(FACES, cell_result().numbers), Cell(replace(FACES, epsilon=2.0), problem="it was <stopped>.")
    html = grid_sweep_panel.sweep_html((done, failed))
    assert html.index("ε = 2") < html.index("ε = 8") and "failed: it was &lt;stopped&gt;." in html and "1,875" in html
    assert grid_sweep_panel.EMPTY in grid_sweep_panel.sweep_html(())
    lines = grid_sweep_panel.cells_csv((done, failed)).splitlines()
    assert len(lines) == 2 and lines[0].startswith("data,")
    words = grid_sweep_panel.command_html(replace(PRESETS["faces"], models=4), {"epsilon": [2.0, 8.0], "sigma": [2.0]})
    assert "evaluation --preset faces --set models=4 --grid epsilon=2,8 --grid sigma=2</code>" in words


def test_until_there_are_cells_of_the_readers_own_the_shipped_ones_stand_there(with_reference):
    axes = {"epsilon": [2.0, 8.0, 3.0], "sigma": [6.0]}
    found = grid_sweep_panel.shipped_cells("faces", axes)
    assert [cell.title for cell in found] == ["ε = 2, σ = 6", "ε = 8, σ = 6"]
    html = grid_sweep_panel.sweep_html((), found)
    assert html.count('<tr class="reference">') == 2 and "Shipped with the lab, 100 models a cell" in html
    assert grid_sweep_panel.shipped_cells("", axes) == []


def test_nonsense_in_a_list_is_named():
    with pytest.raises(Mistake, match="σ must be numbers with commas between them; it is 'two'"):
        grid_sweep_panel.numbers_of("σ", "two")


# ---- prediction and tasks
def checked(view):
    """What a task says when it is checked."""
    view.children[-2].click()
    return view.children[-1].value


def test_the_prediction_is_answered_by_the_reference_with_the_reason(with_reference, ship):
    beside = []
    panel = SimpleNamespace(answers=beside.append)
    view = choosing_tasks.predict_noise(panel)
    assert beside == [view.children[2]]  # the answer stands in the panel too
    assert "1,875 steps with σ = 2 or 1,875 steps with σ = 6" in view.children[0].value
    view.children[1].children[1].click()
    outcome = view.children[2].value
    assert "As you predicted" in outcome and "100% (98% to 100%)" in outcome and "Louder steps are cheaper" in outcome
    assert "chance 2.5%" in outcome
    ship({})
    view = choosing_tasks.predict_noise(panel)
    view.children[1].children[0].click()
    assert "Noted" in view.children[2].value


@pytest.mark.parametrize(("quiet", "loud", "right"), [(0.8, 0.7, 0), (0.8, 0.84, 1), (0.7, 0.8, 2)])
def test_the_right_answer_is_the_measured_one(quiet, loud, right):
    heard = []
    cells = [with_rows(cell_of(), "impact_mean", value=value) for value in (quiet, loud)]
    choosing_tasks.answer(SimpleNamespace(measured=lambda *told: heard.append(told[0])), *cells)
    assert heard == [right]


def grid_of(grid, chosen=None, data="faces", limit=0.4, **risk):
    """A grid panel as far as tasks look at it."""
    fields = {name: SimpleNamespace(value=value) for name, value in (("data", data), ("limit", limit))}
    cells = grid.cells if grid else {}
    asked = Risk(**risk)
    fields |= {name: SimpleNamespace(value=getattr(asked, name)) for name in ("measure", "attacker", "judge")}
    return SimpleNamespace(cells=cells, grid=grid, chosen=chosen, risk=asked, **fields)


def test_a_release_is_signed_at_the_starred_cell_of_the_strongest_judge(with_reference):
    def said(**changes):
        return checked(choosing_tasks.task_choose(grid_of(with_reference, **changes)))

    assert "people recognised as the risk" in said(measure="success_rate")
    assert "stands at 50%" in said(limit=0.5)
    fooled = said(judge="judge", chosen=(3, 2))
    assert "sign ε = 6, σ = 6 at up to 32%" in fooled and "up to 92% there. Who?" in fooled and "✓" not in fooled
    assert "Who?" in said(attacker="published")
    assert "choose the starred cell" in said(chosen=(0, 0))
    signed = said(chosen=(0, 2))
    assert "✓" in signed and "ε = 2, σ = 6: 21% right" in signed and "ε = 130 for a person" in signed
    assert "make reference" in checked(choosing_tasks.task_choose(grid_of(None)))


@pytest.mark.parametrize(
    ("changes", "numbers", "words"),
    [
        ({"models": 4}, {}, "8 models or more"),
        ({}, {"accuracy": 0.05, "private": 0.01}, "there is room for a larger ε"),
        ({}, {"accuracy": 0.13, "private": 0.06}, "in each row of the grid accuracy is lowest at σ = 2"),
        ({}, {"accuracy": 0.7, "private": 0.08}, "it is ε that decides this: spend less"),  # 24 %, but up to 26 %
        ({}, {"accuracy": 0.16, "private": 0.07}, "16% right, 21% (19% to 23%) recognised by the matched filter"),
    ],
)
def test_a_bargain_is_found_or_missed(changes, numbers, words):
    run = replace(run_of(**changes), result=cell_result(**numbers))
    done, said = choosing_tasks.bargain(run)
    assert words in said and done == ("what it gives away" in said)


def test_the_hints_agree_with_the_shipped_grid():
    """What they tell the reader to do does there what they say."""
    grid = grid_data.reference_grid("faces")
    accuracy, people = grid.accuracies(), grid.risks("impact_mean", "smoothed", "private", "matched")
    assert (accuracy[:, 1:] > accuracy[:, :1]).all()  # a larger σ at the same ε: more right
    assert (np.diff(people, axis=0) > 0).all()  # a smaller ε: fewer recognised, at every σ
    assert np.ptp(people, axis=0).min() > 4 * np.ptp(people, axis=1).max()  # it is ε that decides, not σ


def test_the_tasks_can_be_done_with_what_ships_and_not_at_once():
    cells = grid_data.reference_grid("faces").cells
    assert len(admissible(cells, strongest(cells), choosing_tasks.ACCEPTED)) in range(1, 4)
    assert len(admissible(cells, Risk(judge="judge"), choosing_tasks.ACCEPTED)) > 6  # where the weak judge misleads
    assert admissible(cells, strongest(cells), choosing_tasks.MOST_EXPOSED) == []  # so a cell of one's own is needed
    last = [cell for (row, _), cell in cells.items() if row == 3]
    assert {choosing_tasks.share_hidden(hidden(cell, Risk())) for cell in last} == {"few"}
    assert {choosing_tasks.share_hidden(hidden(cell, Risk("impact_mean", "published", "judge"))) for cell in last} == {
        "most"
    }


def test_how_much_the_noise_hides_is_read_by_the_better_judge(with_reference):
    """Made up so that the network sees 33 % hidden, and the filter nothing."""

    def said(answer, **changes):
        view = choosing_tasks.task_control(grid_of(with_reference, **changes))
        view.children[1].value = answer
        return checked(view)

    assert "largest ε in the grid first" in said("few", chosen=(2, 0))
    assert "So it looks to paper E's network" in said("half", chosen=(3, 1), attacker="smoothed")
    assert "in the row of the matched filter" in said("most", chosen=(3, 1))
    assert "✓" in said("few", chosen=(3, 1)) and "the network's blindness" in said("few", chosen=(3, 1))


def test_no_task_s_answer_stands_above_it():
    """On the page tasks come before what was found; and the grid tells figures, not what they mean."""
    import json
    from pathlib import Path

    page = (Path(__file__).parent.parent / "notebooks" / "06_choosing_epsilon.ipynb").read_text()
    cells = ["".join(cell["source"]) for cell in json.loads(page)["cells"]]
    places = {name: next(i for i, cell in enumerate(cells) if name in cell) for name in ("task_control", "findings()")}
    assert places["task_control"] < places["findings()"]
    assert "protects" not in grid_words.choice_html(CELLS, NETWORK, 0.5)

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
from dpmia_lab.widgets.choosing import panel as cell_panel
from dpmia_lab.widgets.choosing import sweep as grid_sweep_panel
from dpmia_lab.widgets.choosing import tasks as choosing_tasks
from dpmia_lab.widgets.choosing import view as cell_view
from dpmia_lab.widgets.choosing import words as grid_words
from dpmia_lab.widgets.choosing.data import CellResult, Grid, admissible, most_accurate, protection, safest
from dpmia_lab.widgets.kit.claims import AGREES, DIFFERS
from dpmia_lab.widgets.kit.claims import checked as checked_claims
from dpmia_lab.widgets.kit.runs import Run

FACES = replace(PRESETS["faces"], models=100)


def cells_of_grid() -> list[Result]:
    """Accuracy ε/10, people recognised after a blur ε/20 ± 2 %; every success rate is 100 %."""
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


CELLS = four((0.05, 0.02, 0.1), (0.08, 0.05, 0.12), (0.09, 0.02, 0.3), (0.4, 0.35, 0.45))


@pytest.mark.parametrize(
    ("limit", "rows", "best"),
    [(0.05, [], None), (0.1, [0], 0), (0.12, [0, 1], 1), (0.29, [0, 1], 1), (0.3, [0, 1, 2], 2), (1, [0, 1, 2, 3], 3)],
)
def test_the_upper_end_must_be_within_the_limit(limit, rows, best):
    allowed = admissible(CELLS, "impact_mean", "published", limit)
    assert [row for row, _ in allowed] == rows
    assert most_accurate(CELLS, allowed) == (None if best is None else (best, 0))


def test_of_two_alike_the_stricter_promise_is_best():
    cells = four(*[(0.1, 0.1, 0.1)] * 4, accuracies=(0.5, 0.7, 0.7, 0.2))
    assert most_accurate(cells, list(cells)) == (1, 0)
    assert safest(CELLS, "impact_mean", "published") == (0, 0)


@pytest.mark.parametrize(
    ("private", "control", "verdict"), [(0.2, 0.6, "protected"), (0.6, 0.61, "alike"), (0.6, 0.2, "worse")]
)
def test_protection_is_told_from_failure_to_learn(private, control, verdict):
    cell = cell_of(private=private, control=control)
    assert protection(cell, "impact_mean", "smoothed") == verdict
    said = {"protected": "<b>protects</b>", "alike": "cannot be told", "worse": "<b>nothing</b>"}[verdict]
    assert said in grid_words.control_words(cell, "impact_mean", "smoothed")


def test_what_a_risk_leaves_is_said():
    allowed = admissible(CELLS, "impact_mean", "published", 0.12)
    words = grid_words.choice_html(CELLS, allowed, "impact_mean", "published", 0.12)
    assert "2 of 4 cells are admissible" in words and "50%" in words and "stopped when they were as accurate" in words
    none = grid_words.choice_html(CELLS, [], "success_rate", "published", 0.5)
    assert "No cell is admissible" in none and "<b>pure noise</b>" in none and "80%" in none
    assert "pure noise" not in grid_words.choice_html(CELLS, [], "impact_mean", "published", 0.05)
    assert "make reference" in grid_words.choice_html({}, [], "impact_mean", "published", 0.5)


# ---- words
@pytest.mark.parametrize(
    ("value", "words"),
    [(0, "0%"), (0.025, "2.5%"), (0.05, "5%"), (0.1, "10%"), (0.384, "38%"), (0.9992, "99.9%"), (1, "100%")],
)
def test_shares_are_short_and_never_too_sure(value, words):
    assert grid_words.share(value) == words


def test_every_number_says_what_it_means():
    words = grid_words.numbers_html(cell_of(), "smoothed")
    assert words.count("(lower: safer)") == 3 and words.count("(higher:") == 2
    assert "ε = 8 for a record (add or remove one; δ = 0.001; moments accountant, improved conversion)" in words
    assert "1,875" in words and "luck alone would give 65%" in words and "N = 280 pictures" in words
    judged = grid_words.judge_html(cell_of(), "smoothed")
    assert "success 100%, impact 2.5%" in judged and "79%" in judged and "SSIM" in judged
    assert grid_words.groups_table(cell_of(), "published").count("<tr>") == 5


def test_a_cell_shows_its_faces_and_three_numbers(with_reference):
    cell = with_reference.cells[3, 0]
    html = grid_words.cell_html(cell, list(with_reference.pictures["reconstruction"][3, 0][:4]), "smoothed", "★ best")
    assert html.count("<img") == 4 and "40%</b> <span>(38% to 42%)" in html and "★ best" in html
    people = cell_view.people_of(with_reference, (3, 0), "smoothed")
    assert "not chosen by result" in people and people.count("<img") == 12 + 18 and "in 100% of the models" in people


def test_a_grid_without_pictures_says_why(with_reference):
    bare = replace(with_reference, pictures={})
    assert "do not ship" in cell_view.people_of(bare, (0, 0), "published")


def test_the_readers_people_are_judged_one_by_one():
    people = cell_view.own_people(cell_result(), "published")
    assert people.count("not recognised") == 6 and "in 100% of the models" in people


# ---- hook, findings
def test_the_hook_compares_the_strictest_with_the_loosest(with_reference):
    assert choosing_hook.two_places(with_reference) == ((0, 0), (3, 0)) and choosing_hook.someone(with_reference) == 0
    assert "ε = 2 for a record" in choosing_hook.question_html(with_reference)
    assert "names person 1 right in 100%" in choosing_hook.answer_html(with_reference)


def test_the_page_does_without_a_reference(without_reference):
    assert grid_data.reference_grid("faces") is None
    for view in (choosing_findings.findings(), choosing_findings.comparison(), choosing_hook.ChoosingHook().view):
        assert "make reference" in view.children[0].value


def test_our_cells_stand_beside_the_papers(with_reference):
    html = choosing_findings.comparison().children[0].value
    assert html.count("<tr>") == 14 and "≈ 80%" in html and "46%" in html and "nan" not in html
    assert "not computed yet" in html  # generated faces, not the paper's own


def test_every_claim_is_checked_against_the_numbers(with_reference):
    html = choosing_findings.findings().children[0].value
    assert html.count("<h4>") == len(choosing_findings.IN_LESSON) + 2
    assert "impact from 5% to 20% (3 of 3 σ clearly)" in html and "in 12 of 12 cells" in html and "63%" in html
    for check in (paper_claims.success_rises, paper_claims.resists, paper_claims.gives_away_less):
        assert check(with_reference).finding == DIFFERS
    safer = with_measure(with_reference, "impact_highest", value=0.1)
    assert paper_claims.gives_away_less(safer).finding == AGREES


def test_all_that_was_found_is_told_without_a_page(with_reference):
    found = {one.title: one for one in checked_claims(choosing_findings.CLAIMS)}
    assert "The accuracies themselves" not in found  # which are about the paper's own data
    assert "as published, 10–40% in the same drawings" in found["A stronger attacker: a blur afterwards"].sentence
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
    assert "ε = 8, σ = 2, q = 0.1, 16 models, T = 1,875" in grid_words.summary(run_of())
    assert grid_words.compared_html([]) == "" and "run 1: ε = 3" in grid_words.compared_html([run_of(epsilon=3.0)])


def test_steps_are_told_before_the_run():
    config = run_of().config
    assert "T = 1,276 steps" in grid_words.steps_html(config)
    assert "must pay for at least one step" in grid_words.steps_html(replace(config, epsilon=0.01))
    assert "when the run begins" in grid_words.steps_html(replace(config, accountant="tight"))


def test_a_sweep_is_shown_with_its_failures_and_as_a_command():
    done, failed = Cell(FACES, cell_result().numbers), Cell(replace(FACES, epsilon=2.0), problem="it was <stopped>.")
    html = grid_sweep_panel.sweep_html((done, failed))
    assert html.index("ε = 2") < html.index("ε = 8") and "failed: it was &lt;stopped&gt;." in html and "1,875" in html
    assert grid_sweep_panel.sweep_html(()) == grid_sweep_panel.EMPTY
    lines = grid_sweep_panel.cells_csv((done, failed)).splitlines()
    assert len(lines) == 2 and lines[0].startswith("data,")
    words = grid_sweep_panel.command_html(replace(PRESETS["faces"], models=4), {"epsilon": [2.0, 8.0], "sigma": [2.0]})
    assert "evaluation --preset faces --set models=4 --grid epsilon=2,8 --grid sigma=2</code>" in words


def test_nonsense_in_a_list_is_named():
    with pytest.raises(Mistake, match="σ must be numbers with commas between them; it is 'two'"):
        grid_sweep_panel.numbers_of("σ", "two")


# ---- prediction and tasks
def checked(view):
    """What a task says when it is checked."""
    view.children[-2].click()
    return view.children[-1].value


def test_the_prediction_is_answered_by_the_reference_or_the_first_run(with_reference, ship):
    panel = SimpleNamespace(listeners=[])
    view = choosing_tasks.predict_success(panel)
    view.children[1].children[2].click()
    assert "As you predicted" in view.children[2].value and "<b>pure noise</b>" in view.children[2].value
    ship({})
    view = choosing_tasks.predict_success(panel)
    view.children[1].children[0].click()
    assert "Noted" in view.children[2].value
    panel.listeners[0](run_of())
    assert "You predicted" in view.children[2].value


def grid_of(grid, **changes):
    """A grid panel as far as tasks look at it."""
    values = {"data": "faces", "measure": "impact_mean", "attacker": "smoothed", "limit": 0.25} | changes
    chosen = values.pop("chosen", None)
    allowed = admissible(grid.cells, values["measure"], values["attacker"], values["limit"]) if grid else []
    fields = {name: SimpleNamespace(value=value) for name, value in values.items()}
    return SimpleNamespace(cells=grid.cells if grid else {}, chosen=chosen, allowed=lambda: allowed, **fields)


def test_a_release_is_signed_at_the_starred_cell(with_reference):
    def said(**changes):
        return checked(choosing_tasks.task_choose(grid_of(with_reference, **changes)))

    assert "people recognised as the risk" in said(measure="success_rate")
    assert "stands at 40%" in said(limit=0.4)
    assert "choose the starred cell" in said(chosen=(0, 0))
    assert "✓" in said(chosen=(1, 2)) and "ε = 4, σ = 6: 41% right" in said(chosen=(1, 2))
    assert "make reference" in checked(choosing_tasks.task_choose(grid_of(None)))


@pytest.mark.parametrize(
    ("changes", "numbers", "words"),
    [
        ({"models": 4}, {}, "8 models or more"),
        ({}, {"accuracy": 0.3}, "spend a larger ε"),
        ({}, {"accuracy": 0.7, "private": 0.4}, "40% of the people are recognised"),
        ({}, {"accuracy": 0.6, "private": 0.2}, "60% right, 20% recognised"),
    ],
)
def test_a_bargain_is_found_or_missed(changes, numbers, words):
    run = replace(run_of(**changes), result=cell_result(**numbers))
    done, said = choosing_tasks.bargain(run)
    assert words in said and done == said.startswith("ε")


def test_the_control_is_read_in_an_open_cell(with_reference):
    def said(answer, **changes):
        view = choosing_tasks.task_control(grid_of(with_reference, **changes))
        view.children[1].value = answer
        return checked(view)

    assert "smallest ε in the grid first" in said("protected", chosen=(2, 0))
    assert "Compare" in said("alike", chosen=(0, 1))
    assert "✓" in said("protected", chosen=(0, 1)) and "would not have hidden" in said("protected", chosen=(0, 1))

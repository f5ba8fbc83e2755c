"""Lesson 6: the prediction and the three tasks, each checked against what the reader did."""

import ipywidgets as widgets

from dpmia_lab.widgets.choosing.data import CellResult, most_accurate, own_cell, protection, reference_grid
from dpmia_lab.widgets.choosing.grid import GridPanel
from dpmia_lab.widgets.choosing.panel import CellPanel
from dpmia_lab.widgets.choosing.words import LATER, share, with_interval
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run

FEW, MANY = 0.2, 0.8  # ends of the prediction's answers
ACCEPTED = 0.25  # task 1: of the people, after a blur
LEAST_ACCURACY, MOST_EXPOSED = 0.5, 0.25  # task 2
ENOUGH_MODELS = 8


def predict_success(panel: CellPanel) -> widgets.VBox:
    """Answered by the reference's cell of the largest ε and smallest σ; without one, by the reader's first run."""
    question = Prediction(
        "A hundred models are trained with ε = 8 for a record and σ = 2, each on the same forty people with its own "
        "noise. All forty are drawn from each model, without any blur, and an independent judge names every drawing. "
        "How many of the hundred models give at least one person away?",
        ["fewer than 20: ε = 8 is a promise after all", "20 to 80: about every second", "more than 80"],
        then="press <b>Train and attack</b> in the second panel below, and see",
    )
    grid = reference_grid("faces")
    if grid is not None:
        answer(question, grid.cells[len(grid.epsilons) - 1, 0])
    else:
        panel.listeners.append(lambda run: question.truth or answer(question, own_cell(run)))
    return question.view


def answer(question: Prediction, cell: CellResult) -> None:
    success, impact = cell.risk("success_rate"), cell.risk("impact_mean")
    noise, nothing = (cell.risk(measure, group="noise") for measure in ("success_rate", "impact_mean"))
    question.measured(
        0 if success.value < FEW else 1 if success.value <= MANY else 2,
        f"{cell.title}, {cell.config.models} models: {with_interval(success)} give someone away (paper E, AT&T faces: "
        f"46%). But now the same count for models of <b>pure noise</b>, which have never seen anybody: "
        f"{with_interval(noise)}. A judge with forty guesses is often lucky. So count people: {share(impact.value)} of "
        f"them are recognised, against {share(nothing.value)} by luck.",
    )


# ---- tasks
def task_choose(grid: GridPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        if not grid.cells:
            return False, LATER
        if grid.data.value != "faces" or grid.measure.value != "impact_mean" or grid.attacker.value != "smoothed":
            return False, "Choose the generated faces, the drawing blurred afterwards, people recognised as the risk."
        if grid.limit.value != ACCEPTED:
            return False, f"The slider stands at {grid.limit.value:.0%}; the hospital accepts {ACCEPTED:.0%}."
        allowed = grid.allowed()
        if not allowed:
            return False, f"No cell of the grid is admissible at {ACCEPTED:.0%}."
        best = most_accurate(grid.cells, allowed)
        if grid.chosen != best:
            return False, "The slider is right. Now choose the starred cell in the grid, and read what it shows."
        cell = grid.cells[best]
        return True, (
            f"{cell.title}: {share(cell.accuracy())} right, people recognised "
            f"{with_interval(cell.risk('impact_mean', 'smoothed'))}. It is the upper end that had to be within "
            f"{ACCEPTED:.0%}. Choosing on results costs privacy too, which no ε here counts."
        )

    return task(
        "Task 1. Sign a release.",
        f"A hospital accepts that at most {ACCEPTED:.0%} of the people may be recognised by an attacker who blurs the "
        f"drawings (generated faces). Set the grid so, and open the cell you would release.",
        check,
    )


def task_own(panel: CellPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        if panel.last is None:
            return False, "There is no run of yours yet: set ε, σ and q in the second panel and press Train and attack."
        return bargain(panel.last)

    return task(
        "Task 2. A cell of your own.",
        f"With generated faces and at least {ENOUGH_MODELS} models, find ε, σ and q whose models are right for at "
        f"least {LEAST_ACCURACY:.0%} of new pictures, while at most {MOST_EXPOSED:.0%} of the people are recognised "
        f"after a blur of 1.5 pixels. Your last run counts.",
        check,
    )


def bargain(run: Run) -> tuple[bool, str]:
    c, cell = run.config, own_cell(run)
    accuracy, found = cell.accuracy(), cell.risk("impact_mean", "smoothed")
    exposed = found.value
    if (c.data, c.people, c.height, c.smooth) != ("faces", 40, 56, 1.5) or c.models < ENOUGH_MODELS:
        return False, f"Use the quick settings of the generated faces, a blur of 1.5, {ENOUGH_MODELS} models or more."
    if accuracy < LEAST_ACCURACY:
        return False, f"Only {share(accuracy)} of new pictures are named right: spend a larger ε."
    if exposed > MOST_EXPOSED:
        return False, (
            f"{share(accuracy)} right, but {share(exposed)} of the people are recognised after the blur: spend less, "
            f"or spend it on more and noisier steps (σ, q)."
        )
    return True, (
        f"{cell.title}, q = {c.q:g}: {share(accuracy)} right, {share(exposed)} recognised after the blur, with T = "
        f"{cell.numbers['steps']:,.0f} steps. {c.models} models only: the interval is {with_interval(found)}."
    )


VERDICTS = {
    "it protects: at the same accuracy fewer people are given away": "protected",
    "mere failure to learn: a model that knows as little gives away as little": "alike",
    "it is worse than stopping early": "worse",
}


CONSEQUENCES = {
    "protected": "Low accuracy alone would not have hidden them.",
    "alike": "From these models the noise's share in it cannot be told.",
    "worse": "Whoever stops early here gives away less, without any promise.",
}


def task_control(grid: GridPanel) -> widgets.VBox:
    options = [("choose", ""), *((words, verdict) for words, verdict in VERDICTS.items())]
    says = field(choice("the control says", options), "control-answer")

    def check() -> tuple[bool, str]:
        if not grid.cells:
            return False, LATER
        if grid.chosen is None or grid.chosen[0] != 0:
            return False, "Open a cell of the smallest ε in the grid first."
        cell = grid.cells[grid.chosen]
        truth = protection(cell, "impact_mean", grid.attacker.value)
        private, control = (cell.risk("impact_mean", grid.attacker.value, group) for group in ("private", "control"))
        facts = (
            f"{cell.title}: private models, {share(cell.accuracy())} right, give away "
            f"{with_interval(private)} of the people; models without privacy, stopped at "
            f"{share(cell.accuracy('control'))}, {with_interval(control)}"
        )
        if says.value != truth:
            return False, f"Compare “private” with “no privacy, same accuracy” in the open cell. {facts}."
        return True, f"{facts}. " + CONSEQUENCES[truth]

    return task(
        "Task 3. Protection, or failure to learn?",
        "Paper E says of its smallest ε that the attack fails there only because the model learnt little. Open a cell "
        "of ε = 2 in the grid and compare its people with those of the models without privacy of the same accuracy.",
        check,
        says,
    )

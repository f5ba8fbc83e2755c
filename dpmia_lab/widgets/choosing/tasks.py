"""Lesson 6: the prediction and the three tasks, each checked against what the reader did."""

import ipywidgets as widgets

from dpmia_lab.experiments.evaluation import ATTACKERS, JUDGES
from dpmia_lab.widgets.choosing.data import (
    CellResult,
    Grid,
    Risk,
    admissible,
    hidden,
    most_accurate,
    own_cell,
    reference_grid,
    strongest,
)
from dpmia_lab.widgets.choosing.grid import GridPanel
from dpmia_lab.widgets.choosing.panel import CellPanel
from dpmia_lab.widgets.choosing.words import LATER, at_most, person_words, sentence, share, with_interval
from dpmia_lab.widgets.kit.controls import choice, field
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run

ALIKE = 0.05  # the prediction: so near counts as the same share
ACCEPTED = 0.4  # task 1
LEAST_ACCURACY, MOST_EXPOSED = 0.15, 0.25  # task 2
ENOUGH_MODELS = 8
MOST, FEW = 0.7, 0.3  # task 3: of the people
STRONG = Risk()


# ---- the prediction
def predict_noise(panel: GridPanel) -> widgets.VBox:
    """Answered by the shipped grid: the same ε, spent on few loud steps or on many louder ones."""
    grid = reference_grid("faces")
    quiet, loud = ends_of_row(grid) if grid else (None, None)
    spent = " or ".join(f"{c.numbers['steps']:,.0f} steps with σ = {c.config.sigma:g}" for c in (quiet, loud) if c)
    question = Prediction(
        f"The same ε = 8 for a record can be spent on few steps or, with more noise in each, on many: "
        f"{spent or LATER}. From which models does the matched filter recognise more people?",
        ["σ = 2: less noise in each step", "about as many from both", "σ = 6: it has had more steps"],
        then="look at the last row of the grid below",
        because="Louder steps are cheaper, so ε pays for more of them, and what the noise adds up to hardly changes.",
    )
    if grid:
        answer(question, quiet, loud)
    panel.answers(question.outcome)
    return question.view


def ends_of_row(grid: Grid) -> tuple[CellResult, CellResult]:
    """Of the largest ε, the cells of the smallest and the largest σ."""
    last = len(grid.epsilons) - 1
    return grid.cells[last, 0], grid.cells[last, len(grid.sigmas) - 1]


def answer(question: Prediction, quiet: CellResult, loud: CellResult) -> None:
    few, many = quiet.at(STRONG), loud.at(STRONG)
    apart = many.value - few.value
    question.measured(
        1 if abs(apart) <= ALIKE else 2 if apart > 0 else 0,
        f"The matched filter recognises {with_interval(few)} of the people at σ = {quiet.config.sigma:g}, "
        f"{with_interval(many)} at σ = {loud.config.sigma:g} (chance {share(quiet.numbers['chance'])}).",
    )


# ---- tasks
def task_choose(grid: GridPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        if not grid.cells:
            return False, LATER
        if grid.data.value != "faces" or grid.risk.measure != "impact_mean":
            return False, "Choose the generated faces, and people recognised as the risk."
        if grid.limit.value != ACCEPTED:
            return False, f"The slider stands at {grid.limit.value:.0%}; the hospital accepts {ACCEPTED:.0%}."
        if grid.risk != strongest(grid.cells):
            return False, weaker_words(grid.cells, grid.risk)
        allowed = admissible(grid.cells, grid.risk, ACCEPTED)
        if not allowed:
            return False, f"No cell of the grid is admissible at {ACCEPTED:.0%}."
        best = most_accurate(grid.cells, allowed)
        if grid.chosen != best:
            return False, "Judge and slider are right. Now choose the starred cell in the grid, and read what it shows."
        cell = grid.cells[best]
        return True, (
            f"{cell.title}: {share(cell.accuracy())} right, people recognised by {JUDGES[grid.risk.judge]} "
            f"{with_interval(cell.at(grid.risk))}. It is the upper end that had to be within {ACCEPTED:.0%}. What the "
            f"release promises: {person_words(cell)}. Choosing on results costs privacy too, which no ε here counts."
        )

    return task(
        "Task 1. Sign a release.",
        f"A hospital accepts that at most {ACCEPTED:.0%} of the people may be recognised (generated faces), by "
        f"whichever judge recognises most, in whichever drawings. Set the grid so, and open the cell you would "
        f"release.",
        check,
        lambda: [chosen_cell(grid)],
    )


def chosen_cell(grid: GridPanel) -> dict:
    """What the reader has set in the grid of shipped results."""
    set_to = {name: getattr(grid, name).value for name in ("data", "measure", "attacker", "judge", "limit")}
    return {**set_to, "cell": grid.cells[grid.chosen].title}


def weaker_words(cells: dict, risk: Risk) -> str:
    """What the reader would sign by this judge, and what another sees there; without telling which."""
    best = most_accurate(cells, admissible(cells, risk, ACCEPTED))
    view = f"{sentence(JUDGES[risk.judge])}, drawings {ATTACKERS[risk.attacker]}"
    if best is None:
        return f"{view}: another judge, or other drawings, show more people."
    more = cells[best].at(strongest(cells)).high
    return (
        f"{view}: by that you would sign {cells[best].title} at up to {at_most(cells[best].at(risk).high)}. Somebody "
        f"else in these menus recognises up to {at_most(more)} there. Who?"
    )


def task_own(panel: CellPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        if panel.last is None:
            return False, "There is no run of yours yet: set ε, σ and q in the second panel and press Train and attack."
        return bargain(panel.last)

    return task(
        "Task 2. A cell of your own.",
        f"Another hospital accepts {MOST_EXPOSED:.0%}, which no cell of the grid keeps. With generated faces and at "
        f"least {ENOUGH_MODELS} models, find ε, σ and q whose people the matched filter recognises for at most "
        f"{MOST_EXPOSED:.0%}, even at the upper end of its interval and after a blur of 1.5 pixels, while the models "
        f"are right for at least {LEAST_ACCURACY:.0%} of new pictures (chance 2.5%). Your last run counts.",
        check,
        lambda: [panel.last],
    )


def bargain(run: Run) -> tuple[bool, str]:
    c, cell = run.config, own_cell(run)
    accuracy, found = cell.accuracy(), cell.at(STRONG)
    if (c.data, c.people, c.height, c.smooth) != ("faces", 40, 56, 1.5) or c.models < ENOUGH_MODELS:
        return False, f"Use the quick settings of the generated faces, a blur of 1.5, {ENOUGH_MODELS} models or more."
    told = (
        f"{cell.title}, q = {c.q:g}: {share(accuracy)} right, {with_interval(found)} recognised by the matched filter"
    )
    if found.high > MOST_EXPOSED:
        return False, f"{told}. Too many. In the grid it is ε that decides this: spend less."
    if accuracy < LEAST_ACCURACY:
        return False, f"{told}. Too little learnt. {more_learnt(found.high)}"
    return True, (
        f"{told}, with T = {cell.numbers['steps']:,.0f} steps. So much, and no more, is left of a model that keeps "
        f"most of its people to itself: what it learns of them is what it gives away."
    )


def more_learnt(exposed: float) -> str:
    """Where the risk leaves room, a larger ε; else the same ε on more steps, as in the rows of the grid."""
    if exposed < MOST_EXPOSED / 2:
        return "The risk is far below the limit: there is room for a larger ε."
    return "Keep ε and spend it on noisier steps, a larger σ: in each row of the grid accuracy is lowest at σ = 2."


HIDES = {
    "most of them: the noise protects nearly everybody": "most",
    "about half of them": "half",
    "few of them: nearly everybody is given away all the same": "few",
}


def task_control(grid: GridPanel) -> widgets.VBox:
    options = [("choose", ""), *HIDES.items()]
    says = field(choice("of them, the noise hides", options), "control-answer")

    def check() -> tuple[bool, str]:
        if not grid.cells:
            return False, LATER
        if grid.chosen is None or grid.chosen[0] != len(grid.grid.epsilons) - 1:
            return False, "Open a cell of the largest ε in the grid first."
        cell, risk = grid.cells[grid.chosen], Risk(attacker=grid.risk.attacker)
        facts = " and ".join(facts_of(cell, risk.by(judge)) for judge in ("matched", "judge"))
        if says.value != share_hidden(hidden(cell, risk)):
            if says.value == share_hidden(hidden(cell, risk.by("judge"))):
                return False, "So it looks to paper E's network. What does the matched filter see in the same drawings?"
            return False, (
                "Compare “private models” with “no privacy, stopped at the same accuracy” in the open cell's table, in "
                "the row of the matched filter: what share of the second is missing from the first?"
            )
        first = grid.cells[0, grid.chosen[1]]
        return True, (
            f"{cell.title}: {facts}. The rest of the protection was the network's blindness. At {first.title} the "
            f"noise hides more, {share(hidden(first, risk))} by the matched filter: there it does protect."
        )

    return task(
        "Task 3. Protection, failure to learn, or a poor judge?",
        "A model may give nobody away because of its noise, because it has learnt little, or because the judge is "
        "poor. Models without privacy that were stopped at the same accuracy have learnt as little. Open a cell of ε = "
        "8: of those whom <i>they</i> give away to the matched filter, how many does the noise hide?",
        check,
        lambda: [{**chosen_cell(grid), "answer": says.value}],
        says,
    )


def share_hidden(value: float) -> str:
    return "most" if value > MOST else "half" if value > FEW else "few"


def facts_of(cell: CellResult, risk: Risk) -> str:
    private, control = cell.at(risk), cell.at(risk, "control")
    return (
        f"by {JUDGES[risk.judge]} the private models give away {share(private.value)} of the people, those without "
        f"privacy {share(control.value)}, so the noise hides {share(hidden(cell, risk))} of these"
    )

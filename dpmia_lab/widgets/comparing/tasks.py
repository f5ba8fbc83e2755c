"""Lesson 10's prediction and tasks, checked against what the reader did."""

import ipywidgets as widgets

from dpmia_lab.experiments.comparing_answers import Harm, Limit, Question, answer_to, bargains, leak_of
from dpmia_lab.experiments.comparing_grid import Grid, measured_over
from dpmia_lab.experiments.comparing_matched import lines_of, match, matched
from dpmia_lab.experiments.comparing_sentences import value_text
from dpmia_lab.widgets.comparing.data import kind_of, shipped_grid
from dpmia_lab.widgets.comparing.front import FrontPanel
from dpmia_lab.widgets.comparing.panel import ComparingPanel, defence_words, own_cell
from dpmia_lab.widgets.comparing.question import ACCEPTED, QuestionPanel
from dpmia_lab.widgets.comparing.words import attack_name
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run

UNADAPTED = "lira_unadapted"  # the attack of who does not know of the defence
TIMES, LEAST_CAUGHT, LEAST_KEPT = 10.0, 0.2, 0.95  # task 1: worse by the worst attack; of members; of the accuracy
ASKED_RIGHT = 0.4  # task 2: of new carts, at least
STAYS = 0.9  # the prediction: of the undefended accuracy
OWN_RIGHT, HALF, OWN_MODELS, OWN_RECORDS = 0.45, 0.5, 12, 300  # task 3
CANARIES = Harm("tpr1", "canaries")


# ---- the prediction
def predict_front(front: FrontPanel) -> widgets.VBox:
    question = Prediction(
        "Nearly fifty defences and strengths meet the same shopping carts, and every attack that fits. Take those that "
        "keep at least nine tenths of the undefended accuracy. Some members are unlike all others. Under the best of "
        "these defences, by the attack that is worst for it: how many of the odd members are caught, where one in a "
        "hundred outsiders is accused wrongly?",
        ["hardly more than by guessing: under 10 %", "some: about a third", "most: over 60 %"],
        then="choose “canaries” below, and look at the dots",
        because="A model that is right about odd records it has seen, and wrong about odd ones it has not, gives them "
        "away. To hide them, each record's part in every step has to be bounded, and that costs accuracy.",
    )
    grid = shipped_grid("carts")
    if grid is not None:
        right, said = safest_for_canaries(grid)
        question.measured(0 if right < 0.2 else 1 if right < 0.55 else 2, said)
    front.answers(question.outcome)
    return question.view


def safest_for_canaries(grid: Grid) -> tuple[float, str]:
    """The least share of canaries caught among those that stay useful, in words."""
    least = STAYS * measured_over(grid.accuracy("none")).mean
    found = [one for one in bargains(grid, CANARIES) if one.accuracy.mean >= least]
    best = min(found, key=lambda one: one.leak.measured.mean)
    share = best.leak.measured.mean
    return share, (
        f"Of {len(found)} that stay so useful, {grid.columns[best.column].words} is best: {share:.0%} of its canaries "
        f"are caught by {attack_name(best.leak.attack)}; guessing catches 1%."
    )


# ---- task 1
def task_flattered(front: FrontPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        grid, harm, opened = front.board.shipped(), front.harm(), front.opened
        if front.board.data != "carts" or grid is None:
            return False, "Look at the shopping carts."
        if harm.attack != UNADAPTED or harm.measure != "tpr1" or harm.who != "everybody":
            return False, f"Choose members caught at 1 %, everybody, and “{attack_name(UNADAPTED)}” as the attack."
        if opened not in grid.columns or kind_of(grid, opened) != "empirical":
            return False, "Open a triangle: a defence that promises nothing."
        return flattered(grid, opened)

    def set_there() -> list[dict]:
        return [{"data": front.board.data, "attack": front.attack.value, "defence": front.opened}]

    return task(
        "Task 1. Find who was flattered.",
        "An attacker who does not know of a defence trains shadow models without it. On shopping carts, find a defence "
        f"without a promise that keeps at least {LEAST_KEPT:.0%} of the undefended accuracy, and of whose members "
        f"that attacker catches at most a tenth as many as the attack that is worst for it, which catches "
        f"{LEAST_CAUGHT:.0%} or more. Choose the attack above and open the dot.",
        check,
        set_there,
        listen=front.watchers.append,
    )


def flattered(grid: Grid, column: str) -> tuple[bool, str]:
    unadapted, worst = (leak_of(grid, column, Harm("tpr1", attack=attack)) for attack in (UNADAPTED, ""))
    kept = measured_over(grid.accuracy(column)).mean / measured_over(grid.accuracy("none")).mean
    words = grid.columns[column].words
    few, many = (value_text("tpr1", leak.measured.mean) for leak in (unadapted, worst))
    said = f"{words}: {few} by who does not adapt, {many} by {attack_name(worst.attack)}, {kept:.0%} of the accuracy"
    if kept < LEAST_KEPT:
        return False, f"{said}. Too little of the accuracy is left: a weaker strength, or another."
    if worst.measured.mean < LEAST_CAUGHT:
        return False, f"{said}. This one really leaks little. Look further to the right when the worst attack counts."
    if worst.measured.mean < TIMES * unadapted.measured.mean:
        return False, f"{said}. Not flattered enough: which defences change what answers look like, not what is known?"
    return True, f"{said}. Reported by the first number alone, this defence would look ten times as good as it is."


# ---- task 2
def task_question(asked: QuestionPanel) -> widgets.VBox:
    def check() -> tuple[bool, str]:
        grid = asked.board.shipped()
        if asked.board.data != "carts" or grid is None:
            return False, "Ask about the shopping carts."
        if asked.who.value != "canaries":
            return False, "Let canaries be the members who count."
        if asked.right.value < ASKED_RIGHT:
            return False, f"Ask for at least {ASKED_RIGHT:.0%} right."
        return tightest_limit(grid, asked.limits["tpr1"].value, asked.right.value)

    def set_there() -> list[dict]:
        return [{"who": asked.who.value, "most": asked.limits["tpr1"].value, "right": asked.right.value}]

    return task(
        "Task 2. As strict as can be.",
        f"On shopping carts, with canaries as the members who count and at least {ASKED_RIGHT:.0%} right: find the "
        "strictest limit on members caught to which anything here keeps, over the whole of its interval.",
        check,
        set_there,
        listen=asked.watchers.append,
    )


def tightest_limit(grid: Grid, most: float, right: float) -> tuple[bool, str]:
    def kept(limit: float) -> list:
        return list(answer_to(grid, Question((Limit(CANARIES, limit),), right)).kept)

    there, stricter = kept(most), [limit for limit in ACCEPTED["tpr1"] if limit < most]
    if not there:
        return False, f"Nothing keeps to {most:.0%} at {right:.0%} right. Accept more."
    if stricter and kept(stricter[-1]):
        return False, f"{len(there)} keep to {most:.0%} at {right:.0%} right. It can be stricter."
    names = " and ".join(grid.columns[option.column].words for option in there[:3])
    return True, (
        f"{most:.0%}, with {names}. One step stricter nothing here is {right:.0%} right: that is what these people "
        "cost."
    )


# ---- task 3
def task_own(panel: ComparingPanel) -> widgets.VBox:
    def large() -> list[Run]:
        return [run for run in panel.table.runs if run.config.data == "purchases_like"
                and run.config.records >= OWN_RECORDS and run.config.shadows >= OWN_MODELS
                and run.config.canaries >= 10]  # fmt: skip

    def tried() -> list[Run]:
        return [run for run in large() if run.config.defence not in ("none", "stopping")]

    def done() -> list[Run]:
        return [run for run in tried() if beats_stopping(run)[0]]

    def check() -> tuple[bool, str]:
        if done():
            return beats_stopping(done()[0])
        if not large():
            return False, (
                f"There is no run of yours on shopping carts with {OWN_RECORDS} records, {OWN_MODELS} models and ten "
                "canaries or more yet: press Train and attack above."
            )
        if not tried():
            return False, "Your runs so far are of no defence, or of stopping early itself."
        return False, own_hint(tried())

    return task(
        "Task 3. Beat the cheapest control.",
        f"On shopping carts, make a cell of your own that is right for at least {OWN_RIGHT:.0%} and of whose canaries "
        "at most half as many are caught as of early stopping's at the same accuracy.",
        check,
        done,
        listen=lambda call: panel.listeners.append(lambda _: call()),
    )


def stopping_at(grid: Grid, accuracy: float) -> float | None:
    """Canaries caught where early stopping is as accurate, by its worst attack."""
    line = next(line for line in lines_of(grid) if grid.columns[line.columns[0]].family == "stopping")
    place = match(grid, line, accuracy)
    pairs = [pair for pair in grid.attacks("tpr1") if pair[1] in ("mislabelled", "atypical")]
    found = [matched(grid, place, "tpr1", *pair) for pair in pairs]
    return max((one.mean for one in found if one is not None), default=None)


def beats_stopping(run: Run) -> tuple[bool, str]:
    grid, cell = shipped_grid("carts"), own_cell(run)
    if grid is None:
        return False, "The grid has not been computed yet."
    right = run.result.rows.value("accuracy", protocol="test")
    leak = leak_of(cell.on(grid), cell.name, CANARIES)
    stopping = stopping_at(grid, right)
    said = f"{defence_words(run.config)}: {right:.0%} right, {leak.measured.mean:.0%} of canaries caught"
    if stopping is None:
        return False, f"{said}. Early stopping is never as accurate as that; make it stronger, to compare."
    said += f", early stopping as accurate {stopping:.0%}"
    if right < OWN_RIGHT:
        return False, f"{said}. Too little is left to use: a little weaker."
    if leak.measured.mean > HALF * stopping:
        return False, f"{said}. Not half as many."
    return True, f"{said}. What protects the odd one out bounds what any single record may do to the model."


def own_hint(runs: list[Run]) -> str:
    """Knows what was tried."""
    said, families = beats_stopping(runs[0])[1], {run.config.defence for run in runs}
    if "too little" in said.lower() or "never as accurate" in said:
        return said
    if "central" not in families:
        return f"{said} What bounds each record's share of a step? You have tried {len(families)} of the defences."
    tried = sorted({(run.config.epsilon, run.config.z) for run in runs if run.config.defence == "central"})
    told = ", ".join(f"ε = {epsilon:g}" if epsilon else f"z = {z:g}" for epsilon, z in tried)
    return f"{said} With DP-SGD you have tried {told}: another ε; and mind the clipping norm (More settings)."

"""Lesson 8's prediction and tasks, checked against what the reader did."""

import ipywidgets as widgets

from dpmia_lab.options import number_text
from dpmia_lab.reference.shipped_runs import shipped_record
from dpmia_lab.store import Result
from dpmia_lab.widgets.confidences.data import presets
from dpmia_lab.widgets.confidences.panel import ConfidencesPanel
from dpmia_lab.widgets.confidences.words import SHORT, defence_words, percent, recognised, strongest
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run

STRONG = 0.03  # λ from which MID's effect on one answer is plain
LEAST_RIGHT, MOST_ALIGNED = 0.9, 0.55  # task 1
LEAST_USEFUL, MOST_BY_ANY = 0.7, 0.7  # task 2
NEAR = 0.05  # task 3: how far twenty answers may stay behind the mean code


# ---- the prediction
def predict_answers(panel: ConfidencesPanel) -> widgets.VBox:
    question = Prediction(
        "MID puts noise between the picture and the answer: the same photograph gets another answer each time, and "
        "from one answer fewer faces are drawn. Now the attacker asks twenty times about each photograph and takes the "
        "mean. How much of what MID hid is then drawn again?",
        ["nothing: noise is noise", "about half of it", "nearly all of it, or more"],
        then=f"move λ below to {number_text(STRONG)} or more, look, and let the attacker ask twenty times",
        because="Fresh noise averages out: a bound on what <i>one</i> code tells does not bound twenty.",
    )
    plain = plain_share()

    def look() -> None:
        c, result = panel.results.config, panel.results.result
        fits = result is not None and c.data == "faces" and c.defence == "mid" and c.lam >= STRONG
        if question.truth is not None or not fits or plain is None:
            return
        if panel.results.turn == "once" and not (panel.last and panel.last.config == c):
            return
        once, many = (recognised(result, name).value for name in ("alignment", "alignment_averaged"))
        back = (many - once) / (plain - once) if plain > once else 1.0
        said = (
            f"With λ = {number_text(c.lam)} alignment recognises {percent(once)} from one answer, {percent(many)} from "
            f"{c.answers} answers, and {percent(plain)} where λ = 0."
        )
        question.measured(0 if back < 0.25 else 1 if back < 0.75 else 2, said)

    panel.results.listeners.append(look)
    panel.listeners.append(lambda _: look())
    panel.answers(question.outcome)
    return question.view


def plain_share() -> float | None:
    """Recognised by alignment from the network that ships for λ = 0."""
    record = shipped_record("confidences", presets()["faces"])
    return None if record is None else record["results"]["recognised_alignment"]


# ---- task 1
def of_faces(panel: ConfidencesPanel) -> list[Run]:
    return [run for run in panel.table.runs if run.config.data == "faces" and run.config.people >= 40]


def accuracy(run: Run) -> float:
    return run.result.numbers["test_accuracy"]


def share(result: Result, attack: str) -> float:
    return recognised(result, attack).value


def task_lambda(panel: ConfidencesPanel) -> widgets.VBox:
    def with_mid() -> list[Run]:
        return [run for run in of_faces(panel) if run.config.defence == "mid"]

    def done() -> list[Run]:
        return [run for run in with_mid() if accuracy(run) >= LEAST_RIGHT and aligned(run) <= MOST_ALIGNED]

    def check() -> tuple[bool, str]:
        if done():
            run = done()[0]
            return True, (
                f"λ = {number_text(run.config.lam)}: {percent(accuracy(run))} right, and alignment recognises "
                f"{percent(aligned(run))} from one answer. Now look at the others: GMI "
                f"{percent(share(run.result, 'gmi'))}, alignment from {run.config.answers} answers "
                f"{percent(share(run.result, 'alignment_averaged'))}, through the mean "
                f"{percent(share(run.result, 'alignment_mean'))}. What you stopped is one attacker."
            )
        if not of_faces(panel):
            return False, "There is no run of yours on the forty faces yet: set λ above and press Train and attack."
        if not with_mid():
            return False, "Your runs so far are with other defences: this task is about MID's λ."
        return False, lambda_hint(with_mid())

    return task(
        "Task 1. Stop one attacker.",
        f"On the generated faces with MID, find a λ at which alignment from <i>one</i> answer has at most "
        f"{percent(MOST_ALIGNED)} recognised while the network is still right about at least {percent(LEAST_RIGHT)} of "
        "new pictures. Then see what the others draw.",
        check,
        done,
    )


def aligned(run: Run) -> float:
    return share(run.result, "alignment")


def lambda_hint(runs: list[Run]) -> str:
    """Knows what was tried: between which two λ the answer must lie."""
    last = runs[0]
    said = f"λ = {number_text(last.config.lam)}: {percent(accuracy(last))} right, alignment {percent(aligned(last))}. "
    dear = [run.config.lam for run in runs if accuracy(run) < LEAST_RIGHT]
    weak = [run.config.lam for run in runs if accuracy(run) >= LEAST_RIGHT]
    if dear and weak and max(weak) < min(dear):
        return said + f"Look between λ = {number_text(max(weak))} and λ = {number_text(min(dear))}."
    if dear:
        return said + "That costs too much accuracy: a smaller λ."
    return said + "Useful enough, but it leaks: a larger λ."


# ---- task 2
def task_rival(panel: ConfidencesPanel) -> widgets.VBox:
    def done() -> list[Run]:
        return [run for run in of_faces(panel) if accuracy(run) >= LEAST_USEFUL
                and strongest(run.result).value <= MOST_BY_ANY]  # fmt: skip

    def check() -> tuple[bool, str]:
        if done():
            run = done()[0]
            best = strongest(run.result)
            return True, (
                f"{defence_words(run.config)}: {percent(accuracy(run))} right, and nobody has more than "
                f"{percent(best.value)} recognised ({SHORT[best.attack]}). No guarantee: only the attackers of this "
                "page were tried, and most people are still drawn."
            )
        if not of_faces(panel):
            return False, "There is no run of yours on the forty faces yet: choose a defence above."
        return False, rival_hint(of_faces(panel))

    return task(
        "Task 2. Stop all of them.",
        f"On the generated faces, find a defence and a strength at which <i>no</i> attacker has more than "
        f"{percent(MOST_BY_ANY)} recognised, while at least {percent(LEAST_USEFUL)} of new pictures are named right.",
        check,
        done,
    )


def rival_hint(runs: list[Run]) -> str:
    last = runs[0]
    best, right = strongest(last.result), accuracy(last)
    said = (
        f"{defence_words(last.config)}, as last tried: {percent(right)} right, and {percent(best.value)} recognised by "
        f"the strongest attacker ({SHORT[best.attack]}). "
    )
    tried = {run.config.defence for run in runs}
    if best.value <= MOST_BY_ANY:
        return said + "Safe enough, but too dear: a little weaker."
    if tried <= {"none", "mid"}:
        return said + "Under MID there is always one who goes through the mean or asks again: try another defence."
    if last.config.defence in ("rounding", "uniform_noise", "label_only"):
        return said + "Who holds the weights does not ask for answers: what is told of them does not matter to GMI."
    if last.config.defence == "label_smoothing" and last.config.smoothing >= 0:
        return said + "Positive smoothing helps the attacker. α may be negative."
    if right < LEAST_USEFUL:
        return said + "It misses both: try another defence."
    return said + "Useful enough, but it leaks: stronger, or another defence."


# ---- task 3
def task_count(panel: ConfidencesPanel) -> widgets.VBox:
    def asked() -> list[Run]:
        return [run for run in of_faces(panel) if run.config.defence == "mid" and run.config.lam >= STRONG]

    def near(run: Run) -> bool:
        return share(run.result, "alignment_mean") - share(run.result, "alignment_averaged") <= NEAR

    def done() -> list[Run]:
        """An enough and a too few, at the same λ."""
        for run in asked():
            below = [other for other in asked() if other.config.lam == run.config.lam and not near(other)
                     and other.config.answers < run.config.answers]  # fmt: skip
            if near(run) and below and run.config.answers <= 4 * max(other.config.answers for other in below):
                return [run, max(below, key=lambda other: other.config.answers)]
        return []

    def check() -> tuple[bool, str]:
        if found := done():
            run, fewer = found
            return True, (
                f"At λ = {number_text(run.config.lam)}, {fewer.config.answers} answers give "
                f"{percent(share(fewer.result, 'alignment_averaged'))}, {run.config.answers} give "
                f"{percent(share(run.result, 'alignment_averaged'))}, and the mean code "
                f"{percent(share(run.result, 'alignment_mean'))}. A limit on questions would have to lie below that."
            )
        if not asked():
            return False, f"There is no run of yours with MID at λ = {number_text(STRONG)} or more yet."
        run = asked()[0]
        many, mean = (percent(share(run.result, f"alignment_{how}")) for how in ("averaged", "mean"))
        said = f"λ = {number_text(run.config.lam)}, {run.config.answers} answers: {many}; through the mean {mean}. "
        if near(run):
            return False, said + "Enough. Now show that it needs about so many: a run with fewer that falls short."
        return False, said + "Not there yet: let the attacker ask more often (More settings, answers averaged)."

    return task(
        "Task 3. How often must one ask?",
        f"With MID at λ = {number_text(STRONG)} or more, find how many answers bring alignment to within "
        f"{100 * NEAR:.0f} points of the mean code, to a factor of four: one run that is there, and one with fewer "
        "answers that is not. <i>Answers averaged</i> is under More settings.",
        check,
        done,
    )

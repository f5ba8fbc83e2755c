"""Lesson 1: the prediction and the three tasks, each checked against the reader's own runs.

A drawing counts as recognised where the judge *and* SSIM name the right person: the judge stretches contrast, so that
it also names drawings in which the eye sees nothing.
"""

import ipywidgets as widgets

from dpmia_lab.experiments import inversion
from dpmia_lab.options import number_text
from dpmia_lab.reference.shipped_runs import shipped_record
from dpmia_lab.widgets.inversion.controls import PRIOR_WORDS, PROCESS_WORDS
from dpmia_lab.widgets.inversion.panel import InversionPanel
from dpmia_lab.widgets.inversion.words import counts, own_rows
from dpmia_lab.widgets.kit.questions import Prediction, task
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.words.said import local, marked, said

PEOPLE = 40
ENOUGH = 0.7  # of the people, recognised by both
NOBODY = 0.1
HALF = 0.5
SURE = 0.9


def predict_recognition(panel: InversionPanel) -> widgets.VBox:
    """Answered by the reader's first run on 40 generated people."""
    question = Prediction(
        marked(
            "You will train a recogniser on 7 pictures each of 40 people and attack it. An independent judge, a "
            "network that never saw those pictures, then looks at the 40 drawings. How many will it put the right "
            "name to?"
        ),
        marked(["about 1, no more than guessing", "around 10", "around 20", "30 or more"]),
        marked("press <b>Train and attack</b> below, or move a slider, and see"),
        marked(
            "Why so many? For each name the model keeps one picture of weights, and training made it a mixture of "
            "that person's photographs. Whoever climbs the confidence paints it."
        ),
    )

    def measured(run: Run) -> None:
        share = own_rows(run).value("recognised_share")
        if is_about(run) and question.truth is None:
            judge, ssim, people = counts(run.result, run.config.attack)
            right = sum(share >= bound for bound in (0.125, 0.375, 0.75))
            found = {"judge": judge, "people": people, "ssim": ssim}
            told = said("Your run: {judge} of {people} by the judge ({ssim} by SSIM), where guessing gives 1.", **found)
            question.measured(right, told)

    panel.listeners.append(measured)
    panel.answers(question.outcome)
    return question.view


# ---- what the tasks share
def is_about(run: Run) -> bool:
    """Whether it is on what all tasks are about."""
    c = run.config
    return (c.data, c.people, c.model) == ("faces", PEOPLE, "softmax")


def own_runs(panel: InversionPanel) -> list[Run]:
    """The newest first."""
    return [run for run in panel.tried if is_about(run)]


def missing(panel: InversionPanel) -> str:
    """What to say where there is no run that could count."""
    if not panel.tried:
        return said("There is no run of yours yet: move a slider above, or press Train and attack.")
    return said(
        "The tasks are about the generated faces, {people} people, softmax regression; your runs are not.",
        people=PEOPLE,
    )


def shares(run: Run) -> tuple[float, float]:
    """Named right by the judge, and by SSIM."""
    own = own_rows(run)
    return own.value("recognised_share"), own.value("recognised_ssim_share")


def both_words(run: Run) -> str:
    judge, ssim = shares(run)
    return said("the judge names {judge:.0%}, SSIM {ssim:.0%}", judge=judge, ssim=ssim)


def blank_note(run: Run) -> str:
    blank = int(run.result.arrays["blank"].sum())
    words = said(", and {blank} of {people} drawings are blank to the eye", blank=blank, people=PEOPLE)
    return words if blank else ""


# ---- 1
def task_few_steps(panel: InversionPanel) -> widgets.VBox:
    def done() -> list[Run]:
        return [run for run in own_runs(panel) if run.config.steps == 1 and min(shares(run)) >= ENOUGH][:1]

    def check() -> tuple[bool, str]:
        runs = own_runs(panel)
        if not runs:
            return False, missing(panel)
        for run in done():
            sure = own_rows(run).value("confidence_mean")
            return True, said(
                "After a single step {both}; the model itself is {sure:.0%} sure of it. One gradient already shows the "
                "weights, and the weights are mixtures of the photographs.",
                both=both_words(run),
                sure=sure,
            )
        single = [run for run in runs if run.config.steps == 1]
        if not single:
            fewest = min(runs, key=lambda run: run.config.steps)
            found = {"steps": fewest.config.steps, "both": both_words(fewest)}
            return False, said("Your shortest run took {steps} steps ({both}). Bring T to 1.", **found)
        found = {"both": both_words(single[0]), "blank": blank_note(single[0]), "hint": hint_one_step(single)}
        return False, said("After one step {both}{blank}. {hint}", **found)

    return task(
        marked("Task 1. How little work is enough?"),
        said(
            "On the generated faces ({people} people, softmax regression), bring the attack down to <b>a single "
            "step</b> and still have at least {enough:.0%} recognised by <b>both</b>, the judge and SSIM. The judge "
            "stretches contrast, so alone it is content with drawings in which you see nothing.",
            people=PEOPLE,
            enough=ENOUGH,
        ),
        check,
        done,
    )


def hint_one_step(tried: list[Run]) -> str:
    """What may help somebody who has tried these runs of one step, the newest first."""
    newest = tried[0].config
    if newest.attack == "enhanced" and newest.box:
        if max(run.config.rate for run in tried) < 0.3:
            return said("The one step is too small to be seen: make η larger.")
        return said(
            "Even a step of η = {rate} leaves many people grey: at mid-grey, where the box starts, their slope is next "
            "to nothing. The attack could start from another picture, or be another attack.",
            rate=local(number_text(max(run.config.rate for run in tried))),
        )
    if newest.attack == "prior":
        return said("This attacker starts from everybody's average and goes a little way: another attack goes further.")
    if newest.smooth:
        return said("The blur of {pixels:g} pixels takes away what SSIM looks for.", pixels=newest.smooth)
    if newest.process != "none":
        return said("The filter ({filter}) changes the one step there is.", filter=said(PROCESS_WORDS[newest.process]))
    if newest.prior == "l1" and newest.lam:
        return said(
            "The prior's step is in it too, and it is the same for all: λ = {weight} is much.",
            weight=local(number_text(newest.lam)),
        )
    return said("Try another seed, or the other attack.")


# ---- 2
def start_distance() -> float:
    """The mean distance of the drawings with which the page opens."""
    return shipped_record("inversion", inversion.PRESETS["faces"])["results"]["distance_mean"]


def task_fool_the_distance(panel: InversionPanel) -> widgets.VBox:
    goal = start_distance()

    def distance(run: Run) -> float:
        return own_rows(run).value("distance_mean")

    def done() -> list[Run]:
        return [run for run in own_runs(panel) if distance(run) < goal and max(shares(run)) <= NOBODY][:1]

    def check() -> tuple[bool, str]:
        runs = own_runs(panel)
        if not runs:
            return False, missing(panel)
        for run in done():
            return True, said(
                "Your drawings are at {distance:.2f}, closer than {goal:.2f}, and {both}{blank}. A flat grey picture "
                "lies in the middle of everything, so it is near every photograph. A distance needs such a baseline "
                "beside it, or it praises nothing at all.",
                distance=distance(run),
                goal=goal,
                both=both_words(run),
                blank=blank_note(run),
            )
        closer = [run for run in runs if distance(run) < goal]
        if not closer:
            best = min(runs, key=distance)
            found = {"distance": distance(best), "goal": goal, "hint": far(best)}
            told = said("Your closest drawings are at {distance:.2f}; {goal:.2f} is to be beaten. {hint}", **found)
            return False, told
        least = min(closer, key=lambda run: max(shares(run)))
        return False, said(
            "At {distance:.2f} you are closer than {goal:.2f}, but {both}. Take away more of what makes a person: "
            "{hint}",
            distance=distance(least),
            goal=goal,
            both=both_words(least),
            hint=weaker(least),
        )

    return task(
        marked("Task 2. Fool the distance."),
        said(
            "Paper A calls an attack better when its drawings come closer to a training picture. On the generated "
            "faces ({people} people, softmax regression), find settings whose drawings come <b>closer</b> than those "
            "the page opened with (mean distance {goal:.2f}), although neither the judge nor SSIM names more than "
            "{most:.0%} of the people.",
            people=PEOPLE,
            goal=goal,
            most=NOBODY,
        ),
        check,
        done,
    )


def far(run: Run) -> str:
    """Why the drawings are far from every photograph."""
    c = run.config
    if c.rate > 0.03 and c.attack != "prior":
        rate = local(number_text(c.rate))
        return said("Steps of η = {rate} drive pixels to black and white, far from any photograph.", rate=rate)
    if c.prior == "l1" and c.attack == "enhanced":
        return said("This prior wants black, and a photograph is not black.")
    return said("What is in the middle of all photographs? Perhaps not a face.")


def weaker(run: Run) -> str:
    c = run.config
    if c.attack != "enhanced":
        return said("the enhanced attack has a prior that can do it.")
    if c.prior == "none":
        return said("a prior, such as “{prior}”, can do it.", prior=said(PRIOR_WORDS["btv"]))
    asked = {"weight": local(number_text(c.lam)), "prior": said(PRIOR_WORDS[c.prior])}
    return said("your λ was {weight} with the prior “{prior}”; give it more weight.", **asked)


# ---- 3
def task_confident_nonsense(panel: InversionPanel) -> widgets.VBox:
    def sure(run: Run) -> float:
        return own_rows(run).value("confidence_mean")

    def done() -> list[Run]:
        return [run for run in own_runs(panel) if sure(run) >= SURE and max(shares(run)) <= HALF][:1]

    def check() -> tuple[bool, str]:
        runs = own_runs(panel)
        if not runs:
            return False, missing(panel)
        for run in done():
            return True, said(
                "The model is {sure:.0%} sure of its drawings, and {both}. Confidence is what the attack climbs, not "
                "what makes a likeness.",
                sure=sure(run),
                both=both_words(run),
            )
        newest = runs[0]
        found = {"sure": sure(newest), "both": both_words(newest)}
        last = said("In your last run the model is {sure:.0%} sure and {both}.", **found)
        if sure(newest) < SURE:
            return False, f"{last} {said('It must be {sure:.0%} sure: {hint}', sure=SURE, hint=surer(newest))}"
        return False, f"{last} {said('At most half may be recognised by either: {hint}', hint=less_like(newest))}"

    return task(
        marked("Task 3. Sure, and yet unlike."),
        said(
            "On the generated faces ({people} people, softmax regression), find settings for which the model is at "
            "least {sure:.0%} confident of the drawings on average, while judge and SSIM each recognise at most half.",
            people=PEOPLE,
            sure=SURE,
        ),
        check,
        done,
    )


def surer(run: Run) -> str:
    """What lets the attack climb further, of what was not tried yet."""
    c = run.config
    if c.attack == "enhanced" and c.prior != "none" and c.lam >= 1e-3:
        return said("λ = {weight} holds it back, so a little less of it.", weight=local(number_text(c.lam)))
    if c.steps < 300:
        return said("it had only {steps} steps.", steps=c.steps)
    return said("larger steps, or more of them.")


def less_like(run: Run) -> str:
    """How to lead the attacker astray, of what was not tried yet."""
    c = run.config
    if c.attack == "prior":
        return said("this attacker knows what faces look like; take one who does not.")
    if c.attack == "original" or c.prior == "none":
        return said("give the attacker a wrong idea of what faces look like: a prior, and some weight for it.")
    if c.prior == "l1":
        return said(
            "the prior is wrong enough for faces; λ = {weight} may be too little for it to matter.",
            weight=local(number_text(c.lam)),
        )
    return said(
        "“{prior}” is not a bad idea of a face. Which prior was made for something else?",
        prior=said(PRIOR_WORDS[c.prior]),
    )

"""Paper E's claims, each checked on a grid that ships with the lab: a verdict, and the sentence with the numbers."""

from collections.abc import Callable

import numpy as np

from dpmia_lab.experiments.evaluation import ATTACKERS, JUDGES
from dpmia_lab.widgets.choosing.data import Grid, protection, published, reference_grid
from dpmia_lab.widgets.choosing.words import share, span
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, Verdict, verdict

WORDS = {
    "att": "AT&T faces",
    "faces": "generated faces",
    "small": "generated faces, 10 pictures a person",
    "large": "generated faces, 100 pictures a person",
}
CLOSE = 0.1  # so near counts as the same share
HARDLY = 0.2  # so few models count as hardly any
MEASURES = {"success": "success_rate", "beyond chance": "beyond_chance_rate", "impact": "impact_mean"}


def references(*names: str) -> dict[str, Grid]:
    """Those of them that have been computed."""
    found = {name: reference_grid(name) for name in names}
    return {name: grid for name, grid in found.items() if grid is not None}


def on(names: tuple[str, ...], check: Callable[[Grid], Verdict]) -> Callable[[], dict[str, Verdict]]:
    """The check on each of these grids that has been computed, as a Claim wants it."""
    return lambda: {WORDS[name]: check(grid) for name, grid in references(*names).items()}


# ---- what the lesson shows
def accuracy_rises(grid: Grid) -> Verdict:
    accuracy, plain = grid.accuracies(), float(grid.accuracies("plain").mean())
    rises = bool((np.diff(accuracy, axis=0) > 0).all())
    said = (
        f"from {span(accuracy[0])} at ε = {grid.epsilons[0]:g} to {span(accuracy[-1])} at ε = {grid.epsilons[-1]:g}, "
        f"{'rising at every step' if rises else 'not rising at every step'}; without privacy {share(plain)}"
    )
    return verdict(rises and plain - accuracy[-1].max() <= CLOSE, said)


def success_rises(grid: Grid) -> Verdict:
    told, every = [], len(grid.sigmas)
    for words, measure in MEASURES.items():
        values, clear = grid.risks(measure), clearly_more(grid, measure)
        told.append(f"{words} from {span(values[0])} to {span(values[-1])} ({clear} of {every} σ clearly)")
    return verdict(clearly_more(grid, "success_rate") == every, "; ".join(told))


def clearly_more(grid: Grid, measure: str, attacker: str = "published") -> int:
    """At how many σ the interval at the largest ε lies above that at the smallest."""
    low, high = (grid.risks(measure, attacker, end=end) for end in ("low", "high"))
    return int((low[-1] > high[0]).sum())


def resists(grid: Grid) -> Verdict:
    up_to_six = grid.epsilons <= 6
    success = grid.risks("success_rate")[up_to_six]
    impact, blurred = (span(grid.risks("impact_mean", attacker)[up_to_six]) for attacker in ATTACKERS)
    models, people = (mean_of(grid, measure, "published", "noise") for measure in ("success_rate", "impact_mean"))
    said = (
        f"{span(success)} of the models with ε up to 6 give someone away; but so do {share(models)} of models of pure "
        f"noise. By people recognised: {impact}, after a blur {blurred}; pure noise {share(people)}"
    )
    return verdict(bool(success.max() <= HARDLY), said)


def mean_of(grid: Grid, measure: str, *of: str) -> float:
    return float(grid.risks(measure, *of).mean())


def gives_away_less(grid: Grid) -> Verdict:
    worst, blurred = (float(grid.risks("impact_highest", attacker).max()) for attacker in ATTACKERS)
    plain = mean_of(grid, "impact_mean", "published", "plain")
    said = (
        f"the worst private model gives away {share(worst)} of its people (after a blur {share(blurred)}), one without "
        f"privacy {share(plain)}"
    )
    return verdict(worst <= plain / 2, said)


def beats_ssim(grid: Grid) -> Verdict:
    judge, ssim = (mean_of(grid, "impact_mean", "published", "plain", by) for by in JUDGES)
    seen, similar = (span(grid.risks("impact_mean", "published", "private", by)[-1]) for by in JUDGES)
    said = (
        f"without privacy the judge recognises {share(judge)}, SSIM {share(ssim)}; of private models at ε = "
        f"{grid.epsilons[-1]:g} SSIM recognises {similar}, the judge {seen}"
    )
    return verdict(judge > ssim, said)


def protects(grid: Grid) -> Verdict:
    count, blurred = (
        sum(protection(cell, "impact_mean", attacker) == "protected" for cell in grid.cells.values())
        for attacker in ATTACKERS
    )
    said = (
        f"in {count} of {len(grid.cells)} cells private models give away clearly fewer people than models without "
        f"privacy that were stopped at the same accuracy (after a blur in {blurred}): there the noise protects, and "
        f"it is not that nothing was learnt"
    )
    return Verdict(NOT_CLAIMED, said)


# ---- 10 against 100 pictures a person, the paper's second question
def more_pictures() -> dict[str, Verdict]:
    both = references("small", "large")
    if len(both) < 2:
        return {}
    few, many = both.values()
    c, told = few.config, []
    for grid in (few, many):
        told.append(f"with {grid.config.pictures} pictures {size_words(grid, 0)}, {size_words(grid, -1)}")
    said = (
        f"{'; '.join(told)} ({c.models} models a cell; q = {c.q:g} for both, where the paper takes "
        f"{published()['vggface2']['q']:g} for its larger set): {more_words(few, many)}"
    )
    return {"generated faces, 10 and 100 pictures a person": verdict(are_more(few, many), said)}


def are_more(few: Grid, many: Grid) -> bool:
    """Whether more people are recognised at the largest ε."""
    return bool(many.risks("impact_mean")[-1].mean() > few.risks("impact_mean")[-1].mean())


def size_words(grid: Grid, row: int) -> str:
    """Accuracy and people recognised at an ε."""
    impact, blurred = (span(grid.risks("impact_mean", attacker)[row]) for attacker in ATTACKERS)
    accuracy = span(grid.accuracies()[row])
    return f"at ε = {grid.epsilons[row]:g} accuracy {accuracy}, people recognised {impact} (after a blur {blurred})"


def more_words(few: Grid, many: Grid) -> str:
    return (
        f"at the same ε, more pictures a person mean {'more' if are_more(few, many) else 'no more'} people recognised. "
        f"ε is for one picture; a person is in seventy"
    )


# ---- what else was found
def same_accuracies(grid: Grid) -> Verdict:
    ours, theirs = grid.accuracies(), np.array(published()["att_faces"]["test_accuracy"])
    apart, spans = theirs - ours, [f"{100 * np.ptp(one, axis=1).max():.0f}" for one in (ours, theirs)]
    said = (
        f"{span(ours)}, lower than the paper's in {(apart > 0).sum()} of {ours.size} cells, at most by "
        f"{100 * apart.max():.0f} points. Between the σ of one ε ours differ by up to {spans[0]} points, the paper's "
        f"by up to {spans[1]}"
    )
    return verdict(bool((np.abs(apart) <= CLOSE).all()), said)


def blur_helps(grid: Grid) -> Verdict:
    impact, blurred = (span(grid.risks("impact_mean", attacker)) for attacker in ATTACKERS)
    noise, clear = mean_of(grid, "impact_mean", "smoothed", "noise"), clearly_more(grid, "impact_mean", "smoothed")
    said = (
        f"the judge recognises {impact} of the people in the drawings as published, {blurred} in the same drawings "
        f"blurred by {grid.config.smooth:g} pixels (a width chosen in the attacker's favour; pure noise "
        f"{share(noise)}), and at {clear} of {len(grid.sigmas)} σ clearly more at ε = {grid.epsilons[-1]:g} than at "
        f"ε = {grid.epsilons[0]:g}"
    )
    return Verdict(NOT_CLAIMED, said)


def chance_succeeds(grid: Grid) -> Verdict:
    at_random, theirs = by_guessing(grid.config.people), np.array(published()["att_faces"]["success_rate"])
    noise = mean_of(grid, "success_rate", "published", "noise")
    said = (
        f"of models of pure noise, which never saw anybody, {share(noise)} “give someone away”; a judge who names at "
        f"random would reach {share(at_random)}, one who always says the same name 100%. Of the paper's "
        f"{theirs.size} rates {(theirs < at_random).sum()} lie below both, so here people are counted, and models "
        f"beyond chance"
    )
    return Verdict(NOT_CLAIMED, said)


def by_guessing(people: int) -> float:
    """The success rate of a judge who names at random."""
    return 1 - (1 - 1 / people) ** people

"""Paper E's claims, each checked on a grid that ships with the lab: a verdict, and the sentence with the numbers."""

from collections.abc import Callable

import numpy as np

from dpmia_lab.experiments.evaluation import ATTACKERS, IN_FULL
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.widgets.choosing.data import Grid, Risk, hidden, protection, published, reference_grid
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
    people, clear = seen(grid, "matched"), clearly_more(grid, "impact_mean", "published", "private", "matched")
    said = (
        f"by paper E's network {'; '.join(told)}. By the matched filter people recognised from {span(people[0])} to "
        f"{span(people[-1])} ({clear} of {every} σ clearly)"
    )
    return verdict(clearly_more(grid, "success_rate") == every, said)


def seen(grid: Grid, judge: str, attacker: str = "published", group: str = "private") -> np.ndarray:
    """(ε, σ): people recognised."""
    return grid.risks("impact_mean", attacker, group, judge)


def clearly_more(grid: Grid, measure: str, *of: str) -> int:
    """At how many σ the interval at the largest ε lies above that at the smallest."""
    low, high = (grid.risks(measure, *of, end=end) for end in ("low", "high"))
    return int((low[-1] > high[0]).sum())


def resists(grid: Grid) -> Verdict:
    up_to_six = grid.epsilons <= 6
    success = grid.risks("success_rate")[up_to_six]
    network, blurred, matched = (
        span(seen(grid, judge, attacker)[up_to_six])
        for judge, attacker in (("judge", "published"), ("judge", "smoothed"), ("matched", "published"))
    )
    models, people = (mean_of(grid, measure, "published", "noise") for measure in ("success_rate", "impact_mean"))
    said = (
        f"{span(success)} of the models with ε up to 6 give someone away to paper E's network; but so do "
        f"{share(models)} of models of pure noise. By people recognised: the network {network}, after a blur "
        f"{blurred}; the matched filter {matched} in the drawings as published; pure noise {share(people)}"
    )
    return verdict(bool(success.max() <= HARDLY), said)


def mean_of(grid: Grid, measure: str, *of: str) -> float:
    return float(grid.risks(measure, *of).mean())


def gives_away_less(grid: Grid) -> Verdict:
    """A claim about the models, so it must hold for every judge."""
    worst, plain = {}, {}
    for judge in IN_FULL:
        worst[judge] = float(grid.risks("impact_highest", "published", "private", judge).max())
        plain[judge] = mean_of(grid, "impact_mean", "published", "plain", judge)
    said = (
        f"by paper E's network the worst private model gives away {share(worst['judge'])} of its people, one without "
        f"privacy {share(plain['judge'])}; by the matched filter {share(worst['matched'])} and "
        f"{share(plain['matched'])}: that few were given away was the judge's doing"
    )
    return verdict(all(worst[judge] <= plain[judge] / 2 for judge in IN_FULL), said)


def beats_ssim(grid: Grid) -> Verdict:
    judges = ("judge", "ssim", "nearest", "matched")
    plain = {judge: float(seen(grid, judge, group="plain").mean()) for judge in judges}
    private = {judge: span(seen(grid, judge)[-1]) for judge in judges}
    said = (
        f"without privacy paper E's network recognises {share(plain['judge'])}, SSIM {share(plain['ssim'])}, the "
        f"nearest picture by correlation {share(plain['nearest'])}, the matched filter {share(plain['matched'])}; of "
        f"private models at ε = {grid.epsilons[-1]:g} the network {private['judge']}, SSIM {private['ssim']}, the "
        f"nearest picture {private['nearest']}, the filter {private['matched']}"
    )
    return verdict(plain["judge"] > plain["ssim"], said)


def weak_judge(grid: Grid) -> Verdict:
    cell = grid.cells[len(grid.epsilons) - 1, 0]
    network, matched = (cell.numbers[name] for name in ("judge_accuracy", "matched_accuracy"))
    published = [share(cell.at(Risk(attacker="published", judge=judge)).value) for judge in ("judge", "matched")]
    blurred = [share(cell.at(Risk(judge=judge)).value) for judge in ("judge", "matched")]
    noise = share(cell.at(Risk(attacker="published"), "noise").value)
    said = (
        f"photographs the network names right for {share(network)}, the matched filter for {share(matched)}; but of "
        f"the people drawn at {cell.title} the network recognises {published[0]} (after a blur {blurred[0]}), the "
        f"filter {published[1]} ({blurred[1]}), and of pure noise {noise}. An ε chosen because the network found "
        f"hardly anybody was chosen by the judge's weakness"
    )
    return Verdict(NOT_CLAIMED, said)


def protects(grid: Grid) -> Verdict:
    told = []
    for judge, words in (("judge", "paper E's network"), ("matched", "the matched filter")):
        risk = Risk(attacker="published", judge=judge)
        count = sum(protection(cell, risk) == "protected" for cell in grid.cells.values())
        shares = grid.shaped([hidden(cell, risk) for cell in grid.cells.values()])
        told.append(
            f"by {words} in {count}, where the noise hides {span(shares[0])} of those people at ε = "
            f"{grid.epsilons[0]:g} and {span(shares[-1])} at ε = {grid.epsilons[-1]:g}"
        )
    said = (
        f"of {len(grid.cells)} cells, private models give away clearly fewer people than models without privacy that "
        f"were stopped at the same accuracy, {'; '.join(told)}"
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
    """Whether more people are recognised at the largest ε, by the strongest judge."""
    return bool(seen(many, "matched")[-1].mean() > seen(few, "matched")[-1].mean())


def size_words(grid: Grid, row: int) -> str:
    """Accuracy and people recognised at an ε."""
    network, matched = (span(seen(grid, judge)[row]) for judge in ("judge", "matched"))
    accuracy = span(grid.accuracies()[row])
    return (
        f"at ε = {grid.epsilons[row]:g} accuracy {accuracy}, people recognised {network} by paper E's network, "
        f"{matched} by the matched filter"
    )


def more_words(few: Grid, many: Grid) -> str:
    last = [grid.cells[len(grid.epsilons) - 1, 0] for grid in (few, many)]
    pictures = " or ".join(f"{cell.numbers['pictures_a_person']:.0f}" for cell in last)
    persons = " or ".join(epsilon_text(cell.numbers["epsilon_person"]) for cell in last)
    return (
        f"at the same ε, more pictures a person mean {'more' if are_more(few, many) else 'no more'} people recognised. "
        f"ε = {last[0].config.epsilon:g} is for one picture; for all {pictures} of a person together it is {persons}, "
        f"each at its picture's δ (tight accountant for a group)"
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
    network, matched = ([span(seen(grid, judge, attacker)) for attacker in ATTACKERS] for judge in ("judge", "matched"))
    noise, clear = mean_of(grid, "impact_mean", "smoothed", "noise"), clearly_more(grid, "impact_mean", "smoothed")
    said = (
        f"paper E's network recognises {network[0]} of the people in the drawings as published, {network[1]} in the "
        f"same drawings blurred by {grid.config.smooth:g} pixels (a width chosen in the attacker's favour; pure noise "
        f"{share(noise)}), and at {clear} of {len(grid.sigmas)} σ clearly more at ε = {grid.epsilons[-1]:g} than at "
        f"ε = {grid.epsilons[0]:g}; to the matched filter the blur makes little difference: {matched[0]} and "
        f"{matched[1]}"
    )
    return Verdict(NOT_CLAIMED, said)


def chance_succeeds(grid: Grid) -> Verdict:
    at_random, theirs = by_guessing(grid.config.people), np.array(published()["att_faces"]["success_rate"])
    noise = mean_of(grid, "success_rate", "published", "noise")
    said = (
        f"of models of pure noise, which never saw anybody, {share(noise)} “give someone away” to paper E's network; a "
        f"judge who names at "
        f"random would reach {share(at_random)}, one who always says the same name 100%. Of the paper's "
        f"{theirs.size} rates {(theirs < at_random).sum()} lie below both, so here people are counted, and models "
        f"beyond chance"
    )
    return Verdict(NOT_CLAIMED, said)


def by_guessing(people: int) -> float:
    """The success rate of a judge who names at random."""
    return 1 - (1 - 1 / people) ** people

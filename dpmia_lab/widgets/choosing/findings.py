"""What paper E reports and what the shipped reference says: computed, not written."""

from collections.abc import Callable

import ipywidgets as widgets
import numpy as np

from dpmia_lab.metrics.recognition import chance_of_success
from dpmia_lab.widgets.choosing.data import Grid, protection, published, reference_grid
from dpmia_lab.widgets.choosing.words import LATER, share, with_interval
from dpmia_lab.widgets.kit.parts import card, text

WORDS = {
    "att": "AT&T faces",
    "faces": "generated faces",
    "small": "generated faces, 10 pictures a person",
    "large": "generated faces, 100 pictures a person",
}
PRINTED = ("test_accuracy", "success_rate", "impact_of_40")
CLOSE = 0.1  # so near counts as the same share
HARDLY = 0.2  # so few models count as hardly any
MEASURES = {"success": "success_rate", "beyond chance": "beyond_chance_rate", "impact": "impact_mean"}
Verdict = tuple[bool | None, str]  # agrees, does not, or nothing to say; the sentence with the numbers


def references() -> dict[str, Grid]:
    found = {name: reference_grid(name) for name in WORDS}
    return {name: grid for name, grid in found.items() if grid is not None}


# ---- cell by cell
def comparison() -> widgets.VBox:
    """Our cells beside the paper's: AT&T faces if they have been computed, else the generated ones."""
    kept, paper = references(), published()
    name = next((name for name in ("att", "faces") if name in kept), None)
    ready = name is not None and paper
    words = table_html(name, kept[name], paper["att_faces"]) if ready else f"<p>{LATER}</p>"
    return card(text(words), name="dp-ours")


def table_html(name: str, grid: Grid, paper: dict) -> str:
    rows = "".join(row_html(grid, place, paper) for place in grid.places)
    last = last_row_html(grid, paper)
    what = "The paper's own data" if name == "att" else "Not the paper's data, which were not computed yet"
    return (
        f"<h4>{WORDS[name][0].upper() + WORDS[name][1:]}: this lab, and <span class='dp-reference'>paper E</span></h4>"
        f'<div class="dp-scroll"><table><caption>{what}; attacker as published, {grid.config.models} models a cell '
        f"(paper: 100). Impact: people recognised, in the worst model. Marked ≈ where ours is within {100 * CLOSE:.0f} "
        f"points of the paper's.</caption><thead><tr><th>cell</th><th>accuracy<br><small>higher: useful</small></th>"
        f"<th>paper</th><th>success rate<br><small>lower: safer</small></th><th>paper</th><th>highest impact<br>"
        f"<small>lower: safer</small></th><th>paper</th></tr></thead><tbody>{rows}{last}</tbody></table></div>"
    )


def row_html(grid: Grid, place: tuple[int, int], paper: dict) -> str:
    cell, (row, column) = grid.cell(place), place
    accuracy, success, impact = (paper[name][row][column] for name in PRINTED)
    n = cell.numbers
    cells = (
        (share(n["test_accuracy"]), n["test_accuracy"], accuracy),
        (with_interval(cell.estimate("success_rate")), n["success_rate"], success),
        (share(n["impact_highest"]), n["impact_highest"], impact / 40),
    )
    return f"<tr><td>{cell.title}</td>{''.join(pair_html(*one) for one in cells)}</tr>"


def pair_html(words: str, ours: float, theirs: float) -> str:
    near = "≈ " if abs(ours - theirs) <= CLOSE else ""
    return f"<td>{near}{words}</td><td class='dp-reference'>{share(theirs)}</td>"


def last_row_html(grid: Grid, paper: dict) -> str:
    means = {name: float(grid.values[f"plain_{name}"].mean()) for name in ("test_accuracy", "success_rate")}
    accuracy, success, impact = (paper["non_private"][name] for name in PRINTED)
    printed = (accuracy, success, impact / 40)
    ours = (means["test_accuracy"], means["success_rate"], float(grid.values["plain_impact_highest"].max()))
    pairs = "".join(pair_html(share(one), one, other) for one, other in zip(ours, printed, strict=True))
    return f"<tr><td>no privacy</td>{pairs}</tr>"


# ---- the claims
def accuracy_claim(grid: Grid) -> Verdict:
    accuracy = grid.values["test_accuracy"]
    lost = float(grid.values["plain_test_accuracy"].mean()) - accuracy[-1].max()
    rises = bool((np.diff(accuracy, axis=0) > 0).all())
    return rises and lost <= CLOSE, (
        f"from {span(accuracy[0])} at ε = {grid.epsilons[0]:g} to {span(accuracy[-1])} at ε = {grid.epsilons[-1]:g}, "
        f"{'rising at every step' if rises else 'not rising at every step'}; without privacy "
        f"{share(float(grid.values['plain_test_accuracy'].mean()))}"
    )


def rise_claim(grid: Grid) -> Verdict:
    """Is the interval at the largest ε above that at the smallest, at every σ?"""
    said = {}
    for words, measure in MEASURES.items():
        low, high = grid.values[f"{measure}_low"][-1], grid.values[f"{measure}_high"][0]
        ends = grid.values[measure][[0, -1]]
        said[words] = int((low > high).sum()), f"{words} from {span(ends[0])} to {span(ends[1])}"
    count = len(grid.sigmas)
    told = "; ".join(f"{found} ({rises} of {count} σ clearly)" for rises, found in said.values())
    return said["success"][0] == count, told


def resistant_claim(grid: Grid) -> Verdict:
    middle = grid.values["success_rate"][grid.epsilons <= 6]
    noise = float(grid.values["noise_success_rate"].mean())
    return bool(middle.max() <= HARDLY), (
        f"{span(middle)} of the models with ε up to 6 give someone away; but so do {share(noise)} of models of pure "
        f"noise. By people recognised: {span(grid.values['impact_mean'][grid.epsilons <= 6])}, after a blur "
        f"{span(grid.values['impact_mean_smoothed'][grid.epsilons <= 6])}; pure noise "
        f"{share(float(grid.values['noise_impact_mean'].mean()))}"
    )


def against_plain_claim(grid: Grid) -> Verdict:
    worst, plain = grid.values["impact_highest"].max(), float(grid.values["plain_impact_mean"].mean())
    blurred = grid.values["impact_highest_smoothed"].max()
    return bool(worst <= plain / 2), (
        f"the worst private model gives away {share(worst)} of its people (after a blur {share(blurred)}), one without "
        f"privacy {share(plain)}"
    )


def control_claim(grid: Grid) -> Verdict:
    found = {attacker: [protection(cell, "impact_mean", attacker) for cell in grid.cells().values()]
             for attacker in ("", "_smoothed")}  # fmt: skip
    count = [kinds.count("protected") for kinds in found.values()]
    return None, (
        f"in {count[0]} of {len(grid.places)} cells private models give away clearly fewer people than models without "
        f"privacy that were stopped at the same accuracy (after a blur in {count[1]}): there the noise protects, and "
        f"it is not that nothing was learnt"
    )


def ssim_claim(grid: Grid) -> Verdict:
    judge, ssim = (float(grid.values[f"plain_impact_mean{end}"].mean()) for end in ("", "_ssim"))
    private = span(grid.values["impact_mean_ssim"][-1])
    return judge > ssim, (
        f"without privacy the judge recognises {share(judge)}, SSIM {share(ssim)}; of private models at ε = "
        f"{grid.epsilons[-1]:g} SSIM recognises {private}, the judge {span(grid.values['impact_mean'][-1])}"
    )


# title, what the paper says, the check
CLAIMS: list[tuple[str, str, Callable[[Grid], Verdict]]] = [
    ("Accuracy rises with ε and is nearly whole at ε = 8", "30% at ε = 2, 90% at ε = 8, 93% without privacy",
     accuracy_claim),
    ("Success rises with ε at fixed σ", "from 0% at ε = 2 to 31–46% at ε = 8", rise_claim),
    ("Up to ε = 6 hardly a model is attacked", f"at most 11% of the models (here up to {HARDLY:.0%} counts)",
     resistant_claim),
    ("Private models give away far less than others", "at most 3 of 40 people, against 34 of 40", against_plain_claim),
    ("A deep judge recognises more than SSIM", "85% against 78%, without privacy (Table 5)", ssim_claim),
    ("Protection, or failure to learn?", "“due to the low accuracy” at ε = 2 and 4; not measured", control_claim),
]  # fmt: skip


def findings() -> widgets.VBox:
    kept = {name: grid for name, grid in references().items() if name in ("att", "faces")}
    parts = [claim_html(*claim, kept) for claim in CLAIMS] + [size_html(references())]
    return card(text("".join(parts) + chance_html() if kept else f"<p>{LATER}</p>"), name="dp-claims")


def claim_html(title: str, paper: str, check: Callable[[Grid], Verdict], kept: dict[str, Grid]) -> str:
    lines = "".join(line_html(WORDS[name], check(grid)) for name, grid in kept.items())
    return f"<h4>{title}</h4><p>Paper E: {paper}.</p><ul class='dp-findings'>{lines}</ul>"


def line_html(words: str, verdict: Verdict) -> str:
    agrees, said = verdict
    mark = {True: "<b>agrees</b>; ", False: "<b>does not agree</b>; ", None: ""}[agrees]
    return f"<li>{words}: {mark}{said}.</li>"


def size_html(kept: dict[str, Grid]) -> str:
    """10 against 100 pictures a person, the paper's second question."""
    start = (
        "<h4>More pictures a person</h4><p>Paper E, 7 and 70 training pictures a person (two data sets): at ε = 8 "
        "accuracy 90–91% and 80–81%, success 31–46% and 41–52%, the worst model 3 and 15 of 40 people.</p>"
    )
    if not {"small", "large"} <= kept.keys():
        return f"{start}<ul class='dp-findings'><li class='dp-soft'>{LATER}</li></ul>"
    last = {name: kept[name] for name in ("small", "large")}
    lines = "".join(
        f"<li>{WORDS[name]}: at ε = {grid.epsilons[-1]:g} accuracy {span(grid.values['test_accuracy'][-1])}, people "
        f"recognised {span(grid.values['impact_mean'][-1])} (after a blur "
        f"{span(grid.values['impact_mean_smoothed'][-1])}), the worst model "
        f"{share(grid.values['impact_highest'].max())}.</li>"
        for name, grid in last.items()
    )
    more = last["large"].values["impact_mean"][-1].mean() > last["small"].values["impact_mean"][-1].mean()
    verdict = (
        f"<li><b>{'Agrees' if more else 'Does not agree'}</b>: at the same ε, more pictures a person mean "
        f"{'more' if more else 'no more'} people recognised. ε is for one picture; a person is in seventy.</li>"
    )
    return f"{start}<ul class='dp-findings'>{lines}{verdict}</ul>"


def chance_html() -> str:
    clueless = float(chance_of_success(np.arange(40)[None])[0])
    return (
        f"<h4>What chance does</h4><p>A judge who must name one of forty people for every drawing, and knows nothing, "
        f"is right about at least one in {share(clueless)} of the models if it never repeats a name, and in all of "
        f"them if it always says the same. So the success rates that paper E prints, 0% to 46%, lie <i>below</i> "
        f"chance as its text defines it (the most likely label counts). It gives no chance level; perhaps its judge "
        f"could also say “nobody”. Here the count is kept as the text defines it, with chance beside it.</p>"
    )


def span(values: np.ndarray) -> str:
    """Such as "3–8%"."""
    low, high = share(float(values.min())), share(float(values.max()))
    return low if low == high else f"{low.removesuffix('%')}–{high}"

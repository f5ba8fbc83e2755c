"""Lesson 6's cells in words: what each number means, whether high is good, and what a risk leaves to choose from."""

from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from dpmia_lab.experiments.evaluation import ATTACKERS, DRAWINGS, GROUPS, IN_FULL, JUDGES, Config
from dpmia_lab.game.drawing import PRIOR_NULLS
from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, epsilon_text, short
from dpmia_lab.rows import Row
from dpmia_lab.widgets.choosing.data import (
    CellResult,
    Place,
    Risk,
    admissible,
    most_accurate,
    safest,
)
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.pictures import people_html, picture_html
from dpmia_lab.widgets.kit.tables import Html, table_html, with_small

LATER = "The reference has not been computed yet (<code>make reference</code>)."
NO_PICTURES = "Pictures of real people do not ship with the lab. Run such a cell below to see its drawings."
RISK_WORDS = {  # in short, and what it means
    "success_rate": ("models giving anyone away", "Paper E's success rate: the judge names at least one person right. "
                     "Luck alone reaches 63% and more."),
    "beyond_chance_rate": ("models beyond chance", "So many right names that luck would give as many in fewer than 1 "
                           "of 20 cases."),
    "impact_mean": ("people recognised", "Of all people a model knows, those whom the judge names right; mean over the "
                    "models."),
}  # fmt: skip
USEFUL, SAFER = "higher: useful", "lower: safer"
FILTER = (
    "It averages a person's other photographs, takes away the mean of everybody's, and names the person with whose "
    "shape the drawing correlates most"
)


WIDE_BLUR = 3.0  # pixels: for the eye, which likes it smoother than any judge


# ---- shares
def share(value: float) -> str:
    """38%, but 2.5%, and never 100% for less."""
    return percent(value, round)


def at_most(value: float) -> str:
    """Rounded up: an upper end that is said to be 10% is not above it."""
    return percent(value, lambda size: ceil(size - 1e-9))


def at_least(value: float) -> str:
    return percent(value, lambda size: floor(size + 1e-9))


def percent(value: float, whole) -> str:
    """``whole``: how a number becomes a whole one."""
    fine = value < 0.095 or 0.995 <= value < 1
    return f"{whole(1000 * value) / 10:g}%" if fine else f"{whole(100 * value)}%"


def interval(found: Row) -> str:
    return f"{at_least(found.low)} to {at_most(found.high)}"


def with_interval(found: Row) -> str:
    return f"{share(found.value)} ({interval(found)})"


def span(values: np.ndarray) -> str:
    """Such as "3–8%"."""
    low, high = share(float(values.min())), share(float(values.max()))
    return low if low == high else f"{low.removesuffix('%')}–{high}"


# ---- promises
def promise(config: Config, delta: float) -> str:
    """An ε with all that gives it a meaning; the ε asked for, which T steps spend but for a rest."""
    return f"ε = {config.epsilon:g} for a record ({conditions(config, delta)})"


def conditions(config: Config, delta: float) -> str:
    return f"{NEIGHBOURS[config.neighbours]}; δ = {short(delta)}; {ACCOUNTANTS[config.accountant].words}"


def person_words(cell: CellResult) -> str:
    """What the promise for a record is worth to somebody who is in several pictures."""
    return f"ε = {epsilon_text(cell.numbers['epsilon_person'])} for a person ({person_conditions(cell)})"


def person_conditions(cell: CellResult) -> str:
    together, delta = cell.numbers["pictures_a_person"], short(cell.numbers["delta"])
    return (
        f"all {together:.0f} pictures together; {NEIGHBOURS[cell.config.neighbours]}; δ = {delta}; tight accountant "
        f"for a group"
    )


# ---- a cell of the grid
def cell_html(cell: CellResult, pictures: list[np.ndarray], risk: Risk, mark: str) -> str:
    """A few people's drawings, accuracy, and what each judge recognises in such drawings, at the upper end."""
    images = "".join(picture_html(p, f"person {i}, drawn at {cell.title}") for i, p in enumerate(pictures, 1))
    lines = [f"right <b class='dp-protected'>{share(cell.accuracy())}</b>"]
    for judge, word in IN_FULL.items():
        colour = "dp-exposed" if judge == risk.judge else ""
        lines.append(f"{word} ≤ <b class='{colour}'>{at_most(cell.at(risk.by(judge)).high)}</b>")
    words = "".join(f"<div>{line}</div>" for line in [*lines, f"<b class='dp-mark'>{mark}</b>"])
    return f'<div class="dp-cell-inside"><div class="dp-cell-faces">{images}</div><div>{words}</div></div>'


def heads_html(pictures: dict[str, np.ndarray], shown: slice) -> str:
    """Whose drawings stand in the grid: their photographs, and what the matched filter looks for in a drawing."""
    if not pictures:
        return ""
    titles = {"truth": "their photographs", "shapes": "what the filter looks for"}
    parts = []
    for what, title in titles.items():
        named = zip(pictures["names"][shown], pictures[what][shown], strict=True)
        images = "".join(picture_html(p, f"{name}: {title}") for name, p in named)
        parts.append(f"<figure class='dp-person'><div class='dp-cell-faces'>{images}</div><figcaption>{title}"
                     f"</figcaption></figure>")  # fmt: skip
    return f"<div class='dp-grid-heads'>{''.join(parts)}</div>"


def legend_html(config: Config, delta: float, risk: Risk) -> str:
    return (
        f"<small><b>right</b>: new pictures that a private model names right (higher: more useful). <b>filter</b>, "
        f"<b>network</b>: {RISK_WORDS[risk.measure][0]}, by the matched filter and by paper E's network, in the same "
        f"drawings, {ATTACKERS[risk.attacker]}, of {config.models} models (lower: safer; ≤: upper end of the 95% "
        f"interval). ✓: within your limit; ★: the most accurate of these. {shown_words(risk)} "
        f"{chance_words(config.people)} Each ε is for a record ({conditions(config, delta)}).</small>"
    )


def shown_words(risk: Risk) -> str:
    """What the small pictures are."""
    if risk.attacker == "published":
        return "Pictures: the first people, as the first model's attacker drew them."
    return f"Pictures: the first people, drawn from the first model, blurred by {WIDE_BLUR:g} pixels for your eye."


def for_the_eye(picture: np.ndarray) -> np.ndarray:
    """(1, height, width), blurred widely, its contrast stretched to [0, 1]."""
    from scipy.ndimage import gaussian_filter

    blurred = gaussian_filter(picture[0].astype(float), WIDE_BLUR)
    return ((blurred - blurred.min()) / max(np.ptp(blurred), 1e-9))[None]


def chance_words(people: int) -> str:
    """The one chance level of the page."""
    return f"Chance: 1 of {people} people, {share(1 / people)}, whoever judges."


# ---- what a risk leaves to choose from
def choice_html(cells: dict[Place, CellResult], risk: Risk, limit: float) -> str:
    """Which cells are admissible, and the best of them; or why there is none; and what the other judge would say."""
    if not cells:
        return f"<p>{LATER}</p>"
    best = most_accurate(cells, allowed := admissible(cells, risk, limit))
    if best is None:
        return none_html(cells, risk, limit) + other_html(cells, risk, limit, best)
    are = "is" if len(allowed) == 1 else "are"
    return (
        f"<p><b>{len(allowed)} of {len(cells)} cells {are} admissible</b> by {JUDGES[risk.judge]}: within "
        f"{share(limit)} even at the upper end. The most accurate is <b>★ {cells[best].title}</b>, right for "
        f"<span class='dp-protected'>{share(cells[best].accuracy())}</span> of new pictures.</p>"
        + other_html(cells, risk, limit, best)
    )


def none_html(cells: dict[Place, CellResult], risk: Risk, limit: float) -> str:
    nearest = cells[safest(cells, risk)]
    noise = nearest.at(risk, "noise").value
    luck = (
        f" No wonder: models of <b>pure noise</b> score {share(noise)}. Below that, this measure cannot tell a leak "
        f"from luck: choose another."
    )
    return (
        f"<p><b>No cell is admissible</b> by {JUDGES[risk.judge]}. Nearest comes {nearest.title}, whose risk may be as "
        f"high as {at_most(nearest.at(risk).high)}; you accept {share(limit)}.{luck if noise > limit else ''}</p>"
    )


def other_html(cells: dict[Place, CellResult], risk: Risk, limit: float, best: Place | None) -> str:
    """What the other judge sees where this one would sign, or where it would sign itself."""
    other = risk.by(next(judge for judge in IN_FULL if judge != risk.judge))
    allowed = admissible(cells, other, limit)
    its_best, name = most_accurate(cells, allowed), sentence(JUDGES[other.judge])
    if its_best is None and best is None:
        return f"<p>{name} would admit none either.</p>"
    if its_best is None:
        return f"<p><b>{name} would admit none</b>: at ★ it recognises {with_interval(cells[best].at(other))}.</p>"
    seen, here = (share(cells[its_best].at(view).value) for view in (other, risk))
    return (
        f"<p><b>{name} would admit {len(allowed)}</b>, up to {cells[its_best].title}: there it says {seen}, "
        f"{JUDGES[risk.judge]} {here}.</p>"
    )


def sentence(words: str) -> str:
    return words[0].upper() + words[1:]


# ---- one cell in full
def main_numbers(cell: CellResult, attacker: str) -> str:
    """What it can do, and what it gives away to whom."""
    people, chance = round(1 / cell.numbers["chance"]), share(cell.numbers["chance"])
    found = {judge: cell.risk("impact_mean", attacker, judge=judge) for judge in IN_FULL}
    worst = cell.risk("impact_highest", attacker, judge="matched").value
    return number_row(
        number_html(share(cell.accuracy()), "test accuracy", f"of new pictures named right (higher: more useful); "
                    f"of training pictures {share(cell.accuracy(measure='train_accuracy'))}", "protected"),
        number_html(share(found["matched"].value), "recognised by the matched filter", f"of {people} people, mean over "
                    f"{cell.config.models} models (lower: safer; chance {chance}); {interval(found['matched'])}; the "
                    f"worst model {share(worst)}", "exposed"),
        number_html(share(found["judge"].value), "recognised by paper E's network", f"in the same drawings; "
                    f"{interval(found['judge'])} (lower: safer, if you trust the judge)", "exposed"),
    )  # fmt: skip


def more_numbers(cell: CellResult) -> str:
    """What was promised, to a record and to a person, and how."""
    c, n = cell.config, cell.numbers
    return number_row(
        number_html(f"{n['steps']:,.0f}", "T, steps", f"as many as the promise pays for: {promise(c, n['delta'])}; "
                    f"the tight accountant says they cost {epsilon_text(n['epsilon_tight'])}"),
        *person_number(cell),
        number_html(f"{n['noise']:.2g}", "noise a step", f"standard deviation σS/(qN) in each weight of the mean "
                    f"gradient: σ = {c.sigma:g}, S = {c.clip:g}, q = {c.q:g}, N = {n['records']:,.0f} pictures "
                    f"(higher: hides more)"),
    )  # fmt: skip


def person_number(cell: CellResult) -> list[str]:
    """None where somebody is in too many pictures to be a person."""
    if "epsilon_person" not in cell.numbers:
        return []
    means = f"{person_conditions(cell)} (lower: more is promised; for one picture it is {cell.config.epsilon:g})"
    return [number_html(epsilon_text(cell.numbers["epsilon_person"]), "ε for a person", means)]


def judges_table(cell: CellResult, attacker: str) -> str:
    """Who recognises how many people, in the drawings from each kind of model."""
    rows = [["test accuracy of the models", *(share(cell.accuracy(group)) for group in GROUPS)]]
    for judge, words in JUDGES.items():
        seen = "published" if judge == "ssim" else attacker
        if cell.rows.has("impact_mean", attack=seen, protocol=judge):
            found = [cell.risk("impact_mean", seen, group, judge) for group in GROUPS]
            rows.append([sentence(words), *(with_small(share(one.value), interval(one)) for one in found)])
    c, alone = cell.config, alone_words(cell.numbers) if attacker == "prior" else ""
    caption = Html(
        f"People recognised (lower: safer), drawings {DRAWINGS[attacker]} (for SSIM as published, "
        f"{min(c.ssim_models, c.models)} models of a kind); {c.models} private models, {c.others} of each other kind; "
        f"95% intervals. {chance_words(round(1 / cell.numbers['chance']))}{alone}"
    )
    return table_html(("judge", *GROUPS.values()), rows, caption)


def alone_words(numbers: dict[str, float]) -> str:
    """What the judges recognise in public pictures without a model."""
    said = (
        f"{words}, {share(numbers[f'{name}_impact_mean_matched'])} by the filter and "
        f"{share(numbers[f'{name}_impact_mean'])} by the network"
        for name, words in PRIOR_NULLS.items()
    )
    return f" Recognised without any model: {'; '.join(said)}."


def judge_html(cell: CellResult, attacker: str) -> str:
    """What the judges are worth, and the paper's own count with its chance level, for experts."""
    n = cell.numbers
    success, luck, beyond = (cell.risk(m, attacker) for m in ("success_rate", "success_rate_by_chance",
                                                              "beyond_chance_rate"))  # fmt: skip
    nothing = cell.risk("success_rate", attacker, "noise")
    return (
        f"<p><b>In photographs the judges are equals</b>: of the training pictures, which neither saw, the network "
        f"names {share(n['judge_accuracy'])} right and the filter {share(n['matched_accuracy'])} (higher: better). "
        f"Both hold the test pictures only. What the network never saw is noise.</p>"
        f"<details><summary>For experts: the paper's success rate</summary><p>Paper E counts models of which its "
        f"network names at least one person right: {with_interval(success)} here (lower: safer). The same verdicts "
        f"dealt out at random would reach {share(luck.value)}, and models of pure noise reach {share(nothing.value)}. "
        f"Beyond chance, with so many right names that luck gives as many in fewer than 1 of 20 cases, are "
        f"{with_interval(beyond)}.</p></details>"
    )


@dataclass(frozen=True)
class Known:
    """What a judge makes of some people, (people,) each."""

    right: np.ndarray  # whether it knew the drawing that is shown
    often: np.ndarray  # in what share of the models it knew the person
    chance: np.ndarray  # what share of drawings from pure noise it gives that name


def gallery_html(names: list[str], truth: np.ndarray, drawn: np.ndarray, known: dict[str, Known]) -> str:
    """Truth beside drawing; which judge knew this one, and how often it knew the person, with its chance level."""
    captions = []
    for i in range(len(names)):
        lines = [known_line(IN_FULL[judge], *(float(a[i]) for a in (one.right, one.often, one.chance)))
                 for judge, one in known.items()]  # fmt: skip
        captions.append("<br>".join(lines))
    return people_html(names, truth, drawn, captions)


def known_line(judge: str, right: float, often: float, chance: float) -> str:
    known = "<span class='dp-exposed'>yes</span>" if right else "<span class='dp-protected'>no</span>"
    return f"{judge}: {known}, {share(often)} ({share(chance)})"

"""What paper E reports and what the shipped reference says: computed, not written."""

from collections.abc import Iterator

import ipywidgets as widgets

from dpmia_lab.rows import Row
from dpmia_lab.widgets.choosing import claims
from dpmia_lab.widgets.choosing.claims import CLOSE, HARDLY, WORDS, on, references
from dpmia_lab.widgets.choosing.data import CellResult, Grid, Risk, published
from dpmia_lab.widgets.choosing.words import LATER, SAFER, USEFUL, conditions, interval, share, with_interval
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, Claim, Verdict, claim_html, line_html
from dpmia_lab.widgets.kit.parts import card, fold, text
from dpmia_lab.widgets.kit.tables import Cell, Html, table_html, with_small

FACES = ("att", "faces")  # the paper's first question

IN_LESSON = [
    Claim("Accuracy rises with ε and is nearly whole at ε = 8", "E", "30% at ε = 2, 90% at ε = 8, 93% without privacy",
          on(FACES, claims.accuracy_rises)),
    Claim("Success rises with ε at fixed σ", "E", "from 0% at ε = 2 to 31–46% at ε = 8",
          on(FACES, claims.success_rises)),
    Claim("Up to ε = 6 hardly a model is attacked", "E",
          f"at most 11% of the models, by its judge (here up to {HARDLY:.0%} counts)", on(FACES, claims.resists)),
    Claim("Private models give away far less than others", "E", "at most 3 of 40 people, against 34 of 40",
          on(FACES, claims.gives_away_less)),
    Claim("A deep judge recognises more than SSIM", "E", "85% against 78%, without privacy (Table 5)",
          on(FACES, claims.beats_ssim)),
    Claim("A weak judge is a weak attack", "E", "one judge, trained on photographs, and SSIM; no other was tried",
          on(FACES, claims.weak_judge)),
    Claim("Protection, or failure to learn?", "E", "“due to the low accuracy” at ε = 2 and 4; not measured",
          on(FACES, claims.protects)),
    Claim("What a success rate is worth", "E", "0% to 46%, without a chance level", on(FACES, claims.chance_succeeds)),
]  # fmt: skip
MORE_PICTURES = Claim(
    "More pictures a person",
    "E",
    "7 and 70 training pictures a person (two data sets): at ε = 8 accuracy 90–91% and 80–81%, success 31–46% and "
    "41–52%, the worst model 3 and 15 of 40 people",
    claims.more_pictures,
)
CLAIMS = [
    *IN_LESSON,
    MORE_PICTURES,
    Claim("The accuracies themselves", "E", "30–91%, without T and η", on(("att",), claims.same_accuracies)),
    Claim("A stronger attacker: a blur afterwards", "E", "not measured", on(FACES, claims.blur_helps)),
]


# ---- cell by cell
def comparison() -> widgets.VBox:
    """Our cells beside the paper's: AT&T faces if they have been computed, else the generated ones."""
    kept = references(*FACES)
    table = text(comparison_html(*next(iter(kept.items()))) if kept else f"<p>{LATER}</p>")
    return card(fold("Cell by cell: this lab, and paper E's table", table), name="dp-ours")


def beside_paper(grid: Grid) -> Iterator[tuple[str, CellResult, str, dict[str, float]]]:
    """A title, a cell, a group of its models and what the paper printed of such: all cells; at last, no privacy."""
    paper = published()["att_faces"]
    for (row, column), cell in grid.cells.items():
        yield cell.title, cell, "private", {name: paper[name][row][column] for name in paper["non_private"]}
    yield "no privacy", grid.cells[0, 0], "plain", paper["non_private"]  # which are the same in every cell


def comparison_html(name: str, grid: Grid) -> str:
    rows = [[title, *pairs(cell, group, printed)] for title, cell, group, printed in beside_paper(grid)]
    what = "The paper's own data" if name == "att" else "Not the paper's data, which were not computed yet"
    caption = (
        f"{what}; attacker and judge as published, {grid.config.models} models a cell (paper: 100). Impact: people "
        f"recognised, in the worst model; last, what the matched filter recognises in the same drawings, mean over the "
        f"models (chance {share(1 / grid.config.people)}). Marked ≈ where ours is within {100 * CLOSE:.0f} points of "
        f"the paper's."
    )
    heads = [("accuracy", USEFUL), ("success rate", SAFER), ("highest impact", SAFER)]
    every = ["cell", *(one for head in heads for one in (with_small(*head), "paper"))]
    table = table_html([*every, with_small("impact, matched filter", SAFER)], rows, caption)
    title = f"{WORDS[name][0].upper()}{WORDS[name][1:]}"
    return f"<h4>{title}: this lab, and <span class='dp-reference'>paper E</span></h4>{table}"


def pairs(cell: CellResult, group: str, printed: dict[str, float]) -> list[str | Cell]:
    accuracy, success = cell.accuracy(group), cell.risk("success_rate", "published", group)
    highest = cell.risk("impact_highest", "published", group).value
    return [
        *pair(share(accuracy), accuracy, printed["test_accuracy"]),
        *pair(with_interval(success) if group == "private" else share(success.value), success.value,
              printed["success_rate"]),
        *pair(share(highest), highest, printed["impact_of_40"] / 40),
        share(cell.at(Risk(attacker="published"), group).value),
    ]  # fmt: skip


def pair(words: str, ours: float, theirs: float) -> tuple[str, Cell]:
    return ("≈ " if abs(ours - theirs) <= CLOSE else "") + words, of_paper(theirs)


def of_paper(value: float) -> Cell:
    return Cell(share(value), "dp-reference")


# ---- all results in one table
def results_html() -> str:
    """Every cell with its spread; what its models, and others of the same accuracy, give away; and the paper's."""
    kept = references(*FACES)
    if not kept:
        return f"<p>{LATER}</p>"
    name, grid = next(iter(kept.items()))
    c, delta = grid.config, grid.cells[0, 0].numbers["delta"]
    theirs = published()["recognised_non_private"]["evaluation_model"]["att"]
    success, impact = (claims.mean_of(grid, what, "published", "noise") for what in ("success_rate", "impact_mean"))
    caption = (
        f"{WORDS[name]}, {c.height} pixels high, {c.people} people; {c.models} private models a cell (softmax "
        f"regression, q = {c.q:g}, S = {c.clip:g}, ε for a record: {conditions(c, delta)}; T follows), {c.others} of "
        f"each other kind; every person of every model attacked, as published, and judged. Impact: share of a model's "
        f"people whom the judge recognises, mean over models (guessing: {share(1 / c.people)}; paper E's network in "
        f"pure noise: {share(impact)}; paper E, without privacy: {share(theirs)}). Success rate: models with anybody "
        f"recognised by the network (guessing: {share(claims.by_guessing(c.people))}; pure noise: {share(success)}). "
        f"Small: standard deviation over models, 95% intervals."
    )
    heads = [
        "cell", "T", with_small("test accuracy", USEFUL), "paper E", with_small("impact, paper E's network", SAFER),
        with_small("impact, matched filter", SAFER), with_small("impact, filter; no privacy, same accuracy", SAFER),
        with_small("success rate", SAFER), "paper E",
    ]  # fmt: skip
    return table_html(heads, [results_row(*line) for line in beside_paper(grid)], caption)


def results_row(title: str, cell: CellResult, group: str, printed: dict[str, float]) -> list[str | Html | Cell]:
    accuracy, private = cell.rows.row("test_accuracy", defence=group), group == "private"
    return [
        title,
        f"{cell.numbers['steps']:,.0f}" if private else "",
        with_small(share(accuracy.value), f"± {100 * accuracy.spread:.1f} points"),
        of_paper(printed["test_accuracy"]),
        *(found_html(cell.at(Risk(attacker="published", judge=judge), group)) for judge in ("judge", "matched")),
        found_html(cell.at(Risk(attacker="published"), "control")) if private else "",
        found_html(cell.risk("success_rate", "published", group)),
        of_paper(printed["success_rate"]),
    ]


def found_html(found: Row) -> Html:
    return with_small(share(found.value), interval(found))


# ---- the claims
def findings() -> widgets.VBox:
    parts = [*(claim_html(claim) for claim in IN_LESSON), size_html()]
    told = text("".join(parts) if references(*FACES) else f"<p>{LATER}</p>")
    return card(fold("Claim by claim: what agrees, and what does not", told), name="dp-claims")


def size_html() -> str:
    """10 against 100 pictures a person: a line for each, then the verdict."""
    kept = references("small", "large")
    lines = f"<li class='dp-soft'>{LATER}</li>"
    if len(kept) == 2:
        mark = "Agrees" if claims.are_more(*kept.values()) else "Does not agree"
        lines = "".join(line_html(WORDS[name], size_verdict(grid)) for name, grid in kept.items())
        lines += f"<li><b>{mark}</b>: {claims.more_words(*kept.values())}.</li>"
    title, said = MORE_PICTURES.title, MORE_PICTURES.said
    return f"<h4>{title}</h4><p>Paper E, {said}.</p><ul class='dp-findings'>{lines}</ul>"


def size_verdict(grid: Grid) -> Verdict:
    worst = share(float(grid.risks("impact_highest").max()))
    return Verdict(NOT_CLAIMED, f"{claims.size_words(grid, -1)}; the worst model, by the network, {worst}")

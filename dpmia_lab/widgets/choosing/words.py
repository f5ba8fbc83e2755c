"""Lesson 6's cells in words: what each number means, whether high is good, and what a risk leaves to choose from."""

import numpy as np

from dpmia_lab.checks import Mistake
from dpmia_lab.experiments.evaluation import ATTACKERS, GROUPS, Config, defence_of
from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, short
from dpmia_lab.rows import Row
from dpmia_lab.widgets.choosing.data import (
    SETS,
    CellResult,
    Place,
    most_accurate,
    own_cell,
    preset_of,
    protection,
    safest,
)
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.pictures import people_html, picture_html
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import table_html, with_small

LATER = "The reference has not been computed yet (<code>make reference</code>)."
NO_PICTURES = "Pictures of real people do not ship with the lab. Run such a cell below to see its drawings."
RISK_WORDS = {  # in short, and what it means
    "success_rate": ("models giving anyone away", "Paper E's success rate: the judge names at least one person right."),
    "beyond_chance_rate": ("models beyond chance", "So many right names that luck would give as many in fewer than 1 "
                           "of 20 cases."),
    "impact_mean": ("people recognised", "Of all people a model knows, those whom the judge names right; mean over the "
                    "models."),
}  # fmt: skip
USEFUL, SAFER = "higher: useful", "lower: safer"


def share(value: float) -> str:
    """38%, but 2.5%, and never 100% for less."""
    fine = value < 0.095 or 0.995 <= value < 1
    return f"{value:.1%}".replace(".0%", "%") if fine else f"{value:.0%}"


def interval(found: Row) -> str:
    return f"{share(found.low)} to {share(found.high)}"


def with_interval(found: Row) -> str:
    return f"{share(found.value)} ({interval(found)})"


def span(values: np.ndarray) -> str:
    """Such as "3–8%"."""
    low, high = share(float(values.min())), share(float(values.max()))
    return low if low == high else f"{low.removesuffix('%')}–{high}"


def promise(config: Config, delta: float) -> str:
    """An ε with all that gives it a meaning; the ε asked for, which T steps spend but for a rest."""
    return f"ε = {config.epsilon:g} for a record ({conditions(config, delta)})"


def conditions(config: Config, delta: float) -> str:
    return f"{NEIGHBOURS[config.neighbours]}; δ = {short(delta)}; {ACCOUNTANTS[config.accountant].words}"


# ---- a cell of the grid
def cell_html(cell: CellResult, pictures: list[np.ndarray], attacker: str, mark: str) -> str:
    """A few people's drawings, and the three numbers."""
    images = "".join(picture_html(p, f"person {i}, drawn at {cell.title}") for i, p in enumerate(pictures, 1))
    success, impact = (cell.risk(measure, attacker) for measure in ("success_rate", "impact_mean"))
    return (
        f'<div class="dp-cell-faces">{images}</div><div class="dp-cell-words">{mark or "&nbsp;"}<br>'
        f"accuracy <b class='dp-protected'>{share(cell.accuracy())}</b><br>"
        f"models <b class='dp-exposed'>{share(success.value)}</b> <span>({interval(success)})</span><br>"
        f"people <b class='dp-exposed'>{share(impact.value)}</b> <span>({interval(impact)})</span></div>"
    )


def legend_html(config: Config, delta: float) -> str:
    return (
        f"<small><b>accuracy</b>: new pictures that a private model names right (higher: more useful). <b>models</b>: "
        f"share of {config.models} models that give at least one person away. <b>people</b>: share of a model's people "
        f"whom the judge recognises in the drawings (both lower: safer; in brackets 95% intervals). Each ε is for a "
        f"record ({conditions(config, delta)}).</small>"
    )


# ---- what a risk leaves to choose from
def choice_html(cells: dict[Place, CellResult], allowed: list[Place], measure: str, attacker: str, limit: float) -> str:
    """Which cells are admissible, the best of them, and what its control says; or why there is none."""
    if not cells:
        return f"<p>{LATER}</p>"
    if not allowed:
        return none_html(cells, measure, attacker, limit)
    best = cells[most_accurate(cells, allowed)]
    return (
        f"<p><b>{len(allowed)} of {len(cells)} cells are admissible</b>: even at the upper end of its interval, their "
        f"risk ({RISK_WORDS[measure][0]}) is within {share(limit)}. The most accurate of them is <b>★ {best.title}</b>,"
        f" right for <span class='dp-protected'>{share(best.accuracy())}</span> of new pictures.</p>"
        f"<p>{control_words(best, measure, attacker)}</p>"
    )


def none_html(cells: dict[Place, CellResult], measure: str, attacker: str, limit: float) -> str:
    nearest = cells[safest(cells, measure, attacker)]
    noise = nearest.risk(measure, attacker, "noise").value
    more = ""
    if noise > limit:
        more = (
            f" No wonder: models of <b>pure noise</b>, which never saw a face, score {share(noise)}. Below that, "
            f"this measure cannot tell a leak from luck: choose another."
        )
    return (
        f"<p><b>No cell is admissible.</b> Nearest comes {nearest.title}, whose risk may be as high as "
        f"{share(nearest.risk(measure, attacker).high)}; you accept {share(limit)}.{more} Accept more, or train on "
        f"more pictures, or do not publish the model.</p>"
    )


def control_words(cell: CellResult, measure: str, attacker: str) -> str:
    """Protection, or mere failure to learn?"""
    private, control = cell.risk(measure, attacker), cell.risk(measure, attacker, "control")
    verdict = {
        "protected": "So the noise <b>protects</b>: it is not mere failure to learn.",
        "alike": "The intervals meet: <b>by this measure</b> it cannot be told from mere failure to learn.",
        "worse": "So privacy brought <b>nothing</b> here: a model that simply learnt less gives away less.",
    }[protection(cell, measure, attacker)]
    return (
        f"Models <i>without</i> privacy, stopped when they were as accurate ({share(cell.accuracy('control'))}), score "
        f"{with_interval(control)} where the private ones score {with_interval(private)}. {verdict}"
    )


# ---- one cell in full
def numbers_html(cell: CellResult, attacker: str) -> str:
    c, n = cell.config, cell.numbers
    success, impact, beyond = (cell.risk(m, attacker) for m in ("success_rate", "impact_mean", "beyond_chance_rate"))
    luck, worst = (cell.risk(m, attacker).value for m in ("success_rate_by_chance", "impact_highest"))
    return number_row(
        number_html(share(cell.accuracy()), "test accuracy", f"of new pictures named right (higher: more useful); "
                    f"of training pictures {share(cell.accuracy(measure='train_accuracy'))}", "protected"),
        number_html(share(success.value), "success rate", f"of {c.models} models give at least one person away (lower: "
                    f"safer); 95% interval {interval(success)}; luck alone would give {share(luck)}", "exposed"),
        number_html(share(beyond.value), "beyond chance", f"of the models give away so many that luck would in fewer "
                    f"than 1 of 20 cases (lower: safer); {interval(beyond)}", "exposed"),
        number_html(share(impact.value), "impact, mean", f"of a model's {round(1 / n['chance'])} people are recognised "
                    f"(lower: safer); {interval(impact)}; the worst model gives away {share(worst)}", "exposed"),
        number_html(f"{n['steps']:,.0f}", "T, steps", f"as many as the promise pays for: {promise(c, n['delta'])}; "
                    f"the tight accountant says they cost {n['epsilon_tight']:.3g}"),
        number_html(f"{n['noise']:.2g}", "noise a step", f"standard deviation σS/(qN) in each weight of the mean "
                    f"gradient: σ = {c.sigma:g}, S = {c.clip:g}, q = {c.q:g}, N = {n['records']:,.0f} pictures "
                    f"(higher: hides more)"),
    )  # fmt: skip


def judge_html(cell: CellResult, attacker: str) -> str:
    """What the judge is worth, and what SSIM says instead."""
    n, models = cell.numbers, min(cell.config.ssim_models, cell.config.models)
    somebody, people = (cell.risk(measure, attacker, "noise") for measure in ("success_rate", "impact_mean"))
    ssim, noise, plain = (cell.risk("impact_mean", "published", who, "ssim") for who in ("private", "noise", "plain"))
    return (
        f"<ul class='dp-findings'><li><b>The judge</b> learnt from test pictures only. It names "
        f"{share(n['judge_accuracy'])} of the training pictures right (higher: better).</li>"
        f"<li><b>Where there is nothing to see</b> it must answer too. In drawings from pure noise it recognises "
        f"somebody for {share(somebody.value)} of the models, {share(people.value)} of the people. Blank pictures all "
        f"get one name, which is right once: success {share(n['blank_success_rate'])}, impact {share(n['chance'])}."
        f"</li><li><b>SSIM as the judge</b> (the most similar test picture; drawings as published, {models} models) "
        f"recognises {with_interval(ssim)} of the people; from pure noise {share(noise.value)}, without privacy "
        f"{share(plain.value)}.</li></ul>"
    )


def groups_table(cell: CellResult, attacker: str) -> str:
    rows = []
    for group, words in GROUPS.items():
        success, impact = (with_interval(cell.risk(m, attacker, group)) for m in ("success_rate", "impact_mean"))
        highest = cell.risk("impact_highest", attacker, group).value
        rows.append((words, share(cell.accuracy(group)), success, impact, share(highest)))
    heads = ("test accuracy", USEFUL), ("success rate", SAFER), ("impact, mean", SAFER)
    caption = (
        f"Drawings {ATTACKERS[attacker]}; {cell.config.models} private models, {cell.config.others} of each other "
        f"kind; 95% intervals."
    )
    return table_html(("models", *(with_small(*head) for head in heads), "impact, highest"), rows, caption)


def gallery_html(
    names: list[str], truth: np.ndarray, drawn: np.ndarray, right: np.ndarray, recognised: np.ndarray
) -> str:
    """Truth beside drawing; whether the judge knew this one, and for how many models it knew this person."""
    said = {True: ("dp-exposed", "recognised"), False: ("dp-protected", "not recognised")}
    captions = [
        f"<span class='{colour}'>{word}</span><br>in {share(float(often))} of the models"
        for (colour, word), often in zip((said[bool(known)] for known in right), recognised, strict=True)
    ]
    return people_html(names, truth, drawn, captions)


def strip_html(names: list[str], pictures: np.ndarray) -> str:
    images = "".join(picture_html(p, f"{name}, drawn") for name, p in zip(names, pictures, strict=True))
    return f'<div class="dp-strip">{images}</div>'


# ---- the reader's own cells
def steps_html(config: Config) -> str:
    """T at once, where the accountant that tells it is quick."""
    if config.accountant == "tight" or not config.delta:
        return "<small>T is told when the run begins.</small>"
    try:
        steps = defence_of(config, 0).steps
    except Mistake as mistake:
        return f"<small class='dp-exposed'>{mistake}</small>"
    return f"<small>{promise(config, config.delta)} pays for <b>T = {steps:,} steps</b>.</small>"


def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, cell = run.config, own_cell(run)
    impact, blurred = (share(cell.risk("impact_mean", attacker).value) for attacker in ATTACKERS)
    return (
        f"{SETS.get(preset_of(c), c.data)}, {cell.title}, q = {c.q:g}, {c.models} models, T = "
        f"{cell.numbers['steps']:,.0f}; seed {c.seed}: <span class='dp-protected'>{share(cell.accuracy())} right</span>"
        f", <span class='dp-exposed'>{impact} of people recognised, {blurred} after a blur</span>"
    )


def cell_columns(cell: CellResult) -> list[str]:
    """T, accuracy, success rate, impact, and impact after a blur."""
    found = [cell.risk("success_rate"), *(cell.risk("impact_mean", attacker) for attacker in ATTACKERS)]
    return [f"{cell.numbers['steps']:,.0f}", share(cell.accuracy()), *(with_interval(one) for one in found)]


def compared_html(runs: list[Run]) -> str:
    if not runs:
        return ""
    cells = [(run, own_cell(run)) for run in runs]
    rows = [(f"run {run.number}: {cell.title}, q = {run.config.q:g}", *cell_columns(cell)) for run, cell in cells]
    heads = ("cell", "T", "accuracy", "success rate", "impact", "impact, blurred")
    return table_html(heads, rows, "95% intervals; the last three: lower is safer.")

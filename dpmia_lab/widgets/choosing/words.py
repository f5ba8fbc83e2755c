"""Lesson 6's cells in words: what each number means, whether high is good, and what a risk leaves to choose from."""

import numpy as np

from dpmia_lab.experiments.evaluation import ATTACKERS, GROUPS, Config
from dpmia_lab.metrics.intervals import Estimate
from dpmia_lab.privacy.accounting import ACCOUNTANTS, NEIGHBOURS, short
from dpmia_lab.widgets.choosing.data import CellResult, Place, most_accurate, protection, risk, safest
from dpmia_lab.widgets.kit.parts import number_html
from dpmia_lab.widgets.kit.pictures import people_html, picture_html

LATER = "The reference has not been computed yet (<code>make reference</code>)."
NO_PICTURES = "Pictures of real people do not ship with the lab. Run such a cell below to see its drawings."
RISK_WORDS = {  # in short, and what it means
    "success_rate": ("models giving anyone away", "Paper E's success rate: the judge names at least one person right."),
    "beyond_chance_rate": ("models beyond chance", "So many right names that luck would give as many in fewer than 1 "
                           "of 20 cases."),
    "impact_mean": ("people recognised", "Of all people a model knows, those whom the judge names right; mean over the "
                    "models."),
}  # fmt: skip


def share(value: float) -> str:
    """38%, but 2.5%, and never 100% for less."""
    fine = value < 0.095 or 0.995 <= value < 1
    return f"{value:.1%}".replace(".0%", "%") if fine else f"{value:.0%}"


def with_interval(found: Estimate) -> str:
    return f"{share(found.value)} ({share(found.low)} to {share(found.high)})"


def promise(config: Config, delta: float) -> str:
    """An ε with all that gives it a meaning; the ε asked for, which T steps spend but for a rest."""
    details = (NEIGHBOURS[config.neighbours], f"δ = {short(delta)}", ACCOUNTANTS[config.accountant].words)
    return f"ε = {config.epsilon:g} for a record ({'; '.join(details)})"


# ---- a cell of the grid
def cell_html(cell: CellResult, pictures: list[np.ndarray], attacker: str, mark: str) -> str:
    """A few people's drawings, and the three numbers."""
    images = "".join(picture_html(p, f"person {i}, drawn at {cell.title}") for i, p in enumerate(pictures, 1))
    success, impact = (risk(cell, measure, attacker) for measure in ("success_rate", "impact_mean"))
    return (
        f'<div class="dp-cell-faces">{images}</div><div class="dp-cell-words">{mark or "&nbsp;"}<br>'
        f"accuracy <b class='dp-protected'>{share(cell.numbers['test_accuracy'])}</b><br>"
        f"models <b class='dp-exposed'>{share(success.value)}</b> <span>({share(success.low)} to "
        f"{share(success.high)})</span><br>people <b class='dp-exposed'>{share(impact.value)}</b> "
        f"<span>({share(impact.low)} to {share(impact.high)})</span></div>"
    )


def legend_html(config: Config, delta: float) -> str:
    return (
        f"<small><b>accuracy</b>: new pictures that a private model names right (higher: more useful). <b>models</b>: "
        f"share of {config.models} models that give at least one person away. <b>people</b>: share of a model's people "
        f"whom the judge recognises in the drawings (both lower: safer; in brackets 95% intervals). Each ε is for a "
        f"record ({NEIGHBOURS[config.neighbours]}; δ = {short(delta)}; {ACCOUNTANTS[config.accountant].words}).</small>"
    )


# ---- what a risk leaves to choose from
def choice_html(cells: dict[Place, CellResult], allowed: list[Place], measure: str, attacker: str, limit: float) -> str:
    """Which cells are admissible, the best of them, and what its control says; or why there is none."""
    if not cells:
        return f"<p>{LATER}</p>"
    words = RISK_WORDS[measure][0]
    if not allowed:
        return none_html(cells, measure, attacker, limit)
    best = cells[most_accurate(cells, allowed)]
    return (
        f"<p><b>{len(allowed)} of {len(cells)} cells are admissible</b>: even at the upper end of its interval, their "
        f"risk ({words}) is within {share(limit)}. The most accurate of them is <b>★ {best.title}</b>, right for "
        f"<span class='dp-protected'>{share(best.numbers['test_accuracy'])}</span> of new pictures.</p>"
        f"<p>{control_words(best, measure, attacker)}</p>"
    )


def none_html(cells: dict[Place, CellResult], measure: str, attacker: str, limit: float) -> str:
    nearest = cells[safest(cells, measure, attacker)]
    noise = risk(nearest, measure, attacker, "noise_")
    more = ""
    if noise.value > limit:
        more = (
            f" No wonder: models of <b>pure noise</b>, which never saw a face, score {share(noise.value)}. Below that, "
            f"this measure cannot tell a leak from luck: choose another."
        )
    return (
        f"<p><b>No cell is admissible.</b> Nearest comes {nearest.title}, whose risk may be as high as "
        f"{share(risk(nearest, measure, attacker).high)}; you accept {share(limit)}.{more} Accept more, or train on "
        f"more pictures, or do not publish the model.</p>"
    )


def control_words(cell: CellResult, measure: str, attacker: str) -> str:
    """Protection, or mere failure to learn?"""
    private, control = risk(cell, measure, attacker), risk(cell, measure, attacker, "control_")
    known = (
        f"Models <i>without</i> privacy, stopped when they were as accurate "
        f"({share(cell.numbers['control_test_accuracy'])}), score {with_interval(control)} where the private ones "
        f"score {with_interval(private)}"
    )
    verdict = {
        "protected": "So the noise <b>protects</b>: it is not mere failure to learn.",
        "alike": "The intervals meet: <b>by this measure</b> it cannot be told from mere failure to learn.",
        "worse": "So privacy brought <b>nothing</b> here: a model that simply learnt less gives away less.",
    }[protection(cell, measure, attacker)]
    return f"{known}. {verdict}"


# ---- one cell in full
def numbers_html(cell: CellResult, attacker: str) -> str:
    c, n = cell.config, cell.numbers
    success, impact, beyond = (risk(cell, m, attacker) for m in ("success_rate", "impact_mean", "beyond_chance_rate"))
    tiles = [
        number_html(share(n["test_accuracy"]), "test accuracy", f"of new pictures named right (higher: more useful); "
                    f"of training pictures {share(n['train_accuracy'])}", "protected"),
        number_html(share(success.value), "success rate", f"of {c.models} models give at least one person away (lower: "
                    f"safer); 95% interval {share(success.low)} to {share(success.high)}; luck alone would give "
                    f"{share(n[f'success_rate_by_chance{attacker}'])}", "exposed"),
        number_html(share(beyond.value), "beyond chance", f"of the models give away so many that luck would in fewer "
                    f"than 1 of 20 cases (lower: safer); {share(beyond.low)} to {share(beyond.high)}", "exposed"),
        number_html(share(impact.value), "impact, mean", f"of a model's {round(1 / n['chance'])} people are recognised "
                    f"(lower: safer); {share(impact.low)} to {share(impact.high)}; the worst model gives away "
                    f"{share(n[f'impact_highest{attacker}'])}", "exposed"),
        number_html(f"{n['steps']:,.0f}", "T, steps", f"as many as the promise pays for: {promise(c, n['delta'])}; "
                    f"the tight accountant says they cost {n['epsilon_tight']:.3g}"),
        number_html(f"{n['noise']:.2g}", "noise a step", f"standard deviation σS/(qN) in each weight of the mean "
                    f"gradient: σ = {c.sigma:g}, S = {c.clip:g}, q = {c.q:g}, N = {n['records']:,.0f} pictures "
                    f"(higher: hides more)"),
    ]  # fmt: skip
    return f'<div class="dp-numbers">{"".join(tiles)}</div>'


def judge_html(cell: CellResult, attacker: str) -> str:
    """What the judge is worth, and what SSIM says instead."""
    n = cell.numbers
    noise = [n[f"noise_{measure}{attacker}"] for measure in ("success_rate", "impact_mean")]
    models = min(cell.config.ssim_models, cell.config.models)
    return (
        f"<ul class='dp-findings'><li><b>The judge</b> learnt from test pictures only. It names "
        f"{share(n['judge_accuracy'])} of the training pictures right (higher: better).</li>"
        f"<li><b>Where there is nothing to see</b> it must answer too. In drawings from pure noise it recognises "
        f"somebody for {share(noise[0])} of the models, {share(noise[1])} of the people. Blank pictures all get one "
        f"name, which is right once: success {share(n['blank_success_rate'])}, impact {share(n['chance'])}.</li>"
        f"<li><b>SSIM as the judge</b> (the most similar test picture; drawings as published, {models} models) "
        f"recognises {with_interval(cell.estimate('impact_mean_ssim'))} of the people; from pure noise "
        f"{share(n['noise_impact_mean_ssim'])}, without privacy {share(n['plain_impact_mean_ssim'])}.</li></ul>"
    )


def groups_table(cell: CellResult, attacker: str) -> str:
    rows = []
    for group, words in GROUPS.items():
        before = "" if group == "private" else f"{group}_"
        success, impact = (risk(cell, measure, attacker, before) for measure in ("success_rate", "impact_mean"))
        highest = cell.numbers[f"{before}impact_highest{attacker}"]
        rows.append(
            f"<tr><td>{words}</td><td>{share(cell.numbers[f'{before}test_accuracy'])}</td>"
            f"<td>{with_interval(success)}</td><td>{with_interval(impact)}</td><td>{share(highest)}</td></tr>"
        )
    return (
        f'<div class="dp-scroll"><table><caption>Drawings {ATTACKERS[attacker]}; {cell.config.models} private models, '
        f"{cell.config.others} of each other kind; 95% intervals.</caption><thead><tr><th>models</th><th>test accuracy"
        f"<br><small>higher: useful</small></th><th>success rate<br><small>lower: safer</small></th><th>impact, mean"
        f"<br><small>lower: safer</small></th><th>impact, highest</th></tr></thead><tbody>{''.join(rows)}</tbody>"
        f"</table></div>"
    )


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

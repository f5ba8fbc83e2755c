"""Lesson 1 in words: what a run was and came to, the attacks on every measure, the papers' figures beside ours."""

from html import escape
from pathlib import Path

import numpy as np

from dpmia_lab.experiments.inversion import Config
from dpmia_lab.experiments.inversion_comparison import CONTENDERS
from dpmia_lab.experiments.inversion_measures import by_class
from dpmia_lab.game.drawing import BASELINES, PRIOR_NULLS
from dpmia_lab.metrics.reconstruction import is_blank
from dpmia_lab.options import number_text
from dpmia_lab.reference import shipped
from dpmia_lab.rows import Rows
from dpmia_lab.store import Result
from dpmia_lab.widgets.inversion.controls import PRIOR_WORDS
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.pictures import strip_html
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import Html, Row, table_html, with_small, with_spread
from dpmia_lab.widgets.kit.words import MODEL_WORDS

HEAVY = 1e-4  # λ from which a prior wins over the model on faces
SHORT = 0.5  # T·η up to which the enhanced attack has hardly left mid-grey
STRIP = 8  # pictures beside each other


# ---- a run
def own_rows(run: Run) -> Rows:
    """What was measured of the drawings themselves, not of the baselines."""
    return run.result.rows.where(attack=run.config.attack)


def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, rows = run.config, run.result.rows
    how = [f"{MODEL_WORDS[c.model]} on {escape(Path(c.data).name)}"]
    if c.data.split(":")[0] in ("faces", "att_faces"):
        how.append(f"{c.people} people")
    how.append("attack with public pictures" if c.attack == "prior" else f"{c.attack} attack")
    if c.attack == "prior":
        how.append(f"{c.components} components, λ = {number_text(c.weight)}")
    elif c.attack == "enhanced":
        how.append(f"prior {PRIOR_WORDS[c.prior]}" + (f", λ = {number_text(c.lam)}" if c.prior != "none" else ""))
        how += [] if c.box else ["no box"]
    else:
        how += [] if c.process == "none" else [c.process]
    how.append(f"T = {c.steps}, η = {number_text(c.rate)}")
    how += [f"blur {c.smooth:g}"] if c.smooth and c.attack != "prior" else []
    return (
        f"{', '.join(how)}, seed {c.seed}: "
        f'<span class="dp-exposed">{own_rows(run).value("recognised_share"):.0%} recognised by the judge, '
        f"{own_rows(run).value('recognised_ssim_share'):.0%} by SSIM</span>, "
        f"distance {own_rows(run).value('distance_mean'):.2f} (noise {rows.value('distance_mean', attack='noise'):.2f})"
    )


def counts(result: Result, attack: str) -> tuple[int, int, int]:
    """Of how many drawings the judge and SSIM name the right person, and how many there are."""
    people = len(result.arrays["names"])
    shares = (result.rows.value(m, attack=attack) for m in ("recognised_share", "recognised_ssim_share"))
    return *(round(share * people) for share in shares), people


def blank_count(result: Result) -> int:
    return int(is_blank(result.arrays["reconstruction"]).sum())


def verdict_html(result: Result, config: Config) -> str:
    """The two verdicts in one line, what noise gets, and a word on drawings in which there is nothing to see."""
    judge, ssim, people = counts(result, config.attack)
    nothing = {"noise": "random noise"} | (PRIOR_NULLS if config.attack == "prior" else {})
    beside = (("{} and {}".format(*counts(result, name)), words) for name, words in nothing.items())
    return (
        f"<p>Named right: <b class='dp-exposed'>{judge} of {people}</b> by an independent judge, "
        f"<b class='dp-exposed'>{ssim} of {people}</b> by the most similar held-out picture (SSIM). "
        f"Of {', of '.join(f'{words}: {both}' for both, words in beside)}. {blank_words(result, config)}</p>"
    )


def blank_words(result: Result, config: Config) -> str:
    """How many drawings the eye finds empty, and why; "" where there are none."""
    blank = blank_count(result)
    if not blank:
        return ""
    people = len(result.arrays["truth"])
    are = "is blank to the eye" if blank == 1 else "are blank to the eye"
    return f"<b>{blank} of {people}</b> {are}: {why_blank(config)}"


def why_blank(config: Config) -> str:
    if config.attack == "prior":
        return "few public pictures look like anything here, or λ weighs more than the model."
    if config.attack == "enhanced" and config.prior != "none" and config.lam >= HEAVY:
        return f"λ = {number_text(config.lam)} weighs so much that a flat picture is worth more than the right name."
    if config.attack == "enhanced" and config.box and config.steps * config.rate <= SHORT:
        return "so few small steps hardly leave the mid-grey they start from."
    if config.attack == "enhanced" and config.box:
        return "at the mid-grey they start from, the model is so sure of somebody else that there is hardly a slope."
    return "the steps are too small to be seen."


def compared_html(runs: list[Run]) -> str:
    """The same people, a row a run."""
    lines = []
    for run in runs:
        arrays = run.result.arrays
        alts = [f"run {run.number}, {name}" for name in arrays["names"][:STRIP]]
        pictures = strip_html(arrays["reconstruction"][:STRIP], alts)
        lines.append(f"<h4>Run {run.number}: {summary(run)}</h4>{pictures}")
    return "".join(lines)


def caption(arrays: dict[str, np.ndarray], k: int) -> str:
    """Of one finished picture."""
    judge, ssim = bool(arrays["recognised"][k]), bool(arrays["recognised_ssim"][k])
    who = {(True, True): "judge + SSIM", (True, False): "judge only", (False, True): "SSIM only"}.get((judge, ssim))
    verdict = f'<span class="dp-exposed">{who}</span>' if who else "nobody"
    seen = "blank" if is_blank(arrays["reconstruction"][k : k + 1])[0] else f"correlation {arrays['similarity'][k]:.2f}"
    return f"{verdict}<br>{seen}"


def numbers_html(result: Result, attack: str) -> str:
    """``attack``: the run's own, beside which the baselines stand."""
    rows, n, classes = result.rows, result.numbers, len(result.arrays["truth"])

    def count(measure: str, who: str) -> str:
        return f"{round(rows.value(measure, attack=who) * classes)} of {classes}"

    def mean(measure: str) -> str:
        return f"{rows.value(measure, attack=attack):.2f}"

    def beside(measure: str) -> str:
        return ", ".join(f"{words} {rows.value(measure, attack=name):.2f}" for name, words in BASELINES.items())

    return doubt_html(rows.where(attack=attack)) + number_row(
        number_html(
            count("recognised_share", attack),
            "recognised by an independent judge",
            f"A network that never saw the training pictures names the right class. More is a worse leak. "
            f"Noise: {count('recognised_share', 'noise')}; someone else's picture: "
            f"{count('recognised_share', 'other_class')}; the judge on real pictures: {n['judge_accuracy']:.0%}.",
            "exposed",
        ),
        number_html(
            count("recognised_ssim_share", attack),
            "recognised by the most similar held-out picture (SSIM)",
            f"No network at all. More is a worse leak. Noise: {count('recognised_ssim_share', 'noise')}.",
            "exposed",
        ),
        number_html(
            mean("distance_mean"),
            "distance to the nearest training picture",
            f"Lower is closer, but closer than what? {beside('distance_mean')}.",
        ),
        number_html(
            mean("similarity_mean"),
            "correlation with the nearest training picture",
            f"1 is the same but for brightness and contrast. {beside('similarity_mean')}.",
        ),
        number_html(
            mean("confidence_mean"),
            "the model's confidence in its label",
            "What the attack climbs. A model can be sure of a picture that nobody recognises.",
        ),
        number_html(
            f"{n['test_accuracy']:.0%}",
            "accuracy on new pictures",
            f"What the model is for. Higher is better; on its training pictures {n['train_accuracy']:.0%}, "
            f"by chance {n['chance']:.0%}.",
            "protected",
        ),
    )


def doubt_html(own: Rows) -> str:
    """Where the two ways of recognising disagree, the reader should look for themselves."""
    if own.value("recognised_share") - own.value("recognised_ssim_share") < 0.4:
        return ""
    return (
        '<div class="dp-note">The two ways of recognising disagree. A network can be swayed by marks that no person '
        "would read as a likeness, or by a drawing too faint for the eye: look at the pictures before you believe "
        "the first number.</div>"
    )


# ---- attacks compared
SETS = {
    "faces": "generated faces, softmax",
    "digits": "MNIST digits, CNN",
    "att_faces": "AT&T faces, softmax",
}
MEASURES = {  # measure: (in words, what is good, form)
    "recognised_share": ("recognised by the judge", "higher: worse leak", "{:.0%}"),
    "recognised_ssim_share": ("recognised by nearest SSIM", "higher: worse leak", "{:.0%}"),
    "distance_mean": ("Euclidean distance", "lower: worse leak", "{:.2f}"),
    "ssim_distance_mean": ("1 − SSIM", "lower: worse leak", "{:.3f}"),
    "similarity_mean": ("correlation", "higher: worse leak", "{:.2f}"),
    "confidence_mean": ("model's confidence", "what the attack climbs", "{:.2f}"),
}
PRINTED = {"digits": "distance", "faces": "ssim_distance", "att_faces": "ssim_distance"}  # paper A's measure
CLASS_BY_CLASS = {
    "original": "here, original",
    "published": "here, enhanced as published",
    "enhanced": "here, enhanced, our settings",
    "blank": "a black picture",
    "other_class": "another class",
}


def strips_html(drawn: dict[str, np.ndarray]) -> str:
    """Truth, then what each contender drew so far."""
    lines = []
    for name, words in {"truth": "training pictures", **CONTENDERS}.items():
        if name in drawn:
            alts = [f"{words}, class {i + 1}" for i in range(len(drawn[name]))]
            lines.append(f"<h4>{words}</h4>{strip_html(drawn[name], alts)}")
    return "".join(lines)


def measures_html(result: Result, source: str) -> str:
    """Every measure of every contender, and of pictures that owe nothing to the attack."""
    lines = []
    for who, words in {**CONTENDERS, **BASELINES}.items():
        cells = [with_spread(result.rows.row(m, attack=who), form) for m, (_, _, form) in MEASURES.items()]
        lines.append(Row([words, *cells], "reference" if who in BASELINES else ""))
    accuracies = (
        f"accuracy of the attacked model on new pictures {result.numbers['test_accuracy']:.0%}, "
        f"of the judge {result.numbers['judge_accuracy']:.0%}"
    )
    heads = ["", *(with_small(words, good) for words, good, _ in MEASURES.values())]
    return f"<h4>On every measure</h4>{table_html(heads, lines, f'{source}; {accuracies}')}"


def published_html(which: str, result: Result) -> str:
    """The papers' figures, labelled as such, above the same figures of this lab."""
    return share_beside_paper(result.rows) if which == "att_faces" else classes_beside_paper(which, result)


def share_beside_paper(rows: Rows) -> str:
    paper = shipped("published")["att_faces"]

    def both(attack: str) -> str:
        shares = [rows.value(measure, attack=attack) for measure in ("recognised_share", "recognised_ssim_share")]
        return " and ".join(f"{share:.0%}" for share in shares)

    return (
        f"<h4>Beside the published figure</h4><p>Paper E reports {paper['recognised_by_evaluation_model']:.0%} of "
        f"AT&T's people recognised by its evaluation model, {paper['recognised_by_ssim']:.1%} by SSIM, for the "
        f"original attack. Here: {both('original')} for the original attack, {both('enhanced')} for the enhanced one."
        f"</p><small class='dp-reference'>{paper['source']}</small>"
    )


def classes_beside_paper(which: str, result: Result) -> str:
    paper, values = shipped("published")[which], by_class(result, PRINTED[which])
    form = MEASURES[f"{PRINTED[which]}_mean"][2]
    columns = len(paper["original"])

    def cells(words: str, line: list[float] | np.ndarray) -> list[str]:
        return [words, *(form.format(value) for value in line), Html(f"<b>{form.format(np.mean(line))}</b>")]

    lines = [Row(cells(f"paper A, {attack}", paper[attack]), "reference") for attack in ("original", "enhanced")]
    lines += [cells(words, values[who][:columns]) for who, words in CLASS_BY_CLASS.items()]
    titles = [str(i) if which == "digits" else f"person {i + 1}" for i in range(columns)]
    other = "" if which == "digits" else " Other people, other pictures: compare the direction, not the numbers."
    table = table_html(["", *titles, "mean"], lines, f"{paper['source']}.{other}")
    return f"<h4>Class by class, as the paper prints it</h4>{table}"

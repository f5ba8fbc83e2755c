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
from dpmia_lab.widgets.inversion.controls import PRIOR_WORDS, PROCESS_WORDS
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.pictures import strip_html
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import Html, Row, table_html, with_small, with_spread
from dpmia_lab.widgets.kit.words import MODEL_WORDS
from dpmia_lab.words.said import heard, local, marked, numeral, said, said_many

HEAVY = 1e-4  # λ from which a prior wins over the model on faces
SHORT = 0.5  # T·η up to which the enhanced attack has hardly left mid-grey
STRIP = 8  # pictures beside each other
SUMMED = marked({
    "original": "original attack",
    "enhanced": "enhanced attack",
    "prior": "attack with public pictures",
})  # fmt: skip
RECOGNISED = marked({(True, True): "judge + SSIM", (True, False): "judge only", (False, True): "SSIM only"})


# ---- a run
def own_rows(run: Run) -> Rows:
    """What was measured of the drawings themselves, not of the baselines."""
    return run.result.rows.where(attack=run.config.attack)


def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, rows = run.config, run.result.rows
    how = [said("{model} on {data}", model=said(MODEL_WORDS[c.model]), data=escape(Path(c.data).name))]
    if c.data.split(":")[0] in ("faces", "att_faces"):
        how.append(said("{count} people", count=c.people))
    how.append(said(SUMMED[c.attack]))
    if c.attack == "prior":
        how.append(said("{count} components, λ = {weight}", count=c.components, weight=local(number_text(c.weight))))
    elif c.attack == "enhanced":
        weight = f", λ = {local(number_text(c.lam))}" if c.prior != "none" else ""
        how.append(said("prior {prior}", prior=said(PRIOR_WORDS[c.prior])) + weight)
        how += [] if c.box else [said("no box")]
    else:
        how += [] if c.process == "none" else [said(PROCESS_WORDS[c.process])]
    how.append(f"T = {c.steps}, η = {local(number_text(c.rate))}")
    how += [said("blur {pixels:g}", pixels=c.smooth)] if c.smooth and c.attack != "prior" else []
    return said(
        '{how}, seed {seed}: <span class="dp-exposed">{judge:.0%} recognised by the judge, {ssim:.0%} by SSIM</span>, '
        "distance {distance:.2f} (noise {noise:.2f})",
        how=", ".join(how),
        seed=c.seed,
        judge=own_rows(run).value("recognised_share"),
        ssim=own_rows(run).value("recognised_ssim_share"),
        distance=own_rows(run).value("distance_mean"),
        noise=rows.value("distance_mean", attack="noise"),
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
    named = said(
        "Named right: <b class='dp-exposed'>{judge} of {people}</b> by an independent judge, "
        "<b class='dp-exposed'>{ssim} of {people}</b> by the most similar held-out picture (SSIM).",
        judge=judge,
        ssim=ssim,
        people=people,
    )
    both = {name: dict(zip(("judge", "ssim"), counts(result, name), strict=False)) for name in nothing}
    beside = [said("of {what}: {judge} and {ssim}", what=heard(nothing[name]), **both[name]) for name in nothing]
    others = ", ".join(beside)
    return f"<p>{named} {others[0].upper()}{others[1:]}. {blank_words(result, config)}</p>"


def blank_words(result: Result, config: Config) -> str:
    """How many drawings the eye finds empty, and why; "" where there are none."""
    blank = blank_count(result)
    if not blank:
        return ""
    people = len(result.arrays["truth"])
    return said_many(
        "<b>{count} of {people}</b> is blank to the eye: {why}",
        "<b>{count} of {people}</b> are blank to the eye: {why}",
        blank,
        people=people,
        why=why_blank(config),
    )


def why_blank(config: Config) -> str:
    if config.attack == "prior":
        return said("few public pictures look like anything here, or λ weighs more than the model.")
    if config.attack == "enhanced" and config.prior != "none" and config.lam >= HEAVY:
        weight = local(number_text(config.lam))
        return said("λ = {weight} weighs so much that a flat picture is worth more than the right name.", weight=weight)
    if config.attack == "enhanced" and config.box and config.steps * config.rate <= SHORT:
        return said("so few small steps hardly leave the mid-grey they start from.")
    if config.attack == "enhanced" and config.box:
        return said(
            "at the mid-grey they start from, the model is so sure of somebody else that there is hardly a slope."
        )
    return said("the steps are too small to be seen.")


def compared_html(runs: list[Run]) -> str:
    """The same people, a row a run."""
    lines = []
    for run in runs:
        arrays = run.result.arrays
        names = [heard(str(name)) for name in arrays["names"][:STRIP]]
        alts = [said("run {number}, {name}", number=run.number, name=name) for name in names]
        pictures = strip_html(arrays["reconstruction"][:STRIP], alts)
        lines.append(f"<h4>{said('Run {number}', number=run.number)}: {summary(run)}</h4>{pictures}")
    return "".join(lines)


def caption(arrays: dict[str, np.ndarray], k: int) -> str:
    """Of one finished picture."""
    judge, ssim = bool(arrays["recognised"][k]), bool(arrays["recognised_ssim"][k])
    who = RECOGNISED.get((judge, ssim))
    verdict = f'<span class="dp-exposed">{said(who)}</span>' if who else said("nobody")
    blank = is_blank(arrays["reconstruction"][k : k + 1])[0]
    alike = said("correlation {value:.2f}", value=arrays["similarity"][k])
    return f"{verdict}<br>{said('blank') if blank else alike}"


def numbers_html(result: Result, attack: str) -> str:
    """``attack``: the run's own, beside which the baselines stand."""
    rows, n, classes = result.rows, result.numbers, len(result.arrays["truth"])

    def count(measure: str, who: str) -> str:
        found = round(rows.value(measure, attack=who) * classes)
        return said("{found} of {all}", found=found, all=classes)

    def mean(measure: str) -> str:
        return numeral("{:.2f}", rows.value(measure, attack=attack))

    def beside(measure: str) -> str:
        return ", ".join(
            f"{heard(words)} {numeral('{:.2f}', rows.value(measure, attack=name))}" for name, words in BASELINES.items()
        )

    return doubt_html(rows.where(attack=attack)) + number_row(
        number_html(
            count("recognised_share", attack),
            said("recognised by an independent judge"),
            said(
                "A network that never saw the training pictures names the right class. More is a worse leak. Noise: "
                "{noise}; someone else's picture: {other}; the judge on real pictures: {real:.0%}.",
                noise=count("recognised_share", "noise"),
                other=count("recognised_share", "other_class"),
                real=n["judge_accuracy"],
            ),
            "exposed",
        ),
        number_html(
            count("recognised_ssim_share", attack),
            said("recognised by the most similar held-out picture (SSIM)"),
            said(
                "No network at all. More is a worse leak. Noise: {noise}.",
                noise=count("recognised_ssim_share", "noise"),
            ),
            "exposed",
        ),
        number_html(
            mean("distance_mean"),
            said("distance to the nearest training picture"),
            said("Lower is closer, but closer than what? {others}.", others=beside("distance_mean")),
        ),
        number_html(
            mean("similarity_mean"),
            said("correlation with the nearest training picture"),
            said("1 is the same but for brightness and contrast. {others}.", others=beside("similarity_mean")),
        ),
        number_html(
            mean("confidence_mean"),
            said("the model's confidence in its label"),
            said("What the attack climbs. A model can be sure of a picture that nobody recognises."),
        ),
        number_html(
            numeral("{:.0%}", n["test_accuracy"]),
            said("accuracy on new pictures"),
            said(
                "What the model is for. Higher is better; on its training pictures {train:.0%}, by chance "
                "{chance:.0%}.",
                train=n["train_accuracy"],
                chance=n["chance"],
            ),
            "protected",
        ),
    )


def doubt_html(own: Rows) -> str:
    """Where the two ways of recognising disagree, the reader should look for themselves."""
    if own.value("recognised_share") - own.value("recognised_ssim_share") < 0.4:
        return ""
    words = said(
        "The two ways of recognising disagree. A network can be swayed by marks that no person would read as a "
        "likeness, or by a drawing too faint for the eye: look at the pictures before you believe the first number."
    )
    return f'<div class="dp-note">{words}</div>'


# ---- attacks compared
SETS = marked({
    "faces": "generated faces, softmax",
    "digits": "MNIST digits, CNN",
    "att_faces": "AT&T faces, softmax",
})  # fmt: skip
MEASURES = marked({  # measure: (in words, what is good, form)
    "recognised_share": ("recognised by the judge", "higher: worse leak", "{:.0%}"),
    "recognised_ssim_share": ("recognised by nearest SSIM", "higher: worse leak", "{:.0%}"),
    "distance_mean": ("Euclidean distance", "lower: worse leak", "{:.2f}"),
    "ssim_distance_mean": ("1 − SSIM", "lower: worse leak", "{:.3f}"),
    "similarity_mean": ("correlation", "higher: worse leak", "{:.2f}"),
    "confidence_mean": ("model's confidence", "what the attack climbs", "{:.2f}"),
})  # fmt: skip
PRINTED = {"digits": "distance", "faces": "ssim_distance", "att_faces": "ssim_distance"}  # paper A's measure
CLASS_BY_CLASS = marked({
    "original": "here, original",
    "published": "here, enhanced as published",
    "enhanced": "here, enhanced, our settings",
    "blank": "a black picture",
    "other_class": "another class",
})  # fmt: skip


def strips_html(drawn: dict[str, np.ndarray]) -> str:
    """Truth, then what each contender drew so far."""
    lines = []
    shown = {"truth": said("training pictures")} | {name: heard(words) for name, words in CONTENDERS.items()}
    for name, words in shown.items():
        if name in drawn:
            alts = [said("{words}, class {number}", words=words, number=i + 1) for i in range(len(drawn[name]))]
            lines.append(f"<h4>{words}</h4>{strip_html(drawn[name], alts)}")
    return "".join(lines)


def measures_html(result: Result, source: str) -> str:
    """Every measure of every contender, and of pictures that owe nothing to the attack."""
    lines = []
    for who, words in {**CONTENDERS, **BASELINES}.items():
        cells = [with_spread(result.rows.row(m, attack=who), form) for m, (_, _, form) in MEASURES.items()]
        lines.append(Row([heard(words), *cells], "reference" if who in BASELINES else ""))
    accuracies = said(
        "accuracy of the attacked model on new pictures {model:.0%}, of the judge {judge:.0%}",
        model=result.numbers["test_accuracy"],
        judge=result.numbers["judge_accuracy"],
    )
    heads = ["", *(with_small(said(words), said(good)) for words, good, _ in MEASURES.values())]
    return f"<h4>{said('On every measure')}</h4>{table_html(heads, lines, f'{source}; {accuracies}')}"


def published_html(which: str, result: Result) -> str:
    """The papers' figures, labelled as such, above the same figures of this lab."""
    return share_beside_paper(result.rows) if which == "att_faces" else classes_beside_paper(which, result)


def share_beside_paper(rows: Rows) -> str:
    paper = shipped("published")["att_faces"]

    def both(attack: str) -> str:
        shares = [rows.value(measure, attack=attack) for measure in ("recognised_share", "recognised_ssim_share")]
        return said("{judge:.0%} and {ssim:.0%}", judge=shares[0], ssim=shares[1])

    words = said(
        "Paper E reports {judge:.0%} of AT&T's people recognised by its evaluation model, {ssim:.1%} by SSIM, for the "
        "original attack. Here: {original} for the original attack, {enhanced} for the enhanced one.",
        judge=paper["recognised_by_evaluation_model"],
        ssim=paper["recognised_by_ssim"],
        original=both("original"),
        enhanced=both("enhanced"),
    )
    source = f"<small class='dp-reference'>{heard(paper['source'])}</small>"
    return f"<h4>{said('Beside the published figure')}</h4><p>{words}</p>{source}"


def classes_beside_paper(which: str, result: Result) -> str:
    paper, values = shipped("published")[which], by_class(result, PRINTED[which])
    form = MEASURES[f"{PRINTED[which]}_mean"][2]
    columns = len(paper["original"])

    def cells(words: str, line: list[float] | np.ndarray) -> list[str]:
        return [words, *(numeral(form, value) for value in line), Html(f"<b>{numeral(form, np.mean(line))}</b>")]

    printed = {"original": said("paper A, original"), "enhanced": said("paper A, enhanced")}
    lines = [Row(cells(words, paper[attack]), "reference") for attack, words in printed.items()]
    lines += [cells(said(words), values[who][:columns]) for who, words in CLASS_BY_CLASS.items()]
    titles = [str(i) if which == "digits" else heard(f"person {i + 1}") for i in range(columns)]
    other = said("Other people, other pictures: compare the direction, not the numbers.")
    caption = f"{heard(paper['source'])}." + ("" if which == "digits" else f" {other}")
    table = table_html(["", *titles, said("mean")], lines, caption)
    return f"<h4>{said('Class by class, as the paper prints it')}</h4>{table}"

"""Sentences of lesson 8: who draws faces from what, how many are recognised, and what the numbers mean."""

from dataclasses import dataclass
from html import escape
from pathlib import Path

import numpy as np

from dpmia_lab.experiments.confidences import Config, defence_of
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.rows import Row
from dpmia_lab.store import Result
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.runs import Run
from dpmia_lab.widgets.kit.tables import Html, table_html, with_small
from dpmia_lab.widgets.kit.words import FACE_SETS, MODEL_WORDS

SHORT = {  # names at the bars
    "alignment": "alignment, one answer",
    "alignment_averaged": "alignment, answers averaged",
    "alignment_mean": "alignment, mean code",
    "alignment_same": "alignment, same people's pictures",
    "alignment_label": "alignment, the label alone",
    "gmi": "GMI, as published",
    "gmi_adapted": "GMI, adapted",
    "average_face": "the average face",
    "another_person": "another person's picture",
    "decoder_noise": "the decoder, given noise",
    "prior_alone": "the prior alone",
}
NULLS = ("average_face", "another_person", "decoder_noise", "prior_alone")
WHO = {
    "alignment": "asks once about each picture; its decoder learnt from pictures of other people",
    "alignment_averaged": "asks many times about each picture and averages the answers",
    "alignment_mean": "holds the weights, and reads the code before noise is added to it",
    "alignment_same": "asks once; its decoder learnt from other pictures of the same people",
    "alignment_label": "is told no more than the likeliest name",
    "gmi": "holds the weights and a prior of public pictures, and makes the network as sure of a name as it can, "
    "through its noise",
    "gmi_adapted": "the same through the mean code, by the margin of logits",
    "average_face": "draws the mean of public pictures for everybody; needs no network",
    "another_person": "shows a photograph of somebody else; needs no network",
    "decoder_noise": "gives its decoder random numbers instead of answers",
    "prior_alone": "draws a face from the prior; needs no network",
}
MEASURES = {
    "recognised": "recognised by the judge",
    "recognised_ssim": "recognised by likeness (SSIM)",
    "correlation": "correlation with the truth",
    "feature_distance": "distance to test pictures",
    "feature_distance_training": "distance to training pictures",
}
SHARES = ("recognised", "recognised_ssim")
OVER = 0.05  # points between accuracy and mean confidence that are worth a word


# ---- the turn: what the attacker changes, and what is then seen in each row
@dataclass(frozen=True)
class Turn:
    words: str
    alignment: str
    gmi: str


TURNS = {
    "once": Turn("asks once", "alignment", "gmi"),
    "many": Turn("asks {answers} times", "alignment_averaged", "gmi"),
    "mean": Turn("goes through the mean", "alignment_mean", "gmi_adapted"),
}


def turned(turn: str, drawn: set[str]) -> tuple[str, str]:
    """The attacks in the two rows; without noise one answer is all answers."""
    wanted = TURNS[turn]
    return wanted.alignment if wanted.alignment in drawn else "alignment", wanted.gmi


def percent(share: float) -> str:
    return f"{share:.0%}"


def recognised(result: Result, attack: str, measure: str = "recognised", protocol: str = "test") -> Row:
    return result.rows.row(measure, attack=attack, protocol=protocol)


def strongest(result: Result) -> Row:
    """Of the attacks on the network the one that has most recognised."""
    attacks = [name for name in SHORT if name not in (*NULLS, "alignment_label")]
    there = [row for row in result.rows.where(measure="recognised", protocol="test") if row.attack in attacks]
    return max(there, key=lambda row: row.value)


# ---- beside the rows of pictures
def row_head(title: str, share: str, means: str, colour: str = "dp-exposed") -> str:
    return f'<div class="dp-head"><b>{title}</b> <span class="{colour}">{share}</span><small>{means}</small></div>'


def truth_head(result: Result | None, config: Config) -> str:
    chance = "" if result is None else f" By chance {result.numbers['chance']:.1%} are named right."
    people = "new pictures; nobody here exists" if config.data == "faces" else "new to the network"
    return row_head("Truth", "", f"{people}.{chance}", "")


def alignment_head(result: Result | None, config: Config, attack: str, turn: str) -> str:
    if result is None:
        return row_head("Alignment", "…", "a decoder learns to draw faces from answers")
    how = {
        "alignment": "one answer each" if turn == "once" else "it answers alike each time",
        "alignment_averaged": f"mean of {config.answers} answers",
        "alignment_mean": "through the mean code",
    }[attack]
    label, noise = (percent(recognised(result, name).value) for name in ("alignment_label", "decoder_noise"))
    share = percent(recognised(result, attack).value)
    return row_head("Alignment", f"{share} recognised", f"{how}. Label alone {label}, given noise {noise}.")


def gmi_head(result: Result | None, config: Config, attack: str, turn: str) -> str:
    if result is None:
        return row_head("GMI", "…", "a face is changed until the network is sure of the name")
    how = "as published" if turn == "once" else "it asks at every step anyway" if turn == "many" else "adapted"
    alone, average = (percent(recognised(result, name).value) for name in ("prior_alone", "average_face"))
    share = percent(recognised(result, attack).value)
    kind = "face" if config.data.split(":")[0] in FACE_SETS else "picture"
    return row_head("GMI", f"{share} recognised", f"{how}. Prior alone {alone}, average {kind} {average}.")


def headline_html(result: Result) -> str:
    """What the network is worth: how often it is right, and whether its confidences mean what they say."""
    n = result.numbers
    right = number_html(
        percent(n["test_accuracy"]), "of new pictures named right",
        f"By chance {n['chance']:.1%}. Higher is more useful.", "protected",
    )  # fmt: skip
    ece = number_html(
        f"{n['ece']:.2f}", "calibration error (ECE)", f"{calibration_words(result)} 0 is best.", "protected",
    )  # fmt: skip
    return number_row(right, ece)


def training_html(accuracy: float | None) -> str:
    """The same while the network learns."""
    shown = "…" if accuracy is None else percent(accuracy)
    right = number_html(shown, "of new pictures named right", "so far: the network is learning", "protected")
    return number_row(right, number_html("…", "calibration error (ECE)", "measured when it is trained.", "protected"))


def calibration_words(result: Result) -> str:
    """Whether the network claims more than it knows, or less."""
    arrays = result.arrays
    count = arrays["reliability_count"]
    said = float((count * np.nan_to_num(arrays["reliability_confidence"])).sum() / count.sum())
    apart = said - result.numbers["test_accuracy"]
    if abs(apart) < OVER:
        return f"Says {percent(said)}, which is about what it knows."
    return f"Says {percent(said)} on average: {'more' if apart > 0 else 'less'} than it knows."


# ---- below
def about_html(config: Config, result: Result) -> str:
    """Numbers of paper B's Figure 1 and of the bottleneck, each with its meaning."""
    n = result.numbers
    said = (
        f"Answers about different pictures lie {n['outputs_spread']:.2f} apart (lower: more alike), answers about the "
        f"same picture {n['answer_spread']:.2f} (0: always the same answer). Trained-on pictures are named right "
        f"{percent(n['train_accuracy'])} of the time; the judge, who shares no picture with anybody, names "
        f"{percent(n['judge_accuracy'])} of true pictures right."
    )
    if "information" in n:
        said += (
            f" λ·k, the weight for the whole code of {config.code} numbers, is {n['lam_times_code']:.3g}. One drawn "
            f"code tells at most {n['information']:.1f} nats about its picture, on average; "
            f"{np.log(1 / n['chance']):.1f} nats are enough to name one of {round(1 / n['chance'])}."
        )
    if "epsilon_tight" in n:
        promise = Guarantee(n["epsilon_tight"], "picture", "add-remove", n["delta"], "tight").words()
        said += f" Promised: {promise}. A small ε protects a picture, not what a name looks like."
    else:
        said += " Nothing is promised: only attacks were tried."
    return f"<p>{said}</p>"


def attacks_table(result: Result) -> Html:
    """Every attacker on every measure; of alignment also on the people trained on."""
    rows = []
    for name, words in SHORT.items():
        for protocol in ("test", "train"):
            if result.rows.has("recognised", attack=name, protocol=protocol):
                who = WHO[name] if protocol == "test" else "the same, on pictures the network was trained on"
                cells = (measure_cell(recognised(result, name, measure, protocol)) for measure in MEASURES)
                rows.append((with_small(words, who), *cells))
    caption = (
        "Shares with their 95 % intervals, means of the others. Higher is a worse leak, but for distances, which are "
        "in the judge's features: lower is closer. Of GMI, which draws one picture a name, the truth is the person's "
        "mean."
    )
    return table_html(("attacker", *MEASURES.values()), rows, caption, "dp-attackers")


def measure_cell(row: Row) -> Html | str:
    if row.low is None:
        return f"{row.value:.2f}" if abs(row.value) < 2 else f"{row.value:.1f}"
    return with_small(f"{row.value:.0%}", f"{row.low:.0%}–{row.high:.0%}")


# ---- runs
def defence_words(config: Config) -> str:
    return defence_of(config).words()


def data_words(config: Config) -> str:
    return escape(Path(config.data).name)


def summary(run: Run) -> str:
    """What was done and what came out, in a line that tells two runs apart."""
    c, result = run.config, run.result
    best = strongest(result)
    return (
        f"{MODEL_WORDS[c.model]} on {data_words(c)}, {escape(defence_words(c))}, seed {c.seed}: "
        f"<span class='dp-protected'>{percent(result.numbers['test_accuracy'])} right, ECE "
        f"{result.numbers['ece']:.2f}</span>, <span class='dp-exposed'>recognised: "
        f"{percent(recognised(result, 'alignment').value)} (alignment, one answer), "
        f"{percent(recognised(result, 'gmi').value)} (GMI), at most {percent(best.value)} ({SHORT[best.attack]})</span>"
    )


def compared_html(runs: list[Run]) -> str:
    """A line of numbers a run."""
    if not runs:
        return ""
    attacks = ("alignment", "alignment_averaged", "alignment_mean", "gmi", "gmi_adapted")
    rows = []
    for run in runs:
        n = run.result.numbers
        shares = (percent(n[f"recognised_{name}"]) if f"recognised_{name}" in n else "–" for name in attacks)
        name = f"run {run.number}: {defence_words(run.config)}"
        rows.append((name, percent(n["test_accuracy"]), f"{n['ece']:.2f}", *shares))
    return table_html(("run", "right", "ECE", *(SHORT[name] for name in attacks)), rows)

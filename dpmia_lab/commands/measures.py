"""What the numbers of all experiments are called in full, and what they are counted in.

Plain names (``recognised_share_noise``) are for programs; a person meets these words.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from dpmia_lab.experiments.fooling import LAMBDAS
from dpmia_lab.game.verdicts import DELTA
from dpmia_lab.metrics.calibration import BINS
from dpmia_lab.privacy.accounting import NEIGHBOURS, epsilon_text, short
from dpmia_lab.rows import Row, Rows
from dpmia_lab.store import Result

RANKED = "rank_correlation_"


def share(value: float) -> str:
    """3.2%, but 80%."""
    return f"{value:.0%}" if value >= 0.0995 or value == 0 else f"{value:.1%}"


def number(value: float) -> str:
    return f"{value:.3g}"


def count(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else number(value)


def epsilon(value: float) -> str:
    """Never understated."""
    return epsilon_text(value) if value > 0 else number(value)


def least(value: float) -> str:
    """A bound from below, never overstated."""
    return f"{math.floor(100 * value + 1e-9) / 100:.2f}"


@dataclass(frozen=True)
class Measure:
    words: str  # its full name
    unit: str  # what it is counted in, and whether high is good
    head: str = ""  # above its column in a short table
    form: Callable[[float], str] = number


LEAK = "share from 0 to 1; higher is a worse leak"
RIGHT = "share from 0 to 1; higher is better"
PROMISE = "natural logarithm of a ratio of chances; lower promises more"
CLOSER = "from -1 to 1; higher is closer"
DISTANCE = "square root of summed squares over pixels, black 0 and white 1; lower is closer"
MEASURES = {
    # ---- the attacked model
    "train_accuracy": Measure("accuracy on the records it was trained on", RIGHT, "on training records", share),
    "test_accuracy": Measure("accuracy on new records", RIGHT, "accuracy", share),
    "accuracy": Measure("accuracy on new records", RIGHT, "accuracy", share),
    "chance": Measure("accuracy of guessing", "share from 0 to 1", "guessing", share),
    "classes": Measure("classes", "classes", "classes", count),
    "members": Measure("records it was trained on", "records", "members", count),
    "records": Measure("records it was trained on", "records", "records", count),
    "steps": Measure("steps of training", "steps", "steps", count),
    "rate": Measure("size of a step η", "weights a unit of gradient"),
    # ---- what was promised
    "units": Measure("number of units, each of which is hidden", "units", "units", count),
    "sigma": Measure("noise multiplier σ", "clipping bounds", "σ"),
    "k_sub": Measure("subclasses a class is divided into", "subclasses", "k_sub", count),
    "q": Measure("each unit's chance to join a step", "share from 0 to 1", "q"),
    "noise": Measure("noise a step in each weight, σS/(qK)", "weights", "noise a step"),
    "accumulated": Measure("noise in each weight after all steps, η√T·σS/(qK)", "weights", "noise in all"),
    "delta": Measure("δ that goes with ε", "chance", "δ", short),
    "mu": Measure("μ of the Gaussian trade-off curve that is promised", "standard deviations; lower is safer", "μ"),
    "epsilon": Measure("ε by the moments accountant", PROMISE, "ε", epsilon),
    "epsilon_tight": Measure("ε by the tight accountant (PLD)", PROMISE, "ε", epsilon),
    "epsilon_person": Measure("ε for a person with all their pictures (tight)", PROMISE, "ε, person", epsilon),
    "epsilon_paper": Measure("ε by paper A's moments bound", PROMISE, "ε, paper A", epsilon),
    "epsilon_record": Measure("local ε of a whole record", PROMISE, "ε of a record", epsilon),
    "epsilon_i": Measure("local ε of one bit, cell of pixels or edge", PROMISE, "ε of a part", epsilon),
    "matched": Measure("whether σ could be matched to the wanted accuracy", "1 yes, 0 no", "matched", count),
    # ---- pictures
    "judge_accuracy": Measure("accuracy of the independent judge on real pictures", RIGHT, "judge", share),
    "recognised_share": Measure("drawings that an independent judge names right", LEAK, "judge", share),
    "recognised_mean": Measure("drawings that an independent judge names right", LEAK, "judge", share),
    "recognised_ssim_share": Measure("drawings most similar (SSIM) to the right held-out person", LEAK, "SSIM", share),
    "similarity": Measure("correlation with the nearest training picture of the class", CLOSER, "correlation"),
    "distance": Measure("Euclidean distance to the nearest training picture of the class", DISTANCE, "distance"),
    "ssim_distance": Measure(
        "1 - SSIM to the most similar training picture of the class", "0 is the same picture; lower is closer", "1-SSIM"
    ),
    "confidence": Measure("the attacked model's confidence in the label drawn", RIGHT, "confidence", share),
    "correlation": Measure("correlation with the class's mean picture", CLOSER, "correlation"),
    "matched_accuracy": Measure("accuracy of the matched filter on real pictures", RIGHT, "filter", share),
    "pictures_a_person": Measure("training pictures of one person", "pictures", "pictures a person", count),
    # ---- membership
    "auc": Measure("AUC: chance that a member scores above an outsider", "0.5 is guessing, 1 a complete leak", "AUC"),
    "tpr1": Measure("members found at 1 % false alarms", LEAK, "found at 1 %", share),
    "tpr01": Measure("members found at 0.1 % false alarms", LEAK, "found at 0.1 %", share),
    "balanced": Measure("right guesses, members and outsiders alike", "0.5 is guessing, 1 a complete leak", "right"),
    "epsilon_bound": Measure(
        f"least ε that the attack proves at δ = {short(DELTA)}, one-run audit, 95 % sure of all attacks together",
        PROMISE,
        f"ε ≥ (δ {short(DELTA)})",
        least,
    ),
    "epsilon_bound_rates": Measure(
        f"least ε that the attack proves at δ = {short(DELTA)}, from its error rates, 95 % sure of all together",
        PROMISE,
        "ε ≥ (rates)",
        least,
    ),
    "tied": Measure("records that have the commonest score", "share from 0 to 1; 1 tells nobody apart", "tied", share),
    "audit_delta": Measure("δ at which attacks prove an ε", "chance", "δ", short),
    "audit_limit": Measure("ε that the audit would prove were every guess right", PROMISE, "at most", least),
    "epsilon_audit": Measure(
        "promised ε for a record (add or remove one, at the audit's δ) by the tight accountant (PLD)",
        PROMISE,
        "ε",
        epsilon,
    ),
    "phi": Measure("φ: privacy gained for accuracy lost, both relative to no defence", "higher is a better trade", "φ"),
    # ---- defences tried (paper D)
    "kept_epoch": Measure("epoch of training whose weights are kept", "epochs", "epoch kept", count),
    "matched_auc": Measure(
        "AUC of the best likelihood ratio on early stopping where that is as accurate",
        "0.5 is guessing, 1 a complete leak",
        "AUC, stopped",
    ),
    "matched_gain": Measure(
        "AUC by which the defence leaks less than early stopping where that is as accurate",
        "above 0 the defence is better than stopping early",
        "gain on stopping",
    ),
    **{
        f"aop_{lam}": Measure(
            f"AOP({lam}): accuracy over (2 max(AUC, 0.5))^{lam}", "higher is a better trade", f"AOP({lam})"
        )
        for lam in LAMBDAS
    },
    # ---- one sensitive attribute
    "attack_accuracy": Measure("people whose sensitive value is guessed right", LEAK, "guessed", share),
    "attack_auc": Measure(
        "AUC of a sensitive value against the others, mean over values", "0.5 is guessing, 1 a complete leak", "AUC"
    ),
    "attack_f1": Measure(
        "F1 of the guessed value: the second of two, else the mean over values", LEAK, "F1"
    ),
    "attack_over_prior": Measure(
        "guessed right beyond taking the commonest value", "share; above 0 is a leak", "over prior"
    ),
    "attack_over_imputation": Measure(
        "guessed right beyond imputation with the outcome, without a model", "share; above 0 the attack knows more",
        "over imputation",
    ),
    "test_error": Measure("mean squared error on test people", "squared unit of the outcome; lower is better", "error"),
    "train_error": Measure("mean squared error on training people", "squared unit of the outcome; lower is better"),
    "test_off": Measure("mean absolute error on test people", "unit of the outcome; lower is better", "off by"),
    "train_off": Measure("mean absolute error on training people", "unit of the outcome; lower is better"),
    "test_f1": Measure("F1 of the predicted outcome on test people", RIGHT, "F1"),
    "train_f1": Measure("F1 of the predicted outcome on training people", RIGHT, "F1"),
    "people_trained": Measure("people a model is trained on", "people", "trained on", count),
    "people_public": Measure("public people, of whom the attacker knows everything", "people", "public", count),
    "people_tested": Measure("test people in a split", "people", "tested", count),
    "sensitive_values": Measure("values the sensitive attribute may have", "values", "values", count),
    # ---- confidences
    "ece": Measure(
        f"expected calibration error: how far confidence and accuracy are apart, {BINS} bins of equal width",
        "share from 0 to 1; lower is better",
        "ECE",
    ),
    "recognised_answers": Measure(
        "pictures turned back from answers that an independent judge names right", LEAK, "turned back", share
    ),
    "recognised": Measure("drawings that an independent judge names right", LEAK, "judge", share),
    "recognised_ssim": Measure("drawings most similar (SSIM) to the right person's pictures", LEAK, "SSIM", share),
    "feature_distance": Measure(
        "distance to the person's test pictures in the judge's features", "judge's units; lower is closer", "to test"
    ),
    "feature_distance_training": Measure(
        "distance to the person's training pictures in the judge's features",
        "judge's units; lower is closer",
        "to trained on",
    ),
    "label_named": Measure("updates whose label is named right", LEAK, "label", share),
    "outputs_spread": Measure(
        "spread of answers over pictures, root mean square", "distance between confidences; lower is more concentrated"
    ),
    "answer_spread": Measure(
        "spread of the answers about one picture, root mean square", "distance between confidences; 0: always the same"
    ),
    "lam_times_code": Measure("λ times the width of the code", "nats a nat, for the whole code"),
    "information": Measure("bound on what a code tells about its picture, mean KL", "nats; lower tells less"),
    # ---- many models
    "success_rate": Measure("models from which at least one person is recognised", LEAK, "any", share),
    "success_rate_by_chance": Measure("the same, were the judge's answers shuffled", LEAK, "any, by chance", share),
    "beyond_chance_rate": Measure("models with more people recognised than chance gives (5 %)", LEAK, "beyond", share),
    "blank_success_rate": Measure("the same of blank pictures", LEAK, "any, of blanks", share),
    "impact_mean": Measure("share of a model's people recognised, mean over models", LEAK, "recognised", share),
    "impact_highest": Measure("share of a model's people recognised, highest of all models", LEAK, "highest", share),
}
MEASURES |= {
    f"{name}_plain": replace(MEASURES[name], words=f"{MEASURES[name].words}, without a defence")
    for name in ("test_error", "test_off", "test_accuracy", "test_f1")
}
MEANS = ("similarity", "distance", "ssim_distance", "confidence", "correlation")
MEASURES |= {f"{name}_mean": MEASURES[name] for name in MEANS}


OF_EXPERIMENT = {  # where an experiment means something of its own by a name
    **{(name, "correlation"): Measure(
        "correlation with the picture, or of GMI the person's mean, both without the mean of public pictures", CLOSER,
        "correlation",
    ) for name in ("confidences", "confidence_curves")},
    ("mechanisms", "epsilon"): Measure(
        "ε for a record: under central noise by the tight accountant (add or remove one, at the δ beside it), under "
        "local noise the sum over its parts (replace one, δ = 0; features only: labels are not randomised)",
        PROMISE, "ε", epsilon,
    ),
    ("attributes", "epsilon"): Measure("promised ε, by the defence's own accountant", PROMISE, "ε", epsilon),
    ("attributes", "chance"): Measure("accuracy of always saying the commonest outcome", RIGHT, "commonest", share),
    ("comparing", "epsilon"): Measure("promised ε, by the defence's own accountant", PROMISE, "ε", epsilon),
    ("comparing", "correlation"): Measure(
        "correlation with the picture, or of inversion the person's mean, both without the mean of public pictures",
        CLOSER, "correlation",
    ),
    ("comparing", "correlation_answers"): Measure(
        "correlation of a picture turned back from its answer with the picture, both without the mean of public ones",
        CLOSER, "correlation",
    ),
    ("evaluation", "epsilon"): Measure("ε by the accountant that told T", PROMISE, "ε", epsilon),
}  # fmt: skip


def measure_of(name: str, experiment: str = "") -> Measure:
    """KeyError for a number that nobody has given a name."""
    if (experiment, name) in OF_EXPERIMENT:
        return OF_EXPERIMENT[experiment, name]
    if name.startswith(RANKED):
        other = MEASURES[name.removeprefix(RANKED)]
        return Measure(
            f"rank correlation of ε with: {other.words}", "from -1 to 1; 0 is no relation", f"ε and {other.head}"
        )
    return MEASURES[name]


def promise_words(experiment: str, row: Row, config: Any) -> str:
    """An ε means nothing without its unit, its neighbours and the numbers beside it."""
    if row.measure not in ("epsilon", "epsilon_tight", "epsilon_paper") or experiment == "mechanisms":
        return ""
    small = row.defence in ("record", "equal") or experiment == "comparing" and config.defence != "units"
    unit = "record" if small else getattr(config, "unit", "record")
    return f" for a {unit} ({NEIGHBOURS[getattr(config, 'neighbours', 'add-remove')]}, at the δ beside it)"


def described(name: str, row: Row, experiment: str, config: Any, words: dict[str, str]) -> dict[str, Any]:
    """One number in full, by its plain ``name``. ``words``: what defences, attacks and protocols are called."""
    measure = measure_of(row.measure, experiment)
    parts = {"defence": row.defence, "attack": row.attack, "protocol": row.protocol}
    who = "".join(f"; {part}: {words.get(value, value)}" for part, value in parts.items() if value)
    ends = {"sd": row.spread, "low": row.low, "high": row.high}
    full_name = f"{measure.words}{promise_words(experiment, row, config)}{who}"
    told = {"name": name, "full_name": full_name, "unit": measure.unit, "value": row.value}
    return told | {end: value for end, value in ends.items() if value is not None}


def all_described(
    experiment: str, config: Any, result: Result, points: Rows, words: dict[str, str]
) -> list[dict[str, Any]]:
    """Every number of a result, those of rows with what they are of; ``points``: rows that only its arrays hold."""
    rows = {result.rows.names.of(row): row for row in (*result.rows, *points)}
    ends = {name for name in result.rows.plain() if name not in rows}
    spreads = {f"{name}_sd" for name in result.numbers if f"{name}_sd" in result.numbers}
    others = [name for name in result.numbers if name not in rows and name not in ends and name not in spreads]
    alone = {name: Row(name, result.numbers[name], spread=result.numbers.get(f"{name}_sd")) for name in others}
    return [described(name, row, experiment, config, words) for name, row in {**alone, **rows}.items()]


def with_ends(row: Row) -> str:
    """A number with its spread over seeds, or with its interval."""
    form = measure_of(row.measure).form
    if row.spread is not None:
        spread = f"{row.spread:.2g}" if form is number else form(row.spread)
        return f"{form(row.value)} ± {spread}"
    return form(row.value) if row.low is None else f"{form(row.value)} ({form(row.low)}-{form(row.high)})"

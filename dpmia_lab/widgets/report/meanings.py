"""What each number means, whether high is good, what guessing scores; and the names of attacks and of whom they ask."""

from dataclasses import dataclass

from dpmia_lab.experiments.comparing_answers import chance_of
from dpmia_lab.experiments.comparing_fits import attack_words as words_of_attacks
from dpmia_lab.experiments.comparing_grid import Grid, Measured


@dataclass(frozen=True)
class Meaning:
    name: str
    means: str
    good: str  # "high is good" or "low is good"
    attacker: bool = True  # whether an attacker scores it
    share: bool = True  # shown in per cent


MEANINGS = {
    "accuracy": Meaning(
        "right on new records", "of records that no model was trained on, the share whose label it names",
        "high is good: the model is useful", attacker=False),
    "train_accuracy": Meaning(
        "right on its own records", "of the records a model was trained on, the share whose label it names; far above "
        "the share of new records it has learnt by heart", "neither by itself", attacker=False),
    "tpr1": Meaning(
        "members caught at 1 % false alarms", "of the records a model was trained on, the share that the attacker "
        "rightly calls members while one outsider in a hundred is wrongly called so", "low is good: it is safer"),
    "tpr01": Meaning(
        "members caught at 0.1 % false alarms", "the same while one outsider in a thousand is wrongly called a member",
        "low is good: it is safer"),
    "auc": Meaning(
        "AUC", "the chance that the attacker ranks a member above an outsider; an average over everybody, which says "
        "little of the few who are easy to tell", "low is good: it is safer", share=False),
    "recognised": Meaning(
        "classes recognised", "of all classes or people, the share whose picture, drawn from the model alone, an "
        "independent judge names right", "low is good: it is safer"),
    "recognised_answers": Meaning(
        "answers turned back", "of pictures asked about, the share whose person an independent judge names right in "
        "what the attacker makes of the answer; they need not have been trained on", "low is good: it is safer"),
    "correlation_answers": Meaning(
        "likeness of pictures turned back", "how alike they and the pictures asked about are once brightness and "
        "contrast are set aside: 1 is the same shape, 0 nothing in common", "low is good: it is safer", share=False),
    "correlation": Meaning(
        "likeness of drawings", "how alike drawn and true pictures are once brightness and contrast are set aside: 1 "
        "is the same shape, 0 nothing in common", "low is good: it is safer", share=False),
    "attack_accuracy": Meaning(
        "sensitive answers guessed right", "of people, the share whose sensitive answer the attacker guesses",
        "low is good: it is safer"),
    "attack_over_imputation": Meaning(
        "guessed beyond imputation", "sensitive answers guessed right with the model, less those guessed right without "
        "it, from other people's answers alone", "low is good: it is safer"),
    "epsilon": Meaning(
        "ε, promised", "how much likelier any outcome may become through one unit: up to e to the power ε times",
        "low is good: it is safer", attacker=False, share=False),
    "delta": Meaning(
        "δ, promised", "how much probability may lie outside the factor that ε allows", "low is good: it is safer",
        attacker=False, share=False),
    "mu": Meaning(
        "μ, promised", "one number for the whole promise: no attack tells the two worlds apart better than two normal "
        "distributions whose means differ by μ standard deviations", "low is good: it is safer", attacker=False,
        share=False),
}  # fmt: skip
WHOM = {
    "turns": "ordinary records, every model the target in its turn",
    "alike": "ordinary records, some models",
    "mislabelled": "canaries with a wrong label",
    "atypical": "canaries unlike any record",
    "worst": "the 5 % of ordinary records most at risk, chosen by other models than they are judged by",
}
INITIALS = ("gmi", "map", "csmia", "lira", "rmia")
ALL_ATTACKS = words_of_attacks() | {"nothing": "an attacker who knows nothing"}
SHORT = {
    "loss": "loss", "confidence": "confidence", "label_only": "labels only", "black_box": "black box",
    "white_box": "white box", "lira_unadapted": "LiRA, unadapted", "lira_fixed": "LiRA", "lira_levelled": "LiRA, "
    "levelled",
    "lira_labels": "LiRA of labels", "rmia": "RMIA", "lira_averaged": "LiRA, averaged", "lira_mean": "LiRA, mean code",
    "lira_weights": "LiRA of weights",
}  # fmt: skip


def attack_words(attack: str) -> str:
    return ALL_ATTACKS.get(attack, attack.replace("_", " "))


def short_words(attack: str) -> str:
    if attack in SHORT:
        return SHORT[attack]
    first, *rest = attack.split("_")
    return ", ".join([first.upper() if first in INITIALS else first, *([" ".join(rest)] if rest else [])])


def number_text(measure: str, value: float) -> str:
    """3.2 %, or 0.56."""
    if measure in ("epsilon", "delta", "mu"):
        return f"{value:.3g}"
    return f"{100 * value:.1f}\u00a0%" if MEANINGS[measure].share else f"{value:.2f}"


def interval_text(measure: str, found: Measured) -> str:
    """ "2.1 % to 4.3 %", or that one seed has none."""
    if found.low is None:
        return "one seed, no interval"
    low = max(0.0, found.low) if MEANINGS[measure].share and measure != "attack_over_imputation" else found.low
    return f"{number_text(measure, low)} to {number_text(measure, min(found.high, 1.0))}"


def with_interval(measure: str, found: Measured) -> str:
    return f"{number_text(measure, found.mean)} ({interval_text(measure, found)})"


def chance_text(grid: Grid, measure: str, classes: int = 0) -> str:
    """What guessing scores; "" where there is no such thing."""
    if measure in ("accuracy", "train_accuracy"):
        return f"{number_text(measure, 1 / classes)}, with {classes} classes" if classes else ""
    return number_text(measure, chance_of(grid, measure)) if MEANINGS[measure].attacker else ""


# ---- small words
def capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def several(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"

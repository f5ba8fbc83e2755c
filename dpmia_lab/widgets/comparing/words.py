"""What lesson 10 says: attacks and defences by short names, numbers with their intervals, a defence's card."""

import numpy as np

from dpmia_lab.experiments.comparing_answers import Bargain, Harm, attacks_against, leak_of
from dpmia_lab.experiments.comparing_grid import Grid, Measured, measured_over
from dpmia_lab.experiments.comparing_risk import promise_words
from dpmia_lab.experiments.comparing_sentences import (
    HARM_SHORT,
    MEASURES,
    WHO_WORDS,
    chance_words,
    front_words,
    harm_words,
    value_text,
    with_interval,
)
from dpmia_lab.widgets.comparing.data import kind_of
from dpmia_lab.widgets.kit.parts import number_html, number_row
from dpmia_lab.widgets.kit.tables import Html, table_html, with_small

FULL = {  # attacks, in menus and sentences
    "loss": "threshold on the loss",
    "confidence": "threshold on the confidence",
    "label_only": "labels alone",
    "black_box": "black box",
    "white_box": "white box",
    "lira_unadapted": "likelihood ratio, not adapted",
    "lira_fixed": "likelihood ratio",
    "lira_levelled": "likelihood ratio, levelled",
    "lira_labels": "likelihood ratio of labels",
    "rmia": "RMIA",
    "lira": "likelihood ratio",
    "original": "inversion, original",
    "enhanced": "inversion, enhanced",
    "stronger": "inversion, then a blur",
    "prior": "inversion with public pictures",
    "gmi": "GMI",
    "gmi_adapted": "GMI, adapted",
    "alignment": "alignment",
    "alignment_label": "alignment, label alone",
    "alignment_same": "alignment, same people",
    "map": "maximum a posteriori",
    "map_counts": "maximum a posteriori, counts",
    "map_answer": "maximum a posteriori, own answer",
    "csmia": "CSMIA",
    "calibrated": "calibrating attacker",
    "imputation_map": "imputation × model",
}
WAYS = {"averaged": "answers averaged", "mean": "through the mean code", "weights": "behind the mask"}
KINDS = {
    "none": "No defence",
    "promise": "It makes a promise",
    "empirical": "It promises nothing that rules anything out",
    "control": "A control, not a defence",
    "own": "Your own cell",
}
HARMS = HARM_SHORT


def attack_name(attack: str) -> str:
    """An attack may end in the way in which it goes round a defence."""
    base, _, way = attack.rpartition("_")
    if attack not in FULL and way in WAYS:
        return f"{attack_name(base)}, {WAYS[way]}"
    return FULL.get(attack, attack.replace("_", " "))


def cell_text(measure: str, found: Measured | None) -> Html | str:
    """A value above its interval."""
    if found is None or not np.isfinite(found.mean):
        return "–"
    told, _, interval = with_interval(measure, found).partition(" (")
    return with_small(told, interval.rstrip(")") or "one seed")


# ---- the front in words
def front_html(grid: Grid, harm: Harm, found: list[Bargain]) -> str:
    """Who is on it, over seeds, and how many of the others promise nothing."""
    if not found:
        return "<p class='dp-soft'>This attack was not tried on these data.</p>"
    sure = [one for one in found if one.seeds > 0.5]
    kinds = [kind_of(grid, one.column) for one in sure]
    by = "the attack that is worst for each" if not harm.attack else f"the attack “{attack_name(harm.attack)}”"
    told = "; ".join(
        f"{kinds.count(kind)} {words}"
        for kind, words in (("promise", "that make a promise"), ("empirical", "that promise nothing"),
                            ("control", "settings of the two controls"))
    )  # fmt: skip
    return (
        f"<p><b>{len(sure)} of {len(found)}</b> are on the front in most of the {len(grid.seeds)} seeds, by {by}: "
        f"{told}. Click a dot to open it. <span class='dp-soft'>{chance_words(grid, harm.measure)}.</span></p>"
    )


# ---- a defence's card
def card_html(grid: Grid, column: str, harm: Harm, found: list[Bargain]) -> str:
    one = next((one for one in found if one.column == column), None)
    head = f"<h3>{grid.columns[column].words}</h3><p class='dp-soft'>{KINDS[kind_of(grid, column)]}. "
    head += f"{front_words(one, len(grid.seeds)).capitalize()}.</p>" if one else "</p>"
    return head + card_numbers(grid, column, harm) + promise_html(grid, column) + attacks_html(grid, column, harm)


def card_numbers(grid: Grid, column: str, harm: Harm) -> str:
    plain = value_text("accuracy", measured_over(grid.accuracy("none")).mean) if "none" in grid.columns else "–"
    means = f"Without a defence {plain}. Higher is more useful."
    numbers = [
        measured_html("accuracy", measured_over(grid.accuracy(column)), "right on new records", means, "protected")
    ]
    for who in dict.fromkeys(("everybody", "canaries", harm.who)):
        leak = leak_of(grid, column, Harm(harm.measure, who))
        if leak is not None:
            means = f"By {attack_name(leak.attack)}, its worst attack. {chance_text(grid, harm.measure)}"
            title = f"{HARMS[harm.measure]}, {WHO_WORDS[who]}"
            numbers.append(measured_html(harm.measure, leak.measured, title, means, "exposed"))
    return number_row(*numbers)


def measured_html(measure: str, found: Measured, title: str, means: str, colour: str) -> str:
    """A figure, its interval among the words below it."""
    told, _, interval = with_interval(measure, found).partition(" (")
    return number_html(told, title, (f"95 %: {interval.rstrip(')')}. " if interval else "") + means, colour)


def chance_text(grid: Grid, measure: str) -> str:
    words = chance_words(grid, measure)
    return f"{words[0].upper()}{words[1:]}. Lower is safer."


def attacks_html(grid: Grid, column: str, harm: Harm) -> Html:
    """Every attack on this column that does this harm, among everybody and the worst cases."""
    rows = []
    for attack in dict.fromkeys(attack for who in WHO_WORDS for attack, _ in
                                attacks_against(grid, Harm(harm.measure, who))):  # fmt: skip
        leaks = [leak_of(grid, column, Harm(harm.measure, who, attack)) for who in WHO_WORDS]
        if any(leaks):
            cells = (cell_text(harm.measure, leak.measured if leak else None) for leak in leaks)
            rows.append((attack_name(attack), *cells))
    caption = f"{MEASURES[harm.measure]}: means over seeds, 95 % intervals below. {chance_text(grid, harm.measure)}"
    return table_html(("attack", *WHO_WORDS.values()), rows, caption, "dp-card-attacks")


def promise_html(grid: Grid, column: str) -> str:
    promised = promise_words(grid, column)
    if promised:
        return f"<p><b>Promised:</b> {promised}.</p>"
    return "<p><b>Promised:</b> nothing. What follows is what the attacks tried here did not break, no more.</p>"


def axis_words(harm: Harm) -> str:
    by = f", by {attack_name(harm.attack)}" if harm.attack else ", by the worst attack"
    return harm_words(harm) + by

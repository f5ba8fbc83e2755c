"""What the shipped reference of lesson 4 says: every attack on one model, and what paper C claims about its two."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpmia_lab.experiments import mechanisms, membership
from dpmia_lab.experiments.membership import Config
from dpmia_lab.game.attacks import MEMBERSHIP
from dpmia_lab.metrics.reconstruction import rank_correlation
from dpmia_lab.reference import shipped_or_nothing
from dpmia_lab.rows import Row, Rows
from dpmia_lab.widgets.kit.claims import NOT_CLAIMED, Claim, Verdict, clearly_higher, verdict
from dpmia_lab.widgets.kit.tables import Html, table_html, with_small, with_spread
from dpmia_lab.widgets.kit.tables import Row as TableRow
from dpmia_lab.widgets.kit.words import MODEL_WORDS
from dpmia_lab.widgets.membership.controls import SETS, kind_of
from dpmia_lab.widgets.membership.words import COLUMNS, attack_words, defence_words

SEEDS = 5  # of which the reference holds means and standard deviations
FORMS = {"auc": "{:.3f}", "tpr1": "{:.1%}", "tpr01": "{:.1%}"}
LEAST_LEAK = 0.53  # where no AUC is higher there is nothing to follow, and ranks are chance
GUESSING = Row("auc", 0.5, spread=0.0)
LATER = "<p class='dp-soft'>The reference has not been computed yet (<code>make reference</code>).</p>"


@dataclass(frozen=True)
class Reference:
    """One setting, over several seeds."""

    config: Config
    numbers: dict[str, float]
    rows: Rows  # against outsiders like the members

    def share(self, name: str) -> str:
        return f"{self.numbers[name]:.0%} ± {self.numbers[f'{name}_sd']:.0%}"


def references() -> list[Reference]:
    """Those that have been computed."""
    found = []
    for record in shipped_or_nothing("membership").values():
        config, numbers = Config(**record["config"]), record["results"]
        rows = membership.rows_of(numbers, config.defence).where(protocol="alike")
        found.append(Reference(config, numbers, rows))
    return found


def data_words(config: Config) -> str:
    classes = f", C = {config.classes}" if kind_of(config.data) == "bits" else ""
    return f"{SETS[config.data][0]}{classes}"


def measured(row: Row) -> str:
    return with_spread(row, FORMS[row.measure])


# ---- every attack
def results_html() -> str:
    """Every attack on the same model: mean and standard deviation over the seeds."""
    return "".join(reference_html(reference) for reference in references()) or LATER


def reference_html(reference: Reference) -> str:
    c, rows = reference.config, reference.rows
    lines = [
        (with_models(attack, c), *(value_html(rows.row(measure, attack=attack), rows) for measure in FORMS))
        for attack in rows.all("attack")
    ]
    columns = [COLUMNS[measure] for measure in FORMS]
    guessing = TableRow(("guessing", *(form(guess) for _, form, guess in columns)), "reference")
    heads = ("attack on the same model", *(with_small(title, "higher: worse leak") for title, _, _ in columns))
    caption = (
        f"On {data_words(c)}, n = {c.records:,}; {MODEL_WORDS[c.model]}, {c.epochs} epochs, {defence_words(c)}: right "
        f"on {reference.share('train_accuracy')} of training records, on {reference.share('test_accuracy')} of new "
        f"ones. Mean ± standard deviation over {SEEDS} seeds. Members and outsiders come from one distribution; a fair "
        f"coin decided who is a member."
    )
    return table_html(heads, [*lines, guessing], caption)


def with_models(attack: str, config: Config) -> str | Html:
    """The attack's words, and how many shadow models it had."""
    models = {"shadows": config.shadows, "both": config.inside}
    counts = [count for need, count in models.items() if need in MEMBERSHIP[attack].needs]
    return with_small(attack_words(attack), f"{counts[0]} shadow models") if counts else attack_words(attack)


def value_html(row: Row, rows: Rows) -> str | Html:
    """The highest of its column is bold."""
    return Html(f"<b>{measured(row)}</b>") if row is rows.best(row.measure) else measured(row)


# ---- paper C's claims
def on_each(check: Callable[[Rows], Verdict]) -> dict[str, Verdict]:
    return {data_words(reference.config): check(reference.rows) for reference in references()}


def surer(rows: Rows) -> Verdict:
    auc = rows.row("auc", attack="confidence")
    sentence = f"a threshold on the largest confidence alone has AUC {measured(auc)}, where 0.5 is guessing"
    return verdict(clearly_higher(auc, GUESSING, SEEDS), sentence)


def boxes(rows: Rows) -> Verdict:
    white, black = (rows.row("auc", attack=box) for box in ("white_box", "black_box"))
    caught = [measured(rows.row("tpr1", attack=box.attack)) for box in (white, black)]
    return verdict(
        clearly_higher(white, black, SEEDS),
        f"the white box has AUC {measured(white)}, the black box {measured(black)}, a difference of "
        f"{signed(white.value - black.value, 3)}; at 1 % false alarms they catch {' and '.join(caught)} of members",
    )


def gap() -> dict[str, Verdict]:
    """Over lesson 5's settings: this lesson's own reference is one setting, which has one gap."""
    found = {}
    for record in shipped_or_nothing("mechanisms").values():
        points = {name: np.array(values, dtype=float) for name, values in record["points"].items()}
        config = mechanisms.Config(**record["config"])
        found[data_words(config)] = gap_verdict(mechanisms.point_rows(points), config)
    return found


def gap_verdict(rows: Rows, config: Config) -> Verdict:
    defences = rows.all("defence")
    gaps = [rows.value("train_accuracy", defence=d) - rows.value("test_accuracy", defence=d) for d in defences]
    aucs = [rows.row("auc", defence=d, attack="black_box", protocol="alike") for d in defences]
    together = rank_correlation(np.array(gaps), np.array([auc.value for auc in aucs]))
    ends = [
        f"{measured(aucs[place])} at the {words} gap, {round(100 * gaps[place])} points"
        for words, place in (("widest", int(np.argmax(gaps))), ("narrowest", int(np.argmin(gaps))))
    ]
    chance = 2 / math.sqrt(len(defences) - 1)  # two standard errors of a rank correlation
    unclear = abs(together) <= chance or max(auc.value for auc in aucs) < LEAST_LEAK
    where = ", the gap being to another distribution" if config.data == "skewed_purchases" else ""
    return verdict(
        None if unclear else together > 0,
        f"over {len(defences)} settings, one without noise, the rank correlation of the gap with the black box's AUC "
        f"is {signed(together, 2)}{where}; the AUC is {', and '.join(ends)}",
    )


def worst_case(rows: Rows) -> Verdict:
    """What the paper did not measure."""
    plain, strongest = rows.where(attack="loss"), rows.best("tpr1")
    return Verdict(
        NOT_CLAIMED,
        f"where only 1 % of outsiders may be accused, the {attack_words('loss')} with its AUC of "
        f"{measured(plain.row('auc'))} catches {measured(plain.row('tpr1'))} of members, and guessing 1 %; the "
        f"{attack_words(strongest.attack)} catches {measured(strongest)}",
    )


def signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", "−")


CLAIMS = [
    Claim(
        "A model is surer of what it was trained on",
        "C",
        "a network gives its training records another, high confidence, and the black box lives on that (section 3.1)",
        partial(on_each, surer),
    ),
    Claim(
        "The white box beats the black box",
        "C",
        "on all data sets but the graphs, by about 0.03 to 0.05 (section 6)",
        partial(on_each, boxes),
    ),
    Claim(
        "The leak follows the gap",
        "C",
        "where the gap between training and test accuracy widens and closes again, so does the black box's AUC "
        "(section 5.4, faces)",
        gap,
    ),
    Claim(
        "An average hides the worst case",
        "C",
        "attacks are compared by their AUC, an average over everybody",
        partial(on_each, worst_case),
    ),
]

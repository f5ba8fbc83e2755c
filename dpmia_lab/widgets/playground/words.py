"""What the playground says. Each number says what it means, whose attack it is, what chance would give, what is good.
"""

import re
from html import escape, unescape
from pathlib import Path
from typing import Any

from dpmia_lab.experiments.playground import JUDGES, PLAYED
from dpmia_lab.metrics.tradeoffs import aop
from dpmia_lab.privacy.accounting import Guarantee
from dpmia_lab.privacy.local import LocalGuarantee
from dpmia_lab.rows import Row
from dpmia_lab.widgets.kit.glossary import term
from dpmia_lab.widgets.playground.controls import SETS, SYMBOLS, said
from dpmia_lab.widgets.playground.position import Position, by_judge

JUDGED_BY = [("similarity", "plain"), ("… after a blur", "blur"), ("a matched filter", "filter")]
LEAKS = [("AUC", "auc"), ("members caught at 1%", "tpr1"), ("people recognised", "recognised")]


def position_words(config: Any) -> str:
    """Such as "DP-SGD for a record, σ = 2, q = 0.5"."""
    played = PLAYED[config.defence]
    names = [slider.field for slider in played.sliders]
    if config.unit == "class" and "k_sub" in names:
        names.remove("k_sub")
    settings = [f"{SYMBOLS[name]} = {said(getattr(config, name))}" for name in names]
    return ", ".join([played.title, *settings])


def promise_html(config: Any, promised: Guarantee | LocalGuarantee | None) -> str:
    """What the defence does, and what it promises, if anything."""
    played = PLAYED[config.defence]
    if promised is not None:
        says = f"<b>Promised:</b> {escape(promised.words())}."
    elif config.defence == "none":
        says = "Nothing is promised."
    elif played.promises:
        says = ""
    else:
        says = "<b>Nothing is promised:</b> all there is to say is which attacks failed."
    return f"<p>{escape(played.note)} {says}</p>"


def link_html(query: str) -> str:
    """The address follows it; ``query`` is "" where a link cannot carry the data."""
    if not query:
        return '<button class="dp-act" disabled title="A link cannot carry your own file.">Copy link</button>'
    link = escape(query)
    return f'<button class="dp-act" data-lab-link="{link}" data-lab-copy="{link}">Copy link</button>'


def frame_html(position: Position, place: int, count: int) -> str:
    return f"<p><b>{place + 1} of {count}</b>, the last minute: {escape(position.words)}</p>"


# ---- numbers
def percent(share: float) -> str:
    """One digit after the point where it matters."""
    return f"{share:.1%}" if share < 0.0995 else f"{share:.0%}"


def fact_html(value: str, interval: str, words: str, exposed: bool = False) -> str:
    colour = ' class="exposed"' if exposed else ""
    ends = f"<i>({interval})</i> " if interval else ""
    return f'<div class="dp-play-fact"><b{colour}>{value}</b> {ends}{words}</div>'


def share_ends(row: Row) -> str:
    low, high = (f"{100 * end:.0f}" if end >= 0.0995 else f"{100 * end:.1f}" for end in (row.low, row.high))
    return f"{low}–{high}%"


def number_ends(row: Row) -> str:
    return f"{row.low:.2f}–{row.high:.2f}"


def kind_of(position: Position) -> tuple[str, str]:
    """What is drawn, one and several."""
    return ("person", "people") if position.pictures.ndim == 3 else ("style", "styles")


def drawn_html(position: Position, judge: str) -> str:
    """Whom the judge recognises in the drawings, and whom others do."""
    numbers, (_, many) = position.numbers, kind_of(position)
    judge = judge if by_judge(judge) in numbers else "filter"
    row = numbers[by_judge(judge)]
    others = [other for other in JUDGES if other != judge and by_judge(other) in numbers]
    said = " and ".join(f"{percent(numbers[by_judge(other)].value)} by {JUDGES[other]}" for other in others)
    words = (
        f"of {many} recognised by a {term('judge')} with other records of them: {JUDGES[judge]}. "
        f"Chance {percent(1 / position.people)}; low is safe.{f' It is {said}.' if said else ''}"
    )
    return facts(fact_html(percent(row.value), share_ends(row), words, row.low > 2 / position.people))


def caught_html(position: Position) -> str:
    tpr1, auc = position.numbers["tpr1"], position.numbers["auc"]
    attack = f"{term('likelihood-ratio', 'likelihood ratios')} ({position.config.shadows - 1} "
    attack += f"{term('shadow-model', 'shadow models')})"
    caught = f"of members caught at 1% false alarms, by {attack}. Chance 1%; low is safe."
    over = f"{term('auc')}: the same attack over all thresholds. Chance 0.5; low is safe."
    return facts(
        fact_html(percent(tpr1.value), share_ends(tpr1), caught, tpr1.low > 0.01),
        fact_html(f"{auc.value:.2f}", number_ends(auc), over, auc.low > 0.5),
        shape="two",
    )


def bargain_html(position: Position, lam: float) -> str:
    accuracy, auc, phi = (position.numbers.get(name) for name in ("accuracy", "auc", "phi"))
    things = "pictures" if position.pictures.ndim == 3 else "records"
    right = f"of new {things} named right. Chance {percent(1 / position.people)}; high is good."
    silent = position.config.defence == "none" or phi is None
    return facts(
        fact_html(percent(accuracy.value), share_ends(accuracy), right),
        fact_html("–" if silent else f"{phi.value:.1f}", "", f"{term('phi', 'φ')}: leak removed over accuracy lost. "
                  "Above 1 it pays."),
        fact_html(f"{aop(accuracy.value, auc.value, lam):.2f}", "", f"{term('aop', 'AOP')}, λ = {lam:g}: accuracy less "
                  "what leaks. High is good."),
        shape="three",
    )  # fmt: skip


def facts(*numbers: str, shape: str = "one") -> str:
    return f'<div class="dp-play-facts dp-play-{shape}">{"".join(numbers)}</div>'


# ---- a picture to keep
def title(position: Position) -> str:
    config = position.config
    data = SETS.get(config.data, Path(config.data).name)
    return f"{position.words}; {data}, seed {config.seed}, {config.shadows} models"


def lines(position: Position, judge: str, lam: float) -> list[str]:
    """Every number with its words, without markup."""
    said = drawn_html(position, judge), caught_html(position), bargain_html(position, lam)
    return [unescape(re.sub("<[^>]*>", "", fact)) for block in said for fact in block.split("</div>") if "<b" in fact]


def keep_html(name: str) -> str:
    return f'<a class="dp-act" download="dpmia_lab_playground.png" data-lab-chart="{name}" href="#">Save picture</a>'


# ---- for those who cannot see it
def mosaic_words(position: Position) -> str:
    one, many = kind_of(position)
    seen = ""
    if position.whole:
        seen = f" A judge recognises {percent(position.numbers['recognised'].value)} of the {many}."
    return (
        f"{position.people} pairs, one a {one}: the truth on the left, what an attacker drew from the model on the "
        f"right. {position.words}.{seen}"
    )


def aloud(position: Position) -> str:
    """Said politely when the numbers of a position are there."""
    numbers = position.numbers
    return escape(
        f"{position.words}: {percent(numbers['recognised'].value)} of {kind_of(position)[1]} recognised, "
        f"{percent(numbers['tpr1'].value)} of members caught at 1% false alarms, AUC {numbers['auc'].value:.2f}, "
        f"{percent(numbers['accuracy'].value)} right."
    )

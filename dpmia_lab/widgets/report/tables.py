"""The report's tables: every head says what its numbers mean, every gap why there is none."""

from collections.abc import Collection
from html import escape

import numpy as np

from dpmia_lab.experiments.comparing_answers import Bargain, Harm, bargains, chance_of, leak_of
from dpmia_lab.experiments.comparing_grid import Grid, measured_over
from dpmia_lab.experiments.comparing_risk import column_risk, epsilon_words, promises
from dpmia_lab.options import text_of
from dpmia_lab.privacy.risk import bound_text
from dpmia_lab.widgets.kit.tables import Cell, Html, Row, table_html, with_small
from dpmia_lab.widgets.report.about import About, AtRisk
from dpmia_lab.widgets.report.findings import question_of
from dpmia_lab.widgets.report.meanings import (
    MEANINGS,
    attack_words,
    capital,
    chance_text,
    interval_text,
    number_text,
    short_words,
)
from dpmia_lab.widgets.report.promises import most_caught

NOT_TRIED = "not tried"
ACCEPTED, NEEDED = (0.02, 0.05, 0.10, 0.20), (0.98, 0.95, 0.90)  # needed: of the undefended model's accuracy


def value_cell(measure: str, found, chance: float | None = None) -> Cell:
    """The mean above its interval; the darker, the farther above chance."""
    value = number_text(measure, found.mean)
    content = value if found.low is None else with_small(value, interval_text(measure, found))
    return Cell(content, "" if chance is None else shade(found.mean, chance))


def shade(value: float, chance: float) -> str:
    """The share of the way from guessing to certainty, in a few steps: small leaks must show too."""
    share = (value - chance) / max(1e-9, 1 - chance)
    return f"heat{int(np.digitize(share, (0.01, 0.05, 0.15, 0.4)))}"


def head(measure: str, grid: Grid, whose: str = "") -> Html:
    meaning, chance = MEANINGS[measure], chance_text(grid, measure)
    about = f"{meaning.good.split(':')[0]}{f'; guessing: {chance}' if chance else ''}{f'; {whose}' if whose else ''}"
    return with_small(meaning.name, about)


# ---- defences
def defences_table(grid: Grid, harm: Harm, own_cells: Collection[str] = ()) -> str:
    known = {one.column: one for one in bargains(grid, harm)}
    risky = any(leak_of(grid, name, Harm(harm.measure, "at risk")) for name in grid.columns)
    heads = ["Defence", head("accuracy", grid), head(harm.measure, grid, "the attack worst for it"), "By which attack"]
    heads += [with_small("Of those most at risk", "low is good; guessing: 1.0\u00a0%")] if risky else []
    rows = []
    for name, column in grid.columns.items():
        own = " (yours)" if name in own_cells else ""
        cells: list = [column.words + own, accuracy_cell(grid, name), *leak_cells(grid, harm, known.get(name))]
        cells += [worst_cell(grid, name, harm.measure)] if risky else []
        cells += [promise_cell(grid, name), front_text(known.get(name), len(grid.seeds))]
        rows.append(Row(cells, "reference" if column.family == "none" else ""))
    what = "Every defence at every strength: what it costs, what still leaks, what is promised."
    return table_html([*heads, "Promised", "On the front"], rows, f"{what} {intervals_words(grid)}")


def accuracy_cell(grid: Grid, column: str) -> Cell | str:
    found = measured_over(grid.accuracy(column))
    return value_cell("accuracy", found) if np.isfinite(found.mean) else NOT_TRIED


def leak_cells(grid: Grid, harm: Harm, one: Bargain | None) -> list[Cell | str]:
    """By the attack that is worst, and which it is."""
    if one is None:
        return [NOT_TRIED, ""]
    chance = chance_of(grid, harm.measure)
    return [value_cell(harm.measure, one.leak.measured, chance), short_words(one.leak.attack)]


def intervals_words(grid: Grid) -> str:
    seeds = len(grid.seeds)
    return f"In small print: 95 % intervals over {seeds} seeds." if seeds > 1 else "One seed: there are no intervals."


def worst_cell(grid: Grid, column: str, measure: str) -> Cell | str:
    leak = leak_of(grid, column, Harm(measure, "at risk"))
    return NOT_TRIED if leak is None else value_cell(measure, leak.measured, chance_of(grid, measure))


def promise_cell(grid: Grid, column: str) -> Html | str:
    if column not in grid.promises:
        return "nothing"
    if not promises(grid, column):
        return with_small(epsilon_words(grid.promises[column]), "which rules nothing out")
    worth = f"no attack catches more than {most_caught(grid, column)} at 1\u00a0% false alarms"
    return with_small(epsilon_words(grid.promises[column]), worth)


def front_text(one: Bargain | None, seeds: int) -> str:
    if one is None:
        return ""
    how = f", in {one.seeds:.0%} of seeds" if np.isfinite(one.seeds) and seeds > 1 else ""
    return f"{'yes' if one.front else 'no'}{how}"


# ---- defences against attacks
def attack_tables(grid: Grid, about: About, measure: str, protocol_of: dict[str, tuple[str, ...]]) -> str:
    return "".join(attack_table(grid, about, measure, title, protocols) for title, protocols in protocol_of.items())


def attack_table(grid: Grid, about: About, measure: str, title: str, protocols: tuple[str, ...]) -> str:
    """Defences down, attacks across."""
    attacks = [one for one in grid.attacks(measure) if one[1] in protocols and one[0] != "nothing"]
    if not attacks:
        return ""
    chance = chance_of(grid, measure)
    heads: list = [with_small("Defence", f"{title}; guessing: {number_text(measure, chance)}")]
    heads += [with_small(short_words(attack), "some models only") if protocol == "alike" else short_words(attack)
              for attack, protocol in attacks]  # fmt: skip
    rows = []
    for name, column in grid.columns.items():
        cells: list = [column.words]
        for attack, protocol in attacks:
            if grid.has(name, measure, attack, protocol):
                cells.append(value_cell(measure, grid.measured(name, measure, attack, protocol), chance))
            else:
                cells.append(Cell(why_not(about, name, attack), "gap"))
        rows.append(cells)
    meaning = MEANINGS[measure]
    caption = f"{capital(meaning.name)}: {meaning.means} ({meaning.good}). {capital(title)}. {intervals_words(grid)}"
    return table_html(heads, rows, caption, "matrix")


def why_not(about: About, column: str, attack: str) -> str:
    reason = about.reasons.get(f"{column}|{attack}") or about.reasons.get(f"*|{attack}") or ""
    return f"{NOT_TRIED}: {reason}" if reason else NOT_TRIED


# ---- what can be used
def question_table(grid: Grid, about: About) -> str:
    from dpmia_lab.experiments.comparing_answers import answer_to

    usual = measured_over(grid.accuracy("none")).mean
    question = question_of(grid, about)
    measure = question.limits[0].harm.measure
    heads = [f"I accept at most … {MEANINGS[measure].name}"]
    heads += [f"and need {number_text('accuracy', share * usual)} right" for share in NEEDED]
    rows = []
    for accept in ACCEPTED:
        cells: list = [number_text(measure, accept)]
        for share in NEEDED:
            answer = answer_to(grid, question_of(grid, about, accept, share * usual))
            cells.append(short_answer(grid, answer))
        rows.append(cells)
    caption = (
        "The most accurate setting whose whole intervals keep to both, by the worst attack of all. The needed "
        "shares are "
        f"{', '.join(f'{share:.0%}' for share in NEEDED)} of what the undefended model reaches."
    )
    return table_html(heads, rows, caption)


def short_answer(grid: Grid, answer) -> Html | str:
    if answer.kept:
        first = answer.kept[0]
        promised = "promises something" if promises(grid, first.column) else "promises nothing"
        return with_small(
            grid.columns[first.column].words, f"right {number_text('accuracy', first.accuracy.mean)}; {promised}"
        )
    return "nothing here" if answer.closest is not None else "cannot be said from one seed"


# ---- promises
def promises_table(grid: Grid, columns: list[str], harm: Harm) -> str:
    heads: list = [
        "Defence",
        "Promised",
        with_small("Caught, at most", "of members, at 1\u00a0% false alarms; guessing: 1.0\u00a0%"),
        with_small("Guessed right, at most", "in or out, at even odds; guessing: 50\u00a0%"),
        with_small("A secret guessed, at most", "one that is guessed right in 50\u00a0% of cases without the unit"),
        with_small("Caught, measured", "by the attack worst for it"),
    ]
    rows = []
    for name in columns:
        risk, leak = column_risk(grid, name), leak_of(grid, name, harm)
        bounds = [bound_text(value) for value in (risk.most_caught, risk.most_right, risk.most_success(0.5))]
        measured = value_cell(harm.measure, leak.measured) if leak else NOT_TRIED
        rows.append([grid.columns[name].words, epsilon_words(grid.promises[name]), *bounds, measured])
    return table_html(
        heads, rows, "What is proved of one unit, whoever attacks and whatever else is known. Low is good everywhere."
    )


# ---- records at risk
def risk_table(about: About, grid: Grid) -> str:
    columns = list(about.at_risk[0].caught)
    heads: list = [with_small("Row in your file", "counted from 0"), "Label"]
    for name in columns:
        heads += [with_small(grid.columns[name].words, "caught in … of the models trained on it; low is good")]
        heads += [with_small("False alarms", "in … of the models not trained on it")]
    rows = [[", ".join(map(str, one.rows)), one.label, *(cell for name in columns for cell in risk_cells(one, name))]
            for one in about.at_risk]  # fmt: skip
    chance = "fewer than 0.01" if about.by_chance < 0.01 else f"about {about.by_chance:.2g}"
    caption = (
        f"The {len(about.at_risk)} records most at risk, of {about.judged:,}: in how many of the models that were "
        "trained on "
        "the record an attacker was sure of it, at 1 % false alarms. By guessing it would be 1 in 100; of all "
        f"{about.judged:,} records "
        f"guessing would catch {chance} as often as the last of these."
    )
    return table_html(heads, rows, caption)


def risk_cells(one: AtRisk, column: str) -> list:
    if column not in one.caught:
        return [NOT_TRIED, ""]
    hits, models, alarms, others = one.caught[column]
    return [Cell(f"{hits} of {models}", shade(hits / max(1, models), 0.01)), f"{alarms} of {others}"]


# ---- what numbers mean, and circumstances
def meanings_table(grid: Grid, classes: int) -> str:
    used = [measure for measure in MEANINGS if measure in {key[1] for key in grid.values}]
    heads = ["Number", "What it means", "Is high good?", "Guessing scores", "Whose attack", "Interval"]
    rows = []
    for measure in used:
        meaning = MEANINGS[measure]
        attacks = sum(attack != "nothing" for attack, _ in grid.attacks(measure))
        whose = (
            "every attack that fits; tables name it"
            if meaning.attacker and attacks
            else "nobody's: it is measured directly"
        )
        whose = "nobody's: it is proved" if measure in ("epsilon", "delta", "mu") else whose
        seeds = len(grid.seeds)
        how = f"95 %, Student's t over {seeds} seeds" if seeds > 1 else "none: one seed"
        how = "none: it does not depend on a seed" if measure in ("epsilon", "delta", "mu") else how
        rows.append(
            [
                meaning.name,
                meaning.means,
                meaning.good,
                chance_text(grid, measure, classes) or "does not apply",
                whose,
                how,
            ]
        )
    return table_html(heads, rows, "What every number of this report means.")


def attackers_table(grid: Grid) -> str:
    found = dict.fromkeys(attack for measure in MEANINGS for attack, _ in grid.attacks(measure) if attack)
    rows = [[short_words(attack), attack_words(attack)] for attack in found]
    return table_html(["Attack", "What it does"], rows, "The attackers, as tables name them.")


def settings_table(about: About) -> str:
    told = [
        [name, text_of(value), about.explained.get(name, "")] for name, value in about.settings.items() if value != ""
    ]
    return table_html(["Setting", "Value", "What it is"], told, "All settings that cells share.", "pairs")


def pairs_table(pairs: dict[str, str], caption: str) -> str:
    return table_html(["What", "Value"], [[name, value] for name, value in pairs.items()], caption, "pairs")


def listed(items: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{escape(one)}</li>" for one in items) + "</ul>"

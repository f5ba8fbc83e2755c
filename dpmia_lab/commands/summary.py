"""A result for people: a short table, below the sentences that say what was done and what came out (sentences.py)."""

from dataclasses import dataclass
from typing import Any

from dpmia_lab.commands.measures import all_described, measure_of, with_ends
from dpmia_lab.commands.sentences import BOTH, DRAWN
from dpmia_lab.experiments import (
    EXPERIMENTS,
    as_published,
    attribute_curves,
    attributes,
    comparing,
    confidence_curves,
    confidences,
    evaluation,
    fooling,
    fooling_table,
    hiding,
    inversion_comparison,
    mechanisms,
    playground,
    privacy_sweep,
)
from dpmia_lab.experiments.comparing_fits import attack_words
from dpmia_lab.game.drawing import BASELINES, PRIOR_NULLS
from dpmia_lab.options import changed_from
from dpmia_lab.rows import Rows
from dpmia_lab.store import Result

PEOPLE = {"test": "test people", "train": "training people"}
PICTURED = {
    "test": "test pictures",
    "train": "training pictures",
    "renamed": "test pictures under another's name",
    "matched": f"at an accuracy {confidence_curves.MATCHED:.0%} below the undefended network's",
}
WORDS = {  # what an experiment calls its defences, attacks and protocols
    "inversion": DRAWN,
    "inversion_comparison": BASELINES | inversion_comparison.CONTENDERS,
    "hiding": hiding.MODELS | {"paper": "enhanced attack", "stronger": "stronger attack"} | BASELINES | PRIOR_NULLS,
    "as_published": BASELINES | as_published.ATTACKERS,
    "privacy_sweep": {"paper": "enhanced attack", "stronger": "stronger attack"},
    "membership": DRAWN | {"alike": "records of one distribution", "shifted": "outsiders of another distribution"},
    "mechanisms": DRAWN | {"alike": "records of one distribution", "shifted": "outsiders of another distribution"},
    "evaluation": evaluation.GROUPS | evaluation.DRAWINGS | evaluation.JUDGES,
    "attributes": attributes.ATTACKS | PEOPLE,
    "attribute_curves": attributes.ATTACKS | PEOPLE,
    "confidences": confidences.WORDS | PICTURED,
    "confidence_curves": confidences.WORDS | PICTURED,
    "comparing": attack_words() | comparing.PROTOCOLS | {"nothing": "pictures or guesses that owe nothing to it"},
    "fooling": fooling.ATTACKS | fooling.PROTOCOLS,
    "playground": playground.WORDS,
    "fooling_table": fooling.ATTACKS
    | fooling.PROTOCOLS
    | {name: column.words for name, column in fooling_table.COLUMNS.items()},
}


@dataclass(frozen=True)
class Column:
    """Of a measure, and where its line does not say it by which attack or judge."""

    measure: str
    attack: str = ""
    protocol: str = ""


@dataclass(frozen=True)
class Shown:
    """Which rows a short table shows: a line each ``lines``, in groups each ``groups`` (parts of a row)."""

    lines: str
    columns: tuple[Column, ...]
    groups: str = ""


PICTURES = tuple(map(Column, ("recognised_share", "recognised_ssim_share", "similarity_mean", "distance_mean")))
TABLES = {
    "inversion": Shown("attack", PICTURES),
    "inversion_comparison": Shown("attack", PICTURES),
    "hiding": Shown(
        "defence",
        (
            *map(Column, ("accuracy", "sigma", "epsilon_tight", "noise")),
            *(Column(measure, attack) for measure in ("recognised_mean", "similarity_mean") for attack in BOTH),
        ),
    ),
    "as_published": Shown("attack", tuple(map(Column, ("recognised_share", "correlation_mean", "distance_mean")))),
    "privacy_sweep": Shown(
        "defence", (*map(Column, ("accuracy", "epsilon_tight")), *(Column("similarity", attack) for attack in BOTH))
    ),
    "membership": Shown("attack", tuple(map(Column, ("auc", "tpr1", "epsilon_bound"))), "protocol"),
    "mechanisms": Shown(
        "defence",
        (
            *map(Column, ("epsilon", "test_accuracy")),
            *(Column(measure, attack, "alike") for measure in ("auc", "phi") for attack in mechanisms.ATTACKS),
        ),
    ),
    "evaluation": Shown(
        "defence",
        (
            Column("test_accuracy"),
            *(Column("impact_mean", "published", judge) for judge in ("matched", "judge", "ssim")),
            *(Column("impact_mean", attack, "judge") for attack in ("smoothed", "prior")),
        ),
    ),
    "attributes": Shown("attack", tuple(map(Column, attributes.MEASURES)), "protocol"),
    "attribute_curves": Shown(
        "defence",
        (
            *map(Column, ("test_error", "test_accuracy")),
            *(Column("attack_accuracy", attack, "test") for attack in ("map", "calibrated", "imputation_outcome")),
        ),
    ),
    "confidences": Shown(
        "attack", tuple(Column(measure, protocol="test") for measure in (*confidences.MEASURES, "label_named"))
    ),
    "confidence_curves": Shown(
        "defence",
        (
            *(Column(measure, protocol="test") for measure in ("test_accuracy", "ece")),
            *(Column("recognised", attack, "test") for attack in ("alignment", "alignment_mean", "gmi", "gmi_adapted")),
        ),
    ),
    "comparing": Shown(
        "attack",
        (
            Column("auc", protocol="turns"),
            *(Column("tpr1", protocol=protocol) for protocol in ("turns", "worst")),
            *(Column(measure, protocol="test") for measure in ("recognised", "recognised_answers")),
            Column("attack_accuracy", protocol="train"),
        ),
    ),
    "fooling": Shown(
        "attack",
        (
            *(Column("auc", protocol=protocol) for protocol in ("alike", "turns")),
            *(Column("tpr1", protocol=protocol) for protocol in ("turns", "atypical")),
        ),
    ),
    "playground": Shown(
        "defence",
        (
            *map(Column, ("accuracy", "auc", "tpr1")),
            *(Column("recognised", protocol=judge) for judge in playground.JUDGES),
        ),
    ),
    "fooling_table": Shown(
        "defence",
        (
            Column("accuracy"),
            Column("auc", "own_d", "alike"),
            Column("auc", "lira_stopped", "turns"),
            Column("tpr1", "lira_stopped", "turns"),
            Column("matched_gain"),
        ),
    ),
}


def points_of(name: str, result: Result) -> Rows:
    """The rows of a sweep's points, where only its arrays hold them."""
    return privacy_sweep.point_rows(result.arrays) if EXPERIMENTS[name] is privacy_sweep else Rows()


def all_numbers(name: str, config: Any, result: Result) -> list[dict[str, Any]]:
    """Every number of a result with its full name and unit, for a file."""
    return all_described(name, config, result, points_of(name, result), WORDS.get(name, {}))


def table_text(name: str, result: Result) -> str:
    """A line a subject, grouped; all numbers where none belongs to an attack or a defence."""
    rows = points_of(name, result) or result.rows
    if name not in TABLES:
        return numbers_text(result.numbers)
    shown, words = TABLES[name], WORDS[name]
    tables = []
    for group in rows.all(shown.groups) if shown.groups else [""]:
        own = rows.where(**{shown.groups: group}) if shown.groups else rows
        columns = [column for column in shown.columns if cells_of(own, column)]
        if not columns:  # rows that belong to no group
            continue
        lines = [
            [line_words(name, line, words), *(cell(own.where(**{shown.lines: line}), column) for column in columns)]
            for line in own.all(shown.lines)
        ]
        heads = [words.get(group, group), *(head_of(column, columns, words) for column in columns)]
        tables.append(aligned([heads, *(line for line in lines if any(line[1:]))]))
    return "\n\n".join(tables)


def headline_names(name: str, rows: Rows) -> set[str]:
    """The plain names of what the table shows, but for pictures that owe nothing to an attack."""
    if name not in TABLES:
        return set()
    own = Rows(tuple(row for row in rows if row.attack not in BASELINES | PRIOR_NULLS), rows.names)
    return {rows.names.of(row) for column in TABLES[name].columns for row in cells_of(own, column)}


def line_words(name: str, line: str, words: dict[str, str]) -> str:
    if EXPERIMENTS[name] in (attribute_curves, confidence_curves):
        return line.replace("_", " ")
    return mechanisms.setting_words(line) if EXPERIMENTS[name] is mechanisms else words.get(line, line)


def head_of(column: Column, columns: list[Column], words: dict[str, str]) -> str:
    """With the attack, and the protocol or judge, where several columns have the same measure."""
    alike = [other for other in columns if other.measure == column.measure]
    told = [measure_of(column.measure).head]
    told += [words.get(column.attack, column.attack).split(" (")[0]] if len({a.attack for a in alike}) > 1 else []
    told += [words.get(column.protocol, column.protocol)] if len({a.protocol for a in alike}) > 1 else []
    return ", ".join(told)


def cells_of(rows: Rows, column: Column) -> Rows:
    of = {"attack": column.attack, "protocol": column.protocol}
    return rows.where(measure=column.measure, **{part: value for part, value in of.items() if value})


def cell(rows: Rows, column: Column) -> str:
    found = cells_of(rows, column).rows
    return with_ends(found[0]) if found else ""


def numbers_text(numbers: dict[str, float]) -> str:
    return aligned([[measure_of(name).words, measure_of(name).form(value)] for name, value in numbers.items()])


def aligned(lines: list[list[str]]) -> str:
    """Columns under one another, the first to the left, the others to the right; heads broken at commas."""
    head = [text.split(", ") for text in lines[0]]
    deep = max(map(len, head))
    heads = [[piece[i - deep + len(piece)] if i >= deep - len(piece) else "" for piece in head] for i in range(deep)]
    grid = [*heads, *lines[1:]]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    padded = [
        f"  {line[0]:<{widths[0]}}  " + "  ".join(f"{text:>{w}}" for text, w in zip(line[1:], widths[1:], strict=True))
        for line in grid
    ]
    return "\n".join(text.rstrip() for text in padded)


def settings_words(name: str, config: Any) -> str:
    """What differs from the usual settings, so that a printed result says what it is of."""
    changed = changed_from(config, EXPERIMENTS[name].Config())
    told = ", ".join(f"{option} {value}" for option, value in changed.items())
    return f"{told}; all others as usual" if told else "all as usual"

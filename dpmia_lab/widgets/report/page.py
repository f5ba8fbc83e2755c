"""The report: one file that can be read anywhere, by somebody who was not there, without a network."""

import json
import re
from collections.abc import Collection, Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any

from dpmia_lab import __version__
from dpmia_lab.experiments.comparing_answers import Harm, harms_of, leak_of
from dpmia_lab.experiments.comparing_grid import Grid, from_json, to_json
from dpmia_lab.options import text_of
from dpmia_lab.widgets.kit.glossary import TERMS
from dpmia_lab.widgets.report import charts, tables
from dpmia_lab.widgets.report.about import About, about_dict, about_from
from dpmia_lab.widgets.report.findings import (
    answered,
    capital,
    findings,
    leak_words,
    main_harm,
    question_of,
    question_words,
    standing,
    words_of,
)
from dpmia_lab.widgets.report.meanings import MEANINGS, WHOM
from dpmia_lab.widgets.report.promises import promise_words, risk_of_promise

FORM = 1  # of the JSON
EVERYBODY = ("turns", "alike", "")
GROUPS = {
    "everybody, ordinary records": EVERYBODY,
    "canaries with a wrong label": ("mislabelled",),
    "canaries unlike any record": ("atypical",),
    "the 5 % of ordinary records most at risk": ("worst",),
}


def report_html(grid: Grid, own_cells: Collection[str] = (), about: About | None = None) -> str:
    """The whole file. ``own_cells``: columns that are the reader's own, of one seed."""
    about = about or About(source=grid.data)
    title = f"What a model trained on {about.source or grid.data} tells about its records"
    sections = [
        ("summary", "Summary", summary(grid, about)),
        ("use", "What can I use?", use(grid, about)),
        ("defences", "What each defence costs, and what still leaks", defences(grid, about, own_cells)),
        ("promises", "Promised, or merely not yet broken", promises(grid)),
        ("risk", "Records at risk", at_risk(grid, about)),
        ("attacks", "Every defence against every attack", attacks(grid, about)),
        ("numbers", "What the numbers mean", numbers(grid, about)),
        ("gaps", "What was not tried", gaps(grid, about)),
        ("settings", "Settings and circumstances", settings(grid, about)),
        ("again", "Run it again", again(about)),
    ]
    body = "".join(f'<section id="{key}"><h2>{escape(name)}</h2>{content}</section>' for key, name, content in sections if content)
    words = glossary(body)
    links = [(key, name) for key, name, content in sections if content] + [("glossary", "Glossary")]
    return PAGE.format(
        title=escape(title),
        style=Path(__file__).with_name("report.css").read_text(encoding="utf-8"),
        facts=escape(facts(grid, about)),
        links="".join(f'<li><a href="#{key}">{escape(name)}</a></li>' for key, name in links),
        body=body,
        glossary=words,
        version=escape(about.versions.get("dpmia_lab", __version__)),
    )


PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>{title}</title><style>{style}</style></head>
<body><header><p class="kicker">A report by dpmia_lab</p><h1>{title}</h1><p class="facts">{facts}</p></header>
<nav aria-label="Contents"><ol>{links}</ol></nav>
<main>{body}<section id="glossary"><h2>Glossary</h2>{glossary}</section></main>
<footer>Made by dpmia_lab {version}. The file needs no network and holds no record of the data; it tells row numbers and labels.</footer>
</body></html>
"""


def facts(grid: Grid, about: About) -> str:
    """One line below the title."""
    parts = [f"{about.records:,} {about.kind if about.kind != 'bits' else 'records of bits'}"] if about.records else []
    parts += [f"{about.classes} classes"] if about.classes else []
    parts += [about.model] if about.model else []
    parts += [f"{len(grid.columns)} settings of {len(grid.families())} defences", f"seeds {', '.join(map(str, grid.seeds))}"]
    return " · ".join([*parts, *([about.date] if about.date else [])])


# ---- sections
def paragraph(*sentences: str) -> str:
    return f"<p>{escape(' '.join(sentences))}</p>"


def summary(grid: Grid, about: About) -> str:
    harm = main_harm(grid)
    if harm is None:
        return paragraph("Nothing was measured.")
    told = findings(grid)
    made = "".join(f"<li><strong>{escape(one.title)}</strong> {escape(one.sentence)}</li>" for one in told)
    return tested(grid, about) + f'<ol class="findings">{made}</ol>' + promised_summary(grid, harm)


def tested(grid: Grid, about: About) -> str:
    count = sum(len({attack for attack, _ in grid.attacks(measure)} - {"", "nothing"}) > 0 for measure in MEANINGS)
    attackers = {attack for measure in MEANINGS for attack, _ in grid.attacks(measure)} - {"", "nothing"}
    each = f"{about.models} models a setting, each trained on {about.trained_on:,} records, a random half of twice as many; " if about.models else ""
    return paragraph(
        f"{capital(about.model) or 'A model'} was trained on {about.source or grid.data} without a defence and with "
        f"{len(grid.families()) - 1} defences at {len(grid.columns) - 1} strengths, and attacked by {len(attackers)} attacks that fit "
        f"these data, with the same records, splits and effort for all ({each}{len(grid.seeds)} seed{'s' * (len(grid.seeds) > 1)})."
        ,
        "Of every setting the attack that is worst for it counts." if count else "",
    )


def promised_summary(grid: Grid, harm: Harm) -> str:
    found = standing(grid, harm)
    boxes = [
        ("protected", "Promised", f"{len(found['promised'])} settings keep to a bound that is proved, whoever attacks, today or later."),
        ("reference", "Merely not yet broken", f"{len(found['not yet broken'])} settings without a promise: no attack tried here did "
         "better than guessing. A better attack may."),
        ("exposed", "Broken", f"{len(found['broken'])} settings without a promise: some attack did better than guessing."),
    ]  # fmt: skip
    if found["open"]:
        boxes.append(("reference", "Open", f"{len(found['open'])} settings without a promise: one seed does not say."))
    return '<div class="boxes">' + "".join(
        f'<div class="box {kind}"><h3>{escape(title)}</h3><p>{escape(words)}</p></div>' for kind, title, words in boxes
    ) + "</div>"


def use(grid: Grid, about: About) -> str:
    question = question_of(grid, about)
    if question is None:
        return ""
    return (
        f'<blockquote>{escape(question_words(question))}</blockquote><p class="answer">{escape(answered(grid, question))}</p>'
        + (tables.question_table(grid, about) if len(grid.seeds) > 1 else "")
    )


def defences(grid: Grid, about: About, own_cells: Collection[str]) -> str:
    harm = main_harm(grid)
    if harm is None:
        return ""
    made = charts.front_html(grid, harm, question_of(grid, about), own_cells) + tables.defences_table(grid, harm, own_cells)
    for other in harms_of(grid):
        if other.who == "everybody" and other.measure in ("recognised", "attack_over_imputation") and other != harm:
            made += f"<h3>{escape(MEANINGS[other.measure].name.capitalize())}</h3>" + tables.defences_table(grid, other, own_cells)
    return made


def promises(grid: Grid) -> str:
    harm = main_harm(grid)
    if harm is None:
        return ""
    found = standing(grid, harm)
    made = [paragraph(
        "A promise is proved: it bounds every attack, those that nobody has thought of among them. Whatever else looks safe here "
        "is safe from the attacks that were tried."
    )]  # fmt: skip
    items = [f"{words_of(grid, name)}: {promise_words(grid.promises[name])}. {risk_of_promise(grid.promises[name]).words()}"
             for name in found["promised"]]  # fmt: skip
    made += ["<h3>Promised</h3>", tables.listed(items)] if items else [paragraph("Nothing that was tried promises anything of worth.")]
    for key, title in (("not yet broken", "Merely not yet broken"), ("broken", "Broken"), ("open", "Open: one seed")):
        items = [f"{words_of(grid, name)}. {leak_words(grid, harm, leak_of(grid, name, harm))}." for name in found[key]]
        made += [f"<h3>{title}</h3>", tables.listed(items)] if items else []
    return "".join(made)


def at_risk(grid: Grid, about: About) -> str:
    if not about.at_risk:
        return paragraph("The risk of single records was not told: that needs the cells of a grid on data of your own.")
    return paragraph(
        "Averages say little of the few. A record that is unlike all others, or whose label is odd, may be told with certainty "
        "where most are safe. If these rows are of people, look at them before you publish anything."
    ) + tables.risk_table(about, grid)


def attacks(grid: Grid, about: About) -> str:
    made = charts.attacks_html(grid, "none", "tpr1") if "none" in grid.columns else ""
    for measure in ("tpr1", "auc"):
        made += tables.attack_tables(grid, about, measure, GROUPS if measure == "tpr1" else dict([next(iter(GROUPS.items()))]))
    for measure in ("recognised", "attack_accuracy", "attack_over_imputation"):
        every = tuple(dict.fromkeys(protocol for _, protocol in grid.attacks(measure)))
        made += tables.attack_table(grid, about, measure, "everybody", every) if every else ""
    return made


def numbers(grid: Grid, about: About) -> str:
    whom = {name: words for name, words in WHOM.items() if any(name == key[3] for key in grid.values)}
    return (
        tables.meanings_table(grid, about.classes) + tables.attackers_table(grid)
        + (tables.pairs_table(whom, "Who is asked about.") if whom else "")
    )  # fmt: skip


def gaps(grid: Grid, about: About) -> str:
    items = [f"{words}: {reason}" for words, reason in about.refused.items()]
    items += [f"{attack.partition('|')[2]} on {words_of(grid, attack.partition('|')[0]) if attack.partition('|')[0] in grid.columns else 'these data'}: {reason}"
              for attack, reason in about.reasons.items()]  # fmt: skip
    items += [
        "Attackers with more than this report's effort: more shadow models, larger priors, public data like yours.",
        "Several questions about a model over time, and several models from the same records.",
        "Records that the model was never asked about, and what a group of records says together, unless the unit is a group.",
        "Whatever else a system leaks beside the model: logs, intermediate files, those who run it.",
    ]
    return tables.listed(items)


def settings(grid: Grid, about: About) -> str:
    pairs = {"Data": about.source or grid.data, "Model": about.model, "Seeds": ", ".join(map(str, grid.seeds))}
    pairs |= {"Classes": ", ".join(about.class_names)} if about.class_names else {}
    pairs |= {"Date": about.date, "Machine": about.device, "Time": f"{about.seconds:.0f} s" if about.seconds else ""}
    pairs |= {f"Version of {name}": version for name, version in about.versions.items()}
    made = tables.pairs_table({name: value for name, value in pairs.items() if value}, "What was run, when and on what.")
    if about.settings:
        made += tables.pairs_table({name: text_of(value) for name, value in about.settings.items()}, "All settings that cells share.")
    strengths = {column.words: ", ".join(f"{k} = {text_of(v)}" for k, v in column.changes.items()) for column in grid.columns.values()}
    return made + tables.pairs_table(strengths, "What each defence changes about them.")


def again(about: About) -> str:
    if not about.command:
        return ""
    return paragraph(
        "The same command on the same file gives the same numbers; cells that were computed are kept and not computed again."
    ) + f"<pre>{escape(about.command)}</pre>"


def glossary(body: str) -> str:
    """The lab's words, those that the report uses."""
    told = unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", " ", body, flags=re.S))
    used = [one for one in TERMS.values() if re.search(rf"(?<!\w)(?:{one.words})(?!\w)", told)]
    return "<dl>" + "".join(f"<dt>{escape(one.name)}</dt><dd>{escape(one.sentence)}</dd>" for one in used) + "</dl>"


# ---- the same as data
def report_json(grid: Grid, own_cells: Collection[str] = (), about: About | None = None) -> dict[str, Any]:
    about = about or About(source=grid.data)
    question = question_of(grid, about)
    return {
        "report": FORM,
        "grid": to_json(grid),
        "about": about_dict(about),
        "own_cells": list(own_cells),
        "findings": [vars(one) for one in findings(grid)],
        "question": question_words(question) if question else "",
        "answer": answered(grid, question) if question else "",
        "meanings": {name: vars(one) for name, one in MEANINGS.items()},
    }


def report_from(told: Mapping[str, Any]) -> tuple[Grid, tuple[str, ...], About]:
    """What ``report_html`` takes, back from the file."""
    return from_json(told["grid"]), tuple(told["own_cells"]), about_from(told["about"])


def json_text(grid: Grid, own_cells: Collection[str] = (), about: About | None = None) -> str:
    return json.dumps(report_json(grid, own_cells, about), indent=1, ensure_ascii=False)

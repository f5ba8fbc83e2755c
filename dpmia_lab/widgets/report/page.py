"""The report: one file that can be read anywhere, by somebody who was not there, without a network."""

import re
from collections.abc import Collection
from html import escape, unescape
from pathlib import Path

from dpmia_lab import __version__
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.widgets.kit.glossary import TERMS
from dpmia_lab.widgets.report import sections as of
from dpmia_lab.widgets.report.about import About
from dpmia_lab.widgets.report.meanings import several


def report_html(grid: Grid, own_cells: Collection[str] = (), about: About | None = None) -> str:
    """The whole file. ``own_cells``: columns that are the reader's own, of one seed."""
    about = about or About(source=grid.data)
    title = f"What a model trained on {about.source or grid.data} tells about its records"
    sections = [
        ("summary", "Summary", of.summary(grid, about)),
        ("use", "What can I use?", of.use(grid, about)),
        ("defences", "What each defence costs, and what still leaks", of.defences(grid, about, own_cells)),
        ("promises", "Promised, or merely not yet broken", of.promises(grid)),
        ("risk", "Records at risk", of.at_risk(grid, about)),
        ("drawings", "What was drawn from the model", of.drawings(grid, about)),
        ("attacks", "Every defence against every attack", of.attacks(grid, about)),
        ("numbers", "What the numbers mean", of.numbers(grid, about)),
        ("gaps", "What was not tried", of.gaps(grid, about)),
        ("settings", "Settings and circumstances", of.settings(grid, about)),
        ("again", "Run it again", of.again(about)),
    ]
    body = "".join(
        f'<section id="{key}"><h2>{escape(name)}</h2>{content}</section>' for key, name, content in sections if content
    )
    body = readable_tables(body)
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
<footer>Made by dpmia_lab {version}. The file needs no network and holds no record of the data; it tells row numbers,
labels, and averages and drawings where the data are pictures.</footer>
</body></html>
"""


def facts(grid: Grid, about: About) -> str:
    """One line below the title."""
    parts = [f"{about.records:,} {about.kind if about.kind != 'bits' else 'records of bits'}"] if about.records else []
    parts += [f"{about.classes} classes"] if about.classes else []
    parts += [about.model] if about.model else []
    parts += [f"{several(len(grid.columns), 'setting')}, {several(len(grid.seeds), 'seed')}"]
    return " · ".join([*parts, *([about.date] if about.date else [])])


def readable_tables(body: str) -> str:
    """Arrow keys scroll wide ones, and their captions stay in view meanwhile."""
    body = body.replace('<div class="dp-scroll">', '<div class="dp-scroll" tabindex="0">')
    return body.replace("<caption>", "<caption><div>").replace("</caption>", "</div></caption>")


def glossary(body: str) -> str:
    """The lab's words, those that the report uses."""
    told = unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", " ", body, flags=re.S))
    used = [one for one in TERMS.values() if re.search(rf"(?<!\w)(?:{one.words})(?!\w)", told)]
    return "<dl>" + "".join(f"<dt>{escape(one.name)}</dt><dd>{escape(one.sentence)}</dd>" for one in used) + "</dl>"

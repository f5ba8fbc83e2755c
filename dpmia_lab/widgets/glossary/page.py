"""The glossary page: every term with its sentence and its picture, in groups."""

from html import escape

import ipywidgets as widgets

from dpmia_lab.widgets.glossary.pictures import picture_svg
from dpmia_lab.widgets.kit.glossary import GROUPS, Term
from dpmia_lab.widgets.kit.parts import card, text


def terms(group: str) -> widgets.VBox:
    """The terms of one group."""
    entries = "".join(term_html(key, one) for key, one in GROUPS[group].items())
    return card(text(f'<div class="dp-terms">{entries}</div>'), name="dp-glossary")


def term_html(key: str, one: Term) -> str:
    return (
        f'<section class="dp-entry" id="{key}">{picture_svg(key)}<div><h3>{escape(one.name)}</h3>'
        f"<p>{escape(one.sentence)}</p></div></section>"
    )

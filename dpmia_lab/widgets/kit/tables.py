"""Tables in HTML: heads, rows of cells, a caption. A plain string is escaped, ``Html`` stands as it is."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from dpmia_lab.rows import Row as Measured
from dpmia_lab.words.said import numeral


class Html(str):
    """Ready HTML."""


@dataclass(frozen=True)
class Cell:
    """A cell with a class of its own, or as wide as several."""

    content: str | Html
    kind: str = ""  # such as "dp-exposed"
    columns: int = 1


@dataclass(frozen=True)
class Row:
    """A row with a class of its own: "reference" greys it."""

    cells: Sequence[str | Html | Cell]
    kind: str = ""


def table_html(
    heads: Sequence[str | Html],
    rows: Sequence[Row | Sequence[str | Html | Cell]],
    caption: str | Html = "",
    kind: str = "",
) -> Html:
    """The table in a place that scrolls where it is too narrow; the first cell of a row is its header."""
    title = f"<caption>{ready(caption)}</caption>" if caption else ""
    head = "".join(f"<th>{ready(one)}</th>" for one in heads)
    body = "".join(row_html(row) for row in rows)
    return Html(
        f'<div class="dp-scroll"><table{attribute("class", kind)}>{title}<thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def with_small(words: str | Html, small: str | Html) -> Html:
    """Words above smaller ones: a head with what is good, a value with its interval."""
    return Html(f"{ready(words)}<br><small>{ready(small)}</small>")


def with_spread(row: Measured, form: str) -> str:
    """Its value, ± the standard deviation where there were several seeds; ``form`` such as "{:.0%}"."""
    return numeral(form, row.value) + ("" if row.spread is None else f" ± {numeral(form, row.spread)}")


def ready(content: str | Html) -> str:
    return content if isinstance(content, Html) else escape(content, quote=False)


def row_html(row: Row | Sequence[str | Html | Cell]) -> str:
    if not isinstance(row, Row):
        row = Row(row)
    made = "".join(cell_html(cell, header=place == 0) for place, cell in enumerate(row.cells))
    return f"<tr{attribute('class', row.kind)}>{made}</tr>"


def cell_html(cell: str | Html | Cell, header: bool) -> str:
    if not isinstance(cell, Cell):
        cell = Cell(cell)
    role = attribute("role", "rowheader" if header else "")
    span = attribute("colspan", str(cell.columns) if cell.columns > 1 else "")
    return f"<td{role}{span}{attribute('class', cell.kind)}>{ready(cell.content)}</td>"


def attribute(name: str, value: str) -> str:
    return f' {name}="{escape(value)}"' if value else ""

"""Rows of drawings, as lesson 3 shows them: words above, contrast stretched."""

from html import escape

import numpy as np

from dpmia_lab.widgets.kit.pictures import AT_ONCE, picture_html


def row_html(label: str, pictures: np.ndarray | None, name: str = "") -> str:
    """A line of words above a row of pictures; grey tiles keep the place of those still to come."""
    return f"<div class='dp-row-words'>{escape(label)}</div>{tiles_html(label.split(':')[0], pictures, name)}"


def tiles_html(words: str, pictures: np.ndarray | None, name: str = "") -> str:
    if pictures is None:
        tiles = '<i class="dp-tile"></i>' * AT_ONCE
    else:
        tiles = "".join(picture_html(x, f"{words}, number {i + 1}") for i, x in enumerate(pictures))
    return f'<div class="dp-model-row {name}">{tiles}</div>'

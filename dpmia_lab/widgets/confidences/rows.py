"""Rows of pictures under one another: one head a row, one person a column."""

import numpy as np

from dpmia_lab.widgets.confidences.words import SHORT
from dpmia_lab.widgets.kit.pictures import picture_html

Shown = tuple[str, str, np.ndarray | None]  # head (HTML), attack, pictures; None where there are none yet


def rows_html(rows: list[Shown], names: list[str]) -> str:
    return f'<div class="dp-rows">{"".join(head + pictures_html(*of, names) for head, *of in rows)}</div>'


def pictures_html(attack: str, pictures: np.ndarray | None, names: list[str]) -> str:
    """A row's pictures, or as many empty places."""
    if pictures is None:
        places = '<span class="dp-empty"></span>' * len(names)
        return f'<div class="dp-faces-row">{places}</div>'
    how = "a true picture" if attack == "truth" else SHORT.get(attack, "drawn by the attacker")
    images = "".join(
        picture_html(x, f"{name}: {how}".removeprefix(": ")) for x, name in zip(pictures, names, strict=False)
    )
    return f'<div class="dp-faces-row">{images}</div>'

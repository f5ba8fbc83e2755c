"""What attackers drew of each class, beside the average of its pictures: rows of small pictures within the file."""

from collections.abc import Mapping, Sequence
from html import escape

import numpy as np

from dpmia_lab.experiments.comparing_answers import Harm, leak_of
from dpmia_lab.experiments.comparing_grid import Grid
from dpmia_lab.experiments.comparing_pictures import INVERSION
from dpmia_lab.widgets.kit.pictures import data_uri, png_bytes
from dpmia_lab.widgets.report.about import Drawn
from dpmia_lab.widgets.report.meanings import attack_words, number_text

MOST = 10  # classes


def drawn_rows(
    grid: Grid, truth: np.ndarray, cells: Mapping[str, Mapping[str, np.ndarray]], names: Sequence[str]
) -> tuple[Drawn, ...]:
    """truth: (classes, channels, h, w), averages.  cells: arrays by column, of one seed."""
    rows = [Drawn("the average picture of each class", pictures_of(truth, names, "the average of"))]
    for column, arrays in cells.items():
        found = [leak_of(grid, column, Harm("recognised", attack=attack)) for attack in INVERSION]
        told = [leak for leak in found if leak is not None and f"picture_{leak.attack}" in arrays]
        if told:
            worst = max(told, key=lambda leak: leak.measured.mean)
            share = number_text("recognised", worst.measured.mean)
            how = f"drawn by {attack_words(worst.attack)}; {share} of classes are recognised"
            words = f"{grid.columns[column].words}: {how}"
            rows.append(Drawn(words, pictures_of(arrays[f"picture_{worst.attack}"], names, "drawn of")))
    return tuple(rows) if len(rows) > 1 else ()


def pictures_of(pictures: np.ndarray, names: Sequence[str], what: str) -> tuple[tuple[str, str], ...]:
    """(words, picture as an address that holds it) of the first classes."""
    some = zip(names[:MOST], pictures, strict=False)
    return tuple((f"{what} class {name}", data_uri(png_bytes(picture))) for name, picture in some)


def drawings_html(rows: Sequence[Drawn]) -> str:
    made = []
    for row in rows:
        images = "".join(f'<img src="{escape(uri)}" alt="{escape(words)}">' for words, uri in row.pictures)
        made.append(f'<figure class="strip"><figcaption>{escape(row.words)}</figcaption><div>{images}</div></figure>')
    return "".join(made)

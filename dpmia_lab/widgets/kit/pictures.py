"""Arrays as pixel-sharp pictures in HTML: one ``<img>`` each, with words for those who cannot see it."""

import base64
import io
from collections.abc import Sequence
from html import escape

import numpy as np
from PIL import Image

from dpmia_lab.words.said import said

AT_ONCE = 10  # people shown at a time


def png_bytes(picture: np.ndarray) -> bytes:
    """(channels, height, width), floats in [0, 1] or bytes, as a PNG."""
    if picture.dtype != np.uint8:
        picture = (np.clip(picture, 0, 1) * 255).round().astype(np.uint8)
    shaped = picture[0] if picture.shape[0] == 1 else picture.transpose(1, 2, 0)
    buffer = io.BytesIO()
    Image.fromarray(shaped).save(buffer, "PNG", compress_level=1)
    return buffer.getvalue()


def data_uri(content: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def picture_html(picture: np.ndarray, alt: str, classes: str = "") -> str:
    """The browser enlarges it without smoothing (CSS image-rendering: pixelated)."""
    return f'<img class="dp-pixels {classes}" src="{data_uri(png_bytes(picture))}" alt="{escape(alt)}">'


def figure_html(picture: np.ndarray, alt: str, caption: str) -> str:
    """A picture above its caption (HTML)."""
    return f'<figure class="dp-person">{picture_html(picture, alt)}<figcaption>{caption}</figcaption></figure>'


def figures_html(figures: list[tuple[np.ndarray, str, str]]) -> str:
    """Pictures beside each other, each with a title and words."""
    cells = (figure_html(x, title, f"<b>{title[0].upper()}{title[1:]}</b><br>{words}") for x, title, words in figures)
    return f'<div class="dp-three">{"".join(cells)}</div>'


def strip_html(pictures: np.ndarray, words: Sequence[str]) -> str:
    """Small pictures in a row, each with the words that stand for it."""
    images = "".join(picture_html(picture, alt) for picture, alt in zip(pictures, words, strict=True))
    return f'<div class="dp-strip">{images}</div>'


def people_html(
    names: list[str],
    truth: np.ndarray,
    drawn: np.ndarray,
    captions: list[str],
    zoom: int = 1,
) -> str:
    """A grid of pairs: the truth on the left, what the attacker drew on the right, a caption below.

    ``zoom`` makes the pictures larger, pixels and all.
    """
    cells = []
    for name, left, right, caption in zip(names, truth, drawn, captions, strict=True):
        alts = said("{name}, training picture", name=name), said("{name}, drawn from the model", name=name)
        pair = picture_html(left, alts[0]) + picture_html(right, alts[1])
        cells.append(
            f'<figure class="dp-person"><div class="dp-pair">{pair}</div>'
            f"<figcaption><b>{escape(name)}</b><br>{caption}</figcaption></figure>"
        )
    return f'<div class="dp-people" style="--zoom: {zoom}">{"".join(cells)}</div>'


def sheet(rows: list[np.ndarray], zoom: int = 4, gap: int = 4) -> bytes:
    """Rows of pictures (n, channels, height, width) as one PNG, enlarged by nearest neighbour, to keep."""
    lines = []
    for row in rows:
        tiles = [np.pad(p, ((0, 0), (gap, 0), (gap, 0)), constant_values=1.0) for p in row]
        lines.append(np.concatenate(tiles, axis=2))
    whole = np.concatenate(lines, axis=1)
    return png_bytes(whole.repeat(zoom, axis=1).repeat(zoom, axis=2))


def pages(count: int) -> list[tuple[str, int]]:
    """So many people, some at a time, as a choice wants them: words, and the first of each page."""
    return [(f"{i + 1}–{min(i + AT_ONCE, count)} of {count}", i) for i in range(0, count, AT_ONCE)]


# ---- records of any kind
def record_picture(x: np.ndarray, alt: str) -> str:
    """x: bits (d,) of 0 and 1; pictures (channels, height, width) and graphs (N, N), bytes or shares of 1.

    Where it is not a picture, a 1 is dark.
    """
    shares = x / 255 if x.dtype == np.uint8 and x.ndim > 1 else x
    if x.ndim < 3:
        shares = 1 - (shares if x.ndim == 2 else bit_grid(shares))[None].astype(np.float64)
    return picture_html(shares, alt, "dp-record-picture")


def bit_grid(bits: np.ndarray) -> np.ndarray:
    """(d,) as rows of a grid about two to three, the last row filled up with 0."""
    columns = max(1, round(np.sqrt(1.5 * len(bits))))
    rows = -(-len(bits) // columns)
    return np.pad(bits, (0, rows * columns - len(bits))).reshape(rows, columns)

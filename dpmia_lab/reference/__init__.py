"""Figures that ship with the lab: the papers' as printed, and the lab's own, made by ``make reference``."""

import json
from importlib.resources import files

FOLDER = files("dpmia_lab") / "reference"


def shipped(name: str) -> dict:
    """``published`` (the papers' figures), or this lab's results of the experiment of that name."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def shipped_or_nothing(name: str) -> dict:
    """A reference that has not been computed yet leaves its place empty, not the page broken."""
    try:
        return shipped(name)
    except FileNotFoundError:
        return {}

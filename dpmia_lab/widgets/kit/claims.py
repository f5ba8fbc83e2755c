"""A claim of a paper, checked against results that ship with the lab: computed, not written.

A lesson lists its ``CLAIMS``; ``checked`` turns them into plain records, for which no page need be built.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from math import hypot, sqrt

from dpmia_lab.rows import Row

AGREES, DIFFERS, UNDECIDED, NOT_CLAIMED = "agrees", "does not agree", "cannot be said", ""
NOT_MEASURED = "does not measure this"
NOT_YET = "<li class='dp-soft'>Not computed yet.</li>"


@dataclass(frozen=True)
class Verdict:
    """``finding``: AGREES, DIFFERS, UNDECIDED; NOT_CLAIMED where the lab adds what the paper did not measure."""

    finding: str
    sentence: str  # HTML: the numbers, without a full stop


@dataclass(frozen=True)
class Claim:
    """``check()``: the verdict for every data set that has been computed, by what it is called."""

    title: str
    paper: str  # its letter
    said: str  # what the paper says, without a full stop
    check: Callable[[], dict[str, Verdict]]


@dataclass(frozen=True)
class Checked:
    """A claim on one data set."""

    title: str
    paper: str
    said: str
    data: str
    finding: str
    sentence: str


def verdict(agrees: bool | None, sentence: str) -> Verdict:
    """None: the results cannot tell."""
    return Verdict({True: AGREES, False: DIFFERS, None: UNDECIDED}[agrees], sentence)


def clearly_higher(one: Row, other: Row, seeds: int) -> bool | None:
    """Whether the one is; None where they are within two standard errors of each other, or without a spread."""
    if one.spread is None or other.spread is None:
        return None
    apart = one.value - other.value
    return apart > 0 if abs(apart) > 2 * hypot(one.spread, other.spread) / sqrt(seeds) else None


def checked(claims: Iterable[Claim]) -> list[Checked]:
    return [
        Checked(claim.title, claim.paper, claim.said, data, found.finding, found.sentence)
        for claim in claims
        for data, found in claim.check().items()
    ]


def claim_html(claim: Claim) -> str:
    return f"<h4>{escape(claim.title)}</h4>{claim_body(claim, claim.check())}"


def claim_body(claim: Claim, found: Mapping[str, Verdict]) -> str:
    """What the paper says, and a line for each data set."""
    lines = "".join(line_html(data, one) for data, one in found.items())
    return f"<p>Paper {claim.paper}: {escape(claim.said)}.</p><ul class='dp-findings'>{lines or NOT_YET}</ul>"


def folded_claims(claims: Iterable[Claim]) -> str:
    """A line a claim with its verdicts; what the paper says and the numbers unfold."""
    return "".join(
        f"<details><summary><b>{escape(claim.title)}</b> {marks_html(found)}</summary>"
        f"{claim_body(claim, found)}</details>"
        for claim, found in ((claim, claim.check()) for claim in claims)
    )


def marks_html(found: Mapping[str, Verdict]) -> str:
    """Such as "agrees on generated faces; cannot be said on digits"."""
    places: dict[str, list[str]] = {}
    for data, one in found.items():
        places.setdefault(one.finding or "measured", []).append(data)
    told = "; ".join(f"{escape(finding)} on {escape(', '.join(where))}" for finding, where in places.items())
    return f"<small>{told or 'not computed yet'}</small>"


def line_html(data: str, found: Verdict) -> str:
    mark = f"<b>{found.finding}</b>; " if found.finding else ""
    return f"<li>{escape(data)}: {mark}{found.sentence}.</li>"

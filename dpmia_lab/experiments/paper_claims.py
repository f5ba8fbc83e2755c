"""A paper's claim and what the lab's own results say of it, as numbers: pages put them into words and marks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    agrees: bool | None  # None: the results cannot tell, or the paper does not claim it
    sentence: str  # the numbers, without a full stop


@dataclass(frozen=True)
class PaperClaim:
    title: str
    said: str  # what the paper says, without a full stop; "" where this lab adds what the paper did not measure
    check: Callable[[Any], Finding | None]  # from one data set's results; None where they lack what it needs

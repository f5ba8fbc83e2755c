"""What every engine asks of those who call it: records that fit one another, and rates that are numbers.

An engine that trained on anything else would return a model, and a promise, of something nobody wanted.
"""

import torch

from dpmia_lab.checks import Mistake, between, not_negative, positive
from dpmia_lab.privacy.units import Units


def check_rates(*, rate: float, momentum: float = 0.0, decay: float = 0.0) -> None:
    positive(rate=rate)
    between(0, 1, momentum=momentum)
    not_negative(decay=decay)


def check_records(x: torch.Tensor, y: torch.Tensor, units: Units | None = None) -> None:
    """x: (n, …) without a NaN, y: (n,), and an owner for each where units are given."""
    if len(y) != len(x):
        raise Mistake(f"y must have a label for each of the {len(x)} records; it has {len(y)}.")
    if not torch.isfinite(x).all():
        finite = torch.isfinite(x).flatten(1).all(1)
        raise Mistake(f"x must hold finite numbers only; {int((~finite).sum())} of its {len(x)} records do not.")
    if units is not None and len(units.members) != len(x):
        raise Mistake(f"units must name an owner for each of the {len(x)} records; it names {len(units.members)}.")

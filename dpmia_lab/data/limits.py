"""How much of a file is taken in: less where many readers share a machine than on a person's own."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    bytes: int  # unpacked, of one file, archive or folder
    values: int  # numbers in all records together; each takes 4 bytes, and a run holds them a few times


OWN_MACHINE = Limits(1_000_000_000, 250_000_000)
SERVED = Limits(100_000_000, 12_500_000)


def limits() -> Limits:
    """Of this process: the server tells the kernels of its pages what they are."""
    return SERVED if os.environ.get("DPMIA_SERVED") else OWN_MACHINE

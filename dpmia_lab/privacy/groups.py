"""A drawn batch seen as units: which of its records belong together."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import torch


@dataclass(frozen=True)
class Groups:
    """The first ``sizes[0]`` records of a batch are one unit, the next ``sizes[1]`` another, and so on."""

    sizes: torch.Tensor  # (units,), each at least 1

    @property
    def count(self) -> int:
        return len(self.sizes)

    @cached_property
    def even(self) -> bool:
        """All units have the same number of records."""
        return bool((self.sizes == self.sizes[0]).all())

    @cached_property
    def singles(self) -> bool:
        """Every unit is one record."""
        return self.even and int(self.sizes[0]) == 1

    @cached_property
    def of_records(self) -> torch.Tensor:
        """(n,): the unit of each record."""
        return torch.repeat_interleave(self.sizes)

    def to_records(self, values: torch.Tensor) -> torch.Tensor:
        """(n,): each record gets the value of its unit."""
        return values if self.singles else values[self.of_records]

    def pairs(self, rows: int) -> int:
        """How many pairs of rows the blocks hold, if every record has that many rows."""
        if self.even:
            return self.count * (int(self.sizes[0]) * rows) ** 2
        return sum(len(units) * (records.shape[1] * rows) ** 2 for units, records, _ in self.blocks)

    @cached_property
    def blocks(self) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
        """Units of similar size laid side by side: 1, 2, 3-4, 5-8, … records, so that little is padding.

        Of each block: units (m,), their records (m, widest), and whether there is one (m, widest).
        """
        starts = self.sizes.cumsum(0) - self.sizes
        scale = self.sizes.double().log2().ceil()
        made = []
        for value in scale.unique():
            units = (scale == value).nonzero().squeeze(1)
            place = torch.arange(int(self.sizes[units].max()), device=self.sizes.device)
            there = place < self.sizes[units, None]
            made.append((units, starts[units, None] + place * there, there))
        return made

    def parts(self, most: int) -> Iterator[tuple[slice, "Groups"]]:
        """Whole units after one another, together of at most ``most`` records where a unit is no larger than that."""
        ends = self.sizes.cumsum(0)
        first, start = 0, 0
        while first < self.count:
            last = max(first + 1, int(torch.searchsorted(ends, start + most, right=True)))
            end = int(ends[last - 1])
            yield slice(start, end), Groups(self.sizes[first:last])
            first, start = last, end

    def sums(self, values: torch.Tensor) -> torch.Tensor:
        """(units, …): the sum of each unit's rows of values (n, …)."""
        if self.singles:
            return values
        return values.new_zeros(self.count, *values.shape[1:]).index_add_(0, self.of_records, values)

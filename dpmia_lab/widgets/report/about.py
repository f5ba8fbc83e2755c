"""What a report knows besides the grid: whose data, what was run, when and where, who is at risk, what was left out."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class AtRisk:
    """A record of the reader's own, and in how many of the models trained on it an attacker was sure of that.

    caught: column → (models in which it was caught, models trained on it, false alarms, models not trained on it)."""

    rows: tuple[int, ...]  # in the reader's file, counted from 0; several where records are the same
    label: str
    caught: Mapping[str, tuple[int, int, int, int]]


@dataclass(frozen=True)
class Drawn:
    """A row of pictures, each with its words and as a data address."""

    words: str
    pictures: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class About:
    """Everything may be left out: a report then says less."""

    source: str = ""  # the file's name, or what the set is called
    kind: str = "records"  # bits, pictures, graphs or a table
    records: int = 0  # in the whole set
    trained_on: int = 0  # by each model
    models: int = 0  # of each cell, each a target in its turn
    class_names: tuple[str, ...] = ()
    model: str = ""  # in words
    settings: Mapping[str, Any] = field(default_factory=dict)
    explained: Mapping[str, str] = field(default_factory=dict)  # what each setting is
    command: str = ""  # that makes this report again
    versions: Mapping[str, str] = field(default_factory=dict)
    device: str = ""
    date: str = ""
    seconds: float = 0.0
    refused: Mapping[str, str] = field(default_factory=dict)  # words of a defence → why it was not tried
    reasons: Mapping[str, str] = field(default_factory=dict)  # "column|attack" → why that was not tried
    at_risk: tuple[AtRisk, ...] = ()
    judged: int = 0  # records whose risk was told
    by_chance: float = 0.0  # of them, how many guessing would catch as often as the last of ``at_risk``
    drawn: tuple[Drawn, ...] = ()  # what attackers drew of each class
    small: bool = False  # a trial run
    accept: float = 0.05  # of members caught at 1 % false alarms, what the reader accepts
    need: float = 0.0  # right on new records, what the reader needs (0: nine tenths of the undefended model's)

    @property
    def classes(self) -> int:
        return len(self.class_names)


def about_dict(about: About) -> dict[str, Any]:
    return asdict(about)


def about_from(told: Mapping[str, Any]) -> About:
    """Back from a file."""
    at_risk = tuple(
        AtRisk(tuple(one["rows"]), one["label"], {name: tuple(both) for name, both in one["caught"].items()})
        for one in told["at_risk"]
    )
    drawn = tuple(Drawn(one["words"], tuple(map(tuple, one["pictures"]))) for one in told["drawn"])
    return About(**{**told, "at_risk": at_risk, "drawn": drawn, "class_names": tuple(told["class_names"])})

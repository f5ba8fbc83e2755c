"""Every attack that can be made, made on one target, one after another."""

from collections.abc import Mapping

import numpy as np

from dpmia_lab.game.attacks import Attack
from dpmia_lab.game.evidence import Evidence, ending
from dpmia_lab.stages import Snapshot, Stage, part

Scores = dict[tuple[str, str], np.ndarray]  # by attack and protocol; higher: more likely a member
TOGETHER = 0.8  # the time of a shadow model with the records, in that of one without: more of them train at once


def attacked(evidence: Evidence, attacks: Mapping[str, Attack]) -> Stage[Scores]:
    """Scores of all that the evidence suffices for, each shown as soon as it is there."""
    made = [
        (name, protocol)
        for name, attack in attacks.items()
        for protocol in evidence.candidates.protocols
        if evidence.available(attack.needs, protocol, attack.shadows)
    ]
    ends, scores = np.cumsum([0.0, *costs(evidence, attacks, made)]), {}
    for place, (name, protocol) in enumerate(made):
        start, end = ends[place] / ends[-1], ends[place + 1] / ends[-1]
        ready = end - (end - start) * attacks[name].cost / (ends[place + 1] - ends[place])
        given = yield from part(evidence.gathered(attacks[name].needs, protocol, name), start, ready)
        label = f"attacking: {name.replace('_', ' ')}"
        scores[name, protocol] = yield from part(attacks[name].run(given), ready, end, label)
        yield Snapshot(scores_name(name, protocol), 0, scores[name, protocol])
    return scores


def scores_name(attack: str, protocol: str = "alike") -> str:
    """What snapshots and arrays of scores are called."""
    return f"scores_{attack}{ending(protocol)}"


def cost_of_all(attacks: Mapping[str, Attack], shadows: int, both: int) -> float:
    """About how long they take together, in the time of training a shadow model."""
    return sum(attack.cost for attack in attacks.values()) + shadows + TOGETHER * both


def costs(evidence: Evidence, attacks: Mapping[str, Attack], made: list[tuple[str, str]]) -> list[float]:
    """Of each, the time it takes, with the shadow models that it is the first to need."""
    known, found = set(evidence.found), []
    for name, _ in made:
        new = attacks[name].needs - known
        known |= new
        shadows, both = (evidence.models(need) if need in new else 0 for need in ("shadows", "both"))
        found.append(attacks[name].cost + shadows + TOGETHER * both)
    return found

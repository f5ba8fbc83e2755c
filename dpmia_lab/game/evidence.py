"""What attackers of membership have to go by: each piece computed once, and given only to attacks that need it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dpmia_lab.defences.base import Task
from dpmia_lab.game.candidates import Candidates, candidate_halves, shadow_halves
from dpmia_lab.game.labels import right_shares
from dpmia_lab.game.outputs import Outputs
from dpmia_lab.game.records import Records
from dpmia_lab.game.trainer import Trainer
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Progress, Stage, part

if TYPE_CHECKING:  # torch is loaded by a run, not by the page that merely shows the controls
    import torch
    from torch import nn

# What an attack may need, in words
NEEDS = {
    "outputs": "what the model says about the records",
    "weights": "the model itself",
    "half": "whether they are members, for half of the records",
    "shadows": "shadow models trained without the records",
    "both": "shadow models trained with and without each record",
    "population": "what the model says about records that nobody was trained on",
    "public": "records that nobody was trained on, themselves",
    "unadapted": "shadow models trained with and without each record, but without the defence",
    "discriminator": "a discriminator taught on records held aside",
    "labels": "the labels it gives the records, and varied copies of them",
}
LABELS = {
    "shadows": "training shadow models",
    "both": "training shadow models with and without each record",
    "unadapted": "training shadow models without the defence",
}



class Given:
    """What one attack is given. Any other piece of evidence is out of its reach.

    ``path`` is the attack's own: its generators come from it.
    """

    def __init__(self, pieces: dict[str, Any], seed: int = 0, path: tuple[str, ...] = ()) -> None:
        self._pieces, self.seed, self.path = pieces, seed, path

    def __getattr__(self, need: str) -> Any:
        if need.startswith("_") or need not in self._pieces:
            raise AttributeError(f"the attack was not given {NEEDS.get(need, need)}; it must say that it needs it")
        return self._pieces[need]

    def generator(self) -> "torch.Generator":
        return torch_generator(self.seed, *self.path)

    def numpy_generator(self) -> np.random.Generator:
        return numpy_generator(self.seed, *self.path)


@dataclass(frozen=True)
class Weights:
    """The model itself, and how it takes the records asked about, if there are any."""

    model: "nn.Module"
    task: Task
    x: "torch.Tensor | None" = None


@dataclass(frozen=True)
class Half:
    """A coin for each record says whether the attacker knows about it; where not, ``member`` is False."""

    known: np.ndarray  # (k,) bool
    member: np.ndarray  # (k,) bool


@dataclass
class ShadowOutputs:
    """What shadow models said: about the records asked about, the population, and their own records."""

    logits: list[np.ndarray] = field(default_factory=list)  # (k,) a model
    population: list[np.ndarray] = field(default_factory=list)  # (z,) logits a model
    own: list[tuple[Outputs, bool]] = field(default_factory=list)  # and whether these were trained on
    inside: np.ndarray | None = None  # (models, k): was that record trained on? None: never


class Evidence:
    """Of one target. ``shadows``, ``both``: how many shadow models of each kind may be trained (0: none)."""

    def __init__(
        self, trainer: Trainer, model: "nn.Module", candidates: Candidates, *, shadows: int, both: int, most: int
    ) -> None:
        self.trainer, self.model, self.candidates = trainer, model, candidates
        self.shadows, self.both, self.most = shadows, both, most  # most: records a shadow model is trained on
        self.found: dict[str, dict[str, Any]] = {}  # need → protocol → piece
        self.makers: dict[str, Callable[[], Stage[dict[str, Any]]]] = {
            "outputs": self.target_outputs,
            "weights": self.target_weights,
            "half": self.known_halves,
            "shadows": self.shadow_outputs,
            "both": self.both_outputs,
            "population": self.target_population,
            "public": self.public_records,
            "unadapted": self.unadapted_outputs,
            "discriminator": self.discriminator_scores,
            "labels": self.label_shares,
        }

    def models(self, need: str) -> int:
        """How many models this piece costs."""
        return {"shadows": self.shadows, "both": self.both, "unadapted": self.both}.get(need, 0)

    def available(self, needs: Iterable[str], protocol: str, least: int = 1) -> bool:
        """Shadow models with each record are trained on candidates, who are asked about under one protocol only."""
        counted = [need for need in needs if need in LABELS]
        enough = all(self.models(need) >= least for need in counted)
        return enough and not ({"both", "unadapted"} & set(counted) and protocol != "alike")

    def gathered(self, needs: Iterable[str], protocol: str, name: str) -> Stage[Given]:
        """What an attack of that name needs, and nothing else; whatever has not been found yet is found now."""
        missing = [need for need in sorted(needs) if need not in self.found]
        for done, need in enumerate(missing):
            stage = part(self.makers[need](), done / len(missing), (done + 1) / len(missing), LABELS.get(need, ""))
            self.found[need] = yield from stage
        pieces = {need: self.found[need][protocol] for need in needs}
        return Given(pieces, self.trainer.seed, (name.replace("_", " "), ending(protocol)))

    # ---- of the target
    def target_outputs(self) -> Stage[dict[str, Outputs]]:
        yield Progress(0, 1, "asking about everyone")
        asked = self.candidates.protocols
        return {protocol: self.trainer.outputs(self.model, people.records) for protocol, people in asked.items()}

    def target_population(self) -> Stage[dict[str, np.ndarray]]:
        """(z,): the logit of each label."""
        yield Progress(0, 1, "asking about everyone")
        said = self.trainer.outputs(self.model, self.candidates.reserve).logits
        return dict.fromkeys(self.candidates.protocols, said)

    def public_records(self) -> Stage[dict[str, np.ndarray]]:
        """(z, …): without their labels."""
        yield Progress(0, 1, "collecting public records")
        return dict.fromkeys(self.candidates.protocols, self.candidates.reserve.x)

    def target_weights(self) -> Stage[dict[str, Weights]]:
        yield Progress(0, 1, "reading the model")
        asked, task = self.candidates.protocols, self.trainer.task
        return {p: Weights(self.model, task, self.trainer.inputs(people.records.x)) for p, people in asked.items()}

    def known_halves(self) -> Stage[dict[str, Half]]:
        from dpmia_lab.attacks.membership.white_box import known_half

        yield Progress(0, 1, "learning about half of them")
        halves = {}
        for protocol, people in self.candidates.protocols.items():
            known = known_half(len(people.member), numpy_generator(self.trainer.seed, "white box", ending(protocol)))
            halves[protocol] = Half(known, people.member & known)
        return halves

    def discriminator_scores(self) -> Stage[dict[str, np.ndarray]]:
        """(k,): what paper D's discriminator makes of the outputs: the defence's own, or one taught for this."""
        import torch

        trainer = self.trainer
        own, found = (yield from trainer.taught_discriminator(self.candidates.validation)), {}
        for protocol, people in self.candidates.protocols.items():
            said = trainer.outputs(self.model, people.records)
            logits = torch.from_numpy(np.log(np.maximum(said.confidences, 1e-45))).float()[None].to(trainer.device)
            found[protocol] = own.judged(logits, trainer.labels(said.y)[None])[0].cpu().double().numpy()
        return found

    def label_shares(self) -> Stage[dict[str, np.ndarray]]:
        """(k,): of a record and its varied copies, the share that is given the record's label."""
        shares = {}
        for protocol, people in self.candidates.protocols.items():
            rng = numpy_generator(self.trainer.seed, "labels", ending(protocol))
            shares[protocol] = yield from right_shares(self.trainer, self.model, people.records, rng)
        return shares

    # ---- of shadow models
    def shadow_outputs(self) -> Stage[dict[str, ShadowOutputs]]:
        """Models on the attacker's own records; trained some at a time, asked, and let go."""
        trainer, candidates, asked = self.trainer, self.candidates, self.candidates.protocols
        rng = numpy_generator(trainer.seed, "shadows")
        halves = shadow_halves(self.shadows, len(candidates.pool), self.most, rng)
        others = other_outsiders(candidates, halves, rng)
        shadows = {protocol: ShadowOutputs() for protocol in asked}

        def ask(number: int, model: "nn.Module") -> None:
            own, out = (candidates.pool.at(half) for half in halves[number])
            trained_on = trainer.outputs(model, own), True
            population = trainer.outputs(model, candidates.reserve).logits
            for protocol, people in asked.items():
                strangers = out if protocol == "alike" else others[number]
                shadows[protocol].own += [trained_on, (trainer.outputs(model, strangers), False)]
                shadows[protocol].logits.append(trainer.outputs(model, people.records).logits)
                shadows[protocol].population.append(population)

        sets = ((candidates.pool.at(own), candidates.validation) for own, _ in halves)
        yield from trainer.ask_many(sets, self.shadows, ask, "shadow")
        return shadows

    def both_outputs(self) -> Stage[dict[str, ShadowOutputs]]:
        """Models on random halves of the candidates: about half of them were trained on each."""
        return (yield from self.halves_outputs(self.trainer))

    def unadapted_outputs(self) -> Stage[dict[str, ShadowOutputs]]:
        """The same halves, by an attacker who does not know of the defence."""
        return (yield from self.halves_outputs(self.trainer.without_defence()))

    def halves_outputs(self, trainer: Trainer) -> Stage[dict[str, ShadowOutputs]]:
        candidates, people = self.candidates, self.candidates.alike.records
        inside = candidate_halves(self.both, len(people), numpy_generator(trainer.seed, "inside"))
        shadows = ShadowOutputs(inside=inside)

        def ask(_: int, model: "nn.Module") -> None:
            shadows.logits.append(trainer.outputs(model, people).logits)

        sets = ((people.at(np.flatnonzero(row)), candidates.validation) for row in inside)
        yield from trainer.ask_many(sets, self.both, ask, "inside")
        return {"alike": shadows}


def ending(protocol: str) -> str:
    """Of the names of arrays and generators; the usual protocol is not said."""
    return "" if protocol == "alike" else f"_{protocol}"


def other_outsiders(candidates: Candidates, halves: list, rng: np.random.Generator) -> list[Records]:
    """Where paper C takes outsiders from another distribution, each shadow model's come from there too."""
    pool = candidates.shifted_pool
    if pool is None:
        return []
    return [pool.at(rng.permutation(len(pool))[: len(own)]) for own, _ in halves]

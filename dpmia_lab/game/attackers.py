"""What attackers of membership do, one after another, on the same target (paper C, 3; then beyond it).

``Said`` is what a model says about the records asked about; ``Book`` collects every attack's scores.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.membership import lira, rmia, signals, threshold
from dpmia_lab.game.candidates import Asked, Candidates, candidate_halves, shadow_halves
from dpmia_lab.game.defended import Records, Workshop
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Progress, Snapshot, Stage, part

if TYPE_CHECKING:  # torch is loaded by a run, not by the page that merely shows the controls
    from torch import nn

    from dpmia_lab.attacks.membership.shadow import Known


@dataclass(frozen=True)
class Said:
    """A model's outputs on records."""

    confidences: np.ndarray  # (k, C)
    logits: np.ndarray  # (k,): log p/(1 − p) of the true label, without the rounding of a saturated softmax
    y: np.ndarray

    @property
    def probability(self) -> np.ndarray:
        """(k,): of the true label."""
        return self.confidences[np.arange(len(self.y)), self.y]


@dataclass
class Book:
    """Scores by attack, for each protocol ("" or "_shifted"); higher: more likely a member."""

    asked: dict[str, Asked]
    said: dict[str, Said]
    scores: dict[str, np.ndarray] = field(default_factory=dict)

    def enter(self, attack: str, ending: str, scores: np.ndarray) -> Snapshot:
        """Write down, and show at once."""
        self.scores[f"{attack}{ending}"] = scores
        return Snapshot(f"scores_{attack}{ending}", 0, scores)


# ---- what a model says
def outputs(workshop: Workshop, model: "nn.Module", records: Records) -> Said:
    """The model is asked about records as they are: never about perturbed ones."""
    import torch

    was = model.training
    model.eval()
    with torch.no_grad():
        z = torch.cat([model(piece.float()) for piece in workshop.seen(records.x).split(2048)]).double().cpu()
    model.train(was)
    return Said(torch.softmax(z, 1).numpy(), signals.logit_confidences_of_logits(z.numpy(), records.y), records.y)


def last_layer(workshop: Workshop, model: "nn.Module", records: Records) -> np.ndarray:
    """(k, d): what goes into the model's last layer; with the errors p − 1_y it gives that layer's gradient."""
    import torch
    from torch import nn

    last = [layer for layer in model.modules() if isinstance(layer, nn.Linear)][-1]
    inputs = []
    handle = last.register_forward_pre_hook(lambda _, given: inputs.append(given[0]))
    try:
        with torch.no_grad():
            for piece in workshop.seen(records.x).split(2048):
                model(piece.float())
    finally:
        handle.remove()
    return torch.cat(inputs).cpu().numpy()


# ---- attacks that need the target alone
def threshold_attacks(book: Book) -> Stage[None]:
    for ending, said in book.said.items():
        yield book.enter("loss", ending, threshold.loss_scores(said.confidences, said.y))
        yield book.enter("confidence", ending, threshold.confidence_scores(said.confidences))
    yield Progress(1, 1, "asking about everyone")


def white_box_attack(workshop: Workshop, model: "nn.Module", book: Book) -> Stage[None]:
    """Nasr et al.: the attacker knows half of the members and outsiders, and is judged on the other half."""
    from dpmia_lab.attacks.membership import white_box

    seed = workshop.config.seed
    for i, (ending, asked) in enumerate(book.asked.items()):
        yield Progress(i, len(book.asked), "attacking: white box")
        said = book.said[ending]
        known = white_box.known_half(len(asked.member), numpy_generator(seed, "white box", ending))
        h = last_layer(workshop, model, asked.records)
        errors = said.confidences - np.eye(said.confidences.shape[1])[said.y]
        losses = signals.losses(said.confidences, said.y)
        seen = white_box.Features(said.confidences, losses, h, errors, said.y)
        stage = white_box.white_box_scores(seen, asked.member, known, torch_generator(seed, "white box", ending))
        share = i / len(book.asked), (i + 1) / len(book.asked)
        yield book.enter("white_box", ending, (yield from part(stage, *share)))


# ---- shadow models on the attacker's own records
def pool_attacks(workshop: Workshop, model: "nn.Module", candidates: Candidates, book: Book) -> Stage[None]:
    """Shokri et al., and what needs only models that never saw a candidate: offline likelihood ratio and RMIA."""
    from dpmia_lab.attacks.membership.shadow import shadow_scores

    config = workshop.config
    heard = yield from part(shadow_outputs(workshop, candidates), 0.0, 0.8, "training shadow models")
    for i, (ending, said) in enumerate(book.said.items()):
        share = 0.8 + 0.2 * i / len(book.said), 0.8 + 0.2 * (i + 1) / len(book.said)
        generator = torch_generator(config.seed, "black box", ending)
        stage = shadow_scores(heard.known(ending), said.confidences, said.y, generator)
        yield book.enter("black_box", ending, (yield from part(stage, *share, "attacking: black box")))
    if config.shadows < 2:
        return
    about_reserve = outputs(workshop, model, candidates.reserve).probability
    for ending, said in book.said.items():
        theirs = np.array(heard.logits[ending])
        yield book.enter("lira_offline", ending, lira.offline_lira_scores(said.logits, theirs, fixed_variance=True))
        p, reserve = np.array(heard.probability[ending]), np.array(heard.reserve)
        scores = rmia.rmia_scores(said.probability, p, about_reserve, reserve)
        yield book.enter("rmia_offline", ending, scores)


@dataclass
class Heard:
    """What shadow models said: about their own records (for Shokri's attack) and about the candidates."""

    own: dict[str, list[tuple[Said, bool]]]  # by protocol: outputs, and whether these were trained on
    logits: dict[str, list[np.ndarray]]  # by protocol, (k,) a model
    probability: dict[str, list[np.ndarray]]
    reserve: list[np.ndarray]  # (z,) a model

    def known(self, ending: str) -> "Known":
        from dpmia_lab.attacks.membership.shadow import Known

        own = self.own[ending]
        inside = np.concatenate([np.full(len(said.y), trained_on) for said, trained_on in own])
        confidences = np.concatenate([said.confidences for said, _ in own]).astype(np.float32)
        return Known(confidences, np.concatenate([said.y for said, _ in own]), inside)


def shadow_outputs(workshop: Workshop, candidates: Candidates) -> Stage[Heard]:
    """Train them some at a time, ask, and let go."""
    config, asked = workshop.config, candidates.protocols
    rng = numpy_generator(config.seed, "shadows")
    halves = shadow_halves(config.shadows, len(candidates.pool), config.records, rng)
    others = other_outsiders(candidates, halves, rng)
    heard = Heard({e: [] for e in asked}, {e: [] for e in asked}, {e: [] for e in asked}, [])

    def ask(number: int, model: "nn.Module") -> None:
        own, out = (candidates.pool.at(half) for half in halves[number])
        trained_on = outputs(workshop, model, own), True
        for ending, people in asked.items():
            strangers = out if ending == "" else others[number]
            heard.own[ending] += [trained_on, (outputs(workshop, model, strangers), False)]
            said = outputs(workshop, model, people.records)
            heard.logits[ending].append(said.logits)
            heard.probability[ending].append(said.probability)
        heard.reserve.append(outputs(workshop, model, candidates.reserve).probability)

    sets = ((candidates.pool.at(own), candidates.validation) for own, _ in halves)
    yield from workshop.ask_many(sets, config.shadows, ask, "shadow")
    return heard


def other_outsiders(candidates: Candidates, halves: list, rng: np.random.Generator) -> list[Records]:
    """Where paper C takes outsiders from another distribution, each shadow model's come from there too."""
    pool = candidates.shifted_pool
    if pool is None:
        return []
    return [pool.at(rng.permutation(len(pool))[: len(own)]) for own, _ in halves]


# ---- shadow models on halves of the candidates
def inside_attacks(workshop: Workshop, model: "nn.Module", candidates: Candidates, book: Book) -> Stage[dict]:
    """Carlini et al. and Zarifzadeh et al.: how would models with, and models without, this record speak of it?

    Returns what a page shows of single records: the shadow models' logits and who was in each.
    """
    config, people = workshop.config, candidates.same.records
    inside = candidate_halves(config.inside, len(people), numpy_generator(config.seed, "inside"))
    logits, probability, reserve = [], [], []

    def ask(_: int, shadow_model: "nn.Module") -> None:
        said = outputs(workshop, shadow_model, people)
        logits.append(said.logits)
        probability.append(said.probability)
        reserve.append(outputs(workshop, shadow_model, candidates.reserve).probability)

    sets = ((people.at(np.flatnonzero(row)), candidates.validation) for row in inside)
    training = workshop.ask_many(sets, config.inside, ask, "inside")
    yield from part(training, 0.0, 1.0, "training shadow models with and without each record")
    said, theirs = book.said[""], np.array(logits)
    yield book.enter("lira", "", lira.lira_scores(said.logits, theirs, inside, fixed_variance=False))
    yield book.enter("lira_fixed", "", lira.lira_scores(said.logits, theirs, inside, fixed_variance=True))
    about_reserve = outputs(workshop, model, candidates.reserve).probability
    p, z = np.array(probability), np.array(reserve)
    yield book.enter("rmia", "", rmia.online_rmia_scores(said.probability, p, inside, about_reserve, z))
    return {"shadow_logits": theirs.astype(np.float32), "shadow_inside": inside}

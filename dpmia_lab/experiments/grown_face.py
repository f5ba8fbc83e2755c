"""What lesson 8 opens with: forty confidences about a picture, and the face that a decoder makes of them as it learns.

The decoder is knowledge alignment's: it has seen other people's pictures and what the network says of them, and none
of the people whose faces it draws.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpmia_lab.attacks.confidences.views import FLOOR
from dpmia_lab.experiments.confidence_attacks import Attacker
from dpmia_lab.experiments.confidences import PRESETS, Config, Prepared, defence_of, trained_network
from dpmia_lab.files import write_whole
from dpmia_lab.game.network_answers import Answers
from dpmia_lab.metrics.reconstruction import correlations
from dpmia_lab.reference import FOLDER
from dpmia_lab.stages import Event, Snapshot, Stage, mapped, part

CONFIG: Config = PRESETS["faces"]
SHOWN = 8  # people
MANY = 12  # confidences that a decoder can tell from none
MOMENTS = 12  # of the decoder's training, the last among them
STORED = FOLDER / "grown_face.npz"


@dataclass(frozen=True, eq=False)
class Grown:
    """``vectors``: what the network says of each person's picture. Of the people the first is a good likeness."""

    names: tuple[str, ...]  # of all classes
    labels: np.ndarray  # (shown,)
    vectors: np.ndarray  # (shown, classes)
    truth: np.ndarray  # (shown, channels, height, width)
    frames: np.ndarray  # (moments, shown, channels, height, width)
    steps: np.ndarray  # (moments,): of the decoder's training
    average: np.ndarray  # (channels, height, width): mean of public pictures


def grown_faces(prepared: Prepared | None = None, config: Config = CONFIG) -> Stage[Grown]:
    prepared = prepared or Prepared(config)
    roles = yield from part(prepared.roles.result(), 0.0, 0.3)
    model = yield from part(trained_network(config, roles), 0.3, 0.8, "training the network")
    answers, attacker = Answers(model, defence_of(config), config.seed), Attacker(config, roles)
    vectors, seen = answers.once(attacker.truth), []

    def kept(event: Event) -> Event:
        if isinstance(event, Snapshot):
            seen.append((event.step, event.array))
        return event

    stage = attacker.alignment("alignment", ask=answers.once, known=roles.public)
    yield from part(mapped(stage, kept), 0.8, 1.0)
    some = np.unique(np.linspace(0, len(seen) - 1, MOMENTS).round().astype(int))
    steps, frames = zip(*(seen[place] for place in some), strict=True)
    average = roles.public.mean(0)
    order = likeness_first(frames[-1] - average, attacker.truth - average, vectors)
    return Grown(
        names=tuple(roles.class_names),
        labels=order,
        vectors=vectors[order],
        truth=attacker.truth[order],
        frames=np.stack(frames)[:, order],
        steps=np.array(steps),
        average=average,
    )


def likeness_first(drawn: np.ndarray, truth: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(shown,): the best likeness of those with many confidences to be seen, then the others as they come."""
    seen = (vectors > FLOOR).sum(1)
    alike = np.where(seen >= min(MANY, seen.max()), correlations(drawn, truth).diagonal(), -1)
    best = int(alike.argmax())
    return np.array([best, *(place for place in range(len(truth)) if place != best)][:SHOWN])


# ---- what ships
def stored_faces() -> Grown:
    """The same, computed beforehand, to be there before PyTorch is."""
    with STORED.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        stored = {name: arrays[name] for name in arrays.files}
    pictures = {name: stored.pop(name) / np.float32(255) for name in ("truth", "frames", "average")}
    return Grown(names=tuple(stored.pop("names").tolist()), **stored, **pictures)


def write_faces(made: Grown) -> None:
    arrays = {name: as_bytes(value) if name in ("truth", "frames", "average") else np.asarray(value)
              for name, value in vars(made).items()}  # fmt: skip
    write_whole(Path(str(STORED)), lambda file: np.savez_compressed(file, **arrays))


def as_bytes(pictures: np.ndarray) -> np.ndarray:
    return (255 * np.clip(pictures, 0, 1)).round().astype(np.uint8)

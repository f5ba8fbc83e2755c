"""The autoencoders that GMI may draw with: those of the presets' public pictures ship, others are trained in a run.

A stored one serves exactly the pictures it learnt from: of digits, those that are public under one seed are among the
attacked ones under another.
"""

from pathlib import Path

import numpy as np
import torch

from dpmia_lab.attacks.inversion.picture_vae import PictureVae, as_arrays, from_arrays, trained_vae
from dpmia_lab.devices import best_device
from dpmia_lab.files import write_whole
from dpmia_lab.reference import FOLDER
from dpmia_lab.seeds import torch_generator
from dpmia_lab.stages import Progress, Stage

SHIPPED = ("faces", "digits")  # presets of lesson 8


def public_vae(public: np.ndarray, seed: int) -> Stage[PictureVae]:
    """Of pictures (n, channels, height, width): the stored one if there is one, else trained."""
    stored = next((vae for vae in map(stored_vae, SHIPPED) if vae.learnt_from(public)), None)
    if stored is None:
        return (yield from newly_trained(public, seed))
    yield Progress(1, 1, "loading an autoencoder")
    return stored


def newly_trained(public: np.ndarray, seed: int) -> Stage[PictureVae]:
    x = torch.from_numpy(public).to(best_device())
    return (yield from trained_vae(x, generator=torch_generator(seed, "attack", "vae")))


# ---- what ships
def file_of(preset: str) -> Path:
    return Path(str(FOLDER / f"picture_vae_{preset}.npz"))


def stored_vae(preset: str) -> PictureVae:
    with np.load(file_of(preset), allow_pickle=False) as arrays:
        return from_arrays(arrays, best_device())


def write_vae(preset: str, made: PictureVae) -> None:
    write_whole(file_of(preset), lambda file: np.savez_compressed(file, **as_arrays(made)))

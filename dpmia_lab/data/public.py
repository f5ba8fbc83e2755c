"""What everybody may know before any private picture is looked at: roughly where pictures lie.

Private training is easier around a common point, and that point must not come from the private data.
"""

import numpy as np

from .faces import generated_faces

FACE_SETS = ("faces", "att_faces")
PEOPLE, PUBLIC_SEED = 50, 1_000_003  # people who appear in no lesson


def public_mean(data: str, shape: tuple[int, int, int]) -> np.ndarray:
    """(channels, height, width): the mean face of 50 other generated people; black for digits; else mid-grey."""
    name = data.split(":")[0]
    if name in FACE_SETS:
        return generated_faces(PEOPLE, 2, *shape[1:], PUBLIC_SEED)[0].mean(0)
    return np.full(shape, 0.0 if name in ("digits", "mnist", "mnist_varied") else 0.5, dtype=np.float32)

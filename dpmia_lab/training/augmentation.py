"""Augmentation: pictures turned, shifted and scaled a little each time they are trained on.

Through torchvision's functional transforms, as its classes draw from the global generator. A functional transform
moves a whole batch alike, so a batch is cut into small groups and each group is moved in its own way; batches are
shuffled every epoch, so a picture still meets other movements each time, and 128 of them take a few milliseconds.
"""

import torch

from dpmia_lab.torchvision_shim import import_torchvision

TOGETHER = 8  # pictures that are moved alike


def moved(
    x: torch.Tensor,  # (n, channels, height, width)
    generator: torch.Generator,
    *,
    angle: float = 10.0,  # degrees, at most, either way
    shift: float = 0.08,  # of height and of width, at most, either way
    scale: float = 0.1,  # smaller or larger by at most so much
    flip: bool = False,  # every picture's left and right swapped with chance ½
) -> torch.Tensor:
    """As many pictures, varied; x stays as it is. What comes in from outside a picture is black."""
    import_torchvision()
    from torchvision.transforms.v2 import functional

    groups = x.split(TOGETHER)
    bounds = torch.tensor([angle, shift * x.shape[3], shift * x.shape[2], scale])
    moves = (torch.rand(len(groups), 4, generator=generator).mul_(2).sub_(1) * bounds).tolist()
    smooth = functional.InterpolationMode.BILINEAR
    pieces = [
        functional.affine(own, turn, [right, down], 1 + larger, [0.0, 0.0], interpolation=smooth)
        for own, (turn, right, down, larger) in zip(groups, moves, strict=True)
    ]
    if not flip:
        return torch.cat(pieces)
    swapped = torch.rand(len(x), generator=generator).lt(0.5).to(x.device)[:, None, None, None]
    return torch.where(swapped, functional.horizontal_flip(torch.cat(pieces)), torch.cat(pieces))

"""What an attacker believes about pictures before looking at the model: R(x), low for likely pictures.

Each takes x (n, channels, height, width) and returns (n,): a *sum* over pixels, as in paper A,
so that its weight λ means the same whatever the number of pictures attacked at once.
"""

import torch

ALPHA, REACH = 0.9, 2  # α and p of equation 5, as published for faces
SPARSITY = 0.1  # weight of ℓ1 within ℓ1 + TV: smoothness leads, darkness breaks ties


def prior_values(name: str, x: torch.Tensor) -> torch.Tensor:
    if name == "none":
        return x.new_zeros(len(x))
    return {"l1": l1, "btv": bilateral_total_variation, "l1+tv": l1_and_total_variation}[name](x)


def l1(x: torch.Tensor) -> torch.Tensor:
    """‖x‖₁: prefers dark pictures with few bright strokes (eq. 4)."""
    return x.abs().flatten(1).sum(1)


def bilateral_total_variation(x: torch.Tensor) -> torch.Tensor:
    """Σ_{l=−p..p} Σ_{m=0..p, m+l≥0} α^{m+l} ‖x − S_x^l S_y^m x‖₁: prefers flat areas with edges (eq. 5).

    A shift does not wrap round: pixels without a shifted partner do not count.
    """
    total = x.new_zeros(len(x))
    for shift_x in range(-REACH, REACH + 1):
        for shift_y in range(REACH + 1):
            if shift_x + shift_y >= 0 and (shift_x, shift_y) != (0, 0):
                difference = shifted_difference(x, shift_x, shift_y)
                total = total + ALPHA ** (shift_y + shift_x) * difference.abs().flatten(1).sum(1)
    return total


def shifted_difference(x: torch.Tensor, shift_x: int, shift_y: int) -> torch.Tensor:
    """x minus itself moved ``shift_x`` to the right and ``shift_y`` down, where both exist."""
    height, width = x.shape[-2:]
    here = x[..., shift_y:, max(shift_x, 0) : width + min(shift_x, 0)]
    there = x[..., : height - shift_y, max(-shift_x, 0) : width + min(-shift_x, 0)]
    return here - there


def l1_and_total_variation(x: torch.Tensor) -> torch.Tensor:
    """The lab's own: total variation (neighbours alike) and a little ℓ1."""
    across = shifted_difference(x, 1, 0).abs().flatten(1).sum(1)
    down = shifted_difference(x, 0, 1).abs().flatten(1).sum(1)
    return across + down + SPARSITY * l1(x)

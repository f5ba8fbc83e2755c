"""What an attacker believes about pictures before looking at the model: R(x), low for likely pictures.

Each takes x (n, channels, height, width) and returns (n,): a *sum* over pixels, as in paper A,
so that its weight λ means the same whatever the number of pictures attacked at once.
"""

import torch

ALPHA, REACH = 0.9, 2  # α and p of equation 5, as published for faces
SPARSITY = 0.1  # weight of ℓ1 within ℓ1 + TV: smoothness leads, darkness breaks ties


Shift = tuple[int, int, float]  # pixels to the right, pixels down, and the weight of that pair
BILATERAL: tuple[Shift, ...] = tuple(
    (right, down, ALPHA ** (down + right))
    for right in range(-REACH, REACH + 1)
    for down in range(REACH + 1)
    if right + down >= 0 and (right, down) != (0, 0)
)
NEXT: tuple[Shift, ...] = ((1, 0, 1.0), (0, 1, 1.0))
# Each prior is weights·variation + sparsity·ℓ1: the shifts that it compares a picture with, and the weight of ℓ1.
PRIORS: dict[str, tuple[tuple[Shift, ...], float]] = {
    "none": ((), 0.0),
    "l1": ((), 1.0),  # ‖x‖₁: prefers dark pictures with few bright strokes (eq. 4)
    # Σ_{l=−p..p} Σ_{m=0..p, m+l≥0} α^{m+l} ‖x − S_x^l S_y^m x‖₁: prefers flat areas with edges (eq. 5)
    "btv": (BILATERAL, 0.0),
    "l1+tv": (NEXT, SPARSITY),  # the lab's own: total variation (neighbours alike) and a little ℓ1
}


def prior_values(name: str, x: torch.Tensor) -> torch.Tensor:
    """(n,): R(x).  A shift does not wrap round: pixels without a shifted partner do not count."""
    shifts, sparsity = PRIORS[name]
    total = sparsity * x.abs().flatten(1).sum(1)
    for right, down, weight in shifts:
        here, there = shifted(x, right, down)
        total = total + weight * (here - there).abs().flatten(1).sum(1)
    return total


@torch.no_grad()
def prior_gradients(name: str, x: torch.Tensor) -> torch.Tensor:
    """∇R(x), like x: what autograd makes of ``prior_values`` (a test holds them equal) in a third of the time."""
    shifts, sparsity = PRIORS[name]
    gradient = sparsity * x.sign()
    for right, down, weight in shifts:
        here, there = shifted(x, right, down)
        sign = (here - there).sign_().mul_(weight)
        to, back = shifted(gradient, right, down)
        to.add_(sign)
        back.sub_(sign)
    return gradient


def shifted(x: torch.Tensor, right: int, down: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Of x and of itself moved ``right`` and ``down`` the part where both exist, as views of x."""
    height, width = x.shape[-2:]
    here = x[..., down:, max(right, 0) : width + min(right, 0)]
    there = x[..., : height - down, max(-right, 0) : width + min(-right, 0)]
    return here, there

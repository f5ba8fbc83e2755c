"""Picture filters an attacker may use: within each step (Process, E Algorithm 2) or afterwards."""

import torch
from torch.nn import functional as F

LEAST_RADIUS = 0.05  # pixels: a neighbour's weight, e^(−200), is 0 in single precision


def processed(x: torch.Tensor, name: str) -> torch.Tensor:
    """x (n, channels, height, width) through the named filter."""
    return {"none": lambda x: x, "denoise": denoised, "sharpen": sharpened}[name](x)


def denoised(x: torch.Tensor) -> torch.Tensor:
    """Median of the 3x3 neighbourhood: lone odd pixels go, edges stay."""
    n, channels, height, width = x.shape
    padded = F.pad(x, (1, 1, 1, 1), mode="replicate")
    neighbours = F.unfold(padded, 3).view(n, channels, 9, height, width)
    return neighbours.median(2).values


def sharpened(x: torch.Tensor, amount: float = 0.5) -> torch.Tensor:
    """Unsharp mask: away from the blurred picture, kept within [0, 1]."""
    return (x + amount * (x - smoothed(x, 1.0))).clamp(0, 1)


def smoothed(x: torch.Tensor, radius: float) -> torch.Tensor:
    """Gaussian blur of that standard deviation in pixels; so little that no neighbour counts leaves it alone."""
    if radius < LEAST_RADIUS:
        return x
    reach = max(1, round(3 * radius))
    offsets = torch.arange(-reach, reach + 1, device=x.device, dtype=x.dtype)
    kernel = torch.exp(-0.5 * (offsets / radius) ** 2)
    kernel = (kernel / kernel.sum()).view(1, 1, 1, -1)
    flat = x.flatten(0, 1)[:, None]  # (n·channels, 1, height, width): every channel blurred alike
    flat = F.conv2d(F.pad(flat, (reach, reach, 0, 0), mode="replicate"), kernel)
    flat = F.conv2d(F.pad(flat, (0, 0, reach, reach), mode="replicate"), kernel.transpose(2, 3))
    return flat[:, 0].view_as(x)

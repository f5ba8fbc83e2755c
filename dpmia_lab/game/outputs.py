"""What a model says about records, as arrays: all that most attacks ever see of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpmia_lab.attacks.membership import signals

if TYPE_CHECKING:  # torch is loaded by a run, not by the page that merely shows the controls
    import torch
    from torch import nn

AT_ONCE = 2048  # records


@dataclass(frozen=True)
class Outputs:
    """A model's outputs on k records."""

    confidences: np.ndarray  # (k, C)
    logits: np.ndarray  # (k,): log p/(1 − p) of the true label, without the rounding of a saturated softmax
    y: np.ndarray


def outputs_of(
    model: "nn.Module",
    x: "torch.Tensor",
    y: np.ndarray,
    answers: "Callable[[nn.Module, torch.Tensor], torch.Tensor] | None" = None,
) -> Outputs:
    """x: (k, …) as the model takes them; without dropout. ``answers``: what a defence lets it say, as logarithms."""
    import torch

    was = model.training
    model.eval()
    with torch.no_grad():
        said = model if answers is None else lambda piece: answers(model, piece)
        z = torch.cat([said(piece.float()) for piece in x.split(AT_ONCE)]).double().cpu()
    model.train(was)
    return Outputs(torch.softmax(z, 1).numpy(), signals.logit_confidences_of_logits(z.numpy(), y), y)


def last_layer_inputs(model: "nn.Module", x: "torch.Tensor") -> np.ndarray:
    """(k, d): what goes into the model's last layer; with the errors p − 1_y it gives that layer's gradient.

    Of a user's own model that has no linear layer, or does not use it once a record, the logits instead.
    """
    import torch
    from torch import nn

    linear = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    inputs, logits = [], []
    hooks = [one.register_forward_pre_hook(lambda _, given: inputs.append(given[0])) for one in linear[-1:]]
    try:
        with torch.no_grad():
            for piece in x.split(AT_ONCE):
                logits.append(model(piece.float()))
    finally:
        for hook in hooks:
            hook.remove()
    fits = [len(one) for one in inputs] == [len(one) for one in logits]
    return torch.cat(inputs if fits else logits).flatten(1).cpu().numpy()

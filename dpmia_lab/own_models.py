"""Models of the user's own: what a factory must give, the lab's part in it, and what is refused.

The contract, ``--model module:function``:

    def function(shape: tuple[int, ...], classes: int) -> nn.Module

``shape`` is that of one record: (features,) for bits, (channels, height, width) for pictures, (nodes, nodes) for
graphs. The module takes floats (n, *shape) to logits (n, classes): no softmax at the end.

- The lab calls the function for every model it trains, under a random state of its own: layers may draw their start
  from the global generators as usual, the same seed gives the same start, and nothing leaks out.
- nn.Dropout is replaced by one that draws from a generator of its own; other layers that draw while training are
  refused, since the same seed would not give the same run.
- In eval() mode a record's answer must not depend on the others of its batch.
- Plain training, attacks on membership and inversion work with any module. DP-SGD wants layers whose gradients
  ``privacy/layers.py`` knows, without batch normalisation; a defence that does not fit says so in a sentence.
"""

import contextlib
import random
from collections.abc import Iterator
from functools import cache

import numpy as np
import torch
from torch import nn

from dpmia_lab.checks import Mistake
from dpmia_lab.models import Dropout, with_dropout
from dpmia_lab.own_code import code_digest, function_called, raised

RECORDS = 5  # a model is tried with
CLOSE = 1e-4  # of the size of the logits: what rounding may change


def new_own_model(
    name: str, shape: tuple[int, ...], classes: int, generator: torch.Generator, dropout: float = 0.0
) -> nn.Module:
    """A fresh model of the user's, fixed by the passed generator; tried once before it is used."""
    check_own_model(name, tuple(shape), classes, code_digest(name))
    model = built(name, shape, classes, generator)
    return with_dropout(model, dropout, generator) if dropout else model


def built(name: str, shape: tuple[int, ...], classes: int, generator: torch.Generator) -> nn.Module:
    make = function_called(name)
    seed = int(torch.randint(2**62, (1,), generator=generator))
    with own_random_state(seed):
        try:
            model = make(tuple(shape), classes)
        except Exception as error:  # whatever somebody's code may raise
            asked_for = f"records of shape {tuple(shape)} and {classes} classes"
            raise Mistake(f"{name} must return a model for {asked_for}; it raises {raised(error)}.") from None
    if not isinstance(model, nn.Module):
        raise Mistake(f"{name} must return an nn.Module; it returns {indefinite(model)}.")
    for layer in model.modules():
        if isinstance(layer, nn.modules.batchnorm._BatchNorm):
            layer.register_forward_pre_hook(rest_when_alone)
            layer.register_forward_hook(go_on)
    return with_own_dropout(model, torch.Generator().manual_seed(seed + 1))


@contextlib.contextmanager
def own_random_state(seed: int) -> Iterator[None]:
    """PyTorch's, NumPy's and Python's global generators seeded for a while, then as they were."""
    states = torch.random.default_generator.get_state(), np.random.get_state(), random.getstate()
    torch.random.default_generator.manual_seed(seed)
    np.random.seed(seed % 2**32)
    random.seed(seed)
    try:
        yield
    finally:
        torch.random.default_generator.set_state(states[0])
        np.random.set_state(states[1])
        random.setstate(states[2])


def with_own_dropout(model: nn.Module, generator: torch.Generator) -> nn.Module:
    """Every nn.Dropout replaced by the lab's, which draws from ``generator``."""
    for parent in list(model.modules()):
        for name, layer in parent.named_children():
            if type(layer) is nn.Dropout:
                setattr(parent, name, Dropout(layer.p, generator))
    return model


def rest_when_alone(layer: nn.Module, given: tuple) -> None:
    """Batch normalisation cannot normalise a last batch of one record by itself: its running means do it."""
    layer.rests = layer.training and len(given[0]) == 1
    if layer.rests:
        layer.eval()


def go_on(layer: nn.Module, given: tuple, output: torch.Tensor) -> None:
    if layer.rests:
        layer.train()


def ends_in_linear(model: nn.Module) -> bool:
    return type(model) is nn.Sequential and len(model) > 0 and isinstance(model[-1], nn.Linear)


# ---- what is tried, once for each state of the code
@cache
def check_own_model(name: str, shape: tuple[int, ...], classes: int, code: str) -> None:
    """Refuse, in one sentence, what would fail or mislead later."""
    model = built(name, shape, classes, torch.Generator().manual_seed(0))
    check_alike(name, model, built(name, shape, classes, torch.Generator().manual_seed(0)))
    x = torch.rand(RECORDS, *shape, generator=torch.Generator().manual_seed(1))
    logits = asked(name, model.eval(), x)
    if not torch.is_tensor(logits) or logits.shape != (RECORDS, classes):
        found = tuple(logits.shape) if torch.is_tensor(logits) else indefinite(logits)
        rule = f"answer with logits {(RECORDS, classes)} for records {tuple(x.shape)}"
        raise Mistake(f"{name} must {rule}; it gives {found}.")
    if not torch.isfinite(logits).all():
        raise Mistake(f"{name} must answer with finite numbers; it gives {worst_number(logits)}.")
    check_each_alone(name, model, x, logits)
    check_trainable(name, model, x)
    check_draws(name, model, x)


def check_alike(name: str, one: nn.Module, other: nn.Module) -> None:
    first, second = one.state_dict(), other.state_dict()
    differs = [key for key in first if key not in second or not torch.equal(first[key], second[key])]
    if differs or first.keys() != second.keys():
        rule = "start alike whenever it is seeded alike"
        raise Mistake(f"{name} must {rule}; two models differ in {(differs or ['their layers'])[0]}.")


def check_each_alone(name: str, model: nn.Module, x: torch.Tensor, logits: torch.Tensor) -> None:
    alone = torch.cat([asked(name, model, record[None]) for record in x])
    if alone.shape != logits.shape or not close(alone, logits):
        rule = "answer about each record by itself in eval() mode"
        raise Mistake(f"{name} must {rule}; its answers change with the other records of the batch.")


def check_trainable(name: str, model: nn.Module, x: torch.Tensor) -> None:
    trained = {key: p for key, p in model.named_parameters() if p.requires_grad}
    if not trained:
        raise Mistake(f"{name} must have a parameter to train; it has none.")
    with own_random_state(0), torch.enable_grad():
        logits = model.train()(x)
        if not logits.requires_grad:
            raise Mistake(f"{name} must be differentiable; its logits have no gradient.")
        gradients = torch.autograd.grad(logits.logsumexp(1).sum(), list(trained.values()), allow_unused=True)
    unused = [key for key, gradient in zip(trained, gradients, strict=True) if gradient is None]
    if unused:
        raise Mistake(f"{name} must use every parameter it trains; the logits do not depend on {unused[0]}.")


@torch.no_grad()
def check_draws(name: str, model: nn.Module, x: torch.Tensor) -> None:
    """Nothing may be drawn while training but by the lab's own dropout, which is switched off here."""
    model.train()
    for layer in model.modules():
        if isinstance(layer, Dropout):
            layer.eval()
    said = []
    for seed in (0, 1):
        with own_random_state(seed):
            said.append(model(x))
    if not close(*said):
        rule = "draw nothing while it trains but by nn.Dropout, since the same seed would not give the same run"
        raise Mistake(f"{name} must {rule}; {drawing_layer(model)}.")


def drawing_layer(model: nn.Module) -> str:
    kinds = nn.modules.dropout._DropoutNd, nn.RReLU
    found = [(key, layer) for key, layer in model.named_modules() if isinstance(layer, kinds)]
    found += [(k, layer) for k, layer in model.named_modules() if getattr(layer, "dropout", 0) and not found]
    return f"{found[0][0]} is a {type(found[0][1]).__name__}" if found else "its forward does"


def asked(name: str, model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    try:
        with torch.no_grad(), own_random_state(0):
            return model(x)
    except Exception as error:  # whatever somebody's code may raise
        raise Mistake(f"{name} must take floats {tuple(x.shape)}; it raises {raised(error)}.") from None


# ---- words
def close(one: torch.Tensor, other: torch.Tensor) -> bool:
    return bool((one - other).abs().max() <= CLOSE * (1 + other.abs().max()))


def indefinite(thing: object) -> str:
    return "nothing" if thing is None else f"a {type(thing).__name__}"


def worst_number(logits: torch.Tensor) -> float:
    return float(logits[~torch.isfinite(logits)][0])

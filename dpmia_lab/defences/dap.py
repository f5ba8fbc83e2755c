"""Discriminative adversarial privacy, DAP (paper D): a model that learns to fool one membership attacker.

Shadow models on records held aside teach a discriminator D, which is frozen; then the classifier learns, and fools D;
of all epochs that of the highest AOP(λ) is kept. It promises nothing: it is measured.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import Mistake, between, one_of, positive, true_or_false, whole
from dpmia_lab.defences.base import Recipe, Task, TrainingSet, new_model
from dpmia_lab.defences.steered import FED, Steered, aside_of, held_aside
from dpmia_lab.defences.undefended import Undefended
from dpmia_lab.options import number_text, option
from dpmia_lab.own_code import is_own
from dpmia_lab.stages import Progress, Stage, part

if TYPE_CHECKING:
    import torch
    from torch import nn

    from dpmia_lab.training.course import Rule
    from dpmia_lab.training.discriminator import Discriminator

FEEDS, LAYERS, KEEPS = ("train", "validation"), ("last", "all"), ("aop", "last")


@dataclass(frozen=True)
class Dap(Steered):
    title: ClassVar[str] = "DAP: fools an attacker"
    holds_aside: ClassVar[bool] = True

    r: float = option(0.2, "dap: r, how much fooling weighs against learning (0: nothing)", called="r")
    feed: str = option("train", "dap: whose records the protecting step sees, train (DAP_t) or validation (DAP_v)")
    layers: str = option("last", "dap: what the protecting step moves, last (as published) or all (as printed)")
    keep: str = option("aop", "dap: the epoch that is kept, that of the highest AOP (aop) or the last")
    lam: float = option(2.0, "dap: λ of that AOP", called="lam")
    learns: bool = option(False, "dap: the discriminator learns on (min-max), else it is frozen")
    teachers: int = option(8, "dap: shadow models that teach the discriminator")
    low: float = option(0.25, "dap: least β", called="beta_low")
    high: float = option(4.0, "dap: largest β", called="beta_high")

    def __post_init__(self) -> None:
        between(0, 1000, r=self.r, lam=self.lam)
        one_of(FEEDS, feed=self.feed)
        one_of(LAYERS, layers=self.layers)
        one_of(KEEPS, keep=self.keep)
        true_or_false(learns=self.learns)
        whole(1, 64, teachers=self.teachers)
        positive(beta_low=self.low, beta_high=self.high)
        if self.low > self.high:
            raise Mistake(f"beta_low must be at most beta_high, {number_text(self.high)}; it is {self.low!r}.")

    def words(self) -> str:
        moved = "" if self.layers == "last" else ", all layers"
        learning = ", D learns on" if self.learns else ""
        return f"DAP_{self.feed[0]}, r = {number_text(self.r)}{moved}{learning}"

    def fits(self, task: Task) -> str:
        return why_no_last_layer(task) if self.layers == "last" else ""

    def prepare(
        self, task: Task, held: "tuple[torch.Tensor, torch.Tensor]", recipe: Recipe, generator: "torch.Generator"
    ) -> "Stage[Discriminator]":
        x, y = held_aside(held, "dap")
        fed = round(FED * len(y))
        return (yield from taught_discriminator(task, x[:fed], y[:fed], recipe, self.teachers, generator))

    def rule(
        self, sets: Sequence[TrainingSet], generators: "Sequence[torch.Generator]", recipe: Recipe, *usual
    ) -> "Rule":
        from dpmia_lab.training.adversarial import Balance, Fooling, FoolingRule

        how = Fooling(
            sets[0].prepared,
            aside_of(sets[0], "dap"),
            Balance(self.r, self.low, self.high),
            self.feed,
            self.layers == "last",
            self.learns,
            self.lam if self.keep == "aop" else None,
        )
        return FoolingRule(how, generators, *usual)


def why_no_last_layer(task: Task) -> str:
    """Of a user's own model, whose last layer is to be moved by itself."""
    if not is_own(task.model):
        return ""
    import torch
    from torch import nn

    model = new_model(task, torch.Generator().manual_seed(0))
    linear = [layer for layer in model.modules() if isinstance(layer, nn.Linear)]
    own, last = list(model.parameters()), list(linear[-1].parameters()) if linear else []
    if last and all(one is other for one, other in zip(own[-len(last) :], last, strict=True)):
        return ""
    return f"DAP does not fit {task.model}: its last parameters must be those of a Linear layer (or take layers = all)."


def taught_discriminator(
    task: Task, x: "torch.Tensor", y: "torch.Tensor", recipe: Recipe, teachers: int, generator: "torch.Generator"
) -> "Stage[Discriminator]":
    """D, from undefended shadow models, each on a random half of x (n, …); the other half is outside."""
    import torch

    from dpmia_lab.training.discriminator import taught

    seeds = torch.randint(2**62, (teachers, 2), generator=generator).tolist()
    models = [new_model(task, torch.Generator().manual_seed(start)).to(x.device) for start, _ in seeds]
    orders = [torch.Generator().manual_seed(order) for _, order in seeds]
    inside = [torch.randperm(len(y), generator=generator) < len(y) // 2 for _ in seeds]
    sets = [TrainingSet(x[own.to(x.device)], y[own.to(x.device)]) for own in inside]
    yield from part(trained(models, sets, recipe, orders), 0.0, 0.85, "training the discriminator's shadow models")
    said = []
    for model, own in zip(models, inside, strict=True):
        with torch.no_grad():
            said.append((model.eval()(x.float()), y, own.to(x.device)))
    return (yield from part(taught(said, generator), 0.85, 1.0))


def trained(
    models: "list[nn.Module]", sets: list[TrainingSet], recipe: Recipe, orders: "list[torch.Generator]"
) -> Stage[None]:
    """Plainly: together where their shape allows."""
    plain = Undefended()
    recipe = Recipe(recipe.epochs, recipe.rate, recipe.batch, recipe.optimizer, recipe.decay)
    if plain.stacks(models[0]):
        yield from plain.train_many(models, sets, recipe, orders)
        return
    for place, (model, own, order) in enumerate(zip(models, sets, orders, strict=True)):
        yield from part(plain.train(model, own, recipe, order), place / len(models), (place + 1) / len(models))
    yield Progress(1, 1, "training")

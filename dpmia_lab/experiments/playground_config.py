"""A position of the playground's sliders, flat and self-checking, and the defence that is built from it."""

from dataclasses import dataclass

from dpmia_lab.checks import between, not_negative, one_of, whole
from dpmia_lab.defences import DEFENCES
from dpmia_lab.defences.base import Defence, Recipe
from dpmia_lab.defences.networks.mid import Mid
from dpmia_lab.experiments.playground_people import SHELF, Prepared
from dpmia_lab.experiments.playground_sliders import PLAYED
from dpmia_lab.options import option
from dpmia_lab.privacy.accounting import Guarantee, default_delta
from dpmia_lab.privacy.local import LocalGuarantee

STEPS, CLIP, RATE = 60, 1.0, 2.0  # of DP-SGD: T, S, η
PLAIN = Recipe(epochs=12, rate=0.05, batch=64)  # Adam, for whatever adds no noise to gradients
NOISY = Recipe(1, RATE, optimizer="sgd")  # q and T are the defence's own


@dataclass(frozen=True)
class Config:
    data: str = option("faces", "faces, purchases_like (carts), or the path of a small .npz of yours")
    defence: str = option("none", f"what protects: {', '.join(PLAYED)}")
    sigma: float = option(1.0, "central, units: σ, noise multiplier")
    epsilon: float = option(0.0, "central, units: ε for which σ is found (0: σ as it is given)")
    q: float = option(0.5, "central, units: each unit's chance to join a step")
    unit: str = option("class", "units: class or subclass")
    k_sub: int = option(3, "units: subclasses a class is divided into")
    lam: float = option(0.03, "mid: λ, weight of the code's information")
    r: float = option(1.0, "dap: r, how much fooling weighs against learning")
    dropout: float = option(0.5, "dropout: share of inputs left out in a step")
    epsilon_i: float = option(20.0, "local: ε of one pixel or bit")
    after: int = option(3, "stopping: epochs after which training ends")
    smoothing: float = option(0.2, "smoothing: s of labels (1 - s)·1 + s/C")
    shadows: int = option(16, "models, each the target in its turn and the others its attacker's shadow models; even")
    seed: int = option(0, "fixes every random choice")

    def __post_init__(self) -> None:
        one_of(PLAYED, defence=self.defence)
        between(0.01, 1000, sigma=self.sigma)
        not_negative(epsilon=self.epsilon)
        between(0.01, 1, q=self.q)
        one_of(("class", "subclass"), unit=self.unit)
        whole(1, 100, k_sub=self.k_sub)
        between(0, 100, lam=self.lam)
        between(0, 1000, r=self.r)
        between(0, 0.95, dropout=self.dropout)
        between(0.001, 1_000_000, epsilon_i=self.epsilon_i)
        whole(1, 1000, after=self.after)
        between(0, 0.95, smoothing=self.smoothing)
        one_of(range(6, 65, 2), shadows=self.shadows)
        whole(0, 2**31 - 1, seed=self.seed)


def prepared(config: Config) -> Prepared:
    """People, judge and whatever else all positions share; kept for the next one."""
    return SHELF.get(config.data, config.seed)


def units_of(config: Config, people: Prepared) -> int:
    """How many there are of what is hidden in each training set."""
    if config.defence != "units":
        return people.members
    return people.classes * (1 if config.unit == "class" else config.k_sub)


def defence_of(config: Config, people: Prepared) -> Defence:
    c, delta = config, default_delta(units_of(config, people))
    noise = {"sigma": c.sigma, "clip": CLIP, "q": c.q, "steps": STEPS, "epsilon": c.epsilon, "delta": delta}
    match c.defence:
        case "central":
            return DEFENCES["central"](**noise)
        case "units":
            return DEFENCES["units"](**noise, unit=c.unit, k_sub=c.k_sub)
        case "local":
            return DEFENCES["local"](epsilon_i=c.epsilon_i)
        case "mid":
            return Mid(lam=c.lam)
        case "dap":
            return DEFENCES["dap"](r=c.r)
        case "dropout":
            return DEFENCES["regularised"](dropout=c.dropout)
        case "stopping":
            return DEFENCES["stopping"](after=c.after)
        case "smoothing":
            return DEFENCES["smoothing"](share=c.smoothing)
    return DEFENCES["none"]()


def recipe_of(config: Config) -> Recipe:
    return NOISY if config.defence in ("central", "units") else PLAIN


def promise_of(
    config: Config, people: Prepared, accountant: str = "moments"
) -> Guarantee | LocalGuarantee | None:
    """What is promised; by the moments accountant at once, by the tight one (PLD) after a while."""
    defence, units = defence_of(config, people), units_of(config, people)
    if config.defence not in ("central", "units"):
        return defence.promise(people.task, recipe_of(config), units)
    return defence.dp_sgd(recipe_of(config), units).guarantee(defence.hidden(), accountant)

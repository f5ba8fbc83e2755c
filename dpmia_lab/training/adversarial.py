"""Training that also fools a membership discriminator: DAP (paper D), its min-max form, and Nasr et al. 2018.

DAP descends on CE + β·(−log of D being fooled): members are labelled "outsider" (DAP_t), or outsiders held aside
"member" (DAP_v), and the loss is minimised: no minus sign. Fooling moves the last layer (as published) or all of them
(as printed). Both gradients make one step: with Adam a step of its own would be of one length whatever β is.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch
from torch.nn import functional as F

from dpmia_lab.training.course import Rule, error_at
from dpmia_lab.training.discriminator import RATE, Discriminator, gradients_of
from dpmia_lab.training.keeping import Kept, aops, aucs
from dpmia_lab.training.losses import cross_entropies
from dpmia_lab.training.optimizers import Adam
from dpmia_lab.training.side_by_side import Records, added, all_looked_at

MOST_LOOKED_AT = 1000  # members, at the end of an epoch


@dataclass(frozen=True)
class Balance:
    """β(t, r): 1 in the first epoch, then r·CE_v/D_v of the epoch before, kept from ``low`` to ``high``.

    CE_v and D_v are the two losses on validation records; the swapped label of these is "member", so D_v is the mean of
    −log D. With r = 0 there is no fooling at all: β is 0 from the start.
    """

    r: float = 0.2
    low: float = 0.25
    high: float = 4.0

    def first(self, count: int) -> torch.Tensor:
        return torch.full((count,), 1.0 if self.r else 0.0)

    def after(self, ce: torch.Tensor, d: torch.Tensor) -> torch.Tensor:
        """(M,): for the next epoch."""
        if not self.r:
            return torch.zeros_like(ce)
        return (self.r * ce / d.clamp(min=1e-12)).clamp(self.low, self.high)


@dataclass(frozen=True)
class Aside:
    """Records held aside: some feed the steps that need outsiders, others only tell how an epoch went."""

    fed: Records
    validation: Records

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.fed[1]), len(self.validation[1])


@dataclass(frozen=True)
class Fooling:
    """How DAP fools D."""

    discriminator: Discriminator
    aside: Aside
    balance: Balance = field(default_factory=Balance)
    feed: str = "train"  # DAP_t, or "validation": DAP_v
    last: bool = True  # fooling moves the last layer only
    learns: bool = False  # whether D learns on: the formula's max
    lam: float | None = 2.0  # λ of the AOP whose best epoch is kept; None: the last epoch


def fooled_loss(discriminator: Discriminator, logits: torch.Tensor, y: torch.Tensor, member: bool) -> torch.Tensor:
    """(M,): −log of D being fooled about records that are members, or that are not."""
    said = discriminator.judged(logits, y)
    return F.softplus(said if member else -said).mean(1)  # −log(1 − D) for members, −log D for others


class Outsiders:
    """Records held aside, drawn for each model by its own generator; and how a discriminator learns by them."""

    def __init__(self, rule: Rule, records: Records, generators: Sequence[torch.Generator]) -> None:
        self.group, self.generators, self.size = rule.group, generators, len(records[1])
        self.fed = rule.group.gathering([records] * rule.group.count)
        self.device = rule.group.parameters[0].device

    def drawn(self, count: int) -> Records:
        chosen = torch.stack([torch.randint(self.size, (count,), generator=own) for own in self.generators])
        return self.fed(chosen.to(self.device))

    def teach(self, discriminator: Discriminator, optimizer: Adam, members: Records, others: Records) -> None:
        """One step: x and y of members and of as many others, each (M, batch, …)."""
        (x, y), (other_x, other_y) = members, others
        logits = torch.cat([self.group.looked(x), self.group.looked(other_x)], 1)
        inside = torch.cat([torch.ones_like(y), torch.zeros_like(other_y)], 1).to(logits.dtype)
        found, _ = gradients_of(discriminator, logits, torch.cat([y, other_y], 1), inside)
        optimizer.step(found)


class Watching(Rule):
    """Looks at members and validation records at the end of an epoch, and keeps the best one by AOP(λ).

    Scores are those of the plainest attack, minus the loss.
    """

    def __init__(self, aside: Aside, lam: float | None, *usual) -> None:
        super().__init__(*usual)
        self.aside, self.lam = aside, lam
        self.validation = self.group.gathering([aside.validation] * self.group.count)
        self.kept = None if lam is None else Kept(self.group.stacked())

    def scores(self, logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """(M, n), higher for members."""
        return -cross_entropies(logits, y)

    @torch.no_grad()
    def after_epoch(self, epoch: int) -> dict[str, float]:
        logits, y = all_looked_at(self.group, self.validation, self.aside.sizes[1])
        inside = all_looked_at(self.group, self.members, min(self.n, MOST_LOOKED_AT))
        auc = aucs(self.scores(*inside), self.scores(logits, y))
        accuracy = (logits.argmax(2) == y).double().mean(1)
        worth = aops(accuracy, auc.to(accuracy.device), 2.0 if self.lam is None else self.lam)
        if self.kept is not None:
            self.kept.after_epoch(epoch, worth)
        ce = cross_entropies(logits, y).mean(1)
        told = {"validation_loss": ce, "accuracy": accuracy, "auc": auc, "aop": worth, **self.more(logits, y, ce)}
        return {name: float(values.double().mean()) for name, values in told.items()}

    def more(self, logits: torch.Tensor, y: torch.Tensor, ce: torch.Tensor) -> dict[str, torch.Tensor]:
        """What else is to be told, each (M,), from what the models say of validation records."""
        return {}

    def end(self) -> dict[str, float]:
        if self.kept is None:
            return {"kept": float(self.steps.epochs)}
        self.kept.restore()
        return {"kept": float(self.kept.epoch.double().mean())}


class FoolingRule(Watching):
    """DAP. Scores are those of D."""

    def __init__(self, how: Fooling, generators: Sequence[torch.Generator], *usual) -> None:
        super().__init__(how.aside, how.lam, *usual)
        self.how, group = how, self.group
        self.discriminator = how.discriminator.copies(group.count) if how.learns else how.discriminator
        self.learning = Adam(self.discriminator.parameters, RATE) if how.learns else None
        self.outsiders = Outsiders(self, how.aside.fed, generators)
        self.beta = how.balance.first(group.count).to(self.outsiders.device)

    def scores(self, logits: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return self.discriminator.judged(logits, y)

    def gradients(self, x: torch.Tensor, y: torch.Tensor, epoch: int) -> tuple[list[torch.Tensor], torch.Tensor]:
        """∇CE + β·∇(−log of D being fooled); before that, in the min-max form, D learns."""
        if not self.how.balance.r:
            return super().gradients(x, y, epoch)
        members = self.how.feed == "train"
        others = self.outsiders.drawn(x.shape[1]) if not members or self.learning is not None else None
        if self.learning is not None:
            self.outsiders.teach(self.discriminator, self.learning, (x, y), others)
        protecting = self.protecting(*((x, y) if members else others), members)
        learning, losses = super().gradients(x, y, epoch)
        return added(learning, protecting), losses

    def protecting(self, x: torch.Tensor, y: torch.Tensor, members: bool) -> list[torch.Tensor]:
        logits = self.group.logits(x)
        error, _ = error_at(lambda leaf: self.beta * fooled_loss(self.discriminator, leaf, y, members), logits)
        return [g.clone() for g in self.group.gradients(self.group.own_form(error), self.how.last)]

    def more(self, logits: torch.Tensor, y: torch.Tensor, ce: torch.Tensor) -> dict[str, torch.Tensor]:
        """β as it was in this epoch; then it is set for the next."""
        d = fooled_loss(self.discriminator, logits, y, member=False)
        was, self.beta = self.beta, self.how.balance.after(ce, d)
        return {"fooled_loss": d, "beta": was}


class AdversarialRule(Rule):
    """Nasr, Shokri & Houmansadr 2018: each step the inference model h learns, then the classifier minimises
    CE + λ·log h on its batch; h starts from nothing, and learns members from records held aside (their Algorithm 1)."""

    def __init__(self, aside: Aside, weight: float, generators: Sequence[torch.Generator], classes: int, *usual):
        super().__init__(*usual)
        self.weight, self.outsiders = weight, Outsiders(self, aside.fed, generators)
        started = [Discriminator(1, classes, own) for own in generators]
        self.adversary = started[0].copies(self.group.count)
        self.adversary.parameters = [torch.cat(p) for p in zip(*(one.parameters for one in started), strict=True)]
        self.adversary.to(self.outsiders.device)
        self.learning = Adam(self.adversary.parameters, RATE)

    def error(self, logits: torch.Tensor, y: torch.Tensor, epoch: int) -> tuple[torch.Tensor, torch.Tensor]:
        """The gain of h, E[log h] over members, is what the classifier pays λ for."""
        error, losses = self.group.cross_entropy_error(logits, y)
        if not self.weight:
            return error, losses
        gain, _ = error_at(lambda leaf: self.weight * F.logsigmoid(self.adversary.judged(leaf, y)).mean(1), logits)
        return error + self.group.own_form(gain), losses

    def gradients(self, x: torch.Tensor, y: torch.Tensor, epoch: int) -> tuple[list[torch.Tensor], torch.Tensor]:
        if self.weight:
            self.outsiders.teach(self.adversary, self.learning, (x, y), self.outsiders.drawn(x.shape[1]))
        return super().gradients(x, y, epoch)

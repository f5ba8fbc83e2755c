"""Lesson 8's attackers: each attack of ``attacks/confidences`` on one network, and pictures that owe nothing to it."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from dpmia_lab.attacks.confidences import views
from dpmia_lab.experiments.confidence_updates import named_labels, renamed, update_changes
from dpmia_lab.game.network_answers import Answers
from dpmia_lab.game.picture_judge import Drawings
from dpmia_lab.game.picture_roles import Roles
from dpmia_lab.game.records import Records
from dpmia_lab.rows import Row
from dpmia_lab.seeds import numpy_generator, torch_generator
from dpmia_lab.stages import Event, Once, Snapshot, Stage, mapped, part, stretches

if TYPE_CHECKING:  # torch is loaded by a run, not by the page that merely shows the controls
    import torch

    from dpmia_lab.attacks.confidences.alignment import Decoder
    from dpmia_lab.attacks.confidences.gmi import Prior
    from dpmia_lab.attacks.inversion.picture_vae import PictureVae
    from dpmia_lab.attacks.inversion.public_prior import PictureGaussian

ATTACKS = {
    "alignment": "alignment (one answer, decoder of public pictures)",
    "gmi": "GMI (as published: log-confidence, through the noise)",
    "alignment_averaged": "alignment, averaged (over answers)",
    "alignment_mean": "alignment, mean (through the mean code)",
    "gmi_adapted": "GMI, adapted (margin of logits, through the mean)",
    "alignment_same": "alignment, same people (decoder of their pictures)",
    "alignment_label": "alignment, label alone",
    "update": "update leak (from the change of answers)",
    "update_label": "update leak, label alone",
}
NULLS = {
    "average_face": "the mean of public pictures",
    "another_person": "another person's picture",
    "decoder_noise": "the decoder, given noise",
    "prior_alone": "the prior without the network",
}
PRIORS = {"pca": "a Gaussian of principal components", "vae": "a variational autoencoder"}
MOST_ATTACKED = 240  # pictures whose answers are decoded, of those tested and of those trained on
MOST_UPDATED = 80  # updates that are attacked
BASIS = 100  # principal components that decoders end in
MARGIN = 0.2  # weight of a margin, in units of how far logits are apart, against that of a log-confidence
GMI_RATE = 0.1
VAE_SECONDS = 3.0  # that an autoencoder takes to learn
Ask = Callable[[np.ndarray], np.ndarray]  # pictures (n, …) to answers (n, classes)
Found = dict[tuple[str, str], Drawings]  # by attack and protocol: whose pictures are drawn


class Attacker:
    """What an attacker of one network has, and all that he does with it."""

    def __init__(self, config: Any, roles: Roles, vae: "Once[PictureVae] | None" = None) -> None:
        """``vae``: of the public pictures; needed only where GMI draws with it."""
        self.config, self.roles, self.vae = config, roles, vae
        self.label_rows: list[Row] = []
        self.priors: dict[int, PictureGaussian] = {}  # by the number of their components
        self.test = roles.first_of_all("test", MOST_ATTACKED)
        self.train = roles.first_of_all("train", MOST_ATTACKED)

    @property
    def truth(self) -> np.ndarray:
        """(classes, …): of each person the first picture that is attacked."""
        return self.test.x[: self.roles.classes]

    def attacks_on(self, answers: Answers) -> dict[str, tuple[float, Callable[[], Stage[Found]]]]:
        """What each attack costs, in seconds on one core, and the attack; those that fit, in their order."""
        c = self.config
        decoder, (learning, gmi) = 0.2 + 0.0015 * c.decoder_steps, self.gmi_costs()

        def aligned(name: str, **how: Any) -> tuple[float, Callable[[], Stage[Found]]]:
            return decoder, partial(self.alignment, name, **how)

        one, public = answers.once, self.roles.public
        attacks = {
            "alignment": aligned("alignment", ask=one, known=public),
            "gmi": (learning + gmi, partial(self.gmi, "gmi", answers)),
        }
        if answers.defence.draws_anew:
            averaged = partial(answers.averaged, count=c.answers)
            attacks["alignment_averaged"] = aligned("alignment_averaged", ask=averaged, known=public)
            attacks["alignment_mean"] = aligned("alignment_mean", ask=answers.through_mean, known=public)
        attacks["gmi_adapted"] = gmi, partial(self.gmi, "gmi_adapted", answers)
        if self.roles.others:
            attacks["alignment_same"] = aligned("alignment_same", ask=one, known=self.roles.auxiliary.x)
        attacks["alignment_label"] = aligned("alignment_label", ask=one, known=public, label=True)
        if c.updates:
            attacks["update"] = 5 * decoder + 0.01 * (c.updates + MOST_UPDATED), partial(self.update_leak, answers)
        return attacks

    def drawings(self, answers: Answers) -> Stage[Found]:
        """Of every attack, and of the nulls; snapshots on the way have the attack's name."""
        attacks, found = self.attacks_on(answers), {}
        shares = stretches(*(cost for cost, _ in attacks.values()))
        for share, (name, (_, attack)) in zip(shares, attacks.items(), strict=True):
            found |= yield from part(mapped(attack(), partial(named, name=name)), *share)
        prior = yield from self.gmi_prior()
        return found | {(name, "test"): drawings for name, drawings in self.nulls(prior)}

    def generator(self, *path: str) -> "torch.Generator":
        return torch_generator(self.config.seed, "attack", *path)

    def rng(self, *path: str) -> np.random.Generator:
        return numpy_generator(self.config.seed, "attack", *path)

    # ---- knowledge alignment
    def alignment(self, name: str, *, ask: Ask, known: np.ndarray, label: bool = False) -> Stage[Found]:
        """``known``: the attacker's pictures;  ``label``: he is told no more than the likeliest class."""
        from dpmia_lab.attacks.confidences.alignment import trained_decoder
        from dpmia_lab.attacks.inversion.public_prior import picture_gaussian

        def seen(x: np.ndarray) -> "torch.Tensor":
            """(n, classes): what the decoder is given of the answers about pictures x."""
            said, c = ask(x), self.config
            return on_device(views.label_alone(said) if label else views.seen(said, c.view, c.top))

        decoder = yield from trained_decoder(
            seen(known),
            on_device(known),
            self.public_prior(BASIS) if known is self.roles.public else picture_gaussian(on_device(known), BASIS),
            steps=self.config.decoder_steps,
            generator=self.generator(name),
            shown=seen(self.truth),
        )
        if name != "alignment":
            return {(name, "test"): drawn_by(decoder, seen(self.test.x), self.test)}
        noise = self.noise_inputs(decoder)
        return {
            (name, "test"): drawn_by(decoder, seen(self.test.x), self.test),
            (name, "train"): drawn_by(decoder, seen(self.train.x), self.train),
            ("decoder_noise", "test"): drawn_by(decoder, noise, self.test),
        }

    def noise_inputs(self, decoder: "Decoder") -> "torch.Tensor":
        """Inputs as large as answers are, and about nothing."""
        import torch

        drawn = torch.randn(len(self.test), len(decoder.mean), generator=self.generator("decoder noise"))
        return decoder.mean + decoder.deviation * drawn.to(decoder.mean.device)

    # ---- GMI
    def public_prior(self, components: int) -> "PictureGaussian":
        """Kept, as several attacks begin with the same."""
        from dpmia_lab.attacks.inversion.public_prior import picture_gaussian

        if components not in self.priors:
            self.priors[components] = picture_gaussian(on_device(self.roles.public), components)
        return self.priors[components]

    def gmi_costs(self) -> tuple[float, float]:
        """Of learning the prior, if that is to be done, and of drawing."""
        c = self.config
        learning = VAE_SECONDS if c.prior == "vae" and not self.vae.found else 0.0
        return learning, 8e-5 * c.gmi_steps * c.restarts * self.roles.classes

    def gmi_prior(self) -> "Stage[Prior]":
        if self.config.prior == "vae":
            return (yield from self.vae.result())
        return self.public_prior(self.config.components)

    def gmi(self, name: str, answers: Answers) -> Stage[Found]:
        """As published, or adapted to noise and to confidences that are flat."""
        from dpmia_lab.attacks.confidences.gmi import gmi, log_confidence, logit_scale, margin

        c, adapted = self.config, name == "gmi_adapted"
        labels = np.arange(self.roles.classes)
        model = answers.mean_model if adapted else answers.model
        weight = MARGIN * c.identity / logit_scale(model, on_device(self.roles.public)) if adapted else c.identity
        learning, drawing = stretches(*self.gmi_costs())
        prior = yield from part(self.gmi_prior(), *learning)
        stage = gmi(
            model,
            on_device(labels),
            prior,
            identity=margin if adapted else log_confidence,
            weight=weight,
            steps=c.gmi_steps,
            rate=GMI_RATE,
            restarts=c.restarts,
            generator=self.generator("gmi"),
        )
        found = yield from part(stage, *drawing)
        return {(name, "test"): Drawings(found.x.cpu().numpy(), labels, class_means(self.roles.train))}

    # ---- update leaks
    def update_leak(self, answers: Answers) -> Stage[Found]:
        """Updates on pictures under their owners' names; then under others', as if somebody new had taken the name."""
        own = self.roles.first_of_all("auxiliary", self.config.updates)
        new = self.roles.first_of_all("test", MOST_UPDATED)
        found = yield from part(self.updates_under(answers, own, own.y, new, new.y, "test"), 0.0, 0.4)
        own = own.at(np.resize(np.arange(len(own)), self.config.updates))  # each under several names
        rng = self.rng("names")
        others = [renamed(people.y, self.roles.classes, rng) for people in (own, new)]
        stage = self.updates_under(answers, own, others[0], new, others[1], "renamed")
        return found | (yield from part(stage, 0.4, 1.0))

    def updates_under(
        self, answers: Answers, own: Records, own_names: np.ndarray, new: Records, new_names: np.ndarray, protocol: str
    ) -> Stage[Found]:
        """Shadow updates on the attacker's ``own`` pictures; then updates on ``new`` ones, each under these names."""
        from dpmia_lab.attacks.confidences.alignment import trained_decoder
        from dpmia_lab.attacks.inversion.public_prior import picture_gaussian

        shadows, attacked = Records(own.x, own_names), Records(new.x, new_names)
        stage = update_changes(answers, shadows, attacked, self.probes(), self.generator("updates", protocol))
        changed = yield from part(stage, 0.0, 0.5)
        labels = np.eye(self.roles.classes, dtype=np.float32)
        inputs = {"update": changed, "update_label": (labels[own_names], labels[new_names])}
        found = {}
        for place, (name, (known, asked)) in enumerate(inputs.items()):
            decoder = trained_decoder(
                on_device(known),
                on_device(own.x),
                picture_gaussian(on_device(own.x), BASIS),
                steps=self.config.decoder_steps,
                generator=self.generator(name, protocol),
                shown=on_device(asked[: self.roles.classes]) if (name, protocol) == ("update", "test") else None,
                adversarial=self.config.adversarial,
            )
            decoder = yield from part(decoder, 0.5 + 0.2 * place, 0.7 + 0.2 * place)
            found[name, protocol] = drawn_by(decoder, on_device(asked), new)
        naming = named_labels(*changed, shadows, attacked, protocol, self.generator("label", protocol))
        self.label_rows += yield from part(naming, 0.9, 1.0)
        return found

    def probes(self) -> np.ndarray:
        """Some public pictures."""
        chosen = self.rng("probes").permutation(len(self.roles.public))[: self.config.probes]
        return self.roles.public[chosen]

    # ---- pictures that owe nothing to the network
    def nulls(self, prior: "Prior") -> Iterator[tuple[str, Drawings]]:
        test = self.test
        alone = prior.pictures(prior.starts(len(test), self.generator("prior alone"))).clamp(0, 1).cpu().numpy()
        yield "average_face", Drawings(np.repeat(self.roles.public.mean(0)[None], len(test), 0), test.y, test.x)
        yield "another_person", Drawings(self.truth[(test.y + 1) % self.roles.classes], test.y, test.x)
        yield "prior_alone", Drawings(alone, test.y, test.x)


def on_device(x: np.ndarray) -> "torch.Tensor":
    import torch

    from dpmia_lab.devices import best_device

    return torch.from_numpy(x).to(best_device())


def named(event: Event, name: str) -> Event:
    return replace(event, name=name) if isinstance(event, Snapshot) else event


def drawn_by(decoder: "Decoder", inputs: "torch.Tensor", people: Records) -> Drawings:
    return Drawings(decoder.pictures(inputs).cpu().numpy(), people.y, people.x)


def class_means(records: Records) -> np.ndarray:
    return np.stack([records.x[records.y == label].mean(0) for label in range(records.y.max() + 1)])

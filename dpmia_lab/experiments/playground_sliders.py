"""What the playground offers: each defence with the one or two sliders that a reader moves."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Slider:
    """One field of the configuration; values from no protection to much."""

    field: str
    words: str
    values: tuple


@dataclass(frozen=True)
class Played:
    """A defence as the playground offers it."""

    title: str
    sliders: tuple[Slider, ...]
    promises: bool
    note: str  # one sentence


SIGMA = Slider("sigma", "noise σ", (0.1, 0.3, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 8.0, 16.0))
PLAYED: dict[str, Played] = {
    "none": Played("nothing", (), False, "Ordinary training: what every defence is compared with."),
    "central": Played(
        "DP-SGD for a record",
        (SIGMA, Slider("q", "chance q to join a step", (1.0, 0.7, 0.5, 0.3, 0.2, 0.1))),
        True,
        "Each record's gradient is clipped, and noise is added to their sum.",
    ),
    "units": Played(
        "DP-SGD for a class or subclass",
        (SIGMA, Slider("unit", "what is hidden", ("subclass", "class")), Slider("k_sub", "subclasses", (6, 4, 3, 2))),
        True,
        "The same noise, for everything a person has in the data, or for a cluster of it.",
    ),
    "local": Played(
        "noise on the data",
        (Slider("epsilon_i", "ε of one number", (1000.0, 100.0, 50.0, 30.0, 20.0, 10.0, 5.0, 3.0, 2.0, 1.0, 0.5)),),
        True,
        "Everybody changes their own records before anyone sees them.",
    ),
    "mid": Played(
        "MID: a noisy code",
        (Slider("lam", "weight λ", (0.0, 0.001, 0.003, 0.01, 0.03, 0.06, 0.1, 0.2, 0.3, 0.6, 1.0)),),
        False,
        "The answer goes through a code that may tell little about the record.",
    ),
    "dap": Played(
        "DAP: fools an attacker",
        (Slider("r", "weight r", (0.0, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)),),
        False,
        "The model learns its task, and to fool one membership attacker.",
    ),
    "dropout": Played(
        "dropout",
        (Slider("dropout", "share left out", (0.0, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)),),
        False,
        "In every step some of the inputs are left out at random.",
    ),
    "stopping": Played(
        "early stopping",
        (Slider("after", "epochs", (12, 10, 8, 6, 5, 4, 3, 2, 1)),),
        False,
        "Ordinary training, ended sooner: the rival that every defence must beat.",
    ),
    "smoothing": Played(
        "label smoothing",
        (Slider("smoothing", "share s", (0.0, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9)),),
        False,
        "Labels are told as less sure than they are.",
    ),
}

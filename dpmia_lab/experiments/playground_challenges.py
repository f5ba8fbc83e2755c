"""Five small challenges of the playground that tick themselves, and settings worth jumping to.

A challenge is a pure function of what was tried: ``done(history)``, and ``hint(history)``, which knows what was tried.
Each can be solved with the sliders at each of five seeds (``TELLING`` has a way at the first), none is solved where the
page opens. What cannot be done is not asked for: to the matched filter, a softmax regression that is right about three
of four new pictures gives away more than eight people of ten, whatever defends it (every position, five seeds).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from dpmia_lab.experiments.playground_config import Config
from dpmia_lab.rows import Rows

HIDDEN, STILL_RIGHT = 0.5, 0.75  # at most so many seen by eye, at least so many right
SAFE, TAIL = 0.63, 0.03  # an AUC that looks safe, and the low end of members caught at 1 %
ALIKE, BEATEN, UNDONE = 0.03, 0.1, 0.1  # accuracies that count as equal; by how much fewer are seen; and filtered
PROMISED, USEFUL = 4.0, 0.55  # ε for a record, and how many must be right
GAIN = 0.04  # AUC below that of early stopping


@dataclass(frozen=True)
class Tried:
    """A position that was played. ``judge``: by which the page showed it, "plain", "blur" or "filter"."""

    config: Config
    rows: Rows
    judge: str = "filter"

    def value(self, measure: str, protocol: str = "") -> float:
        """NaN-free where there is such a row; else 1, which solves nothing."""
        found = self.rows.where(measure=measure, protocol=protocol).rows
        return found[0].value if found else 1.0

    @property
    def accuracy(self) -> float:
        return self.value("accuracy")

    @property
    def auc(self) -> float:
        return self.value("auc", "turns")

    @property
    def seen(self) -> float:
        return self.value("recognised", "plain")

    @property
    def filtered(self) -> float:
        return self.value("recognised", "filter")


History = Sequence[Tried]


@dataclass(frozen=True)
class Challenge:
    title: str
    words: str  # what exactly must hold
    done: Callable[[History], bool]
    hint: Callable[[History], str]


def of(history: History, *defences: str) -> list[Tried]:
    return [one for one in history if one.config.defence in defences]


def pairs(some: Iterable[Tried], others: Iterable[Tried]) -> list[tuple[Tried, Tried]]:
    """Of the same data and seed, and about as accurate."""
    return [
        (one, other)
        for one in some
        for other in others
        if (one.config.data, one.config.seed) == (other.config.data, other.config.seed)
        and abs(one.accuracy - other.accuracy) <= ALIKE
    ]


# ---- hide them from the eye
def hidden(history: History) -> bool:
    return any(one.seen <= HIDDEN and one.accuracy >= STILL_RIGHT for one in history)


def hidden_hint(history: History) -> str:
    unseen = [one for one in history if one.seen <= HIDDEN]
    if not of(history, "central", "units"):
        return "Snow hides a face: try noise on the gradients, DP-SGD."
    if not unseen:
        return "More noise: raise σ until you see only half of them."
    best = max(one.accuracy for one in unseen)
    return f"Hidden, but only {best:.0%} right. A little less σ, or a larger q."


# ---- the tail
def tail(history: History) -> bool:
    return any(one.auc <= SAFE and caught_low(one) >= TAIL for one in history)


def caught_low(one: Tried) -> float:
    found = one.rows.where(measure="tpr1", protocol="turns").rows
    return found[0].low if found else 0.0


def tail_hint(history: History) -> str:
    safe = [one for one in history if one.auc <= SAFE]
    if not safe:
        return f"First an AUC of at most {SAFE:g}: nearly any defence, strong enough."
    if not of(safe, "units", "dap"):
        return "DP-SGD for records treats all alike. Try a defence that does not: subclasses, or DAP."
    return "A wrongly labelled picture is a subclass of its own, and hidden as one picture: more subclasses, less σ."


# ---- λ against σ
def beaten(history: History) -> list[tuple[Tried, Tried]]:
    """MID and DP-SGD as accurate, MID's people seen less."""
    both = pairs(of(history, "mid"), of(history, "central"))
    return [(mid, central) for mid, central in both if mid.seen <= central.seen - BEATEN]


def undone(history: History) -> bool:
    found = beaten(history)
    return any(mid.filtered >= central.filtered - UNDONE and mid.judge != "plain" for mid, central in found)


def undone_hint(history: History) -> str:
    if not of(history, "mid") or not of(history, "central"):
        left = "DP-SGD (σ)" if of(history, "mid") else "MID (λ)" if of(history, "central") else "MID (λ) and DP-SGD (σ)"
        return f"Play {left}, and compare the two where they are as often right."
    if not pairs(of(history, "mid"), of(history, "central")):
        return f"Bring the two within {100 * ALIKE:.0f} points of accuracy; little noise will do."
    if not beaten(history):
        return "At this accuracy σ hides as much. Weaken both: where nearly all are right, λ hides more."
    return "λ hides more from the eye. Now let another judge look: blur, or the matched filter."


# ---- a promise
def kept(history: History) -> bool:
    return any(epsilon_of(one) <= PROMISED and one.accuracy >= USEFUL for one in of(history, "central"))


def epsilon_of(one: Tried) -> float:
    found = one.rows.where(measure="epsilon").rows
    return found[0].value if found else float("inf")


def kept_hint(history: History) -> str:
    promised = [one for one in of(history, "central") if epsilon_of(one) <= PROMISED]
    if not of(history, "central"):
        return "Only noise with an account promises an ε for a record: DP-SGD for a record."
    if not promised:
        return f"ε is still {min(map(epsilon_of, of(history, 'central'))):.3g}: more σ, or a smaller q."
    return f"Promised, but {max(one.accuracy for one in promised):.0%} right. Take ε just below 4, and q not too small."


# ---- early stopping
def beats_stopping(history: History) -> bool:
    rivals = [one for one in history if one.config.defence not in ("none", "stopping")]
    return any(one.auc <= stopped.auc - GAIN for one, stopped in pairs(rivals, of(history, "stopping")))


def stopping_hint(history: History) -> str:
    rivals = [one for one in history if one.config.defence not in ("none", "stopping")]
    if not of(history, "stopping"):
        return "Early stopping is the rival: play it first, at a few epochs."
    if not pairs(rivals, of(history, "stopping")):
        return f"Find another defence within {100 * ALIKE:.0f} points of its accuracy."
    gain = max(stopped.auc - one.auc for one, stopped in pairs(rivals, of(history, "stopping")))
    return f"The best so far is {gain:+.3f} below it. Noise on the gradients gains more than dropout or smoothing."


CHALLENGES: dict[str, Challenge] = {
    "hide": Challenge(
        "Hide half of them, keep three in four right",
        f"At most {HIDDEN:.0%} of the drawings seen by similarity, and {STILL_RIGHT:.0%} of new pictures right.",
        hidden,
        hidden_hint,
    ),
    "tail": Challenge(
        "AUC says safe, the tail does not",
        f"An AUC of at most {SAFE:g}, yet surely more than {TAIL:.0%} of members caught at 1 % false alarms.",
        tail,
        tail_hint,
    ),
    "blur": Challenge(
        "Make λ beat σ, then look again",
        f"MID as often right as DP-SGD and seen {100 * BEATEN:.0f} points less; then judged by the matched filter.",
        undone,
        undone_hint,
    ),
    "promise": Challenge(
        "A promise that still works",
        f"ε of at most {PROMISED:g} for a record, and {USEFUL:.0%} of new pictures right.",
        kept,
        kept_hint,
    ),
    "stopping": Challenge(
        "Beat early stopping",
        f"As often right as a stopped model, and an AUC {GAIN:g} lower.",
        beats_stopping,
        stopping_hint,
    ),
}


@dataclass(frozen=True)
class Telling:
    """A setting worth jumping to, and what is to be seen there."""

    config: Config
    words: str


TELLING: tuple[Telling, ...] = (  # numbers: faces, seed 0, 16 models
    Telling(
        Config(defence="central", sigma=2.8),
        "Half of the faces are snow to the eye (47 % seen), 76 % are right, and the matched filter names 92 %.",
    ),
    Telling(
        Config(defence="units", unit="subclass", k_sub=3, sigma=1.0),
        "AUC .62 looks safe, yet 4 % are caught at 1 %: a wrongly labelled picture is a subclass of its own.",
    ),
    Telling(
        Config(defence="mid", lam=0.06),
        "λ hides more from the eye than σ = 1 at the same accuracy (62 % seen against 89 %); the filter names 98 %.",
    ),
    Telling(
        Config(defence="central", sigma=1.0),
        "What λ = 0.06 is to be compared with: as often right, seen far more often, and yet a lower AUC (.72 to .77).",
    ),
    Telling(
        Config(defence="central", epsilon=4.0),
        "ε = 4 for a record is promised, and about two of three new pictures are still right.",
    ),
    Telling(
        Config(defence="stopping", after=2),
        "Early stopping costs nothing to try: 86 % right at an AUC of .75. What must a defence do to beat that?",
    ),
    Telling(
        Config(defence="units", unit="class", sigma=0.3),
        "As often right as two epochs of ordinary training, and an AUC of .66 instead of .75.",
    ),
    Telling(
        Config(defence="dap", r=20.0),
        "The model fools its attacker: AUC .62. Yet 5 % are caught at 1 %, twice what such an AUC suggests.",
    ),
    Telling(
        Config(defence="smoothing", smoothing=0.6),
        "Label smoothing makes the model right more often (96 %), and its members easier to find: AUC .91.",
    ),
    Telling(
        Config(defence="units", unit="class", sigma=2.0),
        "A person with all their pictures is hidden from every judge here, and 21 % are right (guessing: 5 %).",
    ),
)

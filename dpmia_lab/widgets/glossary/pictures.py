"""One small drawing a term, 160 × 90: lines, dots and boxes in the lab's colours, curves computed."""

import math
import random
from collections.abc import Callable, Iterable

INK, SOFT, LINE = "var(--ink)", "var(--soft)", "var(--line)"
EXPOSED, PROTECTED, REFERENCE = "var(--exposed)", "var(--protected)", "var(--reference)"
Place = tuple[float, float]
PEOPLE = [(22 + 16 * column, 26 + 18 * row) for row in range(3) for column in range(4)]


# ---- strokes
def line(places: Iterable[Place], colour: str = INK, dash: str = "", width: float = 2) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    look = f"fill:none;stroke:{colour};stroke-width:{width};stroke-dasharray:{dash}"
    return f'<polyline points="{points}" style="{look}"/>'


def dot(place: Place, colour: str = INK, radius: float = 5, filled: bool = True) -> str:
    fill = colour if filled else "none"
    return f'<circle cx="{place[0]}" cy="{place[1]}" r="{radius}" style="fill:{fill};stroke:{colour};stroke-width:2"/>'


def box(x: float, y: float, width: float, height: float, colour: str = INK, fill: str = "none") -> str:
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="2" '
        f'style="fill:{fill};stroke:{colour};stroke-width:1.5"/>'
    )


def words(place: Place, said: str, colour: str = SOFT, size: int = 11) -> str:
    return (
        f'<text x="{place[0]}" y="{place[1]}" text-anchor="middle" '
        f'style="fill:{colour};font-size:{size}px;font-family:var(--font)">{said}</text>'
    )


def arrow(start: Place, end: Place, colour: str = INK) -> str:
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    barbs = [(end[0] - 6 * math.cos(angle + turn), end[1] - 6 * math.sin(angle + turn)) for turn in (0.5, -0.5)]
    return line([start, end], colour) + line([barbs[0], end, barbs[1]], colour)


def face(x: float, y: float, colour: str = INK, dash: str = "") -> str:
    """A head of 28 × 34 with eyes and a mouth."""
    head = (
        f'<ellipse cx="{x}" cy="{y}" rx="14" ry="17" style="fill:none;stroke:{colour};stroke-width:2;'
        f'stroke-dasharray:{dash}"/>'
    )
    eyes = dot((x - 5, y - 4), colour, 1) + dot((x + 5, y - 4), colour, 1)
    return head + eyes + line([(x - 5, y + 7), (x, y + 9), (x + 5, y + 7)], colour)


def curve(height: Callable[[float], float], colour: str = INK, dash: str = "") -> str:
    """A function on [0, 1] with values in [0, 1], over the whole picture."""
    return line([(10 + 140 * i / 60, 80 - 70 * height(i / 60)) for i in range(61)], colour, dash)


def bell(middle: float, spread: float, top: float = 1.0) -> Callable[[float], float]:
    return lambda x: top * math.exp(-0.5 * ((x - middle) / spread) ** 2)


def share_below(z: float) -> float:
    """Of a standard normal variable."""
    return 0.5 * (1 + math.erf(z / math.sqrt(2)))


def roc(apart: float) -> list[Place]:
    """The curve of two normal variables so many standard deviations apart, in a square."""
    cuts = [i / 10 for i in range(-40, 60)]
    return [(45 + 70 * (1 - share_below(z)), 80 - 70 * (1 - share_below(z - apart))) for z in cuts]


def axes() -> str:
    diagonal = line([(45, 80), (115, 10)], REFERENCE, "3 3", 1)
    return line([(45, 10), (45, 80), (115, 80)], SOFT, width=1) + diagonal


def people(coloured: Callable[[int], str], filled: Callable[[int], bool] = lambda _: True) -> str:
    return "".join(dot(place, coloured(i), 5, filled(i)) for i, place in enumerate(PEOPLE))


def snow(x: float, y: float, size: int, cells: int, tone: Callable[[int, int], float]) -> str:
    """A little picture of square pixels, each as dark as ``tone(row, column)`` in [0, 1] says."""
    step = size / cells
    return "".join(
        f'<rect x="{x + step * j:.1f}" y="{y + step * i:.1f}" width="{step}" height="{step}" '
        f'style="fill:{INK};fill-opacity:{tone(i, j):.2f}"/>'
        for i in range(cells)
        for j in range(cells)
    )


def cross(i: int, j: int) -> float:
    """A simple picture of 7 × 7."""
    return 0.9 if i == 3 or j == 3 else 0.1


def noisy(amount: float, seed: int) -> Callable[[int, int], float]:
    rng = random.Random(seed)
    return lambda i, j: min(1.0, max(0.0, cross(i, j) + amount * rng.uniform(-1, 1)))


# ---- one drawing a term
def model() -> str:
    layers = [[(30, y) for y in (25, 45, 65)], [(80, y) for y in (20, 37, 54, 71)], [(130, y) for y in (35, 55)]]
    pairs = [(a, b) for one, other in zip(layers, layers[1:], strict=False) for a in one for b in other]
    return "".join(line(pair, LINE, width=1) for pair in pairs) + "".join(dot(p, INK, 4) for row in layers for p in row)


def record() -> str:
    rows = "".join(box(25, 14 + 14 * i, 110, 12, EXPOSED if i == 2 else LINE) for i in range(5))
    return rows + words((80, 52), "one line", EXPOSED)


def member() -> str:
    inside = box(14, 14, 64, 62, INK)
    return inside + people(lambda i: EXPOSED) + "".join(dot((100 + 18 * i, 45), REFERENCE, 5, False) for i in range(3))


def model_inversion() -> str:
    return (
        words((28, 49), "“Ann”", EXPOSED)
        + arrow((48, 45), (62, 45))
        + box(64, 28, 32, 34)
        + (arrow((98, 45), (112, 45)) + face(132, 45, EXPOSED, "3 2"))
    )


def reconstruction() -> str:
    return face(45, 42) + face(115, 42, EXPOSED, "3 2") + words((45, 80), "truth") + words((115, 80), "drawn")


def membership_inference() -> str:
    return (
        box(70, 16, 70, 58)
        + dot((35, 45), EXPOSED, 6)
        + arrow((45, 45), (66, 45), EXPOSED)
        + (words((105, 50), "in?", EXPOSED, 18))
    )


def attribute_inference() -> str:
    """A row of known cells and one that is asked for."""
    cells = "".join(box(14 + 27 * i, 32, 24, 26, SOFT, LINE) for i in range(4))
    return cells + box(122, 32, 24, 26, EXPOSED) + words((134, 50), "?", EXPOSED, 16)


def imputation() -> str:
    """Others like the person tell what is missing; no model is there."""
    rows = "".join(box(20 + 27 * i, 14 + 22 * row, 24, 18, SOFT, LINE) for row in range(3) for i in range(3))
    known = "".join(box(101, 14 + 22 * row, 24, 18, SOFT, PROTECTED) for row in range(2))
    return rows + known + box(101, 58, 24, 18, EXPOSED) + arrow((140, 30), (130, 64), EXPOSED)


def white_box() -> str:
    return box(40, 15, 80, 60) + "".join(
        line([(55 + 25 * a, 30), (55 + 25 * b, 60)], EXPOSED, width=1) for a in range(3) for b in range(3)
    )


def black_box() -> str:
    return arrow((10, 45), (44, 45)) + box(46, 20, 68, 50, INK, INK) + arrow((116, 45), (150, 45))


def shadow_model() -> str:
    others = "".join(box(70 + 10 * i, 18 + 8 * i, 46, 34, REFERENCE, "var(--card)") for i in range(3))
    return box(14, 28, 46, 34, EXPOSED) + words((37, 50), "target", EXPOSED) + others + words((113, 56), "own")


def likelihood_ratio() -> str:
    seen = 10 + 140 * 0.62
    return (
        curve(bell(0.38, 0.12), REFERENCE, "4 3")
        + curve(bell(0.66, 0.12), EXPOSED)
        + (line([(seen, 10), (seen, 80)], INK) + words((26, 30), "out") + words((128, 16), "in", EXPOSED))
    )


def prior() -> str:
    return (
        curve(bell(0.5, 0.24, 0.45), REFERENCE, "4 3")
        + curve(bell(0.62, 0.1), INK)
        + (words((42, 44), "before") + words((122, 22), "after", INK))
    )


def judge() -> str:
    return (
        face(40, 45, EXPOSED, "3 2")
        + arrow((60, 45), (84, 45))
        + words((118, 42), "“Ann”", INK, 14)
        + (words((118, 60), "right?"))
    )


def chance_level() -> str:
    bars = box(35, 22, 30, 58, EXPOSED, EXPOSED) + box(95, 58, 30, 22, REFERENCE, REFERENCE)
    return bars + line([(15, 58), (145, 58)], INK, "4 3", 1) + words((80, 16), "chance")


def true_positive_rate() -> str:
    return (
        people(lambda i: EXPOSED, lambda i: i < 8)
        + words((120, 42), "8 of 12", EXPOSED, 13)
        + (words((120, 58), "members"))
    )


def false_positive_rate() -> str:
    return (
        people(lambda i: REFERENCE, lambda i: i < 1)
        + words((120, 42), "1 of 12", INK, 13)
        + (words((120, 58), "outsiders"))
    )


def roc_curve() -> str:
    return axes() + line(roc(1.2), EXPOSED)


def auc() -> str:
    area = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*roc(1.2), (45, 80), (115, 80)])
    filled = f'<polygon points="{area}" style="fill:{EXPOSED};fill-opacity:0.25"/>'
    return filled + axes() + line(roc(1.2), EXPOSED) + words((88, 62), "area", EXPOSED)


def correlation() -> str:
    faint = snow(95, 15, 56, 7, lambda i, j: 0.35 + 0.2 * cross(i, j))
    return snow(10, 15, 56, 7, cross) + faint + words((80, 86), "1: the same shape", SOFT, 10)


def ssim() -> str:
    window = box(26, 31, 24, 24, EXPOSED) + box(111, 31, 24, 24, EXPOSED)
    return snow(10, 15, 56, 7, cross) + snow(95, 15, 56, 7, noisy(0.4, 1)) + window


def audit() -> str:
    axis = line([(15, 50), (145, 50)], SOFT, width=1)
    proved = line([(50, 38), (50, 62)], EXPOSED) + words((50, 76), "proved", EXPOSED)
    promised = line([(120, 38), (120, 62)], PROTECTED) + words((120, 30), "promised", PROTECTED)
    return axis + proved + promised + line([(50, 50), (120, 50)], INK, width=4) + words((85, 42), "ε is here", INK)


def phi() -> str:
    gained, lost = box(20, 18, 100, 18, PROTECTED, PROTECTED), box(20, 52, 50, 18, EXPOSED, EXPOSED)
    return gained + lost + words((142, 32), "safer") + words((98, 66), "worse") + words((142, 66), "φ = 2", INK)


def aop() -> str:
    falls = "".join(
        curve(lambda x, power=power: 0.95 / (1 + x) ** power, colour, dash)
        for power, colour, dash in ((1, REFERENCE, "2 3"), (2, PROTECTED, "5 3"), (10, INK, ""))
    )
    return falls + words((128, 26), "λ small") + words((100, 66), "λ large", INK)


def pareto_front() -> str:
    stairs = line([(22, 78), (22, 62), (52, 62), (52, 40), (92, 40), (92, 20), (146, 20)], INK, "", 1.5)
    best = "".join(dot(place, PROTECTED, 4) for place in ((22, 62), (52, 40), (92, 20)))
    beaten = "".join(dot(place, REFERENCE, 3, filled=False) for place in ((48, 72), (76, 56), (104, 46), (124, 64)))
    return stairs + best + beaten + words((128, 36), "beaten", REFERENCE)


def tradeoff_curve() -> str:
    guessing = curve(lambda x: 1 - x, REFERENCE, "2 3")
    promised = curve(lambda x: max(1 - 2.2 * x, (1 - x) / 2.2), PROTECTED)
    return guessing + promised + words((112, 28), "guessing", REFERENCE) + words((40, 76), "ruled out", SOFT, 10)


def differential_privacy() -> str:
    crowd = people(lambda i: EXPOSED if i == 5 else INK)
    without = "".join(dot((x + 78, y), INK, 5) for i, (x, y) in enumerate(PEOPLE) if i != 5)
    return crowd + without + words((85, 51), "≈", PROTECTED, 18) + words((80, 86), "with and without one", SOFT, 10)


def two_bells(apart: float) -> str:
    """What comes out with the unit and without it."""
    return curve(bell(0.5 - apart / 2, 0.15), REFERENCE, "4 3") + curve(bell(0.5 + apart / 2, 0.15), EXPOSED)


def epsilon() -> str:
    x, apart = 10 + 140 * 0.75, 0.16
    heights = [80 - 70 * bell(0.5 + side * apart / 2, 0.15)(0.75) for side in (1, -1)]
    return two_bells(apart) + line([(x, heights[0]), (x, heights[1])], INK, width=3) + words((134, 30), "× eᵋ", INK)


def delta() -> str:
    tail = [(10 + 140 * i / 60, 80 - 70 * bell(0.58, 0.15)(i / 60)) for i in range(50, 61)]
    area = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*tail, (150, 80), (tail[0][0], 80)])
    filled = f'<polygon points="{area}" style="fill:{EXPOSED}"/>'
    return two_bells(0.16) + filled + words((140, 56), "δ", EXPOSED, 14)


def sigma() -> str:
    steps = ((4, 0.0, "σ = 0"), (58, 0.35, "more"), (112, 1.0, "much"))
    return "".join(snow(x, 16, 44, 7, noisy(a, 3)) + words((x + 22, 78), said) for x, a, said in steps)


def clipping() -> str:
    ring = f'<circle cx="70" cy="50" r="30" style="fill:none;stroke:{PROTECTED};stroke-width:2;stroke-dasharray:4 3"/>'
    cut = (70 + 30 * math.cos(-0.5), 50 + 30 * math.sin(-0.5))
    far = (70 + 72 * math.cos(-0.5), 50 + 72 * math.sin(-0.5))
    return ring + line([cut, far], REFERENCE, "3 3") + arrow((70, 50), cut, EXPOSED) + arrow((70, 50), (58, 34))


def sampling_rate() -> str:
    return people(lambda i: EXPOSED if i in (1, 6, 8) else REFERENCE, lambda i: i in (1, 6, 8)) + (
        words((120, 42), "3 of 12", EXPOSED, 13) + words((120, 58), "join: q = ¼")
    )


def unit() -> str:
    dots = "".join(dot((22 + 11 * i, 45), INK, 4) for i in range(12))
    frames = box(16, 37, 12, 16, EXPOSED) + box(38, 37, 34, 16, PROTECTED) + box(82, 37, 67, 16, INK)
    names = words((26, 28), "record", EXPOSED, 10) + words((55, 70), "subclass", PROTECTED, 10)
    return dots + frames + names + words((115, 28), "class", INK, 10)


def neighbour() -> str:
    one = "".join(dot((22 + 14 * i, 30), INK, 5) for i in range(6))
    other = "".join(dot((22 + 14 * i, 62), EXPOSED if i == 3 else INK, 5, i != 3) for i in range(6))
    return one + other + words((128, 50), "one differs", EXPOSED)


def accountant() -> str:
    spent = [0.0] + [70 * math.sqrt(step / 8) for step in range(1, 9)]
    places = [(15 + 16 * step, 80 - height * 0.95) for step, height in enumerate(spent)]
    return line(places, PROTECTED) + "".join(dot(place, PROTECTED, 3) for place in places) + words((112, 76), "steps")


def trusts(noise_at: int) -> str:
    """Owner, collector, model; the dashed step is the one with noise."""
    names = ("you", "collector", "model")
    places = [(26, 45), (80, 45), (134, 45)]
    nodes = "".join(dot(place, INK, 7, False) for place in places)
    labels = "".join(words((x, 72), name) for (x, _), name in zip(places, names, strict=True))
    noise = 53 if noise_at == 0 else 107
    steps = arrow((35, 45), (70, 45)) + arrow((89, 45), (124, 45))
    return nodes + labels + steps + words((noise, 34), "noise", PROTECTED)


def randomised_response() -> str:
    coin = dot((36, 45), PROTECTED, 14, False) + words((36, 49), "coin", PROTECTED, 10)
    ways = arrow((54, 40), (88, 24)) + arrow((54, 50), (88, 66))
    return coin + ways + words((120, 28), "the truth", INK) + words((120, 70), "yes or no")


def generative_prior() -> str:
    """Faces that somebody might have, one of them chosen."""
    drawn = "".join(face(28 + 34 * i, 45, EXPOSED if i == 2 else REFERENCE, "" if i == 2 else "3 2") for i in range(4))
    return drawn + words((96, 84), "sure of it", EXPOSED)


def bars(x: float, heights: Iterable[float], colour: str = SOFT) -> str:
    """A few bars of confidence."""
    return "".join(box(x + 8 * i, 66 - 44 * height, 5, 44 * height, colour, colour) for i, height in enumerate(heights))


def knowledge_alignment() -> str:
    return (
        bars(14, (0.3, 0.9, 0.2, 0.45, 0.1))
        + arrow((60, 45), (72, 45))
        + box(74, 30, 28, 30, EXPOSED)
        + arrow((104, 45), (116, 45), EXPOSED)
        + face(136, 45, EXPOSED, "3 2")
    )


def update_leak() -> str:
    before = bars(12, (0.5, 0.4, 0.6, 0.3)) + words((28, 82), "before")
    after = bars(62, (0.5, 0.7, 0.45, 0.3), EXPOSED) + words((78, 82), "after")
    return before + after + arrow((102, 45), (116, 45), EXPOSED) + face(136, 45, EXPOSED, "3 2")


def information_bottleneck() -> str:
    """Much goes in, little comes through."""
    funnel = line([(46, 14), (76, 38), (92, 38)]) + line([(46, 76), (76, 52), (92, 52)])
    code = "".join(dot((84, 45 + d), PROTECTED, 2) for d in (-3, 3))
    return face(24, 45) + funnel + code + arrow((96, 45), (108, 45)) + bars(114, (0.2, 0.7, 0.25, 0.4), PROTECTED)


def calibration() -> str:
    """Sure and right against each other; on the diagonal the two are equal."""
    dots = "".join(dot(place, PROTECTED, 3) for place in ((58, 74), (72, 66), (88, 56), (104, 44)))
    return axes() + dots + words((80, 89), "says", SOFT, 10) + words((26, 48), "right", SOFT, 10)


def membership_discriminator() -> str:
    """An answer goes in, a verdict comes out."""
    verdict = words((132, 40), "in", EXPOSED, 14) + words((132, 60), "out", REFERENCE, 14)
    return (
        bars(12, (0.15, 0.8, 0.3, 0.2), PROTECTED)
        + arrow((46, 45), (60, 45))
        + box(62, 26, 38, 38)
        + (words((81, 52), "D", INK, 18) + arrow((102, 45), (116, 45)) + verdict)
    )


def canary() -> str:
    """One that stands apart from all others."""
    crowd = "".join(dot((24 + 13 * column, 40 + 13 * row), REFERENCE, 4) for row in range(3) for column in range(4))
    return crowd + dot((128, 20), EXPOSED, 6) + line([(116, 27), (80, 42)], EXPOSED, "3 2", 1)


def early_stopping() -> str:
    """Learning goes on growing by heart; the line is where it ends sooner."""
    seen = line([(14 + x, 78 - 62 * (1 - math.exp(-x / 40))) for x in range(0, 132, 4)], EXPOSED)
    new = line([(14 + x, 78 - 40 * (1 - math.exp(-x / 22))) for x in range(0, 132, 4)], PROTECTED)
    return seen + new + line([(56, 8), (56, 82)], INK, "4 3", 1.5) + words((84, 16), "stop", INK)


PICTURES: dict[str, Callable[[], str]] = {
    "model": model,
    "record": record,
    "member": member,
    "model-inversion": model_inversion,
    "reconstruction": reconstruction,
    "membership-inference": membership_inference,
    "attribute-inference": attribute_inference,
    "imputation": imputation,
    "white-box": white_box,
    "black-box": black_box,
    "shadow-model": shadow_model,
    "likelihood-ratio": likelihood_ratio,
    "membership-discriminator": membership_discriminator,
    "canary": canary,
    "early-stopping": early_stopping,
    "prior": prior,
    "generative-prior": generative_prior,
    "knowledge-alignment": knowledge_alignment,
    "update-leak": update_leak,
    "information-bottleneck": information_bottleneck,
    "judge": judge,
    "chance-level": chance_level,
    "true-positive-rate": true_positive_rate,
    "false-positive-rate": false_positive_rate,
    "roc": roc_curve,
    "auc": auc,
    "correlation": correlation,
    "ssim": ssim,
    "calibration": calibration,
    "audit": audit,
    "phi": phi,
    "aop": aop,
    "pareto-front": pareto_front,
    "differential-privacy": differential_privacy,
    "epsilon": epsilon,
    "delta": delta,
    "sigma": sigma,
    "clipping": clipping,
    "sampling-rate": sampling_rate,
    "unit": unit,
    "neighbour": neighbour,
    "accountant": accountant,
    "central": lambda: trusts(1),
    "local": lambda: trusts(0),
    "randomised-response": randomised_response,
    "trade-off-curve": tradeoff_curve,
}


def picture_svg(key: str) -> str:
    """Decoration beside its sentence, which says the same."""
    return f'<svg class="dp-drawing" viewBox="0 0 160 90" aria-hidden="true">{PICTURES[key]()}</svg>'

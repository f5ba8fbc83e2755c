"""Who a generated person is, and what differs from one picture of them to the next.

Lengths are in half picture heights: the picture spans -1 (top) to 1 (bottom), and about -0.82 to
0.82 sideways. A head's origin lies between the eyes and the nose. Tones run from 0 black to 1 white.
"""

from types import SimpleNamespace

import numpy as np

# Traits that stay with a person, each drawn evenly from its range.
TRAITS = {
    # head
    "head_width": (0.51, 0.61), "crown": (0.84, 0.92), "chin": (0.74, 0.88),
    "jaw_power": (2.0, 3.0), "jaw_taper": (0.06, 0.30),
    "ear_height": (0.13, 0.20), "ear_width": (0.06, 0.12), "neck_width": (0.34, 0.46),
    "cheeks": (-0.02, 0.07), "chin_bump": (0.02, 0.07), "socket": (0.03, 0.085),
    # eyes and brows
    "eye_spread": (0.215, 0.275), "eye_level": (-0.13, -0.05), "eye_width": (0.098, 0.132),
    "eye_height": (0.034, 0.056), "eye_slant": (-0.16, 0.16), "iris": (0.05, 0.40), "bags": (0.0, 0.22),
    "brow_gap": (0.125, 0.185), "brow_thick": (0.014, 0.042), "brow_slant": (-0.14, 0.10),
    "brow_arch": (0.0, 0.04), "brow_strength": (0.45, 0.95),
    # nose and mouth
    "nose_level": (0.19, 0.30), "nose_width": (0.075, 0.125), "nose_ridge": (0.055, 0.085),
    "nose_height": (0.055, 0.11), "mouth_gap": (0.18, 0.25), "mouth_width": (0.18, 0.26),
    "upper_lip": (0.028, 0.056), "lower_lip": (0.040, 0.076), "lip_tone": (0.45, 0.72),
    "folds": (0.03, 0.22), "resting_smile": (-0.10, 0.50),
    # clothes and usual backdrop
    "clothes": (0.06, 0.85), "collar": (0.10, 0.45), "backdrop": (0.16, 0.55),
}  # fmt: skip

# Hair styles: how often each occurs, then a range for each of these, in this order: where the hairline
# lies at the parting, how much it rises at the temples, how it falls away from the parting, how full the
# hair stands above and beside the head, how far down the sides it reaches, and how wavy it is.
HAIR_PARTS = ("line", "temples", "fall", "above", "beside", "reach", "wave")
HAIR = {
    "short": (5, (-.6, -.5), (0, .1), (0, .1), (.05, .11), (0, .03), (-.1, .02), (.1, .5)),
    "parted": (5, (-.62, -.52), (0, .04), (.15, .38), (.07, .14), (.03, .07), (-.02, .14), (.1, .4)),
    "fringe": (4, (-.42, -.31), (0, .02), (-.1, .12), (.06, .13), (.04, .08), (0, .2), (.1, .4)),
    "curly": (4, (-.55, -.42), (0, .04), (0, .15), (.12, .2), (.06, .13), (0, .22), (.8, 1)),
    "receding": (3, (-.72, -.6), (.08, .17), (0, .05), (.02, .06), (.01, .04), (-.08, .06), (.1, .5)),
    "bald": (2, (-1.1, -.95), (0, .05), (0, .02), (-.02, 0), (.01, .04), (-.04, .1), (.1, .5)),
    "long": (6, (-.62, -.48), (0, .02), (.15, .42), (.07, .14), (.08, .17), (.55, 1.5), (.2, .9)),
    "tied": (3, (-.62, -.52), (0, .03), (.05, .2), (.02, .06), (0, .02), (-.1, 0), (0, .2)),
}  # fmt: skip
CAN_GROW_A_BEARD = ("short", "parted", "curly", "receding", "bald")

# What changes from picture to picture: the middle and the spread of a normal draw, cut at two spreads.
CHANGES = {
    "turn": (0.0, 0.145), "nod": (0.0, 0.09), "tilt": (0.0, 0.065),  # radians, roughly
    "shift_x": (0.0, 0.026), "shift_y": (0.0, 0.028), "zoom": (1.06, 0.03),
    "light_x": (0.0, 0.38), "light_y": (-0.55, 0.20), "diffuse": (0.84, 0.10), "exposure": (1.0, 0.06),
    "smile": (0.12, 0.40), "open": (-0.15, 0.50), "eyelids": (0.92, 0.20), "brow_lift": (0.0, 0.018),
    "gaze": (0.0, 0.016), "backdrop": (0.0, 0.035), "backdrop_slope": (0.0, 0.05), "clothes": (0.0, 0.04),
    "glint": (-0.1, 0.4),
}  # fmt: skip


def random_person(rng: np.random.Generator) -> SimpleNamespace:
    """One identity: every trait above, hair, beard and habits, as plain numbers."""
    person = SimpleNamespace(**_evenly(TRAITS, rng))
    _give_hair(person, rng)
    _give_beard(person, rng)
    _give_glasses(person, rng)
    return person


def _evenly(ranges: dict, rng: np.random.Generator) -> dict:
    return {name: float(rng.uniform(low, high)) for name, (low, high) in ranges.items()}


def _give_hair(person: SimpleNamespace, rng: np.random.Generator) -> None:
    """Skin and hair tones hang together loosely: darker skin comes with darker hair."""
    weights = np.array([row[0] for row in HAIR.values()], dtype=float)
    person.style = str(rng.choice(list(HAIR), p=weights / weights.sum()))
    ranges = dict(zip(HAIR_PARTS, HAIR[person.style][1:], strict=True))
    for name, value in _evenly(ranges, rng).items():
        setattr(person, "hair_" + name, value)
    person.skin = float(rng.choice([rng.uniform(0.62, 0.84), rng.uniform(0.40, 0.62)], p=[0.72, 0.28]))
    fair = float(rng.choice([rng.uniform(0.05, 0.20), rng.uniform(0.20, 0.46)], p=[0.55, 0.45]))
    person.hair = fair if person.skin > 0.6 else min(fair, 0.14)
    person.parting = float(rng.choice([-1, 1]) * rng.uniform(0.05, 0.30))
    person.strands = rng.uniform(0, 2 * np.pi, 6).tolist()  # phases of the waves that make locks of hair


def _give_beard(person: SimpleNamespace, rng: np.random.Generator) -> None:
    """Density 0 to 1 of beard, moustache and stubble; most people have none."""
    kind = rng.choice(["none", "stubble", "moustache", "goatee", "full"], p=[0.42, 0.20, 0.13, 0.09, 0.16])
    if person.style not in CAN_GROW_A_BEARD:
        kind = "none"
    density = float(rng.uniform(0.55, 0.95))
    person.beard = {"full": density, "stubble": 0.25 * density}.get(kind, 0.0)
    person.moustache = {"none": 0.0, "stubble": 0.2}.get(kind, density)
    person.goatee = density if kind == "goatee" else 0.0
    person.beard_line = float(rng.uniform(0.16, 0.34))
    person.beard_tone = person.hair * float(rng.uniform(0.7, 1.1))


def _give_glasses(person: SimpleNamespace, rng: np.random.Generator) -> None:
    person.glasses_habit = float(rng.choice([0.0, 0.4, 1.0], p=[0.62, 0.16, 0.22]))
    person.lens_width = float(rng.uniform(0.155, 0.20))
    person.lens_height = float(rng.uniform(0.095, 0.155))
    person.lens_power = float(rng.uniform(2.0, 4.0))  # 2 round, 4 nearly square
    person.frame = float(rng.choice([rng.uniform(0.03, 0.12), rng.uniform(0.30, 0.45)]))
    person.frame_thick = float(rng.uniform(0.012, 0.024))


def random_change(person: SimpleNamespace, rng: np.random.Generator) -> dict[str, float]:
    """One picture's pose, light, expression and surroundings."""
    middles, spreads = np.array(list(CHANGES.values())).T
    drawn = middles + spreads * np.clip(rng.standard_normal(len(CHANGES)), -2, 2)
    change = dict(zip(CHANGES, drawn.tolist(), strict=True))
    change["smile"] = max(change["smile"] + person.resting_smile, -0.25)
    change["open"] = max(change["open"], 0.0)
    change["eyelids"] = 0.0 if rng.random() < 0.06 else min(max(change["eyelids"], 0.3), 1.15)
    change["glasses"] = float(rng.random() < person.glasses_habit)
    change["glint"] = max(change["glint"], 0.0)
    return change

"""Hair of a generated person: where it lies on the head, its locks, and what falls behind the neck."""

import numpy as np

from .face_shapes import inside, oval, ridge, smooth_least, step


def hair_layers(person, at):
    """Two arrays 0 to 1: where hair is seen in front, and how thick it lies (softer, for the light)."""
    outline = inside(hair_outline(person, at), at.soft + 0.03 * person.hair_wave + 0.015)
    edge = hair_edge(person, at)
    on_the_head = step((0.35 - at.t) / 0.5)  # what hangs lower lies on nothing
    return outline * inside(edge, at.soft + 0.05), inside(edge, 0.20) * on_the_head


def hair_edge(person, at):
    """About the signed distance to the hair's inner edge: over the forehead, and down beside the ears."""
    aside = np.abs(at.s)
    locks = 0.010 * (1 + person.hair_wave) * np.sin(19 * at.s + person.strands[0] + 3 * np.sin(7 * at.s))
    temples = person.hair_temples * ridge(aside - 0.55 * person.head_width, 0.14)
    falling = person.hair_fall * np.abs(at.s - person.parting) + 0.45 * at.s**2
    line = person.hair_line + falling - temples + locks
    inner = 0.90 * person.head_width - 0.40 * np.clip(at.t - 0.35, 0, None)  # closes in below the jaw
    beside = np.maximum(inner - aside, at.t - person.hair_reach)
    return smooth_least(at.t - line, beside, 0.22)


def hair_outline(person, at):
    """Signed distance to the outer edge of the hair."""
    top = person.crown + person.hair_above
    width = person.head_width + person.hair_beside
    ripple = 0.022 * person.hair_wave * at.curls
    cap = oval(at.x, np.minimum(at.y, 0.0), width, top, 2.7)
    falling = np.abs(at.x) - width - 0.10 * np.clip(at.y, 0, 1) * (person.hair_reach > 0.5)
    return np.where(at.y < 0, cap, falling) + ripple


def hair_behind(person, at):
    """Long hair behind neck and shoulders, 0 to 1."""
    return inside(hair_outline(person, at), at.soft + 0.04) * inside(at.y - person.hair_reach, 0.15)


def hair_tone(person, at):
    """Tone with locks that run down from the parting; wavier hair is mottled, not streaked."""
    x, y = at.s - 0.6 * person.parting, at.t + 1.05
    away = np.sqrt(x * x + y * y)
    angle = x / (away + 0.2)  # nearly, and much quicker than the arc tangent
    p = person.strands
    streaks = np.sin(17 * angle + p[1] + 2 * away) + np.sin(29 * angle + p[2] - 3 * away)
    streaks = 0.8 * streaks + 0.6 * np.sin(53 * angle + p[3] + 4 * away)
    grain = (1 - person.hair_wave) * streaks + person.hair_wave * 1.5 * at.curls
    return person.hair * (1 + 0.06 * grain) + 0.012 * grain


def curls(person, s, t):
    """A pattern of patches, about -2 to 2, that is the same in every picture of a person."""
    p = person.strands
    one = np.sin(23 * s + p[3] + 2 * np.sin(9 * t + p[4]))
    two = np.sin(21 * t + p[5] + 2 * np.sin(11 * s + p[1]))
    return one * two + 0.5 * (one + two)

"""The painted parts of a generated face: eyes, brows, nose, mouth, beard and glasses.

Each function takes the tones painted so far, (pictures, height, width), and paints one part on.
``at`` holds the coordinates of every pixel on the face, ``now`` the picture's pose and expression.
"""

import numpy as np

from .face_shapes import bump, inside, oval, paint, ridge, step


def paint_features(tones, person, now, at):
    """All parts of the face without glasses; ``tones`` starts as plain skin."""
    tones = paint_cheeks(tones, person, now, at)
    tones = paint_beard(tones, person, now, at)
    tones = paint_eyes(tones, person, now, at)
    tones = paint_brows(tones, person, now, at)
    tones = paint_nose(tones, person, at)
    return paint_mouth(tones, person, now, at)


def paint_cheeks(tones, person, now, at):
    """Folds from the nose to the corners of the mouth, deeper in a smile, and shade beneath the eyes."""
    along = (at.t - person.nose_level) / (person.mouth_gap + 0.05)
    fold = person.nose_width + 0.03 + (0.10 + 0.04 * now.smile) * along
    depth = (person.folds + 0.16 * np.clip(now.smile, 0, 1)) * step(along + 0.35) * step(1.6 - along)
    tones = tones * (1 - depth * ridge(np.abs(at.s) - fold, 0.04))
    under = bump(np.abs(at.s) - person.eye_spread + 0.02, at.t - person.eye_level - 0.085, 0.11, 0.035)
    return tones * (1 - person.bags * under)


def paint_eyes(tones, person, now, at):
    """Almonds with white, iris, pupil and a glint, a dark upper lid and the crease above it."""
    x = np.abs(at.s) - person.eye_spread  # outwards from the middle of either eye
    y = at.t - person.eye_level + person.eye_slant * x * 0.6
    arch = 1 - (x / person.eye_width) ** 2
    opening = person.eye_height * now.eyelids * (1 - 0.18 * np.clip(now.smile, 0, 1))
    upper, lower = -1.15 * opening * arch, 0.75 * opening * arch
    width = step((1.12 - np.abs(x / person.eye_width)) * 5)
    tones = tones * (1 - 0.20 * bump(x, y, person.eye_width * 1.35, 0.095))  # the socket's shade
    almond = inside(np.maximum(upper - y, y - lower), at.soft) * width
    ball = _eyeball(person, at, np.sign(at.s) * x - now.gaze, y, upper)
    tones = paint(tones, ball * (0.55 + 0.45 * person.skin), almond)
    lid = ridge(y - upper, 0.013 + 0.4 * at.pixel) * width
    tones = paint(tones, 0.10, 0.80 * lid)
    return tones * (1 - 0.18 * width * ridge(y - upper + 0.045, 0.018))


def _eyeball(person, at, x, y, upper):
    away = np.sqrt(x**2 + (y + 0.006) ** 2)
    ball = paint(0.86 - 0.9 * np.abs(x), person.iris, inside(away - 0.050, at.soft))
    ball = paint(ball, 0.03, inside(away - 0.024, at.soft))
    ball = paint(ball, 0.95, 0.7 * bump(x + 0.018, y + 0.022, 0.014, 0.014))
    return ball * (0.62 + 0.38 * step((y - upper) / 0.05))  # the lid's shadow


def paint_brows(tones, person, now, at):
    x = np.abs(at.s) - person.eye_spread - 0.01
    middle = person.eye_level - person.brow_gap - now.brow_lift
    y = at.t - middle + person.brow_slant * x + person.brow_arch * (1 - (x / 0.13) ** 2)
    thick = person.brow_thick * (1.15 - 2.2 * (x + 0.02))
    ends = step((0.165 - np.abs(x - 0.005)) / 0.05)
    hair = ridge(y, thick + 0.25 * at.pixel) * ends
    return paint(tones, person.hair * 0.55, person.brow_strength * hair)


def paint_nose(tones, person, at):
    """Nostrils, the wings' edges and the shade beneath the tip; the ridge itself comes from the relief."""
    x = np.abs(at.s_nose)
    y = at.t - person.nose_level - 0.02
    under = bump(at.s_nose, y - 0.025, person.nose_width * 0.95, 0.030)
    nostril = bump(x - person.nose_width * 0.52, y, person.nose_width * 0.30, 0.020)
    wing = bump(x - person.nose_width * 1.08, y + 0.025, 0.018, 0.042)
    return tones * (1 - 0.14 * under) * (1 - 0.55 * nostril) * (1 - 0.20 * wing)


def paint_mouth(tones, person, now, at):
    """Two lips meeting in a dark line that bends with the smile and opens with the jaw."""
    half = person.mouth_width * (1 + 0.13 * now.smile)
    x = np.clip(at.s / half, -1.4, 1.4)
    bow = 1 - x**2
    middle = person.nose_level + person.mouth_gap + now.smile * 0.065 * (0.45 - x**2)
    gap = 0.10 * now.open * np.clip(bow, 0, 1)
    y = at.t - middle
    upper, lower = y + 0.35 * gap, y - 0.65 * gap
    width = step((1.04 - np.abs(x)) * 4)
    full = np.clip(bow, 0, 1)
    cupid = person.upper_lip * (full - 0.22 * ridge(x, 0.16))
    lips = inside(np.maximum(-upper - cupid, lower - person.lower_lip * full), at.soft + 0.012) * width
    tones = paint(tones, person.skin * person.lip_tone, 0.85 * lips)
    tones = tones * (1 - 0.20 * bump(at.s, lower - person.lower_lip - 0.035, half * 0.55, 0.028))
    return _paint_opening(tones, now, at, upper, lower, gap, width)


def _paint_opening(tones, now, at, upper, lower, gap, width):
    line = ridge(np.minimum(np.abs(upper), np.abs(lower)), 0.011 + 0.3 * at.pixel) * width
    tones = tones * (1 - 0.60 * line)
    hollow = inside(np.maximum(-upper, lower), at.soft) * width * step(gap / 0.03)
    teeth = inside(upper - 0.50 * gap, at.soft) * step(0.5 + now.smile)
    return paint(tones, 0.10 + 0.62 * teeth, hollow)


def paint_beard(tones, person, now, at):
    """Hair on jaw and upper lip; painted before the mouth, so that the lips stay bare."""
    if person.moustache == 0:
        return tones
    mouth = person.nose_level + person.mouth_gap
    edge = person.beard_line + 0.30 * (1 - step((np.abs(at.s) - 0.10) / 0.34))
    grain = 1 + 0.16 * np.sin(31 * at.s + 9 * np.sin(13 * at.t)) * np.sin(37 * at.t + 5 * np.sin(17 * at.s))
    jaw = step((at.t - edge) / 0.16)
    chin = inside(oval(at.s, at.t - mouth - 0.10, 0.20, 0.22, 2.6), 0.10) * step((at.t - mouth + 0.10) / 0.08)
    arch = person.nose_level + person.mouth_gap * 0.55 + 0.5 * at.s**2 - 0.02 * now.smile
    lip = inside(np.abs(at.t - arch) - 0.055, 0.05) * step((1.25 - np.abs(at.s) / person.mouth_width) * 3)
    cover = np.maximum(person.beard * jaw, np.maximum(person.goatee * chin, person.moustache * lip))
    return paint(tones, person.beard_tone * grain, cover)


def paint_glasses(tones, person, now, at):
    """Frames, bridge and sidepieces lie over skin and hair; lenses dim a little and may catch the light."""
    if not now.glasses.any():
        return tones
    x = np.abs(at.s) - person.eye_spread - 0.012
    y = at.t - person.eye_level - 0.02
    lens = oval(x, y, person.lens_width, person.lens_height, person.lens_power)
    thick = person.frame_thick
    rim = inside(np.abs(lens) - thick, at.soft)
    nose_side = person.eye_spread - person.lens_width
    bridge = inside(np.abs(y + 0.045) - thick, at.soft) * inside(np.abs(at.s) - nose_side - 0.03, at.soft)
    outer = person.eye_spread + person.lens_width
    arms = inside(np.abs(y + 0.04) - thick * 0.8, at.soft) * step((np.abs(at.s) - outer) / 0.02)
    frame = np.maximum(rim, np.maximum(bridge, arms)) * now.glasses * at.head
    glass = inside(lens, at.soft) * now.glasses
    shine = ridge(x - 0.05 + 0.7 * y, 0.045) * now.glint
    tones = paint(tones * (1 - 0.07 * glass), 0.97, 0.5 * glass * shine)
    return paint(tones, person.frame, 0.9 * frame)

"""Draw pictures of a generated person: a soft relief under a lamp, then tones painted on it.

The head is a dome with sockets, nose, cheeks, lips and chin raised on it; the slope of that relief
against the direction of the light gives the shading. All arrays are (pictures, height, width).
"""

from types import SimpleNamespace

import numpy as np

from .face_features import paint_features, paint_glasses
from .face_hair import curls, hair_behind, hair_layers, hair_tone
from .face_shapes import bump, inside, oval, paint, ridge, step


def draw(person: SimpleNamespace, now: SimpleNamespace, height: int, width: int) -> np.ndarray:
    """Tones 0 to 1 without sensor noise; ``now`` holds (pictures, 1, 1) arrays of one picture's changes."""
    at = coordinates(person, now, height, width)
    hair, thickness = hair_layers(person, at)
    light = shading(relief(person, now, at, thickness), now, at)
    picture = surroundings(person, now, at)
    picture = paint_ears(picture, person, now, at)
    skin = person.skin * (1 - 0.16 * forehead_shadow(at, hair))
    face = paint_features(skin, person, now, at)
    picture = paint(picture, face * light, at.head)
    picture = paint(picture, hair_tone(person, at) * (0.30 + 0.75 * np.maximum(light, 0.75)), hair)
    picture = paint_glasses(picture, person, now, at)
    return 1.22 * (1 - np.exp(-1.6 * now.exposure * picture)) - 0.08  # as on film, lights do not burn out


def coordinates(person, now, height: int, width: int) -> SimpleNamespace:
    """Where every pixel lies: (x, y) on the head seen flat, (s, t) on the face when turned to the front."""
    pixel = 2.0 / height
    down = ((np.arange(height, dtype=np.float32) + 0.5) * pixel - 1)[None, :, None] - 0.03 - now.shift_y
    right = ((np.arange(width, dtype=np.float32) + 0.5 - width / 2) * pixel)[None, None, :] - now.shift_x
    cos, sin = np.cos(now.tilt) / now.zoom, np.sin(now.tilt) / now.zoom
    x, y = cos * right + sin * down, cos * down - sin * right
    radius = head_radius(person, now, x, y)
    front = np.clip(1 - radius**2, 0, 1)  # how far a point of the head stands forward
    s = x - person.head_width * now.turn * front
    t = y - 0.8 * now.nod * front
    soft = 1.3 * pixel
    head = inside((radius - 1) * 0.68, soft + 0.02)
    s_nose = s - 0.10 * now.turn  # the nose stands out, so it moves more
    at = SimpleNamespace(x=x, y=y, s=s, t=t, s_nose=s_nose, radius=radius, head=head, pixel=pixel, soft=soft)
    at.curls = curls(person, s, t)
    return at


def head_radius(person, now, x, y):
    """1 on the outline of the head: a round crown above, below it a jaw between pointed and square."""
    chin = person.chin + 0.05 * now.open
    lower = np.clip(y / chin, 0, None)
    side = np.abs(x) / person.head_width * (1 + person.jaw_taper * lower)
    power = np.where(y > 0, person.jaw_power, 2.7).astype(np.float32)
    along = np.maximum(lower, -y / person.crown)
    return (side**power + along**power) ** (1 / power)


def relief(person, now, at, thickness):
    """Height of the surface towards the viewer."""
    side = np.abs(at.s)
    radius = at.radius / (1 + thickness * (0.04 + person.hair_above))  # hair makes the dome wider
    dome = 0.42 * np.sqrt(np.clip(1.08 - radius * radius * radius, 0.03, None))
    dome = dome - 0.30 * at.x**2 - 0.10 * at.y**2
    sockets = bump(side - person.eye_spread, at.t - person.eye_level + 0.01, 0.14, 0.085)
    brows = bump(at.s, at.t - person.eye_level + 0.20, 0.34, 0.09)
    cheeks = bump(side - 0.31, at.t - 0.14 + 0.03 * now.smile, 0.14, 0.15)
    chin = bump(at.s, at.t - person.chin + 0.13, 0.17, 0.09)
    mouth = bump(at.s, at.t - person.nose_level - person.mouth_gap, 0.22, 0.12)
    face = -person.socket * sockets + 0.035 * brows + person.chin_bump * chin + 0.03 * mouth
    face = face + (person.cheeks + 0.04 * np.clip(now.smile, 0, 1)) * cheeks + nose_relief(person, at)
    return dome + face * (1 - thickness) + 0.03 * thickness


def nose_relief(person, at):
    """A ridge that rises from between the eyes to the tip, and the two wings."""
    along = (at.t - person.eye_level) / (person.nose_level - person.eye_level)
    rise = step((along + 0.5) / 1.5) * step((1.25 - along) / 0.4)
    bridge = ridge(at.s_nose, person.nose_ridge * (0.75 + 0.45 * np.clip(along, 0, 1)))
    wings = bump(np.abs(at.s_nose) - person.nose_width * 0.72, at.t - person.nose_level, 0.045, 0.05)
    return person.nose_height * rise * bridge + 0.045 * wings


def shading(surface, now, at):
    """Light that reaches the eye: ambient, plus what falls at an angle on each slope, plus a sheen."""
    slope_y, slope_x = np.gradient(surface, at.pixel, axis=(1, 2))
    length = np.sqrt(1 + slope_x**2 + slope_y**2)
    lamp = np.sqrt(1 + now.light_x**2 + now.light_y**2)
    facing = (1 - slope_x * now.light_x - slope_y * now.light_y) / (length * lamp)
    sheen = np.clip(facing, 0, 1) ** 18
    return 0.28 + now.diffuse * np.clip(facing, 0, None) + 0.08 * sheen


def forehead_shadow(at, hair):
    """Hair shades the skin just below it; taken from the hair's cover a little further up."""
    lift = max(1, round(0.07 / at.pixel))
    above = np.concatenate([np.repeat(hair[:, :1], lift, axis=1), hair[:, :-lift]], axis=1)
    return above * (1 - hair)


def surroundings(person, now, at):
    """Backdrop, hair behind, neck with the chin's shadow, and clothes."""
    back = person.backdrop + now.backdrop + now.backdrop_slope * at.x - 0.06 * at.y
    if person.hair_reach > 0.5:
        back = paint(back, hair_tone(person, at) * 0.75, hair_behind(person, at))
    flare = 0.5 * np.clip(at.y - 0.72, 0, None) ** 2
    neck = inside(np.abs(at.x) - person.neck_width - flare, at.soft + 0.02) * step((at.y - 0.2) / 0.1)
    round_neck = 1 - 0.35 * (at.x / 0.42) ** 2 + 0.25 * now.light_x * at.x
    shade = 0.45 + 0.40 * step((at.y - person.chin - 0.02) / 0.30)
    back = paint(back, person.skin * shade * round_neck, neck)
    edge = 0.86 + person.collar * 0.5 - np.clip(np.abs(at.x) * 0.9, 0, 0.4) + 0.2 * at.x**2
    folds = 1 + 0.10 * np.sin(9 * at.x + person.strands[2]) - 0.15 * np.abs(at.x)
    return paint(back, (person.clothes + now.clothes) * folds * 0.9, inside(edge - at.y, at.soft + 0.02))


def paint_ears(picture, person, now, at):
    """Ears stand beside the head at the level of the eyes; the far one hides when the head turns."""
    side = np.sign(at.x)
    centre = person.head_width * (1.01 - 0.30 * np.clip(now.turn * side, 0, None))
    x, y = np.abs(at.x) - centre, at.y - 0.02
    ear = oval(x - 0.12 * y, y, person.ear_width, person.ear_height)
    hollow = 1 - 0.35 * bump(x - 0.035, y, 0.03, 0.09)
    tone = person.skin * hollow * (0.25 + 0.70 * now.diffuse + 0.20 * side * now.light_x)
    return paint(picture, tone, inside(ear, at.soft + 0.01))

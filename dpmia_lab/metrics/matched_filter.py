"""A judge of drawings that learns nothing: who has, in other pictures, what sets this drawing apart?

A known shape in noise that is alike in all pixels is found best by correlating with the shape: the *matched filter*
of radar. Here the shape of a person is the mean of that person's pictures minus the mean of everybody's. What a
network trained on clean photographs makes of snow is another matter: it never saw any.

Drawings are (n, channels, height, width) as differences from some common picture (an attack that starts at a public
mean draws such); only a photograph has to have ``Gallery.mean`` taken away first. A correlation knows neither
brightness nor contrast, so every drawing gets a name, also one of pure noise: by chance 1 of the people is right.
"""

from dataclasses import dataclass

import numpy as np

from dpmia_lab.metrics.reconstruction import correlations


@dataclass(frozen=True)
class Gallery:
    """The pictures the judge holds, as differences from their mean."""

    mean: np.ndarray  # (channels, height, width): of everybody, each person counted alike
    people: np.ndarray  # (people, channels, height, width): each person's mean minus that of everybody
    pictures: np.ndarray  # (pictures, channels, height, width)
    labels: np.ndarray  # (pictures,): whose they are


def gallery_of(pictures: np.ndarray, labels: np.ndarray) -> Gallery:
    """``labels``: from 0, each at least once."""
    means = np.stack([pictures[labels == person].mean(0) for person in range(int(labels.max()) + 1)])
    mean = means.mean(0)
    return Gallery(mean, means - mean, pictures - mean, labels)


def matched_labels(x: np.ndarray, gallery: Gallery) -> np.ndarray:
    """(n,): the person with whose shape the drawing correlates most."""
    return correlations(x, gallery.people).argmax(1)


def nearest_labels(x: np.ndarray, gallery: Gallery) -> np.ndarray:
    """(n,): whose single picture the drawing correlates with most."""
    return gallery.labels[correlations(x, gallery.pictures).argmax(1)]

"""Shopping carts that nobody filled: Skewed Purchases (paper C, section 4.5) and carts like those of a real shop.

Every cart is 600 bits, one a product: bought or not. Drawn as uint8, a byte a bit.
"""

import numpy as np

from ..checks import one_of, whole
from ..seeds import numpy_generator
from .blocks import drawn_in_blocks, drawn_labels, zipf_shares

PRODUCTS = 600
SKEWED_CLASSES = (10, 20, 50, 100)
INDICATOR = 0.8  # P(1) of the bits that mark a class
TRAIN_NOISE, TEST_NOISE = 0.2, 0.5  # P(1) of all others

MOST_STYLES = 100
DEPARTMENTS = 30  # of 20 products each
STYLE_FOCUS = 0.5  # of a Dirichlet over departments: the smaller, the fewer favourite departments a style has
OWN_FOCUS = 0.3  # likewise of one customer's own taste
STYLE_SHARE = (2.0, 5.0)  # Beta: how much of a cart follows the style, the rest the customer's own taste
BRANDS = 0.55  # log standard deviation of a style's liking of single products
CART = (45.0, 0.5)  # median purchases a customer, and their log standard deviation


def skewed_purchases(classes: int, records: int, noise: float, seed: int, half: str) -> tuple[np.ndarray, np.ndarray]:
    """x (records, 600) uint8 and y (records,), exactly as paper C has it.

    Class c owns the 600/C indicator bits c·600/C … (c+1)·600/C − 1, which are 1 with probability .8 in its records; all
    other bits are 1 with probability ``noise``: .2 in the training distribution, .5 in the test distribution.
    Labels are drawn uniformly. ``half`` names the stream, so that the two distributions never share a draw.
    """
    one_of(SKEWED_CLASSES, classes=classes)
    owner = np.arange(PRODUCTS) // (PRODUCTS // classes)  # (600,) the class whose indicator each bit is
    shares = np.full(classes, 1 / classes)

    def draw(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        y = drawn_labels(count, shares, rng)
        chance = np.where(owner == y[:, None], np.float32(INDICATOR), np.float32(noise))  # (count, 600)
        return (rng.random(chance.shape, dtype=np.float32) < chance).astype(np.uint8), y

    return drawn_in_blocks(draw, records, seed, "skewed_purchases", classes, half)


def purchases_like(classes: int, records: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """x (records, 600) uint8 and y (records,): sparse, correlated carts of customers in unequal groups.

    A shop of 30 departments with 20 products each, a product's popularity in its department falling as 1/rank^0.8.
    The class is the customer's style: a few favourite departments (sparse Dirichlet) and a liking (log-normal) of
    single products; the groups' sizes fall as 1/rank^0.7. A customer's taste for departments is a random mixture of
    the style's and of one all their own, which makes products of a department go together beyond what the class
    explains; how much they buy is log-normal. Product j is in the cart if a Poisson count of mean
    size · taste[department of j] · popularity[j] · liking[style, j] is above 0.

    The shop and its styles are fixed (style c is the same for every C); ``seed`` draws the customers.
    """
    whole(2, MOST_STYLES, classes=classes)
    popularity, style_taste, liking = _shop()
    shares = zipf_shares(classes, 0.7)
    department = np.arange(PRODUCTS) // (PRODUCTS // DEPARTMENTS)

    def draw(count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        y = drawn_labels(count, shares, rng)
        own_taste = rng.dirichlet(np.full(DEPARTMENTS, OWN_FOCUS), count)
        share = rng.beta(*STYLE_SHARE, (count, 1))
        taste = share * style_taste[y] + (1 - share) * own_taste  # (count, departments)
        size = CART[0] * np.exp(CART[1] * rng.standard_normal((count, 1)))
        mean = size * taste[:, department] * (popularity * liking)[y]  # (count, products)
        return (rng.random(mean.shape, dtype=np.float32) < -np.expm1(-mean)).astype(np.uint8), y

    return drawn_in_blocks(draw, records, seed, "purchases_like", classes)


def _shop() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Popularity (600,), adding to 1 in every department; the styles' tastes (100, 30) and likings (100, 600)."""
    rng = numpy_generator(0, "purchases_like", "shop")
    each = zipf_shares(PRODUCTS // DEPARTMENTS, 0.8)
    popularity = np.concatenate([rng.permutation(each) for _ in range(DEPARTMENTS)])
    taste = rng.dirichlet(np.full(DEPARTMENTS, STYLE_FOCUS), MOST_STYLES)
    liking = np.exp(BRANDS * rng.standard_normal((MOST_STYLES, PRODUCTS)))
    return popularity, taste, liking

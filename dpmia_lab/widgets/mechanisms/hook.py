"""The first thing a reader of lesson 5 sees: a shopping cart and a picture, made noisy before anybody has them."""

import math

import ipywidgets as widgets
import numpy as np

from dpmia_lab.data import load
from dpmia_lab.data.faces import generated_faces
from dpmia_lab.data.purchases import PRODUCTS, purchases_like
from dpmia_lab.options import number_text
from dpmia_lab.privacy import local
from dpmia_lab.privacy.accounting import epsilon_text
from dpmia_lab.privacy.tradeoff import highest_belief
from dpmia_lab.seeds import numpy_generator
from dpmia_lab.stages import Progress, Stage
from dpmia_lab.widgets.kit import light
from dpmia_lab.widgets.kit.controls import field, scale
from dpmia_lab.widgets.kit.opening import OnceUp
from dpmia_lab.widgets.kit.parts import button, number_html, number_row, on_change, panel, text
from dpmia_lab.widgets.kit.pictures import figures_html
from dpmia_lab.widgets.kit.stage_run import StageRun
from dpmia_lab.widgets.kit.tables import Cell, table_html

BITS = (math.inf, 8.0, 5.0, 3.0, 2.0, 1.5, 1.0, 0.5, 0.2, 0.1)  # ε_i of one bit; ∞: no noise
PIXELS = (math.inf, 1000.0, 500.0, 200.0, 100.0, 50.0, 20.0, 10.0, 5.0, 1.0)
CELLS, REACH = (1, 2, 4, 7, 14), (1, 4, 16, 64, 256)
NAMED = {17: "pregnancy test", 18: "bread", 88: "cigarettes", 340: "insulin needles", 513: "candles"}
SECRET = 17
DIGIT, BLANK = "a handwritten digit", np.full((1, 28, 28), 0.92)  # its place until it is read
PRIOR = 0.01  # how likely a snoop thinks a purchase beforehand
WIDE, INK, EXPOSED, EMPTY = 30, (27, 27, 27), (213, 94, 0), (243, 240, 233)  # bits a row of the picture; colours


def falling(label: str, values: tuple[float, ...]) -> widgets.SelectionSlider:
    """A slider that begins without noise and ends with the most."""
    options = [("no noise" if math.isinf(value) else number_text(value), value) for value in values]
    return light.SelectionSlider(options=options, description=label, value=values[0])


class CartPanel:
    """The noise of a draw is the same for every ε_i, so the lies grow in number and do not jump about."""

    def __init__(self) -> None:
        self.cart, self.draws = one_cart(), 0
        self.epsilon = field(falling("ε_i of one bit", BITS), "epsilon-bit")
        self.again = button("Draw other noise", self.draw_again, "dp-small", "dp-again")
        self.pictures, self.numbers, self.items = text(""), text("", "dp-cart-numbers"), text("", "dp-cart-items")
        on_change(self.epsilon, lambda _: self.draw())
        words = text(
            "<h2>Whom do you trust: the collector, or nobody?</h2><p>A shop wants to learn from your cart: 600 "
            "products, bought or not. Bit 17 is a pregnancy test. Trust the shop to add noise later, while it learns "
            "(<i>central</i>)? Or lie a little yourself, bit by bit, before you send it (<i>local</i>)? Move ε_i to "
            "the right. (A label, say what kind of customer you are, is sent as it is.)</p>"
        )
        self.view = panel("dp-cart", [self.epsilon], [words, self.pictures, self.numbers], [self.items], [self.again])
        self.draw()

    def draw_again(self) -> None:
        self.draws += 1
        self.draw()

    def sent(self) -> np.ndarray:
        if math.isinf(self.epsilon.value):
            return self.cart
        rng = numpy_generator(self.draws, "cart", "noise")
        return local.randomised_response(self.cart[None], self.epsilon.value, rng)[0]

    def draw(self) -> None:
        sent = self.sent()
        self.pictures.value = cart_html(self.cart, sent)
        self.numbers.value = cart_numbers_html(self.cart, sent, self.epsilon.value)
        self.items.value = items_html(self.cart, sent, self.epsilon.value)


def one_cart() -> np.ndarray:
    """(600,) bits: the first generated customer who bought what nobody should know."""
    carts, _ = purchases_like(20, 200, seed=0)
    return carts[np.flatnonzero(carts[:, SECRET])[0]]


def bits_picture(bits: np.ndarray, colour: tuple[int, int, int]) -> np.ndarray:
    """(3, rows, 30): a pixel a product."""
    shaped = np.where(bits[:, None].astype(bool), colour, EMPTY).astype(np.uint8)
    return shaped.reshape(-1, WIDE, 3).transpose(2, 0, 1)


def cart_html(cart: np.ndarray, sent: np.ndarray) -> str:
    lies = cart != sent
    return figures_html(
        [
            (bits_picture(cart, INK), "the cart", f"{cart.sum()} of {PRODUCTS} products; stays at home"),
            (bits_picture(sent, INK), "what is sent", f"{sent.sum()} products; all that anybody sees"),
            (bits_picture(lies, EXPOSED), "where it lies", f"{lies.sum()} bits; nobody else can know which"),
        ]
    )


def true_share(epsilon: float) -> float:
    """Of the bits, on average; 1 − (1 − ρ)/2."""
    return 1.0 if math.isinf(epsilon) else 1 - local.flip_probability(epsilon)


def odds_text(epsilon: float) -> str:
    """e^ε to three digits, in plain figures."""
    odds = math.exp(epsilon)
    return "∞" if math.isinf(odds) else f"{odds:,.0f}" if odds >= 100 else f"{odds:.3g}"


def cart_numbers_html(cart: np.ndarray, sent: np.ndarray, epsilon: float) -> str:
    same = int((cart == sent).sum())
    record, promise = promise_words(None if math.isinf(epsilon) else local.bits_guarantee(PRODUCTS, epsilon))
    return number_row(
        number_html(
            f"{true_share(epsilon):.1%}",
            "bits that tell the truth, on average",
            f"{same} of {PRODUCTS} in this draw. 50 % is pure coin tossing; higher: more useful, less hidden.",
            "protected",
        ),
        number_html(
            f"{odds_text(epsilon)} : 1",
            "what one bit may give away: e<sup>ε_i</sup>",
            "By this factor the odds of any guess about bit 17 can grow once the snoop has seen it. Lower is safer.",
            "exposed",
        ),
        number_html(record, "ε for the whole record", f"{promise}. Lower is safer: a record is many bits.", "exposed"),
    )


def promise_words(made: local.LocalGuarantee | None) -> tuple[str, str]:
    """ε of the whole record, the same figure as in the sentence that follows it."""
    return ("∞", "no promise: ε is infinite") if made is None else (epsilon_text(made.epsilon), made.words())


def belief_after(said_yes: bool, epsilon: float, prior: float = PRIOR) -> float:
    """Bayes: what a snoop thinks of a bit after having seen it."""
    if math.isinf(epsilon):
        return float(said_yes)
    return highest_belief(prior, epsilon if said_yes else -epsilon)


def items_html(cart: np.ndarray, sent: np.ndarray, epsilon: float) -> str:
    """Some products by name: the truth, what was sent, and what a snoop may conclude."""

    def line(place: int, name: str) -> tuple[str | Cell, ...]:
        sent_cell = Cell(yes_no(sent[place]), "dp-exposed" if cart[place] != sent[place] else "")
        thinks = belief_after(bool(sent[place]), epsilon)
        return f"{place}: {name}", yes_no(cart[place]), sent_cell, f"{thinks:.1%}"

    caption = f"What could a snoop say, who had thought each of these {PRIOR:.0%} likely?"
    return table_html(("bit", "truth", "sent", "thinks now"), [line(*item) for item in NAMED.items()], caption)


def yes_no(bit: int) -> str:
    return "yes" if bit else "no"


class PicturePanel:
    """A generated face and a handwritten digit; the digit is read in the background."""

    def __init__(self) -> None:
        self.draws = 0
        self.subjects = {"a generated face": generated_faces(2, 2, 56, 46, seed=0)[0][0], DIGIT: BLANK}
        self.epsilon = field(falling("ε of m pixel values", PIXELS), "epsilon-pixel")
        self.cell = field(scale("b, side of a cell in pixels", CELLS), "cell")
        self.reach = field(scale("m, values hidden together", REACH), "reach")
        self.again = button("Draw other noise", self.draw_again, "dp-small", "dp-again")
        self.pictures, self.numbers = text(""), text("", "dp-picture-numbers")
        for slider in (self.epsilon, self.cell, self.reach):
            on_change(slider, lambda _: self.draw())
        words = text(
            "<h3>The same for a picture</h3><p>Each cell of b × b pixels becomes one grey tone, its mean, and gets "
            "noise. Larger cells need less noise, and show less.</p>"
        )
        self.work = StageRun(one_digit, self.read, loading="")  # without its package the face is enough
        up = OnceUp(self.work.start)
        sliders = [self.epsilon, self.cell, self.reach]
        picture = [words, self.pictures, self.numbers, up.signal]
        self.view = panel("dp-picture-noise", sliders, picture, run=[self.again])
        self.draw()

    def read(self, digit: np.ndarray) -> None:
        self.subjects[DIGIT] = digit
        self.draw()

    def draw_again(self) -> None:
        self.draws += 1
        self.draw()

    def sent(self, picture: np.ndarray) -> np.ndarray:
        how = self.cell.value, self.reach.value, min(self.epsilon.value, 1e12)  # so much is no noise at all
        return local.pixelated(picture[None], *how, numpy_generator(self.draws, "picture", "noise"))[0]

    def draw(self) -> None:
        figures = []
        for name, picture in self.subjects.items():
            figures += [(picture, name, "stays at home"), (self.sent(picture), "what is sent", "all that anybody sees")]
        self.pictures.value = f'<div class="dp-noise-pairs">{figures_html(figures)}</div>'
        face = self.subjects["a generated face"]
        self.numbers.value = picture_numbers_html(face.shape, self.cell.value, self.reach.value, self.epsilon.value)


def one_digit() -> Stage[np.ndarray]:
    yield Progress(0, 1, "reading digits")
    return load("mnist").train_x[0]


def picture_numbers_html(shape: tuple[int, int, int], cell: int, reach: int, epsilon: float) -> str:
    record, promise = promise_words(None if math.isinf(epsilon) else local.picture_guarantee(shape, reach, epsilon))
    tones = 255 * reach / (cell**2 * epsilon)  # 0 without noise
    noise = f"255·m/(b²ε): of 255 grey tones, the scale of the Laplace noise in a cell of {cell} × {cell} pixels."
    return number_row(
        number_html(f"{tones:,.3g}", "noise a cell, in grey tones", f"{noise} Higher hides more.", "protected"),
        number_html(record, "ε for the whole face", f"{promise}. Lower is safer.", "exposed"),
    )

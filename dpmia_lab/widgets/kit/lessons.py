"""The lessons in their order: the one list that the landing page, every lesson's ends and the findings read."""

from dataclasses import dataclass

from dpmia_lab.widgets.kit.glossary import term
from dpmia_lab.widgets.kit.references import REFERENCES


@dataclass(frozen=True)
class Lesson:
    file: str
    title: str
    asks: str  # what it is about, in one line
    minutes: int
    remember: tuple[str, str, str]  # HTML
    references: tuple[str, ...]  # keys of REFERENCES

    @property
    def papers(self) -> str:
        """The letters of the lab's own five papers among them."""
        return ", ".join(sorted(letter for key in self.references if (letter := REFERENCES[key].letter)))


LESSONS = {
    1: Lesson(
        "01_model_inversion.ipynb",
        "Can you draw a face from a model that only knows names?",
        "Train a face recogniser, then turn it inside out.",
        25,
        (
            f"Whoever holds a {term('model')}'s weights can draw what a label looks like: {term('model-inversion')}. "
            "Nobody has to steal a photograph for that.",
            "What comes out is one picture that speaks for a label, not a training photograph. How good it is depends "
            f"on the model, on the attack and on its {term('prior')}.",
            "A number shows a leak only beside what nothing at all would score (a black picture, noise, another "
            "class), and only if the eye agrees.",
        ),
        ("zhang", "park", "fredrikson", "wang", "ssim", "samaria"),
    ),
    2: Lesson(
        "02_what_epsilon_buys.ipynb",
        "What does ε buy?",
        "Differential privacy, its noise and its accountants.",
        30,
        (
            "What the eye can no longer see may still be tested. That is why privacy is counted, and the count is "
            f"{term('epsilon', 'ε')}.",
            f"An ε says nothing without its {term('unit')}, its {term('neighbour', 'neighbours')}, its "
            f"{term('delta', 'δ')} and its {term('accountant')}.",
            "More noise, fewer steps and rarer sampling make ε smaller. A person with many records has far more at "
            "stake than the ε of one record.",
        ),
        ("zhang", "dwork", "abadi", "mironov", "koskela", "dong"),
    ),
    3: Lesson(
        "03_hiding_a_class.ipynb",
        "Hiding a class, not a record",
        "Noise for a record, a subclass, a whole person.",
        30,
        (
            f"A promise is for a {term('unit')}. Hiding each record does not hide what all records of a class have in "
            "common.",
            "What an attacker's picture looks like follows from the noise that has gathered in the weights, for "
            "whatever unit it was added.",
            "Snow is not safety. What one attacker cannot draw, another who knows how such pictures look may.",
        ),
        ("zhang", "abadi", "fredrikson"),
    ),
    4: Lesson(
        "04_were_you_in.ipynb",
        "Were you in the training set?",
        "Membership inference, and why averages hide the worst case.",
        30,
        (
            "A model is a little surer of what it was trained on. The more it learns its records by heart, the easier "
            f"it is to tell who was in: {term('membership-inference')}.",
            f"An average hides the worst case. An {term('auc')} near 0.5 can go with people who are caught almost "
            f"for certain, so look where {term('false-positive-rate', 'false alarms')} are few.",
            "A failed attack proves nothing. A promise bounds every attack from above; an attack that succeeds bounds "
            f"the promise from below: an {term('audit')}.",
        ),
        ("bernau", "shokri", "yeom", "nasr", "carlini", "zarifzadeh", "jagielski", "steinke"),
    ),
    5: Lesson(
        "05_local_or_central.ipynb",
        "Noise on the data or on the gradients?",
        "Local against central privacy, priced by φ and AOP.",
        30,
        (
            f"{term('local', 'Local noise')} asks you to trust nobody, {term('central', 'central noise')} to trust "
            "the collector. Their ε are about different things and cannot be compared.",
            "What can be compared is what the same attack finds at what accuracy, with the attack and its outsiders "
            "named.",
            f"{term('phi', 'φ')} and {term('aop')} are judgements in a formula. Say how much privacy weighs in them, "
            "and where they mean nothing.",
        ),
        ("bernau", "lomurno", "warner", "fan", "abadi", "shokri", "nasr"),
    ),
    6: Lesson(
        "06_choosing_epsilon.ipynb",
        "Choosing ε by being attacked",
        "A hundred models a cell, and a risk you can accept.",
        25,
        (
            "Nobody can see from an ε what it lets through. Name the harm you accept first, attack, and then choose.",
            f"A success rate is worth nothing without its {term('chance-level')}, its interval, and a control that "
            "knows as little without any noise.",
            f"A weak {term('judge')} is a weak attack: whom one judge does not recognise, another may.",
        ),
        ("park", "fredrikson", "abadi", "ssim", "samaria"),
    ),
    7: Lesson(
        "07_what_a_dose_says.ipynb",
        "What does a dose say about your genes?",
        "Attribute inference, and predictions that tell less.",
        30,
        (
            f"A model that predicts an outcome helps to guess a secret behind it: {term('attribute-inference')}. The "
            "people guessed need not have been in its training data.",
            f"An attack is worth what it adds to {term('imputation')}, which needs no model. Where imputation guesses "
            "as well, a defence of the model protects nobody.",
            "A defence that presses all answers together by one factor is undone by whoever measures the factor. Try "
            "an attacker who knows the defence before believing it.",
        ),
        ("wang", "fredrikson2014", "fredrikson", "iwpc", "adassp", "friedman", "mehnaz", "jayaraman"),
    ),
    8: Lesson(
        "08_turning_confidences_back.ipynb",
        "Turning confidences back into faces",
        "Decoders, priors and updates, against a network with a noisy code.",
        30,
        (
            f"Confidences are a code of the picture. Whoever has other pictures can learn to read it back: "
            f"{term('knowledge-alignment')}. Much of it is in the label alone.",
            f"An {term('information-bottleneck')} bounds what <i>one</i> answer tells. Twenty answers, or the code "
            "before its noise, tell more, and an attacker may choose.",
            f"A {term('generative-prior')} turns anything a network is sure of into a face. Test a defence with the "
            "attacker who knows it, at equal accuracy, beside what nothing at all would score.",
        ),
        ("wang", "yang", "zhang-gmi", "salem", "alemi", "guo", "struppek", "fredrikson", "abadi"),
    ),
    9: Lesson(
        "09_fooling_the_attacker.ipynb",
        "Fooling the attacker",
        "Empirical defences, tried by attackers they were not made for.",
        30,
        (
            f"A model can learn to fool a {term('membership-discriminator')}. That shows that this attacker fails, not "
            "that all do: let one try who trains shadow models with the same defence.",
            f"Ending training sooner also lowers the leak. A defence is worth what it adds to {term('early-stopping')} "
            "at the same accuracy.",
            f"An average hides those who are unlike all others. Plant a {term('canary', 'few canaries')}, and say how "
            "many of them are caught at few false alarms.",
        ),
        ("lomurno", "bernau", "nasr2018", "relaxloss", "hamp", "carlini", "zarifzadeh", "aerni", "abadi"),
    ),
    10: Lesson(
        "10_choosing_a_defence.ipynb",
        "Choosing a defence",
        "Every defence against every attack, under one protocol.",
        30,
        (
            "Name the harm you accept, then ask by the attack that is worst for each defence, and for those who are "
            "unlike all others: a weak test flatters, and an average by a simple attack is no reason to choose.",
            f"A defence without a promise is worth what it adds to {term('early-stopping')} and to a little noise at "
            "the same accuracy. Most add little.",
            f"What was not broken yet is not promised. A promise is an {term('epsilon', 'ε')} with its "
            f"{term('unit')}, {term('neighbour', 'neighbours')}, {term('delta', 'δ')} and {term('accountant')}, and it "
            "can be said as a risk for one person.",
        ),
        ("zhang", "wang", "bernau", "lomurno", "park", "abadi", "dong", "carlini", "zarifzadeh", "aerni", "relaxloss",
         "hamp", "nasr2018", "kulynych"),
    ),
}

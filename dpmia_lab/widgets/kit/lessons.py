"""The lessons in their order: the one list that the landing page, every lesson's ends and the findings read."""

from dataclasses import dataclass

from dpmia_lab.widgets.kit.references import REFERENCES
from dpmia_lab.words.said import marked


@dataclass(frozen=True)
class Lesson:
    file: str
    title: str
    asks: str  # what it is about, in one line
    minutes: int
    remember: tuple[str, str, str]  # templates: {term} or {term:other words for it}
    references: tuple[str, ...]  # keys of REFERENCES

    @property
    def papers(self) -> str:
        """The letters of the lab's own five papers among them."""
        return ", ".join(sorted(letter for key in self.references if (letter := REFERENCES[key].letter)))


LESSONS = {
    1: Lesson(
        "01_model_inversion.ipynb",
        marked("Can you draw a face from a model that only knows names?"),
        marked("Train a face recogniser, then turn it inside out."),
        25,
        marked((
            "Whoever holds a {model}'s weights can draw what a label looks like: {model-inversion}. "
            "Nobody has to steal a photograph for that.",
            "What comes out is one picture that speaks for a label, not a training photograph. How good it is depends "
            "on the model, on the attack and on its {prior}.",
            "A number shows a leak only beside what nothing at all would score (a black picture, noise, another "
            "class), and only if the eye agrees.",
        )),
        ("zhang", "park", "fredrikson", "wang", "ssim", "samaria"),
    ),
    2: Lesson(
        "02_what_epsilon_buys.ipynb",
        marked("What does ε buy?"),
        marked("Differential privacy, its noise and its accountants."),
        30,
        (
            "What the eye can no longer see may still be tested. That is why privacy is counted, and the count is "
            "{epsilon:ε}.",
            "An ε says nothing without its {unit}, its {neighbour:neighbours}, its "
            "{delta:δ} and its {accountant}.",
            "More noise, fewer steps and rarer sampling make ε smaller. A person with many records has far more at "
            "stake than the ε of one record.",
        ),
        ("zhang", "dwork", "abadi", "mironov", "koskela", "dong"),
    ),
    3: Lesson(
        "03_hiding_a_class.ipynb",
        marked("Hiding a class, not a record"),
        marked("Noise for a record, a subclass, a whole person."),
        30,
        (
            "A promise is for a {unit}. Hiding each record does not hide what all records of a class have in "
            "common.",
            "What an attacker's picture looks like follows from the noise that has gathered in the weights, for "
            "whatever unit it was added.",
            "Snow is not safety. What one attacker cannot draw, another who knows how such pictures look may.",
        ),
        ("zhang", "abadi", "fredrikson"),
    ),
    4: Lesson(
        "04_were_you_in.ipynb",
        marked("Were you in the training set?"),
        marked("Membership inference, and why averages hide the worst case."),
        30,
        (
            "A model is a little surer of what it was trained on. The more it learns its records by heart, the easier "
            "it is to tell who was in: {membership-inference}.",
            "An average hides the worst case. An {auc} near 0.5 can go with people who are caught almost "
            "for certain, so look where {false-positive-rate:false alarms} are few.",
            "A failed attack proves nothing. A promise bounds every attack from above; an attack that succeeds bounds "
            "the promise from below: an {audit}.",
        ),
        ("bernau", "shokri", "yeom", "nasr", "carlini", "zarifzadeh", "jagielski", "steinke"),
    ),
    5: Lesson(
        "05_local_or_central.ipynb",
        marked("Noise on the data or on the gradients?"),
        marked("Local against central privacy, priced by φ and AOP."),
        30,
        (
            "{local:Local noise} asks you to trust nobody, {central:central noise} to trust "
            "the collector. Their ε are about different things and cannot be compared.",
            "What can be compared is what the same attack finds at what accuracy, with the attack and its outsiders "
            "named.",
            "{phi:φ} and {aop} are judgements in a formula. Say how much privacy weighs in them, "
            "and where they mean nothing.",
        ),
        ("bernau", "lomurno", "warner", "fan", "abadi", "shokri", "nasr"),
    ),
    6: Lesson(
        "06_choosing_epsilon.ipynb",
        marked("Choosing ε by being attacked"),
        marked("A hundred models a cell, and a risk you can accept."),
        25,
        (
            "Nobody can see from an ε what it lets through. Name the harm you accept first, attack, and then choose.",
            "A success rate is worth nothing without its {chance-level}, its interval, and a control that "
            "knows as little without any noise.",
            "A weak {judge} is a weak attack: whom one judge does not recognise, another may.",
        ),
        ("park", "fredrikson", "abadi", "ssim", "samaria"),
    ),
    7: Lesson(
        "07_what_a_dose_says.ipynb",
        marked("What does a dose say about your genes?"),
        marked("Attribute inference, and predictions that tell less."),
        30,
        (
            "A model that predicts an outcome helps to guess a secret behind it: {attribute-inference}. The "
            "people guessed need not have been in its training data.",
            "An attack is worth what it adds to {imputation}, which needs no model. Where imputation guesses "
            "as well, a defence of the model protects nobody.",
            "A defence that presses all answers together by one factor is undone by whoever measures the factor. Try "
            "an attacker who knows the defence before believing it.",
        ),
        ("wang", "fredrikson2014", "fredrikson", "iwpc", "adassp", "friedman", "mehnaz", "jayaraman"),
    ),
    8: Lesson(
        "08_turning_confidences_back.ipynb",
        marked("Turning confidences back into faces"),
        marked("Decoders, priors and updates, against a network with a noisy code."),
        30,
        (
            "Confidences are a code of the picture. Whoever has other pictures can learn to read it back: "
            "{knowledge-alignment}. Much of it is in the label alone.",
            "An {information-bottleneck} bounds what <i>one</i> answer tells. Twenty answers, or the code "
            "before its noise, tell more, and an attacker may choose.",
            "A {generative-prior} turns anything a network is sure of into a face. Test a defence with the "
            "attacker who knows it, at equal accuracy, beside what nothing at all would score.",
        ),
        ("wang", "yang", "zhang-gmi", "salem", "alemi", "guo", "struppek", "fredrikson", "abadi"),
    ),
    9: Lesson(
        "09_fooling_the_attacker.ipynb",
        marked("Fooling the attacker"),
        marked("Empirical defences, tried by attackers they were not made for."),
        30,
        (
            "A model can learn to fool a {membership-discriminator}. That shows that this attacker fails, not "
            "that all do: let one try who trains shadow models with the same defence.",
            "Ending training sooner also lowers the leak. A defence is worth what it adds to {early-stopping} "
            "at the same accuracy.",
            "An average hides those who are unlike all others. Plant a {canary:few canaries}, and say how "
            "many of them are caught at few false alarms.",
        ),
        ("lomurno", "bernau", "nasr2018", "relaxloss", "hamp", "carlini", "zarifzadeh", "aerni", "abadi"),
    ),
    10: Lesson(
        "10_choosing_a_defence.ipynb",
        marked("Choosing a defence"),
        marked("Every defence against every attack, under one protocol."),
        30,
        (
            "Name the harm you accept, then ask by the attack that is worst for each defence, and for those who are "
            "unlike all others: a weak test flatters, and an average by a simple attack is no reason to choose.",
            "A defence without a promise is worth what it adds to {early-stopping} and to a little noise at "
            "the same accuracy. Most add little.",
            "What was not broken yet is not promised. A promise is an {epsilon:ε} with its "
            "{unit}, {neighbour:neighbours}, {delta:δ} and {accountant}, and it "
            "can be said as a risk for one person.",
        ),
        ("zhang", "wang", "bernau", "lomurno", "park", "abadi", "dong", "carlini", "zarifzadeh", "aerni", "relaxloss",
         "hamp", "nasr2018", "kulynych"),
    ),
}

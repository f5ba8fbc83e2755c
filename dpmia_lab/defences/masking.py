"""Confidence masking: the model stays as it is, and says less: rounded, only the highest, the label alone, or tempered.

What is hidden is the answer, not what was learnt. It promises nothing.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dpmia_lab.checks import between, one_of, whole
from dpmia_lab.defences.base import Defence, Task
from dpmia_lab.options import number_text, option

if TYPE_CHECKING:
    import torch
    from torch import nn

MASKS = ("round", "top", "label", "temperature")
LEAST = 1e-30  # a confidence of 0 has a logarithm nevertheless
ABOVE = 1e-9  # what the label has above those that rounding made its equals


@dataclass(frozen=True)
class Masking(Defence):
    title: ClassVar[str] = "masked confidences"

    mask: str = option("round", "masking: round, top, label or temperature")
    digits: int = option(1, "masking: decimals that are left (round)")
    top: int = option(1, "masking: how many confidences are told, the others being 0 (top)")
    temperature: float = option(3.0, "masking: what logits are divided by (temperature)")

    def __post_init__(self) -> None:
        one_of(MASKS, mask=self.mask)
        whole(0, 15, digits=self.digits)
        whole(1, 1000, top=self.top)
        between(0.01, 1000, temperature=self.temperature)

    def words(self) -> str:
        return {
            "round": f"confidences rounded to {self.digits} decimals",
            "top": f"the highest {self.top} of all confidences",
            "label": "the label alone",
            "temperature": f"confidences at temperature {number_text(self.temperature)}",
        }[self.mask]

    def tells_all(self) -> bool:
        return self.mask == "temperature"

    def answers(self, model: "nn.Module", x: "torch.Tensor", task: Task) -> "torch.Tensor":
        """Logarithms of what is told. The label stays the label, also where rounding makes several equal."""
        import torch

        logits = model(x)
        if self.mask == "temperature":
            return logits / self.temperature
        p, first = logits.double().softmax(1), torch.nn.functional.one_hot(logits.argmax(1), logits.shape[1])
        told = {
            "round": lambda: p.round(decimals=self.digits) + ABOVE * first,
            "top": lambda: p * (p >= p.topk(min(self.top, p.shape[1])).values[:, -1:]),
            "label": lambda: first.double(),
        }[self.mask]()
        return told.clamp(min=LEAST).log()

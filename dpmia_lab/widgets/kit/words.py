"""Words that several lessons use for the same thing."""

from typing import Any

from dpmia_lab.words.said import marked, said

MODEL_WORDS = marked({
    "softmax": "softmax regression",
    "mlp": "one hidden layer",
    "cnn": "convolutional network",
    "transfer": "last layers on a public face network",
    "graph": "graph convolution",
})  # fmt: skip
FACE_SETS = ("faces", "att_faces")
SEED = marked("seed (fixes every random choice)")


def only_faces(values: dict[str, Any]) -> str:
    """Why the number of people cannot be chosen, or ""."""
    return "" if values["data"].split(":")[0] in FACE_SETS else said("This set has its own classes.")

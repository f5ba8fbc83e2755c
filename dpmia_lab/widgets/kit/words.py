"""Words that several lessons use for the same thing."""

from typing import Any

MODEL_WORDS = {
    "softmax": "softmax regression",
    "mlp": "one hidden layer",
    "cnn": "convolutional network",
    "transfer": "last layers on a public face network",
    "graph": "graph convolution",
}
FACE_SETS = ("faces", "att_faces")
SEED = "seed (fixes every random choice)"


def only_faces(values: dict[str, Any]) -> str:
    """Why the number of people cannot be chosen, or ""."""
    return "" if values["data"].split(":")[0] in FACE_SETS else "This set has its own classes."

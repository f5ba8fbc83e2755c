"""Import torchvision beside a CPU build of torch.

PyPI's torchvision is built for CUDA. Beside a CPU torch its compiled half cannot be loaded, and then its
Python half stops at import with "operator torchvision::nms does not exist", although data sets and
transforms need none of it. Declaring the two missing operators, without bodies, lets the rest work.
"""

import sys
from types import ModuleType


def import_torchvision() -> ModuleType:
    """The torchvision module, ready for ``datasets`` and ``transforms`` (not for object detection)."""
    try:
        import torchvision
    except RuntimeError as error:
        if "torchvision::" not in str(error):
            raise
        _declare_operators()
        for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
            del sys.modules[name]  # what the failed import left behind
        import torchvision
    return torchvision


def _declare_operators() -> None:
    import torch

    library = torch.library.Library("torchvision", "FRAGMENT")
    for operator in ("nms", "qnms"):
        library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _kept.append(library)


_kept: list = []  # what a library declares lasts only as long as the library itself

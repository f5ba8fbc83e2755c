"""Import torchvision beside a CPU build of torch.

PyPI's torchvision is built for CUDA. Beside a CPU torch its compiled half cannot be loaded, and then its
Python half stops at import with "operator torchvision::nms does not exist", although data sets and
transforms need none of it. Declaring the two missing operators, without any body, lets the rest work.
"""

from types import ModuleType


def import_torchvision() -> ModuleType:
    """The torchvision module, ready for ``datasets`` and ``transforms`` (not for object detection)."""
    declare_missing_operators()
    import torchvision

    return torchvision


def declare_missing_operators() -> None:
    import torch

    if _compiled_half_loads() or hasattr(torch.ops.torchvision, "nms"):
        return
    library = torch.library.Library("torchvision", "FRAGMENT")
    library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    _kept.append(library)  # a library's declarations last only as long as it does


_kept: list = []

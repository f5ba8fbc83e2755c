"""What the tests of lesson 9's engine share."""

import pytest

from dpmia_lab.training import discriminator


@pytest.fixture(autouse=True, scope="module")
def quick_discriminator():
    """A few steps teach D all that is asked of it here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discriminator, "STEPS", 40)
        yield

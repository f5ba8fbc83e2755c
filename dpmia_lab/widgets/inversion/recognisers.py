"""The recognisers a reader has attacked lately: another attack on one of them trains nothing again."""

from dpmia_lab.experiments.inversion import Config, Recogniser

MOST = 4  # in memory, about 20 MB each


class Recognisers:
    def __init__(self) -> None:
        self.kept: list[Recogniser] = []  # the latest last

    def of(self, config: Config) -> Recogniser:
        """The one that such an attack is made on."""
        found = next((one for one in self.kept if one.fits(config)), None) or Recogniser(config)
        self.kept = [*(one for one in self.kept if one is not found), found][-MOST:]
        return found


SHARED = Recognisers()  # by the hook and the panel of one page: each page has a process of its own
